#!/bin/sh
# stormpy.build_model_from_explicit(), of a Markov chain that has no line for one of its states, which nothing leads to.
#
# Seen with: stormpy 2.0.0.
# Expected: the state has no transition, as it has no line, or the file is refused: nothing in it says that the state leads anywhere.
# Seen instead: the state leads to itself with probability 1, and no message. What asks for runs that go on for ever finds one there that the file
# does not have.
# What helps: to look for numbers of states that no line begins with before the file is given to it.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check stormpy==2.0.0
printf 'dtmc\n0 0 0.5\n0 2 0.5\n2 2 1\n' >model.tra
printf '#DECLARATION\ninit\n#END\n0 init\n' >model.lab
cat >example.py <<'END'
import stormpy
from importlib.metadata import version

model = stormpy.build_model_from_explicit("model.tra", "model.lab")
row = [(entry.column, entry.value) for entry in model.transition_matrix.get_row(1)]
print(f"stormpy {version('stormpy')}: the state without a line leads to {row}")
END
found=$(venv/bin/python example.py 2>&1)
echo "$found"
[ "$found" = "stormpy 2.0.0: the state without a line leads to [(1, 1.0)]" ]

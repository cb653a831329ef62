#!/bin/sh
# stormpy.build_model_from_explicit(), of a Markov decision process whose choice has probabilities that sum to 0.9.
#
# Seen with: stormpy 2.0.0.
# Expected: an error, as what is left out leads nowhere; the same file's format has a state and a choice in each line, so a lost line is
# easily had.
# Seen instead: a model with this choice as it stands, 0.5 and 0.4, and no message.
# What helps: to add the probabilities of each choice up before the file is given to it.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check stormpy==2.0.0
printf 'mdp\n0 0 0 0.5\n0 0 1 0.4\n1 0 1 1\n' >model.tra
printf '#DECLARATION\ninit\n#END\n0 init\n' >model.lab
cat >example.py <<'END'
import stormpy
from importlib.metadata import version

model = stormpy.build_model_from_explicit("model.tra", "model.lab")
row = [(entry.column, entry.value) for entry in model.transition_matrix.get_row(0)]
print(f"stormpy {version('stormpy')}: {model.nr_states} states, the choice of the first one leads to {row}")
END
found=$(venv/bin/python example.py 2>&1)
echo "$found"
[ "$found" = "stormpy 2.0.0: 2 states, the choice of the first one leads to [(0, 0.5), (1, 0.4)]" ]

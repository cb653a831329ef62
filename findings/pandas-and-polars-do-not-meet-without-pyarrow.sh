#!/bin/sh
# A table of polars on its way to pandas, where pyarrow is not installed.
#
# Seen with: pandas 3.1.1, polars 2.1.0 (CPython 3.10 and newer).
# Expected: Arrow's PyCapsule interface (`__arrow_c_stream__`) is there so that packages exchange tables without pyarrow: polars gives such a stream without it
# and reads one without it. So pandas' `DataFrame.from_arrow` reads it, too; or else the older `__dataframe__` does, or a plain conversion.
# Seen instead: `from_arrow` raises ImportError, since pandas hands the stream to pyarrow. `api.interchange.from_dataframe` falls back to `__dataframe__`, which
# polars 2 no longer has, and raises ValueError. `pandas.DataFrame(table)` raises nothing and loses the names of the columns: they are numbers.
# What helps: a dict of lists, which both take; or pyarrow.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check pandas==3.1.1 polars==2.1.0
cat >meet.py <<'END'
import warnings

import pandas
import polars

warnings.simplefilter("ignore")
table = polars.DataFrame({"reads": [1, 2], "writes": [3, 4]})


class Stream:
    """Nothing but the stream."""

    def __arrow_c_stream__(self, requested_schema=None):
        return table.__arrow_c_stream__(requested_schema)


def outcome(call):
    try:
        return list(call().columns)
    except Exception as error:
        return type(error).__name__


seen = {
    "polars.DataFrame(stream)": outcome(lambda: polars.DataFrame(Stream())),
    "pandas.DataFrame.from_arrow(stream)": outcome(lambda: pandas.DataFrame.from_arrow(Stream())),
    "pandas.api.interchange.from_dataframe(table)": outcome(lambda: pandas.api.interchange.from_dataframe(table)),
    "pandas.DataFrame(table)": outcome(lambda: pandas.DataFrame(table)),
    "pandas.DataFrame(dict)": outcome(lambda: pandas.DataFrame(table.to_dict(as_series=False))),
}
for call, what in seen.items():
    print(f"{call}: {what}")
names = ["reads", "writes"]
assert list(seen.values()) == [names, "ImportError", "ValueError", [0, 1], names]
END
environment/bin/python meet.py

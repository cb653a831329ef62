"""The cell magic of notebooks."""

from __future__ import annotations

import argparse
import shlex
from typing import Any, NoReturn

from ._litmoscope import LitmoscopeError


class _Options(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise LitmoscopeError(f"%%litmus: {message}. {self.format_usage().strip()}")


def _options(line: str) -> argparse.Namespace:
    options = _Options(prog="%%litmus", add_help=False)
    options.add_argument("name", nargs="?", help="the variable that keeps the result")
    options.add_argument("--model")
    options.add_argument("--algorithm")
    options.add_argument("--unroll", type=int)
    options.add_argument("--timeout", type=float)
    options.add_argument("--max-executions", type=int)
    options.add_argument("--stop-at-first", action="store_true")
    found = options.parse_args(shlex.split(line))
    if found.name is not None and not str(found.name).isidentifier():
        options.error(f"{found.name!r} is no name of a variable")
    return found


def litmus(shell: Any, line: str, cell: str) -> Any:
    """Explores the program of a cell, and keeps the result under the name that the line gives."""
    from . import explore

    chosen = vars(_options(line))
    name = chosen.pop("name")
    result = explore(cell, **chosen)
    if name is not None:
        shell.user_ns[name] = result
    return result


def load(shell: Any) -> None:
    """Makes the magic known to a shell of IPython."""
    shell.register_magic_function(lambda line, cell: litmus(shell, line, cell), "cell", "litmus")

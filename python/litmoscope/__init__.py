"""Litmoscope: stateless model checking under weak memory models.

>>> import litmoscope
>>> sb = litmoscope.parse("x := 1; a := y || y := 1; b := x")
>>> litmoscope.explore(sb, model="tso").complete
4
>>> print(litmoscope.why_not(sb, "P0:a=0, P1:b=0", model="sc").allowed)
False

Names are those of the command line: models and algorithms by their short names, such as ``"rc11"`` and ``"trust_co"``. Nothing prints. What is wrong
with a text or a choice raises :class:`LitmoscopeError`. What takes long lets other threads run, and Ctrl-C ends it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from typing import Any

from ._litmoscope import LitmoscopeError, __version__
from . import _litmoscope as _engine
from ._execution import Execution
from ._parts import Exploration, Found, Part
from ._steps import Seen, Steps
from ._table import Table

__all__ = [
    "Execution",
    "Exploration",
    "Found",
    "Linearizability",
    "LitmoscopeError",
    "Operation",
    "Part",
    "Program",
    "Repair",
    "Repairs",
    "Result",
    "Seen",
    "Steps",
    "Table",
    "Verdict",
    "Why",
    "__version__",
    "algorithms",
    "check_history",
    "compare",
    "executions",
    "explore",
    "linearize",
    "link",
    "models",
    "parse",
    "repair",
    "verify",
    "why_not",
]


@dataclass(frozen=True)
class Program:
    """A program that was read.

    ``name`` is empty if the text has none. ``model`` is the model that the text names, or else that of its notation.
    """

    text: str
    name: str
    model: str


def parse(text: str) -> Program:
    """Reads a program, in Litmoscope's own notation or one of herd's (C, X86, X86_64); the first line tells which.

    Raises :class:`LitmoscopeError` with ``message``, ``line`` and ``column`` (both from 1) of the first problem. Its text has all of them, each with its
    line and a caret below.
    """
    name, model = _engine.parse(text)
    return Program(text, name, model)


def _text(program: Program | str) -> str:
    return program.text if isinstance(program, Program) else program


def models() -> dict[str, str]:
    """The memory models, from strong to weak: their titles by name."""
    return dict(_engine.models())


def algorithms() -> dict[str, str]:
    """The algorithms: their titles by name."""
    return dict(_engine.algorithms())


@dataclass(frozen=True)
class Result:
    """What an exploration found.

    ``json`` is what ``litmoscope explore --json`` prints, and ``text`` what ``litmoscope explore`` prints. ``first`` is the first execution that is not
    blocked; ``violation`` that of the first error, data race, or state that refutes the condition; ``witness`` the first that an ``exists`` asks for.
    They are ``None`` if there is none.
    """

    json: dict[str, Any] = field(repr=False)
    text: str = field(repr=False)
    first: Execution | None = field(repr=False, default=None, compare=False)
    violation: Execution | None = field(repr=False, default=None, compare=False)
    witness: Execution | None = field(repr=False, default=None, compare=False)

    @property
    def model(self) -> str:
        """The name of the memory model."""
        return str(self.json["model"])

    @property
    def algorithm(self) -> str:
        """The name of the algorithm."""
        return str(self.json["algorithm"])

    @property
    def verdict(self) -> str:
        """``ok``, ``violated``, or ``bounded``: nothing is wrong, and not everything was seen."""
        return str(self.json["verdict"])

    @property
    def interrupted(self) -> str | None:
        """What ended it early, such as ``timeout`` or ``max_executions``; ``None`` if nothing did."""
        reason = self.json["interrupted"]
        return None if reason is None else str(reason)

    @property
    def complete(self) -> int:
        """How many executions are complete."""
        return int(self.json["executions"]["complete"])

    @property
    def blocked(self) -> int:
        """How many executions are blocked."""
        return int(self.json["executions"]["blocked"])

    @property
    def erroneous(self) -> int:
        """How many executions have an error or a data race."""
        return int(self.json["executions"]["erroneous"])

    @property
    def outcomes(self) -> list[dict[str, int]]:
        """The final states, sorted by their values: the values by the names of what is observed, such as ``P0:a``."""
        return [dict(outcome["state"]) for outcome in self.json["outcomes"]]

    @property
    def counts(self) -> list[int]:
        """By outcome: how many executions end so."""
        return [int(outcome["count"]) for outcome in self.json["outcomes"]]

    @property
    def holds(self) -> bool | None:
        """Whether the condition holds; ``None`` without one."""
        condition = self.json["condition"]
        return None if condition is None else bool(condition["holds"])

    @property
    def errors(self) -> list[dict[str, Any]]:
        """Errors and data races, in the order in which they were found, each with ``kind``, ``message``, ``line`` and ``column``."""
        return list(self.json["errors"])

    def __repr__(self) -> str:
        return f"<Result {self.json['program'] or 'program'} under {self.model}: {self.verdict}, {self.complete} complete>"

    @property
    def table(self) -> Table:
        """The final states as a table: a column for each name, and ``executions``, how many end so. Pandas and polars read it."""
        outcomes = self.json["outcomes"]
        names = list(outcomes[0]["state"]) if outcomes else []
        columns: dict[str, list[int | None]] = {name: [one["state"][name] for one in outcomes] for name in names}
        return Table(columns | {"executions": [one["count"] for one in outcomes]})

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text.split(chr(10) * 2, 1)[0])}</pre>{self.table._repr_html_()}"


_Graph = _engine.Graph | None


def _result(found: tuple[str, str, _Graph, _Graph, _Graph]) -> Result:
    graphs = [None if graph is None else Execution(graph) for graph in found[2:]]
    return Result(json.loads(found[0]), found[1], *graphs)


def executions(
    program: Program | str, *, model: str | None = None, algorithm: str | None = None, unroll: int | None = None
) -> Iterator[Execution]:
    """The executions of a program, each explored when it is asked for, blocked ones too.

    Raises :class:`LitmoscopeError` if the text or a choice is wrong.
    """
    return map(Execution, _engine.executions(_text(program), model, algorithm, unroll))


def explore(
    program: Program | str,
    *,
    model: str | None = None,
    algorithm: str | None = None,
    unroll: int | None = None,
    stop_at_first: bool = False,
    max_executions: int | None = None,
    timeout: float | None = None,
    threads: int | None = None,
    progress: Callable[[int], object] | bool | None = None,
    executor: Executor | None = None,
    workers: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Result:
    """Explores every execution of a program.

    ``model`` is that of the program if there is none, ``algorithm`` the fastest that counts executions without co, ``threads`` all cores.
    ``unroll`` is how often loops run before they are cut; ``timeout`` is in seconds. ``progress`` is called now and then with the number of executions so
    far; what it raises ends the exploration. ``True`` shows a bar, if ``tqdm`` is there.

    With an ``executor``, others explore: see :meth:`Exploration.run`, which has ``workers`` and ``checkpoint``, too. ``threads`` are those of each task, one
    if nothing is said.

    Takes time that can be exponential in the length of the program. Raises :class:`LitmoscopeError` if the text or a choice is wrong.
    """
    if executor is not None:
        exploration = Exploration(program, model=model, algorithm=algorithm, unroll=unroll, stop_at_first=stop_at_first)
        return exploration.run(
            executor,
            workers=workers,
            threads=1 if threads is None else threads,
            timeout=timeout,
            max_executions=max_executions,
            progress=progress,
            checkpoint=checkpoint,
        )
    for name, value in (("workers", workers), ("checkpoint", checkpoint)):
        if value is not None:
            raise LitmoscopeError(f"{name} is for explorations on an executor: name that, too, or leave {name} out")
    with _watched(progress) as told:
        found = _engine.explore(
            _text(program), model, algorithm, unroll, stop_at_first, max_executions, timeout, threads, told
        )
    return _result(found)


@contextmanager
def _watched(progress: Callable[[int], object] | bool | None) -> Iterator[Callable[[int], object] | None]:
    """What is called with the number of executions: of ``True``, a bar of tqdm, which ends with the exploration."""
    if not isinstance(progress, bool):
        yield progress
    elif not progress:
        yield None
    else:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            raise LitmoscopeError("progress=True needs tqdm: install it, or give a function") from None
        with tqdm(unit=" executions", unit_scale=True) as bar:
            yield lambda executions: bar.update(executions - bar.n)


def compare(program: Program | str, **options: Any) -> dict[str, Result]:
    """Explores a program under every model: the results by the models' names. Options are those of :func:`explore`, but for the model."""
    return {model: explore(program, model=model, **options) for model in models()}


@dataclass(frozen=True)
class Why:
    """Why a model allows an outcome or not.

    ``allowed`` is ``None`` if a bound left that open. ``text`` is an execution, or the cycles that rule out all that would end so.
    """

    allowed: bool | None
    text: str = field(repr=False)


def why_not(
    program: Program | str, outcome: str | None = None, *, model: str | None = None, timeout: float | None = None
) -> Why:
    """Says why a model allows an outcome, such as ``"P0:a=0, P1:b=0"``, or not. Without one, it is that of the program's condition."""
    return Why(*_engine.why_not(_text(program), model, outcome, timeout))


@dataclass(frozen=True)
class Repair:
    """A minimal repair.

    ``changes`` has for each changed place its ``owner``, ``line``, ``column``, ``text`` and ``what`` is done. ``program`` is the changed program.
    """

    cost: int
    changes: list[dict[str, Any]]
    program: str = field(repr=False)


@dataclass(frozen=True)
class Repairs:
    """What would forbid an outcome.

    ``verdict`` is ``found``, ``none`` (nothing forbids it), ``nothing_to_do`` (it does not happen) or ``unknown``. ``whole`` says whether these are all.
    ``json`` is what ``litmoscope repair --json`` prints.
    """

    verdict: str
    whole: bool
    repairs: list[Repair]
    json: dict[str, Any] = field(repr=False)


def repair(
    program: Program | str, forbid: str | None = None, *, model: str | None = None, timeout: float | None = None
) -> Repairs:
    """All minimal repairs of a program that rule an outcome out, the cheapest first. Without an outcome: the one that ``exists`` asks for, or else errors,
    data races and what the condition forbids.
    """
    found = json.loads(_engine.repair(_text(program), model, forbid, timeout))
    repairs = [Repair(one["cost"], one["changes"], one["program"]) for one in found["found"]]
    return Repairs(found["verdict"], found["whole"], repairs, found)


@dataclass(frozen=True)
class Verdict:
    """Whether an abstract execution is consistent under a model.

    ``verdict`` is ``consistent``, ``inconsistent`` or ``bounded``. ``json`` is what ``litmoscope verify --json`` prints.
    """

    model: str
    verdict: str
    text: str = field(repr=False)
    json: dict[str, Any] = field(repr=False)


def verify(execution: str, *, model: str | None = None) -> dict[str, Verdict]:
    """Says whether an abstract execution, as a text, is consistent: by the models' names, one or all that can be asked of it."""
    found = ((json.loads(about), text) for about, text in _engine.verify(execution, model))
    return {about["model"]: Verdict(about["model"], about["verdict"], text, about) for about, text in found}


@dataclass(frozen=True)
class Linearizability:
    """Whether a history is linearizable.

    ``verdict`` is ``linearizable``, ``not_linearizable`` or ``unknown``. ``json`` is what ``litmoscope linearize --json --explain`` prints: when operations can
    take effect, or which of them contradict each other.
    """

    verdict: str
    text: str = field(repr=False)
    json: dict[str, Any] = field(repr=False)


def linearize(text: str, *, object: str | None = None, timeout: float | None = None) -> list[Linearizability]:
    """Judges the histories of a text, in Litmoscope's notation or one of the recorders' that it reads.

    ``object`` says what the object is (``queue``, ``stack``, ``set``, ``register`` and so on), whatever the text says.
    """
    found = ((json.loads(about), words) for about, words in _engine.linearize(text, object, timeout))
    return [Linearizability(about["verdict"], words, about) for about, words in found]


@dataclass(frozen=True)
class Operation:
    """An operation of a history: who called it, what it was (``"enq 1"``), and when it was called and returned, in any unit.

    ``returned`` is ``None`` for an operation that never returned.
    """

    thread: str
    operation: str
    called: int
    returned: int | None


def check_history(
    operations: Iterable[Operation], *, object: str, timeout: float | None = None
) -> Linearizability:
    """Judges a history of an object, operation by operation. See :func:`linearize`.

    Raises :class:`LitmoscopeError` if an operation is none of the object's, or a thread calls one before its last one has returned.
    """
    lines = [f"history recorded {object}"]
    for one in operations:
        for part in (one.thread, one.operation):
            if not part or any(sign in part for sign in "\n\r[];:#"):
                raise LitmoscopeError(f"{part!r} is no name of a thread or an operation: write T1, and enq 1")
        end = "?" if one.returned is None else str(one.returned)
        lines.append(f"{one.thread}: {one.operation} [{one.called},{end}]")
    return linearize("\n".join(lines), object=object, timeout=timeout)[0]


def link(program: Program | str, *, model: str | None = None, page: str = "") -> str:
    """A link that opens a program in the page under a model; without the ``page``'s address, what follows it."""
    return page + _engine.link(_text(program), model)


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext litmoscope`` in a notebook: from then on, a cell that begins with ``%%litmus`` is explored.

    ``%%litmus found --model tso`` keeps the result as ``found`` and shows it. Options are those of :func:`explore`.
    """
    from ._notebook import load

    load(shell)

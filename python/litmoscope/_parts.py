"""Explorations in parts, that others explore."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from . import _litmoscope as _engine

if TYPE_CHECKING:
    from . import Program, Result


@dataclass(frozen=True)
class Part:
    """A part of an exploration: what was found in it, and what is left of it. It can be pickled, and explored anywhere.

    ``number`` is its place among the parts that were cut with it, from 0; ``cut`` says which cut that was. ``is_wrong`` says that an error or a data race was
    found, or an execution that is stuck for good.
    """

    number: int
    cut: int
    content: bytes = field(repr=False)
    executions: int = 0
    is_over: bool = False
    is_wrong: bool = False

    def run(self, *, timeout: float | None = None, threads: int = 1) -> Part:
        """The same part, explored to its end, or for so many seconds.

        Raises :class:`LitmoscopeError` if the part is damaged, or of another version.
        """
        return Part(self.number, self.cut, *_engine.run_part(self.content, timeout, threads))


def _run(part: Part, timeout: float | None) -> Part:
    return part.run(timeout=timeout)


class Exploration:
    """An exploration that is cut into parts, explored by others, and put together.

    The result is that of one thread, to the last position, in whatever order parts come. A part that comes again counts once.

    >>> whole = Exploration("x := 1; a := y || y := 1; b := x", model="tso")
    >>> for part in whole.parts(3):
    ...     whole.merge([part.run()])
    >>> whole.is_over, whole.result().complete
    (True, 4)

    Raises :class:`LitmoscopeError` if the text or a choice is wrong, or the exploration can't be cut into parts.
    """

    def __init__(
        self,
        program: Program | str,
        *,
        model: str | None = None,
        algorithm: str | None = None,
        unroll: int | None = None,
        stop_at_first: bool = False,
    ) -> None:
        text = program if isinstance(program, str) else program.text
        self._stop_at_first = stop_at_first
        self._whole = _engine.begin(text, model, algorithm, unroll, stop_at_first)
        self._cut = 0
        self._parts: list[Part] = []
        self._is_over = False

    def parts(self, wanted: int) -> list[Part]:
        """Cuts what is left into so many parts, or fewer if there is not as much. Parts that were cut before are no longer taken."""
        self._put_together()
        self._whole, contents = _engine.split(self._whole, wanted)
        self._cut += 1
        self._parts = [Part(number, self._cut, content) for number, content in enumerate(contents)]
        self._is_over = not contents
        return list(self._parts)

    def merge(self, parts: Iterable[Part]) -> None:
        """Takes parts that were explored. Those of an earlier cut are left out, as is what comes again with no more than before."""
        for part in parts:
            if part.cut != self._cut or not 0 <= part.number < len(self._parts):
                continue
            known = self._parts[part.number]
            if not known.is_over and (part.is_over or part.executions >= known.executions):
                self._parts[part.number] = part
        if self._parts and all(part.is_over for part in self._parts):
            self._put_together()

    def _put_together(self) -> None:
        if self._parts:
            self._whole, self._is_over = _engine.replace(self._whole, [part.content for part in self._parts])
            self._parts = []
            # What was cut before has no place any more.
            self._cut += 1

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to explore."""
        return self._is_over

    def checkpoint(self) -> bytes:
        """All that is known, as a file from which ``litmoscope explore --resume`` goes on."""
        if self._parts:
            return _engine.replace(self._whole, [part.content for part in self._parts])[0]
        return self._whole

    def result(self) -> Result:
        """What is known now. If something is left, the verdict is ``bounded`` at best."""
        from . import _result

        return _result(_engine.result(self.checkpoint()))

    def run(self, executor: Executor, *, workers: int = 2, slice: float = 1.0) -> Result:
        """Explores on an executor, such as a :class:`concurrent.futures.ProcessPoolExecutor` or that of a cluster, which has so many workers.

        Parts go out for ``slice`` seconds at a time. What is left when none is waiting is cut again, so that all workers are busy until the end. A part whose
        worker is lost is sent again. With ``stop_at_first``, no part behind one in which something is wrong is sent any more.
        """
        waiting: dict[Future[Part], Part] = {}
        losses = 0
        while not self._is_over:
            cut = self.parts(4 * workers)
            todo = list(cut)
            while todo or waiting:
                while todo and len(waiting) < 2 * workers:
                    part = todo.pop(0)
                    waiting[executor.submit(_run, part, slice)] = part
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    sent = waiting.pop(future)
                    error = future.exception()
                    if error is None:
                        part = future.result()
                        self.merge([part])
                        if part.is_wrong and self._stop_at_first:
                            todo = [other for other in todo if other.number < part.number]
                    elif isinstance(error, _engine.LitmoscopeError):
                        raise error
                    else:
                        losses += 1
                        if losses > 100:
                            raise error
                        todo.append(sent)
        return self.result()

"""Explorations in parts, that others explore."""

from __future__ import annotations

import heapq
import os
import queue
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _litmoscope as _engine

if TYPE_CHECKING:
    from . import Program, Result

#: How many parts there are to be for each worker, and beside that: fewer, and those that are explored are cut.
PARTS, MORE = 3, 4
#: For so many workers there is another task on its way while one is explored, and for an eighth of those beyond: their tasks last longer.
AHEAD = 400
#: The most parts that go out together: many are over soon, so that a task of one would not last.
TOGETHER = 8
#: The most pieces that what is left of a part is cut into at once.
PIECES = 16
#: How much of what was explored each piece is explored for.
EVEN = 32
#: How many parts there are to begin with, at most, and for how many executions each is explored.
BEGIN, EXPLORED = 4096, 1000
#: How many times shorter than others tasks are as long as there are very few parts, and the shortest, in seconds.
SHORTER, SHORTEST = 64, 0.1
#: How many times more tasks in a second than :data:`RATE` there may be for a while.
HURRY = 1.5
#: After so many bytes of what was found, a worker tells of it before it goes on.
MOST_BYTES = 1 << 20
#: How many tasks in a second who puts them together is to hear of, at most.
RATE = 200
#: After so many seconds, and many slices, a part of which nothing is heard is sent again.
PATIENCE = 10.0
#: How often a task is sent whose worker is lost, before its exploration fails.
LOSSES = 10


@dataclass(frozen=True, order=True)
class Part:
    """A part of an exploration of which nothing was explored yet. It can be pickled, and explored anywhere.

    ``place`` is where it begins in the order of the whole. ``number`` is its own among those of its :class:`Exploration`.
    """

    place: bytes = field(repr=False)
    number: int
    content: bytes = field(repr=False, compare=False)

    def run(
        self,
        *,
        timeout: float | None = None,
        max_executions: int | None = None,
        threads: int = 1,
        pieces: int = 1,
        until: Callable[[], bool] | None = None,
        even: bool = False,
    ) -> Found:
        """Explores it to its end, or for so many seconds or executions, or until ``until`` says so, which is asked twice a second.

        What is left is cut into so many pieces, or fewer if it is too small. With ``even``, each of them is explored for a while, a 32nd of the executions that
        were found before: in trees of locks most would be over at once. A part whose table of final states becomes large ends early, so that what
        was found has less than a megabyte.

        Raises :class:`LitmoscopeError` if the part is damaged, or of another version.
        """
        return Found(self.place, *_engine.run_part(self.content, timeout, threads, (pieces, even), max_executions, until))


@dataclass(frozen=True)
class Found:
    """What became of a part: what was found, and what is left of it. It can be pickled.

    ``is_wrong`` says that an error or a data race was found, or an execution that is stuck for good.
    """

    place: bytes = field(repr=False)
    content: bytes = field(repr=False)
    executions: int
    is_over: bool
    is_wrong: bool

    @property
    def left(self) -> list[Part]:
        """What is left of it, from left to right."""
        return [Part(place, number, content) for number, place, content in _engine.left_of(self.content)]


class Notice:
    """A file from which workers learn that a part does not count any more: it holds the place from which on that is so, in hexadecimal digits."""

    def __init__(self, path: str | os.PathLike[str], place: bytes = b"") -> None:
        self.path = os.fspath(path)
        self.place = place

    def at(self, place: bytes) -> Notice:
        """The same for a part."""
        return Notice(self.path, place)

    def __call__(self) -> bool:
        """Whether the part does not count."""
        try:
            first = bytes.fromhex(Path(self.path).read_text())
        except (OSError, ValueError):
            return False
        return self.place >= first

    def write(self, first: bytes) -> None:
        """Says that what begins at a place or behind it does not count."""
        with _replaced(self.path) as beside:
            Path(beside).write_text(first.hex())


@contextmanager
def _replaced(path: str) -> Iterator[str]:
    """Replaces a file as a whole, by one that is written beside it."""
    beside = f"{path}.{os.getpid()}"
    yield beside
    os.replace(beside, path)


@dataclass(frozen=True)
class Task:
    """What a worker is asked to do: parts to explore, one after the other, and for how long in all."""

    parts: tuple[Part, ...]
    slice: float
    pieces: int


def work(task: Task, threads: int, max_executions: int | None, notice: Notice | None) -> list[Found]:
    """What workers do: what became of the parts that they came to."""
    deadline = time.monotonic() + task.slice
    found: list[Found] = []
    for part in task.parts:
        left = deadline - time.monotonic()
        if found and (left <= 0 or found[-1].is_wrong or sum(len(one.content) for one in found) > MOST_BYTES):
            break
        until = None if notice is None else notice.at(part.place)
        found.append(
            part.run(
                # What is cut is even in as much time again, at most.
                timeout=max(left, 0) / (1 if task.pieces == 1 else 1 + task.pieces / EVEN),
                max_executions=max_executions,
                threads=threads,
                pieces=task.pieces,
                until=until,
                even=True,
            )
        )
    return found


class Schedule:
    """Which parts go out next, and how they are to be cut, so that all workers are busy until the end.

    It knows of each where it begins and its number. Its content is asked for when it goes out.

    Each worker begins with a short task, so that soon all know whether final states are too many to be listed. Then parts go out from left to right, several
    together where there are many. As long as there are :data:`PARTS` for each worker, what is left of one comes back as it is, and if there are fewer, sooner
    and in pieces. One that came back as it went, since a single step of it takes longer, has twice the time next.
    """

    def __init__(self, slice: float) -> None:
        self.slice = slice
        self._waiting: list[Part] = []
        # With the pieces that each may add.
        self._out: dict[int, tuple[Part, int]] = {}
        self._coming = 0
        self._longer: dict[int, int] = {}
        self._has_heard = False

    def __len__(self) -> int:
        return len(self._waiting) + len(self._out)

    def add(self, parts: Iterable[Part]) -> None:
        """Takes parts that became known."""
        for part in parts:
            heapq.heappush(self._waiting, part)

    @property
    def is_waiting(self) -> bool:
        """Whether there is something to do."""
        return bool(self._waiting)

    def tasks(self, workers: int) -> int:
        """How many tasks there are to be for so many workers."""
        ahead = min(workers, AHEAD) + max(0, workers - AHEAD) // 8
        return workers + ahead if self._has_heard else workers

    def next(self, workers: int) -> Task | None:
        """What is to be done next; ``None`` if nothing waits."""
        if not self._waiting:
            return None
        known = len(self)
        together = min(TOGETHER, max(1, known // self.tasks(workers)), len(self._waiting)) if self._has_heard else 1
        parts = tuple(heapq.heappop(self._waiting) for _ in range(together))
        # Where few are known they are to become many soon, and to be even at the end.
        enough = PARTS * workers + MORE
        share = max(min(1.0, known / enough) ** 2, 1 / SHORTER) if self._has_heard else 1 / SHORTER
        slice = min(self.slice, max(self.slice * share, min(len(self._out), workers) / (HURRY * RATE), SHORTEST))
        missing = enough - known - self._coming
        pieces = min(PIECES, 1 - (-2 * missing // known)) if missing > 0 else 1
        for number, part in enumerate(parts):
            more = 0 if number else pieces - 1
            self._out[part.number] = (part, more)
            self._coming += more
        return Task(parts, slice * 2 ** self._longer.get(parts[0].number, 0), pieces)

    def _back(self, part: Part) -> bool:
        """Whether it was out. It is not any more."""
        self._has_heard = True
        _, more = self._out.pop(part.number, (part, -1))
        self._coming -= max(more, 0)
        return more >= 0

    def came(self, part: Part) -> None:
        """What became of a part is known."""
        self._back(part)
        self._longer.pop(part.number, None)

    def stayed(self, part: Part) -> None:
        """A part came back as it went."""
        self._longer[part.number] = min(self._longer.get(part.number, 0) + 1, 20)
        self.lost(part)

    def lost(self, part: Part) -> None:
        """Nothing will become of a part that went out: it waits again."""
        if self._back(part):
            heapq.heappush(self._waiting, part)

    def keep(self, numbers: set[int]) -> None:
        """Drops all others."""
        self._waiting = [part for part in self._waiting if part.number in numbers]
        heapq.heapify(self._waiting)
        for part, _ in [out for number, out in self._out.items() if number not in numbers]:
            self._back(part)


def _count(executor: Executor) -> int:
    """How many workers an executor has, as far as that can be told."""
    client = getattr(executor, "_client", None)
    if client is not None and hasattr(client, "nthreads"):
        return max(1, sum(int(threads) for threads in client.nthreads().values()))
    workers = getattr(executor, "_max_workers", None)
    return workers if isinstance(workers, int) and workers > 0 else os.cpu_count() or 1


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
        self._ledger = _engine.Ledger.begin(text, model, algorithm, unroll, stop_at_first)

    @classmethod
    def resume(cls, checkpoint: bytes | str | os.PathLike[str]) -> Exploration:
        """Goes on from a checkpoint, as bytes or a file: one of :meth:`checkpoint`, or of ``litmoscope explore --checkpoint``.

        Raises :class:`LitmoscopeError` if it is damaged, or of another version.
        """
        content = checkpoint if isinstance(checkpoint, bytes) else Path(checkpoint).read_bytes()
        self = cls.__new__(cls)
        self._ledger = _engine.Ledger.resume(content, None)
        return self

    def parts(self, wanted: int) -> list[Part]:
        """Cuts what is left into so many parts, or fewer if there is not as much: all that is left, from left to right."""
        self._ledger.cut(wanted, 0)
        self._ledger.news()
        return self.left

    @property
    def left(self) -> list[Part]:
        """The parts that are left, from left to right."""
        return [Part(place, number, content) for number, place, content in self._ledger.left()]

    def merge(self, found: Iterable[Found]) -> None:
        """Takes what became of parts. What comes again counts once. What is left of a part may come before the part itself.

        Raises :class:`LitmoscopeError` if it is damaged, or of another exploration.
        """
        for one in found:
            self._ledger.take(one.content)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to explore."""
        return self._ledger.open == 0

    @property
    def executions(self) -> int:
        """How many executions were found so far."""
        return self._ledger.executions

    def checkpoint(self) -> bytes:
        """All that is known, as a file from which :meth:`resume` and ``litmoscope explore --resume`` go on."""
        return self._ledger.checkpoint()

    def result(self) -> Result:
        """What is known now. If something is left, the verdict is ``bounded`` at best."""
        return self._result("parts_left")

    def _result(self, reason: str) -> Result:
        from . import _result

        return _result(self._ledger.result(reason))

    def run(
        self,
        executor: Executor,
        *,
        workers: int | None = None,
        slice: float | None = None,
        threads: int = 1,
        timeout: float | None = None,
        max_executions: int | None = None,
        progress: Callable[[int], object] | bool | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        notice: str | os.PathLike[str] | None = None,
    ) -> Result:
        """Explores on an executor, such as a :class:`concurrent.futures.ProcessPoolExecutor` or that of a cluster.

        It has so many ``workers``; without that, as many as it says, or else as this machine has cores. Parts go out for ``slice`` seconds at a time: one, or
        more where there are more than 200 workers. What is left comes back in pieces where few parts wait, so that all workers are busy until the end. Each
        task uses so many ``threads``.

        A part whose worker is lost is sent again, and so is one of which nothing is heard for long. ``checkpoint`` names a file that has all that is known,
        every few seconds and at the end, from which :meth:`resume` goes on. ``timeout`` is in seconds; what is out then is waited for until its slice ends. With ``max_executions``, the executions that count are
        the first ones in the order of the whole. ``progress`` is as in :func:`explore`.

        What ends all, or with ``stop_at_first`` all that is behind the first error, reaches workers within a second by a file in a folder that they see:
        ``notice`` names it. Without it, one of this machine's is used for executors of the standard library; others end with their slice.

        Raises what tasks raise when they fail again and again, and :class:`LitmoscopeError`.
        """
        from . import _result, _watched

        if max_executions is not None:
            if max_executions < 1:
                raise _engine.LitmoscopeError("max_executions has to be 1 at least")
            self._ledger = _engine.Ledger.resume(self.checkpoint(), _piece(max_executions))
        for name, value in (("workers", workers), ("slice", slice), ("threads", threads)):
            if value is not None and not value > 0:
                raise _engine.LitmoscopeError(f"{name} is {value}: it has to be more than 0")
        if timeout is not None and not timeout >= 0:
            raise _engine.LitmoscopeError(
                f"the timeout is {timeout}: it has to be a number of seconds that is not negative"
            )
        with _watched(progress) as told, _noticed(executor, notice) as seen:
            run = _Run(self._ledger, executor, seen, workers, slice)
            run.threads = threads
            run.deadline = None if timeout is None else time.monotonic() + timeout
            run.max_executions = max_executions
            run.progress = told
            run.checkpoint = None if checkpoint is None else os.fspath(checkpoint)
            reason = run.all()
        if max_executions is not None and reason != "timeout" and self._ledger.executions >= max_executions:
            return _result(self._ledger.first(max_executions, threads, None))
        return self._result(reason)


def _piece(max_executions: int) -> int:
    """How many executions stay together: what has gone beyond the last one that counts is explored again."""
    return max(1024, max_executions // 64)


@contextmanager
def _noticed(executor: Executor, path: str | os.PathLike[str] | None) -> Iterator[Notice | None]:
    """The file that workers look at."""
    if path is not None:
        Path(path).unlink(missing_ok=True)
        yield Notice(path)
    elif type(executor).__module__.startswith("concurrent.futures"):
        with tempfile.TemporaryDirectory(prefix="litmoscope-") as folder:
            yield Notice(Path(folder) / "first")
    else:
        yield None


class _Run:
    """A run on an executor."""

    threads = 1
    deadline: float | None = None
    max_executions: int | None = None
    progress: Callable[[int], object] | None = None
    checkpoint: str | None = None

    def __init__(
        self,
        ledger: _engine.Ledger,
        executor: Executor,
        notice: Notice | None,
        workers: int | None,
        slice: float | None,
    ) -> None:
        self.ledger = ledger
        self.executor = executor
        self.notice = notice
        self.wanted = workers
        self.workers = workers or _count(executor)
        self.slice = slice
        self.schedule = Schedule(slice or max(1.0, self.workers / RATE))
        self.sent: dict[Future[list[Found]], tuple[tuple[Part, ...], float]] = {}
        self.came: queue.SimpleQueue[Future[list[Found]]] = queue.SimpleQueue()
        self.losses: dict[int, int] = {}
        self.written = self.looked = time.monotonic()
        self.write_after = 1.0
        # How long it takes to hear of a task, on the average of late.
        self.cost = 0.0

    def all(self) -> str:
        """Explores until nothing is left, or a bound is met: which."""
        try:
            self.ledger.cut(min(PARTS * self.workers + MORE, BEGIN), 0 if self.max_executions else EXPLORED)
            self.learn()
            while self.ledger.open:
                if self.deadline is not None and time.monotonic() >= self.deadline:
                    self.gather()
                    return "timeout"
                if self.max_executions is not None and self.ledger.settled > self.max_executions:
                    return "max_executions"
                self.send()
                self.hear()
                self.tell()
            return "parts_left"
        finally:
            self.end()

    def learn(self) -> None:
        """Adds to what is scheduled what became known."""
        self.schedule.add(Part(place, number, b"") for number, place in self.ledger.news())

    def send(self) -> None:
        """Keeps the workers busy."""
        while len(self.sent) < self.schedule.tasks(self.workers):
            task = self.schedule.next(self.workers)
            if task is None:
                return
            self.submit(task)

    def submit(self, task: Task) -> None:
        now = time.monotonic()
        slice = task.slice if self.deadline is None else min(task.slice, max(0.0, self.deadline - now))
        # What is known now, such as that final states are too many to be listed, was not yet when most of them were cut.
        contents = [(part, self.ledger.content(part.number)) for part in task.parts]
        parts = tuple(replace(part, content=content) for part, content in contents if content is not None)
        task = replace(task, parts=parts, slice=slice)
        piece = None if self.max_executions is None else _piece(self.max_executions)
        future = self.executor.submit(work, task, self.threads, piece, self.notice)
        self.sent[future] = (parts, now)
        future.add_done_callback(self.came.put)

    def hear(self) -> None:
        """Takes what comes, and waits a moment if nothing does."""
        wait = 0.2
        while True:
            try:
                future = self.came.get(timeout=wait)
            except queue.Empty:
                return
            wait = 0.0
            parts, _ = self.sent.pop(future, ((), 0.0))
            if parts:
                self.take(parts, future)
            if len(self.sent) < self.schedule.tasks(self.workers) and self.schedule.is_waiting:
                return

    def take(self, parts: tuple[Part, ...], future: Future[list[Found]]) -> None:
        error = CancelledError() if future.cancelled() else future.exception()
        if error is None:
            found = future.result()
            begun = time.perf_counter()
            # In their order; to others it did not come.
            for part, one in zip(parts, found):
                self.losses.pop(part.number, None)
                if self.ledger.take(one.content):
                    self.schedule.stayed(part)
                else:
                    self.schedule.came(part)
            for part in parts[len(found) :]:
                self.schedule.lost(part)
            self.learn()
            self.cost += (time.perf_counter() - begun - self.cost) / 16
            if len(self.schedule) > self.ledger.open:
                self.drop()
        elif isinstance(error, _engine.LitmoscopeError):
            raise error
        else:
            for part in parts:
                losses = self.losses[part.number] = self.losses.get(part.number, 0) + 1
                if losses > LOSSES:
                    raise error
                self.schedule.lost(part)

    def drop(self) -> None:
        """Forgets what does not count any more: what lies behind an error, or came though it was to be sent again."""
        left = self.ledger.places()
        numbers = {number for number, _ in left}
        known = [part for parts, _ in self.sent.values() for part in parts]
        self.schedule.keep(numbers)
        behind = [
            future for future, (parts, _) in self.sent.items() if all(part.number not in numbers for part in parts)
        ]
        for future in behind:
            future.cancel()
            del self.sent[future]
        # All that is left, and all that will be left of it, is before what was behind the last of it.
        gone = [part.place for part in known if part.number not in numbers and left and part.place > left[-1][1]]
        if self.notice is not None and gone:
            self.notice.write(min(gone))

    def tell(self) -> None:
        """Says how far it is, and writes it down."""
        now = time.monotonic()
        if now >= self.looked + min(1.0, PATIENCE):
            self.looked = now
            self.workers = self.wanted or _count(self.executor)
            # Who puts parts together is to have time left, however large their tables of final states are.
            self.schedule.slice = self.slice or max(1.0, self.workers / RATE, 2 * self.workers * self.cost)
            self.again(now)
            if self.progress is not None:
                self.progress(self.ledger.executions)
        if self.checkpoint is not None and now >= self.written + self.write_after:
            self.write()

    def again(self, now: float) -> None:
        """Sends parts again of which nothing was heard for long, if workers may have nothing to do."""
        if len(self.schedule) >= self.workers:
            return
        late = now - PATIENCE * (1 + self.schedule.slice)
        for parts, sent in list(self.sent.values()):
            if sent < late:
                for part in parts:
                    self.schedule.lost(part)

    def write(self) -> None:
        if self.checkpoint is None:
            return
        begun = time.monotonic()
        with _replaced(self.checkpoint) as beside:
            self.ledger.write(beside)
        self.written = time.monotonic()
        # It is not to take more than a twentieth of the time.
        self.write_after = max(1.0, 20 * (self.written - begun))

    def gather(self) -> None:
        """Takes what comes back when the time is over: at the end of its slice, or sooner by the notice."""
        if self.notice is not None:
            self.notice.write(b"")
        last = time.monotonic() + self.schedule.slice + 1
        while self.sent and time.monotonic() < last:
            for future in [future for future in self.sent if future.cancel()]:
                del self.sent[future]
            self.hear()

    def end(self) -> None:
        """Nothing that is out counts any more."""
        if self.sent and self.notice is not None:
            self.notice.write(b"")
        for future in self.sent:
            future.cancel()
        self.sent.clear()
        self.write()
        if self.progress is not None:
            self.progress(self.ledger.executions)

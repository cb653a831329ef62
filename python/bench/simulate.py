"""How busy workers stay that are not there: a run of 10,000 of them, simulated.

    python simulate.py [--workers N] [--minutes M] [PROGRAM...]

Parts are cut, explored and put together as in a run on an executor, by the same schedule; but the time is simulated. A worker is as fast as makes the run last
so many minutes, were all of them busy: it explores a few executions in a second, and what a task costs beside that (reading a part, going to it, cutting what is
left, writing) is measured and added. So sizes and unevenness of parts are those of the program's own tree. Each task is late by the time that it takes to reach
a worker and to come back.

Prints for each program how busy the workers were, how many tasks there were, how busy whoever puts parts together was, and how large that process became.
"""

from __future__ import annotations

import argparse
import heapq
import resource
import time
from pathlib import Path

import litmoscope
from litmoscope import _litmoscope as engine
from litmoscope._parts import PARTS, RATE, TASKS, Part, Schedule, Task

PUBLIC = Path(__file__).parents[2] / "public"
#: How long a task is on its way, there and back together, in seconds.
LATENCY = 0.02


def lock(threads: int, rounds: int) -> str:
    """A ticket lock, which each thread takes some times."""

    def once(n: int, r: int) -> str:
        return f"t{n}{r} := fai(tickets); assume acq serving = t{n}{r}; d{n}{r} := x; x := d{n}{r} + 1; serving :=rel t{n}{r} + 1"

    return " || ".join("; ".join(once(n, r) for r in range(rounds)) for n in range(threads))


def stack(threads: int) -> str:
    """A stack as Treiber's, whose threads push and pop once, and try again once."""

    def one(n: int) -> str:
        push = f"t{n} := top; next[{n}] := t{n}; s{n} := cas(top, t{n}, {n}, rel)"
        again = f"if s{n} != t{n} {{ u{n} := top; next[{n}] := u{n}; v{n} := cas(top, u{n}, {n}, rel) }}"
        return f"{push}; {again}; h{n} := acq top; if h{n} != 0 {{ m{n} := next[h{n}]; p{n} := cas(top, h{n}, m{n}, acq) }}"

    return f"shared top, next[{threads + 1}]\n" + " || ".join(one(n) for n in range(1, threads + 1))


def ring(threads: int) -> str:
    """Each thread writes its own location twice and reads those of the next two."""
    return " || ".join(
        f"x{n} := 1; a{n} := x{(n + 1) % threads}; x{n} := 2; b{n} := x{(n + 2) % threads}; c{n} := x{(n + 1) % threads}"
        for n in range(threads)
    )


#: By name: text, model, algorithm.
PROGRAMS: dict[str, tuple[str, str, str]] = {
    "four writers and a reader": (
        " || ".join([*(f"x := {n}; a{n} := y; y := {n}; z := {n}" for n in range(1, 5)), "e := z; f := y; g := x"]),
        "rc11",
        "trust_co",
    ),
    "a ring of seven": (ring(7), "sc", "trust_co"),
    "a long thread beside short ones": (
        "x := 1; x := 2; x := 3; x := 4; x := 5; x := 6; x := 7; a := y || b := x; c := x; d := x; y := 1; e := y; f := x"
        " || y := 2; g := x; h := y; y := 3; i := x; j := y || y := 4; k := y; l := x; m := x",
        "ra",
        "trust_co",
    ),
    "a ticket lock": (lock(4, 3), "rc11", "trust_co"),
    "a stack": (stack(4), "rc11", "trust_co"),
}


def simulate(name: str, workers: int, minutes: float) -> None:
    text, model, algorithm = PROGRAMS[name]
    whole = litmoscope.explore(text, model=model, algorithm=algorithm)
    total = whole.complete + whole.blocked + whole.erroneous
    rate = total / (workers * minutes * 60)
    slice = max(1.0, workers / RATE)
    schedule = Schedule(slice)
    ledger = engine.Ledger.begin(text, model, algorithm, None, False)
    driver = -time.process_time()
    ledger.cut(min(PARTS * workers, 256))
    schedule.add(Part(place, number, content) for number, place, content in ledger.news())
    driver += time.process_time()
    # When workers are free, and what comes back: when, in which order, of which part.
    free = [0.0] * workers
    coming: list[tuple[float, int, Part, bytes]] = []
    now = busy = over = 0.0
    tasks = 0
    most = 0

    def send(task: Task) -> None:
        nonlocal busy, tasks, over
        begin = max(now, heapq.heappop(free)) + LATENCY
        wanted = max(1, round(task.slice * rate))
        before = time.process_time()
        found = task.part.run(max_executions=wanted, pieces=task.pieces)
        cost = time.process_time() - before
        takes = found.executions / rate + cost
        busy += found.executions / rate
        over += cost
        tasks += 1
        heapq.heappush(free, begin + takes)
        heapq.heappush(coming, (begin + takes + LATENCY, tasks, task.part, found.content))

    while ledger.open:
        while len(coming) < TASKS * workers:
            task = schedule.next(workers)
            if task is None:
                break
            send(task)
        now, _, part, content = heapq.heappop(coming)
        driver -= time.process_time()
        schedule.came(part)
        ledger.take(content)
        schedule.add(Part(place, number, content) for number, place, content in ledger.news())
        driver += time.process_time()
        most = max(most, ledger.open)
    assert ledger.executions == total, (ledger.executions, total)
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{name}: {total:,} executions, {now / 60:.1f} minutes, workers busy {100 * busy / (workers * now):.1f} %,"
        f" {tasks:,} tasks, {1000 * over / tasks:.1f} ms each, up to {most:,} parts, driver busy {100 * driver / now:.1f} %,"
        f" {size:.0f} MB",
        flush=True,
    )


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--workers", type=int, default=10_000)
    options.add_argument("--minutes", type=float, default=30)
    options.add_argument("program", nargs="*", choices=[*PROGRAMS, []])
    chosen = options.parse_args()
    for name in chosen.program or PROGRAMS:
        simulate(name, chosen.workers, chosen.minutes)


if __name__ == "__main__":
    main()

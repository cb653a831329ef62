"""How busy workers stay that are not there: a run of 10,000 of them, simulated from recorded sizes of parts.

    python simulate.py [--workers N] [--minutes M] [PROGRAM...]

What is recorded of a program, with its own engine: how large each of the parts is that a run begins with, all of them explored to their end; and how large the
pieces are that are left of a part of which some was explored, for parts of many sizes. What it costs to put parts together is measured, and what one process
needs for as many parts as there are at most: so many are cut.

What is simulated is the time: the schedule is that of a run on an executor, a worker explores so many executions in a second that the run takes so many minutes, were
all of them busy, and a part that is cut becomes pieces as large as those of a part that was recorded.

Prints for each program how busy the workers were, how many tasks there were, how busy whoever puts parts together was, and how large that process became.
"""

from __future__ import annotations

import argparse
import heapq
import math
import random
import tempfile
import time
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path

from litmoscope import Exploration
from litmoscope import _litmoscope as engine
from litmoscope._parts import BEGIN, EVEN, EXPLORED, PARTS, PIECES, RATE, Part, Schedule, Task

#: How long a task is on its way, there and back together, in seconds.
LATENCY = 0.02
#: What an executor takes of the time of whoever sends a task, in seconds: as much as a scheduler on another machine takes.
SUBMIT = 0.001
#: How many parts are recorded of which some is explored, and how many executions they have.
RECORDED, LEAST, MOST = 40, 3_200, 2_000_000
#: What part of them is explored before what is left is cut.
SHARES = (2, 8, 32, 128)


def lock(*rounds: int) -> str:
    """A ticket lock, which each thread takes so many times."""

    def once(n: int, r: int) -> str:
        return f"t{n}{r} := fai(tickets); assume acq serving = t{n}{r}; d{n}{r} := x; x := d{n}{r} + 1; serving :=rel t{n}{r} + 1"

    return " || ".join("; ".join(once(n, r) for r in range(times)) for n, times in enumerate(rounds))


def stack(threads: int) -> str:
    """A stack as Treiber's, whose threads push, with a second try, and pop once."""

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


#: By name: text, model, executions. All are explored with co.
PROGRAMS: dict[str, tuple[str, str, int]] = {
    "four writers and a reader": (
        " || ".join([*(f"x := {n}; a{n} := y; y := {n}; z := {n}" for n in range(1, 5)), "e := z; f := y; g := x; h := x; i := y"]),
        "rc11",
        373_248_000,
    ),
    "a ring of eight": (ring(8), "sc", 800_049_211),
    "a long thread beside short ones": (
        "x := 1; x := 2; x := 3; x := 4; x := 5; x := 6; x := 7; a := y || b := x; c := x; d := x; y := 1; e := y; f := x"
        " || y := 2; g := x; h := y; y := 3; i := x; j := y || y := 4; k := y; l := x; m := x",
        "ra",
        216_896_955,
    ),
    "a ticket lock": (lock(4, 4, 3, 3), "rc11", 214_978_364),
    "a stack": (f"{stack(4)} || a := top; b := top; c := top", "rc11", 1_114_042_768),
}


@dataclass
class Pieces:
    """What a part became: how many executions were explored, for each that was to be, and how what is left is shared."""

    explored: float
    shares: list[float]


@dataclass
class Recorded:
    """What is known of a program."""

    #: How many executions the parts have that a run begins with.
    sizes: list[int] = field(default_factory=list)
    #: By what was explored, and into how many pieces it was cut.
    pieces: dict[tuple[int, int], list[Pieces]] = field(default_factory=dict)
    #: In seconds: to begin; to take what was found; to learn of a part and to pack it; and for a worker to begin with a part and to cut it.
    begin: float = 0
    take: float = 0
    learn: float = 0
    work: float = 0


def size(part: Part) -> int:
    return part.run().executions


def record(name: str) -> Recorded:
    text, model, total = PROGRAMS[name]
    found = Recorded()
    whole = Exploration(text, model=model, algorithm="trust_co")
    before = time.process_time()
    whole._ledger.cut(BEGIN, EXPLORED)
    found.begin = time.process_time() - before
    parts = whole.left
    begun = whole.executions
    found.sizes = [size(part) for part in parts]
    assert begun + sum(found.sizes) == total, (begun, sum(found.sizes), total)
    chance = random.Random(1)
    fit = [(part, all) for part, all in zip(parts, found.sizes) if LEAST <= all <= MOST]
    for part, all in chance.sample(fit, min(RECORDED, len(fit))):
        for share in SHARES:
            for pieces in (4, PIECES):
                wanted = all // share
                if wanted < EVEN:
                    continue
                one = part.run(max_executions=wanted, pieces=pieces, even=True)
                left = [size(rest) for rest in one.left]
                if left:
                    told = Pieces(one.executions / wanted, [rest / sum(left) for rest in left])
                    found.pieces.setdefault((share, pieces), []).append(told)
    before = time.process_time()
    came = [part.run(max_executions=EXPLORED, pieces=PIECES, even=True) for part in parts[:200]]
    found.work = (time.process_time() - before) / len(came)
    before = time.process_time()
    whole.merge(came)
    found.take = (time.process_time() - before) / len(came)
    before = time.process_time()
    news = whole._ledger.news()
    for number, _ in news:
        whole._ledger.content(number)
    found.learn = (time.process_time() - before) / max(1, len(news))
    return found


def cut(found: Recorded, all: float, explored: float, pieces: int, chance: random.Random) -> tuple[float, list[float]]:
    """How much of a part is explored, and what is left, as of one that was recorded."""
    if pieces == 1:
        return explored, [all - explored]
    like = (abs(math.log(all / explored / share)) for share in SHARES)
    share = min(zip(like, SHARES))[1]
    told = chance.choice(found.pieces.get((share, 4 if pieces < 8 else PIECES)) or [Pieces(1, [1])])
    explored = min(all, explored * told.explored)
    return explored, [(all - explored) * share for share in told.shares]


def simulate(name: str, workers: int, minutes: float) -> None:
    total = PROGRAMS[name][2]
    found = record(name)
    chance = random.Random(1)
    rate = total / (workers * minutes * 60)
    schedule = Schedule(max(1.0, workers / RATE))
    sizes: dict[int, float] = {}
    numbers = 0

    def learn(place: bytes, all: list[float]) -> None:
        nonlocal numbers
        for at, one in enumerate(all):
            numbers += 1
            sizes[numbers] = one
            schedule.add([Part(place + at.to_bytes(2, "big"), numbers, b"")])

    # What comes back: when, in which order, of which parts, and what is left of each that was explored.
    coming: list[tuple[float, int, tuple[Part, ...], list[list[float]]]] = []
    free = [0.0] * workers
    # What time it is for whoever puts parts together, who does one thing after the other; and how much of it was work.
    now = driver = found.begin
    busy = 0.0
    tasks = most = 0

    def send(task: Task) -> None:
        nonlocal busy, tasks
        begin = max(now + LATENCY / 2, heapq.heappop(free))
        left, explored, became = task.slice * rate, 0.0, []
        for part in task.parts:
            all = sizes[part.number]
            wanted = left / (1 + (task.pieces > 1) * task.pieces / EVEN)
            if all <= wanted:
                became.append([])
                explored += all
                left -= all
                continue
            done, rest = cut(found, all, wanted, task.pieces, chance)
            became.append([one for one in rest if one > 0])
            explored += done
            break
        took = explored / rate
        busy += took
        tasks += 1
        heapq.heappush(free, begin + took + found.work)
        heapq.heappush(coming, (begin + took + found.work + LATENCY / 2, tasks, task.parts, became))

    def drive(took: float) -> None:
        nonlocal now, driver
        now += took
        driver += took

    learn(b"", [float(one) for one in found.sizes if one])
    drive(found.learn * len(sizes))
    while sizes:
        while len(coming) < schedule.tasks(workers):
            task = schedule.next(workers)
            if task is None:
                break
            drive(SUBMIT)
            send(task)
        when, _, parts, became = heapq.heappop(coming)
        now = max(now, when)
        for part, rest in zip(parts, became):
            schedule.came(part)
            del sizes[part.number]
            learn(part.place, rest)
            drive(found.take + found.learn * len(rest))
        for part in parts[len(became) :]:
            schedule.lost(part)
        most = max(most, len(sizes))
    # In a process of its own, since this one was a worker as well.
    with get_context("spawn").Pool(1) as pool:
        megabytes = pool.apply(room, (name, most))
    print(
        f"{name}: {now / 60:.1f} minutes, workers busy {100 * busy / (workers * now):.1f} %, {tasks:,} tasks,"
        f" up to {most:,} parts, driver busy {100 * driver / now:.1f} %, {megabytes:.0f} MB",
        flush=True,
    )


def room(name: str, most: int) -> float:
    """How many megabytes a process needs that knows so many parts, and writes a checkpoint."""
    text, model, _ = PROGRAMS[name]
    ledger = engine.Ledger.begin(text, model, "trust_co", None, False)
    ledger.cut(BEGIN, 0)
    known: list[Part] = []
    while ledger.open < most:
        known += [Part(place, number, b"") for number, place in ledger.news()]
        kept: list[Part] = []
        for at, part in enumerate(known):
            if ledger.open >= most:
                kept += known[at:]
                break
            part = replace(part, content=ledger.content(part.number) or b"")
            ledger.take(part.run(max_executions=EXPLORED, pieces=PIECES, even=True).content)
        known = kept
    known += [Part(place, number, b"") for number, place in ledger.news()]
    with tempfile.TemporaryDirectory() as folder:
        ledger.write(f"{folder}/checkpoint")
    # What `getrusage` tells is at least the peak of the process that began this one.
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--workers", type=int, default=10_000)
    options.add_argument("--minutes", type=float, default=60)
    options.add_argument("program", nargs="*", choices=[*PROGRAMS, []])
    chosen = options.parse_args()
    for name in chosen.program or PROGRAMS:
        simulate(name, chosen.workers, chosen.minutes)


if __name__ == "__main__":
    main()

"""What two processes take of one thread's time, on a program of more than 10^8 executions: side by side, five times.

    python processes.py [--rounds N]

Prints the medians of the times, of their ratio, and of how much more processor time the processes took, all from the start of the exploration to its result; the
pool is there before.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from concurrent.futures import ProcessPoolExecutor

import litmoscope

TEXT = " || ".join([*(f"x := {n}; a{n} := y; y := {n}; z := {n}" for n in range(1, 5)), "e := z; f := y; g := x; h := x"])


def spent() -> float:
    """Processor time of this process and of its children that have ended."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, whose))


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=5)
    rounds = options.parse_args().rounds
    alone, shared, ratios, more = [], [], [], []
    for _ in range(rounds):
        begun, before = time.perf_counter(), spent()
        one = litmoscope.explore(TEXT, threads=1, model="rc11", algorithm="trust_co")
        took, cost = time.perf_counter() - begun, spent() - before
        before = spent()
        with ProcessPoolExecutor(2) as executor:
            list(executor.map(abs, range(4)))
            begun = time.perf_counter()
            two = litmoscope.explore(TEXT, executor=executor, model="rc11", algorithm="trust_co")
            took_two = time.perf_counter() - begun
        cost_two = spent() - before
        assert one.complete == two.complete
        alone.append(took)
        shared.append(took_two)
        ratios.append(took_two / took)
        more.append(cost_two / cost - 1)
    median = statistics.median
    print(
        f"{one.complete:,} executions: one thread {median(alone):.2f} s, two processes {median(shared):.2f} s, ratio {median(ratios):.3f}"
        f" ({min(ratios):.3f} to {max(ratios):.3f}), processor time {100 * median(more):+.1f} % ({100 * min(more):+.1f} to {100 * max(more):+.1f})"
    )


if __name__ == "__main__":
    main()

"""What two processes take of one thread's time, on a program of more than 10^8 executions: side by side, five times.

    python processes.py [--rounds N]

Prints the medians of the times, from the start of the exploration to its result, and of their ratio. Then how much more processor time it takes to explore in parts: that
of the processes, and of whoever puts parts together, against one of two explorations of the whole that run beside each other, each on one thread of them: so the
machine is as busy.
"""

from __future__ import annotations

import argparse
import statistics
import time
from concurrent.futures import ProcessPoolExecutor

import litmoscope

TEXT = " || ".join([*(f"x := {n}; a{n} := y; y := {n}; z := {n}" for n in range(1, 5)), "e := z; f := y; g := x; h := x"])


def whole(_: object = None) -> float:
    """Explores all of it on one thread: what processor time that takes."""
    before = time.process_time()
    litmoscope.explore(TEXT, threads=1, model="rc11", algorithm="trust_co")
    return time.process_time() - before


def spent(_: object = None) -> float:
    """The processor time of this process so far. It takes a moment, so that another one has to answer, too."""
    time.sleep(0.5)
    return time.process_time()


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=5)
    rounds = options.parse_args().rounds
    alone, shared, ratios, more = [], [], [], []
    for _ in range(rounds):
        begun = time.perf_counter()
        one = litmoscope.explore(TEXT, threads=1, model="rc11", algorithm="trust_co")
        took = time.perf_counter() - begun
        with ProcessPoolExecutor(2) as executor:
            cost = statistics.mean(executor.map(whole, range(2)))
            before = time.process_time() + sum(executor.map(spent, range(2)))
            begun = time.perf_counter()
            two = litmoscope.explore(TEXT, executor=executor, model="rc11", algorithm="trust_co")
            took_two = time.perf_counter() - begun
            cost_two = time.process_time() + sum(executor.map(spent, range(2))) - before
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

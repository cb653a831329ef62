"""The package as its users have it: installed from a wheel."""

import importlib
import os
import pickle
import random
import signal
import sys
import threading
import time
from base64 import b64encode
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import litmoscope
from litmoscope import Exploration, Found, LitmoscopeError, Part, Steps
from litmoscope import _parts
from litmoscope._parts import Notice, Schedule, Task

PUBLIC = Path(__file__).parents[2] / "public"
SB = "name SB\nx := 1; a := y || y := 1; b := x\nexists (P0:a = 0 /\\ P1:b = 0)"
THREE = (
    "name Three\nx := 1; a := y; y := 1; b := z || y := 2; c := z; z := 1; d := x || z := 2; e := x; x := 2; f := y\n"
    "exists (a = 0 /\\ c = 0 /\\ e = 0)"
)
LARGE = (
    "name Large\n" + " || ".join([*(f"x := {n}; a{n} := y; y := {n}; z := {n}" for n in range(1, 5)), "e := z; f := y"])
    + "\nexists (P0:a1 = 9)"
)
HUGE = " || ".join(f"x := {n}; r := y; y := {n}; s := x; z := {n}" for n in range(1, 8))


def public(name: str) -> str:
    return (PUBLIC / name).read_text()


@pytest.mark.parametrize(
    ("file", "model", "complete", "holds"),
    [
        ("sb.lit", "sc", 3, False),
        ("sb.lit", "tso", 4, True),
        ("mp.lit", "rc11", 4, True),
        ("iriw.lit", "ra", 16, True),
        ("spinlock.lit", "rc11", 2, False),
    ],
)
def test_counts_are_those_of_the_command_line(file: str, model: str, complete: int, holds: bool) -> None:
    result = litmoscope.explore(public(file), model=model)
    assert (result.complete, result.holds, result.verdict) == (complete, holds, "ok")
    assert sum(result.counts) == complete
    assert result.text.splitlines()[0].startswith(str(result.json["program"]))


def test_a_program_says_its_name_and_model() -> None:
    sb = litmoscope.parse(public("sb.lit"))
    assert (sb.name, sb.model) == ("SB", "tso")
    assert litmoscope.parse(public("mp-c11.litmus")).model == "rc11"
    assert litmoscope.explore(sb).model == "tso"
    assert {"P0:a": 0, "P1:b": 0} in litmoscope.explore(sb).outcomes


def test_models_are_compared() -> None:
    results = litmoscope.compare(SB)
    assert list(results) == list(litmoscope.models())
    assert (results["sc"].complete, results["tso"].complete) == (3, 4)
    assert litmoscope.models()["rc11"] == "RC11"
    assert "trust_co" in litmoscope.algorithms()


def test_why_and_what_would_forbid_it() -> None:
    assert litmoscope.why_not(SB, model="sc").allowed is False
    why = litmoscope.why_not(SB, "P0:a=0, P1:b=0", model="tso")
    assert why.allowed is True
    repairs = litmoscope.repair(SB, model="tso")
    assert (repairs.verdict, repairs.whole, len(repairs.repairs)) == ("found", True, 4)
    assert litmoscope.repair(repairs.repairs[0].program, model="tso").verdict == "nothing_to_do"
    assert litmoscope.repair(SB, "P0:a=1, P1:b=1", model="sc").verdict == "none"


def test_repairs_end_in_time_with_what_is_known() -> None:
    text = (PUBLIC / "repair" / "chase-lev.lit").read_text()
    assert len(litmoscope.repair(text).repairs) == 128
    assert not litmoscope.repair(text, timeout=0).whole


def test_executions_come_one_after_the_other() -> None:
    all_of = list(litmoscope.executions(SB, model="tso"))
    assert [execution.kind for execution in all_of] == ["complete"] * 4
    weak = litmoscope.explore(SB, model="tso").witness
    assert weak is not None and weak.kind == "witness"
    names = [event["name"] for event in weak.events]
    labels = [event["label"] for event in weak.events]
    assert names == ["init x", "init y", "P0.1", "P0.2", "P1.1", "P1.2"]
    assert labels[2:] == ["W(x,1)", "R(y,0)", "W(y,1)", "R(x,0)"]
    assert weak.relations["po"] == [(2, 3), (4, 5)]
    assert sorted(weak.relations["rf"]) == [(0, 5), (1, 3)]
    assert sorted(weak.relations["co"]) == [(0, 2), (1, 4)]
    assert sorted(weak.relations["fr"]) == [(3, 4), (5, 2)]
    assert "rf: " in weak.text and weak.svg("dark").startswith("<svg") and weak.svg() != weak.svg("dark")
    with pytest.raises(LitmoscopeError, match="no theme"):
        weak.svg("pink")
    # Nobody waits for those that are not asked for.
    assert next(litmoscope.executions(HUGE, model="rc11")).kind == "complete"
    assert litmoscope.explore(SB, model="sc").witness is None


def test_relations_are_matrices_and_graphs() -> None:
    numpy = pytest.importorskip("numpy")
    networkx = pytest.importorskip("networkx")
    weak = litmoscope.explore(SB, model="tso").witness
    assert weak is not None
    fr, po = weak.matrix("fr"), weak.matrix("po")
    assert fr.dtype == numpy.bool_ and fr.shape == (6, 6) and fr.sum() == 2
    # po and fr make the cycle.
    assert numpy.linalg.matrix_power((po | fr).astype(int), 4).diagonal()[2] > 0
    graph = weak.networkx()
    assert isinstance(graph, networkx.MultiDiGraph) and graph.nodes["P0.1"]["label"] == "W(x,1)"
    assert {edge["relation"] for edge in graph.get_edge_data("P0.2", "P1.1").values()} == {"fr"}
    with pytest.raises(KeyError):
        weak.matrix("nothing")


def test_executions_as_texts_are_verified() -> None:
    verdicts = litmoscope.verify((PUBLIC / "executions" / "mp.exec").read_text())
    assert (verdicts["ra"].verdict, verdicts["pso"].verdict) == ("inconsistent", "consistent")
    one = litmoscope.verify((PUBLIC / "executions" / "mp.exec").read_text(), model="ra")
    assert list(one) == ["ra"] and one["ra"].json["sentence"] in one["ra"].text
    with pytest.raises(LitmoscopeError):
        litmoscope.verify("x :=")


def test_histories_are_judged() -> None:
    def history(*operations: tuple[str, str, int, int | None]) -> litmoscope.Linearizability:
        return litmoscope.check_history((litmoscope.Operation(*one) for one in operations), object="queue")

    good = history(("T1", "enq 1", 0, 3), ("T2", "enq 2", 1, 4), ("T1", "deq 2", 5, 6), ("T2", "deq 1", 7, None))
    assert good.verdict == "linearizable" and good.json["pending"] == 1
    bad = history(("T1", "enq 1", 0, 1), ("T1", "enq 2", 2, 3), ("T2", "deq 2", 4, 5), ("T2", "deq 1", 6, 7))
    assert bad.verdict == "not_linearizable" and "violation" in bad.json
    text = "history h stack\nT1: push 1 [0,1]; pop 1 [2,3]"
    assert [one.verdict for one in litmoscope.linearize(text)] == ["linearizable"]
    for wrong in [("T1", "fly 1", 0, 1), ("T1", "enq 1 [0,1]\nT2: enq 2", 0, 1), ("", "enq 1", 0, 1), ("T1", "enq 1", 3, 1)]:
        with pytest.raises(LitmoscopeError):
            history(wrong)
    with pytest.raises(LitmoscopeError, match="there is no object"):
        litmoscope.linearize(text, object="box")
    with pytest.raises(LitmoscopeError):
        litmoscope.linearize("T1: push 1")


def test_links_lead_to_the_page() -> None:
    assert litmoscope.link(SB, model="tso", page="https://example.org/").startswith("https://example.org/#")


def test_what_is_wrong_has_a_place(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(LitmoscopeError) as wrong:
        litmoscope.parse("x := 1\ny := := 2")
    assert (wrong.value.line, wrong.value.column) == (2, 6)
    assert "^" in str(wrong.value) and wrong.value.message in str(wrong.value)
    calls: list[Any] = [
        lambda: litmoscope.explore(SB, model="vax"),
        lambda: litmoscope.explore(SB, algorithm="none"),
        lambda: litmoscope.explore(SB, model="tso", algorithm="rvf_smc"),
        lambda: litmoscope.why_not("x := 1"),
        lambda: litmoscope.repair(SB, "nobody=0"),
        lambda: Exploration(SB, algorithm="genmc"),
        lambda: litmoscope.explore(SB, threads=0),
        lambda: litmoscope.explore(SB, max_executions=0),
        lambda: litmoscope.explore(SB, timeout=-1),
        lambda: litmoscope.explore(SB, algorithm="genmc", timeout=float("nan")),
        lambda: litmoscope.explore(SB, unroll=0),
        lambda: Exploration(SB).parts(0),
        lambda: Part(b"", 0, b"nothing").run(),
        lambda: litmoscope.explore(SB, workers=2),
        lambda: Exploration.resume(b"nothing"),
    ]
    for call in calls:
        with pytest.raises(LitmoscopeError):
            call()
    # Nothing prints.
    assert capfd.readouterr() == ("", "")


def test_bounds_are_said() -> None:
    few = litmoscope.explore(THREE, model="rc11", max_executions=3)
    assert (few.verdict, few.interrupted, few.complete) == ("bounded", "max_executions", 3)
    short = litmoscope.explore(HUGE, model="rc11", timeout=0.05)
    assert (short.verdict, short.interrupted) == ("bounded", "timeout")
    assert litmoscope.why_not(HUGE, "x=1, y=2, z=9", model="rc11", timeout=0.05).allowed is None


@pytest.mark.parametrize(
    "ask",
    [
        lambda: litmoscope.explore(HUGE, model="rc11", algorithm="trust_co", timeout=60),
        lambda: litmoscope.why_not(HUGE, "x=1, y=2, z=9", model="rc11", timeout=60),
    ],
)
def test_ctrl_c_ends_it(ask: Callable[[], object]) -> None:
    # Who is started in the background by a shell does not hear it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            ask()
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)


def test_others_run_meanwhile_and_hear_of_it() -> None:
    seen: list[int] = []

    class Enough(Exception):
        pass

    def progress(executions: int) -> None:
        seen.append(executions)
        if len(seen) > 2:
            raise Enough

    with pytest.raises(Enough):
        litmoscope.explore(HUGE, model="rc11", algorithm="trust_co", progress=progress, timeout=60)
    assert len(seen) == 3 and seen == sorted(seen)


def told(result: litmoscope.Result) -> dict[str, Any]:
    return {name: value for name, value in result.json.items() if name not in ("seconds", "estimate")}


@pytest.mark.parametrize("algorithm", ["trust", "trust_co"])
@pytest.mark.parametrize("model", list(litmoscope.models()))
def test_parts_in_any_order_are_the_whole(model: str, algorithm: str) -> None:
    chance = random.Random(f"{model} {algorithm}")
    for text in (SB, THREE, public("peterson.lit"), public("race.lit")):
        for stop_at_first in (False, True):
            how: dict[str, Any] = {"model": model, "algorithm": algorithm, "stop_at_first": stop_at_first}
            alone = litmoscope.explore(text, threads=1, **how)
            whole = Exploration(text, **how)
            known: list[Part] = []
            found: list[Found] = []
            while not whole.is_over:
                if chance.random() < 0.3:
                    whole.parts(chance.randint(1, 9))
                if whole.is_over:
                    break
                known = [*known[-20:], *whole.left]
                # Some are lost, some come twice, some before those that they were cut off, all as bytes.
                bounds: dict[str, Any] = chance.choice([{}, {"max_executions": chance.randint(1, 9)}, {"pieces": 3, "max_executions": 2}])
                one = pickle.loads(pickle.dumps(chance.choice(known))).run(**bounds)
                known += one.left
                found = [*found[-20:], pickle.loads(pickle.dumps(one))]
                whole.merge(chance.sample(found, chance.randint(0, len(found))))
            assert told(whole.result()) == told(alone), (model, algorithm, text)


class Unreliable(Executor):
    """Takes tasks in any order, does some twice and some late, loses some and says so, and forgets others."""

    def __init__(self, seed: object = 1) -> None:
        self.chance = random.Random(str(seed))
        self.tasks: list[tuple[Future[Any], Any, Any]] = []
        self.ready = threading.Condition()
        self.over = False
        # Whoever forgets it does not wait for it.
        self.worker = threading.Thread(target=self.work, daemon=True)
        self.worker.start()

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        with self.ready:
            # As a network has it.
            self.tasks.append((future, fn, pickle.dumps(args)))
            self.ready.notify()
        return future

    def work(self) -> None:
        while True:
            with self.ready:
                self.ready.wait_for(lambda: self.tasks or self.over)
                if self.over:
                    return
                future, fn, args = self.tasks.pop(self.chance.randrange(len(self.tasks)))
            if not future.set_running_or_notify_cancel():
                continue
            fate = self.chance.random()
            if fate < 0.15:
                future.set_exception(ConnectionError("the worker is gone"))
            elif fate > 0.02:
                for _ in range(self.chance.randint(1, 2)):
                    found = fn(*pickle.loads(args))
                time.sleep(self.chance.choice([0, 0, 0, 0.001]))
                future.set_result(pickle.loads(pickle.dumps(found)))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self.ready:
            self.over = True
            self.ready.notify()
        self.worker.join()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is forgotten is missed soon."""
    monkeypatch.setattr(litmoscope._parts, "PATIENCE", 0.3)


def test_executors_may_lose_tasks(tmp_path: Path) -> None:
    how: dict[str, Any] = {"model": "rc11", "algorithm": "trust_co"}
    alone = litmoscope.explore(THREE, **how)
    with Unreliable() as executor:
        found = litmoscope.explore(THREE, executor=executor, workers=3, checkpoint=tmp_path / "all", **how)
    assert told(found) == told(alone)
    assert told(Exploration.resume(tmp_path / "all").result()) == told(alone)
    # What is written bit by bit is what is written at once.
    parts = Exploration(THREE, **how)
    parts.merge(part.run(max_executions=3, pieces=2) for part in parts.parts(5)[1:4])
    parts._ledger.write(str(tmp_path / "some"))
    assert (tmp_path / "some").read_bytes() == parts.checkpoint()


def random_program(chance: random.Random) -> str:
    """Writes, reads, updates, fences and branches, with modes."""

    def mode(*modes: str) -> str:
        return chance.choice(["", "", *modes])

    def statement(thread: int, at: int) -> str:
        place, value, register = chance.choice("xyz"), chance.randint(1, 2), f"r{thread}{at}"
        return chance.choice(
            [
                f"{place} :={mode('rel', 'sc')} {value}",
                f"{place} :={mode('rel', 'na')} {value}",
                f"{register} :={mode('acq', 'sc')} {place}",
                f"{register} := {place}; if {register} = {value} {{ {chance.choice('xyz')} := {value + 1} }}",
                f"{register} := fai({place})",
                f"{register} := cas({place}, 0, {value})",
                f"fence {chance.choice(['sc', 'rel', 'acq'])}",
                f"{register} := {place}; assert {register} != 2",
            ]
        )

    threads = range(chance.randint(2, 3))
    return " || ".join("; ".join(statement(n, at) for at in range(chance.randint(1, 3))) for n in threads)


def test_random_programs_on_an_unreliable_executor() -> None:
    seeds = range(int(os.environ.get("LITMOSCOPE_PROGRAMS", "1000")) // 100)
    compared = 0
    for seed in seeds:
        chance = random.Random(seed)
        text = random_program(chance)
        for model in litmoscope.models():
            for algorithm in litmoscope.algorithms():
                how: dict[str, Any] = {"model": model, "algorithm": algorithm, "stop_at_first": chance.random() < 0.3}
                try:
                    whole = Exploration(text, **how)
                except LitmoscopeError:
                    # It can't be cut, or this algorithm does not know the model or the program.
                    continue
                alone = litmoscope.explore(text, threads=1, **how)
                with Unreliable(seed) as executor:
                    most = chance.choice([None, None, chance.randint(1, 30)])
                    found = whole.run(executor, workers=chance.randint(1, 4), slice=0.05, max_executions=most)
                if most is not None:
                    alone = litmoscope.explore(text, threads=1, max_executions=most, **how)
                assert told(found) == told(alone), (seed, text, how, most)
                compared += 1
    print(f"seeds {seeds}: {compared} compared")
    assert compared > 0


def test_bounds_keep_their_meaning_on_executors(tmp_path: Path) -> None:
    how: dict[str, Any] = {"model": "rc11", "algorithm": "trust_co"}
    with ProcessPoolExecutor(2) as executor:
        for most in (1, 1_000, 100_000):
            few = litmoscope.explore(LARGE, executor=executor, max_executions=most, **how)
            assert told(few) == told(litmoscope.explore(LARGE, threads=1, max_executions=most, **how))
        short = litmoscope.explore(HUGE, executor=executor, timeout=1, checkpoint=tmp_path / "huge", **how)
        assert (short.verdict, short.interrupted) == ("bounded", "timeout")
        # Who goes on from the checkpoint has what was found.
        assert Exploration.resume(tmp_path / "huge").executions == short.complete + short.blocked > 0
    with Unreliable() as unreliable:
        for wrong in ({"timeout": -1}, {"max_executions": 0}, {"workers": 0}, {"slice": 0}):
            with pytest.raises(LitmoscopeError):
                Exploration(SB).run(unreliable, **wrong)  # type: ignore[arg-type]


def test_workers_hear_that_they_are_not_needed(tmp_path: Path) -> None:
    part, later = Exploration(HUGE, model="rc11", algorithm="trust_co").parts(2)
    notice = Notice(tmp_path / "first")
    assert not notice.at(part.place)()
    notice.write(later.place)
    assert (notice.at(part.place)(), notice.at(later.place)()) == (False, True)
    begun = time.monotonic()
    assert not later.run(until=notice.at(later.place), timeout=60).is_over
    assert time.monotonic() - begun < 30
    # The driver says so when it ends: an error in front of what others explore.
    text = f"assert 0 = 1 || {HUGE}"
    with ProcessPoolExecutor(2) as executor:
        wrong = litmoscope.explore(text, model="rc11", algorithm="trust_co", stop_at_first=True, executor=executor, timeout=100)
    assert (wrong.verdict, wrong.interrupted) == ("violated", None)


def test_a_driver_that_is_interrupted_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    how: dict[str, Any] = {"model": "rc11", "algorithm": "trust_co"}

    class Enough(Exception):
        pass

    def progress(executions: int) -> None:
        if executions > 0:
            raise Enough

    path = tmp_path / "checkpoint"
    with ProcessPoolExecutor(2) as executor:
        with pytest.raises(Enough):
            Exploration(LARGE, **how).run(executor, slice=0.05, checkpoint=path, progress=progress)
        rest = Exploration.resume(path)
        assert rest.executions > 0
        assert told(rest.run(executor)) == told(litmoscope.explore(LARGE, **how))


def test_the_first_error_ends_what_is_behind_it() -> None:
    text = (
        "name Wrong\nx := 1; x := 2; x := 3 || a := x; b := x; assert a <= b || y := 1; c := x; d := y"
        " || y := 2; e := y; assert e != 1"
    )
    how: dict[str, Any] = {"model": "wra", "algorithm": "trust_co", "stop_at_first": True}
    alone = litmoscope.explore(text, threads=1, **how)
    assert alone.erroneous == 1
    with Unreliable() as executor:
        assert told(Exploration(text, **how).run(executor, workers=4)) == told(alone)


class Silent(Executor):
    """One of which nothing is heard."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        return Future()


def test_what_is_before_an_error_goes_on(tmp_path: Path) -> None:
    text = " || ".join([*(f"x := {n}; a{n} := y; y := {n}; z := {n}" for n in range(1, 4)), "e := z; f := y; assert e != 2"])
    whole = Exploration(text, model="rc11", algorithm="trust_co", stop_at_first=True)
    parts = whole.parts(24)
    found = [part.run() for part in parts]
    wrong = next(at for at, one in enumerate(found) if one.is_wrong and at > 2)
    run = _parts._Run(whole._ledger, Silent(), Notice(tmp_path / "first"), len(parts), 1.0)
    run.schedule.add(parts)
    run.send()
    came: Future[list[Found]] = Future()
    came.set_result([found[wrong]])
    run.take((parts[wrong],), came)
    assert [part.number for part in whole.left] == [part.number for part in parts[:wrong]]
    before = [rest for part in parts[:wrong] for rest in (part, *part.run(max_executions=1, pieces=2).left)]
    assert len(before) > 2 * wrong
    assert [bool(run.notice.at(part.place)()) for part in before if run.notice] == [False] * len(before)
    assert run.notice and all(run.notice.at(part.place)() for part in parts[wrong + 1 :])
    assert len(run.sent) == len(run.schedule) == wrong


def test_parts_go_out_together_where_there_are_many() -> None:
    parts = Exploration(HUGE, model="rc11", algorithm="trust_co").parts(100)
    schedule = Schedule(8.0)
    schedule.add(reversed(parts))
    # Each worker has a short task first.
    first = [schedule.next(10) for _ in range(schedule.tasks(10))]
    assert [(task.parts, task.slice) for task in first if task] == [((part,), 8.0 / 64) for part in parts[:10]]
    for part in parts[:10]:
        schedule.lost(part)
    sent = []
    while task := schedule.next(10):
        sent.append(task)
    assert [part.number for task in sent for part in task.parts] == [part.number for part in parts]
    assert {(len(task.parts), task.slice, task.pieces) for task in sent} == {(5, 8.0, 1)}
    # With few that are left, they go out alone, sooner and in pieces: no more than are missing.
    for part in parts[6:]:
        schedule.came(part)
    for part in parts[:6]:
        schedule.lost(part)
    short = 8.0 * (6 / (_parts.PARTS * 10 + _parts.MORE)) ** 2
    few = [schedule.next(10) for _ in range(6)]
    assert schedule.next(10) is None
    for task in few:
        assert task and len(task.parts) == 1 and task.slice == pytest.approx(short)
    assert few[0] and few[5] and few[0].pieces > few[5].pieces > 1
    # A step that takes long has more time each time.
    schedule.stayed(parts[0])
    again = schedule.next(10)
    assert again and again.parts == (parts[0],) and again.slice == pytest.approx(2 * short)


def test_workers_explore_one_part_after_the_other(tmp_path: Path) -> None:
    parts = tuple(Exploration(THREE, model="rc11", algorithm="trust_co").parts(6))
    # One at least, so that it goes on.
    assert len(_parts.work(Task(parts, 0.0, 1), 1, None, None)) == 1
    assert [one.is_over for one in _parts.work(Task(parts, 60.0, 1), 1, None, None)] == [True] * len(parts)


def test_who_explores_knows_that_final_states_are_too_many() -> None:
    text = " || ".join([*(f"x := {n}; a{n} := y; y := {n}; z := {n}" for n in range(1, 5)), "e := z; f := y; g := x; h := x"])
    whole = Exploration(text, model="rc11", algorithm="trust_co")
    parts = whole.parts(8)

    def has_states(part: Part) -> bool:
        return len(part.run(max_executions=10_000).content) > 10_000

    run = _parts._Run(whole._ledger, Silent(), None, 2, 1.0)
    run.schedule.add(parts)
    run.send()
    early = [part for sent, _ in run.sent.values() for part in sent]
    assert early and all(map(has_states, early))
    # All parts were cut before this is known.
    came: Future[list[Found]] = Future()
    came.set_result([early[0].run(max_executions=1_000_000)])
    run.take((early[0],), came)
    run.send()
    late = [part for sent, _ in run.sent.values() for part in sent if part not in early]
    assert late and not any(map(has_states, late))


def test_processes_explore() -> None:
    alone = litmoscope.explore(THREE, model="rc11", algorithm="trust_co")
    with ProcessPoolExecutor(2) as executor:
        whole = Exploration(THREE, model="rc11", algorithm="trust_co")
        assert told(whole.run(executor, threads=2)) == told(alone)


def test_a_cluster_may_lose_workers() -> None:
    distributed = pytest.importorskip("distributed")
    how: dict[str, Any] = {"model": "rc11", "algorithm": "trust_co"}
    alone = litmoscope.explore(LARGE, **how)
    quiet = {"silence_logs": 50, "dashboard_address": None}
    with distributed.LocalCluster(n_workers=4, threads_per_worker=1, processes=True, **quiet) as cluster:
        with distributed.Client(cluster) as client:

            def kill() -> None:
                for worker in list(cluster.workers.values())[:2]:
                    os.kill(worker.pid, signal.SIGKILL)

            timer = threading.Timer(0.3, kill)
            timer.start()
            found = litmoscope.explore(LARGE, executor=client.get_executor(), **how)
            timer.join()
    assert told(found) == told(alone)


def test_parts_are_small_and_go_on() -> None:
    whole = Exploration(HUGE, model="rc11", algorithm="trust_co")
    parts = whole.parts(20)
    assert len(parts) == 20
    before = whole.executions
    begun = parts[0].run(max_executions=100_000, pieces=3)
    # A few more are found where it is cut.
    assert 100_000 <= begun.executions < 101_000 and not begun.is_over and len(begun.left) == 3
    whole.merge([begun, begun])
    assert len(whole.left) == 22
    result = whole.result()
    assert (result.verdict, result.interrupted) == ("bounded", "parts_left")
    assert result.complete == before + begun.executions == whole.executions
    assert begun.left[0].run(max_executions=10).executions == 10


def test_parts_and_what_was_found_are_small_whatever_was_explored() -> None:
    # Long threads, many registers, and a final state for each execution.
    long = " || ".join("; ".join(f"x{t}{n} := {n}; r{t}{n} := x{1 - t}{n}" for n in range(150)) for t in range(2))
    whole = Exploration(long, model="tso", algorithm="trust_co")
    sizes = [len(pickle.dumps(part)) for part in whole.parts(50)]
    found = [part.run(timeout=1, pieces=4) for part in whole.left[:3]]
    assert max(len(pickle.dumps(one)) for one in found) < 1_000_000
    assert max(sizes) < 4_000 + len(long)


def test_parts_of_others_are_refused() -> None:
    whole, other = Exploration(THREE, model="rc11"), Exploration(SB, model="tso")
    with pytest.raises(LitmoscopeError, match="not the same"):
        whole.merge([part.run() for part in other.left])
    with pytest.raises(LitmoscopeError, match="can't be used"):
        whole.merge([replace(part.run(), content=part.run().content[:-9]) for part in whole.left])
    # What was cut before counts no more.
    early = whole.parts(3)
    whole.merge([early[0].run(max_executions=1, pieces=2)])
    whole.merge([early[0].run()])
    assert not whole.is_over


def test_notebooks_show_a_table() -> None:
    shown = litmoscope.explore("name <b>\n" + SB.split("\n", 1)[1], model="tso")._repr_html_()
    assert "<table>" in shown and "&lt;b&gt;" in shown and "<b>" not in shown


def test_tables_are_read_by_others() -> None:
    found = litmoscope.explore(SB, model="tso")
    assert list(found.table) == ["P0:a", "P1:b", "executions"] and found.table.rows[0] == (0, 0, 1)
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    assert pandas.DataFrame(found.table)["executions"].sum() == 4
    for frame in (polars.DataFrame(found.table), polars.from_dataframe(found.table)):
        assert frame["P1:b"].to_list() == found.table["P1:b"]
    assert litmoscope.explore("x := 1", model="sc", timeout=0).table.rows in ([], [(1, 1)])


def test_bars_show_how_far_it_is(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm")
    assert litmoscope.explore(SB, model="tso", progress=True).complete == 4
    assert "executions" in capfd.readouterr().err
    assert litmoscope.explore(SB, model="tso", progress=False).complete == 4
    assert capfd.readouterr().err == ""
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(LitmoscopeError, match="needs tqdm"):
        litmoscope.explore(SB, progress=True)


def test_drawings_have_both_themes() -> None:
    first = litmoscope.explore(SB, model="tso").first
    assert first is not None
    shown = first._repr_mimebundle_()
    light, dark = (b64encode(first.svg(theme).encode()).decode() for theme in ("light", "dark"))
    assert light in shown["text/html"] and dark in shown["text/html"] and shown["image/svg+xml"] == first.svg("light")


def test_explorations_are_stepped_through() -> None:
    steps = Steps(SB, model="tso")
    assert steps.known() == (18, True) and steps.known(5) == (18, True)
    assert steps[0].position == 0 and steps[18].svg() != steps[3].svg() and steps[3].svg("dark").startswith("<svg")
    # Back again, it is the same, and the link is the page's.
    assert steps[3] == steps[3] and steps[3].link.startswith("#")
    assert sum(steps[at].name == "complete" for at in range(19)) == 4, [steps[at].name for at in range(19)]
    for wrong in (-1, 19):
        with pytest.raises(IndexError):
            steps[wrong]
    assert Steps(HUGE, model="rc11").known(100) == (100, False)
    with pytest.raises(LitmoscopeError):
        Steps("x :=")


def test_sliders_show_what_their_position_says() -> None:
    pytest.importorskip("anywidget")
    steps = Steps(SB, model="tso")
    slider = steps.slider()
    assert (slider.last, slider.whole, slider.seen["position"]) == (18, True, 0)
    slider.position = 7
    assert slider.seen["words"] == steps[7].words and slider.seen["dark"] == steps[7].svg("dark")
    slider.position = 99
    assert slider.seen["position"] == 18
    assert "application/vnd.jupyter.widget-view+json" in str(steps._repr_mimebundle_())


def test_benchexec_runs_it() -> None:
    template = pytest.importorskip("benchexec.tools.template")
    from litmoscope.benchexec import Tool

    tool = Tool()
    task = template.BaseTool2.Task.with_files(["sb.lit"])
    limits = template.BaseTool2.ResourceLimits(cputime=902, cpu_cores=2)
    line = tool.cmdline("litmoscope", ["--model", "tso"], task, limits)
    assert line == ["litmoscope", "explore", "--model", "tso", "--threads", "2", "--timeout", "450", "sb.lit"]
    given = ["--threads", "8", "--timeout", "9"]
    assert tool.cmdline("litmoscope", given, task, limits) == ["litmoscope", "explore", *given, "sb.lit"]
    codes = importlib.import_module("benchexec.util").ProcessExitCode

    def verdict(status: int) -> str:
        run = template.BaseTool2.Run(line, codes.create(value=status), [], None)
        return tool.determine_result(run)

    assert [verdict(status) for status in range(4)] == ["true", "false", "ERROR", "unknown"]


def test_cells_of_notebooks_are_explored() -> None:
    shells = pytest.importorskip("IPython.core.interactiveshell")
    shell = shells.InteractiveShell.instance()
    shell.run_line_magic("load_ext", "litmoscope")
    result = shell.run_cell_magic("litmus", "found --model tso", SB)
    assert result.complete == 4 and shell.user_ns["found"] is result
    assert shell.run_cell_magic("litmus", "--model sc --max-executions 2", SB).verdict == "bounded"
    for line in ("--model", "found again", "1st", "--unroll many", "--model vax"):
        with pytest.raises(LitmoscopeError):
            shell.run_cell_magic("litmus", line, SB)


def test_the_notebook_says_what_it_shows() -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    path = Path(__file__).parents[1] / "notebooks" / "weak-memory-in-an-hour.ipynb"
    notebook = nbformat.read(path, as_version=4)
    # What it shows is not kept in the repository.
    assert all(not cell.get("outputs") for cell in notebook.cells)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = [
        output["data"].get("text/plain", "") if "data" in output else output.get("text", "")
        for cell in notebook.cells
        for output in cell.get("outputs", [])
    ]
    for claim in (
        "<Result SB under sc: ok, 3 complete>",
        "'tso': (4, True)",
        "SC forbids P0:a=0, P1:b=0",
        "['W(x,1)', 'R(y,0)', 'W(y,1)', 'R(x,0)']",
        "18 [('P0', 2, 'put a fence in front: fence sc'), ('P1', 2, 'put a fence in front: fence sc')]",
        "'pso': True",
        "[(18, 2), (24, 4), (24, 4), (30, 6)]",
        "{'sc': 'ok', 'tso': 'ok', 'rc11': 'violated'}",
        "<Execution violation: 10 events>",
        "(13824, True)",
    ):
        assert any(claim in text for text in shown), (claim, shown)
    kinds = [kind for cell in notebook.cells for output in cell.get("outputs", []) for kind in output.get("data", {})]
    assert "application/vnd.jupyter.widget-view+json" in kinds
    drawings = [cell for cell in notebook.cells for output in cell.get("outputs", []) if "image/svg+xml" in output.get("data", {})]
    assert len(drawings) == 2

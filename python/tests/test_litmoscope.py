"""The package as its users have it: installed from a wheel."""

import os
import pickle
import random
import signal
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import litmoscope
from litmoscope import Exploration, LitmoscopeError, Part

PUBLIC = Path(__file__).parents[2] / "public"
SB = "name SB\nx := 1; a := y || y := 1; b := x\nexists (P0:a = 0 /\\ P1:b = 0)"
THREE = (
    "name Three\nx := 1; a := y; y := 1; b := z || y := 2; c := z; z := 1; d := x || z := 2; e := x; x := 2; f := y\n"
    "exists (a = 0 /\\ c = 0 /\\ e = 0)"
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
    assert "rf: " in weak.text and weak.svg("dark").startswith("<svg") and weak._repr_svg_() != weak.svg("dark")
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
        lambda: Part(0, 1, b"nothing").run(),
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


def test_ctrl_c_ends_an_exploration() -> None:
    # Who is started in the background by a shell does not hear it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            litmoscope.explore(HUGE, model="rc11", algorithm="trust_co", timeout=60)
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
            while not whole.is_over:
                parts = whole.parts(chance.randint(1, 9))
                # Some are lost, some come twice, all as bytes.
                explored = [pickle.loads(pickle.dumps(chance.choice(parts))).run() for _ in parts]
                whole.merge(explored)
            assert told(whole.result()) == told(alone), (model, algorithm, text)


class Unreliable(Executor):
    """Loses tasks, and does others twice."""

    def __init__(self) -> None:
        self.chance = random.Random(1)

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if self.chance.random() < 0.3:
            future.set_exception(ConnectionError("the worker is gone"))
        else:
            fn(*args, **kwargs)
            future.set_result(fn(*args, **kwargs))
        return future


def test_executors_may_lose_tasks() -> None:
    alone = litmoscope.explore(THREE, model="rc11", algorithm="trust_co")
    whole = Exploration(THREE, model="rc11", algorithm="trust_co")
    assert told(whole.run(Unreliable(), workers=3)) == told(alone)


def test_the_first_error_ends_what_is_behind_it() -> None:
    text = (
        "name Wrong\nx := 1; x := 2; x := 3 || a := x; b := x; assert a <= b || y := 1; c := x; d := y"
        " || y := 2; e := y; assert e != 1"
    )
    how: dict[str, Any] = {"model": "wra", "algorithm": "trust_co", "stop_at_first": True}
    alone = litmoscope.explore(text, threads=1, **how)
    assert alone.erroneous == 1
    whole = Exploration(text, **how)
    assert told(whole.run(Unreliable(), workers=4)) == told(alone)


def test_processes_explore() -> None:
    alone = litmoscope.explore(THREE, model="rc11", algorithm="trust_co")
    with ProcessPoolExecutor(2) as executor:
        whole = Exploration(THREE, model="rc11", algorithm="trust_co")
        assert told(whole.run(executor, workers=2)) == told(alone)


def test_a_cluster_may_lose_workers() -> None:
    distributed = pytest.importorskip("distributed")
    threads = [f"x := {n}; a{n} := y; y := {n}; z := {n}" for n in range(1, 5)]
    text = "name Large\n" + " || ".join([*threads, "e := z; f := y"]) + "\nexists (P0:a1 = 9)"
    how: dict[str, Any] = {"model": "rc11", "algorithm": "trust_co"}
    alone = litmoscope.explore(text, **how)
    quiet = {"silence_logs": 50, "dashboard_address": None}
    with distributed.LocalCluster(n_workers=4, threads_per_worker=1, processes=True, **quiet) as cluster:
        with distributed.Client(cluster) as client:

            def kill() -> None:
                for worker in list(cluster.workers.values())[:2]:
                    os.kill(worker.pid, signal.SIGKILL)

            timer = threading.Timer(0.3, kill)
            timer.start()
            found = Exploration(text, **how).run(client.get_executor(), workers=4, slice=0.2)
            timer.join()
    assert told(found) == told(alone)


def gone_on(part: Part) -> Part:
    """The same part with more found in it, however busy the machine is."""
    for _ in range(100):
        more = part.run(timeout=0.1)
        if more.executions > part.executions:
            return more
    raise AssertionError("it does not get on")


def test_parts_are_small_and_go_on() -> None:
    whole = Exploration(HUGE, model="rc11", algorithm="trust_co")
    parts = whole.parts(20)
    assert len(parts) == 20
    assert max(len(pickle.dumps(part)) for part in parts) < 4000
    begun = gone_on(parts[0])
    assert not begun.is_over
    whole.merge([begun, parts[0]])
    result = whole.result()
    assert (result.verdict, result.interrupted) == ("bounded", "parts_left")
    # Some were found while it was cut.
    assert begun.executions <= result.complete < begun.executions + 1000
    assert gone_on(begun).executions > begun.executions


def test_parts_of_others_are_refused() -> None:
    whole, other = Exploration(THREE, model="rc11"), Exploration(SB, model="tso")
    first = whole.parts(3)[0]
    theirs = other.parts(3)
    if theirs:
        whole.merge([Part(first.number, first.cut, theirs[0].content, 1, True)])
        with pytest.raises(LitmoscopeError, match="not the same"):
            whole.result()
    # What was cut before counts no more.
    whole = Exploration(THREE, model="rc11")
    early = whole.parts(3)
    whole.parts(2)
    whole.merge([part.run() for part in early])
    assert not whole.is_over


def test_notebooks_show_a_table() -> None:
    shown = litmoscope.explore("name <b>\n" + SB.split("\n", 1)[1], model="tso")._repr_html_()
    assert "<table>" in shown and "&lt;b&gt;" in shown and "<b>" not in shown


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
    drawings = [cell for cell in notebook.cells for output in cell.get("outputs", []) if "image/svg+xml" in output.get("data", {})]
    assert len(drawings) == 2

use super::*;
use crate::Theme;
use crate::explore::{Algorithm, ExecutionKind, Explorer, Options, Step};
use crate::program::Code;
use crate::syntax;
use std::sync::Arc;

/// The timelines of all executions.
fn timelines(text: &str, model: Model) -> Vec<Timeline> {
    let mut all = Vec::new();
    each(text, model, |program, explorer| {
        all.push(Timeline::new(program, model, explorer.execution(), explorer.coherence()));
    });
    all
}

fn each(text: &str, model: Model, whole: impl FnMut(&Program, &dyn Explorer)) {
    each_of(ExecutionKind::Complete, text, model, whole);
}

fn each_of(of: ExecutionKind, text: &str, model: Model, mut whole: impl FnMut(&Program, &dyn Explorer)) {
    let program = syntax::parse(text).expect("it is a program").program;
    let code = Arc::new(Code::compile(&program).expect("it can be explored"));
    let mut explorer = Algorithm::Genmc.explorer(code, model, Options::default()).expect("it takes every program");
    loop {
        match explorer.advance() {
            Step::Execution { kind, .. } if kind == of => whole(&program, &*explorer),
            Step::Done => break,
            _ => {}
        }
    }
}

/// The timeline of the execution whose labels are these, however ordered.
fn with_labels(text: &str, model: Model, labels: &[&str]) -> Timeline {
    let has = |timeline: &Timeline| labels.iter().all(|label| timeline.rows.iter().any(|row| row.label == *label));
    timelines(text, model).into_iter().find(has).expect("there is such an execution")
}

/// What the rows say, a line each, without the account.
fn lines(timeline: &Timeline) -> Vec<String> {
    time_text(timeline).lines().skip(2).map(str::to_owned).collect()
}

const SB: &str = "x := 1 || y := 1\na := y || b := x";

#[test]
fn both_reads_miss_the_writes_because_of_a_buffer() {
    let timeline = with_labels(SB, Model::TSO, &["R(x,0)", "R(y,0)"]);
    assert_eq!(
        lines(&timeline),
        [
            "        P0                           P1                           buffer of P0   buffer of P1   memory",
            "start                                                                                           x=0 y=0",
            "1       W(x,1) into the buffer                                    x=1                           x=0 y=0",
            "2       R(y,0) from memory, init y                                x=1                           x=0 y=0",
            "3                                    W(y,1) into the buffer       x=1            y=1            x=0 y=0",
            "4                                    W(y,1) to memory             x=1                           x=0 y=1",
            "5                                    R(x,0) from memory, init x   x=1                           x=0 y=1",
            "6       W(x,1) to memory                                                                        x=1 y=1",
        ]
    );
    assert_eq!(timeline.rows[1].title, "P0.1 W(x,1) enters P0's buffer.");
    assert_eq!(timeline.rows[2].title, "P0.2 R(y,0) reads init y [y=0] from memory.");
    assert_eq!(timeline.rows[6].title, "P0.1 W(x,1) leaves P0's buffer and reaches memory.");
    let news =
        |row: &TimeRow| row.cells.iter().flat_map(|cell| cell.shelves.iter().flatten()).filter(|c| c.new).count();
    assert_eq!(timeline.rows.iter().map(news).collect::<Vec<_>>(), [0, 1, 0, 1, 1, 0, 1]);
}

#[test]
fn sc_has_memory_alone() {
    let timeline = with_labels(SB, Model::SC, &["R(x,0)", "R(y,1)"]);
    assert_eq!(timeline.columns, ["memory"]);
    assert!(timeline.rows.iter().all(|row| !matches!(row.kind, RowKind::Buffer | RowKind::Flush)));
    assert!(
        lines(&timeline)[2].contains("W(y,1)") && lines(&timeline)[2].ends_with("x=0 y=1"),
        "{:#?}",
        lines(&timeline)
    );
}

#[test]
fn pso_has_a_buffer_for_each_location() {
    let timeline = with_labels("x := 1; y := 1 || a := y; b := x", Model::PSO, &["R(y,1)", "R(x,0)"]);
    assert_eq!(timeline.columns, ["buffers of P0", "memory"]);
    let both = timeline.rows.iter().find(|row| row.cells[0].shelves.len() == 2).map(|row| row.title.clone());
    assert_eq!(both.as_deref(), Some("P0.2 W(y,1) enters P0's buffer of y."));
}

#[test]
fn a_read_sees_its_own_buffer() {
    // Each sees its own write first: only with both in buffers.
    let text = "x := 1; a := x; b := y || y := 1; c := y; d := x";
    let timeline = with_labels(text, Model::TSO, &["R(x,1)", "R(y,0)", "R(y,1)", "R(x,0)"]);
    let own = timeline.rows.iter().find(|row| row.note == "from the buffer, P0.1").expect("P0 reads from its buffer");
    assert_eq!(own.title, "P0.2 R(x,1) reads from P0's buffer, where P0.1 W(x,1) still waits.");
}

#[test]
fn fences_and_updates_wait_for_the_buffer() {
    for (text, label) in
        [("x := 1; fence sc; a := y || y := 1; b := x", "F sc"), ("x := 1; a := fai(y) || y := 3", "U")]
    {
        for timeline in timelines(text, Model::TSO) {
            let at = timeline.rows.iter().position(|row| row.label.starts_with(label)).expect("it is there");
            assert!(timeline.rows[at].title.contains("P0's buffers are empty"), "{}", timeline.rows[at].title);
            assert!(timeline.rows[at].cells[0].shelves.iter().all(Vec::is_empty));
        }
    }
}

/// By definition: the co-last writes of each location among those before an event in porf (under RA, hb).
#[test]
fn threads_know_what_happens_before_them() {
    let programs = ["x := 1; y := 1 || a := y; b := x", "x := 1; a := y || y := 1; b := x || c := x; d := y; x := 2"];
    for text in programs {
        each(text, Model::RA, |program, explorer| {
            let graph = explorer.execution();
            let co = fitting_co(Model::RA, graph, None).expect("it is consistent");
            let timeline = Timeline::new(program, Model::RA, graph, None);
            for row in timeline.rows.iter().skip(1) {
                let e = graph.find(row.key.expect("it is an event")).expect("it is in the graph");
                let prefix = graph.porf_prefix(e);
                let newest = |order: &Vec<EventId>| order.iter().copied().rev().find(|&w| prefix.contains(w));
                let expected: Vec<_> = co.iter().filter_map(newest).map(|write| graph.event(write).key).collect();
                let known: Vec<_> = row.cells[row.lane].shelves.iter().flatten().map(|chip| chip.key).collect();
                assert_eq!(known, expected, "{text} {}", row.title);
            }
        });
    }
}

/// What ends a thread has neither source nor value: its title is its label and what that means.
#[test]
fn the_end_of_a_thread_is_a_sentence() {
    for (of, text, expected) in [
        (
            ExecutionKind::Erroneous,
            "x := 1 || a := x\n       || assert a = 0",
            "P1.2 error: assertion violated. The thread ends here, line 2.",
        ),
        (
            ExecutionKind::Blocked,
            "x := 1 || a := x\n       || assume a = 1",
            "P1.2 stuck: an assumption does not hold and the thread blocks here, line 2.",
        ),
    ] {
        let mut titles = Vec::new();
        each_of(of, text, Model::SC, |program, explorer| {
            let timeline = Timeline::new(program, Model::SC, explorer.execution(), None);
            titles.extend(timeline.rows.into_iter().map(|row| row.title));
        });
        assert!(titles.iter().any(|title| title == expected), "{titles:#?}");
    }
}

#[test]
fn weak_release_acquire_knows_several_writes() {
    let timelines = timelines("x := 1 || x := 2 || a := x; b := x; c := x", Model::WRA);
    let several =
        |timeline: &Timeline| timeline.rows.iter().any(|row| row.cells.iter().any(|c| c.shelves[0].len() == 2));
    assert!(timelines.iter().any(several));
}

#[test]
fn a_forbidden_execution_has_no_run() {
    let mut forbidden = None;
    each(SB, Model::TSO, |program, explorer| {
        let timeline = Timeline::new(program, Model::SC, explorer.execution(), None);
        forbidden = forbidden.take().or(timeline.absent.then_some(timeline));
    });
    let timeline = forbidden.expect("SC forbids one of them");
    assert!(
        timeline
            .account
            .starts_with("There is no such run: the execution violates the axiom sequential-consistency of SC.")
    );
    assert!(timeline.rows.is_empty() && time_svg(&timeline, Theme::Dark).contains("There is no such run"));
}

#[test]
fn mutexes_are_held_and_free() {
    let text = "lock(m); x := 1; unlock(m) || lock(m); a := x; unlock(m)";
    let timeline = &timelines(text, Model::TSO)[0];
    let shown = lines(timeline).join("\n");
    assert!(shown.contains("m held") && shown.contains("m free") && !shown.contains("m="), "{shown}");
    let shown = lines(&timelines("send(c, 5) || a := receive(c)", Model::SC)[0]).join("\n");
    assert!(shown.contains("c empty") && shown.contains("c=5"), "{shown}");
}

#[test]
fn drawings_are_whole() {
    for model in Model::ALL {
        for timeline in timelines("x := 1; a := fai(y) || y := 1; fence sc; b := x", model) {
            let svg = time_svg(&timeline, Theme::Light);
            assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
            for row in timeline.rows.iter().skip(1) {
                assert!(svg.contains(&*crate::svg::escape(&row.label)), "{}", row.label);
            }
        }
    }
}

#[test]
fn long_executions_are_cut_and_it_is_said() {
    let text = "x := 1; ".repeat(MAX_ROWS + 7);
    let timeline = &timelines(&text, Model::SC)[0];
    assert_eq!((timeline.rows.len(), timeline.left_out), (MAX_ROWS + 1, 7));
    assert!(time_text(timeline).ends_with("7 more rows are left out.\n"));
}

//! RVF-SMC in sessions: the tree of its calls, its table, and what its results leave open. What it finds is held against brute
//! force beside the algorithm.

use litmoscope::explore::{Algorithm, Coverage, Options, Parameters, Step, Verdict};
use litmoscope::model::Model;
use litmoscope::session::{Session, Settings, View, ViewRequest, VisitKind};

/// Figure 4.6 of the thesis: two executions in five calls, A to E.
const EXAMPLE: &str = "x := 1\na := x\ny := 1\n||\nx := 1\ny := 1\nb := y\nx := 2";

fn session(text: &str, options: Options) -> Session {
    let (model, algorithm) = (Model::SC, Algorithm::RvfSmc);
    Session::open(Settings { text: text.to_owned(), model, algorithm, options, ..Settings::default() })
        .expect("a program")
}

fn view(session: &Session) -> View {
    session.view(&ViewRequest::default())
}

#[test]
fn the_tree_is_that_of_the_calls() {
    let mut session = session(EXAMPLE, Options::default());
    let mut shown = Vec::new();
    while session.forward() {
        let view = view(&session);
        let current = view.tree.rows.iter().find(|row| row.current).map(|row| row.label.clone()).unwrap_or_default();
        shown.push((session.step().expect("one was made"), current));
    }
    let labels: Vec<&str> = shown
        .iter()
        .filter(|(step, _)| matches!(step, Step::Call { .. } | Step::Return { .. } | Step::Execution { .. }))
        .map(|(_, label)| label.split(',').next().unwrap_or_default())
        .collect();
    let [b, c, d, e] = ["P0.2 ← P1.1", "P1.3 ← P0.3", "P1.3 ← P1.2", "P0.2 ← P1.4"];
    // Where a run has a place for a read at its end, memory says which write of a group it takes.
    assert_eq!(labels.len(), 10);
    assert_eq!([labels[0], labels[3], labels[4]], [b, b, "start"]);
    assert!([c, d].contains(&labels[1]) && labels[2] == labels[1], "{labels:?}");
    assert_eq!(labels[5..], [d, e, e, d, "start"]);
    let rows = view(&session).tree.rows;
    let of = |kind: VisitKind| rows.iter().filter(|row| row.kind == kind).count();
    // The beginning, and the calls that made others.
    assert_eq!((of(VisitKind::Inner), of(VisitKind::Complete), of(VisitKind::Pending)), (3, 2, 0));
}

#[test]
fn good_writes_the_causal_map_and_signals_are_shown() {
    let mut session = session(EXAMPLE, Options::default());
    let (mut groups, mut forbidden, mut signalled) = (0, 0, 0);
    while session.forward() {
        let view = view(&session);
        match view.step {
            Some(Step::Groups { .. }) => {
                groups = groups.max(view.pending.iter().map(|row| row.options.len()).max().unwrap_or_default());
            }
            Some(Step::Offer { .. }) => {
                let ends: Vec<String> =
                    view.pending.iter().flat_map(|row| &row.explored).map(|event| event.write.clone()).collect();
                forbidden = forbidden.max(ends.len());
            }
            Some(Step::Signal { .. }) => {
                assert!(view.explanation.contains("This is a backtrack signal"), "{}", view.explanation);
                signalled += view.pending.iter().filter(|row| row.revisitable).count();
            }
            _ => {}
        }
    }
    assert_eq!((groups, forbidden, signalled), (2, 4, 2));
}

/// Going back and jumping show what going forward showed.
#[test]
fn every_way_to_a_position_shows_the_same() {
    let text = "fai(x)\na := y\n||\ny := 1\ncas(x, 0, 2)\n||\nlock m\nb := x\nunlock m\n||\nlock m\ny := 2\nunlock m";
    for off in [&[][..], &[("signals", 0)], &[("guide", 0), ("closure", 0)]] {
        let parameters = Parameters::named(Algorithm::RvfSmc, off.iter().copied()).expect("it has them");
        let mut session = session(text, Options { parameters, ..Options::default() });
        let seen = |session: &Session| {
            let View { step, explanation, drawing, pending, line, .. } = view(session);
            (step, explanation, drawing, pending, line)
        };
        let mut forward = vec![seen(&session)];
        while session.forward() && forward.len() < 600 {
            forward.push(seen(&session));
        }
        for position in (0..forward.len() - 1).rev().step_by(7) {
            session.go_to(position as u64, u64::MAX);
            assert!(seen(&session) == forward[position], "at {position} without {off:?}");
        }
    }
}

/// Of writes that nobody reads, any may be the last one. That is left open, and said.
#[test]
fn last_values_are_open() {
    let verdict = |text: &str| {
        let mut session = session(text, Options::default());
        session.run(u64::MAX);
        (session.results().verdict(session.program(), session.coverage()), session.coverage())
    };
    assert_eq!(verdict("x := 1 || x := 2\nexists (x = 7)").0, Verdict::Bounded);
    assert_eq!(verdict("x := 1 || a := x\nforall (P1:a <= 1)"), (Verdict::Ok, Coverage::Whole));
    assert_eq!(verdict("x := 1 || a := x; assert a = 0").0, Verdict::Violated);
    assert_eq!(verdict("lock m; lock n || lock n; lock m").0, Verdict::Violated);
}

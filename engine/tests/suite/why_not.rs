//! `litmoscope why-not`, run as a user would.
//!
//! Cases and orders are counted, and each is compared with the oracle. An outcome that a model allows and SC does not comes with
//! SC's cycle and its edges that do not bind under the model; there have to be some.

use crate::common::run;
use litmoscope::compare::{Asker, Cell, Comparer, ComparisonBounds, OutcomeQuestion, Ruling, WhyNotAnswer};
use litmoscope::explore::brute_force::coherence_orders;
use litmoscope::explore::{Explorer, GenMc, Options};
use litmoscope::graph::{Coherence, EventId, Execution};
use litmoscope::model::Model;
use litmoscope::program::{Code, Limits, Location};
use litmoscope::testing::{UNROLL, for_all};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

const SB: &str = "shared x, y\nx := 1; a := y || y := 1; b := x\nexists (P0:a = 0 /\\ P1:b = 0)\n";

/// Runs `why-not` on a text: exit status, standard output and standard error.
fn why_not(input: &str, options: &[&str]) -> (i32, String, String) {
    run(&[&["why-not", "-"], options].concat(), input)
}

fn json(input: &str, options: &[&str]) -> (i32, Value) {
    let (status, out, err) = why_not(input, &[options, &["--json"]].concat());
    assert_eq!(out.lines().count(), 1, "{out}{err}");
    (status, serde_json::from_str(&out).expect("JSON"))
}

#[test]
fn what_is_forbidden_is_ruled_out_case_by_case() {
    let expected = "\
SC forbids P0:a=0, P1:b=0. The one execution that would end so is ruled out.

1. R(y,0) ← [y=0], R(x,0) ← [x=0]
   It violates sequential-consistency.
   sequential-consistency: W(x,1) -po-> R(y,0) -fr-> W(y,1) -po-> R(x,0) -fr-> W(x,1)
   W(x,1) comes before R(y,0) in P0; R(y,0) reads what W(y,1) overwrites; W(y,1) comes before R(x,0) in P1; R(x,0) \
reads what W(x,1) overwrites; so W(x,1) would have to come before itself.
";
    assert_eq!(why_not(SB, &["a=0, b=0", "--model", "sc"]), (1, expected.to_owned(), String::new()));
    // It is what the condition asks for, and SC is what is meant without a word.
    assert_eq!(why_not(SB, &[]), (1, expected.to_owned(), String::new()));
    let (status, out, _) = why_not(SB, &["--explain"]);
    assert_eq!(status, 1);
    assert!(out.lines().count() > expected.lines().count(), "{out}");
}

#[test]
fn what_is_allowed_has_a_witness() {
    let (status, out, _) = why_not(SB, &["a=0, b=0", "--model", "tso"]);
    assert_eq!(status, 0);
    assert!(out.starts_with("TSO allows P0:a=0, P1:b=0. This execution ends so. GenMC completes it at step "), "{out}");
    assert!(out.contains("R(y,0)"), "{out}");
    // What SC says of it, and why that does not hold here.
    let why = "\
SC forbids it:
   sequential-consistency: W(x,1) -po-> R(y,0) -fr-> W(y,1) -po-> R(x,0) -fr-> W(x,1)
";
    assert!(out.contains(why), "{out}");
    let reasons = "\
TSO does not keep W(x,1) before R(y,0): the write waits in P0's store buffer while the read goes ahead.
TSO does not keep W(y,1) before R(x,0): the write waits in P1's store buffer while the read goes ahead.
";
    assert!(out.contains(reasons), "{out}");
    let (_, object) = json(SB, &["a=0, b=0", "--model", "ra"]);
    assert_eq!(object["liberty"]["axiom"], "sequential-consistency");
    assert_eq!(object["liberty"]["cycle"].as_array().map(Vec::len), Some(4));
    assert!(object["liberty"]["reasons"][0].as_str().is_some_and(|reason| reason.starts_with("RA allows it: ")));
    let (status, object) = json(SB, &["a=1", "--model", "sc"]);
    assert_eq!((status, &object["verdict"]), (0, &"allowed".into()));
    assert_eq!(object["liberty"], Value::Null);
    assert_eq!(object["state"], serde_json::json!({ "P0:a": 1 }));
    assert!(object["position"].as_u64().is_some_and(|position| position > 0));
    assert_eq!(object["witness"][0], serde_json::json!({ "read": "R(y,1)", "write": "W(y,1)" }));
}

#[test]
fn coherence_orders_have_cycles_of_their_own() {
    // What is last of x is not asked for: both orders are, and each has its cycle.
    let text = "shared x\nx := 1 || x := 2 || a := x; b := x || c := x; d := x";
    let (status, object) = json(text, &["a=1, b=2, c=2, d=1", "--model", "ra"]);
    assert_eq!((status, &object["all_cases"], &object["bounded"]), (1, &true.into(), &false.into()));
    let cases = object["cases"].as_array().expect("a list");
    assert_eq!((cases.len(), &cases[0]["orders"], &cases[0]["whatever_order"]), (1, &2.into(), &false.into()));
    let cycles = cases[0]["cycles"].as_array().expect("a list");
    let orders: Vec<_> = cycles.iter().flat_map(|cycle| cycle["orders"].as_array().expect("a list")).collect();
    assert_eq!(orders, ["x: W(x,1) → W(x,2)", "x: W(x,2) → W(x,1)"], "{cycles:?}");
    let (_, out, _) = why_not(text, &["a=1, b=2, c=2, d=1", "--model", "ra"]);
    assert!(out.contains("Each of its 2 coherence orders has one of 2 cycles."), "{out}");
    assert!(out.contains("   co x: W(x,2) → W(x,1):\n"), "{out}");
}

#[test]
fn what_has_no_candidate_is_said() {
    let (status, out, _) = why_not(SB, &["x=3"]);
    assert_eq!((status, out.as_str()), (1, "No model allows x=3: no write ever writes 3 to x.\n"));
    let (_, out, _) = why_not(SB, &["x=0"]);
    assert_eq!(out, "No model allows x=0: x does not keep its initial value 0: it is always overwritten.\n");
    let (_, out, _) = why_not(SB, &["a=2"]);
    assert!(out.contains("P0:a never ends as 2, whatever writes the reads read from"), "{out}");
    let (_, out, _) = why_not(SB, &["a=0, a=1"]);
    assert!(out.contains("it contradicts itself"), "{out}");
    let (_, out, _) = why_not("a := x; if a = 1 { y := 1 } || x := 1; b := y", &["a=0, y=1"]);
    assert!(out.contains("no thread that ends so writes 1 to y"), "{out}");
    let lb = "a := y; x := 1 || b := x; y := 1";
    let (status, object) = json(lb, &["a=1, b=1"]);
    assert_eq!((status, &object["verdict"], &object["absent"][0]["why"]), (1, &"impossible".into(), &"cyclic".into()));
}

#[test]
fn what_is_wrong_or_cut_is_said() {
    let (status, out, err) = why_not(SB, &["a=0, k=1"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert_eq!(err, "litmoscope: the outcome, character 6: there is no `k`: there are P0:a, P1:b, x, y\n");
    let (status, _, err) = why_not("x := 1 || a := x", &[]);
    assert_eq!(status, 2);
    assert!(err.contains("the program has no condition"), "{err}");
    assert_eq!(why_not("x := (", &["x=1"]).0, 2);
    assert_eq!(why_not(SB, &["--model", "k"]).0, 2);
    let (status, out, _) = why_not(SB, &["--candidates", "3"]);
    assert_eq!(status, 3);
    assert!(out.contains("too many candidate executions"), "{out}");
    let many = "x := 1 || x := 2 || x := 3 || x := 4 || a := x; b := x || c := x; d := x || e := x; f := x";
    let (status, out, _) = why_not(many, &["a=1, b=2, c=2, d=1", "--steps", "3"]);
    assert_eq!(status, 3);
    assert!(out.starts_with("Not known: "), "{out}");
    let (status, out, _) = why_not("x := 1 || repeat { a := x } until a = 1", &["a=0", "--unroll-spins"]);
    assert_eq!(status, 3);
    assert!(out.contains("Bounded: "), "{out}");
}

/// All coherence orders with these last writes that keep po and have read-modify-writes behind their sources.
fn orders(graph: &Execution, last: &[EventId]) -> BTreeSet<Coherence> {
    fn permutations(rest: &[EventId]) -> Vec<Vec<EventId>> {
        if rest.is_empty() {
            return vec![Vec::new()];
        }
        let first = |at: usize| {
            let others: Vec<_> = rest.iter().copied().filter(|&w| w != rest[at]).collect();
            permutations(&others).into_iter().map(move |tail| [&[rest[at]], &tail[..]].concat())
        };
        (0..rest.len()).flat_map(first).collect()
    }
    let mut all = vec![Coherence::new()];
    let locations = graph.events().filter(|(_, event)| event.is_init()).count();
    for location in 0..locations {
        let writes: Vec<_> = graph.writes(Location(location as u32)).collect();
        let ends_so = |order: &Vec<EventId>| {
            let asked = writes[1..].iter().find(|w| last.contains(w));
            asked.is_none() || order.last() == asked
        };
        let keeps = |order: &Vec<EventId>| {
            order
                .iter()
                .enumerate()
                .all(|(at, &a)| order[at + 1..].iter().all(|&b| !graph.po(b, a) && graph.source(a) != Some(b)))
        };
        let orders: Vec<_> = permutations(&writes[1..]).into_iter().filter(|o| ends_so(o) && keeps(o)).collect();
        let with_initial = |order: &Vec<EventId>| [&writes[..1], order].concat();
        all = all.iter().flat_map(|co| orders.iter().map(|o| [&co[..], &[with_initial(o)]].concat())).collect();
    }
    all.into_iter().collect()
}

/// The answer is that of the comparison, which is compared with the brute force; a forbidden outcome has a case for each
/// candidate, each with all its coherence orders, none of which the brute force has consistent.
#[test]
fn answers_are_complete_and_true() {
    let (mut allowed, mut forbidden, mut each, mut explained) = (0, 0, 0, 0);
    let options = Options::within(Limits { unroll: UNROLL, unroll_spins: true, ..Limits::default() });
    let bounds = ComparisonBounds { candidates: 1000, explained: 1, ..ComparisonBounds::default() };
    for_all(0..400, |program| {
        let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
        let shared = Arc::new(program.clone());
        let comparison = Comparer::new(shared, Arc::clone(&code), &Model::ALL, options, bounds).compare();
        if !comparison.all_outcomes {
            return Ok(());
        }
        for row in comparison.outcomes.iter().step_by(comparison.outcomes.len() / 3 + 1) {
            let equations = comparison.observables.iter().zip(&row.state).map(|(&observable, &value)| {
                format!("{}={}", program.observable_name(observable), program.value_text(value))
            });
            let text = equations.collect::<Vec<_>>().join(", ");
            if text.is_empty() {
                continue;
            }
            let question = OutcomeQuestion::parse(program, &text).map_err(|error| error.to_string())?;
            for (model, cell) in Model::ALL.into_iter().zip(&row.cells) {
                let context = |what: &str| format!("{text} under {model}: {what}");
                let why_not = Asker::new(program, Arc::clone(&code), &question, model, options, bounds).ask();
                match (why_not.answer, cell) {
                    (WhyNotAnswer::Allowed { witness, co, position, why_allowed, .. }, Cell::Allowed { .. }) => {
                        allowed += 1;
                        let of_sc = matches!(row.cells[0], Cell::Forbidden { .. });
                        if of_sc && why_allowed.is_none() {
                            return Err(context("SC forbids the outcome, but not its witness"));
                        }
                        if let Some(why_allowed) = why_allowed {
                            explained += 1;
                            let least = if model == Model::RA { 2 } else { 1 };
                            if model == Model::SC || why_allowed.unbound.len() < least {
                                return Err(context(&format!("nothing makes it allowed: {why_allowed:?}")));
                            }
                        }
                        if !coherence_orders(model, &witness).contains(&co) {
                            return Err(context("the witness has no such coherence order"));
                        }
                        let mut explorer = GenMc::new(Arc::clone(&code), model, options);
                        (0..position).for_each(|_| {
                            explorer.advance();
                        });
                        if explorer.execution() != &*witness {
                            return Err(context("the witness is not at its position"));
                        }
                    }
                    (WhyNotAnswer::Forbidden { cases, all }, Cell::Forbidden { .. }) => {
                        forbidden += 1;
                        let different: BTreeSet<_> =
                            cases.iter().map(|case| (case.graph.canonical(), case.last.clone())).collect();
                        if !all || different.len() != cases.len() || cases.len() as u64 != row.candidates {
                            return Err(context(&format!("{} cases, not {}", cases.len(), row.candidates)));
                        }
                        for case in cases {
                            let orders = orders(&case.graph, &case.last);
                            if case.orders != orders.len() as u64 {
                                return Err(context(&format!("{} orders, not {orders:?}", case.orders)));
                            }
                            let consistent = coherence_orders(model, &case.graph);
                            if model != Model::WRA && orders.iter().any(|co| consistent.contains(co)) {
                                return Err(context("a case is consistent"));
                            }
                            if let Ruling::Each { cycles } = &case.ruling {
                                each += 1;
                                let listed: Vec<_> = cycles.iter().flat_map(|(_, orders)| orders).cloned().collect();
                                if listed.len() != orders.len() || listed.into_iter().collect::<BTreeSet<_>>() != orders
                                {
                                    return Err(context("not all orders are listed"));
                                }
                            }
                            let violations: Vec<_> = match &case.ruling {
                                Ruling::Any { violation } => vec![violation],
                                Ruling::Each { cycles } => cycles.iter().map(|(violation, _)| violation).collect(),
                                Ruling::TooMany { .. } => return Err(context("too many orders")),
                            };
                            for violation in violations {
                                let cycle = &violation.cycle;
                                let next = cycle.iter().cycle().skip(1);
                                if cycle.is_empty() || cycle.iter().zip(next).any(|(edge, next)| edge.to != next.from) {
                                    return Err(context("the cycle is not closed"));
                                }
                            }
                        }
                    }
                    (answer, _) => return Err(context(&format!("{answer:?}"))),
                }
            }
        }
        Ok(())
    });
    assert!(allowed > 100 && forbidden > 100 && each > 0, "{allowed} allowed, {forbidden} forbidden, {each} each");
    assert!(explained > 50, "{explained} explained");
}

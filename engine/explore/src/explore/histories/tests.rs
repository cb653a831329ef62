//! Histories of the library's objects, and of random ones.

use super::{
    Judged, Operations, Order, Runs, Sight, clients, each_execution, explore, is_broken_queue, judge, linearization,
    operations_of, with_client as with_calls,
};
use crate::explore::{ExecutionKind, Options, operational};
use crate::graph::{Call, CallResult};
use crate::model::Model;
use crate::program::{Code, Limits, Program, Value};
use crate::syntax::parse;
use std::collections::BTreeSet;
use std::sync::Arc;

macro_rules! object {
    ($name:literal) => {
        include_str!(concat!("../../../../../public/objects/", $name, ".lit"))
    };
}

const TREIBER: &str = object!("treiber");
const RING: &str = object!("ring-buffer");

fn read(text: &str) -> (Program, Arc<Code>) {
    let program = parse(text).unwrap_or_else(|wrong| panic!("{wrong:#?}\n{text}")).program;
    let code = Arc::new(Code::compile(&program).expect("it can be explored"));
    (program, code)
}

/// The object of a text with other threads.
fn with_client(text: &str, client: &str) -> String {
    let (object, _) = text.split_once("\n}\n").expect("an object");
    format!("{object}\n}}\n{client}")
}

type Histories = BTreeSet<(Vec<(u16, u16, Vec<Value>, CallResult)>, Order)>;

/// The histories of complete executions by time, and how many of them are not linearizable. Rounds of a loop that change nothing are
/// part of them: they make operations longer.
fn by_time(text: &str, model: Model) -> (usize, usize) {
    by_time_within(text, model, Limits { unroll_spins: true, unroll: 3, ..Limits::default() })
}

fn by_time_within(text: &str, model: Model, limits: Limits) -> (usize, usize) {
    let (program, code) = read(text);
    let mut histories = Histories::new();
    let mut wrong = 0;
    each_execution(&code, model, limits.into(), |graph, kind| {
        if kind != ExecutionKind::Complete {
            return Ok(());
        }
        let operations = Operations::new(&program, &code, graph, limits, 0)?;
        let runs = Runs::new(model, graph, 1 << 20)?;
        let mut is_wrong = false;
        for order in runs.timed(&operations) {
            let fits = linearization(&operations, &order).is_some();
            is_wrong |= !fits;
            wrong += usize::from(histories.insert((operations.summary(), order)) && !fits);
        }
        assert_eq!(runs.worst(&operations)?.is_some(), is_wrong, "{text}");
        Ok(())
    })
    .expect("it is small");
    (histories.len(), wrong)
}

fn is_fine(text: &str, model: Model, sight: Sight) -> bool {
    let (program, code) = read(text);
    explore(&program, &code, model, Options::default(), 0, sight).expect("it is small").violating == 0
}

#[test]
fn treibers_stack() {
    for model in [Model::Sc, Model::Tso, Model::Pso] {
        assert_eq!(by_time(TREIBER, model), (32, 0), "{model}");
    }
    assert_eq!(by_time(object!("treiber-plain-push"), Model::Sc), (34, 14));
    let smallest = object!("treiber-plain-pop");
    for client in ["s.push(1); a := s.pop()\n||\na := s.pop()", "s.push(1) || a := s.pop() || a := s.pop()"] {
        for sight in [Sight::Time, Sight::Client] {
            assert!(!is_fine(&with_client(smallest, client), Model::Sc, sight), "{client}");
            assert!(is_fine(&with_client(TREIBER, client), Model::Sc, sight), "{client}");
        }
    }
}

#[test]
fn michael_and_scotts_queue() {
    for model in [Model::Sc, Model::Tso, Model::Pso] {
        assert_eq!(by_time(object!("michael-scott"), model), (30, 0), "{model}");
    }
}

#[test]
fn a_ring_buffer() {
    let store = RING.replace("    tail := t", "    fence rel\n    tail := t");
    let full = RING.replace("    tail := t + 1", "    fence rel\n    tail := t + 1\n    fence sc");
    for (text, model, counts) in [
        (RING, Model::Sc, (4, 0)),
        (RING, Model::Tso, (5, 1)),
        (RING, Model::Pso, (7, 3)),
        (&store, Model::Pso, (5, 1)),
        (&full, Model::Sc, (4, 0)),
        (&full, Model::Tso, (4, 0)),
        (&full, Model::Pso, (4, 0)),
    ] {
        assert_eq!(by_time(text, model), counts, "{model}\n{text}");
        let by_client = is_fine(text, model, Sight::Client);
        assert_eq!(by_client, !(model == Model::Pso && text == RING), "{model}\n{text}");
    }
}

#[test]
fn herlihy_and_wings_queue() {
    let queue = object!("herlihy-wing");
    assert_eq!(by_time(queue, Model::Sc), (30, 0));
    assert_eq!(by_time(queue, Model::Tso), (36, 6));
    let fenced = queue.replace("    it[i] := v\n", "    it[i] := v\n    fence sc\n");
    assert_eq!(by_time(&fenced, Model::Tso), (46, 0));
}

#[test]
fn a_stack_behind_petersons_lock() {
    let stack = object!("peterson");
    assert_eq!(by_time_within(stack, Model::Sc, Limits::default()), (32, 0));
    assert!(!is_fine(stack, Model::Tso, Sight::Time));
    let fenced = stack.replace("    turn := 1 - me\n", "    turn := 1 - me\n    fence sc\n");
    assert_eq!(by_time_within(&fenced, Model::Tso, Limits::default()), (32, 0));
}

#[test]
fn a_set_of_flags() {
    let set = "object s: set { shared f[2]\n add(v) { BODY; return 1 } }\na := s.add(1) || a := s.add(1)";
    let tested = set.replace("BODY", "if f[v] = 1 { return 0 }; f[v] := 1");
    assert_eq!(by_time(&tested, Model::Sc), (3, 1));
    assert_eq!(by_time(&set.replace("BODY", "if xchg(f[v], 1) = 1 { return 0 }"), Model::Sc), (2, 0));
}

/// How many clients of 1, 2, ... operations in at most three threads violate an object under SC.
fn violating(text: &str, operations: usize) -> Vec<usize> {
    let (program, _) = read(text);
    let methods = operations_of(&program.structures[0]);
    let judge = |client: &super::Client| -> Judged {
        let program = with_calls(&program, 0, client);
        let code = Arc::new(Code::compile(&program).expect("it can be explored"));
        explore(&program, &code, Model::Sc, Options::default(), 0, Sight::Time).expect("it is small")
    };
    let of_size = |size| clients(&methods, size, 3).iter().filter(|client| judge(client).violating > 0).count();
    (1..=operations).map(of_size).collect()
}

#[test]
fn clients_up_to_a_size() {
    let counts: Vec<usize> = (1..=6).map(|operations| clients(&[0, 1], operations, 3).len()).collect();
    assert_eq!(counts, [2, 7, 20, 54, 140, 360]);
    assert_eq!(violating(object!("treiber-plain-push"), 4), [0, 0, 0, 4]);
    assert_eq!(violating(object!("treiber-plain-pop"), 4), [0, 0, 2, 16]);
    assert_eq!(violating(object!("michael-scott-plain-deq"), 4), [0, 0, 2, 13]);
    assert_eq!(violating(object!("michael-scott-plain-enq"), 4), [0, 0, 0, 4]);
}

#[test]
fn queues_are_judged_by_pairs_too() {
    let mut told = [0; 2];
    let mut compare = |text: &str, model: Model, sizes: &[usize]| {
        let (program, _) = read(text);
        let methods = operations_of(&program.structures[0]);
        for client in sizes.iter().flat_map(|size| clients(&methods, *size, 3)) {
            let program = with_calls(&program, 0, &client);
            let code = Arc::new(Code::compile(&program).expect("it can be explored"));
            each_execution(&code, model, Options::default(), |graph, _| {
                let operations = Operations::new(&program, &code, graph, Limits::default(), 0)?;
                if let Some(is_broken) = is_broken_queue(model, &code, graph, &operations) {
                    let worst = judge(model, &code, graph, &operations, Sight::Client)?;
                    assert_eq!(is_broken, worst.is_some(), "{model}\n{text}\n{client:?}");
                    told[usize::from(is_broken)] += 1;
                }
                Ok(())
            })
            .expect("it is small");
        }
    };
    compare(object!("michael-scott-plain-enq"), Model::Sc, &[2, 3, 4]);
    compare(object!("michael-scott-plain-deq"), Model::Sc, &[3, 4]);
    compare(object!("michael-scott"), Model::Tso, &[3]);
    compare(RING, Model::Pso, &[2, 3, 4]);
    compare(object!("michael-scott"), Model::Rc11, &[2, 3]);
    assert!(told.iter().all(|count| *count > 10), "{told:?}");
}

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// An object whose methods do anything, and two or three threads that call them.
fn random_object(seed: u64) -> String {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1);
    let mut body = |value: &str| {
        let statements = (0..1 + dice.roll(2)).map(|_| {
            let (x, y) = (["x", "y"][dice.roll(2) as usize], ["x", "y"][dice.roll(2) as usize]);
            match dice.roll(6) {
                0 | 1 => format!("{x} := {value}"),
                2 => format!("r := {x}"),
                3 => format!("r := {x}; if r != 0 {{ {y} := 0 }}"),
                4 => format!("r := xchg({x}, {value})"),
                _ => ["fence sc", "fence rel", "r := cas(x, 0, 1)"][dice.roll(3) as usize].to_owned(),
            }
        });
        statements.collect::<Vec<_>>().join("; ")
    };
    let (insert, remove) = (body("n"), body("0"));
    let mut text = format!("object s: stack {{ shared x, y\n push(n) {{ {insert} }}\n");
    text += &format!(" pop() {{ {remove}; if r = 0 {{ return empty }}; return r }} }}\n");
    let mut value = 0;
    let mut thread = |calls: u64, dice: &mut Dice| {
        let calls = (0..calls).map(|_| {
            value += 1;
            if dice.roll(2) == 0 { format!("s.push({value})") } else { "a := s.pop()".to_owned() }
        });
        calls.collect::<Vec<_>>().join("; ")
    };
    let mut dice = Dice(seed);
    let threads: Vec<String> = match dice.roll(2) {
        0 => vec![thread(2, &mut dice), thread(2, &mut dice)],
        _ => vec![thread(1, &mut dice), thread(1, &mut dice), thread(1, &mut dice)],
    };
    text + &threads.join(" || ")
}

/// The histories of complete executions as the machines of [`operational`] give them.
fn by_machine(code: &Code, model: Model) -> Histories {
    let found = operational::histories(model, code, Options::default(), 1 << 18).expect("it is small");
    let flat = |threads: operational::Clocked| {
        let mut places = std::collections::BTreeMap::new();
        for (thread, calls) in threads.iter().enumerate() {
            (0..calls.len()).for_each(|at| {
                places.insert((thread, at), places.len());
            });
        }
        let calls: Vec<&(Call, BTreeSet<(usize, usize)>)> = threads.iter().flatten().collect();
        let summary = calls.iter().map(|(call, _)| (call.thread.0, call.method, call.arguments.clone(), call.result));
        let bits = |before: &BTreeSet<(usize, usize)>| before.iter().fold(0, |bits, call| bits | 1 << places[call]);
        (summary.collect(), calls.iter().map(|(_, before)| bits(before)).collect())
    };
    found.into_iter().map(flat).collect()
}

#[test]
fn random_objects_have_the_histories_of_the_machines() {
    let mut wrong = [0; 2];
    for seed in 0..60 {
        let text = random_object(seed);
        let (program, code) = read(&text);
        for model in [Model::Sc, Model::Tso, Model::Pso] {
            let mut histories = Histories::new();
            each_execution(&code, model, Options::default(), |graph, kind| {
                let operations = Operations::new(&program, &code, graph, Limits::default(), 0)?;
                if kind == ExecutionKind::Complete && operations.list.iter().all(|done| done.ends.is_some()) {
                    let orders = Runs::new(model, graph, 1 << 20)?.timed(&operations);
                    histories.extend(orders.into_iter().map(|order| (operations.summary(), order)));
                }
                Ok(())
            })
            .expect("it is small");
            assert_eq!(histories, by_machine(&code, model), "{model}\n{text}");
        }
        let verdict = is_fine(&text, Model::Sc, Sight::Time);
        assert_eq!(verdict, is_fine(&text, Model::Sc, Sight::Client), "{text}");
        wrong[usize::from(verdict)] += 1;
    }
    assert!(wrong.iter().all(|count| *count > 5), "{wrong:?}");
}

#[test]
fn modes_order_what_a_relaxed_stack_does_not() {
    let client = "s.push(1); s.push(2)\n||\na := s.pop(); b := s.pop()";
    let relaxed = with_client(TREIBER, client);
    assert!(!is_fine(&relaxed, Model::Rc11, Sight::HappensBefore));
    let ordered = relaxed.replace("cas(top, t, n)", "cas(top, t, n, acqrel)").replace("t := top", "t :=acq top");
    for sight in [Sight::HappensBefore, Sight::Client] {
        assert!(is_fine(&ordered, Model::Rc11, sight), "{sight:?}");
    }
}

//! Histories of the library's objects, and of random ones.

use super::{
    Client, Judged, Judging, Operations, Order, Runs, Search, Sight, clients, history_of, immediate, is_broken_queue,
    judge, linearization, operations_of, with_client as with_calls,
};
use crate::budget::Budget;
use crate::explore::{ExecutionKind, Options, operational};
use crate::graph::{Call, CallResult, Execution};
use crate::model::Model;
use crate::program::{Code, Limits, Program, Value};
use crate::syntax::parse;
use crate::{Answer, Monitor};
use litmoscope_core::testing::seeds;
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

/// Calls `see` with each execution.
pub(super) fn each_execution(
    code: &Arc<Code>,
    model: Model,
    options: Options,
    mut see: impl FnMut(&Execution, ExecutionKind, &mut Search),
) {
    let mut budget = Budget::unlimited();
    let is_whole = super::each_execution(code, model, options, &mut Budget::unlimited(), |execution| {
        see(&execution.graph, execution.kind, &mut Search::new(u64::MAX, &mut budget));
        true
    });
    assert!(is_whole);
}

fn judging(program: &Program, code: &Arc<Code>, model: Model, options: Options, sight: Sight) -> Judging {
    let (program, code) = (Arc::new(program.clone()), Arc::clone(code));
    Judging { program, code, model, options, structure: 0, sight }
}

/// What is found of a program's first object.
fn explore(program: &Program, code: &Arc<Code>, model: Model, sight: Sight) -> Judged {
    let judged = judging(program, code, model, Options::default(), sight).judge_all(&mut Budget::unlimited());
    assert_eq!((judged.unjudged, judged.is_cut_short), (0, false), "{:?}", judged.why);
    judged
}

/// Operations by thread and place with their results, and their order.
type Distinct = (Vec<(u16, u16, Vec<Value>, CallResult)>, Order);

type Histories = BTreeSet<Distinct>;

/// The histories of complete executions by time, and how many of them are not linearizable. Rounds of a loop that change nothing are
/// part of them: they make operations longer.
fn by_time(text: &str, model: Model) -> (usize, usize) {
    by_time_within(text, model, Limits { unroll_spins: true, unroll: 3, ..Limits::default() })
}

fn by_time_within(text: &str, model: Model, limits: Limits) -> (usize, usize) {
    let (program, code) = read(text);
    let mut histories = Histories::new();
    let mut wrong = 0;
    each_execution(&code, model, limits.into(), |graph, kind, search| {
        if kind != ExecutionKind::Complete {
            return;
        }
        let operations = Operations::new(&program, &code, graph, limits, 0).expect("it is small");
        let runs = Runs::new(model, graph, search).expect("there is a machine");
        let mut is_wrong = false;
        for order in runs.timed(&operations, search).expect("there is no limit") {
            let fits = linearization(&operations, &order, search).expect("there is no limit").is_some();
            is_wrong |= !fits;
            wrong += usize::from(histories.insert((operations.summary(), order)) && !fits);
        }
        let worst = runs.worst(&operations, search).expect("there is no limit");
        assert_eq!(worst.is_some(), is_wrong, "{text}");
        // What a clock sees are intervals, and the monitors say the same of them.
        if let Some(order) = worst {
            let history = history_of(&operations, &order).expect("a clock sees intervals");
            let mut budget = Budget::unlimited();
            let judged = crate::judge(&history, operations.object, Monitor::Auto, u64::MAX, &mut budget);
            assert!(matches!(judged.expect("nobody stops it").answer, Answer::Not(_)), "{text}\n{history:?}");
        }
    });
    let counted = judging(&program, &code, model, limits.into(), Sight::Time).judge_all(&mut Budget::unlimited());
    assert_eq!(counted.histories(), Some((histories.len(), wrong)), "{text}");
    (histories.len(), wrong)
}

fn is_fine(text: &str, model: Model, sight: Sight) -> bool {
    let (program, code) = read(text);
    explore(&program, &code, model, sight).violating == 0
}

#[test]
fn treibers_stack() {
    for model in [Model::SC, Model::TSO, Model::PSO] {
        assert_eq!(by_time(TREIBER, model), (32, 0), "{model}");
    }
    assert_eq!(by_time(object!("treiber-plain-push"), Model::SC), (34, 14));
    let smallest = object!("treiber-plain-pop");
    for client in ["s.push(1); a := s.pop()\n||\na := s.pop()", "s.push(1) || a := s.pop() || a := s.pop()"] {
        for sight in [Sight::Time, Sight::Client] {
            assert!(!is_fine(&with_client(smallest, client), Model::SC, sight), "{client}");
            assert!(is_fine(&with_client(TREIBER, client), Model::SC, sight), "{client}");
        }
    }
}

#[test]
fn michael_and_scotts_queue() {
    for model in [Model::SC, Model::TSO, Model::PSO] {
        assert_eq!(by_time(object!("michael-scott"), model), (30, 0), "{model}");
    }
}

#[test]
fn a_ring_buffer() {
    let store = RING.replace("    tail := t", "    fence rel\n    tail := t");
    let full = RING.replace("    tail := t + 1", "    fence rel\n    tail := t + 1\n    fence sc");
    for (text, model, counts) in [
        (RING, Model::SC, (4, 0)),
        (RING, Model::TSO, (5, 1)),
        (RING, Model::PSO, (7, 3)),
        (&store, Model::PSO, (5, 1)),
        (&full, Model::SC, (4, 0)),
        (&full, Model::TSO, (4, 0)),
        (&full, Model::PSO, (4, 0)),
    ] {
        assert_eq!(by_time(text, model), counts, "{model}\n{text}");
        let by_client = is_fine(text, model, Sight::Client);
        assert_eq!(by_client, !(model == Model::PSO && text == RING), "{model}\n{text}");
    }
}

#[test]
fn herlihy_and_wings_queue() {
    let queue = object!("herlihy-wing");
    assert_eq!(by_time(queue, Model::SC), (30, 0));
    assert_eq!(by_time(queue, Model::TSO), (36, 6));
    let fenced = queue.replace("    it[i] := v\n", "    it[i] := v\n    fence sc\n");
    assert_eq!(by_time(&fenced, Model::TSO), (46, 0));
}

#[test]
fn a_stack_behind_petersons_lock() {
    let stack = object!("peterson");
    assert_eq!(by_time_within(stack, Model::SC, Limits::default()), (32, 0));
    assert!(!is_fine(stack, Model::TSO, Sight::Time));
    let fenced = stack.replace("    turn := 1 - me\n", "    turn := 1 - me\n    fence sc\n");
    assert_eq!(by_time_within(&fenced, Model::TSO, Limits::default()), (32, 0));
}

#[test]
fn a_set_of_flags() {
    assert_eq!(by_time(object!("flags-tested"), Model::SC), (3, 1));
    for model in [Model::SC, Model::TSO, Model::PSO] {
        assert_eq!(by_time(object!("flags-exchanged"), model), (2, 0), "{model}");
    }
}

#[test]
fn a_set_as_a_list_loses_what_is_put_in_behind_a_node_that_goes() {
    assert_eq!(by_time(object!("list-set-plain"), Model::SC), (4, 1));
    // Who waits for the lock has not begun.
    for (set, histories) in
        [(object!("list-set-coarse"), 2), (object!("list-set-lazy"), 3), (object!("list-set-marks"), 3)]
    {
        assert_eq!(by_time(set, Model::SC), (histories, 0), "{set}");
        for sight in Sight::ALL {
            assert!(is_fine(set, Model::SC, sight), "{set}");
        }
    }
}

#[test]
fn a_node_that_is_used_again_is_taken_for_the_one_it_was() {
    let stack = object!("treiber-aba");
    assert_eq!(by_time(stack, Model::SC), (18, 3));
    assert_eq!(by_time(&stack.replace("s.push(2, 3)", "s.push(3, 3)"), Model::SC), (15, 0));
}

#[test]
fn what_is_before_and_behind_all_threads_is_part_of_the_history() {
    let text = "object s: stack { shared x\n push(n) { r := xchg(x, n) }\n pop() { r := xchg(x, 0); if r = 0 { return empty }; return r } }\n";
    for (threads, expected) in [
        ("before { s.push(1) }\na := s.pop() || skip\nafter { b := s.pop() }", true),
        ("before { s.push(1); s.push(2) }\na := s.pop()\nafter { b := s.pop() }", false),
        ("s.push(1) || s.push(2)\nafter { a := s.pop() }", true),
        ("s.push(1) || s.push(2)\nafter { a := s.pop(); b := s.pop() }", false),
    ] {
        for model in Model::ALL.into_iter().filter(|model| model.rules().orders_locations()) {
            for sight in Sight::ALL.into_iter().filter(|sight| *sight != Sight::Time || model.rules().has_machine()) {
                assert_eq!(
                    is_fine(&format!("{text}{threads}"), model, sight),
                    expected,
                    "{threads}: {model}, {sight:?}"
                );
            }
        }
    }
}

/// How many clients of 1, 2, ... operations in at most three threads violate an object under SC.
fn violating(text: &str, operations: usize) -> Vec<usize> {
    let (program, _) = read(text);
    let methods = operations_of(&program.structures[0]);
    let judge = |client: &Client| -> Judged {
        let program = with_calls(&program, 0, client);
        let code = Arc::new(Code::compile(&program).expect("it can be explored"));
        let [time, client] = [Sight::Time, Sight::Client].map(|sight| explore(&program, &code, Model::SC, sight));
        assert_eq!(time.violating > 0, client.violating > 0, "{program:?}");
        client
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
            each_execution(&code, model, Options::default(), |graph, _, search| {
                let operations = Operations::new(&program, &code, graph, Limits::default(), 0).expect("it is small");
                let broken = is_broken_queue(model, &code, graph, &operations, search).expect("there is no limit");
                if let Some(is_broken) = broken {
                    let worst = judge(model, &code, graph, &operations, Sight::Client, search);
                    let worst = worst.expect("there is no limit");
                    assert_eq!(is_broken, worst.is_some(), "{model}\n{text}\n{client:?}");
                    told[usize::from(is_broken)] += 1;
                }
            });
        }
    };
    compare(object!("michael-scott-plain-enq"), Model::SC, &[2, 3, 4]);
    compare(object!("michael-scott-plain-deq"), Model::SC, &[3, 4]);
    compare(object!("michael-scott"), Model::TSO, &[3]);
    compare(RING, Model::PSO, &[2, 3, 4]);
    compare(object!("michael-scott"), Model::RC11, &[2, 3]);
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
    let before = if dice.roll(3) == 0 { "before { s.push(9) }\n" } else { "" };
    let after = if dice.roll(3) == 0 { "\nafter { s.push(8); b := s.pop() }" } else { "" };
    text + before + &threads.join(" || ") + after
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

/// A history without what was done before there were threads, which has to be in front of all.
fn without_before(operations: &Operations, order: &Order) -> Distinct {
    let before = operations.list.iter().take_while(|done| done.is_before()).count();
    assert!(order[before..].iter().all(|set| set.trailing_ones() as usize >= before), "{order:?}");
    let summary = operations.summary().split_off(before);
    (summary, order[before..].iter().map(|set| set >> before).collect())
}

#[test]
fn random_objects_have_the_histories_of_the_machines() {
    let mut wrong = [0; 2];
    for seed in seeds(400) {
        let text = random_object(seed);
        let (program, code) = read(&text);
        for model in [Model::SC, Model::TSO, Model::PSO] {
            let mut histories = Histories::new();
            each_execution(&code, model, Options::default(), |graph, kind, search| {
                let operations = Operations::new(&program, &code, graph, Limits::default(), 0).expect("it is small");
                let has_events = |done: &super::Done| done.ends.is_some() || done.is_before();
                if kind == ExecutionKind::Complete && operations.list.iter().all(has_events) {
                    let runs = Runs::new(model, graph, search).expect("there is a machine");
                    let orders = runs.timed(&operations, search).expect("there is no limit");
                    histories.extend(orders.into_iter().map(|order| without_before(&operations, &order)));
                }
            });
            assert_eq!(histories, by_machine(&code, model), "{model}\n{text}");
        }
        let verdict = is_fine(&text, Model::SC, Sight::Time);
        assert_eq!(verdict, is_fine(&text, Model::SC, Sight::Client), "{text}");
        wrong[usize::from(verdict)] += 1;
    }
    assert!(wrong.iter().all(|count| *count > 5), "{wrong:?}");
}

#[test]
fn modes_order_what_a_relaxed_stack_does_not() {
    let client = "s.push(1); s.push(2)\n||\na := s.pop(); b := s.pop()";
    let relaxed = with_client(TREIBER, client);
    assert!(!is_fine(&relaxed, Model::RC11, Sight::HappensBefore));
    let ordered = relaxed.replace("cas(top, t, n)", "cas(top, t, n, acqrel)").replace("t := top", "t :=acq top");
    for sight in [Sight::HappensBefore, Sight::Client] {
        assert!(is_fine(&ordered, Model::RC11, sight), "{sight:?}");
    }
}

/// The program whose threads send these messages between their calls, each from behind one call to in front of another.
fn written_out(object: &str, threads: &[&[&str]], messages: &[(usize, usize)], model: Model) -> String {
    let fence = if model.rules().buffers.is_some() { "fence rel; " } else { "" };
    let names: Vec<String> = (0..messages.len()).map(|at| format!("m{at}")).collect();
    let mut number = 0;
    let mut thread = |calls: &&[&str]| {
        let mut text = Vec::new();
        for call in *calls {
            let received = messages.iter().enumerate().filter(|(_, message)| message.1 == number);
            text.extend(received.map(|(at, _)| format!("g :=acq m{at}; assume g = 1")));
            text.push((*call).to_owned());
            let sent = messages.iter().enumerate().filter(|(_, message)| message.0 == number);
            text.extend(sent.map(|(at, _)| format!("{fence}m{at} :=rel 1")));
            number += 1;
        }
        text.join("; ")
    };
    let threads: Vec<String> = threads.iter().map(&mut thread).collect();
    let shared = if names.is_empty() { String::new() } else { format!("shared {}\n", names.join(", ")) };
    format!("{shared}{object}\n{}", threads.join(" || "))
}

#[test]
fn a_client_sees_what_hb_shows_of_some_messages_written_out() {
    let only_object = |text: &str| format!("{}\n}}\n", text.split_once("\n}\n").expect("an object").0);
    let mut told = [0; 2];
    let mut compare = |object: &str, threads: &[&[&str]], models: &[Model]| {
        let of: Vec<usize> = threads.iter().enumerate().flat_map(|(at, calls)| calls.iter().map(move |_| at)).collect();
        let all = (0..of.len()).flat_map(|from| (0..of.len()).map(move |to| (from, to)));
        let pairs: Vec<(usize, usize)> = all.filter(|(from, to)| of[*from] != of[*to]).collect();
        for &model in models {
            let by_client = is_fine(&written_out(object, threads, &[], model), model, Sight::Client);
            let by_hb = (0..1u32 << pairs.len()).all(|set| {
                let bits = pairs.iter().enumerate().filter(|(at, _)| set & 1 << at != 0);
                let messages: Vec<(usize, usize)> = bits.map(|(_, pair)| *pair).collect();
                is_fine(&written_out(object, threads, &messages, model), model, Sight::HappensBefore)
            });
            assert_eq!(by_client, by_hb, "{model}\n{}", written_out(object, threads, &[], model));
            told[usize::from(by_client)] += 1;
        }
    };
    let models = [Model::SC, Model::TSO, Model::PSO, Model::RA, Model::RC11];
    compare(&only_object(RING), &[&["q.enq(1)"], &["a := q.deq()"]], &models);
    let calls: &[&[&str]] = &[&["s.push(1)"], &["a := s.pop()"], &["a := s.pop()"]];
    compare(&only_object(object!("treiber-plain-pop")), calls, &[Model::SC]);
    for seed in 0..12 {
        let text = random_object(seed);
        let object: Vec<&str> = text.lines().take(3).collect();
        compare(&object.join("\n"), &[&["s.push(1)", "a := s.pop()"], &["b := s.pop()"]], &models);
    }
    assert!(told.iter().all(|count| *count > 5), "{told:?}");
}

#[test]
fn pairs_that_follow_from_others_are_left_out() {
    assert_eq!(immediate(&vec![0, 1, 0b11, 0b1]), [(0, 1), (1, 2), (0, 3)]);
}

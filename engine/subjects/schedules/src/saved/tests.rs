//! What is written is read again; what is wrong is said where.

use super::{Saved, SavedError, fingerprint, program_of, read, text, write};
use crate::check::tests::{random_term, sample};
use crate::check::{Property, Ranges, properties};
use crate::game::tests::{alternating, random_ivr};
use crate::testing::{buffer, states, system};
use litmoscope_core::budget::Budget;
use litmoscope_core::program::system::{States, System, Term, Variable};
use litmoscope_core::program::{Arithmetic, BinaryOperator, Integer, UnaryOperator, Value};
use litmoscope_core::random::Random;
use litmoscope_core::testing::looping::{Shape, looping};
use litmoscope_core::testing::seeds;
use std::sync::Arc;

#[test]
fn what_is_written_is_read_again() {
    for seed in seeds(500) {
        let text = looping(seed, Shape::default());
        let system = system(&text);
        let mut ivr = random_ivr(&system, seed);
        let mut random = Random::new(seed);
        for allowed in ivr.nodes.iter_mut().flat_map(|node| &mut node.allows) {
            if random.below(3) == 0 {
                allowed.when = Some(random_term(&mut random, 3));
            }
        }
        let json = write(&system, &Saved::Ivr(ivr.clone()), Some(&text)).expect("it can be written");
        assert_eq!(program_of(&json).expect("ours"), Some(text.clone()));
        let Saved::Ivr(again) = read(&system, &json).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{json}"))
        else {
            panic!("{json}")
        };
        assert_eq!(again.nodes.len(), ivr.nodes.len());
        for (own, other) in ivr.nodes.iter().zip(&again.nodes) {
            assert_eq!(own.next, other.next, "seed {seed}\n{json}");
            for (own, other) in own.allows.iter().zip(&other.allows) {
                assert_eq!((own.thread, own.when.is_some()), (other.thread, other.when.is_some()));
                if let Some((own, other)) = own.when.as_ref().zip(other.when.as_ref()) {
                    same(&system, own, other);
                }
            }
        }
        let Ok(states) = States::of(&system, 100) else { continue };
        let ranges = Ranges::of(&system, &states, 1000);
        let art = sample(&system, &states, &ranges, seed, 12).art;
        let json = write(&system, &Saved::Art(art.clone()), None).expect("it can be written");
        let Saved::Art(again) = read(&system, &json).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{json}"))
        else {
            panic!("{json}")
        };
        assert_eq!(again.nodes.len(), art.nodes.len());
        for (own, other) in art.nodes.iter().zip(&again.nodes) {
            assert_eq!((&own.above, &own.points, &own.below), (&other.above, &other.points, &other.below));
            assert_eq!(own.covered_by, other.covered_by);
            same(&system, &own.label, &other.label);
        }
        assert_eq!(write(&system, &Saved::Art(again), None), Ok(json));
    }
}

/// Two terms have the same values.
fn same(system: &System, one: &Term, other: &Term) {
    for code in 0..27_i64 {
        let values: Vec<Value> = (0..system.variables.len() as i64).map(|at| (code + at * code / 3) % 3).collect();
        assert_eq!(one.evaluate(&values, &[]), other.evaluate(&values, &[]), "{one:?}\n{other:?}");
    }
}

#[test]
fn all_operators_have_texts() {
    let system = system("shared x, y, q[2]\nr := x; y := r; q[0] := 1 || skip");
    let variable = |at: u32| Arc::new(Term::Variable(Variable(at)));
    let mut random = Random::new(3);
    let operators = {
        use BinaryOperator as B;
        let mut all = vec![
            B::Add,
            B::Subtract,
            B::Multiply,
            B::Divide,
            B::Remainder,
            B::BitAnd,
            B::BitOr,
            B::BitXor,
            B::ShiftLeft,
            B::ShiftRight,
            B::Equal,
            B::NotEqual,
            B::Less,
            B::LessOrEqual,
            B::Greater,
            B::GreaterOrEqual,
            B::And,
            B::Or,
        ];
        for integer in Integer::ALL {
            for arithmetic in [
                Arithmetic::Add,
                Arithmetic::Subtract,
                Arithmetic::Multiply,
                Arithmetic::Divide,
                Arithmetic::Remainder,
                Arithmetic::ShiftLeft,
                Arithmetic::ShiftRight,
                Arithmetic::Less,
                Arithmetic::LessOrEqual,
                Arithmetic::Greater,
                Arithmetic::GreaterOrEqual,
            ] {
                all.push(B::Typed(arithmetic, integer));
            }
        }
        all
    };
    for seed in 0..2_000 {
        // Raw terms, as nobody simplified them.
        let mut terms: Vec<Arc<Term>> =
            vec![variable(0), variable(1), variable(3), Term::constant(-2), Term::constant(Value::MIN)];
        for _ in 0..4 {
            let pick = |random: &mut Random| terms[random.below(terms.len() as u64) as usize].clone();
            let operator = operators[random.below(operators.len() as u64) as usize];
            let (left, right) = (pick(&mut random), pick(&mut random));
            let next = match random.below(8) {
                0 => Term::If(pick(&mut random), left, right),
                // Of a type's operators, what is defined is simplified as if operands had the type.
                1 => Term::Defined(BinaryOperator::Remainder, left, right),
                2 => {
                    let unary = [
                        UnaryOperator::Negate,
                        UnaryOperator::Complement,
                        UnaryOperator::Not,
                        UnaryOperator::Convert(Integer::UInt8),
                    ];
                    Term::Unary(unary[random.below(4) as usize], left)
                }
                _ => Term::Binary(operator, left, right),
            };
            terms.push(Arc::new(next));
        }
        let term = terms.last().expect("there is one");
        let printed = text::print(&system, term).expect("a text");
        let again = text::read(&system, &printed).unwrap_or_else(|wrong| panic!("{seed}: {printed}\n{wrong:?}"));
        same(&system, term, &again);
    }
    let reads = |text: &str| text::read(&system, text).map(|term| text::print(&system, &term).expect("a text"));
    let is = |text: &str| reads(text).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"));
    assert_eq!(is("x=1 and y!=2||not q[1]<3"), "x = 1 and y != 2 or q[1] >= 3");
    assert_eq!(is("(x+1)*2 - -y"), "(x + 1) * 2 - -y");
    assert_eq!(is("defined_divide_int32(x, y) = to_uint8(x)"), "defined_divide_int32(x, y) = to_uint8(x)");
    // A list of ten thousand is no tall tree; a sum of them is.
    assert!(reads(&vec!["x = 1"; 10_000].join(" or ")).is_ok());
    for (text, column) in [
        ("", 1),
        ("x = ", 5),
        ("x < y < 1", 6),
        ("z = 1", 1),
        ("x = 1)", 6),
        ("x = 99999999999999999999", 5),
        ("if(x, y)", 8),
        ("to_int7(x)", 1),
        ("1x", 1),
        ("x y", 3),
        ("(x", 3),
        ("q[2] = 0", 1),
        ("ö", 1),
    ] {
        let wrong = reads(text).expect_err(text);
        assert_eq!(wrong.column, column, "{text}: {}", wrong.message);
    }
    assert!(reads(&vec!["x"; 1_000].join(" + ")).is_err());
    for deep in ["(", "-", "not ", "if(", "x + ("] {
        assert!(reads(&deep.repeat(100_000)).is_err());
    }
}

/// What a hand would write.
const BY_HAND: &str = r#"{ "litmoscope_ivr": 1,
  "nodes": [
    { "allow": ["P0", { "thread": "P1", "when": "count = 2 or m = 2" }],
      "next": [{ "thread": 0, "to": 0 }, { "thread": "P1", "to": 0 }] }
  ] }"#;

#[test]
fn a_result_by_hand_is_decided() {
    let system = system(&buffer(2, 1, 1, ""));
    let states = states(&system);
    let saved = read(&system, BY_HAND).unwrap_or_else(|error| panic!("{error}"));
    let found = properties(&system, &states, Some(&saved.ivr(&system)), 1000, &mut Budget::unlimited()).expect("few");
    assert_eq!(found.strongest(), Some(Property::AdmitsFairness));
    // The more is said of a step, the more it counts.
    let json = r#"{ "litmoscope_ivr": 1, "nodes": [
        { "allow": ["P0"], "next": [{ "thread": "P0", "at": "2:22", "branch": 1, "to": 2 }, { "thread": "P0", "to": 0 }, { "thread": "P0", "at": "2:22", "to": 1 }] },
        { "allow": [] }, { "allow": [] } ] }"#;
    let Saved::Ivr(ivr) = read(&system, json).unwrap_or_else(|error| panic!("{error}")) else { panic!("a result") };
    let mut targets: Vec<u32> = ivr.nodes[0].next.iter().map(|(_, to)| to.0).collect();
    targets.sort_unstable();
    targets.dedup();
    assert_eq!(targets, [0, 1, 2], "{ivr:?}");
}

#[test]
fn a_tree_by_hand_is_read() {
    let system = system("shared x\nwhile 1 { r := x; if r = 0 { x := 1 } }");
    let json = r#"{ "litmoscope_ivr": 1, "tree": [
        { "points": { "P0": "2:16" }, "below": [{ "thread": "P0", "branch": 0, "to": 1 }, { "thread": "P0", "branch": 1, "to": 2 }] },
        { "label": "x = 0", "below": [{ "thread": "P0", "to": 3 }] },
        { "label": "x != 0", "covered_by": 0 },
        { "covered_by": 0 } ] }"#;
    let Saved::Art(art) = read(&system, json).unwrap_or_else(|error| panic!("{error}")) else { panic!("a tree") };
    let states = states(&system);
    let mut ranges = Ranges::of(&system, &states, 1000);
    let found = crate::check::tree_properties(&system, &art, &mut ranges).expect("few values");
    assert_eq!(found.strongest(), Some(crate::check::TreeProperty::Fair), "{found:?}");
}

#[test]
fn what_is_wrong_is_said_where() {
    let own = system(&buffer(2, 1, 1, ""));
    let says = |json: &str| read(&own, json).map(|_| ()).expect_err(json).to_string();
    let node = |inside: &str| says(&format!("{{\"litmoscope_ivr\": 1, \"nodes\": [{{\"allow\": []}}, {{{inside}}}]}}"));
    let tree = |inside: &str| says(&format!("{{\"litmoscope_ivr\": 1, \"tree\": [{inside}]}}"));
    for (message, part) in [
        (says(""), "line 1, column 1: EOF"),
        (says("{\"litmoscope_ivr\": 1,\n \"nodes\": [}"), "line 2, column 12: expected value"),
        (says("{}"), "missing field `litmoscope_ivr`"),
        (says("{\"litmoscope_ivr\": 2, \"more\": []}"), "`litmoscope_ivr` is 2"),
        (says("{\"litmoscope_ivr\": 1}"), "neither `nodes` nor a `tree`"),
        (says("{\"litmoscope_ivr\": 1, \"nodes\": []}"), "there is no node"),
        (says("{\"litmoscope_ivr\": 1, \"nodes\": [], \"edges\": []}"), "unknown field `edges`"),
        (says("{\"litmoscope_ivr\": 1, \"program\": {\"fingerprint\": \"0\"}, \"nodes\": []}"), "another program"),
        (node("\"allow\": [\"P7\"]"), "node 1, `allow` 0: there is no thread `P7`: there are P0, P1"),
        (node("\"allow\": [7]"), "node 1, `allow` 0: there is no thread 7"),
        (node("\"allow\": [[]]"), "what is allowed is the name of a thread"),
        (node("\"allow\": [\"P0\", 0]"), "node 1, `allow` 1: `P0` is allowed twice"),
        (
            node("\"allow\": [{\"thread\": \"P0\", \"when\": \"cont = 0\"}]"),
            "node 1, `allow` 0, `when`, character 1: there is no variable `cont`",
        ),
        (
            node("\"allow\": [], \"next\": [{\"thread\": \"P0\", \"to\": 9}]"),
            "node 1, `next` 0, `to`: there is no node 9",
        ),
        (node("\"allow\": [], \"next\": [{\"thread\": \"P0\", \"branch\": 0, \"to\": 0}]"), "`branch`: say `at`"),
        (
            node("\"allow\": [], \"next\": [{\"thread\": \"P0\", \"at\": \"9:9\", \"to\": 0}]"),
            "`P0` has no point `9:9`: it has 2:11",
        ),
        (
            node("\"allow\": [], \"next\": [{\"thread\": \"P0\", \"at\": \"2:22\", \"branch\": 2, \"to\": 0}]"),
            "node 1, `next` 0, `branch`: `P0` has 2 transitions from 2:22: 0 where 2:19 holds, to 2:34",
        ),
        (
            node("\"allow\": [], \"next\": [{\"thread\": \"P0\", \"to\": 0}, {\"thread\": \"P0\", \"to\": 1}]"),
            "`next` 0 says 0",
        ),
        (tree(""), "there is no node"),
        (tree("{}, {}"), "node 1: no edge"),
        (
            tree("{\"points\": {\"P0\": \"2:22\"}}"),
            "node 0, `points` `P0`: `2:22` is not where it starts: that is `2:11`",
        ),
        (tree("{\"label\": \"count +\"}"), "node 0, `label`, character 8"),
        (tree("{\"below\": [{\"thread\": \"P0\", \"to\": 0}]}"), "node 0 does not come behind node 0"),
        (
            tree("{\"below\": [{\"thread\": \"P0\", \"to\": 1}, {\"thread\": \"P1\", \"to\": 1}]}, {}"),
            "another edge leads to node 1",
        ),
        (
            tree("{\"below\": [{\"thread\": \"P0\", \"branch\": 1, \"to\": 1}]}, {}"),
            "node 0, `below` 0, `branch`: `P0` has 1 transitions",
        ),
        (
            tree("{\"below\": [{\"thread\": \"P0\", \"to\": 1}]}, {\"below\": [{\"thread\": \"P0\", \"to\": 2}]}, {}"),
            "node 1, `below` 0, `branch`: `P0` has 2",
        ),
        (tree("{\"covered_by\": 3}"), "node 0, `covered_by`: there is no node 3"),
        (says(&"[".repeat(100_000)), "line 1"),
    ] {
        assert!(message.contains(part), "{message}\n{part}");
    }
    let saved = write(&own, &Saved::Ivr(alternating(&own)), None).expect("it can be written");
    for other in [
        buffer(3, 1, 1, ""),
        buffer(2, 1, 1, " else { skip }"),
        format!("\n{}", buffer(2, 1, 1, "")),
        buffer(2, 2, 1, ""),
    ] {
        let other = system(&other);
        assert!(matches!(read(&other, &saved), Err(SavedError::OtherProgram { .. })));
    }
    assert!(read(&own, &saved).is_ok());
}

#[test]
fn fingerprints_stay() {
    // What is saved has to be found again by versions to come: change `VERSION` if this has to change.
    assert_eq!(fingerprint(&system(&buffer(2, 1, 1, ""))), "65e5651761eec5ba");
}

#[test]
fn what_is_broken_never_panics() {
    let system = system(&buffer(2, 1, 1, ""));
    let whole = write(&system, &Saved::Ivr(alternating(&system)), Some("text")).expect("it can be written");
    for seed in seeds(3_000) {
        let mut random = Random::new(seed);
        let text = if seed % 2 == 0 { BY_HAND } else { &whole };
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len() as u64) as usize;
            match random.below(3) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] = b" 019PQ\"{}[],:x=(-"[random.below(17) as usize],
                _ => {
                    bytes.remove(at);
                    bytes.push(b'}');
                }
            }
        }
        if let Ok(text) = String::from_utf8(bytes) {
            let _ = read(&system, &text).map(|saved| saved.ivr(&system));
        }
    }
}

//! What automata are read as, and what is wrong with others.

use super::*;
use litmoscope_core::random::Random;
use litmoscope_core::syntax::render;
use litmoscope_core::testing::seeds;

/// As ltl2tgba writes it for G(requests -> F grants), deterministic.
pub(crate) const RESPONSE: &str = "HOA: v1
name: \"G(requests -> Fgrants)\"
States: 2
Start: 0
AP: 2 \"requests\" \"grants\"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels trans-acc complete
properties: deterministic stutter-invariant
--BODY--
State: 0
[!0 | 1] 0 {0}
[0&!1] 1
State: 1
[1] 0 {0}
[!1] 1
--END--
";

fn get(text: &str) -> ReadAutomaton {
    parse_automaton(text).unwrap_or_else(|wrong| panic!("{}", render(text, "a", &wrong)))
}

fn step(automaton: &Automaton, state: usize, bits: u32) -> Option<(usize, Vec<u32>)> {
    automaton.step(state, |at| bits >> at & 1 == 1)
}

/// A text with this head and this body.
fn automaton(head: &str, body: &str) -> String {
    format!("HOA: v1\n{head}\n--BODY--\n{body}\n--END--\n")
}

#[test]
fn an_automaton_is_read() {
    let ReadAutomaton { automaton, notes } = get(RESPONSE);
    assert!(notes.is_empty() && automaton.is_complete);
    assert_eq!((automaton.states(), automaton.start(), automaton.acceptance_name.as_deref()), (2, 0, Some("Buchi")));
    assert_eq!(automaton.name.as_deref(), Some("G(requests -> Fgrants)"));
    assert_eq!([0, 1, 2, 3].map(|bits| step(&automaton, 0, bits).expect("it is complete").0), [0, 1, 0, 0]);
    assert_eq!(step(&automaton, 1, 2), Some((0, vec![0])));
    assert_eq!(step(&automaton, 1, 1), Some((1, vec![])));
}

#[test]
fn labels_are_on_edges_states_or_nowhere() {
    let head = "States: 2\nStart: 1\nAP: 2 \"a\" \"b\"\nAcceptance: 2 Fin(0) & Inf(1)";
    let on_edges = "State: 0 {0}\n[!0&!1] 0\n[0&!1] 1 {1}\n[!0&1] 0\n[0&1] 1\nState: 1 \"two\"\n[t] 0 {1 0 1}";
    let implicit = "State: 0 {0} 0 1 {1} 0 1\nState: 1 \"two\" /* a /* nested */ comment */ [t] 0 {1 0}";
    let aliases = format!("{head}\nAlias: @a 0\nAlias: @ab (@a & 1) | @a&!1");
    let by_aliases = "State: 0 {0}\n[!@a] 0\n[@a & !1] 1 {1}\n[@ab & 1] 1\nState: [t] 1 \"two\" {0} 0 {1}";
    for text in [automaton(head, on_edges), automaton(head, implicit), automaton(&aliases, by_aliases)] {
        let automaton = get(&text).automaton;
        assert_eq!(
            (automaton.state_name(automaton.start()), automaton.is_complete),
            ("1 two".to_owned(), true),
            "{text}"
        );
        let zero = 1 - automaton.start();
        let of: Vec<(String, Vec<u32>)> = (0..4)
            .map(|bits| {
                let (to, marks) = step(&automaton, zero, bits).expect("it is complete");
                (automaton.state_name(to), marks)
            })
            .collect();
        let expected = [("0", vec![0]), ("1 two", vec![0, 1]), ("0", vec![0]), ("1 two", vec![0])];
        assert!(
            of.iter().zip(&expected).all(|(of, expected)| of.0 == expected.0 && of.1 == expected.1),
            "{text}: {of:?}"
        );
        assert_eq!(step(&automaton, automaton.start(), 3), Some((zero, vec![0, 1])), "{text}");
    }
}

/// The pairs of a condition, such as `0->1 all->2,!3`.
fn pairs(condition: &str, sets: u32) -> Result<(Runs, String), String> {
    let text = automaton(&format!("Start: 0\nAP: 0\nAcceptance: {sets} {condition}"), "State: 0 [t] 0");
    let automaton = parse_automaton(&text).map_err(|wrong| wrong[0].message.clone())?.automaton;
    let name = |marks: &Marks| format!("{}{}", if marks.is_negated { "!" } else { "" }, marks.set);
    let pair = |pair: &MarkPair| {
        let gets: Vec<String> = pair.gets.iter().map(name).collect();
        format!("{}->{}", pair.asks.as_ref().map_or_else(|| "all".to_owned(), name), gets.join(","))
    };
    Ok((automaton.runs, automaton.pairs.iter().map(pair).collect::<Vec<_>>().join(" ")))
}

#[test]
fn conditions_are_pairs() {
    use Runs::{Accepted, Rejected};
    for (condition, sets, runs, expected) in [
        ("t", 0, Accepted, ""),
        ("f", 0, Accepted, "all->"),
        ("Inf(0)", 1, Accepted, "all->0"),
        ("Fin(0)", 1, Accepted, "0->"),
        ("Inf(0)&Inf(1)", 2, Accepted, "all->0 all->1"),
        ("(Fin(0) | Inf(1)) & (Fin(2) | Inf(3))", 4, Accepted, "0->1 2->3"),
        // Parity: max even, min odd.
        ("Inf(2) | (Fin(1) & Inf(0))", 3, Accepted, "all->0,2 1->2"),
        ("Fin(0) & (Inf(1) | Fin(2))", 3, Accepted, "0-> 2->1"),
        ("Fin(0) & (Inf(1) | (Fin(2) & Inf(3)))", 4, Accepted, "all->1,3 0-> 2->1"),
        // One pair of Rabin's is co-Büchi and Büchi.
        ("Fin(0) & Inf(1)", 2, Accepted, "all->1 0->"),
        ("(Fin(0) & Inf(1)) | (Fin(2) & Inf(3))", 4, Rejected, "1->0 3->2"),
        // Generalised co-Büchi.
        ("Fin(0) | Fin(1)", 2, Rejected, "all->0 all->1"),
        ("Inf(!0) | Fin(!1)", 2, Accepted, "!1->!0"),
        ("Fin(0) | Inf(0)", 1, Accepted, ""),
        ("(Fin(0) | Fin(1)) & Fin(0)", 2, Accepted, "0->"),
    ] {
        assert_eq!(pairs(condition, sets), Ok((runs, expected.to_owned())), "{condition}");
    }
    let rabin: Vec<String> = (0..40).map(|at| format!("(Fin({}) & Inf({}))", 2 * at, 2 * at + 1)).collect();
    assert!(pairs(&rabin.join(" | "), 80).is_ok_and(|(runs, _)| runs == Runs::Rejected));
    assert_eq!(
        pairs("(Fin(0) | Fin(1)) & Inf(2) & Inf(3)", 4),
        Err("this condition is no Streett condition, and no negation of one".to_owned())
    );
    let streett: Vec<String> = (0..40).map(|at| format!("(Fin({}) | Inf({}))", 2 * at, 2 * at + 1)).collect();
    let both = format!("({}) & {}", rabin.join(" | "), streett.join(" & "));
    assert_eq!(pairs(&both, 80), Err("this condition is too large to be made a Streett condition".to_owned()));
}

/// Random conditions say the same as their pairs, of all sets of marks.
#[test]
fn pairs_say_what_conditions_say() {
    fn condition(random: &mut Random, depth: u32) -> Condition {
        let parts = |random: &mut Random| (0..random.below(4)).map(|_| condition(random, depth - 1)).collect();
        let marks = |random: &mut Random| Marks { set: random.below(4) as u32, is_negated: random.below(5) == 0 };
        match random.below(if depth == 0 { 2 } else { 4 }) {
            0 => Condition::Finitely(marks(random)),
            1 => Condition::Infinitely(marks(random)),
            2 => Condition::All(parts(random)),
            _ => Condition::Any(parts(random)),
        }
    }
    let mut read = 0;
    for seed in seeds(3_000) {
        let condition = condition(&mut Random::new(seed), 3);
        let Ok((runs, pairs)) = condition.pairs() else { continue };
        read += 1;
        // What a run sees again and again of each set, and of its complement: one of them at least.
        for seen in 0..81_u32 {
            let sees = |marks: Marks| match seen / 3_u32.pow(marks.set) % 3 {
                0 => true,
                1 => !marks.is_negated,
                _ => marks.is_negated,
            };
            let holds = pairs
                .iter()
                .all(|pair| pair.asks.is_some_and(|asks| !sees(asks)) || pair.gets.iter().any(|gets| sees(*gets)));
            assert_eq!(
                holds,
                condition.accepts(&sees) == (runs == Runs::Accepted),
                "seed {seed}, {seen}: {condition:?}"
            );
        }
    }
    assert!(read > 20, "{read}");
}

#[test]
fn several_automata_are_a_note() {
    let aborted = RESPONSE.replace("State: 1\n", "--ABORT--\n").replace("[1] 0 {0}\n[!1] 1\n--END--\n", "");
    let read = get(&format!("{RESPONSE}{RESPONSE}"));
    assert_eq!(
        (read.notes[0].message.as_str(), read.notes[0].span.line),
        ("what is behind the first automaton is not read", 18)
    );
    assert!(get(&format!("{aborted}{RESPONSE}")).notes.is_empty());
    let wrong = parse_automaton(&aborted).expect_err("it was aborted");
    assert_eq!(wrong[0].message, "the only automaton was aborted");
    // Whatever it is that stands there.
    assert_eq!(get(&format!("{RESPONSE}$")).automaton.states(), 2);
}

#[test]
fn names_of_conditions_are_held_against_them() {
    for (name, condition, is_same) in [
        ("Buchi", "1 Inf(0)", true),
        ("Buchi", "1 Fin(0)", false),
        ("co-Buchi", "1 Fin(0)", true),
        ("all", "0 t", true),
        ("none", "0 f", true),
        ("none", "0 t", false),
        ("generalized-Buchi 2", "2 Inf(1) & Inf(0)", true),
        ("generalized-co-Buchi 2", "2 Fin(0) | Fin(1)", true),
        ("Streett 2", "4 (Fin(0) | Inf(1)) & (Fin(2) | Inf(3))", true),
        ("Rabin 2", "4 (Fin(0) & Inf(1)) | (Fin(2) & Inf(3))", true),
        ("Rabin 1", "2 Inf(0) & Fin(1)", false),
        ("parity min even 5", "5 Inf(0) | (Fin(1) & (Inf(2) | (Fin(3) & Inf(4))))", true),
        ("parity min even 4", "4 Inf(0) | (Fin(1) & (Inf(2) | Fin(3)))", true),
        ("parity min odd 3", "3 Fin(0) & (Inf(1) | Fin(2))", true),
        ("parity max odd 3", "3 Fin(2) & (Inf(1) | Fin(0))", true),
        ("parity max even 4", "4 Fin(3) & (Inf(2) | (Fin(1) & Inf(0)))", true),
        ("parity max odd 4", "4 Inf(3) | (Fin(2) & (Inf(1) | Fin(0)))", true),
        ("parity max odd 4", "4 Inf(0) | (Fin(1) & (Inf(2) | Fin(3)))", false),
        ("something 9", "1 Inf(0)", true),
    ] {
        let text = automaton(&format!("Start: 0\nAP: 0\nacc-name: {name}\nAcceptance: {condition}"), "State: 0 [t] 0");
        let notes = get(&text).notes;
        assert_eq!(notes.is_empty(), is_same, "{name}, {condition}");
    }
}

#[test]
fn headers_are_known_or_ignored() {
    let of = |header: &str| RESPONSE.replace("States: 2\n", &format!("States: 2\n{header}\n"));
    get(&of("spot.highlight: 1").replace("spot.", "spot-"));
    get(&of("tool: \"x\" \"1.0\"\nunknown: @a 3 !& (t) \"?\""));
    let wrong = parse_automaton(&of("Unknown: 3")).expect_err("it may matter");
    assert_eq!((wrong[0].message.as_str(), wrong[0].span.line), ("the header `Unknown:` is not known", 4));
}

#[test]
fn wrong_automata_are_said() {
    let head = "Start: 0\nAP: 2 \"a\" \"b\"\nAcceptance: 1 Inf(0)";
    let whole = "State: 0 [t] 0";
    for (head, body, line, column, message) in [
        ("Start: 0", whole, 1, 1, "there is no `Acceptance:`"),
        ("Acceptance: 0 t", whole, 1, 1, "there is no state to start in"),
        ("Start: 0&1\nAcceptance: 0 t", whole, 2, 1, "runs start in several states at once"),
        ("Start: 0\nStart: 1\nAcceptance: 0 t", whole, 3, 1, "there are several states to start in"),
        ("Start: 0\nAcceptance: 0 t\nAcceptance: 0 t", whole, 4, 1, "`Acceptance:` is there twice"),
        ("Start: 0\nAcceptance: 1 Inf(1)", whole, 3, 19, "there is no set of marks 1"),
        ("Start: 0\nAcceptance: 9999 t", whole, 3, 1, "9999 sets of marks are too many"),
        ("Start: 0\nAcceptance: 1 Maybe(0)", whole, 3, 15, "expected a condition, found `Maybe`"),
        ("AP: 2 \"a\"", whole, 2, 5, "2 propositions are promised, and 1 are there"),
        ("AP: 2 \"a\" \"a\"", whole, 2, 5, "the proposition `a` is there twice"),
        ("AP: 1 \"a\"\nAlias: @x 1", whole, 3, 11, "there is no proposition 1"),
        ("Alias: @x @y", whole, 2, 11, "there is no alias `@y` in front of this"),
        ("States: 1\nStart: 0\nAcceptance: 0 t", "State: 0 [t] 1", 6, 14, "there is no state 1: there are 1 of them"),
        ("States: 1\nStart: 3\nAcceptance: 0 t", whole, 3, 8, "there is no state 3: there are 1 of them"),
        (head, "State: 0 [t] 0\nState: 0", 7, 8, "state 0 is there twice"),
        (head, "State: 0 [t] 0 {1}", 6, 17, "there is no set of marks 1: `Acceptance:` has 1 of them"),
        (head, "State: 0 [t] 0&1", 6, 14, "the edge leads to several states at once"),
        (head, "State: [t] 0 [t] 0", 6, 14, "state 0 has a label, and this edge, too"),
        (head, "State: 0 [t] 0 1", 6, 8, "some edges of state 0 have a label, and some have none"),
        (head, "State: 0 0 0", 6, 8, "without labels, state 0 needs an edge for each of the 2^2 valuations, and has 2"),
        (
            head,
            "State: 0\n[0] 0\n[!0&1 | 0&!1] 1",
            8,
            1,
            "state 0 is not deterministic: this edge to 1 and the one to 0 in line 7 can both be taken",
        ),
        (
            head,
            "State: 7\n[t] 7\n[!0] 7 {0}",
            8,
            1,
            "state 7 is not deterministic: this edge to 7 and the one to 7 in line 7 can both be taken",
        ),
        (head, "State: 0 [0 ? 1] 0", 6, 13, "`? 1] 0` means nothing here"),
        (head, "State: 0 [0 1] 0", 6, 13, "expected `]`, found `1`"),
        (head, "State: 0 [t] 0 \"", 6, 16, "the quotes are not closed"),
        (head, "State: 0 /* /* */", 6, 10, "the comment has no end"),
        (head, "State: 0 /*/", 6, 10, "the comment has no end"),
        (head, "what", 6, 1, "expected `--END--`, found `what`"),
    ] {
        let text = automaton(head, body);
        let wrong = parse_automaton(&text).err().unwrap_or_else(|| panic!("nothing is wrong with {text}"));
        let first = &wrong[0];
        assert_eq!((first.span.line, first.span.column, first.message.as_str()), (line, column, message), "{text}");
        assert!(first.help.as_ref().is_some_and(|help| !help.is_empty()));
    }
    for (text, message) in [
        ("", "expected `HOA: v1`, found the end of the text"),
        ("HOA: v2", "expected `v1`, found `v2`"),
        ("HOA: v1\nStart: 0", "expected a header or `--BODY--`, found the end of the text"),
    ] {
        assert_eq!(parse_automaton(text).expect_err(text)[0].message, message);
    }
    let deep = automaton(head, &format!("State: 0 [{}t", "(".repeat(100_000)));
    assert_eq!(parse_automaton(&deep).expect_err("it is deep")[0].message, "the nesting is too deep");
    let deep = automaton(head, &format!("State: 0 [{}t] 0", "!".repeat(100_000)));
    assert_eq!(parse_automaton(&deep).expect_err("it is deep")[0].message, "the nesting is too deep");
    let text = automaton(head, "State: 0\n[0] 0\n[1] 1");
    let help = parse_automaton(&text).expect_err("both")[0].help.clone();
    assert_eq!(
        help.as_deref(),
        Some("that is so with `a` and `b` true; make the automaton deterministic, as `autfilt -D` does")
    );
}

#[test]
fn the_same_edge_twice_does_not_matter() {
    let head = "Start: 0\nAP: 1 \"a\"\nAcceptance: 1 Inf(0)";
    assert!(!get(&automaton(head, "State: 0\n[0] 0 {0}\n[0] 0 {0 0}")).automaton.is_complete);
}

#[test]
fn work_has_an_end() {
    // As large as aliases can make it: each is twice the one before.
    let doubled: String = (1..1_000).map(|at| format!("Alias: @a{at} @a{0} & @a{0}\n", at - 1)).collect();
    let head = format!("Start: 0\nAP: 1 \"a\"\nAcceptance: 0 t\nAlias: @a0 0\n{doubled}");
    let automaton = get(&self::automaton(&head, "State: 0\n[@a999] 0")).automaton;
    assert_eq!((step(&automaton, 0, 1), step(&automaton, 0, 0)), (Some((0, vec![])), None));
    // Twenty propositions can be looked through, sixty can't.
    for (count, is_read) in [(20, true), (60, false)] {
        let names: String = (0..count).map(|at| format!(" \"a{at}\"")).collect();
        let head = format!("Start: 0\nAP: {count}{names}\nAcceptance: 0 t");
        let all: Vec<String> = (0..count).map(|at| at.to_string()).collect();
        let read = parse_automaton(&self::automaton(&head, &format!("State: 0\n[{}] 0", all.join("&"))));
        assert_eq!(read.is_ok(), is_read);
        if let Err(wrong) = read {
            assert_eq!(wrong[0].message, "it takes too long to know whether state 0 is deterministic");
        }
    }
}

#[test]
fn high_propositions_are_told_apart() {
    // The valuations of the seventh one and further ones are in other words than those of the first six.
    let names: String = (0..9).map(|at| format!(" \"a{at}\"")).collect();
    let head = format!("Start: 0\nAP: 9{names}\nAcceptance: 0 t");
    let body = "State: 0\n[8 & 0 & 1 & 2 & 3 & 4 & 5] 0\n[!8 & 7] 1\n[!8 & !7 & 6] 2";
    let read = get(&automaton(&head, body)).automaton;
    assert_eq!(step(&read, 0, 0b1_0011_1111).map(|(to, _)| to), Some(0));
    assert_eq!(step(&read, 0, 0b0_1000_0000).map(|(to, _)| read.state_name(to)), Some("1".to_owned()));
    assert_eq!(step(&read, 0, 0), None);
    let body = format!("{body}\n[8 & 7 & 6 & 5 & 0 & 1 & 2 & 3 & 4] 3");
    assert!(parse_automaton(&automaton(&head, &body)).is_err());
}

#[test]
fn broken_automata_do_no_harm() {
    let pieces: Vec<&str> = RESPONSE
        .split_inclusive([' ', '\n'])
        .chain([
            "--ABORT--\n",
            "!",
            "&",
            "99999999999 ",
            "@a ",
            "Alias: @a 0\n",
            "Start: 1\n",
            "/*",
            "\"",
            "(",
            "é",
            "{0",
            "[t] 1\n",
        ])
        .collect();
    for seed in seeds(20_000) {
        let mut random = Random::new(seed);
        let mut parts: Vec<&str> = RESPONSE.split_inclusive([' ', '\n']).collect();
        for _ in 0..=random.below(3) {
            let at = random.below(parts.len() as u64) as usize;
            match random.below(4) {
                0 if parts.len() > 1 => _ = parts.remove(at),
                1 => parts.insert(at, pieces[random.below(pieces.len() as u64) as usize]),
                2 => parts[at] = pieces[random.below(pieces.len() as u64) as usize],
                _ => parts.truncate(at.max(1)),
            }
        }
        let text = parts.concat();
        begins(&text);
        match parse_automaton(&text) {
            Err(wrong) => {
                assert!(!wrong.is_empty(), "{text}");
                render(&text, "a", &wrong);
            }
            Ok(ReadAutomaton { automaton, .. }) => {
                for (state, bits) in (0..automaton.states()).flat_map(|state| (0..4).map(move |bits| (state, bits))) {
                    step(&automaton, state, bits);
                }
            }
        }
    }
}

//! Texts, and the library.

use super::*;
use crate::budget::Budget;
use crate::{Causality, Initial, Operation, ShapeSearch, ShapeVerdict, Symmetry};
use litmoscope_core::testing::seeds;

macro_rules! library {
    ($name:literal) => {
        include_str!(concat!("../../../../../public/protocols/", $name, ".protocol"))
    };
}

pub(super) fn read(text: &str, settings: &[(&str, i64)]) -> Machine {
    let settings: Vec<(String, i64)> = settings.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    parse_protocol(text, &settings).unwrap_or_else(|wrong| panic!("{wrong:#?}\n{text}")).0
}

/// States, and transitions without fences.
fn size(machine: &Machine) -> (usize, usize) {
    let transitions = machine.transitions().iter();
    (machine.states.len(), transitions.filter(|about| !matches!(about.operation, Operation::Fence { .. })).count())
}

#[test]
fn the_library_has_the_sizes_that_are_known() {
    let instant = library!("instant");
    assert_eq!(size(&read(instant, &[])), (1, 4));
    let msi = library!("msi");
    assert_eq!(size(&read(msi, &[])), (4, 14));
    assert_eq!(size(&read(msi, &[("threads", 3)])), (8, 48));
    assert_eq!(size(&read(msi, &[("variables", 2)])), (16, 112));
    let forgetful = library!("msi-forgetful");
    assert_eq!(size(&read(forgetful, &[("threads", 2)])), (6, 22));
    assert_eq!(size(&read(forgetful, &[])), (17, 108));
    let tso = library!("tso");
    assert_eq!(size(&read(tso, &[("variables", 1)])), (4, 16));
    assert_eq!(size(&read(tso, &[])), (9, 60));
    assert_eq!(size(&read(tso, &[("variables", 1), ("slots", 2)])), (15, 48));
    assert_eq!(size(&read(tso, &[("variables", 1), ("threads", 3)])), (8, 48));
    assert_eq!(read(tso, &[("slots", 2)]).states.len(), 105);
    assert_eq!(size(&read(library!("pso"), &[])), (16, 128));
    let broadcast = library!("broadcast");
    assert_eq!(size(&read(broadcast, &[])), (8, 20));
    assert_eq!(size(&read(broadcast, &[("threads", 3)])), (160, 528));
    assert_eq!(size(&read(broadcast, &[("threads", 4)])), (10_240, 49_152));
    let clocks = library!("broadcast-clocks");
    assert_eq!(size(&read(clocks, &[])), (65, 170));
    assert_eq!(size(&read(clocks, &[("bound", 1)])), (17, 42));
    assert_eq!(size(&read(clocks, &[("threads", 3), ("bound", 1)])), (548, 2_085));
    let sequencer = library!("sequencer");
    assert_eq!(size(&read(sequencer, &[])), (11, 24));
    assert_eq!(size(&read(sequencer, &[("threads", 3)])), (28, 90));
    let hasty = library!("sequencer-hasty");
    assert_eq!(size(&read(hasty, &[])), (8, 18));
    assert_eq!(size(&read(hasty, &[("threads", 3)])), (17, 48));
}

#[test]
fn machines_are_read_as_they_are_written() {
    for text in [library!("m2"), library!("msi"), library!("tso"), library!("broadcast-causal")] {
        let machine = read(text, &[]);
        let printed = print_machine(&machine);
        let again = read(&printed, &[]);
        assert_eq!(size(&again), size(&machine), "{printed}");
        assert_eq!(
            print_machine(&again).lines().filter(|line| !line.starts_with('#')).count(),
            printed.lines().filter(|line| !line.starts_with('#')).count()
        );
        let operations = |machine: &Machine| -> Vec<_> {
            machine.transitions().iter().map(|about| (about.from, about.to, about.operation)).collect()
        };
        assert_eq!(operations(&again).len(), operations(&machine).len());
        assert!(begins_protocol(text) && begins_protocol(&printed));
    }
}

/// The shortest runs of each of the library that are not WRA, RA, SRA.
#[test]
fn what_is_said_of_the_library_is_so() {
    let steps = |text: &str, settings: &[(&str, i64)], initial: Initial| {
        let machine = read(text, settings);
        Causality::ALL.map(|causality| {
            let mut search = ShapeSearch::new(&machine, causality, initial, 3_000_000);
            match search.run(&mut Budget::unlimited()).expect("nobody pauses it") {
                ShapeVerdict::Holds => None,
                ShapeVerdict::Violated(found) => Some(found.transitions.len()),
                ShapeVerdict::Unknown { .. } => panic!("{text}: given up after {}", search.configurations()),
            }
        })
    };
    let nothing = Initial::Nothing;
    let holds = [None; 3];
    for initial in [Initial::Nothing, Initial::Written] {
        assert_eq!(steps(library!("instant"), &[], initial), holds);
        assert_eq!(steps(library!("msi"), &[], initial), holds);
        assert_eq!(steps(library!("msi"), &[("threads", 3)], initial), holds);
        assert_eq!(steps(library!("msi-shared"), &[], initial), holds);
        assert_eq!(steps(library!("msi-forgetful"), &[("threads", 2)], initial), holds);
        assert_eq!(steps(library!("sequencer"), &[], initial), holds);
        assert_eq!(steps(library!("tso"), &[("variables", 1)], initial), holds);
        assert_eq!(steps(library!("tso"), &[], initial), holds);
        assert_eq!(steps(library!("no-common-word"), &[], initial), holds);
        assert_eq!(steps(library!("two-orders"), &[], initial), [None, None, Some(6)]);
        assert_eq!(steps(library!("common-word"), &[], initial), [None, Some(31), Some(31)]);
    }
    assert_eq!(steps(library!("replicas"), &[], nothing)[0], Some(5));
    assert_eq!(steps(library!("replicas"), &[], Initial::Written)[0], Some(3));
    assert_eq!(steps(library!("m2"), &[], nothing)[0], Some(4));
    assert_eq!(steps(library!("m2"), &[], Initial::Written)[0], Some(2));
    let broadcast = steps(library!("broadcast"), &[], nothing);
    assert_eq!((broadcast[0], broadcast[1]), (None, Some(8)));
    let three = steps(library!("broadcast"), &[("threads", 3)], nothing);
    assert_eq!((three[0], three[1]), (Some(12), Some(10)));
    let causal = steps(library!("broadcast-causal"), &[], nothing);
    assert_eq!((causal[0], causal[1]), (None, Some(10)));
    for (settings, release_acquire) in [(&[][..], 8), (&[("bound", 1)], 8), (&[("threads", 3), ("bound", 1)], 10)] {
        let clocks = steps(library!("broadcast-clocks"), settings, nothing);
        assert_eq!((clocks[0], clocks[1]), (None, Some(release_acquire)), "{settings:?}");
    }
    assert_eq!(steps(library!("pso"), &[], nothing)[0], Some(7));
    assert_eq!(steps(library!("pso"), &[], Initial::Written)[0], Some(5));
    assert_eq!(steps(library!("msi-forgetful"), &[], nothing)[0], Some(6));
    assert_eq!(steps(library!("sequencer-hasty"), &[], nothing)[0], Some(9));
    assert_eq!(steps(library!("sequencer-hasty"), &[("threads", 3)], nothing)[0], Some(12));
    assert_eq!(steps(library!("sequencer-hasty"), &[], Initial::Written)[0], Some(4));
    assert_eq!(steps(library!("sequencer-hasty"), &[("threads", 3)], Initial::Written)[0], Some(5));
}

/// What automata stand for: the words up to a length that all of them accept, by a machine's shortest run.
#[test]
fn automata_are_read_and_expressions_are_made_smallest() {
    let made = |text: &str| read_protocol(text, &Reading::default(), &mut Budget::unlimited());
    let of = |expression: &str| {
        let text = format!("automata\nsymbols a b\nexpression {expression}\nexpression\n");
        made(&text).unwrap_or_else(|wrong| panic!("{expression}: {wrong:?}")).automata[0].clone()
    };
    for (expression, states, accepted, refused) in [
        ("a+", 2, "a aa aaaa", " b ab"),
        ("aa", 3, "aa", "a aaa "),
        ("a(aa)*", 2, "a aaa", " aa"),
        ("(aa)*", 2, "aa aaaa", "a aaa"),
        ("(a|b)*a(a|b)", 4, "aa ab baab", "a ba bba b"),
        ("a{2,3}", 4, "aa aaa", "a aaaa"),
        ("a{2,}b?", 4, "aa aaab", "a ab"),
        (".[^a]", 3, "ab bb", "aa a b ba"),
        ("[a-b&&[^b]]*b", 2, "b aab", "a bb"),
        ("a*|a*b", 2, "a b aab", "ba bb"),
        ("((a|b)*)*", 1, "a b abba", ""),
        ("a{0}", 1, "", "a b"),
        ("(a{0}){1000000000}", 1, "", "a"),
        ("[^ab]", 1, "", "a b"),
        ("(?:ab)+?", 3, "ab abab", "a aba"),
    ] {
        let automaton = of(expression);
        assert_eq!(automaton.states, states, "{expression}: {automaton:?}");
        accepted.split_whitespace().for_each(|word| assert!(automaton.accepts(word), "{expression}: {word}"));
        refused.split_whitespace().for_each(|word| assert!(!automaton.accepts(word), "{expression}: {word}"));
    }
    assert!(of("()").accepts("") && of("a*").accepts("") && !of("a").accepts(""));
    // Pairs with their transitions, and the same automata given by their states.
    let transitions = |lines: &str| {
        made(&format!("automata Pair\nsymbols a b\n{lines}"))
            .map(|read| (read.machine.transitions().len(), read.machine.name))
    };
    for (lines, expected) in [
        ("expression a+\nexpression aa", 31),
        ("expression a+\nexpression ab", 31),
        ("expression a(aa)*\nexpression (aa)*", 27),
        ("expression a(aa)*\nexpression a+", 27),
        ("expression\nexpression (aa)*", 21),
        ("expression ()\nexpression a+", 21),
        ("automaton\n0 -> 1: a\n1 -> 1: a\naccepts 1\nautomaton\np -> q: a\nn -> p: a\naccepts q\nstart n", 31),
    ] {
        assert_eq!(transitions(lines).expect("it is right"), (expected, "Pair".to_owned()), "{lines}");
    }
    let printed = Reading { initialization: Initialization::AsPrinted, ..Reading::default() };
    let printed = |text: &str| read_protocol(text, &printed, &mut Budget::unlimited());
    let labelled = printed("automata Pair\nexpression a\nexpression a\n").expect("it is right").machine;
    assert_eq!(labelled.name, "Pair_as_printed");
    assert!(matches!(printed(library!("msi")), Err(NotRead::Wrong(_))));
}

/// Each phase of reading stops when it is told to, and reads the same when it is not.
#[test]
fn reading_can_be_stopped() {
    let broadcast = [("threads".to_owned(), 4)];
    let reading = Reading { settings: &broadcast, ..Reading::default() };
    let machine = print_machine(&read(library!("msi"), &[("variables", 2)]));
    let automata = "automata\nexpression (a|b)*a(a|b){9}\nexpression a\n";
    for (text, reading) in
        [(library!("broadcast"), reading), (machine.as_str(), Reading::default()), (automata, Reading::default())]
    {
        let mut caps = 0;
        for cap in [0, 100, 10_000, 100_000, 1 << 40] {
            let stopped = read_protocol(text, &reading, &mut Budget::unlimited().capped(cap));
            caps += u32::from(matches!(stopped, Err(NotRead::Paused)));
        }
        assert!((2..5).contains(&caps), "{caps} of {text}");
    }
}

/// Threads and variables of the library can be exchanged, and searches up to that say the same.
#[test]
fn the_library_is_symmetric() {
    for (text, settings, size) in [
        (library!("instant"), &[("threads", 3), ("variables", 2)][..], 12),
        (library!("msi"), &[("threads", 3)], 6),
        (library!("msi"), &[("variables", 2)], 4),
        (library!("msi-forgetful"), &[], 6),
        (library!("tso"), &[], 4),
        (library!("tso"), &[("variables", 1), ("slots", 2)], 2),
        (library!("pso"), &[], 4),
        (library!("broadcast"), &[], 2),
        // Copies go out in the order of the receivers, so no more than two threads can be exchanged.
        (library!("broadcast"), &[("threads", 3)], 1),
        (library!("broadcast-causal"), &[], 1),
        (library!("sequencer"), &[], 1),
        (library!("replicas"), &[("threads", 4)], 24),
        (library!("m2"), &[], 1),
    ] {
        let machine = read(text, settings);
        let symmetry = Symmetry::of(&machine, &mut Budget::unlimited()).expect("nobody pauses it");
        assert_eq!(symmetry.group().len(), size, "{settings:?}\n{text}");
        for causality in Causality::ALL {
            let mut whole = ShapeSearch::new(&machine, causality, Initial::Written, 3_000_000);
            let verdict = whole.run(&mut Budget::unlimited()).expect("nobody pauses it");
            let mut part = ShapeSearch::new(&machine, causality, Initial::Written, 3_000_000).up_to(&symmetry);
            match (verdict, part.run(&mut Budget::unlimited()).expect("nobody pauses it")) {
                (ShapeVerdict::Holds, ShapeVerdict::Holds) => {
                    assert_eq!(part.represented(), whole.configurations(), "{text}");
                    assert!(size == 1 || part.configurations() < whole.configurations(), "{text}");
                }
                (ShapeVerdict::Violated(one), ShapeVerdict::Violated(other)) => {
                    assert_eq!(one.transitions.len(), other.transitions.len(), "{text}");
                }
                verdicts => panic!("{verdicts:?} of {text}"),
            }
        }
    }
}

/// A random expression over a and b, and which words it means, by trying all ways.
#[derive(Debug)]
enum Meant {
    Symbol(char),
    Any,
    Row(Vec<Meant>),
    Either(Vec<Meant>),
    Repeated(Box<Meant>, usize, usize),
}

impl Meant {
    fn random(random: &mut crate::random::Random, depth: u64) -> Self {
        let several = |random: &mut crate::random::Random| {
            (0..random.below(4)).map(|_| Self::random(random, depth - 1)).collect::<Vec<_>>()
        };
        match if depth == 0 { random.below(3) } else { random.below(7) } {
            0 => Self::Symbol('a'),
            1 => Self::Symbol('b'),
            2 => Self::Any,
            3 | 4 => Self::Row(several(random)),
            5 => Self::Either(several(random)),
            _ => {
                let least = random.below(3) as usize;
                let most = [least + random.below(2) as usize, usize::MAX][random.below(2) as usize];
                Self::Repeated(Box::new(Self::random(random, depth - 1)), least, most)
            }
        }
    }

    fn text(&self) -> String {
        let all = |several: &[Self], by: &str| several.iter().map(Self::text).collect::<Vec<_>>().join(by);
        match self {
            Self::Symbol(symbol) => symbol.to_string(),
            Self::Any => ".".to_owned(),
            Self::Row(several) => format!("({})", all(several, "")),
            Self::Either(several) => format!("({})", all(several, "|")),
            Self::Repeated(inner, least, usize::MAX) => format!("(?:{}){{{least},}}", inner.text()),
            Self::Repeated(inner, least, most) => format!("({}){{{least},{most}}}", inner.text()),
        }
    }

    /// Where a word may go on behind it, from a place on.
    fn ends(&self, word: &[char], from: usize) -> std::collections::BTreeSet<usize> {
        match self {
            Self::Symbol(symbol) => (word.get(from) == Some(symbol)).then_some(from + 1).into_iter().collect(),
            Self::Any => (from < word.len()).then_some(from + 1).into_iter().collect(),
            Self::Row(several) => several.iter().fold([from].into(), |places, part| {
                places.into_iter().flat_map(|place| part.ends(word, place)).collect()
            }),
            // Nothing to choose from is written as the empty word.
            Self::Either(several) if several.is_empty() => [from].into(),
            Self::Either(several) => several.iter().flat_map(|part| part.ends(word, from)).collect(),
            Self::Repeated(inner, least, most) => {
                let mut now: std::collections::BTreeSet<usize> = [from].into();
                let mut all = if *least == 0 { now.clone() } else { Default::default() };
                // A round more than the word is long, and more than has to be, says nothing new.
                for round in 1..=(*most).min(least + word.len() + 1) {
                    now = now.into_iter().flat_map(|place| inner.ends(word, place)).collect();
                    if round >= *least {
                        all.extend(&now);
                    }
                }
                all
            }
        }
    }
}

#[test]
fn random_expressions_accept_the_words_that_they_mean() {
    let seeds = seeds(2_000);
    let count = seeds.clone().count() as u64;
    let mut words: Vec<String> = vec![String::new()];
    for at in 0..63 {
        let next = ['a', 'b'].map(|symbol| format!("{}{symbol}", words[at]));
        words.extend(next);
    }
    let (mut accepted, mut refused, mut too_large) = (0_u64, 0_u64, 0_u64);
    for seed in seeds {
        let meant = Meant::random(&mut crate::random::Random::new(seed), 4);
        let text = format!("automata\nsymbols a b\nexpression {}\nexpression\n", meant.text());
        let read = match read_protocol(&text, &Reading::default(), &mut Budget::unlimited()) {
            Ok(read) => read,
            Err(NotRead::Wrong(wrong)) => {
                let is_size =
                    wrong.iter().all(|wrong| wrong.message.contains("more than") || wrong.message.contains("at most"));
                assert!(is_size, "{text}\n{wrong:?}");
                too_large += 1;
                continue;
            }
            Err(NotRead::Paused) => panic!("nobody pauses it"),
        };
        for word in &words {
            let characters: Vec<char> = word.chars().collect();
            let is_meant = meant.ends(&characters, 0).contains(&characters.len());
            assert_eq!(read.automata[0].accepts(word), is_meant, "seed {seed}: `{word}` of {}", meant.text());
            (if is_meant { accepted += 1 } else { refused += 1 });
        }
    }
    assert!(accepted > 4 * count && refused > 10 * count && too_large < count / 5, "{accepted} {refused} {too_large}");
}

#[test]
fn states_that_no_run_comes_into_are_noted() {
    let text = "machine\nthreads t\nvariables x\nregisters a: x\nq -> q: R t x a\np -> r: W t x a\nr -> q: W t x a\n";
    let (machine, notes) = parse_protocol(text, &[]).expect("it is a machine");
    assert_eq!(machine.states, ["q", "p", "r"]);
    let notes: Vec<(u32, &str)> = notes.iter().map(|note| (note.span.line, &note.message[..])).collect();
    assert_eq!(notes, [(6, "no run reaches the state `p`"), (6, "no run reaches the state `r`")]);
    let other = format!("{text}start p\n");
    assert!(parse_protocol(&other, &[]).expect("it is a machine").1.is_empty());
}

#[test]
fn expressions_without_end_are_refused_before_they_are_read() {
    let wrong = super::expression::parse(&"(".repeat(10_001), crate::program::Span::default());
    let wrong = wrong.err().expect("it is too long");
    assert_eq!(wrong.message, "the expression has 10001 bytes, more than 10000");
}

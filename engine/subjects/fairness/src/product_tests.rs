//! Products against all sets of their vertices, by the condition itself.

use crate::bits::{Bits, Graph};
use crate::files::hoa::{Automaton, Runs, parse_automaton};
use crate::files::{Format, ReadOptions, read};
use crate::labelled::{Labelled, Side};
use crate::oracle::{Explicit, Vertices};
use crate::product::{Product, ProductError, product};
use crate::{Options, Way, streett, streett_by_chance};
use litmoscope_core::budget::Budget;
use litmoscope_core::random::Random;
use litmoscope_core::syntax::render;
use litmoscope_core::testing::seeds;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::rc::Rc;

/// A condition as the oracle has it: what it says of the marks that are seen again and again, and of those that are on all edges then.
type Accepts = fn(&BTreeSet<u32>, &BTreeSet<u32>) -> bool;

const CONDITIONS: [(&str, Accepts); 10] = [
    ("1 Inf(0)", |seen, _| seen.contains(&0)),
    ("1 Fin(0)", |seen, _| !seen.contains(&0)),
    ("2 Inf(0) & Inf(1)", |seen, _| seen.contains(&0) && seen.contains(&1)),
    ("4 (Fin(0) | Inf(1)) & (Fin(2) | Inf(3))", |seen, _| {
        (!seen.contains(&0) || seen.contains(&1)) && (!seen.contains(&2) || seen.contains(&3))
    }),
    ("4 (Fin(0) & Inf(1)) | (Fin(2) & Inf(3))", |seen, _| {
        !seen.contains(&0) && seen.contains(&1) || !seen.contains(&2) && seen.contains(&3)
    }),
    // Parity, max odd.
    ("3 Fin(2) & (Inf(1) | Fin(0))", |seen, _| seen.iter().max().is_none_or(|most| most % 2 == 1)),
    // Parity, min even.
    ("4 Inf(0) | (Fin(1) & (Inf(2) | Fin(3)))", |seen, _| seen.iter().min().is_none_or(|least| least % 2 == 0)),
    ("2 Fin(0) | Fin(1)", |seen, _| !seen.contains(&0) || !seen.contains(&1)),
    ("2 Fin(!0) | Inf(!1)", |_, all| all.contains(&0) || !all.contains(&1)),
    ("2 Fin(!0) | Fin(1)", |seen, all| all.contains(&0) || !seen.contains(&1)),
];

/// Where an edge leads, and its marks.
type Edge = (usize, BTreeSet<u32>);

/// An automaton as the oracle has it: for each state and valuation its edge.
struct Table {
    steps: Vec<[Option<Edge>; 4]>,
    accepts: Accepts,
    text: String,
}

/// A random automaton of two propositions with all kinds of labels and marks.
fn random_table(random: &mut Random) -> Table {
    let (condition, accepts) = CONDITIONS[random.below(CONDITIONS.len() as u64) as usize];
    let sets = u64::from(condition.as_bytes()[0] - b'0');
    let count = 1 + random.below(3) as usize;
    let mut text = format!(
        "HOA: v1\nStates: {count}\nStart: 0\nAP: 2 \"a\" \"b\"\nAcceptance: {condition}\nAlias: @na !0\n--BODY--\n"
    );
    let marks =
        |random: &mut Random, of: u64| (0..sets as u32).filter(|_| random.below(of) == 0).collect::<BTreeSet<u32>>();
    let braces = |marks: &BTreeSet<u32>| {
        let marks: Vec<String> = marks.iter().map(u32::to_string).collect();
        if marks.is_empty() { String::new() } else { format!(" {{{}}}", marks.join(" ")) }
    };
    let mut steps = Vec::new();
    for state in 0..count {
        let own = if random.below(2) == 0 { marks(random, 3) } else { BTreeSet::new() };
        let mut of: [Option<Edge>; 4] = Default::default();
        let _ = writeln!(text, "State: {state}{}", braces(&own));
        let is_implicit = random.below(3) == 0;
        for (bits, step) in of.iter_mut().enumerate() {
            if !is_implicit && random.below(5) == 0 {
                continue;
            }
            let (to, extra) = (random.below(count as u64) as usize, marks(random, 3));
            let label = ["[@na & !1]", "[0 & !1]", "[!(0 | !1)]", "[0&1&t]"][bits];
            let _ = writeln!(text, "{} {to}{}", if is_implicit { "" } else { label }, braces(&extra));
            *step = Some((to, extra.union(&own).copied().collect()));
        }
        steps.push(of);
    }
    text += "--END--\n";
    Table { steps, accepts, text }
}

fn random_graph(random: &mut Random, most: u64, with_chance: bool) -> Labelled {
    let count = 1 + random.below(most) as usize;
    let mut edges = Vec::new();
    for _ in 0..random.below(2 * count as u64 + 2) {
        edges.push((random.below(count as u64) as u32, random.below(count as u64) as u32));
    }
    // Chance always leads somewhere.
    let chance: Vec<u32> = (0..count as u32)
        .filter(|at| with_chance && random.below(3) == 0 && edges.iter().any(|(from, _)| from == at))
        .collect();
    let graph = Graph::new(count, edges, chance).expect("it is one");
    let labels = ["b", "a", "c"].map(|name| {
        let holds: Vec<usize> = (0..count).filter(|_| random.below(2) == 0).collect();
        (name.to_owned(), graph.set(holds))
    });
    Labelled { labels: labels.into(), ..Labelled::bare(Rc::new(graph)) }
}

/// The product by definition: a vertex of the graph, and the state before its labels are read.
struct Searched {
    explicit: Explicit,
    /// By vertex: the marks on the automaton's next edge; none in a rejected run.
    marks: Vec<Option<BTreeSet<u32>>>,
    /// By vertex of the graph: where runs begin.
    begin: Vec<usize>,
}

fn searched(of: &Labelled, table: &Table) -> Searched {
    let holds = |name: &str, at: usize| of.labels.iter().any(|(label, set)| label == name && set.contains(at));
    let mut found: Vec<(usize, Option<usize>)> = (0..of.graph.vertices()).map(|at| (at, Some(0))).collect();
    let (mut successors, mut marks, mut at) = (Vec::new(), Vec::new(), 0);
    while at < found.len() {
        let (vertex, state) = found[at];
        let bits = usize::from(holds("a", vertex)) + 2 * usize::from(holds("b", vertex));
        let step = state.and_then(|state| table.steps[state][bits].clone());
        let next = step.as_ref().map(|(to, _)| *to);
        let mut to = Vec::new();
        for vertex in of.graph.successors(vertex) {
            let pair = (*vertex as usize, next);
            let place = found.iter().position(|known| *known == pair).unwrap_or_else(|| {
                found.push(pair);
                found.len() - 1
            });
            to.push(place);
        }
        successors.push(to);
        marks.push(step.map(|(_, marks)| marks));
        at += 1;
    }
    let random = (0..found.len()).filter(|at| crate::Universe::random(&*of.graph).contains(found[*at].0)).collect();
    let begin = (0..of.graph.vertices()).collect();
    Searched { explicit: Explicit { successors, random, pairs: Vec::new() }, marks, begin }
}

impl Searched {
    /// Whether a run that stays in a set for ever, and comes to all of it, is accepted.
    fn accepts(&self, set: &Vertices, table: &Table) -> bool {
        let marks: Option<Vec<&BTreeSet<u32>>> = set.iter().map(|at| self.marks[*at].as_ref()).collect();
        let Some(marks) = marks else { return false };
        let seen: BTreeSet<u32> = marks.iter().copied().flatten().copied().collect();
        let all = seen.iter().copied().filter(|mark| marks.iter().all(|marks| marks.contains(mark))).collect();
        (table.accepts)(&seen, &all)
    }

    /// The vertices of the graph from where a run, or a strategy with probability 1, is accepted or is rejected.
    fn winning(&self, table: &Table, runs: Runs, by_chance: bool) -> Vertices {
        let sets = if by_chance { self.explicit.connected_and_closed() } else { self.explicit.connected() };
        let fits = |set: &Vertices| self.accepts(set, table) == (runs == Runs::Accepted);
        let good: BTreeSet<Vertices> = sets.into_iter().filter(fits).collect();
        let winning = if by_chance { self.explicit.winning_by_chance(&good) } else { self.explicit.winning(&good) };
        self.begin.iter().copied().filter(|at| winning.contains(at)).collect()
    }
}

/// The vertices of the graph from where the pairs of a product can be met.
fn met(of: &Product, by_chance: bool) -> Vertices {
    let pairs = of.labelled.objective();
    let graph = Rc::clone(&of.labelled.graph);
    let mut machine = if by_chance {
        streett_by_chance(graph, pairs, Way::Improved, Options::default())
    } else {
        streett(graph, pairs, Way::Improved, Options::default())
    };
    while machine.advance(&mut Budget::unlimited()).expect("nobody stops it").is_some() {}
    let winning: Bits = machine.answer().expect("it is over").winning.clone();
    let begins = of.begins.iter().enumerate();
    begins.filter(|(_, begin)| begin.is_some_and(|at| winning.contains(at as usize))).map(|(at, _)| at).collect()
}

fn automaton(text: &str) -> Automaton {
    let read = parse_automaton(text);
    read.unwrap_or_else(|wrong| panic!("{}", render(text, "a", &wrong))).automaton
}

#[test]
fn products_say_what_automata_say() {
    let (mut accepted, mut rejected, mut some) = (0, 0, 0);
    for seed in seeds(8_000) {
        let mut random = Random::new(seed);
        let table = random_table(&mut random);
        let of = random_graph(&mut random, 5, seed % 2 == 1);
        let found = searched(&of, &table);
        if found.marks.len() > 12 {
            continue;
        }
        let product = product(&of, &automaton(&table.text), &ReadOptions::default()).expect("it is small");
        for by_chance in [false, true] {
            let expected = found.winning(&table, product.runs, by_chance);
            assert_eq!(
                met(&product, by_chance),
                expected,
                "seed {seed}, {by_chance}, {:?}: {}",
                product.runs,
                table.text
            );
            some += usize::from(!expected.is_empty() && expected.len() < of.graph.vertices());
        }
        match product.runs {
            Runs::Accepted => accepted += 1,
            Runs::Rejected => rejected += 1,
        }
    }
    assert!(accepted > 100 && rejected > 30 && some > 50, "{accepted}, {rejected}, {some}");
}

/// Who requests again and again is granted again and again: as an automaton, and as a pair.
#[test]
fn an_automaton_says_what_a_pair_says() {
    let text = "HOA: v1\nStart: 0\nAP: 2 \"a\" \"b\"\nacc-name: Streett 1\nAcceptance: 2 Fin(0) | Inf(1)\n--BODY--\n\
                State: 0\n[!0&!1] 0\n[0&!1] 0 {0}\n[!0&1] 0 {1}\n[0&1] 0 {0 1}\n--END--\n";
    let (streett, rabin) =
        (automaton(text), automaton(&text.replace("Fin(0) | Inf(1)", "Inf(0) & Fin(1)").replace("Streett", "Rabin")));
    assert_eq!((streett.runs, rabin.runs), (Runs::Accepted, Runs::Accepted));
    for seed in seeds(500) {
        let of = random_graph(&mut Random::new(seed), 12, true);
        let product = product(&of, &streett, &ReadOptions::default()).expect("it is small");
        // One state: the product is the graph, and the marks are its labels.
        let by_hand = Labelled { pairs: vec![(Side::Label(1), Side::Label(0))], ..of.clone() };
        assert_eq!((product.labelled.graph.vertices(), product.own_pairs), (of.graph.vertices(), 0));
        for by_chance in [false, true] {
            let mut machine = if by_chance {
                streett_by_chance(Rc::clone(&of.graph), by_hand.objective(), Way::Basic, Options::default())
            } else {
                crate::streett(Rc::clone(&of.graph), by_hand.objective(), Way::Basic, Options::default())
            };
            while machine.advance(&mut Budget::unlimited()).expect("nobody stops it").is_some() {}
            let winning: Vertices = machine.answer().expect("it is over").winning.iter().collect();
            assert_eq!(met(&product, by_chance), winning, "seed {seed}, {by_chance}");
        }
        // The graph's own pairs come first, and have to be met, too.
        let both = self::product(&by_hand, &rabin, &ReadOptions::default()).expect("it is small");
        assert_eq!((both.own_pairs, both.labelled.pairs.len()), (1, 3));
        assert!(met(&both, false).is_empty(), "nothing does both");
    }
}

#[test]
fn a_product_says_where_it_begins_and_what_is_called_how() {
    let text = "fairness\nstart 0\n0 -> 1, 2\n1 -> 0\n2 -> 2\nset requests: 0\nset grants: 1\nset \"mark 0\": 2\n";
    let of = read(Format::Own, text, &ReadOptions::default()).expect("it is a graph").labelled;
    let response = automaton(crate::files::hoa::RESPONSE);
    let product = product(&of, &response, &ReadOptions::default()).expect("it is small");
    // From state 0 it waits for a grant at 0; 1 grants. At 2 it waits for ever.
    assert_eq!(product.labelled.names, ["0 @ 0", "1 @ 1", "2 @ 1", "0 @ 0"][..3]);
    assert_eq!(product.vertices, [(0, Some(0)), (1, Some(1)), (2, Some(1))]);
    assert_eq!(product.begins, [Some(0), None, None]);
    assert_eq!(product.labelled.start.iter().collect::<Vec<_>>(), [0]);
    let labels: Vec<(&str, Vec<usize>)> =
        product.labelled.labels.iter().map(|(name, set)| (name.as_str(), set.iter().collect())).collect();
    assert_eq!(labels, [("requests", vec![0]), ("grants", vec![1]), ("mark 0", vec![2]), ("mark 0'", vec![1])]);
    assert_eq!(product.labelled.pairs, [(Side::All, Side::Label(3))]);
    // An incomplete automaton rejects.
    let partial = automaton(
        "HOA: v1\nStart: 0\nAP: 2 \"requests\" \"unknown\"\nAcceptance: 1 Fin(0)\n--BODY--\nState: 0\n[0] 0 \n--END--\n",
    );
    let product = self::product(&of, &partial, &ReadOptions::default()).expect("no label has the other one");
    assert_eq!(product.labelled.names, ["0 @ 0", "1 @ 0", "2 @ 0", "0 @ rejected", "2 @ rejected", "1 @ rejected"]);
    assert_eq!(product.labelled.pairs.last(), Some(&(Side::Label(4), Side::None)));
    assert!(met(&product, false).is_empty());
}

#[test]
fn what_has_no_product_is_said() {
    let graph = read(Format::Own, "fairness\na -> b, a\nb -> a\nset x: a\nset grants: b\n", &ReadOptions::default());
    let of = graph.expect("it is a graph").labelled;
    let response = automaton(crate::files::hoa::RESPONSE);
    let wrong = product(&of, &response, &ReadOptions::default()).expect_err("it has no requests");
    assert_eq!(
        wrong.to_string(),
        "the automaton speaks of `requests`, and nothing in the graph is called so: there are `x` and `grants`"
    );
    let x = automaton(&crate::files::hoa::RESPONSE.replace("requests", "x"));
    let few = |vertices, edges| product(&of, &x, &ReadOptions { vertices, edges, ..ReadOptions::default() });
    assert_eq!(
        few(2, 100).expect_err("3").to_string(),
        "the product has more than 2 vertices: give a smaller graph or automaton"
    );
    assert_eq!(few(9, 1).expect_err("more"), ProductError::TooLarge { what: "edges", most: 1 });
    assert!(few(9, 99).is_ok());
}

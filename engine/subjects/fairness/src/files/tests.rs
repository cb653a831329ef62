//! What is written is read as it was, in all formats.

use super::*;
use crate::bits::{Bits, Graph};
use crate::labelled::Side;
use crate::{Options, Way, streett_by_chance};
use litmoscope_core::budget::Budget;
use litmoscope_core::random::Random;
use litmoscope_core::testing::seeds;
use std::rc::Rc;

/// Names that some format could stumble over.
const NAMES: [&str; 20] = [
    "a",
    "b1",
    "all",
    "none",
    "start",
    "a b",
    "\"",
    "\\",
    "a\\\"b",
    "->",
    "x:y",
    "{1}",
    "é→",
    "%20",
    "//",
    "#",
    "(s=0,t=1)",
    "random",
    "graph",
    "a;b,c",
];

/// Everything that a format has to keep.
type Kept = (Vec<Vec<u32>>, Vec<usize>, Vec<usize>, Vec<(String, Vec<usize>)>, Vec<(Side, Side)>, Vec<String>);

fn kept(of: &Labelled) -> Kept {
    let list = |set: &Bits| set.iter().collect::<Vec<_>>();
    let vertices = of.graph.vertices();
    (
        (0..vertices).map(|at| of.graph.successors(at).to_vec()).collect(),
        list(of.graph.random()),
        list(&of.start),
        of.labels.iter().map(|(name, set)| (name.clone(), list(set))).collect(),
        of.pairs.clone(),
        (0..vertices).map(|at| of.name(at)).collect(),
    )
}

/// A random graph with everything that can be told of one.
fn random_labelled(seed: u64) -> Labelled {
    let mut random = Random::new(seed);
    let count = random.below(9) as usize;
    let edges: Vec<(u32, u32)> = (0..if count == 0 { 0 } else { random.below(3 * count as u64) })
        .map(|_| (random.below(count as u64) as u32, random.below(count as u64) as u32))
        .collect();
    let chance = (0..count as u32).filter(|_| random.below(3) == 0).collect::<Vec<_>>();
    let graph = Graph::new(count, edges, chance).expect("it is one");
    let mut names: Vec<&str> = NAMES.to_vec();
    random.shuffle(&mut names);
    let some = |random: &mut Random| {
        let vertices = (0..count).filter(|_| random.below(2) == 0).collect::<Vec<_>>();
        graph.set(vertices)
    };
    let labels: Vec<(String, Bits)> =
        names.iter().take(random.below(4) as usize).map(|name| ((*name).to_owned(), some(&mut random))).collect();
    random.shuffle(&mut names);
    let own = match random.below(4) {
        0 => names.iter().take(count).map(|name| (*name).to_owned()).collect(),
        1 => (0..count).map(|at| format!("(s={},t={at})", at % 2)).collect(),
        2 => (0..count).rev().map(|at| at.to_string()).collect(),
        _ => Vec::new(),
    };
    let side = |random: &mut Random| match random.below(4) {
        0 => Side::All,
        1 => Side::None,
        _ if labels.is_empty() => Side::All,
        _ => Side::Label(random.below(labels.len() as u64) as usize),
    };
    let pairs = (0..random.below(4)).map(|_| (side(&mut random), side(&mut random))).collect();
    let start = if random.below(2) == 0 { graph.none() } else { some(&mut random) };
    Labelled { graph: Rc::new(graph), names: own, start, labels, pairs }
}

/// Reads what was written, with the files beside it.
fn read_again(format: Format, written: &Written) -> Labelled {
    let beside = |ending: &str| written.files.iter().find(|(known, _)| *known == ending).map(|(_, text)| text.as_str());
    let text = &written.files[0].1;
    let refused = |what: &str, wrong: Vec<Diagnostic>| -> ! { panic!("{what}:\n{written:#?}\n{wrong:#?}") };
    let mut read = read(format, text, &ReadOptions::default()).unwrap_or_else(|wrong| refused(text, wrong));
    if let Some(text) = beside("lab") {
        read.add_labels(text).unwrap_or_else(|wrong| refused(text, wrong));
    }
    if let Some(text) = beside("sta") {
        read.add_states(text).unwrap_or_else(|wrong| refused(text, wrong));
    }
    if let Some(text) = beside("pairs") {
        read.labelled.pairs = parse_pairs(text, &read.labelled).unwrap_or_else(|wrong| refused(text, wrong));
    }
    read.labelled
}

#[test]
fn what_is_written_is_read_as_it_was() {
    for seed in seeds(3_000) {
        let labelled = random_labelled(seed);
        for format in Format::ALL.into_iter().filter(|format| *format != Format::Hoa) {
            let mut expected = kept(&labelled);
            let written = write(format, &labelled).expect("it is a graph");
            if format == Format::Prism && !labelled.labels.iter().any(|(name, _)| name == "init") {
                // It is in front of the others, since it is what a text is known by.
                expected.3.insert(0, ("init".to_owned(), expected.2.clone()));
                let move_on = |side: &mut Side| {
                    if let Side::Label(at) = side {
                        *at += 1;
                    }
                };
                expected.4.iter_mut().for_each(|(asks, gets)| [asks, gets].into_iter().for_each(move_on));
            }
            for lost in &written.lost {
                match *lost {
                    "names of vertices" => expected.5 = (0..expected.0.len()).map(|at| at.to_string()).collect(),
                    "random vertices" => expected.1.clear(),
                    "sets" => expected.3.clear(),
                    "pairs" => expected.4.clear(),
                    "where it starts" => {
                        let first = expected.2.first().copied();
                        expected.2 = if labelled.graph.vertices() == 0 { vec![] } else { vec![first.unwrap_or(0)] };
                    }
                    other => panic!("{other}"),
                }
            }
            let again = read_again(format, &written);
            assert_eq!(kept(&again), expected, "seed {seed}, {format:?}:\n{written:#?}");
            let once_more = write(format, &again).expect("it is a graph");
            assert_eq!(once_more.files, written.files, "seed {seed}, {format:?}");
        }
    }
}

#[test]
fn each_format_is_known_by_its_text() {
    for seed in seeds(200) {
        let labelled = random_labelled(seed);
        for format in Format::ALL.into_iter().filter(|format| *format != Format::Hoa) {
            let written = write(format, &labelled).expect("it is a graph");
            assert_eq!(Format::of_text(&written.files[0].1), Some(format), "{:?}", written.files);
            assert_eq!(Format::of_name(&format!("a.b.{}", written.files[0].0)), Some(format));
        }
    }
    for (text, format) in [
        ("HOA: v1\nStart: 0", Some(Format::Hoa)),
        ("\u{feff}\n  des(0,1,2)", Some(Format::Aldebaran)),
        ("mdp\n0 0 1 1", Some(Format::Prism)),
        ("3 4\n0 1 1", Some(Format::Prism)),
        ("// of a tool\nStrict DIGRAPH \"a b\" {", Some(Format::Dot)),
        ("graph {", Some(Format::Dot)),
        ("graph of a function", None),
        ("x := 1 || a := x", None),
        ("fairness := 1", None),
        ("", None),
    ] {
        assert_eq!(Format::of_text(text), format, "{text}");
    }
    assert_eq!(Format::detect("a.GV", "fairness\na -> b"), Some(Format::Own));
    assert_eq!(Format::detect("a.GV", "?"), Some(Format::Dot));
    assert_eq!(Format::of_name("tra"), None);
}

fn images(of: &Labelled) -> (u64, Vec<usize>) {
    let mut machine = streett_by_chance(Rc::clone(&of.graph), of.objective(), Way::Improved, Options::default());
    while machine.advance(&mut Budget::unlimited()).expect("nobody stops it").is_some() {}
    (machine.counts().images, machine.answer().expect("it is over").winning.iter().collect())
}

#[test]
fn counts_are_the_same_after_writing() {
    for seed in seeds(150) {
        let (graph, pairs) =
            crate::families::random(20, 45, [0, 10, 20, 50][seed as usize % 4], 2, seed).expect("they are few");
        let mut labelled = Labelled::bare(Rc::new(graph));
        for (at, (asks, gets)) in pairs.into_iter().enumerate() {
            labelled.labels.extend([(format!("asks {at}"), asks), (format!("gets {at}"), gets)]);
            labelled.pairs.push((Side::Label(2 * at), Side::Label(2 * at + 1)));
        }
        let expected = images(&labelled);
        for format in [Format::Own, Format::Prism, Format::Dot, Format::Json] {
            let again = read_again(format, &write(format, &labelled).expect("it is a graph"));
            assert_eq!(images(&again), expected, "seed {seed}, {format:?}");
        }
    }
}

fn get(format: Format, text: &str) -> Read {
    read(format, text, &ReadOptions::default()).unwrap_or_else(|wrong| panic!("{text}\n{wrong:#?}"))
}

fn successors(of: &Labelled) -> Vec<Vec<u32>> {
    (0..of.graph.vertices()).map(|at| of.graph.successors(at).to_vec()).collect()
}

fn random_vertices(of: &Labelled) -> Vec<usize> {
    of.graph.random().iter().collect()
}

#[test]
fn chance_becomes_random_vertices() {
    // A chain: where it has two successors it is random itself. State 1 has none, and so has the last one.
    for text in ["4 3\n0 1 0.5\n0 2 1/2\n2 3 1.0\n", "dtmc\n0 1 5e-1\n\n0 2 0.5\n2 3 1\n"] {
        let read = get(Format::Prism, text);
        assert_eq!(successors(&read.labelled), [vec![1, 2], vec![], vec![3], vec![]], "{text}");
        assert_eq!((random_vertices(&read.labelled), read.states()), (vec![0], 4));
    }
    // A process: the second choice of state 0 and both of state 2 are by chance, and behind the states.
    let text =
        "3 5 8\n0 0 1 1 go\n0 1 0 0.5 toss\n0 1 2 0.5 toss\n2 0 0 1/3\n2 0 1 2/3\n2 1 1 0.25\n2 1 2 0.75\n1 0 1 1\n";
    let mut read = get(Format::Prism, text);
    assert_eq!(successors(&read.labelled), [vec![1, 3], vec![1], vec![4, 5], vec![0, 2], vec![0, 1], vec![1, 2]]);
    assert_eq!((random_vertices(&read.labelled), read.states()), (vec![3, 4, 5], 3));
    read.add_labels("0=\"init\" 1=\"deadlock\" 2=\"done\"\n0: 0\n1: 2\n").expect("they are labels");
    assert_eq!(
        read.labelled.labels.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["init", "deadlock", "done"]
    );
    assert_eq!(read.labelled.start.iter().collect::<Vec<_>>(), [0]);
    read.add_states("(s,t)\n0:(0,1)\n1:(0,2)\n2:(1,true)\n").expect("they are states");
    assert_eq!(
        read.labelled.names,
        ["(s=0,t=1)", "(s=0,t=2)", "(s=1,t=true)", "(s=0,t=1) toss", "(s=1,t=true) choice 0", "(s=1,t=true) choice 1"]
    );
    // Two lines that lead to the same state are one successor, however lines are ordered.
    let read = get(Format::Prism, "mdp\n1 0 0 1\n0 0 1 0.5\n0 0 1 0.5\n");
    assert_eq!((successors(&read.labelled), random_vertices(&read.labelled)), (vec![vec![1], vec![0]], vec![]));
    // The smallest probability is one.
    let read = get(Format::Prism, "dtmc\n0 0 1\n0 1 1e-400\n");
    assert_eq!(random_vertices(&read.labelled), [0]);
}

#[test]
fn storms_labels_are_read() {
    let mut read = get(Format::Prism, "mdp\n0 0 1 1\n1 0 0 1");
    read.add_labels("#DECLARATION\ninit deadlock\n#END\n0 init\n1 deadlock init\n").expect("they are labels");
    let labels: Vec<(&str, Vec<usize>)> =
        read.labelled.labels.iter().map(|(name, set)| (name.as_str(), set.iter().collect())).collect();
    assert_eq!(labels, [("init", vec![0, 1]), ("deadlock", vec![1])]);
}

#[test]
fn actions_are_dropped_or_remembered() {
    let text = "des (0, 4, 4)\n(0, request, 1)\n(1, \"GRANT !1, (2)\", 2)\n(2, i, 0)\n(1,  \"request\" ,2)\n";
    let read = get(Format::Aldebaran, text);
    assert_eq!(successors(&read.labelled), [vec![1], vec![2], vec![0], vec![]]);
    assert_eq!(read.labelled.start.iter().collect::<Vec<_>>(), [0]);
    assert_eq!(read.notes[0].message, "edges have no labels here, and the 3 of this file are dropped");
    let options = ReadOptions { actions: Actions::Last, ..ReadOptions::default() };
    let read = super::read(Format::Aldebaran, text, &options).expect("it is a system");
    assert_eq!(
        read.labelled.names,
        ["0", "0 after i", "1 after request", "2 after request", "2 after GRANT !1, (2)", "3"]
    );
    assert_eq!(successors(&read.labelled), [vec![2], vec![2], vec![3, 4], vec![1], vec![1], vec![]]);
    let labels: Vec<(&str, Vec<usize>)> =
        read.labelled.labels.iter().map(|(name, set)| (name.as_str(), set.iter().collect())).collect();
    assert_eq!(labels, [("request", vec![2, 3]), ("GRANT !1, (2)", vec![4]), ("i", vec![1])]);
    assert_eq!(read.labelled.start.iter().collect::<Vec<_>>(), [0]);
    assert_eq!(get(Format::Aldebaran, "des (0, 0, 1)").labelled.graph.vertices(), 1);
}

#[test]
fn much_of_dot_is_read() {
    let text = "/* by a tool */ strict digraph \"the graph\" {\n# a line of the preprocessor\n\
                rankdir=LR; node [shape=diamond, fontsize=10.5]; edge [color=\"red\"]\n\
                a; node [shape=ellipse]\n subgraph cluster_1 { node [class=\"in x%20y\"]; label = \"one\"; b -> c:n:se -> {d e} [label=<<b>1</b>>] }\n\
                a -> b [weight=2,]; \"e\" -> \"a\" + \"\" [style=dotted]; -1.5 [class=\"in\" start]\n é -> -1.5 }\ndigraph {}";
    let read = get(Format::Dot, text);
    assert_eq!(read.name.as_deref(), Some("the graph"));
    assert_eq!(read.labelled.names, ["a", "b", "c", "d", "e", "-1.5", "é"]);
    assert_eq!(successors(&read.labelled), [vec![1], vec![2], vec![3, 4], vec![], vec![0], vec![], vec![5]]);
    assert_eq!(random_vertices(&read.labelled), [0]);
    let labels: Vec<(&str, Vec<usize>)> =
        read.labelled.labels.iter().map(|(name, set)| (name.as_str(), set.iter().collect())).collect();
    assert_eq!(labels, [("in", vec![1, 2, 3, 4, 5]), ("x y", vec![1, 2, 3, 4])]);
    assert_eq!(read.labelled.start.iter().collect::<Vec<_>>(), [5]);
    assert_eq!(read.notes[0].message, "what is behind the first graph is not read");
}

#[test]
fn an_arrow_from_nowhere_is_a_start() {
    // As Spot draws it.
    let text = "digraph \"\" {\n rankdir=LR\n node [shape=\"circle\"]\n I [label=\"\", style=invis, width=0]\n I -> 1\n \
                0 [label=\"0\"]\n 0 -> 0\n 1 -> 0\n}";
    let read = get(Format::Dot, text);
    assert_eq!((read.labelled.names.len(), successors(&read.labelled)), (0, vec![vec![0], vec![0]]));
    assert_eq!(read.labelled.start.iter().collect::<Vec<_>>(), [1]);
}

#[test]
fn our_own_notation_is_short() {
    let text = "\u{feff}fairness mutex // of two\n\nstart idle\nidle -> wait, idle # an edge to each\nwait, idle -> coin -> held\n\
                random coin\nset requests: wait coin\nset empty:\nset grants: held,\npair requests -> {held, wait}\n\
                pair all -> none\nvertices alone\nheld ->\nset -> start\n";
    let wrong = read(Format::Own, text, &ReadOptions::default()).expect_err("a comma has nothing behind it");
    assert_eq!((wrong.len(), wrong[0].span.line, wrong[0].span.column), (1, 9, 18));
    let read = get(Format::Own, &text.replace("held,\n", "held\n"));
    assert_eq!(read.name.as_deref(), Some("mutex"));
    assert_eq!(read.labelled.names, ["idle", "wait", "coin", "held", "alone", "set", "start"]);
    assert_eq!(successors(&read.labelled), [vec![0, 1, 2], vec![2], vec![3], vec![], vec![], vec![6], vec![]]);
    assert_eq!(read.labelled.pairs, [(Side::Label(0), Side::Label(3)), (Side::All, Side::None)]);
    assert_eq!(read.labelled.labels[3].0, "{held, wait}");
    assert_eq!(
        print("mutex", &read.labelled),
        "fairness mutex\nvertices idle, wait, coin, held, alone, set, start\nidle -> idle, wait, coin\nwait -> coin\n\
         coin -> held\nset -> start\nstart idle\nrandom coin\nset requests: wait, coin\nset empty:\nset grants: held\n\
         set \"{held, wait}\": wait, held\npair requests -> \"{held, wait}\"\npair all -> none\n"
    );
    // Numbers are their own.
    let read = get(Format::Own, "fairness\n2 -> 0 -> 1");
    assert_eq!((read.labelled.names.len(), successors(&read.labelled)), (0, vec![vec![1], vec![], vec![0]]));
    assert_eq!(print("", &read.labelled), "fairness\n0 -> 1\n2 -> 0\n");
}

#[test]
fn each_word_has_its_colour() {
    let text = "// old\nfairness a b // of\nset grants: held \"x y\" $\npair all -> {all grants} # why\nall -> set \"";
    let classes = highlight(text);
    let of = |class| -> Vec<&str> {
        classes.iter().filter(|(_, other)| *other == class).map(|(range, _)| &text[range.clone()]).collect()
    };
    use litmoscope_core::syntax::TokenClass;
    assert_eq!(of(TokenClass::Keyword), ["fairness", "set", "pair", "all"]);
    assert_eq!(of(TokenClass::Label), ["a", "b", "grants"]);
    assert_eq!(of(TokenClass::Shared), ["held", "\"x y\"", "all", "grants", "all", "set"]);
    assert_eq!(of(TokenClass::Comment), ["// old", "// of", "# why"]);
    assert_eq!(of(TokenClass::Separator), ["->", "->"]);
    assert_eq!(of(TokenClass::Unknown), ["$", "\""]);
    assert!(classes.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start));
}

#[test]
fn the_example_of_json_is_read() {
    let text = "{\"vertices\": 4, \"edges\": [[0, 1], [1, 0], [1, 2], [2, 3], [3, 3]], \"random\": [1], \"start\": [0],\n\
                \"labels\": {\"requests\": [0, 1], \"grants\": [3]}, \"pairs\": [[\"requests\", \"grants\"], [\"all\", {\"none\": true}]]}";
    let read = get(Format::Json, text);
    assert_eq!(read.labelled.pairs, [(Side::Label(0), Side::Label(1)), (Side::All, Side::None)]);
    assert_eq!((random_vertices(&read.labelled), read.labelled.graph.vertices()), (vec![1], 4));
}

#[test]
fn random_graphs_are_as_asked_for() {
    for (vertices, edges, percent, expected) in
        [(50, 120, 20, 10), (10, 90, 50, 5), (1, 5, 100, 1), (0, 3, 10, 0), (30, 3, 10, 3)]
    {
        let make = |seed| crate::families::random(vertices, edges, percent, 2, seed).expect("they are few");
        let (graph, pairs) = make(7);
        let count = edges.clamp(u64::from(vertices), u64::from(vertices).pow(2));
        assert_eq!(graph.size(), (u128::from(vertices), u128::from(count)));
        assert_eq!((graph.count(graph.random()), pairs.len()), (expected, 2));
        assert!((0..graph.vertices()).all(|at| !graph.successors(at).is_empty()));
        let again = make(7).0;
        assert!((0..graph.vertices()).all(|at| graph.successors(at) == again.successors(at)));
    }
    assert!(crate::families::random(u32::MAX, 0, 0, 0, 0).is_err());
}

//! What is wrong is said with its place, and costs nothing.

use super::*;
use crate::bits::Graph;
use litmoscope_core::random::Random;
use litmoscope_core::syntax::render;
use litmoscope_core::testing::seeds;
use std::rc::Rc;

fn wrong(format: Format, text: &str) -> Vec<Diagnostic> {
    read(format, text, &ReadOptions::default()).err().unwrap_or_else(|| panic!("nothing is wrong with {text}"))
}

/// The first message with its place.
fn first(wrong: &[Diagnostic]) -> (u32, u32, &str) {
    let first = &wrong[0];
    assert!(first.help.as_ref().is_some_and(|help| !help.is_empty()), "{first:?}");
    (first.span.line, first.span.column, &first.message)
}

#[test]
fn wrong_transitions_are_said() {
    for (text, line, column, message) in [
        ("", 1, 1, "there are no transitions"),
        ("ctmc\n0 1 3.5", 1, 1, "`ctmc` has rates, which are no probabilities"),
        ("a b\n", 1, 1, "`a b` is no first line of transitions"),
        ("2 2\n0 1 1\n1 0 0\n", 3, 5, "the probability is 0"),
        ("2 2\n0 1 1\n1 0 -0.5\n", 3, 5, "the probability is negative"),
        ("2 2\n0 1 1\n1 0 [0.1,0.2]\n", 3, 5, "`[0.1,0.2]` is no probability"),
        ("2 2\n0 1 1\n1 0 1/0\n", 3, 5, "`1/0` is no probability"),
        ("2 2\n0 1 1\n1 0 NaN\n", 3, 5, "`NaN` is no probability"),
        ("2 2\n0 0 0.5\n0 1 0.4\n", 2, 1, "the probabilities at state 0 have the sum 0.9, not 1"),
        ("2 1\n0 1 2.5\n", 2, 1, "the probabilities at state 0 have the sum 2.5, not 1"),
        ("2 2\n0 0 1/2\n0 1 4999996/10000000\n", 2, 1, "the probabilities at state 0 have the sum 0.9999996, not 1"),
        ("2 2 2\n0 0 1 1\n0 1 1 1/2\n", 3, 1, "the probabilities of choice 1 at state 0 have the sum 0.5, not 1"),
        ("2 1\n0 2 1\n", 2, 1, "there is no state 2: the first line says that there are 2 of them"),
        ("2 1\n0 x 1\n", 2, 3, "`x` is no number of a state or a choice"),
        ("2 1 1\n0 1 1\n", 2, 1, "a transition has 4 parts and perhaps an action, and here are 3"),
        ("2 3\n0 1 1\n", 1, 1, "the first line promises 3 transitions, and there are 1"),
        ("9000000 1\n0 8999999 1\n", 1, 1, "9000000 vertices are promised, and the text speaks of 2 of them"),
        ("dtmc\n0 8999999 1\n", 1, 1, "9000000 vertices are promised, and the text speaks of 2 of them"),
        ("99999999999 1\n0 0 1\n", 1, 1, "99999999999 vertices are too many: up to 10000000 are read"),
    ] {
        assert_eq!(first(&wrong(Format::Prism, text)), (line, column, message), "{text}");
    }
    // Rounded decimals are near enough.
    let text = "3 3\n0 0 0.333333\n0 1 0.333333\n0 2 0.333333\n";
    assert!(read(Format::Prism, text, &ReadOptions::default()).is_ok());
}

#[test]
fn wrong_labels_and_states_are_said() {
    let text = "2 2\n0 1 1\n1 0 1\n";
    let get = || read(Format::Prism, text, &ReadOptions::default()).expect("it is a chain");
    for (labels, line, column, message) in [
        ("", 1, 1, "there are no labels"),
        ("0=\"a\" b", 1, 7, "this is no label with its number"),
        ("0=\"a\" 0=\"b\"", 1, 7, "the label `b` or its number is there twice, or it has no name"),
        ("0=\"a\"\n2: 0", 2, 1, "there is no state 2: the transitions have 2 of them"),
        ("0=\"a\"\n1: 0 1", 2, 6, "there is no label with the number `1`"),
        ("0=\"a\"\n1 0", 2, 1, "`:` is missing behind the number of a state"),
        ("#DECLARATION\na", 2, 2, "the declaration has no end"),
        ("#DECLARATION\na\n#END\n0 a b", 4, 5, "the label `b` was not declared"),
    ] {
        assert_eq!(first(&get().add_labels(labels).expect_err(labels)), (line, column, message), "{labels}");
    }
    for (states, line, column, message) in [
        ("", 1, 1, "there are no states"),
        ("s,t", 1, 1, "the first line lists no variables"),
        ("(s)\n0:(1)", 1, 1, "there are 2 states, and 1 of them have a line"),
        ("(s)\n0:(1)\n0:(1)", 3, 1, "state 0 is there twice"),
        ("(s)\n0:(1,2)", 2, 1, "there are 1 variables, and 2 values of them"),
        ("(s)\n0 (1)", 2, 1, "this is no state"),
    ] {
        assert_eq!(first(&get().add_states(states).expect_err(states)), (line, column, message), "{states}");
    }
}

#[test]
fn wrong_systems_are_said() {
    for (text, line, column, message) in [
        ("", 1, 1, "there is no transition system"),
        ("des 0, 1, 2", 1, 1, "this is no first line of a transition system"),
        ("des (0, 1)", 1, 1, "these are no three numbers"),
        ("des (0 1/2 1, 1, 2)", 1, 1, "the first state is one of several, by chance"),
        ("des (0, 1, 2)\n(0, \"a\", 0 1/2 1)", 2, 1, "the edge leads to one of several states, by chance"),
        ("des (0, 1, 2)\n0 -> 1", 2, 1, "this is no edge"),
        ("des (0, 1, 2)\n(0, a, b)", 2, 1, "states are numbers"),
        ("des (0, 1, 2)\n(0, a, 2)", 2, 1, "there is no state 2: the first line says that there are 2 of them"),
        ("des (0, 2, 2)\n(0, a, 1)", 1, 1, "the first line promises 2 edges, and there are 1"),
        ("des (2, 0, 2)", 1, 1, "there is no state 2 to start in"),
        ("des (0, 4000000000, 4000000000)", 1, 1, "4000000000 vertices are too many: up to 10000000 are read"),
        ("des (0, 4000000000, 9000000)", 1, 1, "9000000 vertices are promised, and the text speaks of 0 of them"),
    ] {
        assert_eq!(first(&wrong(Format::Aldebaran, text)), (line, column, message), "{text}");
    }
    // Labels taken last could be as many as the edges into a vertex times those out of it.
    let lines: String = (1..400).map(|at| format!("(0, a{at}, 0)\n(0, b, {at})\n")).collect();
    let text = format!("des (0, 798, 400)\n{lines}");
    let options = ReadOptions { actions: Actions::Last, edges: 100_000, ..ReadOptions::default() };
    let wrong = read(Format::Aldebaran, &text, &options).expect_err("they are many");
    assert_eq!(first(&wrong), (1, 1, "there are more than 100000 edges"));
}

#[test]
fn wrong_dot_is_said() {
    for (text, line, column, message) in [
        ("", 1, 1, "expected `digraph`, found the end of the text"),
        ("graph { a -- b }", 1, 1, "the edges of this graph have no direction"),
        ("digraph { a -- b }", 1, 13, "this edge has no direction"),
        ("digraph {\n a -> }", 2, 7, "expected a node that the edge leads to, found `}`"),
        ("digraph {\n a -> ; }", 2, 7, "expected the name of a node, found `;`"),
        ("digraph { a", 1, 12, "expected `}`, found the end of the text"),
        ("digraph { <b> -> a }", 1, 11, "the name of a node is HTML"),
        ("digraph { a [label=<b }", 1, 20, "the angle brackets are not closed"),
        ("digraph { \"a }", 1, 11, "the quotes are not closed"),
        ("digraph { /* a }", 1, 11, "the comment has no end"),
        ("digraph { a [x=] }", 1, 16, "expected a value, found `]`"),
        ("digraph { node a }", 1, 16, "expected `[` and attributes, found `a`"),
        ("digraph { \u{1} }", 1, 11, "`\u{1}` means nothing here"),
        ("digraph { pairs=\"a->b\"; x [class=\"a\"] }", 1, 17, "no node has the class `b`"),
        ("digraph { pairs=\"a\" }", 1, 17, "`a` is no pair"),
    ] {
        assert_eq!(first(&wrong(Format::Dot, text)), (line, column, message), "{text}");
    }
    let deep = format!("digraph {{ {} {} }}", "{".repeat(100_000), "}".repeat(100_000));
    assert_eq!(wrong(Format::Dot, &deep)[0].message, "subgraphs are more than 100 deep in each other");
    let nodes: String = (0..2_000).map(|at| format!(" n{at}")).collect();
    let options = ReadOptions { edges: 1_000_000, ..ReadOptions::default() };
    let wrong =
        read(Format::Dot, &format!("digraph {{ {{{nodes}}} -> {{{nodes}}} }}"), &options).expect_err("many edges");
    assert_eq!(wrong[0].message, "there are more than 1000000 edges");
}

#[test]
fn wrong_json_is_said() {
    for (text, line, column, message) in [
        ("{", 1, 1, "this can't be read: EOF while parsing an object"),
        ("{\"vertices\": 1}", 1, 1, "`vertices` or `edges` are missing"),
        ("{\"vertices\": 2,\n \"edges\": [[0, 1],\n  [1, 2]]}", 3, 7, "there is no vertex 2: there are 2 of them"),
        ("{\"edges\": [[0, 5]], \"vertices\": 2}", 1, 16, "there is no vertex 5: there are 2 of them"),
        ("{\"vertices\": 2, \"edges\": [[0]]}", 1, 27, "an edge has two ends"),
        ("{\"vertices\": 2, \"edges\": [[0, -1]]}", 1, 31, "`-1` is no number of a vertex"),
        ("{\"vertices\": 2, \"edges\": [],\n\"edges\": []}", 2, 10, "`edges` is there twice"),
        ("{\"vertices\": 2, \"edges\": [], \"labels\": {\"a\": [], \"a\": []}}", 1, 55, "`a` is there twice"),
        ("{\"vertices\": 2, \"edges\": [], \"edge\": []}", 1, 38, "nothing is called `edge` here"),
        ("{\"vertices\": 1, \"edges\": [], \"pairs\": [[\"a\", \"all\"]]}", 1, 41, "there is no label `a`"),
        (
            "{\"vertices\": 1, \"edges\": [], \"pairs\": [[{\"some\": true}, \"all\"]]}",
            1,
            41,
            "this is no side of a pair",
        ),
        (
            "{\"vertices\": 9000000, \"edges\": []}",
            1,
            14,
            "9000000 vertices are promised, and the text speaks of 0 of them",
        ),
        (
            "{\"vertices\": 1.5, \"edges\": []}",
            1,
            16,
            "this can't be read: invalid type: floating point `1.5`, expected usize",
        ),
    ] {
        assert_eq!(first(&wrong(Format::Json, text)), (line, column, message), "{text}");
    }
    let deep = format!("{{\"vertices\": {}", "[".repeat(100_000));
    assert!(!wrong(Format::Json, &deep).is_empty());
}

#[test]
fn wrong_graphs_of_our_own_are_said() {
    for (lines, line, column, message) in [
        // Nothing is.
        ("a -> b c", 2, 8, ""),
        ("a", 2, 2, "expected `->` and a vertex, found the end of the line"),
        ("a -> b -", 2, 8, ""),
        ("a -> b $", 2, 8, "expected a vertex, found `$`"),
        ("a -> \"b", 2, 6, "expected a vertex, found a quote without an end"),
        ("a -> b\nstart c", 3, 7, "no edge has the vertex `c`"),
        ("a -> b\nset : a", 3, 5, "expected the name of a set, found `:`"),
        ("a -> b\nset x a", 3, 7, "expected `:` and vertices, found `a`"),
        ("a -> b\nset x: a\nset x: b", 4, 5, "there are two sets called `x`"),
        ("a -> b\npair x -> all", 3, 6, "there is no set `x`"),
        ("a -> b\npair all -> a", 3, 13, "`a` is a vertex, and no set"),
        ("a -> b\npair all", 3, 9, "expected `->` and what has to come again and again, found the end of the line"),
        ("a -> b\npair all -> {a", 3, 15, "expected `}`, found the end of the line"),
        ("a -> b\npair all -> none b", 3, 18, "expected the end of the line, found `b`"),
    ] {
        let text = format!("fairness\n{lines}");
        let read = read(Format::Own, &text, &ReadOptions::default());
        match read {
            Ok(_) => assert_eq!(message, "", "{lines}"),
            Err(wrong) => assert_eq!(first(&wrong), (line, column, message), "{lines}"),
        }
    }
    assert_eq!(wrong(Format::Own, "")[0].message, "there is no graph");
    assert_eq!(wrong(Format::Own, "a -> b")[0].message, "expected `fairness`, found `a`");
    assert_eq!(wrong(Format::Hoa, "HOA: v1")[0].message, "this is an automaton, and no graph");
    // All lines are looked at, up to a number of messages.
    let many = format!("fairness\n{}", "$\n".repeat(1_000));
    assert_eq!(wrong(Format::Own, &many).len(), 20);
}

#[test]
fn wrong_pairs_are_said() {
    let graph = Graph::new(1, [(0, 0)], []).expect("it is one");
    let all = graph.all();
    let of = Labelled {
        labels: vec![("a".to_owned(), all.clone()), ("all".to_owned(), all)],
        ..Labelled::bare(Rc::new(graph))
    };
    let good = parse_pairs("// why\n\n\"a\" -> all # none\nall->\"all\"\n none -> a", &of).expect("they are pairs");
    assert_eq!(good.len(), 3);
    use crate::labelled::Side;
    assert_eq!(good[1], (Side::All, Side::Label(1)));
    for (text, line, column, message, help) in [
        ("a -> b", 1, 6, "there is no label `b`", "there are `a` and `all`, `all` and `none`"),
        ("a\n", 1, 2, "expected `->`, found the end of the line", ""),
        ("a -> all all", 1, 10, "expected the end of the line, found `all`", ""),
        ("\na -> ->", 2, 6, "expected a side of a pair, found `->`", ""),
    ] {
        let wrong = parse_pairs(text, &of).expect_err(text);
        assert_eq!(first(&wrong), (line, column, message), "{text}");
        assert!(wrong[0].help.as_ref().is_some_and(|told| told.starts_with(help)), "{wrong:?}");
    }
}

/// What is said once and holds for many has bounds.
#[test]
fn short_texts_take_little_room() {
    let options = ReadOptions { edges: 10_000, ..ReadOptions::default() };
    let (words, nodes) = (" w".repeat(500), (0..1_000).map(|at| format!(" n{at}")).collect::<String>());
    let words: String = words.split(' ').enumerate().map(|(at, word)| format!("{word}{at} ")).collect();
    let text = format!("digraph {{ node [class=\"{words}\"] {nodes} }}");
    let wrong = read(Format::Dot, &text, &options).expect_err("its classes are many");
    assert_eq!(wrong[0].message, "nodes have more than 10001 words in `class` together");
    let text = format!("1000 1000\n{}", (0..1_000).map(|at| format!("{at} {at} 1\n")).collect::<String>());
    let states: String = (0..1_000).map(|at| format!("{at}:(1)\n")).collect();
    let mut chain = read(Format::Prism, &text, &options).expect("it is a chain");
    let wrong = chain.add_states(&format!("({})\n{states}", "v".repeat(1_000_000))).expect_err("names are long");
    assert_eq!(wrong[0].message, "the names take too much room");
    chain.add_states(&format!("(v)\n{states}")).expect("these are short");
    let text = format!("fairness\n{} -> b", "a".repeat(20_000));
    let wrong = read(Format::Own, &text, &options).expect_err("the name is long");
    assert!(wrong[0].message.ends_with("` has 20000 bytes"), "{wrong:?}");
    // Many vertices in braces are no long name.
    let text = format!("fairness\n{} -> a\npair {{{nodes}}} -> {{{nodes}}}\n", nodes.trim());
    let labelled = read(Format::Own, &text, &options).expect("it is a graph").labelled;
    let names: Vec<&str> = labelled.labels.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names[0], "{n0, n1, n2, n3, n4, n5, n6, n7, … 0}");
}

#[test]
fn what_a_format_has_no_place_for_is_said() {
    let text = "fairness\na -> b\nb -> a\nstart a\nset init: b\nrandom a\npair init -> all";
    let labelled = read(Format::Own, text, &ReadOptions::default()).expect("it is a graph").labelled;
    let lost = |format| write(format, &labelled).expect("it is a graph").lost;
    assert_eq!(lost(Format::Prism), ["where it starts"]);
    assert_eq!(lost(Format::Aldebaran), ["names of vertices", "random vertices", "sets", "pairs"]);
    assert!([Format::Own, Format::Dot, Format::Json].into_iter().all(|format| lost(format).is_empty()));
    assert!(write(Format::Hoa, &labelled).is_err());
}

/// What was a graph, with words, lines and numbers in other places.
#[test]
fn broken_texts_do_no_harm() {
    const TEXTS: [&str; 8] = [
        "fairness m\nstart a\na -> b, a -> \"c d\"\nrandom a\nset s: a b\npair s -> {a b}\npair all -> none\nvertices z\n",
        "3 5 6\n0 0 1 1 go\n0 1 0 0.5 toss\n0 1 2 1/2 toss\n1 0 0 1\n2 0 2 1\n2 1 0 1\n",
        "dtmc\n0 1 0.5\n0 2 0.5\n1 1 1\n2 0 1\n",
        "des (0, 3, 3)\n(0, a, 1)\n(1, \"b c\", 2)\n(2, i, 0)\n",
        "digraph g {\n labels=\"x y\" pairs=\"x->y all->none\"\n node [shape=box]\n a [start=true, class=\"x y\"]\n a -> {b c:n} -> a\n I [shape=point] I -> b\n subgraph s { b -> c [label=<i>] }\n}\n",
        "{\"vertices\": [\"a\", \"b\"], \"edges\": [[0, 1], [1, 0]], \"random\": [1], \"start\": [0], \"labels\": {\"x\": [0]}, \"pairs\": [[\"x\", {\"all\": true}]]}",
        "0=\"init\" 1=\"x\"\n0: 0 1\n2: 1\n",
        "(s,t)\n0:(0,1)\n1:(1,1)\n2:(2,2)\n",
    ];
    let pieces: Vec<&str> = TEXTS
        .iter()
        .flat_map(|text| text.split_inclusive([' ', '\n', ',']))
        .chain(["\u{feff}", "é", "\"", "\\", "99999999999", "-1", "{", "}", "\r\n", "/*", "<"])
        .collect();
    let options = ReadOptions { vertices: 1_000, edges: 1_000, actions: Actions::Last };
    for seed in seeds(20_000) {
        let mut random = Random::new(seed);
        let text = TEXTS[random.below(TEXTS.len() as u64) as usize];
        let mut parts: Vec<&str> = text.split_inclusive([' ', '\n', ',']).collect();
        for _ in 0..=random.below(3) {
            let at = random.below(parts.len() as u64) as usize;
            match random.below(4) {
                0 => _ = parts.remove(at),
                1 => parts.insert(at, pieces[random.below(pieces.len() as u64) as usize]),
                2 => parts[at] = pieces[random.below(pieces.len() as u64) as usize],
                _ => parts.truncate(at),
            }
            if parts.is_empty() {
                parts.push("");
            }
        }
        let text = parts.concat();
        highlight(&text);
        Format::of_text(&text);
        for format in Format::ALL {
            match read(format, &text, &options) {
                Err(wrong) => {
                    assert!(!wrong.is_empty(), "{format:?}: {text}");
                    render(&text, "a", &wrong);
                }
                Ok(mut read) => {
                    render(&text, "a", &read.notes);
                    let _ = (read.add_labels(&text), read.add_labels(TEXTS[6]), read.add_states(TEXTS[7]));
                    let _ = parse_pairs(&text, &read.labelled);
                    write(format, &read.labelled).expect("it is a graph");
                }
            }
        }
    }
}

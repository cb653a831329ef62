//! Tests of the generator.

use super::{Annotation, Cycle, Dialect, Direction, Family, RelaxationEdge, generate, patterns};
use crate::program::Notation;
use crate::syntax::{Severity, parse, render};
use proptest::prelude::*;
use std::collections::BTreeSet;

const DIALECTS: [Notation; 4] = [Notation::Litmoscope, Notation::C11, Notation::X86, Notation::X86_64];

fn own() -> Dialect {
    Dialect::from(Notation::Litmoscope)
}

/// Each edge with each pair of annotations, and without.
fn all_edges() -> Vec<RelaxationEdge> {
    use Annotation::{Acquire, AcquireRelease, Locked, Plain, Relaxed, Release, SequentiallyConsistent};
    let all = [Plain, Relaxed, Acquire, Release, AcquireRelease, SequentiallyConsistent, Locked];
    let mut edges: Vec<RelaxationEdge> = DIALECTS.into_iter().flat_map(RelaxationEdge::vocabulary).collect();
    edges.sort_unstable();
    edges.dedup();
    let pairs = all.into_iter().flat_map(|from| all.map(|to| Some((from, to))));
    let choices: Vec<_> = pairs.chain([None]).collect();
    edges
        .into_iter()
        .flat_map(|edge| choices.iter().map(move |&annotations| RelaxationEdge { annotations, ..edge }))
        .collect()
}

#[test]
fn edges_are_read_as_they_are_written() {
    let edges = all_edges();
    assert_eq!(edges.len(), (6 + 8 + 8 + 8 * 4 + 10 + 3) * 50);
    for edge in edges {
        assert_eq!(edge.to_string().parse(), Ok(edge), "{edge}");
        assert!(!edge.description().is_empty());
    }
}

#[test]
fn synonyms() {
    for (word, edge) in [
        ("Wse", "Coe"),
        ("WsiRelRlx", "CoiRelRlx"),
        ("MfencedWR", "MFencedWR"),
        ("Mfence", "MFencedWR"),
        ("PodWRNANA", "PodWRNaNa"),
        ("FenceAcqReldRR", "FenceARdRR"),
        ("Rmw", "Exch"),
        ("Amo.SwapAcqRel", "ExchAcqRel"),
        ("Amo.Cas", "Cas"),
        ("Amo.FetchAddScSc", "FetchAddScSc"),
        ("ExchAcqRelAcqRel", "ExchARAR"),
    ] {
        assert_eq!(word.parse::<RelaxationEdge>().map(|edge| edge.to_string()), Ok(edge.to_owned()), "{word}");
    }
    let words = |pattern: &str| {
        RelaxationEdge::pattern(pattern).map(|edges| edges.iter().map(RelaxationEdge::to_string).collect::<Vec<_>>())
    };
    assert_eq!(words("Pod*W"), Ok(vec!["PodRW".to_owned(), "PodWW".to_owned()]));
    assert_eq!(words("FenceScs**").map(|edges| edges.len()), Ok(4));
    assert!(words("Pod***").is_err());
    assert!(words("DpDatad*").is_err());
}

/// The whole text of a test in each dialect.
#[test]
fn texts() {
    let text = |cycle: &str, notation| {
        let test = generate(cycle, Dialect::from(notation));
        test.unwrap_or_else(|errors| panic!("{}", render(cycle, "cycle", &errors))).text
    };
    assert_eq!(
        text("PodWWRlxRel RfeRelAcq DpCtrldRAcqRlx FreRlxRlx", Notation::C11),
        "C MP+xl+a-ctrl-x\n\"PodWWRlxRel RfeRelAcq DpCtrldRAcqRlx FreRlxRlx\"\n\n{}\n\n\
         P0 (atomic_int* x, atomic_int* y) {\n  atomic_store_explicit(x, 1, memory_order_relaxed);\n  \
         atomic_store_explicit(y, 1, memory_order_release);\n}\n\n\
         P1 (atomic_int* x, atomic_int* y) {\n  int r0 = atomic_load_explicit(y, memory_order_acquire);\n  int r1;\n  \
         if (r0 == 1) {\n    r1 = atomic_load_explicit(x, memory_order_relaxed);\n  }\n}\n\n\
         locations [1:r0; 1:r1; x; y;]\nexists (1:r0=1 /\\ 1:r1=0)\n"
    );
    assert_eq!(
        text("MFencedWRANa FreNaA PodWRANa FreNaA", Notation::X86),
        "X86 SB+X-mfence-r+Xr\n\"MFencedWRANa FreNaA PodWRANa FreNaA\"\n{}\n \
         P0           | P1           ;\n \
         MOV EAX,$1   | MOV EAX,$1   ;\n \
         XCHG [x],EAX | XCHG [y],EAX ;\n \
         MFENCE       | MOV EBX,[x]  ;\n \
         MOV EBX,[y]  |              ;\n\
         locations [0:EAX; 0:EBX; 1:EAX; 1:EBX; x; y;]\n\
         exists (0:EAX=0 /\\ 0:EBX=0 /\\ 1:EAX=0 /\\ 1:EBX=0)\n"
    );
    // Three writes whose order nothing but an observer tells.
    assert_eq!(
        text("Coe Coe PodWR Fre PodWW Coe", Notation::Litmoscope),
        "name WRfrWWcoWcoWco\n# Coe Coe PodWR Fre PodWW Coe\nshared x, y\n\n\
         x := 2\n||\nx := 3\n||\nx := 4\nr0 := y\n||\ny := 1\nx := 1\n||\nr0 := x\nr1 := x\nr2 := x\n\n\
         locations [P2:r0; P4:r0; r1; r2; x; y]\nexists (x = 4 /\\ P2:r0 = 0 /\\ P4:r0 = 1 /\\ r1 = 2 /\\ r2 = 3)\n"
    );
    // Here the threads themselves tell.
    let known = text("PodWW PosWW PosWW Coe PodWR Fre", Notation::Litmoscope);
    assert_eq!(known.matches("||").count(), 1, "{known}");
}

/// Wrong cycles, with what is said about which of their edges.
#[test]
fn wrong_cycles() {
    for (cycle, notation, at, message) in [
        ("", Notation::C11, "", "a cycle has at least two edges"),
        ("Rfe", Notation::C11, "Rfe", "a cycle has at least two edges"),
        ("PodWW Rfx", Notation::C11, "Rfx", "there is no edge `Rfx`"),
        ("PodWW Rfe PodR Fre", Notation::C11, "PodR", "`PodR` does not say what its two events are"),
        ("PoWW Rfe", Notation::C11, "PoWW", "`PoWW` does not say whether its events access the same location"),
        ("FencedWW Rfe", Notation::C11, "FencedWW", "`FencedWW` does not say which fence it is"),
        ("FenceRlxdWW Rfe", Notation::C11, "FenceRlxdWW", "`FenceRlxdWW`: a relaxed fence orders nothing"),
        ("PodWWRel Rfe", Notation::C11, "PodWWRel", "`PodWWRel`: `Rel` is not a pair of annotations"),
        ("DpDatadR Fre", Notation::C11, "DpDatadR", "`DpDatadR`: a read writes no value"),
        ("PodWW Coe PodRR Fre", Notation::C11, "PodRR", "`PodRR` starts with a read, but `Coe` before it ends"),
        ("PodWWRlxRlx RfeRelRlx PodRR Fre", Notation::C11, "RfeRelRlx", "`RfeRelRlx` annotates an event with `Rel`"),
        ("PodWWAcqRlx Rfe PodRR Fre", Notation::C11, "PodWWAcqRlx", "`PodWWAcqRlx`: a write can't be `Acq`"),
        ("PodWW Rfe PodRRRelRlx Fre", Notation::C11, "PodRRRelRlx", "`PodRRRelRlx`: a read can't be `Rel`"),
        ("PodWR Fre PodWRARRlx Fre", Notation::C11, "PodWRARRlx", "`PodWRARRlx`: only a read-modify-write"),
        ("PodWW PosWW PodWW PosWW", Notation::C11, "PosWW", "no edge leads to another thread"),
        ("PodWW Coe PosWW Coe", Notation::C11, "PodWW", "`PodWW` leads to another location, and no edge"),
        ("Rfe Fre", Notation::C11, "Fre", "the cycle has one location, but no edge of program order"),
        ("MFencedWR Fre PodWR Fre", Notation::C11, "MFencedWR", "`MFencedWR`: C11 has no mfence"),
        ("PodWRANa Fre PodWR Fre", Notation::C11, "PodWRANa", "`PodWRANa`: C11 has no locked writes"),
        ("PodWR Fre FenceScdWR Fre", Notation::X86, "FenceScdWR", "`FenceScdWR`: x86 has no fences of C11"),
        ("PodWW Rfe DpAddrdR Fre", Notation::X86_64, "DpAddrdR", "`DpAddrdR`: there are no dependencies"),
        ("PodWR Cas Coe PodWR Fre", Notation::X86, "Cas", "`Cas`: tests for x86 have no compare-and-swaps"),
        ("PodWRScSc Fre PodWR Fre", Notation::X86, "PodWRScSc", "`PodWRScSc`: x86 has no Sc accesses"),
        (
            "PodWR ExchScRlx Coe PodWR Fre",
            Notation::C11,
            "ExchScRlx",
            "`ExchScRlx`: its read and its write have no mode",
        ),
    ] {
        let errors = generate(cycle, Dialect::from(notation)).expect_err(cycle);
        let error = &errors[0];
        assert!(error.message.starts_with(message), "{cycle}: {}", error.message);
        let span = error.span.start as usize..error.span.end as usize;
        assert!(cycle[span.clone()] == *at, "{cycle}: {} at {}", error.message, &cycle[span]);
        assert!(error.help.is_some() && error.severity == Severity::Error);
        assert_eq!(error.span.column as usize, error.span.start as usize + 1);
    }
    let long = ["PodWW"; 40].join(" ") + " Coe";
    let errors = generate(&long, own()).expect_err("too long");
    assert_eq!(errors[0].message, "the cycle has 41 edges, more than 32");
    let reads = ["PodRR"; 7].join(" ") + " Fre PodWW Rfe";
    let errors = generate(&reads, Dialect::from(Notation::X86)).expect_err("too many registers");
    assert_eq!(errors[0].message, "a thread needs 8 registers, more than the 6 there are");
    assert!(generate(&reads, Dialect::from(Notation::X86_64)).is_ok());
}

/// All names of the literature, from the cycles that they stand for.
#[test]
fn names() {
    for (cycle, name) in [
        ("PodWR Fre PodWR Fre", "SB"),
        ("PodRW Rfe PodRW Rfe", "LB"),
        ("Fre PodWW Rfe PodRR", "MP"),
        ("PodRW Coe PodWW Rfe", "S"),
        ("PodWR Fre PodWW Coe", "R"),
        ("PodWW Coe PodWW Coe", "2+2W"),
        ("Rfe PodRW Rfe PodRR Fre", "WRC"),
        ("Rfe PodRW Rfe PodRW Coe", "WWC"),
        ("Rfe PodRR Fre PodWR Fre", "RWC"),
        ("Rfe PodRR Fre PodWW Coe", "WRR+2W"),
        ("Rfe PodRW Coe PodWR Fre", "WRW+WR"),
        ("Rfe PodRW Coe PodWW Coe", "WRW+2W"),
        ("PodWW Rfe PodRW Rfe PodRR Fre", "ISA2"),
        ("PodWW Rfe PodRR Fre PodWR Fre", "W+RWC"),
        ("PodWW Rfe PodRW Coe PodWR Fre", "Z6.0"),
        ("PodWW Coe PodWW Rfe PodRW Coe", "Z6.1"),
        ("PodWW Rfe PodRW Rfe PodRW Coe", "Z6.2"),
        ("PodWW Coe PodWW Rfe PodRR Fre", "Z6.3"),
        ("PodWW Coe PodWR Fre PodWR Fre", "Z6.4"),
        ("PodWW Coe PodWW Coe PodWR Fre", "Z6.5"),
        ("PodWR Fre PodWR Fre PodWR Fre", "3.SB"),
        ("PodRW Rfe PodRW Rfe PodRW Rfe", "3.LB"),
        ("PodWW Coe PodWW Coe PodWW Coe", "3.2W"),
        ("PodWR Fre PodWR Fre PodWR Fre PodWR Fre", "4.SB"),
        ("Rfe PodRR Fre Rfe PodRR Fre", "IRIW"),
        ("Rfe PodRR Fre Rfe PodRW Coe", "IRRWIW"),
        ("Rfe PodRW Coe Rfe PodRW Coe", "IRWIW"),
        ("Rfe PosRR Fre", "CoRR"),
        ("PosWW Coe", "CoWW"),
        ("PosRW Rfe", "CoRW1"),
        ("Rfe PosRW Coe", "CoRW2"),
        ("PosWR Fre", "CoWR0"),
        ("PosWR Fre Coe", "CoWR"),
        ("PosWR Fre PosWR Fre", "SB+pos+pos"),
        ("Rfe PosRR PosRR Fre", "CoRR+posrr-posrr"),
        ("PodWW Rfe DpAddrdR Fre", "MP+po+addr"),
        ("Rfe DpDatadW Rfe DpCtrldR Fre", "WRC+data+ctrl"),
        ("FenceScdWR Fre PodWR Fre", "SB+fsc+po"),
        ("PodWR Fre FenceScdWR Fre", "SB+fsc+po"),
        ("PodWW Rfe FenceARdRR Fre", "MP+po+far"),
        ("PodWWRelRel RfeRelSc PodRRScAcq FreAcqRel", "MP+ll+sa"),
        ("PodWWNaRel RfeRelAcq PodRRAcqNa FreNaNa", "MP+nl+an"),
        ("RfeRelAcq PodRW Rfe PodRR Fre", "WRC+l+ax+po"),
        ("PodWW Rfe PodRW Rfi PodRR Fre", "MP+po+porw-rfi-porr"),
        ("PodWR Exch Coe PodWR Fre", "R+powr-exch+po"),
        ("PodWW Rfe PodRW Rfe PodRW Rfe PodRR Fre", "RRfrWWrfRWrfRWrf"),
    ] {
        assert_eq!(Cycle::parse(cycle).expect(cycle).name(own()), name, "{cycle}");
    }
    let x86 = Dialect::from(Notation::X86);
    for (cycle, name) in [
        ("MFencedWR Fre PodWR Fre", "SB+mfence+po"),
        ("PodWRANa FreNaA PodWRANa FreNaA", "SB+Xr+Xr"),
        ("PodWW Coe PodWWNaA CoeANa", "2+2W+po+wX"),
    ] {
        assert_eq!(Cycle::parse(cycle).expect(cycle).name(x86), name, "{cycle}");
    }
}

/// A family is what trying all lists of edges finds, each cycle once however it is turned.
#[test]
fn families_are_complete() {
    for (edges, modes, notation, length, threads, critical) in [
        ("Pod** Rfe Fre Coe", &[][..], Notation::Litmoscope, 2..=6, 1..=6, false),
        ("Pod** Rfe Fre Coe", &[][..], Notation::Litmoscope, 4..=6, 2..=3, true),
        ("PodWR PosR* Rfe Fre Rfi Coi Exch", &[][..], Notation::X86, 2..=5, 1..=2, false),
        (
            "PodW* PodRR Rfe Fre",
            &[Annotation::Relaxed, Annotation::AcquireRelease][..],
            Notation::C11,
            4..=4,
            2..=2,
            true,
        ),
        ("Exch PodWW Coe Rfe FreScSc", &[][..], Notation::C11, 2..=5, 1..=4, false),
    ] {
        let dialect = Dialect::from(notation);
        let edges = patterns(edges).expect("edges");
        let family = Family::new(&edges, modes, dialect, length.clone(), threads.clone(), critical).expect("a family");
        let found: Vec<Cycle> = family.cycles().collect();
        let turned = |cycle: &Cycle| {
            let turn = |by: usize| {
                let mut edges = cycle.edges().to_vec();
                edges.rotate_left(by);
                edges
            };
            (0..cycle.edges().len()).map(turn).min()
        };
        let once: BTreeSet<_> = found.iter().map(turned).collect();
        assert_eq!(once.len(), found.len());
        let mut all = BTreeSet::new();
        for length in length {
            let mut walk = vec![0; length];
            loop {
                let edges = walk.iter().map(|&edge| family.edges()[edge]).collect();
                if let Ok(cycle) = Cycle::new(edges)
                    && threads.contains(&cycle.threads())
                    && (!critical || cycle.is_critical())
                    && cycle.program(dialect).is_ok()
                {
                    all.insert(turned(&cycle));
                }
                // The next walk, as a number is counted up.
                let Some(place) = walk.iter().rposition(|&edge| edge + 1 < family.edges().len()) else { break };
                walk[place] += 1;
                walk[place + 1..].fill(0);
            }
        }
        assert_eq!(once, all);
        assert!(!all.is_empty());
    }
}

#[test]
fn families_that_are_refused() {
    let make = |edges: &str, length, threads| {
        Family::new(&patterns(edges).expect("edges"), &[], Dialect::from(Notation::X86), length, threads, true)
    };
    assert!(make("PodWR Fre", 4..=6, 2..=4).is_ok());
    #[allow(clippy::reversed_empty_ranges)]
    let empty = make("PodWR Fre", 6..=4, 2..=4);
    assert_eq!(empty.expect_err("empty").message, "the range is empty");
    assert_eq!(make("PodWR Fre", 4..=60, 2..=4).expect_err("long").message, "cycles of 60 edges are longer than 16");
    assert_eq!(
        make("PosWR Fre", 4..=6, 2..=4).expect_err("not critical").message,
        "no critical cycle contains `PosWR`"
    );
    let none = make("FenceScdWR", 4..=6, 2..=4).expect_err("nothing");
    assert_eq!(none.message, "the dialect has no instructions for any of these edges");
}

/// What a page offers next always leads on.
#[test]
fn edges_that_follow() {
    let vocabulary = RelaxationEdge::vocabulary(Notation::C11);
    for edge in &vocabulary {
        let next: Vec<&RelaxationEdge> = vocabulary.iter().filter(|next| edge.can_precede(next)).collect();
        assert!(next.iter().all(|next| next.from == edge.to));
        assert!(next.len() > 10);
    }
    let mut lone = Cycle::parse("PodWW Rfe PodRR Fre").expect("a cycle").edges()[0];
    lone.to = Direction::Read;
    assert!(!lone.can_precede(&"Rfe".parse().expect("an edge")));
}

fn some_edges() -> impl Strategy<Value = Vec<RelaxationEdge>> {
    prop::collection::vec(prop::sample::select(all_edges()), 2..6)
}

proptest! {
    /// Whatever text is given, there is an answer; and a test's text is its program.
    #[test]
    fn any_text_has_an_answer(text in "[PodsRWfenciACxhRlScqaDpMF* \"é\n]{0,60}") {
        for notation in DIALECTS {
            if let Err(errors) = generate(&text, Dialect::from(notation)) {
                prop_assert!(!errors.is_empty());
                render(&text, "cycle", &errors);
            }
        }
        let _ = patterns(&text);
    }

    #[test]
    fn texts_are_read_back(edges in some_edges()) {
        let Ok(cycle) = Cycle::new(edges) else { return Ok(()) };
        prop_assert_eq!(Cycle::parse(&cycle.to_string()), Ok(cycle.clone()));
        for notation in DIALECTS {
            let Ok(test) = cycle.generate(Dialect::from(notation)) else { continue };
            let parsed = parse(&test.text);
            let parsed = parsed.unwrap_or_else(|errors| panic!("{}", render(&test.text, "test", &errors)));
            prop_assert_eq!(parsed.program.notation, notation);
            let printed = crate::syntax::print(&parsed.program, notation).expect("what was read can be printed");
            let again = crate::syntax::print(&test.program, notation).expect("it was printed before");
            prop_assert_eq!(printed, again);
        }
    }
}

/// What is offered behind a path is exactly what a cycle can go on with.
#[test]
fn continuations_are_the_edges_that_fit() {
    let ends = [None, Some(Annotation::Acquire), Some(Annotation::Release)];
    for notation in DIALECTS {
        let dialect = Dialect::from(notation);
        for before in RelaxationEdge::vocabulary(notation).into_iter().map(Some).chain([None]) {
            let bare = Cycle::continuations(before.as_ref(), (None, None), dialect);
            let fits = |edge: &RelaxationEdge| before.is_none_or(|before| before.to == edge.from);
            let wanted: Vec<RelaxationEdge> = RelaxationEdge::vocabulary(notation).into_iter().filter(fits).collect();
            assert_eq!(bare, wanted, "{notation:?} {before:?}");
            for (from, to) in ends.iter().flat_map(|from| ends.map(|to| (*from, to))) {
                for edge in Cycle::continuations(before.as_ref(), (from, to), dialect) {
                    assert!(bare.contains(&edge.bare()));
                    assert_eq!(edge.annotations.is_some(), (from, to) != (None, None));
                    assert!(!dialect.is_x86() || edge.annotations.is_none(), "x86 has no such accesses");
                    assert!(edge.annotations.is_none_or(|(_, said)| to.is_none_or(|to| to == said)));
                }
            }
        }
    }
    // What the edge before says of the event between them goes on.
    let before: RelaxationEdge = "RfeRelAcq".parse().expect("an edge");
    let said = (None, Some(Annotation::Relaxed));
    let offered: Vec<String> =
        Cycle::continuations(Some(&before), said, own()).iter().map(RelaxationEdge::to_string).collect();
    assert!(offered.contains(&"PodRRAcqRlx".to_owned()), "{offered:?}");
}

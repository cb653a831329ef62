//! All answers against a brute force over all choices, and what is published of programs that everybody knows.

use crate::{Aim, Bounds, Choice, Costs, Goal, Judgement, Kept, Search, Setting, Start, Subject, Wanted};
use litmoscope_core::budget::Budget;
use litmoscope_core::generate::{Family, patterns};
use litmoscope_core::model::Model;
use litmoscope_core::program::{Notation, Program};
use litmoscope_core::syntax::{parse, print};
use litmoscope_core::testing::{for_all, numbers, seeds};
use litmoscope_explore::compare::OutcomeQuestion;
use litmoscope_explore::explore::Options;
use std::collections::BTreeSet;

fn program(text: &str) -> Program {
    parse(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:#?}")).program
}

fn search(program: &Program, model: Model, goal: Goal, aim: Aim) -> Search {
    let subject = Subject::new(program.clone(), model, aim, Kept::default());
    let mut search =
        Search::new(subject, goal, Options::default(), Costs::default(), Bounds::default()).expect("it compiles");
    while search.advance(&mut Budget::unlimited()).expect("nobody stops it") {}
    search
}

/// The same on threads, a few choices at a time.
fn ahead(like: &Search, ahead: usize, threads: usize) -> Search {
    let bounds = Bounds { ahead, threads, ..Bounds::default() };
    let (subject, goal) = (like.subject().clone(), like.goal().clone());
    let search = Search::new(subject, goal, Options::default(), Costs::default(), bounds);
    let mut search = search.expect("it compiles");
    while search.advance(&mut Budget::unlimited()).expect("nobody stops it") {}
    search
}

fn repaired(text: &str, model: Model) -> Search {
    let program = program(text);
    search(&program, model, Goal::of(&program), Aim::Strengthen { races: false })
}

/// What a choice changes, in the order of the text.
fn changes(search: &Search, choice: &Choice) -> String {
    let sites = search.subject().sites.iter().zip(choice).filter(|(_, level)| **level > 0);
    let change = |(site, level): (&crate::Site, &u8)| {
        let (line, column) = (site.span.line, site.span.column);
        let to = match site.levels[usize::from(*level)] {
            Setting::Access(mode) => mode.keyword().to_owned(),
            Setting::Fence(mode) => format!("fence {}", mode.keyword()),
            Setting::NoFence => "none".to_owned(),
            Setting::Exchange => "xchg".to_owned(),
        };
        format!("{line}:{column} {to}")
    };
    sites.map(change).collect::<Vec<_>>().join(", ")
}

fn all_changes(search: &Search) -> BTreeSet<String> {
    search.found().iter().map(|found| changes(search, &found.choice)).collect()
}

const SB: &str = "x := 1\na := y\n||\ny := 1\nb := x\nexists (a = 0 /\\ b = 0)";
const MP: &str = "x := 1\ny := 1\n||\na := y\nb := x\nexists (a = 1 /\\ b = 0)";

#[test]
fn store_buffering_needs_a_fence_in_each_thread() {
    let tso = repaired(SB, Model::TSO);
    let expected =
        ["2:1 fence sc, 5:1 fence sc", "2:1 fence sc, 4:1 xchg", "1:1 xchg, 5:1 fence sc", "1:1 xchg, 4:1 xchg"];
    assert_eq!(all_changes(&tso), expected.map(str::to_owned).into());
    assert!(tso.is_whole());
    let rc11 = repaired(SB, Model::RC11);
    let expected = [
        "2:1 fence sc, 5:1 fence sc",
        "2:1 fence sc, 4:1 sc, 5:6 sc",
        "1:1 sc, 2:6 sc, 5:1 fence sc",
        "1:1 sc, 2:6 sc, 4:1 sc, 5:6 sc",
    ];
    assert_eq!(all_changes(&rc11), expected.map(str::to_owned).into());
}

#[test]
fn message_passing_needs_a_half_on_each_side() {
    let rc11 = repaired(MP, Model::RC11);
    let (writer, reader) = (["2:1 fence rel", "2:1 rel"], ["5:1 fence acq", "4:6 acq"]);
    let expected = writer.iter().flat_map(|write| reader.map(|read| format!("{write}, {read}"))).collect();
    assert_eq!(all_changes(&rc11), expected);
    let pso = repaired(MP, Model::PSO);
    assert_eq!(all_changes(&pso), ["1:1 xchg", "2:1 fence rel", "2:1 xchg"].map(str::to_owned).into());
    for model in [Model::SC, Model::TSO, Model::RA] {
        assert_eq!(repaired(MP, model).start(), Some(Start::Good { bounded: false }));
    }
}

/// What can't be repaired: the value is not out of thin air, and no order forbids it.
#[test]
fn what_can_not_be_forbidden_stays() {
    let search = repaired("x := 1\n||\na := x\nexists (a = 1)", Model::RC11);
    assert!(search.found().is_empty() && search.stays().is_some() && search.is_whole());
}

/// All choices of a program, the base first.
fn choices(subject: &Subject) -> Vec<Choice> {
    subject.sites.iter().fold(vec![Vec::new()], |all, site| {
        let with = |choice: &Choice| {
            let choice = choice.clone();
            (0..site.levels.len() as u8).map(move |level| choice.iter().copied().chain([level]).collect())
        };
        all.iter().flat_map(with).collect()
    })
}

/// By definition: all choices are explored, and of those that are good the minimal ones are kept. Whether the model is monotone comes with it.
fn by_brute_force(search: &Search) -> Result<BTreeSet<Choice>, String> {
    let subject = search.subject();
    let wanted = Wanted { bad: 1, states: false, steps: 100_000 };
    let mut good: Vec<Choice> = Vec::new();
    let mut bad: Vec<Choice> = Vec::new();
    for choice in choices(subject) {
        let program = subject.changed(&choice);
        let explored = search
            .goal()
            .explore(&program, subject.model, Options::default(), wanted, &mut Budget::unlimited())
            .expect("nobody stops it");
        if explored.bad.is_empty() { good.push(choice) } else { bad.push(choice) }
    }
    for weak in &good {
        if let Some(strong) = bad.iter().find(|strong| subject.is_within(weak, strong)) {
            return Err(format!("{:?} is not monotone: {weak:?} is good, {strong:?} is not", subject.model));
        }
    }
    let is_least = |choice: &&Choice| !good.iter().any(|other| other != *choice && subject.is_within(other, choice));
    Ok(good.iter().filter(is_least).cloned().collect())
}

/// How many choices are tried by brute force: more in a long run.
fn most_choices() -> usize {
    if seeds(1_000).count() > 1_000 { 60_000 } else { 5_000 }
}

fn size(subject: &Subject) -> usize {
    subject.sites.iter().fold(1, |size, site| size.saturating_mul(site.levels.len()))
}

/// The final states of a program, if it is small.
fn final_states(program: &Program, model: Model) -> Option<BTreeSet<Vec<i64>>> {
    let goal = Goal { states: Some(BTreeSet::new()), ..Goal::default() };
    let wanted = Wanted { bad: usize::MAX, states: true, steps: 20_000 };
    let found = goal.explore(program, model, Options::default(), wanted, &mut Budget::unlimited());
    let found = found.expect("nobody stops it");
    (!found.stopped && !found.bounded).then_some(found.states)
}

fn told(program: &Program, model: Model, wrong: &str) -> String {
    format!("{}: {wrong}\n{}", model.name(), print(program, Notation::Litmoscope).unwrap_or_default())
}

fn compare(search: &Search) -> Result<bool, String> {
    if search.start() != Some(Start::Bad) || size(search.subject()) > most_choices() {
        return Ok(false);
    }
    let expected = by_brute_force(search)?;
    let found: BTreeSet<Choice> = search.found().iter().map(|found| found.choice.clone()).collect();
    if found != expected || !search.is_whole() {
        return Err(format!("found {found:?}, expected {expected:?}"));
    }
    assert_eq!(search.stays().is_some(), expected.is_empty());
    // What is found does not depend on how many choices are judged at a time; whatever else is known does not depend on threads.
    let (few, shared) = (ahead(search, 3, 1), ahead(search, 3, 2));
    let of = |search: &Search| search.found().iter().map(|found| found.choice.clone()).collect::<BTreeSet<_>>();
    if of(&few) != expected || few.found() != shared.found() || few.known() != shared.known() {
        return Err(format!("ahead: {:?}, on threads {:?}, expected {expected:?}", few.found(), shared.found()));
    }
    Ok(!expected.is_empty())
}

/// Random programs: what SC forbids and the model allows is to be forbidden.
#[test]
fn repairs_are_all_that_are_minimal() {
    let seeds = seeds(500);
    let mut compared = std::collections::BTreeMap::<&str, u32>::new();
    for_all(seeds.clone(), |program| {
        let program = &Program {
            notation: Notation::Litmoscope,
            condition: None,
            filter: None,
            observed: None,
            ..program.clone()
        };
        for model in Model::ALL {
            let Some(usual) = final_states(program, Model::SC) else { return Ok(()) };
            let goal = Goal { states: Some(usual), ..Goal::default() };
            let search = search(program, model, goal, Aim::Strengthen { races: false });
            match compare(&search) {
                Ok(true) => *compared.entry(model.name()).or_default() += 1,
                Ok(false) => {}
                Err(wrong) => return Err(told(program, model, &wrong)),
            }
        }
        Ok(())
    });
    println!("seeds {seeds:?}: compared {compared:?}");
    assert!(!compared.is_empty());
}

/// The same programs, all of whose modes are as weak as can be: most outcomes are there, and there is much to choose from.
#[test]
fn weak_programs_are_repaired() {
    let seeds = seeds(500);
    let mut compared = 0;
    for_all(seeds.clone(), |program| {
        let program = Program {
            notation: Notation::Litmoscope,
            condition: None,
            filter: None,
            observed: None,
            ..program.clone()
        };
        for model in [Model::RC11, Model::RC20, Model::TSO, Model::PSO] {
            let weak = Subject::new(program.clone(), model, Aim::Weaken, Kept::default());
            let weak = weak.changed(&weak.base());
            let Some(usual) = final_states(&weak, Model::SC) else { return Ok(()) };
            let goal = Goal { states: Some(usual), ..Goal::default() };
            let search = search(&weak, model, goal, Aim::Strengthen { races: false });
            compared += u32::from(compare(&search).map_err(|wrong| told(&weak, model, &wrong))?);
        }
        Ok(())
    });
    println!("seeds {seeds:?}: compared {compared}");
    assert!(compared > 0);
}

/// A program without any order of two or three threads with four to six accesses, the same for a seed always: most have something to forbid.
fn without_order(seed: u64) -> String {
    let mut below = numbers(seed);
    let sizes: [&[u64]; 6] = [&[2, 2], &[2, 3], &[3, 2], &[1, 2, 2], &[2, 1, 2], &[2, 2, 2]];
    let (mut value, mut threads) = (0, Vec::new());
    for &size in sizes[below(6) as usize] {
        let mut last = 3;
        let mut body = Vec::new();
        for at in 0..size {
            // Few accesses are of the location before, where all models keep the order.
            let location = match below(2) {
                same if same == last && below(4) > 0 => 1 - same,
                other => other,
            };
            last = location;
            let location = ["x", "y"][location as usize];
            value += 1;
            body.push(match below(12) {
                0 => format!("r{at} := fai({location})"),
                1..=6 => format!("{location} := {value}"),
                _ => format!("r{at} := {location}"),
            });
        }
        threads.push(body.join("\n"));
    }
    threads.join("\n||\n")
}

/// Programs of up to eight places against all choices, under all models.
#[test]
fn programs_without_order_are_repaired() {
    let seeds = seeds(100);
    let mut compared = std::collections::BTreeMap::<&str, u32>::new();
    let mut programs = 0;
    for seed in seeds.clone() {
        let text = without_order(seed);
        let program = program(&text);
        let Some(usual) = final_states(&program, Model::SC) else { continue };
        let goal = Goal { states: Some(usual), ..Goal::default() };
        let before: u32 = compared.values().sum();
        for model in Model::ALL {
            let search = search(&program, model, goal.clone(), Aim::Strengthen { races: false });
            if search.subject().sites.len() > 8 {
                continue;
            }
            let is_compared =
                compare(&search).unwrap_or_else(|wrong| panic!("seed {seed}: {}", told(&program, model, &wrong)));
            *compared.entry(model.name()).or_default() += u32::from(is_compared);
        }
        programs += u32::from(compared.values().sum::<u32>() > before);
    }
    println!("seeds {seeds:?}: {programs} programs compared {compared:?}");
    assert!(programs > 0);
}

/// Random programs, weakened so that they have the same final states and as few errors.
#[test]
fn weakenings_are_all_that_are_maximal() {
    let seeds = seeds(500);
    let (mut compared, mut needed) = (0, 0);
    for_all(seeds.clone(), |program| {
        let program = Program {
            notation: Notation::Litmoscope,
            condition: None,
            filter: None,
            observed: None,
            ..program.clone()
        };
        for model in [Model::RC11, Model::TSO, Model::PSO, Model::RA] {
            let Some(usual) = final_states(&program, model) else { return Ok(()) };
            let goal = Goal { states: Some(usual), ..Goal::default() };
            let mut search = search(&program, model, goal, Aim::Weaken);
            compared += u32::from(compare(&search).map_err(|wrong| told(&program, model, &wrong))?);
            if search.start() == Some(Start::Bad) {
                for found in search.needed(&mut Budget::unlimited()).expect("nobody stops it") {
                    needed += 1;
                    let is_ruled_out = found.ruled_out.violation.is_some();
                    if !found.bad.happens(model, u64::MAX).is_yes() || !is_ruled_out {
                        return Err(told(&program, model, &format!("{found:?}")));
                    }
                }
            }
        }
        Ok(())
    });
    println!("seeds {seeds:?}: compared {compared}, {needed} needed");
    assert!(compared > 0 && needed > 0);
}

/// All critical cycles of up to four edges, and in a long run of up to six: each is what some model allows.
#[test]
fn cycles_are_repaired() {
    let longest = if seeds(1_000).count() > 1_000 { 6 } else { 4 };
    let edges = patterns(Family::default_edges(Notation::Litmoscope).0).expect("edges");
    let family = Family::new(&edges, &[], Notation::Litmoscope.into(), 3..=longest, 2..=3, true).expect("a family");
    let (mut compared, mut large) = (0, 0);
    for cycle in family.cycles() {
        let program = cycle.program(Notation::Litmoscope.into()).expect("a test");
        for model in Model::ALL {
            let search = search(&program, model, Goal::of(&program), Aim::Strengthen { races: false });
            let size = size(search.subject());
            large += u32::from(search.start() == Some(Start::Bad) && size > most_choices());
            compared += u32::from(compare(&search).unwrap_or_else(|wrong| panic!("{}", told(&program, model, &wrong))));
        }
    }
    println!("{compared} compared, {large} too large");
    assert!(compared > 10, "{compared}");
}

/// The programs of the gallery under all models, as far as there are few choices.
#[test]
fn the_gallery_is_repaired() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../public");
    let (mut compared, mut large) = (0, 0);
    let mut names: Vec<_> =
        std::fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("an entry").path()).collect();
    names.sort();
    for path in names.iter().filter(|path| path.extension().is_some_and(|ending| ending == "lit" || ending == "litmus"))
    {
        let text = std::fs::read_to_string(path).expect("a text");
        let Ok(parsed) = parse(&text) else { continue };
        let program = parsed.program;
        if program.has_handlers() || program.is_beyond_events() {
            continue;
        }
        for model in Model::ALL {
            let goal = Goal::of(&program);
            let aim = Aim::Strengthen { races: goal.errors };
            let subject = Subject::new(program.clone(), model, aim, Kept::default());
            if size(&subject) > most_choices() {
                large += 1;
                continue;
            }
            let search = search(&program, model, goal, aim);
            let is_compared = compare(&search).unwrap_or_else(|wrong| panic!("{}", told(&program, model, &wrong)));
            compared += u32::from(is_compared);
            for found in search.found() {
                let (_, ruled) = search.ruled_out(&found.choice, 10);
                assert_eq!(ruled.len(), search.known().len().min(10), "{path:?} under {model}: {:?}", found.choice);
                assert!(
                    ruled.iter().all(|ruled| ruled.violation.is_some() || ruled.without_race.is_some()),
                    "{path:?} under {model}"
                );
            }
        }
    }
    println!("{compared} compared, {large} too large");
    assert!(compared > 20, "{compared}");
}

#[test]
fn outcomes_can_be_asked_for() {
    let program = program("x := 1\na := y\n||\ny := 1\nb := x");
    let question = OutcomeQuestion::parse(&program, "a=0, b=0").expect("an outcome");
    let search = search(&program, Model::TSO, Goal::without(&question), Aim::Strengthen { races: false });
    assert_eq!(search.found().len(), 4);
    let mut other = Search::new(
        search.subject().clone(),
        search.goal().clone(),
        Options::default(),
        Costs::default(),
        Bounds::default(),
    )
    .expect("it compiles");
    assert_eq!(other.judge(&[0; 4], &mut Budget::unlimited()), Ok(Judgement::Bad(0)));
}

//! An exploration cut into parts that are explored elsewhere, on other machines perhaps, and put together again.
//!
//! The parts that are cut are to be about as large as each other, though nobody knows the tree. So a few thousand random
//! descents go down it (Knuth, "Estimating the Efficiency of Backtrack Programs", 1975); each stands for as many leaves as it
//! met choices, and the part for which most leaves stand is cut next. A part that proves to be large all the same is cut again
//! when its time is over. Trees can be so uneven that nearly all that is cut off is tiny, though: of a ticket lock's, nine parts of ten have less than a
//! thousandth of the mean. So whoever cuts can explore each piece for a while, and only what is not over then is a part.
//!
//! Who explores a part needs to know the exploration and the part alone. Explored twice, it is the same twice; what counts is what
//! takes its place in a [`Ledger`](super::Ledger).

use super::{Exploration, Foreign, Part, Parts, PartsOf};
use crate::budget::{Budget, Paused};
use crate::explore::{Pause, Walk, Work};
use crate::run::parts::State;
use std::collections::BinaryHeap;

/// How many random descents there are for each part that is wanted, at least, and at most.
const DESCENTS: usize = 16;
const LEAST_DESCENTS: usize = 1 << 6;
const MOST_DESCENTS: usize = 1 << 16;
/// How far descents go for each part that is wanted, as the sum of the cubes of their depths: each level copies all those above it. A descent of 100 levels
/// takes some 20 ms.
const DEPTH: f64 = (1 << 20) as f64;
/// How often something is cut for each part that is wanted, at most, if what is over soon does not count.
const CUTS: usize = 4;
/// After how many steps in which nothing could be cut off a part is called too small to be cut.
const STEPS: u64 = 1 << 10;
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// Why an exploration could not be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DivideError {
    /// The parts are those of another exploration.
    #[error(transparent)]
    Foreign(#[from] Foreign),
    /// Somebody wants to stop.
    #[error("it was stopped")]
    Paused,
}

impl From<Paused> for DivideError {
    fn from(Paused: Paused) -> Self {
        Self::Paused
    }
}

/// A random descent into a part.
struct Descent {
    /// The children that were chosen, from the root on.
    path: Vec<u32>,
    /// How many leaves it stands for, of those of its part.
    leaves: f64,
}

impl Descent {
    /// Whether it ends in a work.
    fn is_in(&self, work: &Work) -> bool {
        for (branch, child) in work.0.iter().zip(&self.path) {
            if *child != branch.next {
                return *child > branch.next && branch.end.is_none_or(|end| *child < end);
            }
        }
        true
    }
}

/// The numbers of xorshift64*, by Marsaglia and Vigna.
struct Chance(u64);

impl Chance {
    /// From 0 to below `n`, which is not 0.
    fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let random = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32;
        ((random * u64::from(n)) >> 32) as u32
    }
}

/// Random descents into what is left of a part: along its start, they choose among the children that belong to it. One at least, and no more than go so
/// far.
fn descents(
    walk: &mut dyn Walk,
    work: &Work,
    (wanted, far): (usize, f64),
    chance: &mut Chance,
    budget: &mut Budget,
) -> Result<Vec<Descent>, DivideError> {
    let (mut all, mut gone) = (Vec::with_capacity(wanted), 0.0);
    while all.is_empty() || all.len() < wanted && gone < far {
        let mut path = Vec::new();
        let (mut along_start, mut share) = (true, 1.0);
        let mut choose = |n: u32| {
            let branch = work.0.get(path.len()).filter(|_| along_start);
            let (next, end) = branch.map_or((0, n), |branch| (branch.next, branch.end.unwrap_or(n).min(n)));
            let width = end.saturating_sub(next).max(1);
            let child = next.saturating_add(chance.below(width)).min(n.saturating_sub(1));
            along_start = branch.is_some() && child == next;
            share *= f64::from(width) / f64::from(n.max(1));
            path.push(child);
            child
        };
        let leaves = walk.probe(&mut choose, budget)?.leaves * share;
        gone += (path.len() as f64).powi(3);
        all.push(Descent { path, leaves });
    }
    let count = all.len() as f64;
    all.iter_mut().for_each(|descent| descent.leaves /= count);
    Ok(all)
}

/// A part on its way, with the descents that end in what is left of it.
struct Piece {
    part: Part,
    descents: Vec<usize>,
    /// The piece behind it.
    next: Option<usize>,
}

/// How large what is left of a piece seems to be, and which it is: of those of which nothing is known, the first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Size(u64, std::cmp::Reverse<usize>);

struct Cutting<'e> {
    exploration: &'e dyn Exploration,
    descents: Vec<Descent>,
    pieces: Vec<Piece>,
    heap: BinaryHeap<Size>,
    /// For how many executions each piece is explored.
    each: u64,
    /// How many all of them may have.
    most: u64,
}

impl Cutting<'_> {
    fn push(&mut self, at: usize) {
        let Piece { part, descents, .. } = &self.pieces[at];
        if part.rest.is_some() {
            let leaves: f64 = descents.iter().map(|at| self.descents[*at].leaves).sum();
            // Numbers that are not negative are ordered as their bits are.
            self.heap.push(Size(leaves.max(0.0).to_bits(), std::cmp::Reverse(at)));
        }
    }

    /// How far a piece is explored.
    fn far(&self) -> u64 {
        self.each.min(self.most)
    }

    /// Cuts a piece; which one ends the exploration, if any does.
    fn cut(&mut self, at: usize, budget: &mut Budget) -> Result<Option<usize>, DivideError> {
        let Some(rest) = self.pieces[at].part.rest.clone() else { return Ok(None) };
        let mut walk = self.exploration.walk_within(&rest, budget)?.ok_or(Foreign)?;
        let (mut given, mut pause) = (walk.split(), Pause::Steps);
        while given.is_none() && pause == Pause::Steps && walk.counts().steps < STEPS {
            pause = walk.run_within(1, u64::MAX, budget);
            budget.count(1)?;
            if pause == Pause::Steps {
                given = walk.split();
            }
        }
        if pause == Pause::Steps && self.far() > 0 {
            let before = walk.counts().executions();
            pause = walk.run_within(u64::MAX, self.far(), budget);
            self.most = self.most.saturating_sub(walk.counts().executions() - before);
        }
        let part = &mut self.pieces[at].part;
        part.found.append(walk.take_findings());
        part.rest = walk.work().filter(|_| pause == Pause::Steps);
        part.ends_at_execution = pause == Pause::Stopped;
        let mut ends = (pause == Pause::Stopped).then_some(at);
        if let Some(work) = given {
            let is_given = |descent: &usize| self.descents[*descent].is_in(&work);
            let (theirs, ours) = std::mem::take(&mut self.pieces[at].descents).into_iter().partition(is_given);
            self.pieces[at].descents = ours;
            if ends.is_none() {
                let behind = self.pieces.len();
                let mut part = Part::new(work, self.exploration.nothing(), State::default());
                if self.far() > 0 {
                    (part, pause) = gone_on(self.exploration, part, self.far(), budget)?;
                    self.most = self.most.saturating_sub(part.found.counts.executions());
                    ends = (pause == Pause::Stopped).then_some(behind);
                }
                let next = self.pieces[at].next.replace(behind);
                self.pieces.push(Piece { part, descents: theirs, next });
                self.stay(behind);
            }
            self.stay(at);
        }
        Ok(ends)
    }

    /// A piece of which some was explored can be cut again, as large as what is left of it.
    fn stay(&mut self, at: usize) {
        let Piece { part, descents, .. } = &mut self.pieces[at];
        let all = &self.descents;
        descents.retain(|descent| part.rest.as_ref().is_some_and(|rest| all[*descent].is_in(rest)));
        self.push(at);
    }
}

/// Cuts what is left of an exploration until so many parts are not over, or none can be cut any more. What has to be explored on the way is
/// part of what was found.
///
/// With `each`, what is cut off is explored for so many executions, and what is over then is no part of those that are wanted: so none is tiny. There may be
/// fewer then.
///
/// Takes some random descents for each part, and a walk to it; beyond that, at most `each` executions for each part.
///
/// # Errors
/// If the parts are of another exploration, or somebody wants to stop.
pub fn divide(
    exploration: &dyn Exploration,
    parts: Parts,
    wanted: usize,
    each: u64,
    budget: &mut Budget,
) -> Result<Parts, DivideError> {
    let (count, open) = (parts.0.len(), parts.works().count());
    // What is cut off is known better where it is explored.
    let fewer = if each > 0 { 4 } else { 1 };
    let all = (DESCENTS / fewer * wanted).clamp(LEAST_DESCENTS / fewer, MOST_DESCENTS);
    let often = all.checked_div(open).unwrap_or_default().max(1);
    let far = DEPTH * (wanted as f64) / (open.max(1) as f64);
    let mut walk = exploration.walk_within(&Work::default(), budget)?.ok_or(Foreign)?;
    let (mut chance, mut descents, mut pieces) = (Chance(SEED), Vec::new(), Vec::with_capacity(count));
    for (next, part) in (1..).zip(parts.0) {
        let before = descents.len();
        if let Some(rest) = part.rest.as_ref().filter(|_| open < wanted) {
            descents.extend(self::descents(&mut *walk, rest, (often, far), &mut chance, budget)?);
        }
        let descents = (before..descents.len()).collect();
        pieces.push(Piece { part, descents, next: Some(next).filter(|next| *next < count) });
    }
    let most = each.saturating_mul(wanted as u64);
    let mut cutting = Cutting { exploration, descents, pieces, heap: BinaryHeap::new(), each, most };
    (0..count).for_each(|at| cutting.push(at));
    let mut cuts = if each > 0 { CUTS * wanted } else { usize::MAX };
    let mut open = cutting.heap.len();
    while open < wanted
        && cuts > 0
        && let Some(Size(_, std::cmp::Reverse(at))) = cutting.heap.pop()
    {
        cuts -= 1;
        let before = cutting.pieces.len();
        if let Some(end) = cutting.cut(at, budget)? {
            // What lies behind does not count, and only what lies before can be cut.
            cutting.pieces[end].next = None;
            break;
        }
        let is_open = |piece: &&Piece| !piece.part.is_over();
        open += cutting.pieces[before..].iter().filter(is_open).count();
        open -= usize::from(cutting.pieces[at].part.is_over());
    }
    let mut in_order = Vec::with_capacity(cutting.pieces.len());
    let mut pieces: Vec<Option<Piece>> = cutting.pieces.into_iter().map(Some).collect();
    let mut next = Some(0);
    while let Some(mut piece) = next.and_then(|at| pieces.get_mut(at)).and_then(Option::take) {
        next = piece.next;
        // Who explores what is left need not carry what was found. What is before it says where all of it begins, though nothing was found there.
        let rest = piece.part.rest.take();
        if rest.as_ref() != Some(&piece.part.start) || piece.part.found.counts.steps > 0 {
            in_order.push(piece.part);
        }
        in_order.extend(rest.map(|rest| Part::new(rest, exploration.nothing(), State::default())));
    }
    let mut parts = PartsOf(in_order);
    parts.merge(u64::MAX);
    Ok(parts)
}

/// Explores what is left of a part, and nothing beyond it, with one walk: to its end, or right behind so many executions, or as long as the budget lasts.
///
/// # Errors
/// [`DivideError::Foreign`] if the part is of another exploration.
pub fn explore_part(
    exploration: &dyn Exploration,
    part: Part,
    executions: u64,
    budget: &mut Budget,
) -> Result<Part, Foreign> {
    Ok(gone_on(exploration, part, executions, budget)?.0)
}

/// The same, with what ended it.
fn gone_on(
    exploration: &dyn Exploration,
    mut part: Part,
    executions: u64,
    budget: &mut Budget,
) -> Result<(Part, Pause), Foreign> {
    let Some(rest) = part.rest.clone().filter(|_| executions > 0) else { return Ok((part, Pause::Steps)) };
    // Told to stop on the way to the part: it is left as it is.
    let Ok(walk) = exploration.walk_within(&rest, budget) else { return Ok((part, Pause::Steps)) };
    let mut walk = walk.ok_or(Foreign)?;
    let pause = walk.run_within(u64::MAX, executions, budget);
    let found = walk.take_findings();
    part.ends_at_execution = pause == Pause::Stopped || found.counts.executions() == executions;
    part.found.append(found);
    part.rest = walk.work().filter(|_| pause == Pause::Steps);
    Ok((part, pause))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::{Algorithm, Findings, Options};
    use crate::model::Model;
    use crate::program::{Code, Limits, Program};
    use crate::run::{Ledger, RunBounds, Taken, run};
    use litmoscope_core::testing::{for_all, numbers, seeds};
    use std::sync::Arc;

    struct Explored<'p> {
        program: &'p Program,
        code: Arc<Code>,
        model: Model,
        algorithm: Algorithm,
        options: Options,
    }

    impl Exploration for Explored<'_> {
        fn nothing(&self) -> Findings {
            Findings::within(self.program, self.options.limits)
        }

        fn walk_within(&self, work: &Work, budget: &mut Budget) -> Result<Option<Box<dyn Walk + '_>>, Paused> {
            let (code, program) = (Arc::clone(&self.code), Arc::new(self.program.clone()));
            let walk = self.algorithm.walk_within(code, program, self.model, self.options, work, budget)?;
            Ok(walk.map(|walk| walk as Box<dyn Walk>))
        }
    }

    /// With the order of what was found, which equality does not ask for.
    fn text(findings: &Findings) -> String {
        serde_json::to_string(findings).expect("findings are plain data")
    }

    /// A part explored elsewhere, for some executions and some time, or to its end, and cut into some.
    fn explored(exploration: &dyn Exploration, part: &Part, executions: u64, steps: u64, pieces: usize) -> Parts {
        let mut budget = Budget::unlimited().capped(steps);
        let part = explore_part(exploration, part.clone(), executions, &mut budget);
        let parts = PartsOf(vec![part.expect("it is a part")]);
        divide(exploration, parts, pieces, executions % 3, &mut Budget::unlimited()).expect("nobody stops it")
    }

    /// Cut, explored in any order, twice, and for a while; cut again by whoever explored, or by who has the whole; written down and read, lost, late, and
    /// put together.
    fn in_parts(exploration: &dyn Exploration, seed: u64, stop_at_first: bool) -> Findings {
        let mut below = numbers(seed);
        let begun = |parts: Parts| Ledger::new(parts, exploration.nothing(), stop_at_first, u64::MAX);
        let mut whole = begun(Parts::new(exploration.nothing()));
        let (mut known, mut sent): (Vec<Part>, Vec<String>) = (Vec::new(), Vec::new());
        for round in 0_u64.. {
            if whole.is_over() {
                break;
            }
            if round.is_multiple_of(20) {
                let wanted = 1 + below(9) as usize;
                let parts = divide(exploration, whole.parts(), wanted, below(3), &mut Budget::unlimited());
                let parts = parts.expect("nobody stops it");
                whole = begun(parts);
            }
            let nothing = whole.nothing();
            known.extend(whole.left().map(|(_, work)| Part::new(work.clone(), nothing.clone(), State::default())));
            if known.is_empty() {
                continue;
            }
            let late = known.len() - known.len().min(20);
            let at = late + below((known.len() - late) as u64) as usize;
            let (executions, steps) = if round > 60 { (u64::MAX, u64::MAX) } else { (1 + below(10), 1 + below(400)) };
            let done = explored(exploration, &known[at], executions, steps, 1 + below(3) as usize);
            // What is left can be explored before anybody hears of it.
            known.extend(done.iter().filter(|part| !part.is_over()).cloned());
            sent.push(serde_json::to_string(&done).expect("parts are plain data"));
            if below(3) > 0 {
                let written = &sent[below(sent.len() as u64) as usize];
                let before = whole.counts();
                let parts: Parts = serde_json::from_str(written).expect("they were written so");
                let start = parts.0[0].start.clone();
                let taken = whole.take(parts);
                assert!(taken != Taken::Unchanged || whole.is_open(&start));
                assert!(taken == Taken::Now || whole.counts() == before);
            }
            assert_eq!(whole.counts(), whole.parts().handed_over());
            assert_eq!(whole.open(), whole.parts().works().count());
            assert!(whole.left().all(|(number, work)| whole.work(number) == Some(work)));
        }
        whole.parts().findings(exploration.nothing())
    }

    #[test]
    fn parts_that_are_explored_elsewhere_are_the_whole() {
        let seeds = seeds(30);
        let (mut compared, mut given_up) = (0, 0);
        for_all(seeds.clone(), |program| {
            for (model, algorithm) in Model::ALL.into_iter().flat_map(|m| Algorithm::ALL.map(|a| (m, a))) {
                let Ok(code) = Code::compile(program) else { return Ok(()) };
                let code = model.prepare(Arc::new(code));
                for (stop_at_first, table) in [(false, Limits::TABLE), (true, Limits::TABLE), (false, 1_000)] {
                    let limits = Limits { table, ..Limits::default() };
                    let options = Options { stop_at_first, limits, ..Options::default() };
                    if options.validate_for_program(algorithm, model, &code).is_err() {
                        continue;
                    }
                    let code = Arc::clone(&code);
                    let exploration = Explored { program, code, model, algorithm, options };
                    if exploration.walk(&Work::default()).is_none() {
                        continue;
                    }
                    let parts = Parts::new(exploration.nothing());
                    let alone = run(&exploration, parts, RunBounds::default(), &mut |_| None).expect("it is whole");
                    let alone = text(&alone.findings(exploration.nothing()));
                    let shared = text(&in_parts(&exploration, compared, stop_at_first));
                    if alone != shared {
                        return Err(format!(
                            "{algorithm:?} under {model:?}, {stop_at_first}, {table}:\n{alone}\n{shared}"
                        ));
                    }
                    compared += 1;
                    given_up += u64::from(alone.contains("\"too_many\":true"));
                }
            }
            Ok(())
        });
        println!("seeds {seeds:?}: {compared} compared, {given_up} with too many final states");
        assert!(compared > 0 && given_up > 0);
    }

    /// Of a tree that is large enough there are as many parts as are wanted, written down in few bytes, and no part is most of it.
    #[test]
    fn parts_are_about_as_large() {
        let text = (0..4).map(|n| format!("x := {n}; a := y; y := {n}")).collect::<Vec<_>>().join(" || ");
        let program = &litmoscope_core::syntax::parse(&text).expect("it is a program").program;
        let code = Arc::new(Code::compile(program).expect("it compiles"));
        for algorithm in Algorithm::ALL {
            let (model, options) = (Model::ALL[0], Options::default());
            let exploration = Explored { program, code: Arc::clone(&code), model, algorithm, options };
            if options.validate_for_program(algorithm, model, &code).is_err()
                || exploration.walk(&Work::default()).is_none()
            {
                continue;
            }
            let whole = Parts::new(exploration.nothing());
            let parts = divide(&exploration, whole, 40, 0, &mut Budget::unlimited()).expect("nobody stops it");
            let open: Vec<&Part> = parts.iter().filter(|part| !part.is_over()).collect();
            assert_eq!(open.len(), 40, "{algorithm:?}");
            let written = open.iter().map(|part| serde_json::to_string(part).expect("plain data").len());
            assert!(written.max().is_some_and(|most| most < 4_000), "{algorithm:?}");
            let steps: Vec<u64> = open
                .iter()
                .map(|part| explored(&exploration, part, u64::MAX, u64::MAX, 1).handed_over().steps)
                .collect();
            let (most, all) = (steps.iter().max().copied().unwrap_or(0), steps.iter().sum::<u64>());
            println!("{algorithm:?}: {} steps, {most} in the largest part", all);
            assert!(4 * most < all, "{algorithm:?}: {steps:?}");
        }
    }

    /// Of a lock's tree, most pieces are over at once. They are explored where they are cut.
    #[test]
    fn pieces_that_are_explored_for_a_while_are_not_tiny() {
        let once = |n: u32, r: u32| {
            format!(
                "t{n}{r} := fai(tickets); assume acq serving = t{n}{r}; d{n}{r} := x; x := d{n}{r} + 1; serving :=rel t{n}{r} + 1"
            )
        };
        let thread = |n: u32| (0..3).map(|r| once(n, r)).collect::<Vec<_>>().join("; ");
        let text = (0..4).map(thread).collect::<Vec<_>>().join(" || ");
        let program = &litmoscope_core::syntax::parse(&text).expect("it is a program").program;
        let code = Arc::new(Code::compile(program).expect("it compiles"));
        let (model, algorithm, options) = (Model::RC11, Algorithm::TrustCo, Options::default());
        let exploration = Explored { program, code, model, algorithm, options };
        // How many are over after 100 executions, and how many there are in all, if no more than 5,000 of each count.
        let sizes = |each| {
            let whole = Parts::new(exploration.nothing());
            let parts = divide(&exploration, whole, 100, each, &mut Budget::unlimited()).expect("nobody stops it");
            let open = parts.iter().filter(|part| !part.is_over());
            let size = |part| explored(&exploration, part, 5_000, u64::MAX, 1).handed_over().executions();
            let sizes: Vec<u64> = open.map(size).collect();
            (sizes.len(), sizes.iter().filter(|size| **size <= 100).count(), sizes.iter().sum::<u64>())
        };
        let (plain, even) = (sizes(0), sizes(100));
        println!("{plain:?} {even:?}");
        assert_eq!((plain.0, even.0), (100, 100));
        assert!(even.1 < plain.1 && even.2 > plain.2, "{plain:?} {even:?}");
    }
}

//! An exploration cut into parts that are explored elsewhere, on other machines perhaps, and put together again.
//!
//! The parts that are cut are to be about as large as each other, though nobody knows the tree. So a few thousand random
//! descents go down it (Knuth, "Estimating the Efficiency of Backtrack Programs", 1975); each stands for as many leaves as it
//! met choices, and the part for which most leaves stand is cut next. A part that proves to be large all the same is cut again
//! when its time is over.
//!
//! Who explores a part needs to know the exploration and the part alone. Explored twice, it is the same twice; what counts is what
//! takes its place in [`Parts::replace`].

use super::{Exploration, Foreign, Part, Parts, PartsOf};
use crate::budget::{Budget, Paused};
use crate::explore::{Pause, Work};
use crate::run::parts::State;
use std::collections::BinaryHeap;

/// How many random descents there are for each part that is wanted, at least, and at most.
const DESCENTS: usize = 64;
const LEAST_DESCENTS: usize = 1 << 8;
const MOST_DESCENTS: usize = 1 << 16;
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

/// A random descent through the tree.
struct Descent {
    /// The children that were chosen, from the root on.
    path: Vec<u32>,
    /// How many leaves it stands for.
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

fn descents(exploration: &dyn Exploration, wanted: usize, budget: &mut Budget) -> Result<Vec<Descent>, DivideError> {
    let mut walk = exploration.walk_within(&Work::default(), budget)?.ok_or(Foreign)?;
    let mut state = SEED;
    let mut all = Vec::with_capacity(wanted);
    for _ in 0..wanted {
        let mut path = Vec::new();
        let mut choose = |n: u32| {
            // xorshift64*, by Marsaglia and Vigna.
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            let random = state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32;
            let child = ((random * u64::from(n)) >> 32) as u32;
            path.push(child);
            child
        };
        let leaves = walk.probe(&mut choose, budget)?.leaves;
        all.push(Descent { path, leaves });
    }
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

    /// Cuts a piece; whether it is one that ends the exploration.
    fn cut(&mut self, at: usize, budget: &mut Budget) -> Result<bool, DivideError> {
        let Some(rest) = self.pieces[at].part.rest.clone() else { return Ok(false) };
        let mut walk = self.exploration.walk_within(&rest, budget)?.ok_or(Foreign)?;
        let (mut given, mut pause) = (walk.split(), Pause::Steps);
        while given.is_none() && pause == Pause::Steps && walk.counts().steps < STEPS {
            pause = walk.run_within(1, u64::MAX, budget);
            budget.count(1)?;
            if pause == Pause::Steps {
                given = walk.split();
            }
        }
        let part = &mut self.pieces[at].part;
        part.found.append(walk.take_findings());
        part.rest = walk.work().filter(|_| pause == Pause::Steps);
        part.ends_at_execution = pause == Pause::Stopped;
        if let Some(work) = given {
            let is_given = |descent: &usize| self.descents[*descent].is_in(&work);
            let (theirs, ours) = std::mem::take(&mut self.pieces[at].descents).into_iter().partition(is_given);
            let behind = self.pieces.len();
            let next = self.pieces[at].next.replace(behind);
            self.pieces[at].descents = ours;
            let part = Part::new(work, self.exploration.nothing(), State::default());
            self.pieces.push(Piece { part, descents: theirs, next });
            self.push(at);
            self.push(behind);
        }
        Ok(pause == Pause::Stopped)
    }
}

/// Cuts what is left of an exploration until so many parts are not over, or none can be cut any more. What has to be explored on the way is
/// part of what was found.
///
/// Takes some random descents for each part, and a walk to it.
///
/// # Errors
/// If the parts are of another exploration, or somebody wants to stop.
pub fn divide(
    exploration: &dyn Exploration,
    parts: Parts,
    wanted: usize,
    budget: &mut Budget,
) -> Result<Parts, DivideError> {
    let all = (DESCENTS * wanted).clamp(LEAST_DESCENTS, MOST_DESCENTS);
    let descents = descents(exploration, all, budget)?;
    let count = parts.0.len();
    let mut pieces: Vec<Piece> = (1..)
        .zip(parts.0)
        .map(|(next, part)| Piece { part, descents: Vec::new(), next: Some(next).filter(|next| *next < count) })
        .collect();
    for (at, descent) in descents.iter().enumerate() {
        let is_here = |piece: &&mut Piece| piece.part.rest.as_ref().is_some_and(|rest| descent.is_in(rest));
        if let Some(piece) = pieces.iter_mut().find(is_here) {
            piece.descents.push(at);
        }
    }
    let mut cutting = Cutting { exploration, descents, pieces, heap: BinaryHeap::new() };
    (0..count).for_each(|at| cutting.push(at));
    let mut open = cutting.heap.len();
    while open < wanted
        && let Some(Size(_, std::cmp::Reverse(at))) = cutting.heap.pop()
    {
        let before = cutting.pieces.len();
        if cutting.cut(at, budget)? {
            // What lies behind does not count, and only what lies before can be cut.
            cutting.pieces[at].next = None;
            break;
        }
        open += cutting.pieces.len() - before;
        open -= usize::from(cutting.pieces[at].part.is_over());
    }
    let mut in_order = Vec::with_capacity(cutting.pieces.len());
    let mut pieces: Vec<Option<Piece>> = cutting.pieces.into_iter().map(Some).collect();
    let mut next = Some(0);
    while let Some(mut piece) = next.and_then(|at| pieces.get_mut(at)).and_then(Option::take) {
        next = piece.next;
        // Who explores what is left need not carry what was found.
        let rest = piece.part.rest.take_if(|_| piece.part.found.counts.steps > 0);
        in_order.push(piece.part);
        in_order.extend(rest.map(|rest| Part::new(rest, exploration.nothing(), State::default())));
    }
    let mut parts = PartsOf(in_order);
    parts.merge(u64::MAX);
    Ok(parts)
}

impl Parts {
    /// The same, where parts that are not over are replaced by what became of them elsewhere: `of` is given their number among those that are not over, from
    /// 0. `None` leaves one as it is. With `stop_at_first`, what lies behind the first that has an error or is stuck for good is left out, as it does not count.
    pub fn replace(self, stop_at_first: bool, mut of: impl FnMut(usize) -> Option<Parts>) -> Self {
        let mut all = Vec::new();
        let mut open = 0;
        for part in self.0 {
            if part.is_over() {
                all.push(part);
            } else {
                open += 1;
                match of(open - 1) {
                    Some(parts) => all.extend(parts.0),
                    None => all.push(part),
                }
            }
            let ends = |part: &Part| {
                let counts = part.found.counts;
                part.is_over() && counts.erroneous + counts.stuck_for_good > 0
            };
            if stop_at_first && all.last().is_some_and(ends) {
                break;
            }
        }
        Self(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::{Algorithm, Findings, Options, Walk};
    use crate::model::Model;
    use crate::program::{Code, Program};
    use crate::run::{RunBounds, run};
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
            Findings::new(self.program)
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

    /// A part explored elsewhere, for some steps or to its end.
    fn explored(exploration: &dyn Exploration, part: &Part, steps: u64) -> Parts {
        let part = part.clone();
        let Some(rest) = part.rest.clone() else { return PartsOf(vec![part]) };
        let mut walk = exploration.walk(&rest).expect("it is a part");
        let pause = walk.run(steps);
        let mut found = part.found.clone();
        found.append(walk.take_findings());
        let rest = walk.work().filter(|_| pause == Pause::Steps);
        PartsOf(vec![Part { found, rest, ends_at_execution: pause == Pause::Stopped, ..part }])
    }

    /// Cut, explored in any order, twice, and for a while; cut again, written down and read; and put together.
    fn in_parts(exploration: &dyn Exploration, seed: u64, stop_at_first: bool) -> Findings {
        let mut below = numbers(seed);
        let mut whole = Parts::new(exploration.nothing());
        for round in 0_u64.. {
            let wanted = 1 + below(9) as usize;
            whole = divide(exploration, whole, wanted, &mut Budget::unlimited()).expect("nobody stops it");
            let open: Vec<Part> = whole.iter().filter(|part| !part.is_over()).cloned().collect();
            if open.is_empty() {
                break;
            }
            let mut all: Vec<Option<Parts>> = vec![None; open.len()];
            for _ in 0..2 * open.len() {
                let at = below(open.len() as u64) as usize;
                let steps = if round > 6 { u64::MAX } else { 1 + below(40) };
                let done = explored(exploration, &open[at], steps);
                let written = serde_json::to_string(&done).expect("parts are plain data");
                all[at] = Some(serde_json::from_str(&written).expect("they were written so"));
            }
            whole = whole.replace(stop_at_first, |at| all[at].take());
        }
        whole.findings(exploration.nothing())
    }

    #[test]
    fn parts_that_are_explored_elsewhere_are_the_whole() {
        let seeds = seeds(30);
        let mut compared = 0;
        for_all(seeds.clone(), |program| {
            for (model, algorithm) in Model::ALL.into_iter().flat_map(|m| Algorithm::ALL.map(|a| (m, a))) {
                let Ok(code) = Code::compile(program) else { return Ok(()) };
                let code = model.prepare(Arc::new(code));
                for stop_at_first in [false, true] {
                    let options = Options { stop_at_first, ..Options::default() };
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
                        return Err(format!("{algorithm:?} under {model:?}, {stop_at_first}:\n{alone}\n{shared}"));
                    }
                    compared += 1;
                }
            }
            Ok(())
        });
        println!("seeds {seeds:?}: {compared} compared");
        assert!(compared > 0);
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
            let parts = divide(&exploration, whole, 40, &mut Budget::unlimited()).expect("nobody stops it");
            let open: Vec<&Part> = parts.iter().filter(|part| !part.is_over()).collect();
            assert_eq!(open.len(), 40, "{algorithm:?}");
            let written = open.iter().map(|part| serde_json::to_string(part).expect("plain data").len());
            assert!(written.max().is_some_and(|most| most < 4_000), "{algorithm:?}");
            let steps: Vec<u64> =
                open.iter().map(|part| explored(&exploration, part, u64::MAX).handed_over().steps).collect();
            let (most, all) = (steps.iter().max().copied().unwrap_or(0), steps.iter().sum::<u64>());
            println!("{algorithm:?}: {} steps, {most} in the largest part", all);
            assert!(4 * most < all, "{algorithm:?}: {steps:?}");
        }
    }
}

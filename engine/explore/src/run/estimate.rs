//! How large an exploration is.
//!
//! A random descent that goes into each child of a node with the same probability, and multiplies the numbers of children
//! on its way, finds the number of executions in the mean (Knuth, "Estimating the Efficiency of Backtrack Programs",
//! Mathematics of Computation 29, 1975). But in a tree of revisits, few branches hold most of the executions, and most
//! descents miss them. So a number of them go down at once, and on each level so many are chosen among the children of
//! all: what goes on is more where there are more children, and nothing is lost to dead ends (stochastic enumeration;
//! Vaisman and Kroese, "Stochastic Enumeration Method for Counting Trees", Methodology and Computing in Applied
//! Probability 19, 2017). That is right in the mean too. What is left below a node is explored instead where that takes
//! few steps: so much faster is a walk than descents are, and it leaves nothing to chance. One such sweep says little about
//! its error; several do.
//!
//! While an exploration goes on, only what is left is estimated so: a sweep through a [`Work`] has the children that are
//! part of it to choose from. What is known already is added.
//!
//! Of the 362,880 executions of nine `fai(x)`, 20,000 single descents see 7,000.

use super::Exploration;
use crate::budget::{Budget, Paused};
use crate::explore::{Branch, Pause, Probe, Walk, Work};
use crate::random::Random;

/// Below a node, so many steps are explored to see whether they are all.
const SMALL: u64 = 2000;
/// If nothing is small below so many nodes of a level, the others are not tried.
const TRIES: usize = 4;
/// A smaller part of an estimate is a rounding error.
const ROUNDING: f64 = 1e-9;

/// How many executions there are, as random descents say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The number of executions.
    pub executions: f64,
    /// Its standard error.
    pub error: f64,
    /// By which factor single sweeps differ: the geometric standard deviation of what they said, 1 if all said the same.
    pub spread: f64,
    /// How many descents there were in all sweeps.
    pub probes: u64,
}

/// Numbers with weights: their mean, and how far they are from it. Kept as they come in (Welford): sums of squares cancel,
/// and what is left of equal numbers is then a rounding error, not zero.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    value: f64,
    /// The sum of the squares of the distances to the mean, weighted.
    squares: f64,
}

impl Mean {
    /// A number that is `share` of the weight so far, its own included.
    fn add(&mut self, number: f64, weight: f64, share: f64) {
        let distance = number - self.value;
        self.value += share * distance;
        self.squares += weight * distance * (number - self.value);
    }
}

/// What sweeps said so far.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    /// The sums of the weights, and of their squares.
    weight: f64,
    weight_squares: f64,
    executions: Mean,
    logarithms: Mean,
}

impl Sample {
    fn add(&mut self, executions: f64, weight: f64) {
        self.weight += weight;
        self.weight_squares += weight * weight;
        let share = weight / self.weight;
        self.executions.add(executions, weight, share);
        self.logarithms.add(executions.max(1.0).ln(), weight, share);
    }

    /// Without the number of descents.
    fn estimate(&self) -> Estimate {
        if self.weight <= 0.0 {
            return Estimate::default();
        }
        // How many sweeps of the same weight would be worth as much.
        let sweeps = self.weight * self.weight / self.weight_squares;
        let deviation = |of: &Mean| {
            let variance = of.squares / self.weight;
            if sweeps > 1.0 { (variance * sweeps / (sweeps - 1.0)).max(0.0).sqrt() } else { 0.0 }
        };
        let executions = self.executions.value;
        let error = deviation(&self.executions) / sweeps.sqrt();
        // Sweeps that found the same along different ways differ by rounding.
        let error = if error > ROUNDING * executions { error } else { 0.0 };
        Estimate { executions, error, spread: deviation(&self.logarithms).exp(), probes: 0 }
    }
}

/// Random descents through an exploration.
pub struct Estimator<'a> {
    exploration: &'a dyn Exploration,
    /// For descents; never run.
    walk: Box<dyn Walk + 'a>,
    random: Random,
    probes: u64,
    sample: Sample,
}

/// A node of a level.
struct Node {
    /// In which of the works it is.
    work: usize,
    /// The children that lead there.
    path: Vec<u32>,
    /// Its children in the work: the first one, and how many there are.
    first: u32,
    children: u32,
    /// It is a whole execution.
    execution: bool,
}

impl<'a> Estimator<'a> {
    /// Of an exploration; `None` if it has no walk. The same seed makes the same descents.
    pub fn new(exploration: &'a dyn Exploration, seed: u64) -> Option<Self> {
        let walk = exploration.walk(&Work::default())?;
        Some(Self { exploration, walk, random: Random::new(seed), probes: 0, sample: Sample::default() })
    }

    /// Goes down the whole tree once more, keeping at most `width` nodes of a level: about as many descents for each level.
    /// Few wide sweeps are better than many narrow ones.
    ///
    /// # Errors
    /// [`Paused`] if somebody wants to stop; the estimate is as before.
    pub fn sweep(&mut self, width: usize, budget: &mut Budget) -> Result<(), Paused> {
        self.refine(0, &[Work::default()], width, budget)
    }

    /// The same, where `done` executions were found and these works are left. What it says of the whole counts the more,
    /// the smaller the chance is that a random descent leads to what is left.
    ///
    /// # Errors
    /// [`Paused`] if somebody wants to stop; the estimate is as before.
    pub fn refine(&mut self, done: u64, left: &[Work], width: usize, budget: &mut Budget) -> Result<(), Paused> {
        let rest = self.sweep_through(left, width.max(1), budget)?;
        let mut mass: f64 = 0.0;
        for work in left {
            mass += self.mass(work, budget)?;
        }
        let mass = mass.clamp(1e-6, 1.0);
        self.sample.add(done as f64 + rest, width as f64 / mass);
        Ok(())
    }

    /// Forgets what the sweeps said.
    pub fn forget(&mut self) {
        self.sample = Sample::default();
        self.probes = 0;
    }

    /// How many descents were made.
    pub fn probes(&self) -> u64 {
        self.probes
    }

    /// What the sweeps said.
    pub fn estimate(&self) -> Estimate {
        Estimate { probes: self.probes, ..self.sample.estimate() }
    }

    /// The chance that a random descent leads to a work.
    fn mass(&mut self, work: &Work, budget: &mut Budget) -> Result<f64, Paused> {
        let (mut depth, mut chance, mut mass) = (0, 1.0, 0.0);
        self.probes += 1;
        let mut choose = |children: u32| {
            let branch = work.0.get(depth);
            depth += 1;
            let Some(branch) = branch else { return 0 };
            let end = branch.end.unwrap_or(children).min(children);
            mass += chance * f64::from(end.saturating_sub(branch.next + 1)) / f64::from(children.max(1));
            chance *= if branch.next < end { 1.0 / f64::from(children) } else { 0.0 };
            branch.next.min(children.saturating_sub(1))
        };
        self.walk.probe(&mut choose, budget)?;
        Ok(mass + chance)
    }

    /// How many executions one sweep says that there are in some works.
    fn sweep_through(&mut self, works: &[Work], width: usize, budget: &mut Budget) -> Result<f64, Paused> {
        let whole = (0..works.len()).map(|work| self.look(works, work, Vec::new(), budget));
        let mut level: Vec<Node> = whole.collect::<Result<_, _>>()?;
        // How many nodes the level has in all, and how many executions those before it.
        let (mut size, mut total) = (level.len() as f64, 0.0);
        while !level.is_empty() {
            let share = size / level.len() as f64;
            let mut small = 0;
            for (tried, node) in level.iter_mut().filter(|node| node.children > 0).enumerate() {
                if tried == TRIES && small == 0 {
                    break;
                }
                if let Some(executions) = self.explore(works, node, budget)? {
                    total += share * executions as f64;
                    node.children = 0;
                    small += 1;
                }
            }
            total += share * level.iter().filter(|node| node.execution).count() as f64;
            let mut children: u64 = level.iter().map(|node| u64::from(node.children)).sum();
            size = share * children as f64;
            let mut wanted = children.min(width as u64);
            let mut next = Vec::with_capacity(wanted as usize);
            for node in &level {
                for child in node.first..node.first + node.children {
                    // Each child has the same chance, and as many as are wanted are chosen.
                    if self.random.below(children) < wanted {
                        wanted -= 1;
                        let mut path = node.path.clone();
                        path.push(child);
                        next.push((node.work, path));
                    }
                    children -= 1;
                }
            }
            let next = next.into_iter().map(|(work, path)| self.look(works, work, path, budget));
            level = next.collect::<Result<_, _>>()?;
        }
        Ok(total)
    }

    /// How many executions are below a node, if few steps tell.
    fn explore(&self, works: &[Work], node: &Node, budget: &mut Budget) -> Result<Option<u64>, Paused> {
        let mut work: Vec<Branch> =
            node.path.iter().map(|&next| Branch { next, end: Some(next.saturating_add(1)) }).collect();
        let whole = &works[node.work].0;
        if whole.len() > work.len() && whole.iter().zip(&work).all(|(a, b)| a.next == b.next) {
            work.extend_from_slice(&whole[work.len()..]);
        }
        let Some(mut walk) = self.exploration.walk_within(&Work(work), budget)? else { return Ok(None) };
        let pause = walk.run_within(SMALL, u64::MAX, budget);
        budget.count(0)?;
        Ok((pause != Pause::Steps).then(|| walk.counts().executions()))
    }

    /// The node of a work that a path leads to, or the next one with a choice of children: others are no levels.
    fn look(&mut self, works: &[Work], work: usize, mut path: Vec<u32>, budget: &mut Budget) -> Result<Node, Paused> {
        let (mut first_child, mut choices) = (0, None);
        let (mut depth, mut inside) = (0, true);
        self.probes += 1;
        let mut choose = |children: u32| {
            let (first, end) = match works[work].0.get(depth).filter(|_| inside) {
                Some(branch) => (branch.next, branch.end.unwrap_or(children).min(children)),
                None => (0, children),
            };
            // Behind the last child, a work is empty.
            let wanted = match path.get(depth) {
                Some(&child) => child,
                None => {
                    let count = end.saturating_sub(first);
                    if choices.is_none() {
                        if count == 1 {
                            path.push(first);
                        } else {
                            (first_child, choices) = (first, Some(count));
                        }
                    }
                    first
                }
            };
            inside &= wanted == first;
            depth += 1;
            wanted.min(children.saturating_sub(1))
        };
        let Probe { leaves, .. } = self.walk.probe(&mut choose, budget)?;
        let execution = choices.is_none() && leaves > 0.0;
        Ok(Node { work, path, first: first_child, children: choices.unwrap_or(0), execution })
    }
}

#[cfg(test)]
mod tests {
    use super::Sample;

    #[test]
    fn sweeps_that_agree_have_no_error() {
        for executions in [0.0, 1.0, 120.0, 1e15 / 3.0] {
            let mut sample = Sample::default();
            for sweep in 0..1000 {
                // As far apart as ways of adding up the same.
                sample.add(
                    executions * (1.0 + f64::EPSILON * f64::from(sweep % 3)),
                    16.0 * f64::from(1 << (sweep % 12)) / 0.7,
                );
                let estimate = sample.estimate();
                assert_eq!(estimate.error, 0.0, "{executions}, {sweep}");
                assert!((estimate.executions - executions).abs() <= 1e-12 * executions, "{executions}, {sweep}");
            }
        }
    }

    #[test]
    fn the_error_is_that_of_the_mean() {
        let mut sample = Sample::default();
        for executions in [10.0, 20.0, 30.0, 40.0] {
            sample.add(executions, 3.0);
        }
        // The deviation is the root of 500 / 3, and of four the mean's is half of it.
        let estimate = sample.estimate();
        assert_eq!(estimate.executions, 25.0);
        assert!((estimate.error - (500.0_f64 / 3.0).sqrt() / 2.0).abs() < 1e-12);
        // Twice the weight counts twice.
        let mut sample = Sample::default();
        sample.add(10.0, 2.0);
        sample.add(40.0, 1.0);
        assert_eq!(sample.estimate().executions, 20.0);
    }
}

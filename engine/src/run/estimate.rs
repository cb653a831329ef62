//! How large an exploration is.
//!
//! A random descent that goes into each child of a node with the same probability, and multiplies the numbers of children
//! on its way, finds the number of executions in the mean (Knuth, "Estimating the Efficiency of Backtrack Programs",
//! Mathematics of Computation 29, 1975). While an exploration goes on, only what is left is estimated so: a descent into a
//! [`Work`] has the children that are part of it to choose from. What is known already is added, and a later estimate
//! counts the more, the less was left.
//!
//! Estimates of that kind are seldom far too large and often too small: where few branches hold most executions, most
//! descents miss them. The spread of the descents shows it.

use crate::explore::{Probe, Walk, Work};

/// How many executions there are, as random descents say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The number of executions.
    pub executions: f64,
    /// Its standard error.
    pub error: f64,
    /// By which factor single descents differ: the geometric standard deviation of what they said, 1 if all said the
    /// same.
    pub spread: f64,
    /// How many descents there were.
    pub probes: u64,
}

/// What descents said so far.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    probes: u64,
    sum: f64,
    squares: f64,
    /// Of those that found an execution at all.
    found: u64,
    logarithms: f64,
    logarithm_squares: f64,
}

impl Sample {
    fn add(&mut self, leaves: f64) {
        self.probes += 1;
        self.sum += leaves;
        self.squares += leaves * leaves;
        if leaves > 0.0 {
            self.found += 1;
            self.logarithms += leaves.ln();
            self.logarithm_squares += leaves.ln() * leaves.ln();
        }
    }

    fn estimate(&self) -> Estimate {
        if self.probes == 0 {
            return Estimate::default();
        }
        let deviation = |n: u64, sum: f64, squares: f64| {
            let n = n as f64;
            if n < 2.0 { 0.0 } else { ((squares - sum * sum / n) / (n - 1.0)).max(0.0).sqrt() }
        };
        let error = deviation(self.probes, self.sum, self.squares) / (self.probes as f64).sqrt();
        let spread = deviation(self.found, self.logarithms, self.logarithm_squares).exp();
        Estimate { executions: self.sum / self.probes as f64, error, spread, probes: self.probes }
    }
}

/// Random descents through an exploration.
pub struct Estimator<'a> {
    walk: Box<dyn Walk + 'a>,
    random: u64,
    whole: Sample,
    /// Weighted estimates of the total, made while the exploration went on.
    total: f64,
    squared_error: f64,
    weight: f64,
}

impl<'a> Estimator<'a> {
    /// With a walk of its own, which is never run. The same seed makes the same descents.
    pub fn new(walk: Box<dyn Walk + 'a>, seed: u64) -> Self {
        Self { walk, random: seed, whole: Sample::default(), total: 0.0, squared_error: 0.0, weight: 0.0 }
    }

    /// Goes down the whole tree once more.
    pub fn probe(&mut self) {
        let leaves = self.descend(&Work::default());
        self.whole.add(leaves);
    }

    /// What the descents through the whole tree said.
    pub fn estimate(&self) -> Estimate {
        self.whole.estimate()
    }

    /// What the whole exploration comes to, where `done` executions were found and these works are left: from
    /// `probes` descents for each of them, and from what was said before.
    pub fn refine(&mut self, done: u64, left: &[Work], probes: u32) -> Estimate {
        let (mut rest, mut squared_error, mut spread) = (0.0, 0.0, 1.0_f64);
        for work in left {
            let mut sample = Sample::default();
            for _ in 0..probes {
                let leaves = self.descend(work);
                sample.add(leaves);
            }
            let estimate = sample.estimate();
            rest += estimate.executions;
            squared_error += estimate.error * estimate.error;
            spread = spread.max(estimate.spread);
        }
        let done = done as f64;
        if left.is_empty() {
            return Estimate { executions: done, error: 0.0, spread: 1.0, probes: 0 };
        }
        // Errors are about in proportion to what was left; the average so far says that best.
        let expected = if self.weight > 0.0 { self.total / self.weight - done } else { rest };
        let scale = if expected > 0.0 { expected } else { rest.max(1.0) };
        let weight = f64::from(probes) / (scale * scale);
        self.total += weight * (done + rest);
        self.squared_error += weight * weight * squared_error;
        self.weight += weight;
        let executions = (self.total / self.weight).max(done);
        let error = self.squared_error.sqrt() / self.weight;
        Estimate { executions, error, spread, probes: u64::from(probes) * left.len() as u64 }
    }

    /// A descent through a work: how many executions it says are in there.
    fn descend(&mut self, work: &Work) -> f64 {
        let Self { walk, random, .. } = self;
        let mut product = 1.0;
        let mut depth = 0;
        let mut inside = true;
        let Probe { leaves, .. } = walk.probe(&mut |children| {
            let (first, end) = match work.0.get(depth).filter(|_| inside) {
                Some(branch) => (branch.next, branch.end.unwrap_or(children).min(children)),
                None => (0, children),
            };
            let choices = end.saturating_sub(first);
            // Behind the last child, a work is empty.
            product *= f64::from(choices);
            let chosen = first + below(random, choices.max(1));
            inside &= chosen == first;
            depth += 1;
            chosen.min(children.saturating_sub(1))
        });
        if leaves > 0.0 { product } else { 0.0 }
    }
}

/// A random number below `n` (splitmix64, by Steele, Lea and Flood).
fn below(state: &mut u64, n: u32) -> u32 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^= z >> 31;
    ((u128::from(z) * u128::from(n)) >> 64) as u32
}

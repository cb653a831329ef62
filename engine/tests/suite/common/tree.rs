//! A made-up exploration of irregular shape: the model of what a `Walk` has to do.
//!
//! Its leaves are executions of a real program, picked at random, so that what is found of them is real too.

use litmoscope::budget::{Budget, Paused};
use litmoscope::explore::{
    Algorithm, Branch, Counts, ExecutionKind, Explorer, Findings, Moment, Options, Pause, Probe, Step, Walk, Work,
};
use litmoscope::graph::{Coherence, Execution, Label};
use litmoscope::model::Model;
use litmoscope::program::{Code, Program, Quantifier, Value};
use litmoscope::run::Exploration;
use litmoscope::syntax;
use std::sync::Arc;

pub const TEXT: &str = "shared x\n\
    x := 1; x := 2 || a := x; assert a != 2 || b := x; c := x; if c != b { assume c = 2 } else { skip }\n\
    exists (P1:a = 1 /\\ P2:b = 1)";

/// The tree of a seed.
pub struct Tree {
    pub program: Program,
    pub code: Arc<Code>,
    seed: u64,
    depth: usize,
    stop_at_first: bool,
    /// One in so many leaves is erroneous.
    errors: u64,
    /// Real executions, without and with an error.
    fine: Vec<(ExecutionKind, Kept)>,
    wrong: Vec<(ExecutionKind, Kept)>,
}

/// A whole execution, kept.
#[derive(Clone)]
struct Kept {
    graph: Execution,
    registers: Vec<Vec<Value>>,
    counts: Counts,
}

impl Explorer for Kept {
    fn advance_within(&mut self, _budget: &mut Budget) -> Result<Step, Paused> {
        Ok(Step::Done)
    }
    fn execution(&self) -> &Execution {
        &self.graph
    }
    fn coherence(&self) -> Option<&Coherence> {
        None
    }
    fn registers(&self) -> Vec<&[Value]> {
        self.registers.iter().map(Vec::as_slice).collect()
    }
    fn counts(&self) -> Counts {
        self.counts
    }
    fn checkpoint(&self) -> Box<dyn Explorer> {
        Box::new(self.clone())
    }
    fn weight(&self) -> usize {
        1
    }
}

fn mix(seed: u64, n: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(n).wrapping_add(0x632B_E59B_D9B4_E019);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Tree {
    /// A tree of at most this depth.
    pub fn new(seed: u64, depth: usize) -> Self {
        let program = syntax::parse(TEXT).expect("it is a program").program;
        let code = Arc::new(Code::compile(&program).expect("it compiles"));
        let mut explorer =
            Algorithm::Genmc.explorer(Arc::clone(&code), Model::RC11, Options::default()).expect("it can be explored");
        let (mut fine, mut wrong) = (Vec::new(), Vec::new());
        loop {
            match explorer.advance() {
                Step::Execution { kind, .. } => {
                    let registers = explorer.registers().iter().map(|r| r.to_vec()).collect();
                    let kept = Kept { graph: explorer.execution().clone(), registers, counts: Counts::default() };
                    if kind == ExecutionKind::Erroneous { &mut wrong } else { &mut fine }.push((kind, kept));
                }
                Step::Done => break,
                _ => {}
            }
        }
        Self { program, code, seed, depth, stop_at_first: false, errors: 50, fine, wrong }
    }

    /// The same, but one in so many leaves has an error.
    pub fn errors(self, errors: u64) -> Self {
        Self { errors, ..self }
    }

    /// The same, ending at the first error; one in so many leaves has one.
    pub fn stop_at_first(self, errors: u64) -> Self {
        Self { stop_at_first: true, ..self.errors(errors) }
    }

    fn children(&self, node: u64, depth: usize) -> u32 {
        // Few branches are deep, and nodes with one child are common.
        match mix(node, 1) % 10 {
            _ if depth >= self.depth => 0,
            0 => 0,
            1..=4 => 1,
            5..=7 => 2,
            8 => 3,
            _ => 6,
        }
    }

    /// What a walk that is never cut finds.
    pub fn findings(&self) -> Findings {
        let mut walk = self.walk(&Work::default()).expect("the whole is a part");
        while walk.run(1000) == Pause::Steps {}
        walk.take_findings()
    }
}

impl Exploration for Tree {
    fn nothing(&self) -> Findings {
        Findings::new(&self.program)
    }

    fn walk_within(&self, work: &Work, _budget: &mut Budget) -> Result<Option<Box<dyn Walk + '_>>, Paused> {
        Ok(self.walk_through(work).map(|walk| Box::new(walk) as Box<dyn Walk>))
    }
}

impl Tree {
    fn walk_through(&self, work: &Work) -> Option<TreeWalk<'_>> {
        let mut walk = TreeWalk { tree: self, path: Vec::new(), next: Some(mix(self.seed, 0)), found: self.nothing() };
        for branch in &work.0 {
            let node = walk.next?;
            let children = self.children(node, walk.path.len());
            let end = branch.end.unwrap_or(children);
            if branch.next >= end || end > children {
                return None;
            }
            walk.path.push(Level { node, children, next: branch.next, end });
            walk.next = Some(mix(node, 100 + u64::from(branch.next)));
        }
        Some(walk)
    }
}

struct Level {
    node: u64,
    children: u32,
    /// The child that the walk is in, or about to enter.
    next: u32,
    end: u32,
}

struct TreeWalk<'a> {
    tree: &'a Tree,
    path: Vec<Level>,
    /// The node that is about to be entered; `None` at the end.
    next: Option<u64>,
    found: Findings,
}

impl TreeWalk<'_> {
    /// Whether it is wrong.
    fn leaf(&mut self, node: u64) -> bool {
        let tree = self.tree;
        let found = &mut self.found;
        if mix(node, 2).is_multiple_of(7) {
            found.counts.dropped += 1;
            return false;
        }
        let wrong = mix(node, 3).is_multiple_of(tree.errors);
        let all = if wrong { &tree.wrong } else { &tree.fine };
        let (kind, mut kept) = all[(mix(node, 4) % all.len() as u64) as usize].clone();
        let (program, code) = (&tree.program, &tree.code);
        let error = kept.graph.events().find(|(_, event)| matches!(event.label, Label::Error(_)));
        let error = error.map(|(_, event)| Step::Error { event: event.key });
        if error.is_some() {
            found.counts.steps += 1;
        }
        kept.counts = found.counts;
        for (at, step) in [error, None].into_iter().enumerate() {
            let step = match step {
                Some(step) => step,
                None if at == 0 => continue,
                None => {
                    *match kind {
                        ExecutionKind::Complete => &mut found.counts.complete,
                        ExecutionKind::Blocked | ExecutionKind::StuckForGood => &mut found.counts.blocked,
                        ExecutionKind::Erroneous => &mut found.counts.erroneous,
                    } += 1;
                    found.counts.plain += 1;
                    found.counts.steps += 1;
                    kept.counts = found.counts;
                    Step::Execution { number: found.counts.executions(), kind }
                }
            };
            let seen = found.results.observe(program, code, Model::RC11, &kept, step);
            let moment = Moment { position: found.counts.steps, step, graph: kept.graph.clone(), co: None };
            let asks = program.condition.as_ref().is_some_and(|c| c.quantifier == Quantifier::Exists);
            let decisive = if seen.execution && asks { &mut found.witness } else { &mut found.violation };
            if seen.violation && decisive.is_none() {
                *decisive = Some(moment.clone());
            }
            if seen.execution && found.first.as_ref().is_none_or(|f| f.is_blocked() && !moment.is_blocked()) {
                found.first = Some(moment);
            }
        }
        wrong && tree.stop_at_first
    }
}

impl Walk for TreeWalk<'_> {
    fn run_within(&mut self, steps: u64, executions: u64, budget: &mut Budget) -> Pause {
        let executions = self.found.counts.executions().saturating_add(executions);
        for _ in 0..steps {
            let Some(node) = self.next else { return Pause::Exhausted };
            if budget.count(1).is_err() {
                return Pause::Steps;
            }
            self.found.counts.steps += 1;
            let children = self.tree.children(node, self.path.len());
            if children > 0 {
                self.path.push(Level { node, children, next: 0, end: children });
                self.next = Some(mix(node, 100));
                continue;
            }
            let stop = self.leaf(node);
            self.next = None;
            while let Some(level) = self.path.last_mut() {
                level.next += 1;
                if level.next < level.end {
                    self.next = Some(mix(level.node, 100 + u64::from(level.next)));
                    break;
                }
                self.path.pop();
            }
            if stop {
                self.next = None;
                return Pause::Stopped;
            }
            if self.found.counts.executions() >= executions {
                break;
            }
        }
        if self.next.is_none() { Pause::Exhausted } else { Pause::Steps }
    }

    fn split(&mut self) -> Option<Work> {
        self.next?;
        let at = self.path.iter().position(|level| level.next + 1 < level.end)?;
        let mut given: Vec<Branch> =
            self.path[..at].iter().map(|level| Branch { next: level.next, end: Some(level.next + 1) }).collect();
        let level = &mut self.path[at];
        let middle = level.next + 1 + (level.end - level.next - 1) / 2;
        given.push(Branch { next: middle, end: (level.end < level.children).then_some(level.end) });
        level.end = middle;
        Some(Work(given))
    }

    fn work(&self) -> Option<Work> {
        self.next?;
        let branch =
            |level: &Level| Branch { next: level.next, end: (level.end < level.children).then_some(level.end) };
        Some(Work(self.path.iter().map(branch).collect()))
    }

    fn take_findings(&mut self) -> Findings {
        std::mem::replace(&mut self.found, Findings::new(&self.tree.program))
    }

    fn counts(&self) -> Counts {
        self.found.counts
    }

    fn probe(&mut self, choose: &mut dyn FnMut(u32) -> u32, _budget: &mut Budget) -> Result<Probe, Paused> {
        let mut node = mix(self.tree.seed, 0);
        let mut probe = Probe { leaves: 1.0, depth: 0 };
        loop {
            let children = self.tree.children(node, probe.depth as usize);
            if children == 0 {
                let dropped = mix(node, 2).is_multiple_of(7);
                return Ok(Probe { leaves: if dropped { 0.0 } else { probe.leaves }, ..probe });
            }
            node = mix(node, 100 + u64::from(choose(children)));
            probe.leaves *= f64::from(children);
            probe.depth += 1;
        }
    }
}

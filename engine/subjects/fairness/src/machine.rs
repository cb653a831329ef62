//! Algorithms as machines that yield steps.
//!
//! An algorithm is an `async` function over a [`Space`], so that it reads as it is printed. Nobody waits for anything in it: it rests
//! before each image, in long ones, and behind each step, and a [`Machine`] goes on with it, step by step, for as long as somebody wants that.

use crate::lists::{List, Sought, Work};
use crate::step::{Answer, Step};
use crate::universe::{Counts, Nodes, Universe};
use litmoscope_core::budget::{Budget, LOOK, Paused};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

struct Shared<S> {
    counts: Cell<Counts>,
    steps: RefCell<VecDeque<Step<S>>>,
    /// The work lists of what runs, one within the other.
    lists: RefCell<Vec<Rc<Work<S>>>>,
}

/// A universe, as algorithms have it: each image is counted, and each step is told.
pub struct Space<U: Universe> {
    universe: Rc<U>,
    shared: Rc<Shared<U::Set>>,
}

impl<U: Universe> Clone for Space<U> {
    fn clone(&self) -> Self {
        Self { universe: Rc::clone(&self.universe), shared: Rc::clone(&self.shared) }
    }
}

/// Lets the machine decide whether to go on.
struct Rest(bool);

impl Future for Rest {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl<U: Universe> Space<U> {
    fn new(universe: Rc<U>) -> Self {
        let shared = Shared { counts: Cell::default(), steps: RefCell::default(), lists: RefCell::default() };
        Self { universe, shared: Rc::new(shared) }
    }

    fn note(&self, note: impl FnOnce(&mut Counts)) {
        let mut counts = self.shared.counts.get();
        note(&mut counts);
        self.shared.counts.set(counts);
    }

    /// A work list that can be looked at, of a part that works on another list's candidates if there is one.
    pub(crate) fn work(&self, sought: Sought, of: &U::Set) -> Rc<Work<U::Set>> {
        let work = Work::new(sought, of.clone());
        self.shared.lists.borrow_mut().push(Rc::clone(&work));
        work
    }

    /// What a part has found that is over. The list of the whole can still be looked at.
    pub(crate) fn end(&self, work: &Work<U::Set>) -> Vec<U::Set> {
        let mut lists = self.shared.lists.borrow_mut();
        if lists.len() > 1 {
            lists.pop();
        }
        work.found()
    }

    /// Tells a step.
    pub(crate) async fn say(&self, step: Step<U::Set>) {
        self.shared.steps.borrow_mut().push_back(step);
        Rest(false).await;
    }

    /// An image, piece by piece.
    async fn image(&self, add: impl Fn(&U, usize, U::Set) -> U::Set) -> U::Set {
        self.note(|counts| counts.images += 1);
        Rest(false).await;
        let mut image = self.none();
        for piece in 0..self.universe.pieces() {
            if self.universe.is_late() {
                Rest(false).await;
            }
            image = add(&self.universe, piece, image);
        }
        image
    }

    pub(crate) async fn pre(&self, set: &U::Set) -> U::Set {
        self.image(|universe, piece, before| universe.pre_piece(piece, set, before)).await
    }

    pub(crate) async fn post(&self, set: &U::Set) -> U::Set {
        self.image(|universe, piece, before| universe.post_piece(piece, set, before)).await
    }

    /// The vertices of a set from where one surely gets into another one with the next step, as far as chance allows: from which the
    /// player has no other successor in the set, or chance has one there. Two images.
    pub(crate) async fn controlled(&self, within: &U::Set, set: &U::Set) -> U::Set {
        let may = self.intersection(within, &self.pre(set).await);
        let others = self.difference(within, set);
        let may_not = self.pre(&others).await;
        let own = self.difference(&may_not, self.universe.random());
        self.difference(&may, &own)
    }

    pub(crate) fn note_decomposition(&self) {
        self.note(|counts| counts.decompositions += 1);
    }

    pub(crate) fn note_lock_step(&self) {
        self.note(|counts| counts.lock_steps += 1);
    }

    pub(crate) fn none(&self) -> U::Set {
        self.universe.none()
    }

    pub(crate) fn all(&self) -> U::Set {
        self.universe.all()
    }

    pub(crate) fn random(&self) -> &U::Set {
        self.universe.random()
    }

    pub(crate) fn size(&self) -> (u128, u128) {
        self.universe.size()
    }

    pub(crate) fn union(&self, one: &U::Set, other: &U::Set) -> U::Set {
        self.note(|counts| counts.operations += 1);
        self.universe.union(one, other)
    }

    pub(crate) fn intersection(&self, one: &U::Set, other: &U::Set) -> U::Set {
        self.note(|counts| counts.operations += 1);
        self.universe.intersection(one, other)
    }

    pub(crate) fn difference(&self, one: &U::Set, other: &U::Set) -> U::Set {
        self.note(|counts| counts.operations += 1);
        self.universe.difference(one, other)
    }

    pub(crate) fn pick(&self, set: &U::Set) -> U::Set {
        self.note(|counts| counts.operations += 1);
        self.universe.pick(set)
    }

    pub(crate) fn is_empty(&self, set: &U::Set) -> bool {
        self.universe.is_empty(set)
    }

    pub(crate) fn meets(&self, one: &U::Set, other: &U::Set) -> bool {
        !self.is_empty(&self.intersection(one, other))
    }

    pub(crate) fn count(&self, set: &U::Set) -> u128 {
        self.universe.count(set)
    }

    /// The vertices of a set, each alone, those with low numbers first.
    pub(crate) fn each(&self, set: &U::Set) -> Vec<U::Set> {
        let (mut rest, mut all) = (set.clone(), Vec::new());
        while !self.is_empty(&rest) {
            let one = self.pick(&rest);
            rest = self.difference(&rest, &one);
            all.push(one);
        }
        all
    }
}

type Run<S> = Pin<Box<dyn Future<Output = Answer<S>>>>;

/// An algorithm that runs step by step.
pub struct Machine<U: Universe> {
    space: Space<U>,
    run: Option<Run<U::Set>>,
    answer: Option<Answer<U::Set>>,
    exceeded: bool,
    /// Work that was done, and no budget was charged for yet.
    owed: u64,
}

impl<U: Universe + 'static> Machine<U> {
    /// The machine of an algorithm, before its first step.
    pub(crate) fn new<F: Future<Output = Answer<U::Set>> + 'static>(
        universe: Rc<U>,
        algorithm: impl FnOnce(Space<U>) -> F,
    ) -> Self {
        let space = Space::new(universe);
        let run = Box::pin(algorithm(space.clone()));
        Self { space, run: Some(run), answer: None, exceeded: false, owed: 0 }
    }

    /// The next step; `None` at the end. Where the universe has exceeded its limits, that is the end as well, without an answer
    /// ([`Machine::exceeded`]).
    ///
    /// # Errors
    /// [`Paused`] if the budget says so, before an image or between two pieces of one.
    pub fn advance(&mut self, budget: &mut Budget) -> Result<Option<Step<U::Set>>, Paused> {
        loop {
            if self.space.universe.exceeded() && self.run.take().is_some() {
                self.space.shared.steps.borrow_mut().clear();
                self.exceeded = true;
            }
            if let Some(step) = self.space.shared.steps.borrow_mut().pop_front() {
                return Ok(Some(step));
            }
            let Some(run) = &mut self.run else { return Ok(None) };
            self.owed = self.owed.saturating_add(self.space.universe.cost());
            budget.spend(self.owed.saturating_add(LOOK))?;
            self.owed = 0;
            if let Poll::Ready(answer) = run.as_mut().poll(&mut Context::from_waker(Waker::noop()))
                && !self.space.universe.exceeded()
            {
                self.answer = Some(answer);
                self.run = None;
            }
        }
    }

    /// The answer, at the end.
    pub fn answer(&self) -> Option<&Answer<U::Set>> {
        self.answer.as_ref()
    }

    /// Whether it came to an end since sets needed more memory than they may have: nothing is known then.
    pub fn exceeded(&self) -> bool {
        self.exceeded
    }

    /// How many nodes of diagrams there are, if sets are diagrams.
    pub fn nodes(&self) -> Option<Nodes> {
        self.space.universe.nodes()
    }

    /// The work lists, each as it was before its last candidate was taken: that of the algorithm, and that of an algorithm within it. None
    /// where nothing was taken so far.
    pub fn lists(&self) -> Vec<List<U::Set>> {
        self.space.shared.lists.borrow().iter().filter_map(|work| work.list()).collect()
    }

    /// What was counted so far.
    pub fn counts(&self) -> Counts {
        self.space.shared.counts.get()
    }
}

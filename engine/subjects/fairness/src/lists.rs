//! Work lists that can be looked at while an algorithm runs.
//!
//! What has to hold of candidates holds where the next one is taken. So what is shown in between is the list as it was there.

use std::cell::RefCell;
use std::rc::Rc;

/// A set of vertices that is yet to be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate<S> {
    /// The vertices.
    pub set: S,
    /// Those that lost an edge that led to them, since all were known to be connected.
    pub heads: S,
    /// Those that lost an edge that led away.
    pub tails: S,
}

/// What an algorithm looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sought {
    /// Good components of a graph.
    Components,
    /// Good end components.
    EndComponents,
    /// Maximal end components, good or not, for which tails are enough.
    MaximalEndComponents,
}

/// The work list of an algorithm, before it took the candidate that it looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List<S> {
    /// What it looks for.
    pub sought: Sought,
    /// In which set.
    pub of: S,
    /// What is yet to be looked at, the next one last.
    pub candidates: Vec<Candidate<S>>,
    /// What was found.
    pub found: Vec<S>,
}

/// A work list, last in, first out.
pub(crate) struct Work<S> {
    list: RefCell<List<S>>,
    /// What is being looked at; outside, whether something was.
    taken: RefCell<Option<Option<Candidate<S>>>>,
    /// What came of that so far.
    next: RefCell<(Vec<Candidate<S>>, Vec<S>)>,
}

impl<S: Clone> Work<S> {
    pub(crate) fn new(sought: Sought, of: S) -> Rc<Self> {
        let list = List { sought, of, candidates: Vec::new(), found: Vec::new() };
        Rc::new(Self { list: list.into(), taken: RefCell::default(), next: (Vec::new(), Vec::new()).into() })
    }

    /// The candidate that came last.
    pub(crate) fn take(&self) -> Option<Candidate<S>> {
        let (candidates, found) = &mut *self.next.borrow_mut();
        let mut list = self.list.borrow_mut();
        list.candidates.append(candidates);
        list.found.append(found);
        let taken = list.candidates.pop();
        *self.taken.borrow_mut() = Some(taken.clone());
        taken
    }

    pub(crate) fn push(&self, set: S, heads: S, tails: S) {
        self.next.borrow_mut().0.push(Candidate { set, heads, tails });
    }

    pub(crate) fn find(&self, set: S) {
        self.next.borrow_mut().1.push(set);
    }

    /// What was found, at the end.
    pub(crate) fn found(&self) -> Vec<S> {
        self.list.borrow().found.clone()
    }

    /// The list as it was before the last candidate was taken; before the first one, there is none.
    pub(crate) fn list(&self) -> Option<List<S>> {
        let taken = self.taken.borrow().clone()?;
        let mut list = self.list.borrow().clone();
        list.candidates.extend(taken);
        Some(list)
    }
}

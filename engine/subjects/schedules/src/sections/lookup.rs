//! What a program schedule permits behind a prefix: Algorithm 5, as the runtime's threads keep to it.

use super::ProgramSchedule;
use litmoscope_core::program::system::{System, TransitionId};

/// What a thread may do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permitted {
    /// The thread.
    pub thread: u16,
    /// The steps that it may make. Several if it has the branch: then the state, or an input, decides.
    pub transitions: Vec<TransitionId>,
}

/// A place in a program schedule, to which some events led.
#[derive(Clone, Debug)]
pub struct Lookup<'s> {
    schedule: &'s ProgramSchedule,
    /// By section, by thread: its events, as indices.
    own: Vec<Vec<Vec<usize>>>,
    /// By section, by event: how many events of the same thread stand before it.
    place: Vec<Vec<usize>>,
    at: Place,
    /// By thread: how many of its events in the section under way are over.
    counts: Vec<usize>,
    begun: u64,
    /// Behind the end of a schedule that leaves threads free there.
    is_free: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Section(usize),
    /// At a node that no section leaves, or several.
    Node(usize),
}

impl<'s> Lookup<'s> {
    /// The start of a schedule.
    pub fn new(schedule: &'s ProgramSchedule) -> Self {
        Self::at(schedule, 0)
    }

    /// A schedule at one of its nodes: where a run gets that came from another schedule ([`ProgramSchedule::map`]).
    pub fn at(schedule: &'s ProgramSchedule, node: usize) -> Self {
        let mut own = Vec::new();
        let mut place = Vec::new();
        for section in &schedule.sections {
            let mut events = vec![Vec::new(); schedule.threads];
            let number = |(at, thread): (usize, u16)| {
                let own: &mut Vec<usize> = &mut events[usize::from(thread)];
                own.push(at);
                own.len() - 1
            };
            place.push(section.events.iter().map(|event| event.thread).enumerate().map(number).collect());
            own.push(events);
        }
        let counts = vec![0; schedule.threads];
        let mut this = Self { schedule, own, place, at: Place::Node(node), counts, begun: 0, is_free: false };
        this.arrive(node);
        this
    }

    fn arrive(&mut self, node: usize) {
        self.counts.fill(0);
        let leaving = self.schedule.leaving(node);
        self.at = match leaving.len() {
            1 => Place::Section(leaving.start),
            _ => Place::Node(node),
        };
        self.begun += u64::from(leaving.len() == 1);
        self.is_free = leaving.is_empty() && self.schedule.then_free;
    }

    /// The section under way; `None` where the branch is not taken yet, and at the end.
    pub fn section(&self) -> Option<usize> {
        match self.at {
            Place::Section(section) => Some(section),
            Place::Node(_) => None,
        }
    }

    /// The node where the section under way began, or at which it is. At the start of a section nothing of it is over.
    pub fn node(&self) -> usize {
        match self.at {
            Place::Section(section) => self.schedule.sections[section].from,
            Place::Node(node) => node,
        }
    }

    /// Whether no event of a section is over.
    pub fn is_at_node(&self) -> bool {
        self.counts.iter().all(|count| *count == 0)
    }

    /// What tells it from other places in the schedule.
    #[cfg(test)]
    pub(crate) fn key(&self) -> (usize, Option<usize>, Vec<usize>) {
        (self.node(), self.section(), self.counts.clone())
    }

    /// How many sections have begun.
    pub fn begun(&self) -> u64 {
        self.begun
    }

    /// Whether threads may do what they want: behind the end of a schedule that leaves them free there.
    pub fn is_free(&self) -> bool {
        self.is_free
    }

    /// Whether an event of the section under way is over.
    pub fn is_over(&self, event: usize) -> bool {
        let Some(section) = self.section() else { return false };
        let thread = self.schedule.sections[section].events[event].thread;
        self.place[section][event] < self.counts[usize::from(thread)]
    }

    /// A thread's next event in the section under way.
    pub fn next(&self, thread: u16) -> Option<usize> {
        let thread = usize::from(thread);
        self.own[self.section()?][thread].get(self.counts[thread]).copied()
    }

    /// What is permitted next, by thread, ascending. Nothing at the schedule's end: [`Lookup::is_free`] tells whether that is all.
    pub fn permitted(&self) -> Vec<Permitted> {
        let Place::Section(section) = self.at else {
            let leaving = &self.schedule.sections[self.schedule.leaving(self.node())];
            let first = leaving.first().map(|section| section.events[0].thread);
            let transitions = leaving.iter().map(|section| section.events[0].transition).collect();
            return first.map(|thread| Permitted { thread, transitions }).into_iter().collect();
        };
        let events = &self.schedule.sections[section].events;
        let may = |thread: u16| {
            let event = &events[self.next(thread)?];
            let is_minimal = event.after.iter().all(|other| self.is_over(*other));
            is_minimal.then(|| Permitted { thread, transitions: vec![event.transition] })
        };
        (0..self.schedule.threads as u16).filter_map(may).collect()
    }

    /// The events of the section under way that have to be over before a thread may do its next one. Those are all that are left, if the
    /// thread has none in this section. At a branch, and at the end, there are none to name.
    pub fn waits(&self, thread: u16) -> Vec<usize> {
        let Some(section) = self.section() else { return Vec::new() };
        let events = &self.schedule.sections[section].events;
        let is_left = |other: &usize| !self.is_over(*other);
        match self.next(thread) {
            Some(event) => events[event].after.iter().copied().filter(is_left).collect(),
            None => (0..events.len()).filter(is_left).collect(),
        }
    }

    /// Goes on by one event, if it is permitted. If not, nothing changes.
    pub fn step(&mut self, thread: u16, transition: TransitionId) -> bool {
        let is_permitted = |may: &Permitted| may.thread == thread && may.transitions.contains(&transition);
        if self.is_free {
            return true;
        }
        if !self.permitted().iter().any(is_permitted) {
            return false;
        }
        if let Place::Node(node) = self.at {
            let mut leaving = self.schedule.leaving(node);
            if let Some(section) =
                leaving.find(|section| self.schedule.sections[*section].events[0].transition == transition)
            {
                self.at = Place::Section(section);
                self.begun += 1;
            }
        }
        self.counts[usize::from(thread)] += 1;
        if let Place::Section(section) = self.at
            && self.counts.iter().sum::<usize>() == self.schedule.sections[section].events.len()
        {
            self.arrive(self.schedule.sections[section].to);
        }
        true
    }

    /// The threads that may run behind a prefix, which is given as its steps, without those that are dropped. `None` if the prefix is not
    /// permitted. Linear in the prefix, times the events that may come next.
    pub fn permitted_behind(
        schedule: &'s ProgramSchedule,
        system: &System,
        prefix: &[TransitionId],
    ) -> Option<Vec<u16>> {
        let mut lookup = Self::new(schedule);
        for step in prefix {
            if !lookup.step(system.transition(*step).thread, *step) {
                return None;
            }
        }
        Some(lookup.permitted().into_iter().map(|may| may.thread).collect())
    }
}

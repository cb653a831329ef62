//! Schedules to run, as trees with common beginnings.

/// A place in a tree of schedules.
pub(super) type PlanId = u32;

/// No place.
pub(super) const NO_PLAN: PlanId = PlanId::MAX;

#[derive(Clone, Copy, Debug)]
struct Plan {
    /// The thread whose turn leads here.
    thread: u16,
    first: PlanId,
    /// The next place with the same beginning: its thread is a later one.
    next: PlanId,
}

/// All trees: those of sections that are still explored, the innermost last.
#[derive(Clone, Debug, Default)]
pub(super) struct Plans(Vec<Plan>);

impl Plans {
    fn add(&mut self, thread: u16, next: PlanId) -> PlanId {
        self.0.push(Plan { thread, first: NO_PLAN, next });
        self.0.len() as PlanId - 1
    }

    /// Begins a tree.
    pub(super) fn begin(&mut self) -> PlanId {
        self.add(0, NO_PLAN)
    }

    /// Adds a schedule to a tree.
    pub(super) fn insert(&mut self, root: PlanId, schedule: &[u16]) {
        let mut at = root;
        for &thread in schedule {
            let (mut before, mut place) = (NO_PLAN, self.first(at));
            while place != NO_PLAN && self.thread(place) < thread {
                (before, place) = (place, self.next(place));
            }
            if place == NO_PLAN || self.thread(place) != thread {
                place = self.add(thread, place);
                match before {
                    NO_PLAN => self.0[at as usize].first = place,
                    before => self.0[before as usize].next = place,
                }
            }
            at = place;
        }
    }

    /// Forgets the tree that begins there, and all behind it.
    pub(super) fn forget(&mut self, root: PlanId) {
        self.0.truncate(root as usize);
    }

    /// The first place behind another one.
    pub(super) fn first(&self, plan: PlanId) -> PlanId {
        self.0.get(plan as usize).map_or(NO_PLAN, |plan| plan.first)
    }

    /// The place beside another one, with the next thread.
    pub(super) fn next(&self, plan: PlanId) -> PlanId {
        self.0.get(plan as usize).map_or(NO_PLAN, |plan| plan.next)
    }

    /// The thread whose turn leads to a place.
    pub(super) fn thread(&self, plan: PlanId) -> u16 {
        self.0[plan as usize].thread
    }

    /// The threads that are scheduled at a place.
    pub(super) fn threads(&self, plan: PlanId) -> impl Iterator<Item = u16> + '_ {
        let some = |plan| (plan != NO_PLAN).then_some(plan);
        std::iter::successors(some(self.first(plan)), move |&plan| some(self.next(plan))).map(|plan| self.thread(plan))
    }

    /// How many places there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

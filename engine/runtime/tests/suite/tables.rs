//! Schedules, as lists that any build of the runtime can read, and programs that can keep to them.

/// Thread, transition, and the events before it.
pub(crate) type Event = (usize, u32, Vec<usize>);

#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) events: Vec<Event>,
}

#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) threads: usize,
    pub(crate) nodes: usize,
    pub(crate) edges: Vec<Edge>,
}

/// Does something with a table as a `Schedule` of this module.
macro_rules! with_schedule {
    ($($module:ident)::+, $table:expr, |$schedule:ident| $then:expr) => {{
        use $($module)::+ as module;
        let table: &$crate::tables::Table = $table;
        let events: Vec<Vec<module::Event<'_>>> = table
            .edges
            .iter()
            .map(|edge| {
                let events = edge.events.iter();
                events.map(|(thread, transition, after)| module::Event { thread: *thread, transition: *transition, after }).collect()
            })
            .collect();
        let edges: Vec<module::Edge<'_>> = table
            .edges
            .iter()
            .zip(&events)
            .map(|(edge, events)| module::Edge { from: edge.from, to: edge.to, events })
            .collect();
        let $schedule =
            module::Schedule { threads: table.threads, nodes: table.nodes, start: 0, edges: &edges };
        $then
    }};
}
pub(crate) use with_schedule;

/// Random numbers, the same for the same seed (Knuth's multiplier).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn shuffle<T>(&mut self, all: &mut [T]) {
        for end in (1..all.len()).rev() {
            all.swap(end, self.below(end + 1));
        }
    }
}

/// A schedule whose nodes are a ring, with a few edges from each to the next. They differ in how events are ordered,
/// not in which there are, so a thread knows by its own count where it is.
#[derive(Clone, Debug)]
pub(crate) struct Ring {
    pub(crate) table: Table,
    /// For each node, who has the branch, and how many edges leave it.
    pub(crate) branches: Vec<(usize, usize)>,
    /// For each node and each thread, how many events.
    pub(crate) counts: Vec<Vec<usize>>,
}

/// The transition of a thread's event, by its place in the section, if it does not pick the section.
pub(crate) fn usual(thread: usize, place: usize) -> u32 {
    (10 * thread + place) as u32
}

/// The transition that picks an edge among those that leave a node.
pub(crate) fn picks(edge: usize) -> u32 {
    1000 + edge as u32
}

impl Ring {
    /// With `order` in a hundred pairs of events in order; all are if it is 100, and only first events of branches if
    /// it is 0.
    pub(crate) fn random(random: &mut Random, threads: usize, nodes: usize, order: usize) -> Self {
        let branches = (0..nodes).map(|_| (random.below(threads), 1 + random.below(3))).collect::<Vec<_>>();
        let counts = (branches.iter())
            .map(|&(chooser, _)| (0..threads).map(|thread| usize::from(thread == chooser) + random.below(3)).collect())
            .collect();
        Self::ordered(random, branches, counts, threads, order)
    }

    /// The same events in other orders.
    pub(crate) fn reordered(&self, random: &mut Random, order: usize) -> Self {
        Self::ordered(random, self.branches.clone(), self.counts.clone(), self.table.threads, order)
    }

    fn ordered(
        random: &mut Random,
        branches: Vec<(usize, usize)>,
        counts: Vec<Vec<usize>>,
        threads: usize,
        order: usize,
    ) -> Self {
        let mut edges = Vec::new();
        for (node, &(chooser, ways)) in branches.iter().enumerate() {
            for way in 0..ways {
                let mut owners: Vec<usize> =
                    (counts[node].iter().enumerate()).flat_map(|(thread, &count)| vec![thread; count]).collect();
                let first = owners.iter().position(|&thread| thread == chooser).expect("it has an event");
                owners.swap(0, first);
                random.shuffle(&mut owners[1..]);
                let mut places = vec![0; threads];
                let mut events = Vec::new();
                for (number, &thread) in owners.iter().enumerate() {
                    let transition = if number == 0 { picks(way) } else { usual(thread, places[thread]) };
                    places[thread] += 1;
                    events.push((thread, transition, (0..number).filter(|_| random.below(100) < order).collect()));
                }
                edges.push(Edge { from: node, to: (node + 1) % branches.len(), events });
            }
        }
        Self { table: Table { threads, nodes: branches.len(), edges }, branches, counts }
    }

    /// What a thread does in one round, in order: for each event, how many transitions it may take, and the first of
    /// them. Those behind it have the next numbers.
    pub(crate) fn program(&self, thread: usize) -> Vec<(usize, u32)> {
        let mut program = Vec::new();
        for (&(chooser, ways), counts) in self.branches.iter().zip(&self.counts) {
            for place in 0..counts[thread] {
                let is_branch = thread == chooser && place == 0;
                program.push(if is_branch { (ways, picks(0)) } else { (1, usual(thread, place)) });
            }
        }
        program
    }

    /// How many events a round has.
    pub(crate) fn size(&self) -> usize {
        self.counts.iter().flatten().sum()
    }
}

/// Figure 5.6 of the thesis. T1 writes 1 to x, reads z, and if it is 0 writes 1 to y, for ever; T2 writes 0 to y and 0
/// to x. What T1 does behind the read is an event of its own, here as there: it writes y or does nothing.
pub(crate) fn figure_5_6() -> Table {
    let shared = vec![(0, 1, vec![]), (0, 2, vec![]), (1, 3, vec![]), (1, 4, vec![0])];
    Table {
        threads: 2,
        nodes: 2,
        edges: vec![
            Edge { from: 0, to: 1, events: shared },
            Edge { from: 1, to: 0, events: vec![(0, 5, vec![])] },
            Edge { from: 1, to: 0, events: vec![(0, 6, vec![])] },
        ],
    }
}

/// Two threads take two locks, one the other way round: a section in which T1 is first. Transitions are 10 times the
/// thread's number and the place in its round.
pub(crate) fn double_lock() -> Table {
    let mut events: Vec<Event> = (0..5).map(|place| (0, place, vec![])).collect();
    events.extend((0..5).map(|place| (1, 10 + place, vec![])));
    // It takes lock 1 behind where T1 frees it, and lock 0 behind where T1 frees that.
    events[5].2 = vec![3];
    events[6].2 = vec![4];
    Table { threads: 2, nodes: 1, edges: vec![Edge { from: 0, to: 0, events }] }
}

//! Consistency by a run: SC, TSO, PSO, and SRA where there are read-modify-writes.
//!
//! A graph is consistent exactly if its events can be put in one order, a run, that keeps what is ordered everywhere: what the
//! store buffers keep of po, rf, co and fr, where co is the order of the run's writes. Under SRA fr counts for
//! read-modify-writes alone, which is atomicity, and all of porf is kept.
//!
//! Events stand in chains, whose order every run keeps: the threads; with store buffers, what a thread does at once, and what
//! each buffer lets through. What is known of a run is kept as vector clocks over chains, and saturated first: for a read `r`
//! of `w` and another write `w'` of the location, `w'` before `r` is before `w`, and what is behind `w` is behind `r`. Of each
//! chain, only the last such `w'` and the first of the others say anything new. A cycle is the answer no.
//!
//! Then runs are tried, by prefixes: one event of a chain after another, as long as it may come next. A write may come
//! when all reads of what it overwrites have come. What can't be wrong is done without a choice: to read; a
//! read-modify-write that is the last to read its source; a write that nobody reads, since whatever run there is stays one if
//! such an event moves to where it first may come. Where all that can come next is a write that is read, each is tried. A
//! prefix and memory (the last write of each location) are looked at once, so the number of choices is at most the events of
//! each chain multiplied, times what memory can be: polynomial for a fixed number of threads and locations (Gibbons, Korach:
//! *Testing Shared Memories*, 1997; Abdulla, Atig, Jonsson, Lång, Ngo, Sagonas: *Optimal Stateless Model Checking for
//! Reads-From Equivalence under Sequential Consistency*, OOPSLA 2019, for the search by prefixes). In general the question is
//! NP-complete.

use crate::budget::{Halt, Meter};
use rustc_hash::FxHashSet;

/// What comes before what in a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A read, which need not wait for writes in a store buffer.
    Read,
    /// A write, which may wait in a store buffer.
    Write,
    /// A write that waits for all writes in front of it.
    Unlock,
    /// What waits for all writes in front of it, and whatever is behind it waits for: read-modify-writes, full fences.
    Strong,
    /// What keeps the writes in front of it before those behind it.
    StoreFence,
    /// Not part of the order.
    Nothing,
}

/// What an event does to memory.
#[derive(Clone, Copy, Debug)]
struct Access {
    /// [`NOWHERE`] if it accesses nothing.
    location: u32,
    writes: bool,
    /// [`NOTHING`] if it reads nothing.
    source: u32,
    /// Whether all that overwrites its source comes behind it.
    bound: bool,
}

const NOWHERE: u32 = u32::MAX;
const NOTHING: u32 = u32::MAX;
/// The source of a read of an initial write.
const INITIAL: u32 = u32::MAX - 1;

/// An event of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    /// Its number, below the number of events.
    pub number: u32,
    pub kind: Kind,
    pub location: Option<u32>,
    pub writes: bool,
    /// The number of its source, if it reads; of an initial write, itself `None`.
    pub source: Option<Option<u32>>,
    /// Its source is a write of its own thread, which may still be in a store buffer.
    pub is_forwarded: bool,
}

/// How events of threads are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Buffering {
    /// Not by store buffers: po is kept, and rf.
    None,
    /// One buffer a thread.
    Threads,
    /// One buffer for each thread and location.
    Locations,
}

/// The writes of a location in one chain: their places there.
#[derive(Clone, Debug)]
struct Column {
    chain: u32,
    places: Vec<u32>,
}

/// What is known of the runs of a graph.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    buffering: Buffering,
    /// By number.
    accesses: Vec<Access>,
    /// By number: chain and place there.
    places: Vec<(u32, u32)>,
    chains: Vec<Vec<u32>>,
    /// By number: where in `before` what comes before it begins, but for its chain; [`NOTHING`] if nothing does.
    first_before: Vec<u32>,
    /// An event, and where the next one of the same list is.
    before: Vec<(u32, u32)>,
    /// By number and chain: how many events of the chain come before it or are it.
    clocks: Vec<u32>,
    /// By location.
    writes: Vec<Vec<Column>>,
    /// What reads, and is bound by what overwrites its source.
    reads: Vec<u32>,
    /// A write, and one to another location that comes before it: writes come to both locations in the same order.
    follows: Vec<(u32, u32)>,
    /// Two events that would come before each other are known already.
    is_refuted: bool,
}

/// The chains of one thread while it is read.
#[derive(Default)]
struct Lanes {
    /// What is done at once.
    main: Option<u32>,
    /// By location, or for all: the writes.
    buffers: Vec<(u32, u32)>,
    store_fences: Option<u32>,
    last_main: Option<u32>,
    last_store_fence: Option<u32>,
    /// By chain of writes: the last one.
    last_writes: Vec<(u32, u32)>,
}

impl Machine {
    /// A graph of so many events and locations, before its threads are read. Under SRA, `is_bound` holds of
    /// read-modify-writes alone.
    pub(super) fn new(buffering: Buffering, events: usize, locations: usize) -> Self {
        let access = Access { location: NOWHERE, writes: false, source: NOTHING, bound: false };
        Self {
            buffering,
            accesses: vec![access; events],
            places: vec![(0, 0); events],
            chains: Vec::new(),
            first_before: vec![NOTHING; events],
            before: Vec::with_capacity(2 * events),
            clocks: Vec::new(),
            writes: vec![Vec::new(); locations],
            reads: Vec::new(),
            follows: Vec::new(),
            is_refuted: false,
        }
    }

    fn open(&mut self) -> u32 {
        self.chains.push(Vec::new());
        self.chains.len() as u32 - 1
    }

    /// Reads a thread. With `all_bound`, plain reads are bound by what overwrites their sources, too.
    pub(super) fn add_thread(&mut self, events: impl Iterator<Item = Event>, all_bound: bool) {
        let mut lanes = Lanes::default();
        // By location: the write that the thread's last access leaves; `None` for the initial one.
        let mut left: Vec<(u32, Option<u32>)> = Vec::new();
        for event in events {
            self.place(&mut lanes, &event);
            let Some(location) = event.location else { continue };
            let bound = event.source.is_some() && (all_bound || event.writes);
            let source = event.source.map_or(NOTHING, |source| source.unwrap_or(INITIAL));
            self.accesses[event.number as usize] = Access { location, writes: event.writes, source, bound };
            if bound {
                self.reads.push(event.number);
            }
            let enters = match event.source {
                Some(source) => source,
                None if event.writes => Some(event.number),
                None => continue,
            };
            let leaves = if event.writes { Some(event.number) } else { enters };
            // Along po, nothing gets older.
            let known = match left.iter_mut().find(|(of, _)| *of == location) {
                Some((_, known)) => std::mem::replace(known, leaves),
                None => {
                    left.push((location, leaves));
                    None
                }
            };
            match (known, enters) {
                (Some(_), None) => self.is_refuted = true,
                (Some(known), Some(enters)) if known != enters => self.put_before(known, enters),
                _ => {}
            }
        }
    }

    /// Says that an event comes before another.
    pub(super) fn put_before(&mut self, a: u32, b: u32) {
        let next = std::mem::replace(&mut self.first_before[b as usize], self.before.len() as u32);
        self.before.push((a, next));
    }

    /// Says that a write, in the order of its location, follows one to another location, which comes before it: all writes to
    /// the one location follow all those to the other.
    pub(super) fn follow(&mut self, write: u32, leader: u32) {
        self.put_before(leader, write);
        self.follows.push((write, leader));
    }

    /// By number: the one that a write follows, or that follows it, and whether it follows. Else [`NOTHING`].
    fn twins(&self) -> Vec<(u32, bool)> {
        let mut twins = vec![(NOTHING, false); if self.follows.is_empty() { 0 } else { self.accesses.len() }];
        for &(write, leader) in &self.follows {
            twins[write as usize] = (leader, true);
            twins[leader as usize] = (write, false);
        }
        twins
    }

    /// What the order of writes to one location says about that of those that they follow, or that follow them.
    fn learn_from_twins(&self, twins: &[(u32, bool)], new: &mut Vec<(u32, u32)>) {
        let width = self.chains.len();
        for columns in &self.writes {
            for column in columns.iter().filter(|_| !twins.is_empty()) {
                for &place in &column.places {
                    let e = self.chains[column.chain as usize][place as usize];
                    let twin = twins[e as usize].0;
                    for other in columns.iter().filter(|other| twin != NOTHING && other.chain != column.chain) {
                        let known = self.clocks[e as usize * width + other.chain as usize];
                        let known = other.places.partition_point(|&place| place < known);
                        if known == 0 {
                            continue;
                        }
                        let before = self.chains[other.chain as usize][other.places[known - 1] as usize];
                        let before = twins[before as usize].0;
                        if before != NOTHING && !self.is_before(before, twin) {
                            new.push((before, twin));
                        }
                    }
                }
            }
        }
    }

    /// What was said to come before an event.
    fn before(&self, e: u32) -> impl Iterator<Item = u32> + '_ {
        let mut next = self.first_before[e as usize];
        std::iter::from_fn(move || {
            let &(before, behind) = self.before.get(next as usize)?;
            next = behind;
            Some(before)
        })
    }

    /// Puts an event in its chain, and behind what of its thread comes before it.
    fn place(&mut self, lanes: &mut Lanes, event: &Event) {
        let e = event.number;
        let kind = match event.kind {
            Kind::Nothing => Kind::Nothing,
            _ if self.buffering == Buffering::None => Kind::Strong,
            kind => kind,
        };
        let chain = match kind {
            Kind::Nothing => {
                self.places[e as usize] = (NOWHERE, 0);
                return;
            }
            Kind::Read | Kind::Strong => *lanes.main.get_or_insert_with(|| self.open()),
            Kind::StoreFence => *lanes.store_fences.get_or_insert_with(|| self.open()),
            Kind::Write | Kind::Unlock => {
                let buffer = match self.buffering {
                    Buffering::Locations => event.location.unwrap_or(NOWHERE),
                    _ => 0,
                };
                match lanes.buffers.iter().find(|(of, _)| *of == buffer) {
                    Some((_, chain)) => *chain,
                    None => {
                        let chain = self.open();
                        lanes.buffers.push((buffer, chain));
                        chain
                    }
                }
            }
        };
        if matches!(kind, Kind::Strong | Kind::StoreFence | Kind::Unlock) {
            for (_, write) in lanes.last_writes.iter().filter(|(of, _)| *of != chain) {
                self.put_before(*write, e);
            }
        }
        if matches!(kind, Kind::Write | Kind::Unlock) {
            for before in lanes.last_main.into_iter().chain(lanes.last_store_fence) {
                self.put_before(before, e);
            }
        }
        match kind {
            Kind::Read | Kind::Strong => lanes.last_main = Some(e),
            Kind::StoreFence => lanes.last_store_fence = Some(e),
            Kind::Write | Kind::Unlock => match lanes.last_writes.iter_mut().find(|(of, _)| *of == chain) {
                Some((_, last)) => *last = e,
                None => lanes.last_writes.push((chain, e)),
            },
            Kind::Nothing => {}
        }
        let is_forwarded = kind == Kind::Read && event.is_forwarded;
        if let Some(Some(source)) = event.source.filter(|_| !is_forwarded) {
            self.put_before(source, e);
        }
        let place = self.chains[chain as usize].len() as u32;
        self.places[e as usize] = (chain, place);
        self.chains[chain as usize].push(e);
        if event.writes
            && let Some(location) = event.location
        {
            let columns = &mut self.writes[location as usize];
            match columns.iter_mut().find(|column| column.chain == chain) {
                Some(column) => column.places.push(place),
                None => columns.push(Column { chain, places: vec![place] }),
            }
        }
    }

    /// Whether an event is known to come before another.
    fn is_before(&self, a: u32, b: u32) -> bool {
        let (chain, place) = self.places[a as usize];
        a != b && place < self.clocks[b as usize * self.chains.len() + chain as usize]
    }

    /// Brings clocks up to date. `false` if there is a cycle.
    fn tell_time(&mut self) -> bool {
        let width = self.chains.len();
        let mut next = vec![0; width];
        let total: usize = self.chains.iter().map(Vec::len).sum();
        let mut placed = 0;
        loop {
            let before = placed;
            for chain in 0..width {
                while let Some(&e) = self.chains[chain].get(next[chain]) {
                    let waits = self.before(e).any(|other| {
                        let (chain, place) = self.places[other as usize];
                        place as usize >= next[chain as usize]
                    });
                    if waits {
                        break;
                    }
                    let row = e as usize * width;
                    if next[chain] > 0 {
                        let previous = self.chains[chain][next[chain] - 1] as usize * width;
                        self.clocks.copy_within(previous..previous + width, row);
                    } else {
                        self.clocks[row..row + width].fill(0);
                    }
                    let mut link = self.first_before[e as usize];
                    while let Some(&(other, behind)) = self.before.get(link as usize) {
                        link = behind;
                        let other = other as usize * width;
                        for at in 0..width {
                            self.clocks[row + at] = self.clocks[row + at].max(self.clocks[other + at]);
                        }
                    }
                    next[chain] += 1;
                    self.clocks[row + chain] = next[chain] as u32;
                    placed += 1;
                }
            }
            if placed == total {
                return true;
            }
            if placed == before {
                return false;
            }
        }
    }

    /// What a read says about the writes of its location: pairs that are new. `false` on a contradiction.
    fn learn(&self, r: u32, new: &mut Vec<(u32, u32)>) -> bool {
        let access = self.accesses[r as usize];
        let w = access.source;
        let (own, width) = (self.places[r as usize], self.chains.len());
        for column in &self.writes[access.location as usize] {
            let chain = &self.chains[column.chain as usize];
            let write = |at: usize| chain[column.places[at] as usize];
            let known = self.clocks[r as usize * width + column.chain as usize];
            let known = if own.0 == column.chain { own.1 } else { known };
            let known = column.places.partition_point(|&place| place < known);
            if known > 0 {
                let other = write(known - 1);
                if other != w {
                    if w == INITIAL || self.is_before(w, other) {
                        return false;
                    }
                    if !self.is_before(other, w) {
                        new.push((other, w));
                    }
                }
            }
            // Those behind the source.
            let mut later = match w {
                INITIAL => 0,
                _ if self.places[w as usize].0 == column.chain => {
                    column.places.partition_point(|&place| place <= self.places[w as usize].1)
                }
                _ => column.places.partition_point(|&place| !self.is_before(w, chain[place as usize])),
            };
            if later < column.places.len() && write(later) == r {
                later += 1;
            }
            if later < column.places.len() && !self.is_before(r, write(later)) {
                new.push((r, write(later)));
            }
        }
        true
    }

    /// About how many words of 64 bits it is.
    pub(super) fn words(&self) -> u64 {
        (self.clocks.len() / 2 + 4 * self.accesses.len() + self.before.len()) as u64
    }

    /// The same, and that a write comes behind all others to its location: `None` if one is known to come behind it. Saturated
    /// before.
    pub(super) fn with_last(&self, write: u32) -> Option<Self> {
        if self.accesses.get(write as usize).is_none_or(|access| access.location == NOWHERE) {
            // An initial write, which is last if there is no other.
            return Some(self.clone());
        }
        let columns = &self.writes[self.accesses[write as usize].location as usize];
        let lasts = columns
            .iter()
            .filter_map(|column| column.places.last().map(|&place| self.chains[column.chain as usize][place as usize]));
        let others = lasts.filter(|&last| last != write);
        if others.clone().any(|other| self.is_before(write, other)) {
            return None;
        }
        let mut machine = self.clone();
        others.for_each(|other| machine.put_before(other, write));
        Some(machine)
    }

    /// Whether what is kept, with a co, has no cycle.
    pub(super) fn fits_with(mut self, co: &[Vec<u32>]) -> bool {
        let mut behind = vec![NOTHING; self.accesses.len()];
        let mut first = vec![NOTHING; self.writes.len()];
        for (location, order) in co.iter().enumerate() {
            for pair in order.windows(2) {
                behind[pair[0] as usize] = pair[1];
                self.put_before(pair[0], pair[1]);
            }
            first[location] = order.first().copied().unwrap_or(NOTHING);
        }
        for r in std::mem::take(&mut self.reads) {
            let access = self.accesses[r as usize];
            let next = match access.source {
                INITIAL => first[access.location as usize],
                source => behind[source as usize],
            };
            if next != NOTHING && next != r {
                self.put_before(r, next);
            }
        }
        self.clocks.resize(self.accesses.len() * self.chains.len(), 0);
        !self.is_refuted && self.tell_time()
    }

    /// Learns what there is to learn without a guess. `false` if there is no run. Takes, for each pair that is learnt, at most
    /// as many steps as there are events times chains. Goes on where it was if it was halted.
    pub(super) fn saturate(&mut self, meter: &mut Meter<'_>) -> Result<bool, Halt> {
        let width = self.chains.len();
        self.clocks.resize(self.accesses.len() * width, 0);
        let mut new = Vec::new();
        if self.is_refuted {
            return Ok(false);
        }
        let twins = self.twins();
        // Several chains are compared at a time.
        let round = (self.accesses.len() * (1 + width / 16)) as u64;
        loop {
            if !self.tell_time() || !self.reads.iter().all(|&r| self.learn(r, &mut new)) {
                return Ok(false);
            }
            self.learn_from_twins(&twins, &mut new);
            if new.is_empty() {
                return Ok(true);
            }
            for (a, b) in new.drain(..) {
                self.put_before(a, b);
            }
            meter.charge(round)?;
        }
    }
}

/// The search for a run. It can be put aside.
#[derive(Clone, Debug)]
pub(super) struct Runs {
    machine: Machine,
    /// By chain: how many of its events have come.
    front: Vec<u32>,
    /// By location: the write that is in memory, or [`INITIAL`].
    memory: Vec<u32>,
    /// By number: how many bound reads of a write are yet to come; by location behind that, of initial writes.
    awaited: Vec<u32>,
    /// What has come: the event, and what it overwrote.
    run: Vec<(u32, u32)>,
    /// As [`Machine::twins`].
    twins: Vec<(u32, bool)>,
    /// By location, where writes follow others: those that have come.
    come: Vec<Vec<u32>>,
    /// Where there was a choice: how much had come, what could come next, and how much of that was tried.
    choices: Vec<(usize, Vec<u32>, usize)>,
    seen: FxHashSet<Box<[u32]>>,
    has_chosen: bool,
    /// The next thing to do is to try another choice.
    goes_back: bool,
}

impl Runs {
    /// The search before its start, after saturation.
    pub(super) fn new(machine: Machine) -> Self {
        let mut awaited = vec![0; machine.accesses.len() + machine.writes.len()];
        for &r in &machine.reads {
            let access = machine.accesses[r as usize];
            let of =
                if access.source == INITIAL { machine.accesses.len() as u32 + access.location } else { access.source };
            awaited[of as usize] += 1;
        }
        Self {
            front: vec![0; machine.chains.len()],
            memory: vec![INITIAL; machine.writes.len()],
            awaited,
            run: Vec::new(),
            twins: machine.twins(),
            come: vec![Vec::new(); if machine.follows.is_empty() { 0 } else { machine.writes.len() }],
            choices: Vec::new(),
            seen: FxHashSet::default(),
            has_chosen: false,
            goes_back: false,
            machine,
        }
    }

    fn readers(&self, write: u32, location: u32) -> usize {
        if write == INITIAL { self.machine.accesses.len() + location as usize } else { write as usize }
    }

    fn has_come(&self, e: u32) -> bool {
        let (chain, place) = self.machine.places[e as usize];
        place < self.front[chain as usize]
    }

    /// Whether the next event of a chain may come, and whether that is a choice.
    fn may_come(&self, e: u32) -> Option<bool> {
        if !self.machine.before(e).all(|before| self.has_come(before)) {
            return None;
        }
        let access = self.machine.accesses[e as usize];
        if access.location == NOWHERE {
            return Some(false);
        }
        let newest = self.memory[access.location as usize];
        let mut awaited = self.awaited[self.readers(newest, access.location)];
        if access.bound {
            let is_buffered = access.source != INITIAL && !self.has_come(access.source);
            if newest != access.source && !is_buffered {
                return None;
            }
            if newest == access.source {
                awaited -= 1;
            }
        }
        if !access.writes {
            return Some(false);
        }
        let (leader, follows) = self.twins.get(e as usize).copied().unwrap_or((NOTHING, false));
        if follows {
            // The choice was made when others came.
            let leaders = &self.come[self.machine.accesses[leader as usize].location as usize];
            let is_next = leaders.get(self.come[access.location as usize].len()) == Some(&leader);
            return (awaited == 0 && is_next).then_some(false);
        }
        let is_awaited = |e: u32| self.awaited.get(e as usize).is_some_and(|&awaited| awaited > 0);
        (awaited == 0).then(|| access.source == NOTHING && (is_awaited(e) || is_awaited(leader)))
    }

    fn come(&mut self, e: u32) {
        let access = self.machine.accesses[e as usize];
        let mut old = NOTHING;
        if access.bound {
            let readers = self.readers(access.source, access.location);
            self.awaited[readers] -= 1;
        }
        if access.writes {
            old = std::mem::replace(&mut self.memory[access.location as usize], e);
            if let Some(come) = self.come.get_mut(access.location as usize) {
                come.push(e);
            }
        }
        self.front[self.machine.places[e as usize].0 as usize] += 1;
        self.run.push((e, old));
    }

    fn take_back(&mut self, length: usize) {
        while self.run.len() > length {
            let Some((e, old)) = self.run.pop() else { return };
            let access = self.machine.accesses[e as usize];
            if access.bound {
                let readers = self.readers(access.source, access.location);
                self.awaited[readers] += 1;
            }
            if access.writes {
                self.memory[access.location as usize] = old;
                if let Some(come) = self.come.get_mut(access.location as usize) {
                    come.pop();
                }
            }
            self.front[self.machine.places[e as usize].0 as usize] -= 1;
        }
    }

    /// What has come, as far as it matters for what comes next.
    fn state(&self) -> Box<[u32]> {
        let waiting = self.machine.follows.iter().map(|&(write, leader)| {
            let location = |e: u32| self.machine.accesses[e as usize].location as usize;
            (location(write), location(leader))
        });
        let mut waiting: Vec<_> = waiting.collect();
        waiting.dedup();
        // Those that others have to follow yet, in their order.
        let waiting = waiting.iter().flat_map(|&(of, leaders)| &self.come[leaders][self.come[of].len()..]);
        self.front.iter().chain(&self.memory).chain(waiting).copied().collect()
    }

    /// Does what can't be wrong; returns what could come next then, and how many events were looked at.
    fn go_on(&mut self) -> (Vec<u32>, u64) {
        let mut looked_at = 0;
        loop {
            let mut choices = Vec::new();
            let before = self.run.len();
            for chain in 0..self.front.len() {
                while let Some(&e) = self.machine.chains[chain].get(self.front[chain] as usize) {
                    looked_at += 1;
                    match self.may_come(e) {
                        Some(false) => self.come(e),
                        Some(true) => {
                            choices.push(e);
                            break;
                        }
                        None => break,
                    }
                }
            }
            if self.run.len() == before {
                return (choices, looked_at);
            }
        }
    }

    /// Whether there is a run; if so, it is what has come.
    pub(super) fn search(&mut self, meter: &mut Meter<'_>) -> Result<bool, Halt> {
        if self.machine.is_refuted {
            return Ok(false);
        }
        let total: usize = self.machine.chains.iter().map(Vec::len).sum();
        let words = (self.front.len() + self.memory.len()).div_ceil(2) as u64 + 4;
        loop {
            if !self.goes_back {
                let (mut choices, looked_at) = self.go_on();
                self.goes_back = true;
                if self.run.len() == total {
                    return Ok(true);
                }
                if choices.len() > 1 {
                    if !self.seen.insert(self.state()) {
                        choices.clear();
                    }
                    meter.hold(self.seen.len() as u64 * words)?;
                }
                // As they were added, which is a run of most graphs.
                choices.sort_unstable();
                if !choices.is_empty() {
                    self.has_chosen |= choices.len() > 1;
                    self.choices.push((self.run.len(), choices, 0));
                }
                meter.charge(looked_at + words)?;
            }
            let Some((length, choices, next)) = self.choices.last_mut() else { return Ok(false) };
            let length = *length;
            let choice = choices.get(*next).copied();
            *next += 1;
            self.take_back(length);
            match choice {
                Some(e) => {
                    self.come(e);
                    self.goes_back = false;
                }
                None => {
                    self.choices.pop();
                }
            }
        }
    }

    /// Whether there was a choice.
    pub(super) fn has_chosen(&self) -> bool {
        self.has_chosen
    }

    /// What has come, in its order.
    pub(super) fn run(&self) -> impl Iterator<Item = u32> + '_ {
        self.run.iter().map(|(e, _)| *e)
    }
}

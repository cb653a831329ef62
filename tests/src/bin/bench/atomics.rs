//! The objects of `public/objects/` in Rust, with the atomics that lincheck explores: access by access the same, and all of them
//! sequentially consistent.
//!
//! Loom lets a load take what an atomic was made with although another write is over, whatever the load's ordering, and no older one of two
//! writes that are sequentially consistent. So what is loaded before its thread has read anything newer is [`set`], not just made; without
//! that, lincheck refuses the ring buffer and Michael and Scott's queue, for a dequeue after the enqueue that finds nothing.

use lincheck::{ConcurrentSpec, SequentialSpec};
use loom::sync::atomic::AtomicU32;
use loom::sync::atomic::Ordering::SeqCst;
use std::array;
use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};

/// Values are less than this. No array is longer than that asks for, since lincheck makes all of it anew in each execution.
const VALUES: usize = 4;
/// The node that is in a queue at first.
const FIRST: u32 = VALUES as u32;

/// A call of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// `push`, `enq` or `add`.
    Insert(u32),
    /// `pop` or `deq`.
    Remove,
}

/// What a call returns: what was removed, if there was something; of a set 1 or 0.
pub type Answer = Option<u32>;

/// How often an object was made: lincheck does so in each execution, and says of none.
static MADE: AtomicU64 = AtomicU64::new(0);

/// Executions since this was called last.
pub fn executions() -> u64 {
    MADE.swap(0, Ordering::Relaxed)
}

/// A concurrent object.
pub trait Code: Default {
    /// What it promises to be.
    type Promise: SequentialSpec<Op = Call, Ret = Answer>;

    fn insert(&self, value: u32) -> Answer;

    fn remove(&self) -> Answer;
}

/// It, as lincheck wants it.
pub struct Counted<C>(C);

impl<C: Code> Default for Counted<C> {
    fn default() -> Self {
        MADE.fetch_add(1, Ordering::Relaxed);
        Self(C::default())
    }
}

impl<C: Code> ConcurrentSpec for Counted<C> {
    type Seq = C::Promise;

    fn exec(&self, call: Call) -> Answer {
        match call {
            Call::Insert(value) => self.0.insert(value),
            Call::Remove => self.0.remove(),
        }
    }
}

#[derive(Default)]
pub struct Stack(Vec<u32>);

impl SequentialSpec for Stack {
    type Op = Call;
    type Ret = Answer;

    fn exec(&mut self, call: Call) -> Answer {
        match call {
            Call::Insert(value) => {
                self.0.push(value);
                None
            }
            Call::Remove => self.0.pop(),
        }
    }
}

#[derive(Default)]
pub struct Queue(VecDeque<u32>);

impl SequentialSpec for Queue {
    type Op = Call;
    type Ret = Answer;

    fn exec(&mut self, call: Call) -> Answer {
        match call {
            Call::Insert(value) => {
                self.0.push_back(value);
                None
            }
            Call::Remove => self.0.pop_front(),
        }
    }
}

#[derive(Default)]
pub struct Set(BTreeSet<u32>);

impl SequentialSpec for Set {
    type Op = Call;
    type Ret = Answer;

    fn exec(&mut self, call: Call) -> Answer {
        match call {
            Call::Insert(value) => Some(u32::from(self.0.insert(value))),
            Call::Remove => self.0.pop_first(),
        }
    }
}

/// An atomic with a value that was written to it.
fn set(value: u32) -> AtomicU32 {
    let atomic = AtomicU32::new(value);
    atomic.store(value, SeqCst);
    atomic
}

/// The value that was there: `expected` if and only if `new` is there now.
fn cas(place: &AtomicU32, expected: u32, new: u32) -> u32 {
    place.compare_exchange(expected, new, SeqCst, SeqCst).unwrap_or_else(|other| other)
}

/// `treiber.lit`, and what is made of it by writes in place of compare-and-swaps: `treiber-plain-push.lit`, `treiber-plain-pop.lit`.
pub struct Treiber<const PLAIN_PUSH: bool, const PLAIN_POP: bool> {
    top: AtomicU32,
    next: [AtomicU32; VALUES],
}

impl<const PLAIN_PUSH: bool, const PLAIN_POP: bool> Default for Treiber<PLAIN_PUSH, PLAIN_POP> {
    fn default() -> Self {
        // What is below a node is written before the node can be seen.
        Self { top: set(0), next: array::from_fn(|_| AtomicU32::new(0)) }
    }
}

impl<const PLAIN_PUSH: bool, const PLAIN_POP: bool> Code for Treiber<PLAIN_PUSH, PLAIN_POP> {
    type Promise = Stack;

    fn insert(&self, node: u32) -> Answer {
        loop {
            let top = self.top.load(SeqCst);
            self.next[node as usize].store(top, SeqCst);
            if PLAIN_PUSH {
                self.top.store(node, SeqCst);
                return None;
            }
            if cas(&self.top, top, node) == top {
                return None;
            }
        }
    }

    fn remove(&self) -> Answer {
        loop {
            let top = self.top.load(SeqCst);
            if top == 0 {
                return None;
            }
            let next = self.next[top as usize].load(SeqCst);
            if PLAIN_POP {
                self.top.store(next, SeqCst);
                return Some(top);
            }
            if cas(&self.top, top, next) == top {
                return Some(top);
            }
        }
    }
}

/// `michael-scott.lit`, and with an enqueue that links its node by a write: `michael-scott-plain-enq.lit`.
pub struct MichaelScott<const PLAIN_ENQ: bool> {
    head: AtomicU32,
    tail: AtomicU32,
    next: [AtomicU32; VALUES + 1],
}

impl<const PLAIN_ENQ: bool> Default for MichaelScott<PLAIN_ENQ> {
    fn default() -> Self {
        Self { head: set(FIRST), tail: set(FIRST), next: array::from_fn(|_| set(0)) }
    }
}

impl<const PLAIN_ENQ: bool> Code for MichaelScott<PLAIN_ENQ> {
    type Promise = Queue;

    fn insert(&self, node: u32) -> Answer {
        loop {
            let tail = self.tail.load(SeqCst);
            let link = &self.next[tail as usize];
            let next = link.load(SeqCst);
            if next != 0 {
                cas(&self.tail, tail, next);
            } else if PLAIN_ENQ {
                link.store(node, SeqCst);
                cas(&self.tail, tail, node);
                return None;
            } else if cas(link, 0, node) == 0 {
                cas(&self.tail, tail, node);
                return None;
            }
        }
    }

    fn remove(&self) -> Answer {
        loop {
            let head = self.head.load(SeqCst);
            let tail = self.tail.load(SeqCst);
            let next = self.next[head as usize].load(SeqCst);
            if head == tail {
                if next == 0 {
                    return None;
                }
                cas(&self.tail, tail, next);
            } else if cas(&self.head, head, next) == head {
                return Some(next);
            }
        }
    }
}

/// `ring-buffer.lit`.
pub struct RingBuffer {
    head: AtomicU32,
    tail: AtomicU32,
    buffer: [AtomicU32; 4],
}

impl Default for RingBuffer {
    fn default() -> Self {
        Self { head: set(0), tail: set(0), buffer: array::from_fn(|_| AtomicU32::new(0)) }
    }
}

impl Code for RingBuffer {
    type Promise = Queue;

    fn insert(&self, value: u32) -> Answer {
        let tail = self.tail.load(SeqCst);
        self.buffer[tail as usize].store(value, SeqCst);
        self.tail.store(tail + 1, SeqCst);
        None
    }

    fn remove(&self) -> Answer {
        let head = self.head.load(SeqCst);
        let tail = self.tail.load(SeqCst);
        if head == tail {
            return None;
        }
        let value = self.buffer[head as usize].load(SeqCst);
        self.head.store(head + 1, SeqCst);
        Some(value)
    }
}

/// `flags-exchanged.lit`, and with flags that are tested and then set: `flags-tested.lit`. Nothing is removed from them here.
pub struct Flags<const TESTED: bool>([AtomicU32; VALUES]);

impl<const TESTED: bool> Default for Flags<TESTED> {
    fn default() -> Self {
        Self(array::from_fn(|_| set(0)))
    }
}

impl<const TESTED: bool> Code for Flags<TESTED> {
    type Promise = Set;

    fn insert(&self, value: u32) -> Answer {
        let flag = &self.0[value as usize];
        if !TESTED {
            return Some(u32::from(flag.swap(1, SeqCst) == 0));
        }
        if flag.load(SeqCst) == 1 {
            return Some(0);
        }
        flag.store(1, SeqCst);
        Some(1)
    }

    fn remove(&self) -> Answer {
        None
    }
}

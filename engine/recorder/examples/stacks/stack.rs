//! Treiber's stack, and one that is nearly it. Whoever has this module says which atomics these are of.

use super::atomic::{AtomicUsize, Ordering};

/// A stack of the numbers below some bound, each of which is pushed once: a number is its own node.
pub struct Stack<W> {
    /// The number on top, plus 1; 0 if there is none.
    top: AtomicUsize,
    /// What is below each number, in the same way.
    next: Vec<AtomicUsize>,
    /// Of the broken one: what a pop does between its look at the top and its write.
    window: Option<W>,
}

impl Stack<fn()> {
    /// Pops take the top away by compare-and-swap.
    pub fn good(size: usize) -> Self {
        Self::new(size, None)
    }
}

impl<W: Fn()> Stack<W> {
    /// Pops take the top away by a plain write: two that looked at the same top both return it, and what was pushed meanwhile is lost.
    pub fn broken(size: usize, window: W) -> Self {
        Self::new(size, Some(window))
    }

    fn new(size: usize, window: Option<W>) -> Self {
        Self { top: AtomicUsize::new(0), next: (0..size).map(|_| AtomicUsize::new(0)).collect(), window }
    }

    pub fn push(&self, number: usize) {
        let mut top = self.top.load(Ordering::Acquire);
        loop {
            self.next[number].store(top, Ordering::Relaxed);
            match self.top.compare_exchange_weak(top, number + 1, Ordering::Release, Ordering::Acquire) {
                Ok(_) => return,
                Err(now) => top = now,
            }
        }
    }

    pub fn pop(&self) -> Option<usize> {
        let mut top = self.top.load(Ordering::Acquire);
        loop {
            let number = top.checked_sub(1)?;
            let next = self.next[number].load(Ordering::Relaxed);
            if let Some(window) = &self.window {
                window();
                self.top.store(next, Ordering::Release);
                return Some(number);
            }
            match self.top.compare_exchange_weak(top, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(number),
                Err(now) => top = now,
            }
        }
    }
}

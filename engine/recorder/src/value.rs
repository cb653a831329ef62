//! Values that are inserted again and again.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// A value that is inserted again and again, each time with another number.
///
/// Threads may share one. Numbers are drawn without order between threads, so that drawing them hides nothing of how the object
/// keeps threads in order.
///
/// ```
/// use litmoscope_recorder::Repeated;
///
/// let a = Repeated::new('a');
/// assert_eq!(a.next().to_string(), "(a,1)");
/// assert_eq!(a.next().number, 2);
/// ```
#[derive(Debug)]
pub struct Repeated<V> {
    value: V,
    drawn: AtomicU64,
}

impl<V: Clone> Repeated<V> {
    /// The value, of which nothing was drawn yet.
    pub const fn new(value: V) -> Self {
        Self { value, drawn: AtomicU64::new(0) }
    }

    /// The value with its next number, from 1 on.
    pub fn next(&self) -> Numbered<V> {
        Numbered { value: self.value.clone(), number: self.drawn.fetch_add(1, Ordering::Relaxed) + 1 }
    }
}

/// A value with a number that tells it from the others that are equal: what the object is to hold. In the recording it is `(a,i)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Numbered<V> {
    /// The value.
    pub value: V,
    /// Its number, from 1 on.
    pub number: u64,
}

impl<V: fmt::Display> fmt::Display for Numbered<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{})", self.value, self.number)
    }
}

//! The progress line.

use litmoscope::explore::Counts;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// How many steps lie between two looks at the clock.
const STEPS: u64 = 1024;
const INTERVAL: Duration = Duration::from_millis(200);

/// A line on the terminal that is written over and over, and removed at the end. Writes nothing where standard error is
/// no terminal.
pub struct Progress {
    visible: bool,
    start: Instant,
    next: Instant,
    written: bool,
}

impl Progress {
    pub fn new(wanted: bool) -> Self {
        let start = Instant::now();
        Self { visible: wanted && io::stderr().is_terminal(), start, next: start + INTERVAL, written: false }
    }

    pub fn update(&mut self, counts: Counts) {
        if !self.visible || !counts.steps.is_multiple_of(STEPS) {
            return;
        }
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + INTERVAL;
        self.written = true;
        let rate = counts.executions() as f64 / (now - self.start).as_secs_f64();
        // Short: a line that wraps could not be removed.
        let _ = write!(
            io::stderr(),
            "\r\x1b[K{} executions, {} blocked, {} erroneous; {rate:.0}/s",
            counts.executions(),
            counts.blocked,
            counts.erroneous
        );
    }

    /// Removes the line; how long it all took.
    pub fn finish(&self) -> Duration {
        if self.written {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
        self.start.elapsed()
    }
}

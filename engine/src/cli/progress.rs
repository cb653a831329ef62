//! The progress line.

use litmoscope::explore::Counts;
use litmoscope::run::Estimate;
use litmoscope::words::{self, about, grouped};
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Between two lines.
const INTERVAL: Duration = Duration::from_secs(1);

/// On a terminal, a line that is written over and over, and removed at the end; elsewhere, if wanted, a line each second.
pub struct Progress {
    kind: Kind,
    start: Instant,
    next: Instant,
    /// What was counted before the start.
    before: Counts,
    written: bool,
}

/// Where progress is to be seen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    Nowhere,
    /// Not where standard error is a file.
    OnTerminals,
    Everywhere,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    None,
    Terminal,
    Lines,
}

impl Progress {
    /// Of an exploration in which so much was counted before.
    pub fn new(wanted: Wanted, before: Counts) -> Self {
        let kind = match (wanted, io::stderr().is_terminal()) {
            (Wanted::Nowhere, _) | (Wanted::OnTerminals, false) => Kind::None,
            (Wanted::OnTerminals | Wanted::Everywhere, true) => Kind::Terminal,
            (Wanted::Everywhere, false) => Kind::Lines,
        };
        let start = Instant::now();
        Self { kind, start, next: start + INTERVAL, before, written: false }
    }

    /// Whether it is time for a new line.
    pub fn is_due(&self) -> bool {
        self.kind != Kind::None && Instant::now() >= self.next
    }

    pub fn update(&mut self, counts: Counts, total: Option<Estimate>) {
        let now = Instant::now();
        self.next = now + INTERVAL;
        self.written = true;
        let executions = counts.executions();
        let rate = (executions - self.before.executions().min(executions)) as f64 / (now - self.start).as_secs_f64();
        // Short: a line that wraps could not be removed.
        let mut line = words::count(executions, "execution");
        for (count, what) in [(counts.blocked, "blocked"), (counts.erroneous, "erroneous")] {
            if count > 0 {
                line += &format!(", {} {what}", grouped(count));
            }
        }
        line += &format!("; {}/s", grouped(rate as u64));
        if let Some(total) = total.filter(|total| total.executions >= 1.0) {
            let done = (executions as f64 / total.executions).min(1.0);
            let error = 100.0 * total.error / total.executions;
            line += &format!("; {:.0} % of about {} (±{error:.0} %)", (100.0 * done).floor(), about(total.executions));
            if rate > 0.0 {
                line += &format!(", {} left", span((total.executions - executions as f64).max(0.0) / rate));
            }
        }
        self.write(&line);
    }

    /// Writes another kind of line.
    pub fn say(&mut self, line: &str) {
        self.next = Instant::now() + INTERVAL;
        self.written = true;
        self.write(line);
    }

    fn write(&self, line: &str) {
        let mut out = io::stderr();
        let _ = match self.kind {
            Kind::None => Ok(()),
            Kind::Terminal => write!(out, "\r\x1b[K{line}"),
            Kind::Lines => writeln!(out, "{line}"),
        };
    }

    /// Removes the line; how long it all took.
    pub fn finish(&self) -> Duration {
        if self.written && self.kind == Kind::Terminal {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
        self.start.elapsed()
    }
}

/// A duration in words: `0.012 s`, `12 s`, `5 min`, `3.2 h`, `14 days`, `4,000 years`.
pub fn span(seconds: f64) -> String {
    const YEAR: f64 = 365.25 * 86_400.0;
    match seconds {
        s if s < 1.0 => format!("{s:.3} s"),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s if s < 2.0 * YEAR => format!("{:.0} days", s / 86_400.0),
        s => format!("{} years", about(s / YEAR)),
    }
}

//! What algorithms do, as pseudo-code. Each has its own, beside its machine; here is how it is written down, and what those
//! that grow a graph have in common.

use super::Step;

/// A line.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// What it says, spaces in front.
    pub text: &'static str,
    /// Which steps it makes; `None` if it only says what is done when, or what something means.
    pub makes: Option<fn(&Step) -> bool>,
}

/// The lines of an algorithm, in parts, of which others may have the same.
#[derive(Clone, Copy, Debug)]
pub struct PseudoCode(pub &'static [&'static [Line]]);

impl PseudoCode {
    /// All lines.
    pub fn lines(&self) -> impl Iterator<Item = &'static Line> {
        self.0.iter().copied().flatten()
    }

    /// The index of the line that makes a step.
    pub fn line_of(&self, step: &Step) -> Option<u32> {
        let mut numbered = (0..).zip(self.lines());
        numbered.find(|(_, line)| line.makes.is_some_and(|makes| makes(step))).map(|(at, _)| at)
    }
}

/// Lines, each with the steps that it makes, if any.
macro_rules! lines {
    ($($text:literal $(=> $step:pat)?,)*) => {
        &[$(crate::explore::Line { text: $text, makes: crate::explore::pseudo_code::lines!(@ $($step)?) }),*]
    };
    (@) => { None };
    (@ $step:pat) => { Some(|step| matches!(step, $step)) };
}
pub(super) use lines;

/// How one goes on with a graph that grows event by event.
pub(super) const GROW: &[Line] = lines! {
    "  if not cons(G): drop G; if undecided: skip G; return" => Step::Drop | Step::NotAtomic | Step::Undecided,
    "  if no thread can go on:",
    "    report an uninitialised read, or else a data race" => Step::UninitialisedRead { .. } | Step::Race { .. },
    "    output G; return" => Step::Execution { .. } | Step::Duplicate,
    "  add a, the next event of the left-most thread" => Step::AddEvent { .. },
    "  if a is an error: report it" => Step::Error { .. },
};

/// Which graphs these go on with.
pub(super) const CONSISTENT: &[Line] = lines! {
    "cons(G): the model allows G; if whole, no needless wait",
};

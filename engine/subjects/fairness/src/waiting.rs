//! Where threads of a program can wait: what is asked of a program if nobody asks anything.

use crate::program::{Claim, Question};
use litmoscope_core::program::system::{PointId, PointKind, System};
use litmoscope_core::program::{Code, Expression, InstructionKind, Span};

/// A place in which a thread can wait: an operation that waits, or a loop that has an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The thread.
    pub thread: u16,
    /// The points at which it waits.
    pub points: Vec<PointId>,
    /// Where the place begins and ends in the text.
    pub span: Span,
    /// The last line of the place, and the column in which the last event there begins.
    pub last: (u32, u32),
}

impl Waiting {
    /// Whether the thread can wait there for ever.
    pub fn question(&self) -> Question {
        Question::ForEver(Claim::Standing(self.thread, self.points.clone()))
    }

    /// The place in words: `P0 in line 3`.
    pub fn words(&self, system: &System) -> String {
        format!("{} {}", system.threads[usize::from(self.thread)].name, self.lines())
    }

    /// The question in words: `P0 waits for ever in line 3`.
    pub fn title(&self, system: &System) -> String {
        format!("{} waits for ever {}", system.threads[usize::from(self.thread)].name, self.lines())
    }

    fn lines(&self) -> String {
        let Span { line, .. } = self.span;
        if self.last.0 == line { format!("in line {line}") } else { format!("in lines {line} to {}", self.last.0) }
    }

    /// The same, told apart from another place in the same lines: `P0 in line 3, columns 5 to 9`.
    pub fn exact_words(&self, system: &System) -> String {
        format!("{}, columns {} to {}", self.words(system), self.span.column, self.last.1)
    }

    /// The question as a text: `P0 at 3 for ever`, or with columns if something else is in the same lines.
    pub fn text(&self, system: &System) -> String {
        let name = &system.threads[usize::from(self.thread)].name;
        let Span { line, column, .. } = self.span;
        let (last, last_column) = self.last;
        let thread = &system.threads[usize::from(self.thread)];
        let in_lines = (0..)
            .map(PointId)
            .zip(&thread.points)
            .filter(|(_, point)| matches!(point.kind, PointKind::Event(_)) && (line..=last).contains(&point.span.line));
        if in_lines.map(|(point, _)| point).eq(self.points.iter().copied()) {
            let lines = if line == last { line.to_string() } else { format!("{line}..{last}") };
            return format!("{name} at {lines} for ever");
        }
        format!("{name} at {line}:{column}..{last}:{last_column} for ever")
    }
}

/// The places in which threads of a system without buffers can wait, thread by thread, in the order of the text. A loop without an end, such as `while 1`, is none: who goes round
/// in it does not wait for anything.
pub fn waiting(code: &Code, system: &System) -> Vec<Waiting> {
    let mut found: Vec<Waiting> = Vec::new();
    for (index, (thread, code)) in system.threads.iter().zip(&code.threads).enumerate() {
        let mut add = |points: Vec<PointId>| {
            let span = |point: &PointId| thread.points[point.0 as usize].span;
            let first = points.iter().map(span).min_by_key(|span| span.start);
            let last = points.iter().map(span).max_by_key(|span| span.start);
            if let (Some(first), Some(last)) = (first, last) {
                let waiting = Waiting { thread: index as u16, points, span: first, last: (last.line, last.column) };
                if !found.contains(&waiting) {
                    found.push(waiting);
                }
            }
        };
        let own = || (0..).map(PointId).zip(&thread.points);
        for (at, point) in own() {
            // What empties buffers stands nowhere.
            if matches!(point.kind, PointKind::Event(_)) && point.may_block && point.span.line > 0 {
                add(vec![at]);
            }
        }
        for of in &code.loops {
            let inside = of.head..of.end;
            let leaves = code.instructions[inside.clone()].iter().enumerate().any(|(at, instruction)| {
                match &instruction.kind {
                    InstructionKind::Branch { condition: Expression::Constant(_), .. } => false,
                    // A branch leads out of the loop, or behind it there is the end of one that begins anew otherwise.
                    InstructionKind::Branch { otherwise, .. } => {
                        !inside.contains(otherwise) || of.head + at + 1 == of.end
                    }
                    _ => false,
                }
            });
            let spans: Vec<Span> = code.instructions[inside].iter().map(|instruction| instruction.span).collect();
            if leaves {
                let stands =
                    own().filter(|(_, point)| matches!(point.kind, PointKind::Event(_)) && spans.contains(&point.span));
                add(stands.map(|(at, _)| at).collect());
            }
        }
    }
    found.sort_by_key(|waiting| (waiting.thread, waiting.span.start, waiting.points.len()));
    found
}

//! Drawn bars: a row a thread, the column being the time.

use super::build::{Builder, Call, Wrong};
use super::lex::{Cursor, Line, quoted_length};
use super::own::{self, heading, thread_name};
use super::spell::{self, Spelling};
use crate::syntax::Unprintable;
use crate::{History, Recording, ThreadIndex};

const BARS: &str =
    "bars are `|-push 1-|`, `|-pop->` if pending, or `|-push 1--` to continue in the next row of the thread";

/// How long the text of a drawing may be.
const MAX_DRAWING: usize = 1 << 28;

/// What was drawn so far.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    /// The time of the first column of this block.
    start: i64,
    /// Behind the last column of this block.
    width: i64,
    /// The block of each thread's last row.
    blocks: Vec<u32>,
    block: u32,
    /// Bars that go on in a later block, by thread, with the time of their call.
    open: Vec<Option<(Call, i64)>>,
}

/// Where a bar ends.
enum End {
    Return(usize),
    Pending,
    Later,
}

impl Drawing {
    /// Reads the row of a thread, from behind its colon.
    pub(super) fn row<'t>(
        &mut self,
        builder: &mut Builder<'t>,
        book: usize,
        thread: u32,
        line: Line,
        mut cursor: Cursor<'t>,
    ) -> Result<(), Wrong> {
        self.enter(thread as usize);
        let mut column = Column { at: line.start, column: 0, text: cursor.text };
        let mut is_first = true;
        while let Some(byte) = cursor.peek() {
            let at = cursor.at;
            let begins = column.of(at) + self.start;
            let open = self.open[thread as usize].take();
            let (call, called) = match (byte, open) {
                (b'|', None) => match label(builder, book, thread, line, &mut cursor) {
                    Some(call) => (call, begins),
                    None => return Ok(()),
                },
                (b'-', Some(open)) if is_first => open,
                (_, Some(open)) => {
                    let message = format!("the bar of line {} does not continue here", open.0.line);
                    builder.wrong(at, at + 1, message, "end it with `|`, or begin this row with `-`");
                    return Ok(());
                }
                (_, None) => {
                    builder.expected(&cursor, "a bar", BARS);
                    return Ok(());
                }
            };
            is_first = false;
            match end(builder, &mut cursor) {
                Some(End::Return(at)) => builder.interval(call, called, Some(column.of(at) + self.start))?,
                Some(End::Pending) => builder.written_interval(call, called, None)?,
                Some(End::Later) => self.open[thread as usize] = Some((call, called)),
                None => return Ok(()),
            }
        }
        self.width = self.width.max(column.of(line.end) + 1);
        Ok(())
    }

    /// Begins a block if the thread has a row in this one.
    fn enter(&mut self, thread: usize) {
        if self.blocks.len() <= thread {
            self.blocks.resize(thread + 1, u32::MAX);
            self.open.resize(thread + 1, None);
        }
        if self.blocks[thread] == self.block {
            self.block += 1;
            self.start += self.width;
            self.width = 0;
        }
        self.blocks[thread] = self.block;
    }

    /// A history ends.
    pub(super) fn finish(&mut self, builder: &mut Builder<'_>) -> Result<(), Wrong> {
        for (call, _) in std::mem::take(self).open.into_iter().flatten() {
            let help = "end it with `|`, or with `>` if the operation is pending";
            builder.wrong_word(call.at, "the bar of the operation never ends", help);
        }
        Ok(())
    }
}

/// Counts columns.
struct Column<'t> {
    text: &'t str,
    at: usize,
    column: i64,
}

impl Column<'_> {
    /// The column of a place that is not before the last one.
    fn of(&mut self, at: usize) -> i64 {
        self.column += self.text[self.at..at].chars().count() as i64;
        self.at = at;
        self.column
    }
}

/// Reads `|-push 1`, and stops where the label ends.
fn label<'t>(builder: &mut Builder<'t>, book: usize, thread: u32, line: Line, cursor: &mut Cursor<'t>) -> Option<Call> {
    let bytes = cursor.text.as_bytes();
    cursor.at += 1;
    while cursor.at < cursor.end && matches!(bytes[cursor.at], b'-' | b' ') {
        cursor.at += 1;
    }
    let start = cursor.at;
    let mut at = start;
    while at < cursor.end && bytes[at] != b'|' && !(bytes[at] == b'>' && bytes[at - 1] == b'-') {
        at += match bytes[at] {
            // Nothing behind a quote without an end is looked at twice.
            b'"' => quoted_length(&bytes[at + 1..cursor.end]).map_or(cursor.end - at, |length| length + 2),
            _ => 1,
        };
    }
    let label_end = start + cursor.text[start..at].trim_end_matches(['-', ' ', '\t']).len();
    let mut label = Cursor { end: label_end, ..*cursor };
    let operation = own::operation(builder, book, &mut label, BARS)?;
    if label.peek().is_some() {
        builder.expected(&label, "the end of the bar", BARS);
        return None;
    }
    cursor.at = label_end;
    Some(operation.call(book, thread, line))
}

/// Goes to the end of a bar behind its label.
fn end(builder: &mut Builder<'_>, cursor: &mut Cursor<'_>) -> Option<End> {
    let bytes = cursor.text.as_bytes();
    let start = cursor.at;
    while cursor.at < cursor.end && matches!(bytes[cursor.at], b'-' | b' ') {
        cursor.at += 1;
    }
    let at = cursor.at;
    match cursor.peek() {
        Some(b'|') => {
            cursor.at += 1;
            Some(End::Return(at))
        }
        Some(b'>') => {
            cursor.at += 1;
            Some(End::Pending)
        }
        None if cursor.text[start..at].trim_end().ends_with('-') => Some(End::Later),
        _ => {
            builder.expected(cursor, "`|` and the end of the bar", BARS);
            None
        }
    }
}

pub(super) fn print(recording: &Recording) -> Result<String, Unprintable> {
    let mut out = String::new();
    for history in &recording.histories {
        heading(&mut out, history)?;
        draw(&mut out, history)?;
    }
    Ok(out)
}

fn draw(out: &mut String, history: &History) -> Result<(), Unprintable> {
    let used: Vec<ThreadIndex> = {
        let mut is_used = vec![false; history.threads.len()];
        history.operations.iter().for_each(|operation| is_used[operation.thread.index()] = true);
        (0..).map(ThreadIndex).zip(is_used).filter(|(_, used)| *used).map(|(thread, _)| thread).collect()
    };
    let mut margin = 0;
    for &thread in &used {
        margin = margin.max(thread_name(history, thread)?.chars().count() + 2);
    }
    let mut rows = vec![String::new(); history.threads.len()];
    let mut widths = vec![0; history.threads.len()];
    // Where each operation's bar may end at the earliest.
    let mut ends = vec![0; history.operations.len()];
    let mut column = margin;
    for event in spell::events(history)? {
        let operation = history.operation(event.operation);
        let (row, width) = (&mut rows[operation.thread.index()], &mut widths[operation.thread.index()]);
        if event.is_return {
            column = column.max(ends[event.operation.index()]);
            row.extend(std::iter::repeat_n('-', column - *width));
            row.push('|');
            *width = column + 1;
        } else {
            row.extend(std::iter::repeat_n(' ', column - *width));
            let mut label = "|-".to_owned();
            Spelling::of(history, operation)?.write(&mut label);
            label.push_str(if operation.ret.is_some() { "-" } else { "->" });
            *width = column + label.chars().count();
            ends[event.operation.index()] = *width;
            row.push_str(&label);
        }
        column += 1;
        if column.saturating_mul(used.len()) > MAX_DRAWING {
            return Err(Unprintable("the history is too long to be drawn".to_owned()));
        }
    }
    for thread in used {
        // The margin was left free for the name.
        let name = thread_name(history, thread)?;
        out.push_str(name);
        out.push(':');
        out.push_str(&rows[thread.index()][name.chars().count() + 1..]);
        out.push('\n');
    }
    Ok(())
}

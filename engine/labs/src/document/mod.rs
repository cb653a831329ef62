//! The kinds of text that can be read: programs in each notation, abstract executions, event-driven traces, histories, memory implementations,
//! graphs with fairness.
//!
//! Whoever is given a text (an editor, a link, a file) asks [`Kind::of`] what it is, and the kind for the rest: what is wrong
//! with it, its colours, the same text written anew. What a text is about is its [`Subject`]; a lab and a command say which
//! subjects they are for.
//!
//! The ending of a file says what kind of text it is, where only one kind has it (`.lit`, `.exec`, `.trace`). All else, standard
//! input and the page's editor too, goes by the first line.

mod kinds;

pub use kinds::Kind;
pub use kinds::fairness::{LATE as FAIRNESS_READER, reader as fairness_reader};
pub use kinds::history::{LATE as HISTORY_READER, reader as history_reader};
pub use kinds::late::{Late, Reader};
pub use kinds::protocol::{LATE as PROTOCOL_READER, reader as protocol_reader};
pub use kinds::series::at_start as errors_of_size;
pub use kinds::trace::{LATE as TRACE_READER, reader as trace_reader};

use crate::program::{Notation, Program, Span, ThreadKind};
use crate::syntax::{Diagnostic, TokenClass, Unprintable};
use std::ops::Range;

/// What a text is about.
#[derive(Debug)]
pub struct Subject {
    /// Its name.
    pub name: &'static str,
    /// What such a text is, with its article: `a program`.
    pub title: &'static str,
    /// The command that opens it first.
    pub command: &'static str,
    /// What that command does with it, in the third person.
    pub purpose: &'static str,
}

/// What is explored.
pub const PROGRAM: Subject =
    Subject { name: "program", title: "a program", command: "explore", purpose: "explores its executions" };

/// What is consistent or not.
pub const EXECUTION: Subject = Subject {
    name: "execution",
    title: "an abstract execution",
    command: "verify",
    purpose: "says which models allow it",
};

/// What is explored size by size.
pub const SERIES: Subject =
    Subject { name: "series", title: "a series of programs", command: "race", purpose: "explores them size by size" };

/// Messages of handlers with mailboxes, in some order or none.
pub const TRACE: Subject = Subject {
    name: "trace",
    title: "an event-driven trace",
    command: "verify",
    purpose: "says whether its handlers can take their messages in some order",
};

/// Operations of concurrent objects, with their calls and returns.
pub const HISTORY: Subject = Subject {
    name: "history",
    title: "a history of a concurrent object",
    command: "linearize",
    purpose: "says whether each operation can take effect at a single moment",
};

/// What stands below a memory model: machines that answer reads and writes.
pub const PROTOCOL: Subject = Subject {
    name: "protocol",
    title: "a memory implementation",
    command: "protocol",
    purpose: "says whether all its runs are causally consistent",
};

/// What runs may go on for ever in: a graph, with what comes again and again.
pub const FAIRNESS: Subject = Subject {
    name: "fairness",
    title: "a graph with fairness",
    command: "fairness",
    purpose: "says from where there is a fair run",
};

impl PartialEq for Subject {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Subject {}

/// All that is known of one kind of text.
pub struct Definition {
    /// Its name, and that of its fuzz target and corpus.
    pub name: &'static str,
    /// What a text of this kind is, with its article: `a program in herd's C`.
    pub title: &'static str,
    /// What it is about.
    pub subject: &'static Subject,
    /// The notation, if it is a program's.
    pub notation: Option<Notation>,
    /// What the names of files with such texts end in, the usual one first, without the dot.
    pub endings: &'static [&'static str],
    /// Whether a text, by its first line, is of this kind. The last kind of the list takes what no other does.
    pub begins: fn(&str) -> bool,
    /// Reads it.
    pub read: Read,
    /// The classes of its tokens as byte ranges, in order, without overlaps, whatever the text.
    pub highlight: fn(&str) -> Colours,
}

/// The classes of tokens as byte ranges.
pub type Colours = Vec<(Range<usize>, TokenClass)>;

/// Reads a text, or says what is wrong with it: at least one message of severity error.
pub type Read = fn(&str) -> Result<Summary, Vec<Diagnostic>>;

/// Reads a text and writes it anew; or says why it can't be read, or has no words for what was read.
pub type Rewrite = fn(&str) -> Result<Result<String, Unprintable>, Vec<Diagnostic>>;

/// What is worth knowing of a text that could be read, whatever it is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// What was inferred, and what looks unintended.
    pub notes: Vec<Diagnostic>,
    /// How large it is: `2 threads, 2 shared names`.
    pub size: String,
    /// The program, if it is one.
    pub program: Option<Program>,
}

impl Kind {
    /// The kind of a text: the first of [`Kind::ALL`] whose first line it has.
    pub fn of(text: &str) -> Self {
        let mut kinds = Self::ALL.into_iter();
        kinds.find(|kind| (kind.definition().begins)(text)).unwrap_or_default()
    }

    /// The kind that a file's ending stands for, if there is one alone: the same ending may stand for several.
    pub fn of_ending(ending: &str) -> Option<Self> {
        let is_its_own = |kind: &Self| kind.definition().endings.iter().any(|own| own.eq_ignore_ascii_case(ending));
        let mut kinds = Self::ALL.into_iter().filter(is_its_own);
        kinds.next().filter(|_| kinds.next().is_none())
    }

    /// What its texts are about.
    pub fn subject(self) -> &'static Subject {
        self.definition().subject
    }

    /// Whether its texts are about that.
    pub fn is(self, subject: &Subject) -> bool {
        self.subject() == subject
    }

    /// Reads a text of this kind.
    ///
    /// # Errors
    /// What is wrong with it, at least one message of severity error among them.
    pub fn read(self, text: &str) -> Result<Summary, Vec<Diagnostic>> {
        (self.definition().read)(text)
    }

    /// The classes of a text's tokens as byte ranges, in order, without overlaps.
    pub fn highlight(self, text: &str) -> Colours {
        (self.definition().highlight)(text)
    }
}

/// Why a text is not about what was wanted: a message at its start that says what it is and which command opens it. `None` if
/// it is about that, or if it is not certain to be about anything else.
pub fn mismatch(text: &str, wanted: &Subject) -> Option<Diagnostic> {
    let kind = Kind::of(text);
    let certain = || kind != Kind::default() || kind.read(text).is_ok();
    let (title, subject) = (kind.definition().title, kind.subject());
    (subject != wanted && certain()).then(|| {
        let start = Span { start: 0, end: 0, line: 1, column: 1 };
        Diagnostic::error(format!("this is {title}, not {}", wanted.title), start)
            .with_help(format!("`litmoscope {}` {}", subject.command, subject.purpose))
    })
}

/// That something asks all candidates of a program, of which there is no list where there are handlers: a message at the first handler;
/// `None` if there is none.
pub fn no_handlers(program: &Program, what: &str) -> Option<Diagnostic> {
    let handler = program.threads.iter().find_map(|thread| match &thread.kind {
        ThreadKind::Handler { span, .. } => Some(*span),
        ThreadKind::Plain | ThreadKind::Start | ThreadKind::After => None,
    })?;
    let message = format!("{what} does not support handlers");
    Some(Diagnostic::error(message, handler).with_help("explore the program under SC: that finds all its final states"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// A text of each kind.
    const TEXTS: [(Kind, &str); 26] = [
        (Kind::Litmoscope, "x := 1 || a := x"),
        (Kind::Litmoscope, ""),
        (Kind::Litmoscope, "init { P0:a = 1 }\nx := 2 || a := x"),
        (Kind::Litmoscope, "// T1: w x 1"),
        (Kind::C11, "C SB\n{}\nP0 (atomic_int* x) { atomic_store(x, 1); }\n"),
        (Kind::X86, "X86 A\n{}\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n"),
        (Kind::X86_64, "X86_64 A\n{}\n P0 ;\n movl $1,(x) ;\nexists (x=1)\n"),
        (Kind::Series, "series rows\nsizes 1..3\n$each i in 1..n joined \"||\" { x := $i }"),
        (Kind::Litmoscope, "series := 1"),
        (Kind::Execution, "// a comment\n\ninit x = 1\nT1: w x 2"),
        (Kind::Execution, "execution Fig. 2: SB\nT1: w x 1"),
        (Kind::Trace, "trace clicks\nhandler h queue\ninitial m on h: w x 1; post n\nmessage n on h: r x 1 <- m"),
        (Kind::Trace, "# a comment\n\ntrace\nthread T: w x 1"),
        (Kind::Litmoscope, "trace := 1"),
        (Kind::History, "history s stack\nT1: push 1 [0,2]; pop 1 [4,5]"),
        (Kind::History, "T1: |-push 1-|   |--pop 1--|"),
        (Kind::History, "# @object atomic-stack\n[1] call push 1\n[1] return\n[1] call pop\n[1] return 1"),
        (
            Kind::History,
            "{:process 0, :type :invoke, :f :write, :value 1}\n{:process 0, :type :ok, :f :write, :value 1}",
        ),
        (Kind::History, "thread,operation,value,result,call,return\n1,enq,1,,0,1"),
        (Kind::Litmoscope, "history := 1"),
        (
            Kind::Protocol,
            "protocol P(threads = 2, variables = 1)\nregister r: x\non write t x { W t x r }\non read t x { R t x r }",
        ),
        (Kind::Protocol, "# M\nmachine M\nthreads t\nvariables x\nregisters a: x\nq -> p: W t x a\np -> q: R t x a"),
        (Kind::Protocol, "automata\nexpression a\nexpression a*"),
        (Kind::Litmoscope, "machine := 1"),
        (Kind::Fairness, "// a lock\nfairness lock\nstart a\na -> b, c\nrandom c\nset s: b\npair s -> {a c}"),
        (Kind::Litmoscope, "fairness := 1"),
    ];

    #[test]
    fn the_first_line_tells_the_kind() {
        for (kind, text) in TEXTS {
            assert_eq!(Kind::of(text), kind, "{text}");
            let others = Kind::ALL.into_iter().filter(|other| *other != kind && *other != Kind::default());
            others.for_each(|other| assert!(!(other.definition().begins)(text), "{text} is also {other:?}"));
        }
    }

    #[test]
    fn every_kind_reads_what_it_writes() {
        for (kind, text) in TEXTS.into_iter().filter(|(_, text)| !text.is_empty() && !text.starts_with("// T1")) {
            let read = kind.read(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:#?}"));
            assert!(!read.size.is_empty() && read.program.is_some() == kind.is(&PROGRAM), "{text}");
            let rewrite = kind.rewrite();
            let again = rewrite(text).expect("it can be read").expect("it can be written");
            assert_eq!(Kind::of(&again), kind, "{again}");
            assert_eq!(rewrite(&again), Ok(Ok(again.clone())), "{text}");
        }
        let kinds: BTreeSet<&str> = TEXTS.iter().map(|(kind, _)| kind.definition().name).collect();
        assert_eq!(kinds.len(), Kind::ALL.len(), "there is a text of each kind");
    }

    #[test]
    fn colours_follow_one_another() {
        for (_, text) in TEXTS {
            for kind in Kind::ALL {
                let mut at = 0;
                for (range, _) in kind.highlight(text) {
                    assert!(at <= range.start && range.start < range.end, "{kind:?}: {range:?} of {text}");
                    assert!(text.get(range.clone()).is_some(), "{kind:?}: {range:?} of {text}");
                    at = range.end;
                }
            }
        }
    }

    #[test]
    fn what_is_no_program_is_said_to_be_none() {
        let said = |text, wanted| mismatch(text, wanted).map(|wrong| (wrong.message, wrong.help));
        let message = |what: &str| Some(what.to_owned());
        assert_eq!(said("T1: w x 1", &EXECUTION), None);
        assert_eq!(said("x := 1", &PROGRAM), None);
        assert_eq!(said("not anything :", &EXECUTION), None, "it may be either");
        let (is, help) = said("T1: w x 1", &PROGRAM).expect("an execution");
        assert_eq!(is, "this is an abstract execution, not a program");
        assert_eq!(help, message("`litmoscope verify` says which models allow it"));
        let (is, _) = said("C broken", &EXECUTION).expect("a program");
        assert_eq!(is, "this is a program in herd's C, not an abstract execution");
        let (is, help) = said("trace\nthread T: w x 1", &EXECUTION).expect("a trace");
        assert_eq!(is, "this is an event-driven trace, not an abstract execution");
        assert_eq!(
            help,
            message("`litmoscope verify` says whether its handlers can take their messages in some order")
        );
        let (is, _) = said("x := 1 || a := x", &EXECUTION).expect("a program");
        assert_eq!(is, "this is a program in Litmoscope's notation, not an abstract execution");
    }

    #[test]
    fn an_ending_that_several_have_tells_nothing() {
        assert_eq!(Kind::of_ending("lit"), Some(Kind::Litmoscope));
        assert_eq!(Kind::of_ending("EXEC"), Some(Kind::Execution));
        assert_eq!(Kind::of_ending("trace"), Some(Kind::Trace));
        assert_eq!(Kind::of_ending("protocol"), Some(Kind::Protocol));
        assert_eq!(Kind::of_ending("fairness"), Some(Kind::Fairness));
        assert_eq!(Kind::of_ending("litmus"), None);
        assert_eq!(Kind::of_ending("txt"), None);
    }
}

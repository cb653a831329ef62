//! What is done before there are threads, and what runs behind all of them.

use super::{Declarations, Parse, Parser};
use crate::program::Span;
use crate::syntax::litmoscope::lexer::{Kind, Token};
use crate::syntax::{Diagnostic, TokenClass};

/// The word in front of what is done before there are threads.
pub(crate) const BEFORE: &str = "before";
/// The word in front of what runs behind all threads, and what that is called.
pub(crate) const AFTER: &str = "after";

/// What to do with several of the second kind.
pub(super) const ONE_AFTER: &str = "write all statements into one: they run in their order";

const ONE_BEFORE: &str = ONE_AFTER;

/// `before { ... }`
#[derive(Debug)]
pub(crate) struct Before {
    /// Where the word is.
    pub span: Span,
    /// The tokens of its statements, with an end.
    pub body: Vec<Token>,
}

/// Whether a token is such a word, and no variable: a block follows.
pub(crate) fn is_part(tokens: &[Token], at: usize, source: &str, word: &str) -> bool {
    let next = tokens[at + 1..].iter().find(|token| token.kind != Kind::Newline);
    tokens[at].kind == Kind::Name && tokens[at].text(source) == word && next.is_some_and(|next| next.is("{"))
}

/// That a part stands where it does not belong.
pub(super) fn misplaced(word: &str, span: Span) -> Diagnostic {
    let (message, help) = match word {
        BEFORE => ("`before` comes before the threads", "write it after `shared` and the objects: `before { x := 1 }`"),
        _ => (
            "`after` comes after the last thread and before `locations`, `filter` and the condition",
            "write it outside any block, on a line of its own: `after { a := x }`",
        ),
    };
    Diagnostic::error(message, span).with_help(help)
}

/// That a register is asked for that is gone.
pub(super) fn is_over(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("`{name}` is a register of `before`, which ends before the threads begin"), span)
        .with_help("write its value to something shared, or use `assert` in `before`")
}

/// That nothing comes before or behind handlers.
pub(crate) fn no_handlers(word: &str, span: Span) -> Diagnostic {
    let help = match word {
        BEFORE => "give shared names their values in the declaration, and post messages with `initial`",
        _ => "a handler never ends, so nothing comes after it: let a message read what you want to see",
    };
    Diagnostic::error(format!("a program with handlers can't have `{word}`"), span).with_help(help)
}

impl Parser<'_> {
    /// Whether the next token begins such a part.
    pub(super) fn starts_part(&self, word: &str) -> bool {
        is_part(&self.tokens, self.index(), self.source, word)
    }

    /// `before { ... }`
    pub(super) fn before(&mut self, declarations: &mut Declarations) -> Parse<()> {
        let span = self.take().span;
        declarations.classes.push((span.start, TokenClass::Keyword));
        self.skip_newlines();
        let at = self.at;
        let open = self.take();
        let Some(close) = self.closing_braces.get(&at).copied() else {
            self.report(Diagnostic::error("this `{` is not closed", open.span).with_help("write the `}`"));
            self.at = self.end_of_unclosed();
            declarations.unclosed = Some(self.at);
            declarations.incomplete = true;
            return Ok(());
        };
        let mut body = self.tokens[self.at..close].to_vec();
        body.push(Token { kind: Kind::End, span: self.tokens[close].span });
        self.at = close;
        self.take();
        if declarations.before.is_some() {
            let diagnostic = Diagnostic::error("there is more than one `before`", span).with_help(ONE_BEFORE);
            return self.fail(diagnostic);
        }
        declarations.before = Some(Before { span, body });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::program::{Code, Notation, ThreadKind};
    use crate::syntax::{TokenClass, highlight, parse, print};

    /// What is wrong with a text: line, column, message.
    fn wrong(text: &str) -> Vec<(u32, u32, String)> {
        let diagnostics = match parse(text) {
            Err(diagnostics) => diagnostics,
            Ok(parsed) => {
                let error = Code::compile(&parsed.program).expect_err(text);
                return vec![(error.span().line, error.span().column, error.to_string())];
            }
        };
        assert!(diagnostics.iter().all(|diagnostic| diagnostic.help.is_some()), "{diagnostics:#?}");
        diagnostics.into_iter().map(|d| (d.span.line, d.span.column, d.message)).collect()
    }

    #[test]
    fn what_comes_before_and_behind_is_read_and_printed() {
        let text = "shared x, y\n\nbefore { r := 1; x := r }\n\nx := 2 || a := x\n\nafter { b := x; if b = 2 { y := 1 } }\n\
                    exists (after:b = 2 /\\ y = 1)";
        let program = parse(text).expect("a program").program;
        let before = program.before.as_ref().expect("it has one");
        assert_eq!((before.registers.len(), before.body.len(), program.threads.len()), (1, 2, 3));
        let after = program.after().expect("it has one");
        assert_eq!(
            (&after.kind, after.body.len(), program.thread_name(2)),
            (&ThreadKind::After, 2, "after".to_owned())
        );
        let printed = print(&program, Notation::Litmoscope).expect("it can be written");
        let again = parse(&printed).expect("printed programs are programs").program;
        assert_eq!(again.without_spans(), program.clone().without_spans(), "{printed}");
        for notation in [Notation::C11, Notation::X86, Notation::X86_64] {
            let why = print(&program, notation).expect_err("there is nothing like it");
            assert_eq!(why.to_string(), "herd's programs can't have `before` or `after`");
        }
    }

    #[test]
    fn the_words_are_names_elsewhere() {
        let text = "before := 1; after := 2 || a := before; if after = 2 { after := 3 }";
        let program = parse(text).expect("a program").program;
        assert!(program.before.is_none() && program.after().is_none());
        let names: Vec<&str> = program.objects.iter().map(|object| object.name.as_str()).collect();
        assert_eq!(names, ["before", "after"]);
        let kept = "shared before, after\nbefore { before := 1 }\nafter := before\nafter { a := after }";
        let program = parse(kept).expect("a program").program;
        assert!(program.before.is_some() && program.after().is_some());
        let keywords = highlight(kept, Notation::Litmoscope);
        let keywords = keywords.iter().filter(|(_, class)| *class == TokenClass::Keyword);
        let keywords: Vec<_> = keywords.map(|(range, _)| (range.start, &kept[range.clone()])).collect();
        assert_eq!(keywords, [(0, "shared"), (21, "before"), (60, "after")]);
    }

    #[test]
    fn a_table_ends_where_the_part_behind_it_begins() {
        let program = parse("x := 1 || a := x\ny := 1 || b := y\nafter\n{\n  c := x\n}").expect("a program").program;
        assert_eq!(program.threads.iter().map(|thread| thread.body.len()).collect::<Vec<_>>(), [2, 2, 1]);
    }

    #[test]
    fn what_is_wrong_is_said_where_it_is() {
        let one = |line, column, message: &str| vec![(line, column, message.to_owned())];
        for (text, expected) in [
            ("before { x := 1 }\nbefore { x := 2 }\na := x", one(2, 1, "there is more than one `before`")),
            ("a := x\nafter { b := x }\nafter { c := x }", one(3, 1, "there is more than one `after`")),
            ("a := x\nbefore { x := 1 }", one(2, 1, "`before` comes before the threads")),
            (
                "if x = 1 {\n  after { b := x }\n}",
                one(2, 3, "`after` comes after the last thread and before `locations`, `filter` and the condition"),
            ),
            (
                "a := x\nexists (a = 1)\nafter { b := x }",
                one(3, 1, "`after` comes after the last thread and before `locations`, `filter` and the condition"),
            ),
            ("before { x := 1\na := x", one(1, 8, "this `{` is not closed")),
            ("a := x\nafter { b := x", one(2, 7, "this `{` is not closed")),
            ("a := x\nafter { s.pop() }", one(2, 9, "there is no object `s`")),
            (
                "shared x\nbefore { r := 1; x := r }\na := x\nexists (r = 1)",
                one(4, 9, "`r` is a register of `before`, which ends before the threads begin"),
            ),
            (
                "shared x\nbefore { r := 1; x := r }\na := x\nexists (before:r = 1)",
                one(4, 9, "`r` is a register of `before`, which ends before the threads begin"),
            ),
            ("a := x\nafter { b := x }\nexists (after:c = 1)", one(3, 9, "after has no register `c`")),
            (
                "shared x\nhandler h queue\ninitial m on h { x := 1 }\nbefore { x := 1 }\nmessage m on h { x := 2 }",
                one(4, 1, "a program with handlers can't have `before`"),
            ),
        ] {
            let found = wrong(text);
            assert!(expected.iter().all(|message| found.contains(message)), "{text}\n{found:#?}");
        }
    }

    #[test]
    fn what_can_not_be_run_before_is_said_where_it_is() {
        let tail = ": the statements in `before` run once, in their order, before the threads begin";
        for (text, line, column, why) in [
            ("before { assert x = 1 }\na := x", 1, 10, "this assertion is violated"),
            ("before {\n  assume x = 1 }\na := x", 2, 3, "this assumption does not hold"),
            ("before { r := 1 / x }\na := x", 1, 10, "this divides by zero"),
            (
                "shared q[2]\nbefore { r := 2; q[r] := 1 }\na := q[0]",
                2,
                18,
                "this is out of bounds: there is no element 2",
            ),
            ("before { while x = 0 { skip } }\na := x", 1, 16, "this has not ended after 100000 steps"),
            ("shared x = ?\nbefore { r := x }\na := x", 2, 15, "this reads a location that was not written yet"),
            ("shared c\nbefore { send(c, 1) }\na := receive(c)", 2, 10, "channels and messages are for threads"),
            ("shared m\nbefore { lock m }\nlock m", 2, 10, "this mutex is never unlocked again"),
            ("shared m\nbefore { lock m; lock m }\nlock m", 2, 18, "this mutex is locked already"),
            ("shared m\nbefore { unlock m }\nlock m", 2, 10, "this mutex is not locked"),
        ] {
            assert_eq!(wrong(text), [(line, column, format!("{why}{tail}"))], "{text}");
        }
    }
}

//! What is for transition systems: inputs, what is assumed of them at the start, and what is done in one step. Their words are names
//! elsewhere.

use super::parts::is_part;
use super::{Declarations, Names, Parse, Parser, join};
use crate::program::{
    AccessKind, DeclaredRange, Expression, InitialInput, Input, Premise, Span, Statement, StatementKind, Value,
};
use crate::syntax::litmoscope::lexer::{Kind, Token};
use crate::syntax::{Diagnostic, TokenClass};

/// The word in front of what is assumed at the start.
pub(crate) const ASSUMING: &str = "assuming";
/// The word in front of a block that is one step.
pub(crate) const ATOMIC: &str = "atomic";
/// The word in front of values of which one is chosen.
pub(crate) const INPUT: &str = "input";
/// The word in front of values of which chance chooses one.
pub(crate) const RANDOM: &str = "random";
/// The word in front of the values that something shared may have.
pub(crate) const IN: &str = "in";

/// How many values of an input are held against a range: from there on, its ends are.
const LOOKED_AT: usize = 1 << 16;
/// How many values an input may list.
const MAX_LISTED: usize = 256;
const RANDOMS: &str = "write a range as `random 0..1`, or values as `random {1, 5}`";
const INPUTS: &str = "write a range as `input 0..3`, or values as `input {1, 5, &x}`";

/// What is chosen at the start, and what is assumed of it.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    /// The initial values that are inputs: the name, the offset, and what it may be.
    inputs: Vec<(String, u32, Input)>,
    /// The ranges that are declared, by names.
    ranges: Vec<(String, Value, Value, Span)>,
    /// What is assumed at the start.
    assuming: Option<Assuming>,
}

/// `assuming x = y`
#[derive(Debug)]
struct Assuming {
    /// Where the word is.
    span: Span,
    /// The tokens of what is assumed, with an end.
    body: Vec<Token>,
}

impl Choices {
    /// The tokens of what is assumed at the start, with an end.
    pub(crate) fn assumed(&self) -> &[Token] {
        self.assuming.as_ref().map_or(&[], |assuming| &assuming.body)
    }
}

/// What is wrong with a name that nothing is assigned to, if it is the word for inputs.
pub(super) fn unassigned(name: &str, span: Span) -> Option<Diagnostic> {
    let diagnostic = || Diagnostic::error(format!("`{name}` is never assigned, and has no values"), span);
    match name {
        INPUT => Some(diagnostic().with_help(INPUTS)),
        RANDOM => Some(diagnostic().with_help(RANDOMS)),
        _ => None,
    }
}

/// Whether a token is the word `atomic`, `input` or `random`, and no variable.
pub(super) fn is_of_choice(tokens: &[Token], at: usize, source: &str) -> bool {
    if tokens[at].kind != Kind::Name {
        return false;
    }
    let before = at.checked_sub(1).map(|before| tokens[before]);
    match tokens[at].text(source) {
        ATOMIC => {
            let starts = before.is_none_or(|before| {
                before.kind == Kind::Newline || [";", "{", "}", "then", "else"].iter().any(|symbol| before.is(symbol))
            });
            starts && is_part(tokens, at, source, ATOMIC)
        }
        INPUT | RANDOM => before.is_some_and(|before| before.is(":=")) && values_follow(tokens, at),
        _ => false,
    }
}

/// Whether values stand behind the word: a number, a brace, or `-1..`. `input - 1` is a difference.
fn values_follow(tokens: &[Token], at: usize) -> bool {
    let next = |further: usize| tokens.get(at + further);
    let is = |further: usize, symbol: &str| next(further).is_some_and(|token| token.is(symbol));
    let number = |further: usize| next(further).is_some_and(|token| token.kind == Kind::Number);
    number(1) || is(1, "{") || is(1, "-") && number(2) && is(3, ".")
}

/// What is chosen at the start, with objects in place of names, and what is assumed of it.
pub(super) fn premise(
    source: &str,
    choices: Choices,
    addresses: &[(String, Span)],
    names: &Names,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Box<Premise>> {
    let mut inputs = Vec::new();
    for (name, offset, mut input) in choices.inputs {
        if let Input::Values(values) = &mut input {
            values.iter_mut().for_each(|value| *value = names.resolved(*value, addresses));
        }
        inputs.extend(names.object(&name).map(|object| InitialInput { object, offset, input }));
    }
    let mut ranges = Vec::new();
    for (name, first, last, span) in choices.ranges {
        let Some(object) = names.object(&name) else { continue };
        let inside = |value: &Value| (first..=last).contains(value);
        let given = inputs.iter().filter(|initial: &&InitialInput| initial.object == object);
        let outside = names.objects[usize::from(object.0)].initial.iter().find(|value| !inside(value)).copied();
        let outside = outside
            .or_else(|| given.flat_map(|initial| initial.input.values()).take(LOOKED_AT).find(|value| !inside(value)));
        if let Some(value) = outside {
            let diagnostic =
                Diagnostic::error(format!("`{name}` is {value} at the start, outside {first}..{last}"), span);
            diagnostics.push(diagnostic.with_help("widen the range, or give it another value at the start"));
        }
        ranges.push(DeclaredRange { object, first, last, span });
    }
    let assuming = choices.assuming.and_then(|assuming| assumed(source, assuming, names, diagnostics));
    Premise::of(inputs, ranges, assuming)
}

/// The statement of what is assumed at the start.
fn assumed(source: &str, assuming: Assuming, names: &Names, diagnostics: &mut Vec<Diagnostic>) -> Option<Statement> {
    let Assuming { span, body } = assuming;
    // No thread's and no method's names.
    let mut parser = Parser::new(source, body, usize::MAX, names, diagnostics);
    let condition = parser.condition().ok()?;
    let span = join(span, parser.last);
    if parser.peek().kind != Kind::End {
        let diagnostic = parser.expected("the end of the line");
        parser.report(diagnostic);
        return None;
    }
    if !only_reads(&condition) {
        let diagnostic = Diagnostic::error("`assuming` can only read", span);
        parser.report(diagnostic.with_help("say what holds of shared names at the start: `assuming x = y and z > 0`"));
        return None;
    }
    Some(Statement { kind: StatementKind::Assume(condition), span })
}

fn only_reads(expression: &Expression) -> bool {
    match expression {
        Expression::Constant(_) => true,
        Expression::Register(_) => false,
        Expression::Access(access) => access.kind == AccessKind::Read && access.place.operand().is_none_or(only_reads),
        Expression::Unary(_, operand) => only_reads(operand),
        Expression::Binary(_, left, right) => only_reads(left) && only_reads(right),
    }
}

impl Parser<'_> {
    /// Whether the next token is that word, if it is not in backquotes.
    pub(super) fn is_named(&self, word: &str) -> bool {
        let token = self.peek();
        token.kind == Kind::Name && token.text(self.source) == word
    }

    /// Whether the next token is the word `assuming` in front of a condition, and no variable.
    pub(super) fn starts_assuming(&self) -> bool {
        let next = self.peek_second();
        self.is_named(ASSUMING)
            && (matches!(next.kind, Kind::Name | Kind::Quoted | Kind::Number)
                || ["(", "not", "!", "-", "*"].iter().any(|symbol| next.is(symbol)))
    }

    /// `assuming x = y`
    pub(super) fn assuming(&mut self, declarations: &mut Declarations) -> Parse<()> {
        let span = self.take().span;
        declarations.classes.push((span.start, TokenClass::Keyword));
        let start = self.at;
        let mut open = 0u32;
        loop {
            let token = self.tokens[self.at];
            match token.kind {
                Kind::End => break,
                Kind::Newline if open == 0 => break,
                Kind::Symbol(";" | "||") => break,
                Kind::Symbol("(" | "[") => open += 1,
                Kind::Symbol(")" | "]") => open = open.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            self.last = token.span;
        }
        let mut body = self.tokens[start..self.at].to_vec();
        body.push(Token { kind: Kind::End, span: self.tokens[self.at].span });
        let choices = declarations.choices.get_or_insert_default();
        if choices.assuming.is_some() {
            let diagnostic = Diagnostic::error(format!("there is more than one `{ASSUMING}`"), span);
            return self.fail(diagnostic.with_help("join what is assumed by `and`"));
        }
        choices.assuming = Some(Assuming { span, body });
        Ok(())
    }

    /// Whether the next token is such a word, and no variable.
    pub(super) fn chooses(&self) -> bool {
        is_of_choice(&self.tokens, self.index(), self.source)
    }

    /// One initial value that is an input: the first of its values. `None` for others.
    pub(super) fn initial_input(
        &mut self,
        declarations: &mut Declarations,
        name: &str,
        offset: u32,
    ) -> Option<Parse<Value>> {
        self.is_named(INPUT).then(|| {
            declarations.classes.push((self.peek().span.start, TokenClass::Keyword));
            let input = self.input()?;
            let first = input.first();
            declarations.choices.get_or_insert_default().inputs.push((name.to_owned(), offset, input));
            Ok(first)
        })
    }

    /// What is to be said where a number is missing, if there is an input in its place.
    pub(super) fn misplaced_input(&self) -> Option<&'static str> {
        if self.is_named(RANDOM) {
            return Some("what chance chooses is given to registers: `a := random 0..1`");
        }
        let help = "inputs stand in `shared` and are given to registers: `shared x = input 0..3`, `a := input 0..3`";
        self.is_named(INPUT).then_some(help)
    }

    /// `atomic { ... }`
    pub(super) fn atomic(&mut self) -> Parse<Statement> {
        let span = self.take().span;
        let body = self.block()?;
        Ok(Statement { kind: StatementKind::Atomic(body), span })
    }

    /// `input 0..3`, `input {1, 5, &x}`, `random 0..1`
    pub(super) fn input(&mut self) -> Parse<Input> {
        let is_random = self.is_named(RANDOM);
        let start = self.take().span;
        let input = self.values(start, if is_random { (RANDOM, RANDOMS) } else { (INPUT, INPUTS) })?;
        Ok(if is_random { Input::Random(Box::new(input)) } else { input })
    }

    /// `0..3`, `{1, 5, &x}`, behind some word.
    fn values(&mut self, start: Span, (word, help): (&str, &str)) -> Parse<Input> {
        if self.peek().is("{") {
            return self.listed(start, help);
        }
        if !(self.peek().is("-") || self.peek().kind == Kind::Number) {
            let diagnostic = self.expected(&format!("the values of this `{word}`"));
            return self.fail(Diagnostic { help: Some(help.to_owned()), ..diagnostic });
        }
        let (first, last) = self.bounds(start, help)?;
        Ok(Input::Range(first, last))
    }

    /// `0..3`
    fn bounds(&mut self, start: Span, help: &str) -> Parse<(Value, Value)> {
        let first = self.constant()?;
        if !(self.accept(".") && self.accept(".")) {
            let diagnostic = self.expected("`..` and the last value");
            return self.fail(Diagnostic { help: Some(help.to_owned()), ..diagnostic });
        }
        let last = self.constant()?;
        if first > last {
            let diagnostic = Diagnostic::error(format!("there is no value in {first}..{last}"), join(start, self.last));
            return self.fail(diagnostic.with_help("write the smaller bound first; both are included"));
        }
        Ok((first, last))
    }

    /// The values that something shared may have: `in 0..3`. `None` if there are none.
    pub(super) fn declared_range(&mut self, declarations: &mut Declarations, name: &str) -> Option<Parse<()>> {
        self.is_named(IN).then(|| {
            let start = self.take().span;
            declarations.classes.push((start.start, TokenClass::Keyword));
            let (first, last) = self.bounds(start, "write the values that it may have as `in 0..3`")?;
            let ranges = &mut declarations.choices.get_or_insert_default().ranges;
            ranges.push((name.to_owned(), first, last, join(start, self.last)));
            Ok(())
        })
    }

    fn listed(&mut self, start: Span, help: &str) -> Parse<Input> {
        let open = self.open("{")?;
        let mut values: Vec<Value> = Vec::new();
        while !self.peek().is("}") {
            let token = self.peek();
            let value = self.constant()?;
            if values.contains(&value) {
                let diagnostic = Diagnostic::warning("this value is listed twice", token.span);
                self.report(diagnostic.with_help("an input is one of its values, each of which is tried once"));
            } else if values.len() < MAX_LISTED {
                values.push(value);
            } else {
                let message = format!("an input lists at most {MAX_LISTED} values");
                return self.fail(Diagnostic::error(message, token.span).with_help("write a range: `input 0..1000`"));
            }
            if !self.accept(",") {
                break;
            }
        }
        self.close(open, "}", "`,` or ")?;
        if values.is_empty() {
            let diagnostic = Diagnostic::error("an input has at least one value", join(start, self.last));
            return self.fail(diagnostic.with_help(help));
        }
        Ok(Input::Values(values))
    }
}

#[cfg(test)]
mod tests {
    use crate::program::{Code, Location, Notation};
    use crate::syntax::litmoscope::is_read_late;
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
        diagnostics.into_iter().map(|d| (d.span.line, d.span.column, d.message)).collect()
    }

    #[test]
    fn chance_and_ranges_are_read_and_printed() {
        let text = "shared x in 0..3, q[2] = {1, 2} in -1..2, r[3] in 0..1, y = input 0..2 in 0..5, z = ? in 0..1\n\n                    a := random 0..1; b := random {1, 5}\n|| while random = 0 { random := random - 1; in := in - 1 }";
        let program = parse(text).expect("a program").program;
        let premise = program.premise.as_ref().expect("it has ranges");
        let ranges: Vec<_> = premise.ranges.iter().map(|range| (range.object.0, range.first, range.last)).collect();
        assert_eq!(ranges, [(0, 0, 3), (1, -1, 2), (2, 0, 1), (3, 0, 5), (4, 0, 1)]);
        assert_eq!(program.threads[1].registers, ["random", "in"]);
        let printed = print(&program, Notation::Litmoscope).expect("it can be written");
        let again = parse(&printed).unwrap_or_else(|wrong| panic!("{printed}\n{wrong:#?}")).program;
        assert_eq!(again.without_spans(), program.without_spans(), "{printed}");
        for (text, line, column, message) in [
            ("shared x in 2..1\nx := 1", 1, 10, "there is no value in 2..1"),
            ("shared x in 1..2\nx := 1", 1, 10, "`x` is 0 at the start, outside 1..2"),
            ("shared x = input 0..7 in 0..5\nx := 1", 1, 23, "`x` is 6 at the start, outside 0..5"),
            ("shared x = random 0..1\nx := 1", 1, 12, "expected a number, found `random`"),
            ("shared x in 0\nx := 1", 1, 14, "expected `..` and the last value, found the end of the line"),
        ] {
            assert_eq!(wrong(text).first(), Some(&(line, column, message.to_owned())), "{text}");
        }
        assert!(is_read_late("shared x in 0..3\nx := 1") && is_read_late("a := random 0..1"));
        assert!(!is_read_late("shared x\nin := x"));
    }

    #[test]
    fn what_is_chosen_is_read_and_printed() {
        let text = "shared inode = input 0..1, busy = input {0, 1}, q[2] = {input -3..-1, 7}, p = input {&busy, &q[1]}\n\
                    assuming inode = busy and (q[0] < q[1]\n or not p = 0)\n\n\
                    a := input -1..4\natomic {\n  assume inode = a\n  inode := 0; fai(busy)\n}\nb := input {1, 5, &q[1]}\n\
                    || while input = 0 { input := inode - 1; atomic := input - 1 }";
        let program = parse(text).expect("a program").program;
        assert_eq!(
            program.premise.as_ref().map(|premise| (premise.inputs.len(), premise.assuming.is_some())),
            Some((4, true))
        );
        let printed = print(&program, Notation::Litmoscope).expect("it can be written");
        let again = parse(&printed).unwrap_or_else(|wrong| panic!("{printed}\n{wrong:#?}")).program;
        assert_eq!(again.clone().without_spans(), program.clone().without_spans(), "{printed}");
        assert_eq!(print(&again, Notation::Litmoscope).expect("it can be written"), printed);
        let code = Code::compile(&program).expect("code");
        assert_eq!(
            code.beyond.as_ref().map(|beyond| (beyond.inputs.len(), beyond.assuming.is_some())),
            Some((4, true))
        );
        assert_eq!(code.initial[..5], [0, 0, -3, 7, code.initial[4]]);
        let beyond = code.beyond.as_ref().expect("it has some");
        assert_eq!([beyond.input, beyond.atomic].map(|place| place.map(|span| span.line)), [Some(5), Some(6)]);
        assert_eq!(
            (code.cells(), code.initial.len(), &beyond.choices[..]),
            (5, 14, &[(Location(5), 6), (Location(11), 3)][..])
        );
        for notation in [Notation::C11, Notation::X86, Notation::X86_64] {
            let why = print(&program, notation).expect_err("there is nothing like it");
            assert_eq!(why.to_string(), "herd's programs can't have `input`, `assuming` or `atomic`");
        }
    }

    #[test]
    fn the_words_are_names_elsewhere() {
        let text = "shared x\natomic := input - 1; assuming := x; input := 2; x := input; x := atomic\n\
                    if input { skip }; if atomic { skip }";
        let program = parse(text).expect("a program").program;
        assert_eq!(program.threads[0].registers, ["atomic", "input", "assuming"]);
        assert!(program.premise.is_none());
        // Most such texts need not wait for what reads the words.
        let plain = "shared x\natomic := 1; assuming := x; input := 2; x := atomic; if input = 1 { skip }";
        assert!(!is_read_late(plain) && parse(plain).is_ok());
        let text = "shared x = input 0..1\nassuming x = 1\natomic { a := x }; b := input 0..1";
        let classes = highlight(text, Notation::Litmoscope);
        let keywords = classes.iter().filter(|(_, class)| *class == TokenClass::Keyword);
        let keywords: Vec<_> = keywords.map(|(range, _)| &text[range.clone()]).collect();
        assert_eq!(keywords, ["shared", "input", "assuming", "atomic", "input"]);
    }

    #[test]
    fn names_that_are_assumed_of_are_shared() {
        let program = parse("assuming inode = busy\ninode := 1 || a := busy").expect("a program").program;
        let names: Vec<_> = program.objects.iter().map(|object| object.name.as_str()).collect();
        assert_eq!(names, ["inode", "busy"]);
    }

    #[test]
    fn what_is_wrong_is_said_where_it_is() {
        for (text, line, column, message) in [
            ("shared x = input\nx := 1", 1, 17, "expected the values of this `input`, found the end of the line"),
            ("shared x\na := input; x := a", 2, 6, "`input` is never assigned, and has no values"),
            ("shared x = input 3..1\nx := 1", 1, 12, "there is no value in 3..1"),
            ("shared x\na := input 3..1", 2, 6, "there is no value in 3..1"),
            ("shared x\na := input 3", 2, 13, "expected `..` and the last value, found the end of the text"),
            ("shared x\na := input {}", 2, 6, "an input has at least one value"),
            ("shared x\na := input {1, b}", 2, 16, "expected a number, found `b`"),
            ("shared x\nassuming x = 1\nassuming x = 2\nx := 1", 3, 1, "there is more than one `assuming`"),
            ("shared x\nassuming fai(x) = 1\nx := 1", 2, 1, "`assuming` can only read"),
            ("shared x\nassuming y = 1\nx := 1", 2, 10, "`y` is used as something shared, but it is not declared"),
            ("shared x\natomic { while x = 0 { skip } }", 2, 10, "a loop can't be within `atomic`, which is one step"),
            ("shared m\natomic { lock m; unlock m }", 2, 10, "`lock` can't be within `atomic`, which is one step"),
            (
                "shared x\natomic { x := 1; atomic { x := 2 } }",
                2,
                18,
                "another `atomic` can't be within `atomic`, which is one step",
            ),
            ("shared c\natomic { a := receive(c) }", 2, 15, "`receive` can't be within `atomic`, which is one step"),
            (
                "shared x = input 0..1\nbefore { x := 2 }\na := x",
                2,
                10,
                "a program with `before` can't have inputs as initial values: its statements run once, on values that are \
                 known",
            ),
            ("init { x = input 0..1 }\na := x", 1, 12, "expected a number, found `input`"),
        ] {
            let found = wrong(text);
            assert!(found.contains(&(line, column, message.to_owned())), "{text}\n{found:#?}");
        }
    }
}

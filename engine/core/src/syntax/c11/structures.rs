//! Structures of integers behind a pointer, as a variable for each member.
//!
//! ```text
//! struct lock { atomic_int held; int data; };
//! {}
//! P0 (struct lock* l) { l->data = 1; atomic_store(&l->held, 0); }
//! ```
//!
//! Tokens take the place of tokens, at the places of the text: a parameter that points to a structure becomes a reference for each
//! member, `l_held` and `l_data`, and so does what functions are called with; `l->held`, `(*l).held` and `l.held` become the
//! reference, in initial values and conditions too. Whatever else is done with such a pointer is refused.

use super::super::Diagnostic;
use super::super::herd::{Kind, Token, shortened};
use crate::program::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// How many variables structures may stand for.
const MAX_NAMES: usize = 1000;

/// How many tokens they may become.
const MAX_TOKENS: usize = 1 << 20;

type Wrong = Box<Diagnostic>;

fn wrong<T>(message: impl Into<String>, span: Span, help: &str) -> Result<T, Wrong> {
    Err(Box::new(Diagnostic::error(message.into(), span).with_help(help)))
}

/// The names of variables that stand for members: of a pointer and a member.
pub(super) type Names = FxHashMap<(String, String), String>;

/// A structure: of each member its type and name.
#[derive(Clone, Default)]
struct Structure<'t> {
    members: Vec<(Vec<Token<'t>>, Token<'t>)>,
}

/// The structures of a text, by `struct NAME` and by the names that `typedef` gives.
#[derive(Default)]
struct Structures<'t> {
    all: Vec<Structure<'t>>,
    tagged: FxHashMap<&'t str, usize>,
    named: FxHashMap<&'t str, usize>,
}

/// Pointers to structures, by name.
type Pointers<'t> = FxHashMap<&'t str, usize>;

/// Whether there may be a structure in a text.
pub(super) fn may_be_in(text: &str) -> bool {
    text.contains("struct")
}

/// The names that [`flattened`] needs. Empty if something is wrong, which that says.
pub(super) fn names(tokens: &[Token<'_>]) -> Names {
    let mut names = Names::default();
    let Ok((structures, rest)) = declarations(tokens) else { return names };
    let mut at = 0;
    while at < rest.len() {
        match structures.pointer(&rest, at) {
            Some((structure, name, behind)) => {
                for (_, member) in &structures.all[structure].members {
                    let key = (name.text.to_owned(), member.text.to_owned());
                    names.entry(key).or_insert_with(|| format!("{}_{}", name.text, member.text));
                    if names.len() > MAX_NAMES {
                        return names;
                    }
                }
                at = behind;
            }
            None => at += 1,
        }
    }
    names
}

/// The tokens of a text without structures.
///
/// # Errors
/// What can't be written without them.
pub(super) fn flattened<'t>(tokens: &[Token<'t>], names: &'t Names) -> Result<Vec<Token<'t>>, Wrong> {
    let (structures, rest) = declarations(tokens)?;
    if structures.all.is_empty() {
        return Ok(rest);
    }
    if names.len() > MAX_NAMES {
        return wrong(format!("structures with more than {MAX_NAMES} members in all"), rest[0].span, "use fewer");
    }
    let taken: FxHashMap<&str, &(String, String)> = names.iter().map(|(key, name)| (name.as_str(), key)).collect();
    for token in rest.iter().filter(|token| token.kind == Kind::Word) {
        if let Some((pointer, member)) = taken.get(token.text) {
            let message = format!("`{}` stands for `{pointer}->{member}` here", shortened(token.text));
            return wrong(message, token.span, "give this another name");
        }
    }
    let mut flattening = Flattening {
        structures,
        names,
        anywhere: Pointers::default(),
        here: None,
        functions: FxHashSet::default(),
        calls: Vec::new(),
        out: Vec::new(),
    };
    flattening.find_pointers(&rest)?;
    flattening.all(&rest)?;
    Ok(flattening.out)
}

/// The structures that a text declares, and its tokens without the declarations.
fn declarations<'t>(tokens: &[Token<'t>]) -> Result<(Structures<'t>, Vec<Token<'t>>), Wrong> {
    let mut structures = Structures::default();
    let mut rest = Vec::with_capacity(tokens.len());
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.is(text));
    let (mut at, mut depth) = (0, 0usize);
    while let Some(token) = tokens.get(at) {
        let is_alias = token.is("typedef") && is(at + 1, "struct");
        let start = if is_alias { at + 1 } else { at };
        let tag = tokens.get(start + 1).filter(|tag| tag.kind == Kind::Word);
        let open = start + 1 + usize::from(tag.is_some());
        let declares = depth == 0 && is(start, "struct") && (is(open, "{") || is_alias);
        if !declares {
            depth = if token.is("{") { depth + 1 } else { depth.saturating_sub(usize::from(token.is("}"))) };
            rest.push(*token);
            at += 1;
            continue;
        }
        let mut number = tag.and_then(|tag| structures.tagged.get(tag.text).copied());
        let mut end = open;
        if is(open, "{") {
            let (structure, behind) = members(tokens, open + 1)?;
            structures.all.push(structure);
            number = Some(structures.all.len() - 1);
            if let (Some(tag), Some(number)) = (tag, number) {
                structures.tagged.insert(tag.text, number);
            }
            end = behind;
        }
        if is_alias && let Some(name) = tokens.get(end).filter(|name| name.kind == Kind::Word) {
            let Some(number) = number else {
                return wrong(
                    "this structure is not declared",
                    token.span,
                    "declare it before: `struct s { int a; };`",
                );
            };
            structures.named.insert(name.text, number);
            end += 1;
        }
        if !is(end, ";") {
            let span = tokens.get(end).map_or(token.span, |token| token.span);
            return wrong("expected `;` after the structure", span, "declare variables as parameters of the threads");
        }
        at = end + 1;
    }
    Ok((structures, rest))
}

/// What stands between the braces of a structure, and where the text goes on behind them.
fn members<'t>(tokens: &[Token<'t>], mut at: usize) -> Result<(Structure<'t>, usize), Wrong> {
    let mut structure = Structure::default();
    loop {
        if tokens.get(at).is_some_and(|token| token.is("}")) {
            return Ok((structure, at + 1));
        }
        let start = at;
        while tokens.get(at).is_some_and(|token| !token.is(";") && !token.is("}") && token.kind != Kind::End) {
            at += 1;
        }
        let Some(end) = tokens.get(at).filter(|token| token.is(";")) else {
            let span = tokens.get(at).or(tokens.last()).map_or(Span::default(), |token| token.span);
            return wrong("expected `;` after the members", span, "write each as `int a;`");
        };
        let all = &tokens[start..at];
        let odd = all.iter().find(|token| token.is("*") || token.is("[") || token.is("{") || token.is("struct"));
        if let Some(odd) = odd {
            let help = "members are integers and atomics: `int a; atomic_int b;`";
            return wrong("members that are pointers, arrays or structures are not supported", odd.span, help);
        }
        let mut parts = all.split(|token| token.is(","));
        let Some(([kind @ .., name], true)) = parts.next().map(|first| (first, first.len() > 1)) else {
            return wrong("expected a member such as `int a;`", all.first().unwrap_or(end).span, "give it a type");
        };
        structure.members.push((kind.to_vec(), *name));
        for other in parts {
            let [name] = other else {
                return wrong("expected a member's name", other.first().unwrap_or(end).span, "write `int a, b;`");
            };
            structure.members.push((kind.to_vec(), *name));
        }
        at += 1;
    }
}

impl<'t> Structures<'t> {
    /// A parameter that points to a structure: which one, its name, and where the text goes on.
    fn pointer(&self, tokens: &[Token<'t>], at: usize) -> Option<(usize, Token<'t>, usize)> {
        let token = tokens.get(at)?;
        let (structure, mut at) = match token.is("struct") {
            true => (*self.tagged.get(tokens.get(at + 1)?.text)?, at + 2),
            false => (*self.named.get(token.text)?, at + 1),
        };
        let is_pointer = tokens.get(at).is_some_and(|token| token.is("*") || token.is("&"));
        at += usize::from(is_pointer);
        let name = tokens.get(at).filter(|name| is_pointer && name.kind == Kind::Word)?;
        let ends = tokens.get(at + 1).is_some_and(|token| token.is(",") || token.is(")"));
        ends.then_some((structure, *name, at + 1))
    }
}

struct Flattening<'t> {
    structures: Structures<'t>,
    names: &'t Names,
    /// All pointers that parameters are, for what is no code.
    anywhere: Pointers<'t>,
    /// Those of the function being read.
    here: Option<Pointers<'t>>,
    /// Functions with such parameters.
    functions: FxHashSet<&'t str>,
    /// What the parentheses that are open belong to.
    calls: Vec<&'t str>,
    out: Vec<Token<'t>>,
}

impl<'t> Flattening<'t> {
    fn find_pointers(&mut self, tokens: &[Token<'t>]) -> Result<(), Wrong> {
        let mut function = "";
        for at in 0..tokens.len() {
            if tokens[at].is("(") && at > 0 {
                function = tokens[at - 1].text;
            }
            let Some((structure, name, _)) = self.structures.pointer(tokens, at) else { continue };
            self.functions.insert(function);
            if self.anywhere.insert(name.text, structure).is_some_and(|other| other != structure) {
                let message = format!("`{}` points to another structure elsewhere", shortened(name.text));
                return wrong(message, name.span, "give it another name");
            }
        }
        Ok(())
    }

    /// The variable that stands for a member.
    fn name(&self, pointer: Token<'t>, structure: usize, member: Token<'t>) -> Result<Token<'t>, Wrong> {
        let span = Span { end: member.span.end, ..pointer.span };
        match self.names.get(&(pointer.text.to_owned(), member.text.to_owned())) {
            Some(text) => Ok(Token { kind: Kind::Word, text, span }),
            None => {
                let members = self.structures.all[structure].members.iter().map(|(_, name)| name.text);
                let help = format!("its members are {}", members.collect::<Vec<_>>().join(", "));
                wrong(format!("the structure has no member `{}`", shortened(member.text)), member.span, &help)
            }
        }
    }

    fn all(&mut self, tokens: &[Token<'t>]) -> Result<(), Wrong> {
        let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.is(text));
        let (mut at, mut depth) = (0, 0usize);
        while let Some(&token) = tokens.get(at) {
            if token.is("(") {
                self.calls.push(at.checked_sub(1).map_or("", |before| tokens[before].text));
            } else if token.is(")") {
                self.calls.pop();
            }
            if token.is("{") {
                depth += 1;
            } else if token.is("}") {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    self.here = None;
                }
            } else if depth == 0 && token.is("(") {
                // What may be the parameters of a function.
                self.here = Some(Pointers::default());
            }
            if let Some((structure, name, behind)) = self.structures.pointer(tokens, at) {
                self.here.get_or_insert_with(Pointers::default).insert(name.text, structure);
                self.parameters(structure, name)?;
                at = behind;
                continue;
            }
            let inner = if token.is("(") && is(at + 1, "*") && is(at + 3, ")") && is(at + 4, ".") { 2 } else { 0 };
            let pointer = tokens.get(at + inner).copied().filter(|token| token.kind == Kind::Word);
            let is_code = depth > 0 && self.here.is_some();
            let known = if is_code { self.here.as_ref().unwrap_or(&self.anywhere) } else { &self.anywhere };
            let structure = pointer.and_then(|pointer| known.get(pointer.text).copied());
            let (Some(pointer), Some(structure)) = (pointer, structure) else {
                self.out.push(token);
                at += 1;
                continue;
            };
            let dot = at + inner + 1 + usize::from(inner > 0);
            let is_member = is(dot, ".") || inner == 0 && is(dot, "->");
            if is_member && let Some(member) = tokens.get(dot + 1).copied() {
                let name = self.name(pointer, structure, member)?;
                self.out.push(name);
                if inner > 0 {
                    self.calls.pop();
                }
                at = dot + 2;
            } else if is_code && inner == 0 && self.is_argument(tokens, at) {
                self.arguments(structure, pointer)?;
                at += 1;
            } else {
                let message = format!("`{}` points to a structure, and only its members can be used", pointer.text);
                return wrong(message, pointer.span, "write `p->a`, or pass `p` to a function");
            }
        }
        Ok(())
    }

    /// Whether it is an argument of a function that takes such pointers.
    fn is_argument(&self, tokens: &[Token<'t>], at: usize) -> bool {
        let around = [at.checked_sub(1), Some(at + 1)].map(|at| at.and_then(|at| tokens.get(at)));
        let [Some(before), Some(behind)] = around else { return false };
        let is_alone = (before.is("(") || before.is(",")) && (behind.is(",") || behind.is(")"));
        is_alone && self.calls.last().is_some_and(|call| self.functions.contains(call))
    }

    /// The members that take the place of a pointer.
    fn members(&self, structure: usize, pointer: Token<'t>) -> Result<Vec<(Vec<Token<'t>>, Token<'t>)>, Wrong> {
        if self.out.len() > MAX_TOKENS {
            return wrong("too many members are passed to functions", pointer.span, "pass fewer structures");
        }
        Ok(self.structures.all[structure].members.clone())
    }

    /// A reference for each member.
    fn parameters(&mut self, structure: usize, pointer: Token<'t>) -> Result<(), Wrong> {
        let members = self.members(structure, pointer)?;
        for (number, (kind, member)) in members.into_iter().enumerate() {
            let symbol = |text| Token { kind: Kind::Symbol, text, span: pointer.span };
            if number > 0 {
                self.out.push(symbol(","));
            }
            self.out.extend(kind.into_iter().map(|token| Token { span: pointer.span, ..token }));
            self.out.push(symbol("&"));
            let name = self.name(pointer, structure, member)?;
            self.out.push(Token { span: pointer.span, ..name });
        }
        Ok(())
    }

    fn arguments(&mut self, structure: usize, pointer: Token<'t>) -> Result<(), Wrong> {
        let members = self.members(structure, pointer)?;
        for (number, (_, member)) in members.into_iter().enumerate() {
            if number > 0 {
                self.out.push(Token { kind: Kind::Symbol, text: ",", span: pointer.span });
            }
            let name = self.name(pointer, structure, member)?;
            self.out.push(Token { span: pointer.span, ..name });
        }
        Ok(())
    }
}

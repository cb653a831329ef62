//! Concurrent objects, their methods, and calls of these.

#[cfg(test)]
mod tests;

use super::{Declarations, Failed, MAX_DIAGNOSTICS, Parse, Parser, join};
use crate::program::{
    EMPTY, Expression, Method, Object, ObjectId, Program, RegisterId, Returns, Role, Span, Statement, StatementKind,
    Structure, StructureKind, Value,
};
use crate::syntax::litmoscope::lexer::{Kind, Token, quoted};
use crate::syntax::litmoscope::names::{Meaning, Names, Registers, uses};
use crate::syntax::{Diagnostic, Severity, TokenClass};
use crate::words;
use rustc_hash::{FxHashMap, FxHashSet};

/// How many concurrent objects a text may have, and how many methods one of them.
const MAX_METHODS: usize = 256;
/// How many calls may be in each other.
const MAX_CALLS_DEEP: usize = 8;

const OBJECT_HELP: &str =
    "declare an object as `object s: stack { shared top, next[9]; push(n) { next[n] := top; top := n } }`";
const METHOD_HELP: &str =
    "an object has `shared` lines, then methods: `push(n) { ... }`, or `pop() { ... }` without parameters";
const CALL_HELP: &str = "call a method as `s.push(1)`, or as `a := s.pop()` if it returns a value";

/// `object s: stack { ... }`
#[derive(Debug)]
pub(crate) struct StructureDeclaration {
    name: String,
    span: Span,
    kind: StructureKind,
    /// What it shares, by the names that its methods use.
    shared: Vec<Object>,
    methods: Vec<MethodDeclaration>,
}

/// `push(n) { ... }`
#[derive(Debug)]
struct MethodDeclaration {
    name: String,
    span: Span,
    parameters: Vec<(String, Span)>,
    /// The tokens of its statements, with an end.
    body: Vec<Token>,
}

/// What is known of a method before its statements are read.
#[derive(Debug)]
struct Signature {
    name: String,
    /// Its object.
    structure: usize,
    /// Its index in the object.
    index: usize,
    parameters: Vec<(String, Span)>,
    returns_value: bool,
    registers: Registers,
    span: Span,
}

/// An object's name and what its methods are called.
#[derive(Debug)]
struct Known {
    name: String,
    kind: StructureKind,
    span: Span,
    shared: Vec<Object>,
    /// The names of these.
    own: FxHashSet<String>,
    /// The places of its methods among all.
    methods: FxHashMap<String, usize>,
}

/// A text's concurrent objects.
#[derive(Debug, Default)]
pub(crate) struct Structures {
    list: Vec<Known>,
    by_name: FxHashMap<String, usize>,
    /// The methods of all of them, in their order.
    methods: Vec<Signature>,
    /// Their tokens, each list with an end.
    bodies: Vec<Vec<Token>>,
    /// `empty` is no variable anywhere.
    pub has_empty: bool,
    /// Some declaration can't be used, which has been said.
    incomplete: bool,
}

/// The name of what an object shares as all but its methods write it.
fn qualified(structure: &str, name: &str) -> String {
    format!("{structure}.{name}")
}

/// Whether a token is the word `return` at the start of a statement, and no variable.
pub(crate) fn is_return(tokens: &[Token], at: usize, source: &str) -> bool {
    let starts = at.checked_sub(1).is_none_or(|before| {
        let before = tokens[before];
        before.kind == Kind::Newline || [";", "{", "}", "then", "else"].iter().any(|symbol| before.is(symbol))
    });
    let is_variable = tokens.get(at + 1).is_some_and(|next| next.is(":=") || next.is("[") || next.is("."));
    starts && !is_variable && tokens[at].kind == Kind::Name && tokens[at].text(source) == "return"
}

/// Whether some `return` of a method has a value behind it.
fn returns_value(tokens: &[Token], source: &str) -> bool {
    (0..tokens.len()).filter(|at| is_return(tokens, *at, source)).any(|at| {
        let next = tokens[at + 1];
        !(matches!(next.kind, Kind::Newline | Kind::End) || next.is(";") || next.is("}"))
    })
}

impl Structures {
    /// No object.
    pub(crate) fn none(incomplete: bool) -> Self {
        Self { incomplete, ..Self::default() }
    }

    /// The objects that are declared.
    pub(crate) fn new(source: &str, declarations: &mut Declarations, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut structures = Self::none(declarations.incomplete);
        for declared in std::mem::take(&mut declarations.structures) {
            let StructureDeclaration { name, span, kind, shared, methods } = declared;
            if structures.by_name.contains_key(&name) {
                let message = format!("the object `{name}` is declared twice");
                diagnostics.push(Diagnostic::error(message, span).with_help("rename one of them"));
                structures.incomplete = true;
                continue;
            }
            if structures.list.len() >= MAX_METHODS {
                diagnostics.push(Diagnostic::error(format!("more than {MAX_METHODS} concurrent objects"), span));
                structures.incomplete = true;
                break;
            }
            structures.by_name.insert(name.clone(), structures.list.len());
            let own = shared.iter().map(|object| object.name.clone()).collect();
            structures.list.push(Known { name, kind, span, shared, own, methods: FxHashMap::default() });
            for method in methods {
                structures.add(source, method, diagnostics);
            }
        }
        structures
    }

    /// Adds a method to the last object.
    fn add(&mut self, source: &str, method: MethodDeclaration, diagnostics: &mut Vec<Diagnostic>) {
        let MethodDeclaration { name, span, parameters, body } = method;
        let structure = self.list.len() - 1;
        let known = &mut self.list[structure];
        if known.methods.contains_key(&name) {
            let message = format!("`{}` has two methods `{name}`", known.name);
            let help = "rename one of them: methods are told apart by their names alone";
            diagnostics.push(Diagnostic::error(message, span).with_help(help));
            self.incomplete = true;
            return;
        }
        let index = known.methods.len();
        if index >= MAX_METHODS {
            diagnostics.push(Diagnostic::error(format!("more than {MAX_METHODS} methods of an object"), span));
            self.incomplete = true;
            return;
        }
        known.methods.insert(name.clone(), self.methods.len());
        let returns_value = returns_value(&body, source);
        let registers = Registers::default();
        self.methods.push(Signature { name, structure, index, parameters, returns_value, registers, span });
        self.bodies.push(body);
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// What all of them share, with their names in front.
    pub(crate) fn shared(&self) -> impl Iterator<Item = Object> + '_ {
        self.list.iter().flat_map(|known| {
            let named = |object: &Object| Object { name: qualified(&known.name, &object.name), ..object.clone() };
            known.shared.iter().map(named)
        })
    }

    /// The tokens of each method, with an end.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = &[Token]> {
        self.bodies.iter().map(Vec::as_slice)
    }

    /// The register of a method, by the method's place among all.
    pub(crate) fn register(&self, method: usize, name: &str) -> Option<RegisterId> {
        self.methods.get(method)?.registers.get(name)
    }

    /// The name outside of its object of what a method's name may stand for.
    pub(crate) fn qualified(&self, method: usize, name: &str) -> Option<String> {
        let known = &self.list[self.methods.get(method)?.structure];
        known.own.contains(name).then(|| qualified(&known.name, name))
    }

    /// Adds parameters and whatever else is not shared to the registers of each method.
    pub(crate) fn add_registers(names: &mut Names, source: &str, diagnostics: &mut Vec<Diagnostic>) {
        for method in 0..names.structures.methods.len() {
            let thread = names.threads.len() + method;
            let mut registers = Registers::default();
            let signature = &names.structures.methods[method];
            for (name, span) in &signature.parameters {
                let is_shared = names.meaning(thread, name).is_some();
                if registers.get(name).is_some() {
                    let message = format!("`{}` has two parameters `{name}`", signature.name);
                    diagnostics.push(Diagnostic::error(message, *span).with_help("rename one of them"));
                } else if is_shared {
                    let message = format!("`{name}` is shared: it can't be a parameter, which is a register");
                    let help = format!("rename the parameter of `{}`", signature.name);
                    diagnostics.push(Diagnostic::error(message, *span).with_help(help));
                }
                registers.add(name, 0);
            }
            let parameters = registers.names.len();
            let mut assigned = vec![true; parameters];
            let mut places = vec![Span::default(); parameters];
            let body = &names.structures.bodies[method];
            let returns = (0..body.len()).filter(|at| is_return(body, *at, source));
            let returns: FxHashSet<u32> = returns.map(|at| body[at].span.start).collect();
            for usage in uses(source, body) {
                let is_word = usage.name == "empty" && names.structures.has_empty;
                if is_word || names.meaning(thread, usage.name).is_some() || returns.contains(&usage.span.start) {
                    continue;
                }
                registers.add(usage.name, 0);
                let Some(register) = registers.get(usage.name) else { continue };
                let at = usize::from(register.0);
                if at == assigned.len() {
                    assigned.push(false);
                    places.push(usage.span);
                }
                assigned[at] |= usage.assigned;
            }
            for ((name, assigned), span) in registers.names.iter().zip(assigned).zip(places) {
                if !assigned {
                    let message = format!("`{name}` is never assigned in this method: its value is always 0");
                    diagnostics.push(Diagnostic::warning(message, span));
                }
            }
            names.structures.methods[method].registers = registers;
        }
    }
}

/// Reads the methods, in the order in which they are declared.
pub(super) fn structures(source: &str, names: &Names, diagnostics: &mut Vec<Diagnostic>) -> Vec<Structure> {
    let mut structures: Vec<Structure> = Vec::new();
    let mut first = 0;
    for known in &names.structures.list {
        let shared = (first..first + known.shared.len()).map(|at| ObjectId(at as u16)).collect();
        first += known.shared.len();
        let (name, kind, span) = (known.name.clone(), known.kind, known.span);
        structures.push(Structure { name, kind, shared, methods: Vec::new(), span });
    }
    for (at, (signature, tokens)) in names.structures.methods.iter().zip(&names.structures.bodies).enumerate() {
        let body = Parser::new(source, tokens.clone(), names.threads.len() + at, names, diagnostics).thread();
        let of = &mut structures[signature.structure];
        of.methods.push(Method {
            name: signature.name.clone(),
            role: of.kind.role(&signature.name),
            parameters: signature.parameters.len() as u16,
            registers: signature.registers.names.clone(),
            body,
            span: signature.span,
        });
    }
    structures
}

/// The calls among statements, with their places, and what they call.
fn calls(statements: &[Statement], into: &mut Vec<((u16, u16), Span)>) {
    for statement in statements {
        match &statement.kind {
            StatementKind::Call { structure, method, .. } => into.push(((*structure, *method), statement.span)),
            StatementKind::If { then, otherwise, .. } => {
                calls(then, into);
                calls(otherwise, into);
            }
            StatementKind::While { body, .. } | StatementKind::Repeat { body, .. } => calls(body, into),
            _ => {}
        }
    }
}

/// Whether all ways through the statements return, as far as that can be seen.
fn always_returns(statements: &[Statement]) -> bool {
    fn returns_somewhere(statements: &[Statement]) -> bool {
        statements.iter().any(|statement| match &statement.kind {
            StatementKind::Return(_) => true,
            StatementKind::If { then, otherwise, .. } => returns_somewhere(then) || returns_somewhere(otherwise),
            StatementKind::While { body, .. } | StatementKind::Repeat { body, .. } => returns_somewhere(body),
            _ => false,
        })
    }
    statements.iter().any(|statement| match &statement.kind {
        StatementKind::Return(_) | StatementKind::Assert(Expression::Constant(0)) => true,
        StatementKind::If { then, otherwise, .. } => always_returns(then) && always_returns(otherwise),
        // A loop without end ends with a return in it, if at all.
        StatementKind::While { condition: Expression::Constant(condition), body } => {
            *condition != 0 && returns_somewhere(body)
        }
        StatementKind::Repeat { body, until } => {
            always_returns(body) || *until == Expression::Constant(0) && returns_somewhere(body)
        }
        _ => false,
    })
}

/// Says what is wrong with methods that could be read: recursion, names that mean nothing, ways without a return.
pub(super) fn check(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    let mut used: Vec<((u16, u16), Span)> = Vec::new();
    for (at, structure) in program.structures.iter().enumerate() {
        check_calls(structure, at as u16, diagnostics);
        structure.methods.iter().for_each(|method| calls(&method.body, &mut used));
    }
    let used: FxHashSet<(u16, u16)> = used.into_iter().map(|(called, _)| called).collect();
    let is_helper = |call: (u16, u16)| used.contains(&call);
    for (at, structure) in program.structures.iter().enumerate() {
        for (index, method) in structure.methods.iter().enumerate() {
            let message = match method.role {
                None if is_helper((at as u16, index as u16)) => continue,
                None => unusual(structure, method, method.span),
                Some(role) => match check_role(structure, method, role) {
                    Some(message) => message,
                    None => continue,
                },
            };
            diagnostics.push(message);
        }
    }
    let mut called = Vec::new();
    program
        .threads
        .iter()
        .chain(&program.before)
        .flat_map(|thread| thread.bodies())
        .for_each(|body| calls(body, &mut called));
    for ((structure, method), span) in called {
        let structure = &program.structures[usize::from(structure)];
        let method = &structure.methods[usize::from(method)];
        if method.role.is_none() {
            diagnostics.push(unusual(structure, method, span));
        }
    }
}

/// Says that a method does nothing that an object of its kind does.
fn unusual(structure: &Structure, method: &Method, span: Span) -> Diagnostic {
    let kind = structure.kind;
    let message = format!("`{}` is not an operation of a {}", method.name, kind.name());
    let usual: Vec<String> = kind.usual_names().map(|name| format!("`{name}`")).collect();
    let help = format!(
        "the operations of a {} are {}; only the object's own methods can call any other method",
        kind.name(),
        words::list(usual)
    );
    Diagnostic::error(message, span).with_help(help)
}

/// What is wrong with a method that has a role.
fn check_role(structure: &Structure, method: &Method, role: Role) -> Option<Diagnostic> {
    let name = &method.name;
    if method.parameters < role.values() {
        let message = format!("`{name}` of a {} has a parameter for its value", structure.kind.name());
        let help = match role {
            Role::CompareAndSet => format!("declare it as `{name}(expected, new) {{ ... }}`"),
            _ => format!("declare it as `{name}(v) {{ ... }}`"),
        };
        return Some(Diagnostic::error(message, method.span).with_help(help));
    }
    let kind = structure.kind.name();
    match (role.returns(structure.kind), method.returns_value()) {
        (Returns::Nothing, true) => {
            let message = format!("`{name}` of a {kind} returns nothing, but this one returns a value");
            Some(Diagnostic::error(message, method.span).with_help("write `return` without a value"))
        }
        (Returns::Value, false) => {
            let message = format!("`{name}` of a {kind} returns a value, but this one returns nothing");
            let help = match role {
                Role::RemoveAny => "return what was taken out: `return v`, or `return empty` if there was nothing",
                Role::Contains => "return 1 if the value is in, else 0: `return 1`",
                Role::CompareAndSet => "return 1 if it had the value expected, else 0: `return 1`",
                _ => "return what was read: `return v`",
            };
            Some(Diagnostic::error(message, method.span).with_help(help))
        }
        _ => None,
    }
}

/// Looks for calls of methods that lead back to them, and for ways to the end of a method that returns a value.
fn check_calls(structure: &Structure, at: u16, diagnostics: &mut Vec<Diagnostic>) {
    let within: Vec<Vec<(usize, Span)>> = structure
        .methods
        .iter()
        .map(|method| {
            let mut found = Vec::new();
            calls(&method.body, &mut found);
            // The first call of each method.
            let mut met = FxHashSet::default();
            let own = found.into_iter().filter(|((of, method), _)| *of == at && met.insert(*method));
            own.map(|((_, method), span)| (usize::from(method), span)).collect()
        })
        .collect();
    // How many calls are in each other in a method, once no call in it is open.
    let mut deep: Vec<Option<usize>> = vec![None; within.len()];
    for round in 0..=within.len() {
        let mut changed = false;
        for method in 0..within.len() {
            if deep[method].is_none()
                && let Some(most) = within[method].iter().try_fold(0, |most, (to, _)| Some(most.max(deep[*to]? + 1)))
            {
                deep[method] = Some(most);
                changed = true;
            }
        }
        if !changed || round == within.len() {
            break;
        }
    }
    let is_endless = deep.iter().any(Option::is_none);
    let reached: Vec<Vec<bool>> =
        (0..within.len()).map(|from| if is_endless { reached(&within, from) } else { Vec::new() }).collect();
    for (method, declared) in structure.methods.iter().enumerate() {
        let name = &declared.name;
        if let Some((to, span)) = within[method].iter().find(|(to, _)| deep[method].is_none() && reached[*to][method]) {
            let message = match *to == method {
                true => format!("`{name}` calls itself"),
                false => format!("`{name}` calls `{}`, which leads back to `{name}`", structure.methods[*to].name),
            };
            let help = "each call is replaced by the body of its method, and this must come to an end: use a loop \
                        instead";
            diagnostics.push(Diagnostic::error(message, *span).with_help(help));
        }
        if deep[method].is_some_and(|deep| deep > MAX_CALLS_DEEP) {
            let message = format!("`{name}` nests more than {MAX_CALLS_DEEP} calls");
            let help = "replace some of the calls by the body of the method";
            diagnostics.push(Diagnostic::error(message, declared.span).with_help(help));
        }
        if declared.returns_value() && !always_returns(&declared.body) {
            let message = format!("`{name}` returns a value, but may end without one");
            let help = "end it with `return v` or `return empty`; end a loop that never ends with `until 0`";
            diagnostics.push(Diagnostic::error(message, declared.span).with_help(help));
        }
    }
}

/// The methods to which calls lead from one, itself among them.
fn reached(within: &[Vec<(usize, Span)>], from: usize) -> Vec<bool> {
    let mut seen = vec![false; within.len()];
    let mut work = vec![from];
    while let Some(at) = work.pop() {
        if !std::mem::replace(&mut seen[at], true) {
            work.extend(within[at].iter().map(|(next, _)| *next));
        }
    }
    seen
}

impl Parser<'_> {
    /// `object s: stack { ... }`
    pub(super) fn object(&mut self, declarations: &mut Declarations) -> Parse<()> {
        declarations.classes.push((self.take().span.start, TokenClass::Keyword));
        // What threads share besides is declared as well, so that the registers for what calls return may have one name in all threads.
        declarations.explicit = true;
        let (name, span) = self.name("the name of the object", OBJECT_HELP)?;
        declarations.classes.push((span.start, TokenClass::Label));
        if !self.accept(":") {
            let diagnostic = self.expected("`:` and the kind of the object");
            return self.fail(Diagnostic { help: Some(OBJECT_HELP.to_owned()), ..diagnostic });
        }
        let kind = self.structure_kind(declarations)?;
        let behind = self.at;
        self.skip_newlines();
        if !self.peek().is("{") {
            self.at = behind;
            let diagnostic = self.expected("`{`");
            return self.fail(Diagnostic { help: Some(OBJECT_HELP.to_owned()), ..diagnostic });
        }
        let at = self.at;
        let open = self.take();
        let Some(close) = self.closing_braces.get(&at).copied() else {
            self.report(Diagnostic::error("this `{` is not closed", open.span).with_help("write the `}`"));
            self.at = self.end_of_unclosed();
            declarations.unclosed = Some(self.at);
            declarations.incomplete = true;
            return Ok(());
        };
        let first = self.addresses.as_ref().map_or(0, Vec::len);
        let mut inner = Declarations::default();
        let mut methods = Vec::new();
        if self.members(close, &mut inner, &mut methods).is_err() {
            self.parentheses = 0;
            declarations.incomplete = true;
        }
        declarations.classes.append(&mut inner.classes);
        self.at = close;
        self.take();
        // Its own names are known here only.
        for (address, _) in self.addresses.iter_mut().flatten().skip(first) {
            if inner.declares(address) {
                *address = qualified(&name, address);
            }
        }
        declarations.structures.push(StructureDeclaration { name, span, kind, shared: inner.shared, methods });
        Ok(())
    }

    fn structure_kind(&mut self, declarations: &mut Declarations) -> Parse<StructureKind> {
        let token = self.peek();
        let mut text = self.peek_name().unwrap_or_default().to_owned();
        let long = self.peek_second().is("-");
        if token.kind == Kind::Name && long {
            text += "-queue";
        }
        let Some(kind) = StructureKind::ALL.into_iter().find(|kind| kind.name() == text) else {
            let kinds: Vec<&str> = StructureKind::ALL.into_iter().map(StructureKind::name).collect();
            let diagnostic = self.expected("the kind of the object");
            return self.fail(diagnostic.with_help(format!("the kinds are {}", words::list(kinds))));
        };
        declarations.classes.push((self.take().span.start, TokenClass::Keyword));
        if long {
            self.take();
            let queue = self.name("`queue`", OBJECT_HELP)?;
            declarations.classes.push((queue.1.start, TokenClass::Keyword));
        }
        Ok(kind)
    }

    /// What stands in the braces of an object.
    fn members(&mut self, close: usize, inner: &mut Declarations, methods: &mut Vec<MethodDeclaration>) -> Parse<()> {
        loop {
            self.skip_separators();
            if self.at >= close {
                return Ok(());
            }
            if self.peek().is("shared") {
                self.take();
                let start = self.at;
                self.shared(inner)?;
                if inner.choices.is_some() {
                    let span = self.tokens[start].span;
                    let diagnostic = Diagnostic::error("what an object shares has no inputs", span);
                    return self.fail(diagnostic.with_help("pass an input to a method: `a := input 0..3; s.push(a)`"));
                }
                let names = self.tokens[start..self.at].iter();
                let named = names.filter(|token| token.name(self.source).is_some_and(|name| inner.declares(name)));
                let named: Vec<_> = named.map(|token| (token.span.start, TokenClass::Shared)).collect();
                inner.classes.extend(named);
                let next = self.peek();
                if !(next.is(";") || next.is("}") || next.kind == Kind::Newline) {
                    let diagnostic = self.expected("`,`, `;` or the end of the line");
                    return self.fail(diagnostic);
                }
                continue;
            }
            methods.push(self.method(inner)?);
        }
    }

    /// `push(n) { ... }`
    fn method(&mut self, inner: &mut Declarations) -> Parse<MethodDeclaration> {
        let (name, span) = self.name("a method", METHOD_HELP)?;
        inner.classes.push((span.start, TokenClass::Label));
        if !self.peek().is("(") {
            let diagnostic = self.expected("`(` and the parameters");
            return self.fail(Diagnostic { help: Some(METHOD_HELP.to_owned()), ..diagnostic });
        }
        let open = self.open("(")?;
        let mut parameters = Vec::new();
        while !self.peek().is(")") {
            let parameter = self.name("the name of a parameter", METHOD_HELP)?;
            inner.classes.push((parameter.1.start, TokenClass::Register));
            parameters.push(parameter);
            if !self.accept(",") {
                break;
            }
        }
        self.close(open, ")", "`,` or ")?;
        self.skip_newlines();
        if !self.peek().is("{") {
            let diagnostic = self.expected("`{`");
            return self.fail(Diagnostic { help: Some(METHOD_HELP.to_owned()), ..diagnostic });
        }
        let at = self.at;
        self.take();
        // The object's own brace is closed, so this one is.
        let Some(end) = self.closing_braces.get(&at).copied() else { return Err(Failed) };
        let mut body = self.tokens[self.at..end].to_vec();
        body.push(Token { kind: Kind::End, span: self.tokens[end].span });
        self.at = end;
        self.take();
        Ok(MethodDeclaration { name, span, parameters, body })
    }

    /// The place among all of the method whose statements are read, if it is one.
    fn in_method(&self) -> Option<usize> {
        let method = self.thread.checked_sub(self.names.threads.len())?;
        (method < self.names.structures.methods.len()).then_some(method)
    }

    /// Whether a method returns here.
    pub(super) fn returns_here(&self) -> bool {
        self.in_method().is_some() && is_return(&self.tokens, self.index(), self.source)
    }

    /// `return`, `return v`
    pub(super) fn return_statement(&mut self) -> Parse<Statement> {
        let start = self.take().span;
        let next = self.peek();
        let ends = matches!(next.kind, Kind::Newline | Kind::End) || next.is(";") || next.is("}");
        let wanted = self.in_method().is_some_and(|method| self.names.structures.methods[method].returns_value);
        if ends && wanted {
            let diagnostic = Diagnostic::error("this method returns a value elsewhere, but none here", start);
            return self.fail(diagnostic.with_help("write `return 0`, or `return empty` if there was nothing"));
        }
        let value = if ends { None } else { Some(self.value()?.0) };
        Ok(Statement { kind: StatementKind::Return(value), span: join(start, self.last) })
    }

    /// Whether `s.push` stands here.
    pub(super) fn calls_here(&self) -> bool {
        matches!(self.peek().kind, Kind::Name | Kind::Quoted) && self.peek_second().is(".")
    }

    /// `s.push(1)`, whose result goes to a register, if there is one.
    pub(super) fn method_call(&mut self, result: Option<RegisterId>) -> Parse<StatementKind> {
        let object = self.name("the name of an object", CALL_HELP)?;
        self.take();
        let method = self.name("the name of a method", CALL_HELP)?;
        if !self.peek().is("(") {
            let diagnostic = self.expected("`(` and the arguments");
            return self.fail(Diagnostic { help: Some(CALL_HELP.to_owned()), ..diagnostic });
        }
        let open = self.open("(")?;
        let mut arguments = Vec::new();
        while !self.peek().is(")") {
            arguments.push(self.expression(0)?.0);
            if !self.accept(",") {
                break;
            }
        }
        self.close(open, ")", "an operator, `,` or ")?;
        let span = join(object.1, self.last);
        // Looking for what may be meant takes long.
        if self.count(Severity::Error) >= MAX_DIAGNOSTICS {
            return Err(Failed);
        }
        match self.resolve(&object, &method, arguments.len(), result.is_some(), span) {
            Ok((structure, method)) => Ok(StatementKind::Call { structure, method, arguments, result }),
            Err(Some(diagnostic)) => self.fail(diagnostic),
            Err(None) => Err(Failed),
        }
    }

    /// The object and its method that are called, or what is wrong with the call, unless that has been said.
    fn resolve(
        &self,
        (object, object_span): &(String, Span),
        (method, method_span): &(String, Span),
        arguments: usize,
        has_result: bool,
        span: Span,
    ) -> Result<(u16, u16), Option<Diagnostic>> {
        let structures = &self.names.structures;
        let Some(index) = structures.by_name.get(object).copied() else {
            if structures.incomplete {
                return Err(None);
            }
            let message = format!("there is no object `{object}`");
            let help = match structures.list[..] {
                [] => format!("declare it before the threads: `object {}: stack {{ ... }}`", quoted(object)),
                _ => {
                    let known = structures.list.iter().map(|known| (known.name.as_str(), quoted(&known.name)));
                    super::handlers::meant(object, known, "objects")
                }
            };
            return Err(Some(Diagnostic::error(message, *object_span).with_help(help)));
        };
        let known = &structures.list[index];
        if let Some(within) = self.in_method().map(|method| structures.methods[method].structure)
            && within != index
        {
            let message = format!("a method of `{}` can't call one of `{object}`", structures.list[within].name);
            let help = "a method calls only methods of its own object; write what two objects need in both";
            return Err(Some(Diagnostic::error(message, span).with_help(help)));
        }
        let Some(found) = known.methods.get(method).map(|at| &structures.methods[*at]) else {
            if structures.incomplete {
                return Err(None);
            }
            let message = format!("`{object}` has no method `{method}`");
            let spelled = |name: &String| format!("{}.{}", quoted(object), quoted(name));
            let mut methods: Vec<&String> = known.methods.keys().collect();
            crate::sort::ascending(&mut methods);
            let methods = methods.into_iter().map(|name| (name.as_str(), spelled(name)));
            let help = super::handlers::meant(method, methods, "methods");
            return Err(Some(Diagnostic::error(message, *method_span).with_help(help)));
        };
        let wanted = found.parameters.len();
        if wanted != arguments {
            let message = format!("`{method}` has {}, but gets {arguments}", words::count(wanted as u64, "parameter"));
            let names: Vec<&str> = found.parameters.iter().map(|(name, _)| name.as_str()).collect();
            let help = format!("it is `{}.{}({})`", quoted(object), quoted(method), names.join(", "));
            return Err(Some(Diagnostic::error(message, span).with_help(help)));
        }
        if has_result && !found.returns_value {
            let message = format!("`{method}` returns nothing");
            let help = format!("call it as `{}.{}(...)`, or let it `return` a value", quoted(object), quoted(method));
            return Err(Some(Diagnostic::error(message, span).with_help(help)));
        }
        Ok((index as u16, found.index as u16))
    }

    /// The value `empty`, if no variable has that name.
    pub(super) fn empty(&mut self) -> Option<Value> {
        let is_word = self.names.structures.has_empty && self.peek().kind == Kind::Name;
        if !is_word || self.peek_name() != Some("empty") {
            return None;
        }
        if let Some(Meaning::Register(_) | Meaning::Object(_)) = self.names.meaning(self.thread, "empty") {
            return None;
        }
        self.take();
        Some(EMPTY)
    }
}

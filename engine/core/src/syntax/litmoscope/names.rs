//! Which names are shared and which are registers. Decided on tokens, before anything is parsed, so that it is known for
//! broken text too.

use super::lexer::quoted;
use super::lexer::{Kind, Token};
use super::parser::{
    AFTER, BEFORE, Choices, Declarations, Handlers, Structures, ThreadName, add_registers, declared,
    is_compare_and_swap, is_function, is_mode, is_of_choice, no_handlers, note_assumed, unassigned,
};
use crate::program::{Address, Integer, MAX_THREADS, Object, ObjectId, Origin, RegisterId, Span, Value};
use crate::syntax::Diagnostic;
use crate::words;
use rustc_hash::FxHashMap;

/// How many shared names a text may have, and how long an array may be.
pub(super) const MAX_LOCATIONS: usize = 4096;
/// How many registers a thread may have.
const MAX_REGISTERS: usize = 10_000;

/// What the names of a text stand for.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// The shared names.
    pub objects: Vec<Object>,
    /// The registers, by thread: those of the handlers follow those of the plain threads.
    pub threads: Vec<Registers>,
    /// How many plain threads there are.
    pub plain: usize,
    /// What runs behind all threads, as a thread: it follows the handlers.
    pub after: Option<usize>,
    /// What is done before there are threads, as the last thread.
    pub before: Option<usize>,
    /// The handlers.
    pub handlers: Handlers,
    /// The concurrent objects. A method is asked about as the thread whose number is that of the threads and its own place.
    pub structures: Structures,
    by_name: FxHashMap<String, ObjectId>,
}

/// A thread's registers.
#[derive(Debug, Default)]
pub(crate) struct Registers {
    /// Their names.
    pub names: Vec<String>,
    /// Their initial values.
    pub initial: Vec<Value>,
    by_name: FxHashMap<String, RegisterId>,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Something shared.
    Object(ObjectId),
    /// A register of the thread.
    Register(RegisterId),
}

/// A name in a thread's tokens.
pub(super) struct Use<'t> {
    /// The name.
    pub name: &'t str,
    /// Where.
    pub span: Span,
    /// The operand of `lock`, `fai` and their like, indexed, or with its address taken.
    shared: bool,
    /// Assigned to.
    pub assigned: bool,
    /// Assigned what begins with a read: `r := x`, `r :=acq fai(x)`.
    read_into: bool,
    index: Index,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Index {
    None,
    Constant(u64),
    /// With the place of the name.
    Computed,
}

impl Registers {
    /// Adds a register, unless there is one of that name.
    pub(crate) fn add(&mut self, name: &str, initial: Value) {
        // Beyond the bound nothing is added; the bound's diagnostic rejects the text.
        if self.names.len() <= MAX_REGISTERS && !self.by_name.contains_key(name) {
            self.by_name.insert(name.to_owned(), RegisterId(self.names.len() as u16));
            self.names.push(name.to_owned());
            self.initial.push(initial);
        }
    }

    /// The register of that name.
    pub(crate) fn get(&self, name: &str) -> Option<RegisterId> {
        self.by_name.get(name).copied()
    }
}

impl Names {
    /// What a name stands for in a thread.
    pub(crate) fn meaning(&self, thread: usize, name: &str) -> Option<Meaning> {
        let object = || self.object(name).map(Meaning::Object);
        if let Some(method) = thread.checked_sub(self.threads.len()) {
            let own =
                || self.structures.qualified(method, name).and_then(|name| self.object(&name)).map(Meaning::Object);
            return self.structures.register(method, name).map(Meaning::Register).or_else(own).or_else(object);
        }
        self.threads[thread].get(name).map(Meaning::Register).or_else(object)
    }

    /// The shared thing of that name.
    pub(crate) fn object(&self, name: &str) -> Option<ObjectId> {
        self.by_name.get(name).copied()
    }

    /// A thread as the text writes it: `P0`, or the name of a handler.
    pub(crate) fn spelled(&self, thread: usize) -> String {
        if [self.after, self.before].contains(&Some(thread)) {
            return if self.after == Some(thread) { AFTER } else { BEFORE }.to_owned();
        }
        let handler = thread.checked_sub(self.plain).and_then(|at| self.handlers.list.get(at));
        handler.map_or_else(|| format!("P{thread}"), |handler| quoted(&handler.name))
    }

    /// The thread of that name, or what is wrong with the name.
    pub(crate) fn find_thread(&self, name: &ThreadName, span: Span) -> Result<usize, Diagnostic> {
        let threads = match self.plain {
            0 => "there are handlers only".to_owned(),
            plain => format!("the threads are P0 to P{}", plain - 1),
        };
        match name {
            ThreadName::Index(thread) if *thread < self.plain => Ok(*thread),
            ThreadName::Index(thread) => {
                Err(Diagnostic::error(format!("there is no thread P{thread}"), span).with_help(threads))
            }
            ThreadName::Handler(name) if name == AFTER && self.after.is_some() => Ok(self.after.unwrap_or_default()),
            ThreadName::Handler(name) if name == BEFORE && self.before.is_some() => Ok(self.before.unwrap_or_default()),
            ThreadName::Handler(name) => self.handlers.thread(name).ok_or_else(|| {
                let help = match self.handlers.list.is_empty() {
                    true => threads,
                    false => self.handlers.handler_meant(name),
                };
                Diagnostic::error(format!("there is no thread or handler `{name}`"), span).with_help(help)
            }),
        }
    }

    /// Adds the registers that are given initial values.
    fn add_initial_registers(&mut self, declarations: &Declarations, diagnostics: &mut Vec<Diagnostic>) {
        for init in &declarations.registers {
            match self.find_thread(&init.thread, init.span) {
                Ok(thread) if self.threads[thread].get(&init.name).is_none() => {
                    self.threads[thread].add(&init.name, init.value);
                }
                Ok(thread) => {
                    let message = format!("`{}:{}` has two initial values", self.spelled(thread), init.name);
                    diagnostics.push(Diagnostic::error(message, init.span));
                }
                Err(diagnostic) => diagnostics.push(diagnostic),
            }
        }
    }

    /// Adds the parameters of messages to the registers of their handlers. None is shared, whatever else its name is.
    fn add_parameters(&mut self, declarations: &Declarations, diagnostics: &mut Vec<Diagnostic>) {
        for (at, handler) in self.handlers.list.iter().enumerate() {
            let registers = &mut self.threads[self.plain + at];
            let initialised = registers.names.len();
            for message in &handler.messages {
                let Some((name, span)) = declarations.messages[message.declaration].parameter() else { continue };
                // Where it has an initial value, the text says itself that it is a register.
                let said = registers.get(name).is_some_and(|register| usize::from(register.0) < initialised);
                if !said && declarations.declares(name) {
                    let text = format!("`{name}` is declared shared: it can't be a parameter, which is a register");
                    let help = format!("rename the parameter of `{}`", message.name);
                    diagnostics.push(Diagnostic::error(text, span).with_help(help));
                }
                registers.add(name, 0);
            }
        }
    }

    /// Adds what is not shared to the registers of the thread that names it.
    fn add_registers(&mut self, source: &str, sections: &[Section], diagnostics: &mut Vec<Diagnostic>) {
        let mut too_many = None;
        for (thread, tokens) in sections.iter().copied() {
            for usage in uses(source, tokens) {
                if self.object(usage.name).is_none() && !self.is_empty_word(usage.name) {
                    self.threads[thread].add(usage.name, 0);
                }
            }
            if self.threads[thread].names.len() > MAX_REGISTERS && too_many != Some(thread) {
                too_many = Some(thread);
                let span = tokens[0].span;
                diagnostics.push(Diagnostic::error(format!("more than {MAX_REGISTERS} registers in a thread"), span));
            }
        }
    }

    /// Puts objects in place of names in the initial values that are addresses.
    fn resolve_addresses(&mut self, declarations: &Declarations, diagnostics: &mut Vec<Diagnostic>) {
        let objects: Vec<Option<ObjectId>> = declarations.addresses.iter().map(|(name, _)| self.object(name)).collect();
        for ((name, span), _) in declarations.addresses.iter().zip(&objects).filter(|(_, object)| object.is_none()) {
            let diagnostic = Diagnostic::error(format!("`{name}` is not declared shared"), *span);
            diagnostics.push(diagnostic.with_help(format!("to share it, add `{name}` to the `shared` declaration")));
        }
        let objects_initial = self.objects.iter_mut().flat_map(|object| &mut object.initial);
        let registers_initial = self.threads.iter_mut().flat_map(|registers| &mut registers.initial);
        let posted = self.handlers.initial.iter_mut().filter_map(|post| post.value.as_mut());
        for value in objects_initial.chain(registers_initial).chain(posted) {
            if let Some(address) = Address::of(*value)
                && let Some(Some(object)) = objects.get(usize::from(address.object.0))
            {
                *value = Address { object: *object, ..address }.value();
            }
        }
    }

    /// An initial value with an object in place of the name that it has the address of.
    pub(crate) fn resolved(&self, value: Value, addresses: &[(String, Span)]) -> Value {
        let named = |address: Address| addresses.get(usize::from(address.object.0));
        Address::of(value)
            .and_then(|address| Some(Address { object: self.object(&named(address)?.0)?, ..address }.value()))
            .unwrap_or(value)
    }

    /// Whether a name is the word `empty`.
    fn is_empty_word(&self, name: &str) -> bool {
        name == "empty" && self.structures.has_empty
    }

    fn add(&mut self, object: Object) {
        if self.objects.len() <= MAX_LOCATIONS && !self.by_name.contains_key(&object.name) {
            self.by_name.insert(object.name.clone(), ObjectId(self.objects.len() as u16));
            self.objects.push(object);
        }
    }
}

/// Whether the papers would take a name for shared: x, y, z, w with digits.
fn named_as_shared(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| matches!(first, 'w'..='z')) && chars.all(char::is_numeric)
}

/// How a token stands among the others.
#[derive(Clone, Copy, Default)]
struct Role {
    /// The token before it, line ends in parentheses left out.
    before: Option<usize>,
    /// A `&` or `*` with nothing on its left: an address, or an access through one.
    prefix: bool,
    /// The `&` of a second argument of `cas`: a register may follow.
    expected: bool,
}

fn roles(source: &str, tokens: &[Token]) -> Vec<Role> {
    let mut roles = vec![Role::default(); tokens.len()];
    // For each open parenthesis, whether it is that of a `cas`, and how many commas there were in it.
    let mut open: Vec<(bool, u32)> = Vec::new();
    let mut before: Option<usize> = None;
    for (at, token) in tokens.iter().enumerate() {
        roles[at].before = before;
        let last = before.map(|at| tokens[at]);
        match token.kind {
            Kind::Newline if !open.is_empty() => continue,
            Kind::Symbol("(" | "[") => {
                let name = last.filter(|last| last.kind == Kind::Name && token.is("(")).map(|last| last.text(source));
                open.push((name.is_some_and(is_compare_and_swap), 0));
            }
            Kind::Symbol(")" | "]") => {
                open.pop();
            }
            Kind::Symbol(";" | "{" | "}") => open.clear(),
            Kind::Symbol(",") => {
                if let Some((_, commas)) = open.last_mut() {
                    *commas += 1;
                }
            }
            Kind::Symbol("&" | "*") => {
                let operand = |last: Token| {
                    matches!(last.kind, Kind::Name | Kind::Quoted | Kind::Number | Kind::Symbol(")" | "]"))
                };
                roles[at].prefix = !last.is_some_and(operand);
                roles[at].expected =
                    token.is("&") && open.last() == Some(&(true, 1)) && last.is_some_and(|last| last.is(","));
            }
            _ => {}
        }
        before = Some(at);
    }
    roles
}

/// Whether a token is a name that does not stand for a variable: `post`, and the handler and the message behind it.
pub(crate) fn is_of_post(tokens: &[Token], at: usize, source: &str) -> bool {
    let is_name = |at: usize| tokens.get(at).is_some_and(|token| matches!(token.kind, Kind::Name | Kind::Quoted));
    let point = |at: usize| tokens.get(at).is_some_and(|token| token.is("."));
    let posts = tokens[at].kind == Kind::Name && tokens[at].text(source) == "post" && is_name(at + 1);
    // Nothing else has names or points side by side.
    posts || point(at + 1) || at.checked_sub(1).is_some_and(point)
}

/// The names of variables in the tokens of a thread, a message, a method or a footer.
pub(super) fn uses<'t>(source: &'t str, tokens: &'t [Token]) -> impl Iterator<Item = Use<'t>> {
    let roles = roles(source, tokens);
    let symbol = |at: Option<usize>, symbol: &str| at.and_then(|at| tokens.get(at)).is_some_and(|t| t.is(symbol));
    tokens.iter().enumerate().filter_map(move |(at, token)| {
        let name = token.name(source)?;
        let (before, after) = (roles[at].before, Some(at + 1));
        if symbol(after, "(") && token.kind == Kind::Name
            || is_of_post(tokens, at, source)
            || is_of_choice(tokens, at, source)
        {
            return None;
        }
        let locks = |at| symbol(at, "lock") || symbol(at, "unlock");
        let called = symbol(before, "(")
            && before.and_then(|at| roles[at].before).is_some_and(|at| {
                let callee = tokens[at];
                let function = callee.kind == Kind::Name && is_function(callee.text(source));
                locks(Some(at)) || (function && !is_of_post(tokens, at, source))
            });
        let index = match tokens.get(at + 2) {
            _ if !symbol(after, "[") => Index::None,
            Some(number) if number.kind == Kind::Number && symbol(Some(at + 3), "]") => {
                number.text(source).parse().map_or(Index::Computed, Index::Constant)
            }
            _ => Index::Computed,
        };
        let value = at + 2 + usize::from(tokens.get(at + 2).is_some_and(|token| is_mode(token.text(source))));
        let reads = |token: &Token| {
            let named = named_as_shared(token.text(source)) || is_function(token.text(source));
            token.is("&") || token.is("*") || (token.kind == Kind::Name && named)
        };
        let prefix = before.filter(|at| roles[*at].prefix);
        let expected = prefix.is_some_and(|at| roles[at].expected);
        let assigned = symbol(after, ":=") && prefix.is_none();
        Some(Use {
            name,
            span: token.span,
            read_into: assigned && tokens.get(value).is_some_and(reads),
            shared: locks(before) || called || index != Index::None || (symbol(prefix, "&") && !expected),
            assigned: assigned || expected,
            index,
        })
    })
}

/// What is known of a name before it is decided what it stands for.
pub(crate) struct Summary<'t> {
    name: &'t str,
    first: Span,
    /// The threads that use it.
    threads: Met,
    /// Those of them that assign to it.
    assigning: Met,
    /// Those of them whose first use reads something into it.
    read_into: Met,
    shared: bool,
    indexed: bool,
    computed: Option<Span>,
    length: u64,
}

/// Decides what the names of the threads stand for.
pub(super) fn decide(
    source: &str,
    declarations: &mut Declarations,
    threads: &[Vec<Token>],
    after: Option<&[Token]>,
    footer: &[Token],
    diagnostics: &mut Vec<Diagnostic>,
) -> Names {
    let mut names = Names::default();
    if threads.len() > MAX_THREADS {
        let span = threads[MAX_THREADS].first().map_or(Span::default(), |token| token.span);
        diagnostics.push(Diagnostic::error(format!("more than {MAX_THREADS} threads"), span));
    }
    let threads = &threads[..threads.len().min(MAX_THREADS)];
    names.plain = threads.len();
    let structures = declared(source, declarations, diagnostics);
    let declarations = &*declarations;
    names.handlers = Handlers::new(declarations, threads.len(), diagnostics);
    let others = threads.len() + names.handlers.list.len();
    names.after = after.map(|_| others);
    names.before = declarations.before.as_ref().map(|_| others + usize::from(after.is_some()));
    let all = others + usize::from(names.after.is_some()) + usize::from(names.before.is_some());
    names.threads.resize_with(all, Registers::default);
    if !names.handlers.list.is_empty() {
        let before = declarations.before.as_ref().map(|before| no_handlers(BEFORE, before.span));
        let after = after.and_then(|tokens| tokens.first()).map(|first| no_handlers(AFTER, first.span));
        diagnostics.extend(before.into_iter().chain(after));
    }
    names.add_initial_registers(declarations, diagnostics);
    names.add_parameters(declarations, diagnostics);
    let sections = sections(threads, declarations, &names.handlers, after);
    names.structures = structures;
    // What objects share has names that nothing else has.
    names.structures.shared().collect::<Vec<_>>().into_iter().for_each(|object| names.add(object));
    let is_variable = |usage: Use| usage.name == "empty" && (usage.assigned || usage.shared);
    let bodies = names.structures.bodies();
    let is_assigned =
        sections.iter().map(|(_, tokens)| *tokens).chain(bodies).any(|tokens| uses(source, tokens).any(is_variable));
    let has_register = names.threads.iter().any(|registers| registers.get("empty").is_some());
    names.structures.has_empty =
        !names.structures.is_empty() && !is_assigned && !has_register && !declarations.declares("empty");
    let summaries = summarise(source, declarations, &sections, footer, &names);
    for object in &declarations.shared {
        names.add(object.clone());
    }
    if declarations.explicit {
        check_undeclared(&names, &summaries, diagnostics);
    } else {
        infer(&mut names, &summaries, diagnostics);
    }
    names.resolve_addresses(declarations, diagnostics);
    if names.objects.len() > MAX_LOCATIONS {
        let span = names.objects[MAX_LOCATIONS].span;
        diagnostics.push(Diagnostic::error(format!("more than {MAX_LOCATIONS} shared names"), span));
    }
    names.add_registers(source, &sections, diagnostics);
    add_registers(&mut names, source, diagnostics);
    check_unassigned(&names, &summaries, declarations, diagnostics);
    names
}

/// The tokens of a plain thread or of one message of a handler, with the thread.
type Section<'t> = (usize, &'t [Token]);

/// What has statements, in the order of the threads.
pub(super) fn sections<'t>(
    threads: &'t [Vec<Token>],
    declarations: &'t Declarations,
    handlers: &Handlers,
    after: Option<&'t [Token]>,
) -> Vec<Section<'t>> {
    let mut sections: Vec<Section> = threads.iter().enumerate().map(|(at, tokens)| (at, &tokens[..])).collect();
    for (at, handler) in handlers.list.iter().enumerate() {
        let bodies = handler.messages.iter().map(|message| &declarations.messages[message.declaration].body[..]);
        sections.extend(bodies.map(|body| (threads.len() + at, body)));
    }
    let before = declarations.before.as_ref().map(|before| &before.body[..]);
    let others = threads.len() + handlers.list.len();
    sections.extend(after.into_iter().chain(before).enumerate().map(|(at, tokens)| (others + at, tokens)));
    sections
}

/// What is known of each name that is no register with an initial value, in the order in which they appear.
fn summarise<'t>(
    source: &'t str,
    declarations: &'t Declarations,
    sections: &[Section<'t>],
    footer: &'t [Token],
    names: &Names,
) -> Vec<Summary<'t>> {
    let mut summaries: Vec<Summary> = Vec::new();
    let mut index: FxHashMap<&str, usize> = FxHashMap::default();
    for (thread, tokens) in sections.iter().copied() {
        for usage in uses(source, tokens) {
            let is_known = names.threads[thread].get(usage.name).is_some() || names.is_empty_word(usage.name);
            if is_known || names.object(usage.name).is_some() {
                continue;
            }
            let at = *index.entry(usage.name).or_insert(summaries.len());
            if at == summaries.len() {
                summaries.push(Summary::new(usage.name, usage.span));
            }
            let summary = &mut summaries[at];
            if summary.threads.meet(thread) && usage.read_into {
                summary.read_into.meet(thread);
            }
            if usage.assigned {
                summary.assigning.meet(thread);
            }
            summary.shared |= usage.shared;
            summary.note_index(&usage);
        }
    }
    if let Some(choices) = &declarations.choices {
        note_assumed(source, choices, names, &mut index, &mut summaries);
    }
    for usage in uses(source, footer) {
        if let Some(at) = index.get(usage.name) {
            summaries[*at].note_index(&usage);
        }
    }
    for (name, span) in &declarations.addresses {
        let declared = declarations.shared.iter().any(|object| object.name == *name);
        if declared || declarations.explicit {
            continue;
        }
        let at = *index.entry(name).or_insert(summaries.len());
        if at == summaries.len() {
            summaries.push(Summary::new(name, *span));
        }
        summaries[at].shared = true;
    }
    summaries
}

/// Notes that what is named in what is assumed at the start is shared.
pub(super) fn note_assumed_names<'t>(
    source: &'t str,
    choices: &'t Choices,
    names: &Names,
    index: &mut FxHashMap<&'t str, usize>,
    summaries: &mut Vec<Summary<'t>>,
) {
    for usage in uses(source, choices.assumed()) {
        if names.object(usage.name).is_some() {
            continue;
        }
        let at = *index.entry(usage.name).or_insert(summaries.len());
        if at == summaries.len() {
            summaries.push(Summary::new(usage.name, usage.span));
        }
        summaries[at].shared = true;
        summaries[at].note_index(&usage);
    }
}

/// Threads that were met from left to right: how many, and the last one.
#[derive(Default)]
struct Met {
    count: usize,
    last: Option<usize>,
}

impl Met {
    /// Meets a thread; whether that had not been met.
    fn meet(&mut self, thread: usize) -> bool {
        let is_new = self.last != Some(thread);
        self.count += usize::from(is_new);
        self.last = Some(thread);
        is_new
    }
}

impl<'t> Summary<'t> {
    fn new(name: &'t str, first: Span) -> Self {
        Self {
            name,
            first,
            threads: Met::default(),
            assigning: Met::default(),
            read_into: Met::default(),
            shared: false,
            indexed: false,
            computed: None,
            length: 0,
        }
    }

    fn note_index(&mut self, usage: &Use) {
        match usage.index {
            Index::None => {}
            Index::Constant(at) => {
                self.indexed = true;
                self.length = self.length.max(at.saturating_add(1));
            }
            Index::Computed => {
                self.indexed = true;
                self.computed = self.computed.or(Some(usage.span));
            }
        }
    }
}

/// A list of names; of many, the first and the last.
fn quoted_names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [most @ .., last] if most.len() >= 7 => format!("{}, ..., {last}", most[..7].join(", ")),
        _ => words::list(quoted),
    }
}

/// Where the text declares what is shared, other names are registers: says so where that looks unintended.
fn check_undeclared(names: &Names, summaries: &[Summary], diagnostics: &mut Vec<Diagnostic>) {
    // Those that each thread assigns are spoken of together.
    let is_own = |summary: &&Summary| summary.threads.count > 1 && summary.threads.count == summary.assigning.count;
    let undeclared = || summaries.iter().filter(|summary| names.object(summary.name).is_none());
    let own: Vec<&Summary> = undeclared().filter(|summary| !summary.shared).filter(is_own).collect();
    if let [first, others @ ..] = own.as_slice() {
        let list = quoted_names(own.iter().map(|summary| summary.name));
        let (message, help) = if others.is_empty() {
            let help = format!("to share it, add {list} to the `shared` declaration");
            (format!("{list} is not declared shared: it is a register of its own in each thread"), help)
        } else {
            let help = "to share one, add it to the `shared` declaration".to_owned();
            (format!("{list} are not declared shared: they are registers of their own in each thread"), help)
        };
        diagnostics.push(Diagnostic::note(message, first.first).with_help(help));
    }
    for summary in undeclared().filter(|summary| summary.shared || !is_own(summary)) {
        let help = format!("to share it, add `{}` to the `shared` declaration", summary.name);
        if summary.shared {
            let message = format!("`{}` is used as something shared, but it is not declared", summary.name);
            diagnostics.push(Diagnostic::error(message, summary.first).with_help(help));
        } else if summary.threads.count > 1 {
            let message =
                format!("`{}` is not declared shared: it is a register of its own in each thread", summary.name);
            diagnostics.push(Diagnostic::warning(message, summary.first).with_help(help));
        }
    }
}

/// Warns of registers that nothing is assigned to.
fn check_unassigned(
    names: &Names,
    summaries: &[Summary],
    declarations: &Declarations,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for summary in summaries {
        let is_unassigned = summary.threads.count > summary.assigning.count;
        // With declarations, names in several threads have been spoken of already.
        let told = declarations.explicit && summary.threads.count > 1;
        if names.object(summary.name).is_some() || !is_unassigned {
            continue;
        }
        if let Some(diagnostic) = unassigned(summary.name, summary.first) {
            diagnostics.push(diagnostic);
        } else if !told {
            let message = format!("`{}` is never assigned: its value is always 0", summary.name);
            diagnostics.push(Diagnostic::warning(message, summary.first));
        }
    }
}

/// Where the text declares nothing, infers what is shared, and says so.
fn infer(names: &mut Names, summaries: &[Summary], diagnostics: &mut Vec<Diagnostic>) {
    let declared = names.objects.len();
    for summary in summaries.iter().filter(|summary| names.object(summary.name).is_none()).collect::<Vec<_>>() {
        let origin = if summary.threads.count > 1 {
            Origin::UsedInTwoThreads
        } else if summary.shared {
            Origin::UsedAsShared
        } else if named_as_shared(summary.name) {
            Origin::NamedAsShared
        } else {
            continue;
        };
        if let Some(span) = summary.computed {
            let message = format!("the length of `{}` is not known", summary.name);
            let help = format!("declare it, together with all other shared names: `shared {}[4]`", summary.name);
            diagnostics.push(Diagnostic::error(message, span).with_help(help));
        }
        let mut length = if summary.indexed { summary.length.max(1) as usize } else { 1 };
        if length > MAX_LOCATIONS {
            let message = format!("`{}` has more than {MAX_LOCATIONS} elements", summary.name);
            diagnostics.push(Diagnostic::error(message, summary.first));
            length = 1;
        }
        names.add(Object {
            name: summary.name.to_owned(),
            initial: vec![0; length],
            array: summary.indexed,
            uninitialised: false,
            integer: Integer::Int64,
            origin,
            span: summary.first,
        });
    }
    for summary in summaries.iter().filter(|s| s.threads.count > 1 && s.read_into.count == s.threads.count && !s.shared)
    {
        if !named_as_shared(summary.name) {
            let message = format!(
                "`{}` is shared because more than one thread uses it, but each of them first reads into it, as into \
                 a register",
                summary.name
            );
            let help = "to give each thread a register of that name, declare what is shared: `shared x, y`";
            diagnostics.push(Diagnostic::warning(message, summary.first).with_help(help));
        }
    }
    let reasons = [
        (Origin::UsedInTwoThreads, "its use in more than one thread", "their use in more than one thread"),
        (Origin::UsedAsShared, "the operation on it", "the operations on them"),
        (Origin::NamedAsShared, "its name", "their names"),
    ];
    for (origin, one, several) in reasons {
        let of_origin: Vec<&Object> =
            names.objects[declared..].iter().filter(|object| object.origin == origin).collect();
        let Some(first) = of_origin.first() else { continue };
        let list = quoted_names(of_origin.iter().map(|object| object.name.as_str()));
        let message = match of_origin.len() {
            1 => format!("{list} is shared: inferred from {one}"),
            _ => format!("{list} are shared: inferred from {several}"),
        };
        let help = format!("to change this, declare what is shared: `shared {}`", first.name);
        diagnostics.push(Diagnostic::note(message, first.span).with_help(help));
    }
}

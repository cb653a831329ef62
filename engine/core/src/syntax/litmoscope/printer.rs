//! Programs to text. The text declares everything that the parser would otherwise infer.

use super::lexer;
use super::names::is_of_post;
use super::parser::{
    AFTER, ASSUMING, ATOMIC, BEFORE, COMPARISON, IN, INPUT, NOT, OPERATORS, RANDOM, START, UNARY, is_of_choice,
    is_thread_name, late_declaration, late_premise, late_statement, read_mode,
};
use crate::program::{
    Access, AccessKind, BinaryOperator, CasResult, Comparison, DeclaredRange, EMPTY, Expression, InitialInput, Input,
    Mode, Object, ObjectId, Observable, Place, PlaceKind, Program, Proposition, Quantifier, Statement, StatementKind,
    Structure, Term, ThreadKind, UnaryOperator, UpdateOperator, Value,
};
use crate::syntax::Unprintable;
use std::collections::HashSet;
use std::fmt::Write;

pub(super) type Print<T> = Result<T, Unprintable>;

pub(super) fn unprintable<T>(why: impl Into<String>) -> Print<T> {
    Err(Unprintable(why.into()))
}

/// Writes a program.
pub(crate) fn print(program: &Program) -> Print<String> {
    if program.threads.is_empty() {
        return unprintable("the program has no threads");
    }
    check_names(program)?;
    check_order(program)?;
    // By thread, what stands in it: of a handler, its messages.
    let mut texts: Vec<Vec<String>> = Vec::new();
    for thread in program.threads.iter().chain(&program.before) {
        let print = |body: &Vec<Statement>, indent| {
            let registers = &thread.registers;
            let mut printer = Printer { program, registers, scope: None, mode: Mode::Relaxed, text: String::new() };
            printer.block(body, indent).map(|()| printer.text)
        };
        let is_before = texts.len() == program.threads.len();
        texts.push(match &thread.kind {
            ThreadKind::Handler { messages, .. } => {
                messages.iter().map(|message| print(&message.body, 1)).collect::<Print<_>>()?
            }
            ThreadKind::Plain => vec![print(&thread.body, usize::from(is_before))?],
            ThreadKind::After => vec![print(&thread.body, 1)?],
            ThreadKind::Start => vec![],
        });
    }
    let mut text = String::new();
    if !program.name.is_empty() {
        let _ = writeln!(text, "name {}", title(&program.name));
    }
    if let Some((model, _)) = &program.model {
        let _ = writeln!(text, "model {}", title(model));
    }
    let own: usize = program.structures.iter().map(|structure| structure.shared.len()).sum();
    let objects = program.objects.iter().skip(own).map(|object| declaration(program, object, &object.name));
    let objects = objects.collect::<Print<Vec<_>>>()?;
    let _ = writeln!(text, "shared {}", if objects.is_empty() { "none".to_owned() } else { objects.join(", ") });
    if program.premise.is_some() {
        late_premise(program, &mut text)?;
    }
    text += &registers(program, &texts)?;
    text += &structures(program)?;
    if program.before.is_some() {
        let body = texts.get(program.threads.len()).map_or_else(String::new, |texts| texts.concat());
        let _ = write!(text, "\n{BEFORE} {{\n{body}}}\n");
    }
    text += &handlers(program, &texts)?;
    let plain = program.threads.iter().zip(&texts).filter(|(thread, _)| thread.kind == ThreadKind::Plain);
    let bodies: Vec<String> = plain.map(|(_, texts)| texts.concat()).collect();
    match &bodies[..] {
        [] => {}
        // Behind handlers, nothing at all would be no thread.
        [body] if body.is_empty() && program.threads.len() > 1 => text += "\n;\n",
        _ => text += &format!("\n{}", bodies.join("||\n")),
    }
    if let Some((_, texts)) = program.after().zip(texts.get(program.threads.len() - 1)) {
        let _ = write!(text, "\n{AFTER} {{\n{}}}\n", texts.concat());
    }

    let observable = |o: &Observable| observable(program, *o);
    let mut footer = String::new();
    if let Some(observed) = &program.observed {
        let observed = observed.iter().map(observable).collect::<Print<Vec<_>>>()?;
        let _ = writeln!(footer, "locations [{}]", observed.join("; "));
    }
    if let Some(filter) = &program.filter {
        footer += "filter (";
        proposition(&mut footer, program, filter, 0)?;
        footer += ")\n";
    }
    if let Some(condition) = &program.condition {
        let quantifier = match condition.quantifier {
            Quantifier::Exists => "exists",
            Quantifier::NotExists => "~exists",
            Quantifier::ForAll => "forall",
        };
        let _ = write!(footer, "{quantifier} (");
        proposition(&mut footer, program, &condition.proposition, 0)?;
        footer += ")\n";
    }
    if !footer.is_empty() {
        let _ = write!(text, "\n{footer}");
    }
    Ok(text)
}

fn check_names(program: &Program) -> Print<()> {
    let mut objects = HashSet::new();
    for object in &program.objects {
        if !objects.insert(object.name.as_str()) {
            return unprintable(format!("two shared variables have the name `{}`", object.name));
        }
    }
    for (at, thread) in program.threads.iter().chain(&program.before).enumerate() {
        let mut registers = HashSet::new();
        for register in &thread.registers {
            if !registers.insert(register.as_str()) {
                let thread = program.thread_name(at);
                return unprintable(format!("two registers of {thread} have the name `{register}`"));
            }
        }
    }
    let mut handlers = HashSet::new();
    let mut messages = HashSet::new();
    for (at, thread) in program.threads.iter().enumerate() {
        let ThreadKind::Handler { messages: declared, .. } = &thread.kind else { continue };
        let name = program.thread_name(at);
        if is_thread_name(&name) || name == START {
            return unprintable(format!("a handler can't be called `{name}`"));
        }
        for message in declared {
            if !messages.insert(message.name.as_str()) {
                return unprintable(format!("two messages have the name `{}`", message.name));
            }
        }
        if let Some(name) = handlers.replace(name) {
            return unprintable(format!("two handlers have the name `{name}`"));
        }
    }
    Ok(())
}

/// Plain threads come first, then handlers, then the one that posts the initial messages.
fn check_order(program: &Program) -> Print<()> {
    let order = |kind: &ThreadKind| match kind {
        ThreadKind::Plain => 0,
        ThreadKind::Handler { .. } => 1,
        ThreadKind::Start | ThreadKind::After => 2,
    };
    let kinds: Vec<_> = program.threads.iter().map(|thread| order(&thread.kind)).collect();
    if program.has_handlers() && (program.before.is_some() || program.after().is_some()) {
        return unprintable("a program with handlers can't have `before` or `after`");
    }
    if !kinds.is_sorted() || kinds.iter().filter(|kind| **kind == 2).count() > 1 {
        return unprintable("handlers come after the threads, and the initial messages after the handlers");
    }
    Ok(())
}

/// Concurrent objects: what they share, and their methods.
fn structures(program: &Program) -> Print<String> {
    let shared = program.structures.iter().flat_map(|structure| &structure.shared);
    if !shared.enumerate().all(|(at, object)| usize::from(object.0) == at && at < program.objects.len()) {
        return unprintable("what concurrent objects share does not come first, in their order");
    }
    let mut text = String::new();
    for (scope, structure) in program.structures.iter().enumerate() {
        let _ = writeln!(text, "\nobject {}: {} {{", name(&structure.name)?, structure.kind.name());
        let own = |object: &ObjectId| {
            let object = &program.objects[usize::from(object.0)];
            let Some(short) = own_name(structure, object) else {
                return unprintable(format!("`{}` does not belong to `{}`", object.name, structure.name));
            };
            declaration(program, object, short)
        };
        let shared = structure.shared.iter().map(own).collect::<Print<Vec<_>>>()?;
        if !shared.is_empty() {
            let _ = writeln!(text, "  shared {}", shared.join(", "));
        }
        for method in &structure.methods {
            let parameters = method.registers.iter().take(usize::from(method.parameters));
            let parameters = parameters.map(|register| name(register)).collect::<Print<Vec<_>>>()?;
            let _ = writeln!(text, "  {}({}) {{", name(&method.name)?, parameters.join(", "));
            let mut printer = Printer {
                program,
                registers: &method.registers,
                scope: Some(scope),
                mode: Mode::Relaxed,
                text: String::new(),
            };
            printer.block(&method.body, 2)?;
            text += &printer.text;
            text += "  }\n";
        }
        text += "}\n";
    }
    Ok(text)
}

/// The name of what an object shares as its methods write it.
fn own_name<'o>(structure: &Structure, object: &'o Object) -> Option<&'o str> {
    object.name.strip_prefix(structure.name.as_str())?.strip_prefix('.')
}

/// Handlers, their messages, and what is posted at the start.
fn handlers(program: &Program, texts: &[Vec<String>]) -> Print<String> {
    let (mut declared, mut text) = (String::new(), String::new());
    for (at, thread) in program.threads.iter().enumerate() {
        match &thread.kind {
            ThreadKind::Plain | ThreadKind::After => {}
            ThreadKind::Handler { mailbox, messages, .. } => {
                let handler = name(&program.thread_name(at))?;
                let _ = writeln!(declared, "handler {handler} {}", mailbox.keyword());
                for (message, body) in messages.iter().zip(&texts[at]) {
                    let _ = write!(text, "\nmessage {}", name(&message.name)?);
                    if let Some(parameter) = message.parameter {
                        let register = thread.registers.get(usize::from(parameter.0));
                        let Some(register) = register else { return unprintable("a parameter is not a register") };
                        let _ = write!(text, "({})", name(register)?);
                    }
                    let _ = writeln!(text, " on {handler} {{\n{body}}}");
                }
            }
            ThreadKind::Start => {
                if thread.body.is_empty() || !thread.registers.is_empty() {
                    return unprintable(format!("`{START}` has to post something, and has no registers"));
                }
                let posts =
                    thread.body.iter().map(|statement| initial(program, statement)).collect::<Print<Vec<_>>>()?;
                let _ = write!(text, "\ninitial {}\n", posts.join(", "));
            }
        }
    }
    Ok(declared + &text)
}

/// A message that is posted at the start.
fn initial(program: &Program, statement: &Statement) -> Print<String> {
    let StatementKind::Post { handler, message, value } = &statement.kind else {
        return unprintable(format!("`{START}` does something else than to post"));
    };
    let posted = target(program, (*handler, *message), value.is_some())?;
    match value {
        None => Ok(posted),
        Some(Expression::Constant(value)) => Ok(format!("{posted}({})", constant(program, *value)?)),
        Some(_) => unprintable("the value of an initial message is not a constant"),
    }
}

/// What is posted, as `ui.click`.
fn target(program: &Program, (handler, message): (u16, u16), has_value: bool) -> Print<String> {
    let thread = program.threads.get(usize::from(handler));
    let found = thread.and_then(|thread| thread.messages().get(usize::from(message)));
    let Some(found) = found else { return unprintable("a message is posted that is not declared") };
    if found.parameter.is_some() != has_value {
        return unprintable(format!("`{}` is posted with a value and has no parameter, or the reverse", found.name));
    }
    Ok(format!("{}.{}", name(&program.thread_name(usize::from(handler)))?, name(&found.name)?))
}

/// A program's or model's name: as it is, or in quotes.
fn title(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '+' | '-' | '.' | '@' | '\'');
    if name.starts_with(char::is_alphanumeric) && name.chars().all(plain) {
        return name.to_owned();
    }
    serde_json::Value::from(name).to_string()
}

fn name(name: &str) -> Print<String> {
    if name.is_empty() || name.contains(['`', '\n']) {
        return unprintable(format!("{name:?} can't be written as a name"));
    }
    Ok(lexer::quoted(name))
}

/// Whether `empty` stands for the value.
fn has_empty(program: &Program) -> bool {
    let methods = program.structures.iter().flat_map(|structure| &structure.methods);
    let registers = program
        .threads
        .iter()
        .chain(&program.before)
        .map(|thread| &thread.registers)
        .chain(methods.map(|method| &method.registers));
    !program.structures.is_empty()
        && !registers.flatten().any(|register| register == "empty")
        && !program.objects.iter().any(|object| object.name == "empty")
}

/// A number, `empty`, or an address: `&x`, `&q[1]`.
fn constant(program: &Program, value: Value) -> Print<String> {
    if value == EMPTY && has_empty(program) {
        return Ok("empty".to_owned());
    }
    let Some(address) = program.address(value) else { return Ok(value.to_string()) };
    let object = &program.objects[address.object.0 as usize];
    let name = name(&object.name)?;
    Ok(if object.array || address.offset != 0 { format!("&{name}[{}]", address.offset) } else { format!("&{name}") })
}

/// `input 0..3`, `input {1, 5, &x}`, `random 0..1`
fn chosen(program: &Program, input: &Input) -> Print<String> {
    let word = if input.is_random() { RANDOM } else { INPUT };
    match input.plain() {
        Input::Range(first, last) => Ok(format!("{word} {first}..{last}")),
        input => {
            let values = input.values().map(|value| constant(program, value)).collect::<Print<Vec<_>>>()?;
            Ok(format!("{word} {{{}}}", values.join(", ")))
        }
    }
}

/// What is assumed at the start.
pub(super) fn print_premise(program: &Program, text: &mut String) -> Print<()> {
    let Some(assuming) = program.premise.as_ref().and_then(|premise| premise.assuming.as_ref()) else { return Ok(()) };
    let StatementKind::Assume(condition) = &assuming.kind else {
        return unprintable(format!("`{ASSUMING}` is no condition"));
    };
    let mut printer = Printer { program, registers: &[], scope: None, mode: Mode::Relaxed, text: String::new() };
    printer.guard(ASSUMING, condition)?;
    let _ = writeln!(text, "{}", printer.text);
    Ok(())
}

/// The declaration of something whose name is written so, if initial values are inputs.
pub(super) fn print_declaration(program: &Program, object: &Object, written: &str) -> Print<Option<String>> {
    let of_object = |initial: &&InitialInput| {
        program.objects.get(usize::from(initial.object.0)).is_some_and(|of| std::ptr::eq(of, object))
    };
    let inputs = program.premise.iter().flat_map(|premise| &premise.inputs).filter(of_object);
    let inputs: Vec<&InitialInput> = inputs.collect();
    let length = object.initial.len();
    let is_ranges = |range: &&DeclaredRange| {
        program.objects.get(usize::from(range.object.0)).is_some_and(|of| std::ptr::eq(of, object))
    };
    let range = program.premise.iter().flat_map(|premise| &premise.ranges).find(is_ranges);
    let range = range.map_or_else(String::new, |range| format!(" {IN} {}..{}", range.first, range.last));
    let is_plain = inputs.is_empty() && range.is_empty();
    if is_plain || object.uninitialised && range.is_empty() || length == 0 || !object.array && length != 1 {
        return Ok(None);
    }
    if object.uninitialised || inputs.is_empty() && object.initial.iter().all(|value| *value == 0) {
        let length = if object.array { format!("[{length}]") } else { String::new() };
        let given = if object.uninitialised { " = ?" } else { "" };
        return Ok(Some(format!("{written}{length}{given}{range}")));
    }
    let value = |(offset, value): (usize, &Value)| match inputs.iter().find(|initial| initial.offset as usize == offset)
    {
        Some(initial) => chosen(program, &initial.input),
        None => constant(program, *value),
    };
    let values = object.initial.iter().enumerate().map(value).collect::<Print<Vec<_>>>()?.join(", ");
    Ok(Some(match object.array {
        true => format!("{written}[{length}] = {{{values}}}{range}"),
        false => format!("{written} = {values}{range}"),
    }))
}

/// `a := input 0..3`, `atomic { ... }`
pub(super) fn print_statement(printer: &mut Printer<'_>, statement: &Statement, indent: usize) -> Print<()> {
    match &statement.kind {
        StatementKind::Input { register, input } => {
            printer.register(register.0)?;
            printer.text += " := ";
            printer.text += &chosen(printer.program, input)?;
            Ok(())
        }
        StatementKind::Atomic(body) => {
            printer.text += ATOMIC;
            printer.text += " ";
            printer.braces(body, indent)
        }
        _ => Ok(()),
    }
}

fn declaration(program: &Program, object: &Object, written: &str) -> Print<String> {
    let mut text = name(written)?;
    if program.premise.is_some()
        && let Some(text) = late_declaration(program, object, &text)?
    {
        return Ok(text);
    }
    if !object.array {
        return match object.initial[..] {
            [_] if object.uninitialised => Ok(format!("{text} = ?")),
            [0] => Ok(text),
            [value] => Ok(format!("{text} = {}", constant(program, value)?)),
            _ => unprintable(format!("`{}` is not an array, but has {} values", object.name, object.initial.len())),
        };
    }
    if object.initial.is_empty() {
        return unprintable(format!("the array `{}` has no elements", object.name));
    }
    let _ = write!(text, "[{}]", object.initial.len());
    if object.uninitialised {
        text += " = ?";
    } else if object.initial.iter().any(|value| *value != 0) {
        let values = object.initial.iter().map(|value| constant(program, *value)).collect::<Print<Vec<_>>>()?;
        let _ = write!(text, " = {{{}}}", values.join(", "));
    }
    Ok(text)
}

/// The `init` line: the registers of threads for which the parser would not find the same ones, in the same order and
/// with the same values, in the printed text.
fn registers(program: &Program, texts: &[Vec<String>]) -> Print<String> {
    let mut items = Vec::new();
    for (at, (thread, texts)) in program.threads.iter().chain(&program.before).zip(texts).enumerate() {
        let mut found: Vec<&str> = Vec::new();
        let mut seen = HashSet::new();
        let mut meet = |name| {
            if !program.objects.iter().any(|object| object.name == name) && seen.insert(name) {
                found.push(name);
            }
        };
        // Parameters are found first.
        let parameters = thread.messages().iter().filter_map(|message| message.parameter);
        parameters.filter_map(|parameter| thread.registers.get(usize::from(parameter.0))).for_each(|name| meet(name));
        for text in texts {
            let tokens = lexer::tokens(text);
            for (at, token) in tokens.iter().enumerate() {
                // A function's name is never quoted, and a register's is if it is that of a function.
                let Some(name) = token.name(text) else { continue };
                let function = token.kind == lexer::Kind::Name && super::parser::is_function(name);
                let word = name == "empty" && has_empty(program);
                if !function && !word && !is_of_post(&tokens, at, text) && !is_of_choice(&tokens, at, text) {
                    meet(name);
                }
            }
        }
        if found == thread.registers && thread.initial.iter().all(|value| *value == 0) {
            continue;
        }
        for (register, name_) in thread.registers.iter().enumerate() {
            let value = thread.initial.get(register).copied().unwrap_or_default();
            items.push(format!("{}:{} = {}", thread_prefix(program, at)?, name(name_)?, constant(program, value)?));
        }
    }
    Ok(if items.is_empty() { String::new() } else { format!("init {{ {} }}\n", items.join("; ")) })
}

/// What stands before the `:` of a thread's register.
fn thread_prefix(program: &Program, thread: usize) -> Print<String> {
    if thread == program.threads.len() {
        return Ok(BEFORE.to_owned());
    }
    match program.threads[thread].kind {
        // Here threads are counted, whatever another notation calls them.
        ThreadKind::Plain => Ok(format!("P{thread}")),
        ThreadKind::Handler { .. } | ThreadKind::Start | ThreadKind::After => name(&program.thread_name(thread)),
    }
}

fn observable(program: &Program, observable: Observable) -> Print<String> {
    match observable {
        Observable::Location { object, offset } => {
            let object = &program.objects[object.0 as usize];
            let own = program.structures.iter().find_map(|structure| Some((structure, own_name(structure, object)?)));
            let written = match own {
                Some((structure, own)) => format!("{}.{}", name(&structure.name)?, name(own)?),
                None => name(&object.name)?,
            };
            Ok(if object.array { format!("{written}[{offset}]") } else { written })
        }
        Observable::Register { thread, register } => {
            let register = &program.threads[thread as usize].registers[register.0 as usize];
            let same = |other: &&String| *other == register;
            let holders = program.threads.iter().flat_map(|thread| &thread.registers).filter(same).count();
            let shared = program.objects.iter().any(|object| object.name == *register);
            let register = name(register)?;
            let prefix = thread_prefix(program, thread.into())?;
            Ok(if holders == 1 && !shared { register } else { format!("{prefix}:{register}") })
        }
    }
}

/// Appends a proposition. Recursive: what is not, is in functions of its own, to save stack.
fn proposition(text: &mut String, program: &Program, p: &Proposition, tightness: u8) -> Print<()> {
    let level = match p {
        Proposition::Or(..) => 1,
        Proposition::And(..) => 2,
        Proposition::Compare(..) => 3,
        Proposition::True | Proposition::False | Proposition::Not(_) => 4,
    };
    if level < tightness {
        *text += "(";
    }
    match p {
        Proposition::True => *text += "true",
        Proposition::False => *text += "false",
        Proposition::Compare(left, comparison, right) => compare(text, program, (*left, *comparison, *right))?,
        // The parentheses are for the reader: `~x = 1` is `~(x = 1)`.
        Proposition::Not(p) => {
            *text += "~";
            proposition(text, program, p, 4)?;
        }
        Proposition::And(p, q) | Proposition::Or(p, q) => {
            proposition(text, program, p, level)?;
            *text += if level == 1 { " \\/ " } else { " /\\ " };
            proposition(text, program, q, level + 1)?;
        }
    }
    if level < tightness {
        *text += ")";
    }
    Ok(())
}

fn compare(text: &mut String, program: &Program, (left, comparison, right): (Term, Comparison, Term)) -> Print<()> {
    let term = |term| match term {
        Term::Observable(o) => observable(program, o),
        Term::Constant(value) => constant(program, value),
    };
    let symbol = match comparison {
        Comparison::Equal => "=",
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    };
    let _ = write!(text, "{} {symbol} {}", term(left)?, term(right)?);
    Ok(())
}

pub(super) struct Printer<'p> {
    program: &'p Program,
    /// Of the thread or the method.
    registers: &'p [String],
    /// The concurrent object whose method is printed.
    scope: Option<usize>,
    /// The mode of accesses that are written without one.
    mode: Mode,
    text: String,
}

impl Printer<'_> {
    fn block(&mut self, statements: &[Statement], indent: usize) -> Print<()> {
        for statement in statements {
            self.line(indent);
            self.statement(statement, indent)?;
            self.text += "\n";
        }
        Ok(())
    }

    fn line(&mut self, indent: usize) {
        self.text.extend(std::iter::repeat_n("  ", indent));
    }

    fn braces(&mut self, statements: &[Statement], indent: usize) -> Print<()> {
        self.text += "{\n";
        self.block(statements, indent + 1)?;
        self.line(indent);
        self.text += "}";
        Ok(())
    }

    fn statement(&mut self, statement: &Statement, indent: usize) -> Print<()> {
        self.mode = Mode::Relaxed;
        match &statement.kind {
            StatementKind::Write { place, mode, value } => {
                if matches!(mode, Mode::Acquire | Mode::AcquireRelease) {
                    return unprintable(format!("a write can't have the mode {}", mode.keyword()));
                }
                self.mode = *mode;
                self.place(place)?;
                self.assignment(value)
            }
            StatementKind::Assign { register, value } => {
                self.mode = main_mode(value);
                self.register(register.0)?;
                self.assignment(value)
            }
            StatementKind::Input { .. } | StatementKind::Atomic(_) => late_statement(self, statement, indent),
            StatementKind::Evaluate(Expression::Access(access)) => self.call(access),
            StatementKind::Evaluate(value) => {
                self.mode = main_mode(value);
                self.text += "_";
                self.assignment(value)
            }
            StatementKind::Fence(Mode::NonAtomic) => unprintable("a fence can't be non-atomic"),
            StatementKind::Fence(mode) => {
                let _ = write!(self.text, "fence {}", mode.keyword());
                Ok(())
            }
            StatementKind::If { condition, then, otherwise } => {
                self.guard("if", condition)?;
                self.text += " ";
                self.braces(then, indent)?;
                match &otherwise[..] {
                    [] => Ok(()),
                    [chained @ Statement { kind: StatementKind::If { .. }, .. }] => {
                        self.text += " else ";
                        self.statement(chained, indent)
                    }
                    _ => {
                        self.text += " else ";
                        self.braces(otherwise, indent)
                    }
                }
            }
            StatementKind::While { condition, body } => {
                self.guard("while", condition)?;
                self.text += " ";
                self.braces(body, indent)
            }
            StatementKind::Repeat { body, until } => {
                self.text += "repeat ";
                self.braces(body, indent)?;
                self.guard(" until", until)
            }
            StatementKind::Assert(Expression::Constant(0)) => {
                self.text += "error";
                Ok(())
            }
            StatementKind::Assert(condition) => self.guard("assert", condition),
            StatementKind::Assume(condition) => self.guard("assume", condition),
            StatementKind::Skip => {
                self.text += "skip";
                Ok(())
            }
            StatementKind::Lock(place) => {
                self.text += "lock ";
                self.place(place)
            }
            StatementKind::Unlock(place) => {
                self.text += "unlock ";
                self.place(place)
            }
            StatementKind::Send { place, value } => {
                self.text += "send(";
                self.place(place)?;
                self.text += ", ";
                self.expression(value, 0)?;
                self.text += ")";
                Ok(())
            }
            StatementKind::Post { handler, message, value } => self.post(*handler, *message, value.as_ref()),
            StatementKind::Call { structure, method, arguments, result } => {
                if let Some(result) = result {
                    self.register(result.0)?;
                    self.text += " := ";
                }
                self.method_call(*structure, *method, arguments)
            }
            StatementKind::Return(value) => {
                let Some(value) = value else {
                    self.text += "return";
                    return Ok(());
                };
                self.guard("return", value)
            }
        }
    }

    /// `s.push(1)`
    fn method_call(&mut self, structure: u16, method: u16, arguments: &[Expression]) -> Print<()> {
        let structure = self.program.structures.get(usize::from(structure));
        let called = structure.and_then(|structure| Some((structure, structure.methods.get(usize::from(method))?)));
        let Some((structure, method)) = called else { return unprintable("a method is called that is not declared") };
        if arguments.len() != usize::from(method.parameters) {
            return unprintable(format!("`{}` is called with more or fewer arguments than it has", method.name));
        }
        let _ = write!(self.text, "{}.{}(", name(&structure.name)?, name(&method.name)?);
        for (at, argument) in arguments.iter().enumerate() {
            if at > 0 {
                self.text += ", ";
            }
            self.expression(argument, 0)?;
        }
        self.text += ")";
        Ok(())
    }

    fn post(&mut self, handler: u16, message: u16, value: Option<&Expression>) -> Print<()> {
        self.text += "post ";
        self.text += &target(self.program, (handler, message), value.is_some())?;
        if let Some(value) = value {
            self.text += "(";
            self.expression(value, 0)?;
            self.text += ")";
        }
        Ok(())
    }

    fn assignment(&mut self, value: &Expression) -> Print<()> {
        self.text += " :=";
        if self.mode != Mode::Relaxed {
            self.text += self.mode.keyword();
        }
        self.text += " ";
        self.expression(value, 0)
    }

    fn guard(&mut self, keyword: &str, condition: &Expression) -> Print<()> {
        self.mode = main_mode(condition);
        self.text += keyword;
        if self.mode != Mode::Relaxed {
            let _ = write!(self.text, " {}", self.mode.keyword());
        }
        self.text += " ";
        self.expression(condition, 0)
    }

    fn register(&mut self, register: u16) -> Print<()> {
        let Some(register) = self.registers.get(usize::from(register)) else {
            return unprintable("there is no such register");
        };
        self.text += &name(register)?;
        Ok(())
    }

    fn place(&mut self, place: &Place) -> Print<()> {
        let (object, index) = match &place.kind {
            PlaceKind::Element { object, index } => (*object, index),
            PlaceKind::Pointee(address) => {
                self.text += "*";
                return self.expression(address, UNARY + 1);
            }
        };
        let written = name(self.object(object)?)?;
        self.text += &written;
        if let Some(index) = index {
            self.text += "[";
            self.expression(index, 0)?;
            self.text += "]";
        }
        Ok(())
    }

    /// An object's name where it is used, which no register has.
    fn object(&self, object: ObjectId) -> Print<&str> {
        let object = &self.program.objects[usize::from(object.0)];
        let structure = self.scope.map(|scope| &self.program.structures[scope]);
        let own = structure.and_then(|structure| own_name(structure, object));
        let written = own.unwrap_or(&object.name);
        let is_own = |other: &ObjectId| {
            let other = &self.program.objects[usize::from(other.0)];
            structure.and_then(|structure| own_name(structure, other)) == Some(written)
        };
        let hides = own.is_none() && structure.is_some_and(|structure| structure.shared.iter().any(is_own));
        if hides || self.registers.iter().any(|register| register == written) {
            return unprintable(format!("`{written}` is used for two things in one thread or method"));
        }
        Ok(written)
    }

    fn expression(&mut self, expression: &Expression, tightness: u8) -> Print<()> {
        let parentheses = match expression {
            Expression::Unary(UnaryOperator::Not, _) => NOT < tightness,
            Expression::Binary(operator, ..) => level(*operator) < tightness,
            _ => false,
        };
        if parentheses {
            self.text += "(";
            self.expression(expression, 0)?;
            self.text += ")";
            return Ok(());
        }
        match expression {
            Expression::Constant(value) => {
                if let Some(address) = self.program.address(*value) {
                    self.object(address.object)?;
                }
                self.text += &constant(self.program, *value)?;
                Ok(())
            }
            Expression::Register(register) => self.register(register.0),
            Expression::Access(access) => match access.kind {
                AccessKind::Read if access.mode == read_mode(self.mode) => self.place(&access.place),
                _ => self.call(access),
            },
            Expression::Unary(UnaryOperator::Not, operand) => {
                self.text += "not ";
                self.expression(operand, NOT)
            }
            Expression::Unary(operator, operand) => {
                self.text += if *operator == UnaryOperator::Negate { "-" } else { "~" };
                // `-5` is a constant, `-(5)` an operation.
                if matches!(**operand, Expression::Constant(_)) {
                    self.text += "(";
                    self.expression(operand, 0)?;
                    self.text += ")";
                    return Ok(());
                }
                self.expression(operand, UNARY + 1)
            }
            Expression::Binary(operator, left, right) => {
                let level = level(*operator);
                // Comparisons do not chain.
                self.expression(left, if level == COMPARISON { level + 1 } else { level })?;
                let symbol = OPERATORS.iter().find(|(_, o, _)| o == operator).map_or("", |(symbol, ..)| symbol);
                let _ = write!(self.text, " {symbol} ");
                self.expression(right, level + 1)
            }
        }
    }

    /// An access as a function, with its modes if they are not those of the statement.
    fn call(&mut self, access: &Access) -> Print<()> {
        let function = match &access.kind {
            AccessKind::Read => "load",
            AccessKind::Receive => "receive",
            AccessKind::Update { operator, .. } => match operator {
                UpdateOperator::Add => "fai",
                UpdateOperator::Subtract => "fetch_sub",
                UpdateOperator::And => "fetch_and",
                UpdateOperator::Or => "fetch_or",
                UpdateOperator::Xor => "fetch_xor",
                UpdateOperator::Exchange => "xchg",
                UpdateOperator::Max => "fetch_max",
                UpdateOperator::Min => "fetch_min",
            },
            AccessKind::CompareAndSwap { weak: false, .. } => "cas",
            AccessKind::CompareAndSwap { weak: true, .. } => "wcas",
        };
        self.text += function;
        self.text += "(";
        self.place(&access.place)?;
        let only_reads = |mode| !matches!(mode, Mode::Release | Mode::AcquireRelease);
        let mut modes = Vec::new();
        match &access.kind {
            AccessKind::Read => {
                if !only_reads(access.mode) {
                    return unprintable(format!("a read can't have the mode {}", access.mode.keyword()));
                }
                if access.mode != read_mode(self.mode) {
                    modes.push(access.mode);
                }
            }
            AccessKind::Receive => {}
            AccessKind::Update { operator, operand, .. } => {
                if access.mode != self.mode {
                    modes.push(access.mode);
                }
                let adds_one = *operator == UpdateOperator::Add && *operand == Expression::Constant(1);
                if !adds_one || !modes.is_empty() {
                    self.text += ", ";
                    self.expression(operand, 0)?;
                }
            }
            AccessKind::CompareAndSwap { expected, desired, failure, result, .. } => {
                self.text += ", ";
                match result {
                    CasResult::ValueRead => self.expression(expected, 0)?,
                    CasResult::Success(register) if *expected == Expression::Register(*register) => {
                        self.text += "&";
                        self.register(register.0)?;
                    }
                    CasResult::Success(_) => {
                        return unprintable("a cas stores to another register than the one with the value expected");
                    }
                }
                self.text += ", ";
                self.expression(desired, 0)?;
                if !only_reads(*failure) {
                    return unprintable(format!("a failing cas can't have the mode {}", failure.keyword()));
                }
                if *failure != read_mode(access.mode) {
                    modes = vec![access.mode, *failure];
                } else if access.mode != self.mode {
                    modes = vec![access.mode];
                }
            }
        }
        for mode in modes {
            let _ = write!(self.text, ", {}", mode.keyword());
        }
        self.text += ")";
        Ok(())
    }
}

fn level(operator: BinaryOperator) -> u8 {
    OPERATORS.iter().find(|(_, o, _)| *o == operator).map_or(0, |(_, _, level)| *level)
}

/// The mode to give a statement with that expression: that of its first access.
fn main_mode(expression: &Expression) -> Mode {
    fn first(expression: &Expression) -> Option<Mode> {
        match expression {
            Expression::Constant(_) | Expression::Register(_) => None,
            Expression::Access(access) if access.kind == AccessKind::Receive => None,
            Expression::Access(access) => Some(access.mode),
            Expression::Unary(_, operand) => first(operand),
            Expression::Binary(_, left, right) => first(left).or_else(|| first(right)),
        }
    }
    first(expression).unwrap_or_default()
}

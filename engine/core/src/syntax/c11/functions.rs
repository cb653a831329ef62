//! Functions beside the threads: a call does what the function does, in its place.
//!
//! A function is read anew at each call, with registers of its own and the place of the call for all that it does. So neither
//! code nor any explorer knows of functions.

use super::{Local, Loop, Operand, Parameter, Parser, Pointer, Switch, Type, is_type};
use crate::program::{Expression, Integer, Place, PlaceKind, RegisterId, Span, Statement, StatementKind};
use crate::syntax::herd::{self, Kind, Parse, Token, shortened};
use crate::syntax::{Severity, jumps};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How many calls a program may have, those within functions counted each time.
const MAX_CALLS: u32 = 1000;

/// A function that the text defines.
pub(super) struct Function<'t> {
    name: Token<'t>,
    /// `None` if it returns nothing.
    result: Option<Type>,
    /// Names and types of its parameters, and whether they are references.
    parameters: Vec<(Token<'t>, Type, bool)>,
    /// Where its body begins, behind the brace, and where the text goes on behind it.
    body: usize,
    end: usize,
    open: Span,
}

/// The functions of a text, and the calls that are being read.
#[derive(Default)]
pub(super) struct Functions<'t> {
    by_name: FxHashMap<&'t str, Rc<Function<'t>>>,
    /// Where the text goes on behind what begins at a place.
    behind: FxHashMap<usize, usize>,
    calling: Vec<&'t str>,
    called: FxHashMap<&'t str, bool>,
    calls: u32,
}

/// What a thread has while one of its calls is read.
struct Frame<'t> {
    parameters: FxHashMap<&'t str, Parameter>,
    locals: FxHashMap<&'t str, Local>,
    scopes: Vec<Vec<&'t str>>,
    loops: Vec<Loop>,
    returned: Option<RegisterId>,
    returns: u32,
    blocks: Vec<u32>,
    labels: FxHashMap<&'t str, (u32, Vec<u32>)>,
    gotos: Vec<(Token<'t>, u32, Vec<u32>)>,
    switches: Vec<Switch>,
    result: Option<(RegisterId, Type)>,
    in_function: bool,
}

impl<'t> Parser<'t> {
    /// Finds the functions among what stands beside the threads.
    pub(super) fn find_functions(&mut self) {
        let start = self.cursor.position();
        while !self.cursor.at_end() {
            let from = self.cursor.position();
            if self.thread_starts().is_some() {
                self.skip_to_body();
                continue;
            }
            if !self.function_starts() {
                self.cursor.next();
                continue;
            }
            if let Ok(found) = self.function() {
                self.functions.behind.insert(from, found.as_ref().map_or(self.cursor.position(), |found| found.end));
                if let Some(found) = found {
                    self.cursor.go_to(found.end);
                    let name = found.name;
                    if self.functions.by_name.insert(name.text, Rc::new(found)).is_some() {
                        let message = format!("a second function `{}`", shortened(name.text));
                        self.cursor.error(name.span, message, Some("give it another name"));
                    }
                }
            }
        }
        self.cursor.go_to(start);
    }

    /// Goes behind the function that starts here, if one does.
    pub(super) fn skip_function(&mut self) -> bool {
        let end = self.functions.behind.get(&self.cursor.position()).copied();
        end.inspect(|end| self.cursor.go_to(*end)).is_some()
    }

    /// Whether the text defines a function of that name.
    pub(super) fn is_function(&self, name: &str) -> bool {
        self.functions.by_name.contains_key(name)
    }

    /// Says which functions nobody calls.
    pub(super) fn note_uncalled(&mut self) {
        let mut uncalled: Vec<Token> = self.functions.by_name.values().map(|function| function.name).collect();
        uncalled.retain(|name| !self.functions.called.contains_key(name.text));
        uncalled.sort_by_key(|name| name.span.start);
        for name in uncalled {
            let message = format!("no thread calls `{}`: it is left out", shortened(name.text));
            self.cursor.note(Severity::Warning, name.span, message, None);
        }
    }

    fn skip_to_body(&mut self) {
        while !self.cursor.at_end() && !self.cursor.at("{") {
            self.cursor.next();
        }
        self.skip_block();
    }

    /// Goes behind the `}` that closes the `{` here.
    fn skip_block(&mut self) {
        let mut depth = 0;
        while !self.cursor.at_end() {
            let token = self.cursor.next();
            depth += i32::from(token.is("{")) - i32::from(token.is("}"));
            if depth <= 0 {
                return;
            }
        }
    }

    /// Whether a type, a name and `(` stand here.
    fn function_starts(&self) -> bool {
        let mut ahead = 0;
        loop {
            let token = self.cursor.ahead(ahead);
            if token.kind == Kind::Word && is_type(token.text) || token.is("*") && ahead > 0 {
                ahead += 1;
            } else if token.is("(") && ahead > 0 && self.cursor.ahead(ahead - 1).is("_Atomic") {
                ahead += (0..8).find(|more| self.cursor.ahead(ahead + more).is(")")).map_or(1, |more| more + 1);
            } else {
                return ahead > 0 && token.kind == Kind::Word && self.cursor.ahead(ahead + 1).is("(");
            }
        }
    }

    /// A function's head; `None` if it is declared only, which means nothing.
    fn function(&mut self) -> Parse<Option<Function<'t>>> {
        let mut returns_nothing = false;
        let mut words = 0;
        while self.cursor.ahead(words).kind == Kind::Word {
            returns_nothing |= self.cursor.ahead(words).is("void");
            words += 1;
        }
        let result = self.type_name("a type")?;
        let name = self.cursor.word("the function's name")?;
        self.check_name(name)?;
        self.cursor.expect("(", "after the function's name")?;
        if self.cursor.at("void") && self.cursor.ahead(1).is(")") {
            self.cursor.next();
        }
        let mut parameters = Vec::new();
        while self.cursor.eat(")").is_none() {
            let mut kind = self.type_name("a parameter such as `int a`")?;
            let is_reference = self.cursor.eat("&").is_some();
            let token = self.cursor.peek();
            // Declarations need no names.
            if token.kind == Kind::Word {
                self.cursor.next();
            }
            if self.cursor.eat("[").is_some() {
                self.cursor.expect("]", "without a length")?;
                kind.pointers += 1;
            }
            kind.pointers += u32::from(is_reference);
            parameters.push((token, kind, is_reference));
            if !self.cursor.at(")") {
                self.cursor.expect(",", "or `)` after a parameter")?;
            }
        }
        if self.cursor.eat(";").is_some() {
            return Ok(None);
        }
        let open = self.cursor.expect("{", "before the function's statements")?;
        let body = self.cursor.position();
        self.cursor.go_to(body - 1);
        self.skip_block();
        let result = Some(result).filter(|result| !returns_nothing || result.is_pointer());
        Ok(Some(Function { name, result, parameters, body, end: self.cursor.position(), open }))
    }

    /// A call of a function that the text defines: what it does is done before the statement being read. `None` if there is
    /// no such function.
    #[inline(never)]
    pub(super) fn call_function(&mut self) -> Parse<Option<(Expression, Type)>> {
        let token = self.cursor.peek();
        let Some(function) = self.functions.by_name.get(token.text).map(Rc::clone) else { return Ok(None) };
        self.functions.called.insert(token.text, true);
        if self.functions.calling.contains(&token.text) {
            let message = format!("`{}` calls itself, which is not supported", shortened(token.text));
            return self.cursor.fail(token.span, message, Some("write a loop"));
        }
        self.functions.calls += 1;
        if self.functions.calls > MAX_CALLS {
            return self.cursor.fail(token.span, format!("more than {MAX_CALLS} calls of functions"), None);
        }
        self.cursor.enter()?;
        let before = self.accesses;
        let outer = (std::mem::take(&mut self.prelude), std::mem::take(&mut self.accesses));
        self.cursor.next();
        self.cursor.next();
        let mut body = Vec::new();
        let (mut parameters, mut locals) = (FxHashMap::default(), FxHashMap::default());
        for (at, (name, kind, is_reference)) in function.parameters.iter().enumerate() {
            if at > 0 {
                self.cursor.expect(",", "and another argument")?;
            }
            self.argument(*name, *kind, *is_reference, (&mut parameters, &mut locals), &mut body)?;
        }
        if !self.cursor.at(")") {
            let message = format!("there are more arguments than `{}` has parameters", shortened(token.text));
            return self.cursor.fail(self.cursor.peek().span, message, None);
        }
        self.cursor.next();
        let span = self.cursor.since(token.span);
        let behind = self.cursor.position();
        let result = match function.result {
            Some(kind) => Some((self.fresh(token.text, kind.integer())?, kind)),
            None => None,
        };
        let outside = self.enter_frame(parameters, locals, result);
        let (mentioned, bare) = (std::mem::take(&mut self.mentioned), self.bare);
        self.functions.calling.push(token.text);
        self.cursor.go_to(function.body);
        let done = self.block(function.open);
        self.check_gotos();
        let done = jumps::resolve(done, || self.fresh("next", Integer::Int32));
        self.functions.calling.pop();
        if let Some(register) = self.returned {
            let kind = StatementKind::Assign { register, value: Expression::Constant(0) };
            body.push(Statement { kind, span });
        }
        self.leave_frame(outside);
        self.cursor.go_to(behind);
        body.extend(done?);
        // An event's place is that of the call, which tells it from those of other calls.
        body.iter_mut().for_each(|statement| statement.move_to(span));
        let mut does = false;
        herd::mentions(&body, &mut |mention| {
            does |= matches!(mention, herd::Mention::Object(..) | herd::Mention::Pointer(_))
        });
        (self.prelude, self.accesses) = outer;
        self.accesses += u32::from(does);
        (self.mentioned, self.bare) = (mentioned, bare);
        self.hoist(body, before, span)?;
        self.cursor.leave();
        Ok(Some(match result {
            Some((register, kind)) => (Expression::Register(register), kind.value()),
            None => (Expression::Constant(0), Type::NUMBER),
        }))
    }

    /// Binds a parameter: to what is shared, or to a register with the value.
    fn argument(
        &mut self,
        name: Token<'t>,
        kind: Type,
        is_reference: bool,
        (parameters, locals): (&mut FxHashMap<&'t str, Parameter>, &mut FxHashMap<&'t str, Local>),
        body: &mut Vec<Statement>,
    ) -> Parse<()> {
        let typed = self.expression()?;
        let span = typed.span;
        let object = match &typed.operand {
            Operand::Pointer(Pointer { object, index: None }) if kind.is_pointer() && !is_reference => Some(*object),
            Operand::Cell(Place { kind: PlaceKind::Element { object, index: None }, .. }) if is_reference => {
                Some(*object)
            }
            _ if is_reference => {
                let help = Some("pass what is shared by its name");
                return self.cursor.fail(span, "only something shared can be passed by reference", help);
            }
            _ => None,
        };
        if let Some(object) = object {
            parameters.insert(name.text, Parameter { object, kind, noted: true, is_reference });
            return Ok(());
        }
        let kind = kind.value();
        let value = self.value_as(typed, kind)?;
        let register = self.fresh(name.text, kind.integer())?;
        body.append(&mut self.prelude);
        body.push(Statement { kind: StatementKind::Assign { register, value }, span });
        locals.insert(name.text, Local { register, kind, visible: true, undeclared: false });
        Ok(())
    }

    fn enter_frame(
        &mut self,
        parameters: FxHashMap<&'t str, Parameter>,
        locals: FxHashMap<&'t str, Local>,
        result: Option<(RegisterId, Type)>,
    ) -> Frame<'t> {
        Frame {
            parameters: std::mem::replace(&mut self.parameters, parameters),
            locals: std::mem::replace(&mut self.locals, locals),
            scopes: std::mem::take(&mut self.scopes),
            loops: std::mem::take(&mut self.loops),
            returned: self.returned.take(),
            returns: std::mem::take(&mut self.returns),
            blocks: std::mem::take(&mut self.blocks),
            labels: std::mem::take(&mut self.labels),
            gotos: std::mem::take(&mut self.gotos),
            switches: std::mem::take(&mut self.switches),
            result: std::mem::replace(&mut self.result, result),
            in_function: std::mem::replace(&mut self.in_function, true),
        }
    }

    fn leave_frame(&mut self, frame: Frame<'t>) {
        self.parameters = frame.parameters;
        self.locals = frame.locals;
        self.scopes = frame.scopes;
        self.loops = frame.loops;
        (self.returned, self.returns) = (frame.returned, frame.returns);
        self.blocks = frame.blocks;
        self.labels = frame.labels;
        self.gotos = frame.gotos;
        self.switches = frame.switches;
        (self.result, self.in_function) = (frame.result, frame.in_function);
    }
}

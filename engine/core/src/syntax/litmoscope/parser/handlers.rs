//! Handlers, their messages, and posts.

use super::{Declarations, Failed, MAX_DIAGNOSTICS, Parse, Parser, distance, is_thread_name, join};
use crate::program::{MAX_THREADS, Mailbox, Span, Statement, StatementKind, Value};
use crate::sort;
use crate::syntax::litmoscope::lexer::{Kind, Token, quoted};
use crate::syntax::{Diagnostic, Severity, TokenClass};
use rustc_hash::FxHashMap;

/// What a thread is called that posts the initial messages.
pub(crate) const START: &str = "start";

/// How many messages a text may have: they are numbered in 16 bits.
const MAX_MESSAGES: usize = u16::MAX as usize;

const HANDLER_HELP: &str = "declare a handler as `handler ui queue`: a `queue` delivers messages in the order of \
                            their posts, a `multiset` in any order";
const MESSAGE_HELP: &str = "declare a message as `message m(n) on ui { x := n }`, or without `(n)`";
const POST_HELP: &str = "post a message with `post ui.m(1)`, or, if it has no parameter, as `post ui.m`";
const INITIAL_HELP: &str = "list the messages at the start as `initial ui.m(1), ui.m(2)`";
const CONSTANT_HELP: &str = "it is a number or an address, as `initial ui.m(1)`; let a thread post what is computed";

/// `handler ui queue`
#[derive(Debug)]
pub(crate) struct HandlerDeclaration {
    name: String,
    mailbox: Mailbox,
    span: Span,
}

/// `message click(n) on ui { x := n }`
#[derive(Debug)]
pub(crate) struct MessageDeclaration {
    name: String,
    span: Span,
    parameter: Option<(String, Span)>,
    handler: (String, Span),
    /// The tokens of its statements, with an end.
    pub body: Vec<Token>,
}

/// `ui.click` and whether a value follows.
#[derive(Debug)]
pub(super) struct Target {
    handler: (String, Span),
    message: (String, Span),
    /// The value with its parentheses.
    value: Option<Span>,
    /// The word in front of it.
    keyword: &'static str,
}

/// `ui.click(1)` behind `initial`.
#[derive(Debug)]
pub(crate) struct InitialPost {
    target: Target,
    value: Option<Value>,
}

/// A message of a [`Handler`].
#[derive(Debug)]
pub(crate) struct Message {
    /// Its name.
    pub name: String,
    /// The register that gets the value.
    pub parameter: Option<String>,
    /// Where its name is declared.
    pub span: Span,
    /// Its index in [`Declarations::messages`].
    pub declaration: usize,
}

/// A handler with what is declared to be on it.
#[derive(Debug)]
pub(crate) struct Handler {
    /// Its name.
    pub name: String,
    /// Its mailbox.
    pub mailbox: Mailbox,
    /// Where its name is declared.
    pub span: Span,
    /// Its messages.
    pub messages: Vec<Message>,
}

/// A message that is there at the start.
#[derive(Debug)]
pub(crate) struct Initial {
    /// Its handler, by thread.
    pub handler: u16,
    /// Its index on the handler.
    pub message: u16,
    /// The value.
    pub value: Option<Value>,
    /// Where it says so.
    pub span: Span,
}

/// A text's handlers.
#[derive(Debug, Default)]
pub(crate) struct Handlers {
    /// The handlers, in the order of their declaration.
    pub list: Vec<Handler>,
    /// What is there at the start. Addresses are as in [`Declarations::addresses`] until they are resolved.
    pub initial: Vec<Initial>,
    by_name: FxHashMap<String, usize>,
    /// For each message its handler, and its index on it.
    messages: FxHashMap<String, (usize, usize)>,
    /// How many threads come before the handlers.
    plain: usize,
    /// Some declaration can't be used, which has been said: what seems not to be there may have been meant by it.
    incomplete: bool,
}

impl Handlers {
    /// The handlers that are declared, which follow so many plain threads.
    pub(crate) fn new(declarations: &Declarations, plain: usize, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut handlers = Self { plain, incomplete: declarations.incomplete, ..Self::default() };
        for declared in &declarations.handlers {
            handlers.add(declared, !declarations.posts.is_empty(), diagnostics);
        }
        for (at, declared) in declarations.messages.iter().enumerate() {
            if at == MAX_MESSAGES {
                handlers.incomplete = true;
                diagnostics.push(Diagnostic::error(format!("more than {MAX_MESSAGES} messages"), declared.span));
                break;
            }
            handlers.add_message(at, declared, diagnostics);
        }
        for post in &declarations.posts {
            // Looking for what may be meant takes long.
            if diagnostics.len() >= MAX_DIAGNOSTICS {
                break;
            }
            match handlers.find(&post.target) {
                Ok((handler, message)) => {
                    handlers.initial.push(Initial { handler, message, value: post.value, span: post.target.span() });
                }
                Err(diagnostic) => diagnostics.extend(diagnostic),
            }
        }
        handlers
    }

    fn add(&mut self, declared: &HandlerDeclaration, start: bool, diagnostics: &mut Vec<Diagnostic>) {
        let HandlerDeclaration { name, mailbox, span } = declared;
        let mut report = |message: String, help: &str| {
            diagnostics.push(Diagnostic::error(message, *span).with_help(help));
        };
        if is_thread_name(name) {
            report(format!("`{name}` is the name of a thread"), "give the handler another name, as `handler ui queue`");
        } else if name == START {
            let help = "give the handler another name: `start` posts the initial messages";
            report(format!("a handler can't be called `{START}`"), help);
        }
        if self.by_name.contains_key(name) {
            let help = "declare a handler once; its messages name it after `on`";
            return report(format!("the handler `{name}` is declared twice"), help);
        }
        // The thread that posts the initial messages counts too.
        if self.plain + self.list.len() + usize::from(start) >= MAX_THREADS {
            if !self.incomplete {
                let help = "the initial messages count as one thread, if there are any";
                report(format!("more than {MAX_THREADS} threads and handlers"), help);
            }
            self.incomplete = true;
            return;
        }
        self.by_name.insert(name.clone(), self.list.len());
        self.list.push(Handler { name: name.clone(), mailbox: *mailbox, span: *span, messages: Vec::new() });
    }

    fn add_message(&mut self, at: usize, declared: &MessageDeclaration, diagnostics: &mut Vec<Diagnostic>) {
        let MessageDeclaration { name, span, parameter, handler: (handler, place), .. } = declared;
        if let Some((first, _)) = self.messages.get(name) {
            let message = format!("the message `{name}` is declared twice");
            let help = format!("each message is on one handler, and `{name}` is on `{}`", self.list[*first].name);
            diagnostics.push(Diagnostic::error(message, *span).with_help(help));
            return;
        }
        let Some(index) = self.by_name.get(handler).copied() else {
            if !self.incomplete && diagnostics.len() < MAX_DIAGNOSTICS {
                let message = format!("there is no handler `{handler}`");
                diagnostics.push(Diagnostic::error(message, *place).with_help(self.handler_meant(handler)));
            }
            // Posts of this message would be reported as well.
            self.incomplete = true;
            return;
        };
        let messages = &mut self.list[index].messages;
        self.messages.insert(name.clone(), (index, messages.len()));
        let parameter = parameter.as_ref().map(|(name, _)| name.clone());
        messages.push(Message { name: name.clone(), parameter, span: *span, declaration: at });
    }

    /// The index of a handler's thread.
    pub(crate) fn thread(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).map(|at| self.plain + at)
    }

    /// What to do about a handler that is not there.
    pub(crate) fn handler_meant(&self, name: &str) -> String {
        if self.list.is_empty() {
            return format!("declare it before the threads: `handler {} queue`", quoted(name));
        }
        meant(name, self.list.iter().map(|handler| (handler.name.as_str(), quoted(&handler.name))), "handlers")
    }

    fn message_meant(&self, name: &str) -> String {
        let messages = self.list.iter().flat_map(|handler| {
            let spelled = |message: &Message| format!("{}.{}", quoted(&handler.name), quoted(&message.name));
            handler.messages.iter().map(move |message| (message.name.as_str(), spelled(message)))
        });
        meant(name, messages, "messages")
    }

    /// The thread and the index of what is posted. What is wrong if there is nothing, unless that has been said.
    fn find(&self, target: &Target) -> Result<(u16, u16), Option<Diagnostic>> {
        let Target { handler: (handler, handler_span), message: (message, message_span), value, keyword } = target;
        let found = self.messages.get(message).map(|(on, at)| (&self.list[*on], *on, *at));
        let spelled = found.map(|(on, ..)| format!("{}.{}", quoted(&on.name), quoted(message)));
        let Some(index) = self.by_name.get(handler).copied() else {
            if self.incomplete {
                return Err(None);
            }
            let help = match spelled {
                Some(spelled) => format!("write `{keyword} {spelled}`"),
                None => self.handler_meant(handler),
            };
            let message = format!("there is no handler `{handler}`");
            return Err(Some(Diagnostic::error(message, *handler_span).with_help(help)));
        };
        let (Some((on, other, at)), Some(spelled)) = (found, spelled) else {
            if self.incomplete {
                return Err(None);
            }
            let text = format!("there is no message `{message}`");
            return Err(Some(Diagnostic::error(text, *message_span).with_help(self.message_meant(message))));
        };
        if other != index {
            let text = format!("`{message}` is a message on `{}`, not on `{handler}`", on.name);
            let help = format!("write `{keyword} {spelled}`");
            return Err(Some(Diagnostic::error(text, join(*handler_span, *message_span)).with_help(help)));
        }
        match (value, &on.messages[at].parameter) {
            (Some(span), None) => {
                let text = format!("`{message}` has no parameter, but gets a value");
                let help = format!(
                    "write `{keyword} {spelled}`, or declare it as `message {}(n) on {}`",
                    quoted(message),
                    quoted(&on.name)
                );
                Err(Some(Diagnostic::error(text, *span).with_help(help)))
            }
            (None, Some(parameter)) => {
                let text = format!("`{message}` has the parameter `{parameter}`, but gets no value");
                let help = format!("give it one: `{keyword} {spelled}(1)`");
                Err(Some(Diagnostic::error(text, join(*handler_span, *message_span)).with_help(help)))
            }
            _ => Ok(((self.plain + index) as u16, at as u16)),
        }
    }
}

/// The one of the names that may have been meant, or which there are, as they are spelled.
pub(super) fn meant<'n>(name: &str, known: impl Iterator<Item = (&'n str, String)>, what: &str) -> String {
    let mut known: Vec<(usize, String)> =
        known.take(1000).map(|(known, spelled)| (distance(name, known), spelled)).collect();
    sort::by_key(&mut known, |(distance, _)| *distance);
    let Some((closest, first)) = known.first() else { return format!("there are no {what}") };
    if *closest <= 1 + name.chars().count() / 3 {
        return format!("did you mean `{first}`?");
    }
    let list: Vec<&str> = known.iter().take(8).map(|(_, spelled)| spelled.as_str()).collect();
    format!("the {what} are {}{}", list.join(", "), if known.len() > 8 { ", ..." } else { "" })
}

impl Target {
    fn span(&self) -> Span {
        join(self.handler.1, self.value.unwrap_or(self.message.1))
    }
}

/// Warns of handlers and messages that do nothing. What is posted is given by thread and message.
pub(crate) fn check_use(handlers: &Handlers, posted: impl Fn(u16, u16) -> bool, diagnostics: &mut Vec<Diagnostic>) {
    for (at, handler) in handlers.list.iter().enumerate() {
        if handler.messages.is_empty() {
            let help = format!("declare one: `message m on {} {{ }}`", quoted(&handler.name));
            diagnostics.push(Diagnostic::warning("this handler has no message", handler.span).with_help(help));
        }
        for (index, message) in handler.messages.iter().enumerate() {
            if !posted((handlers.plain + at) as u16, index as u16) {
                let value = if message.parameter.is_some() { "(1)" } else { "" };
                let spelled = format!("{}.{}{value}", quoted(&handler.name), quoted(&message.name));
                let help =
                    format!("post it in a thread with `post {spelled}`, or at the start with `initial {spelled}`");
                diagnostics.push(Diagnostic::warning("this message is never posted", message.span).with_help(help));
            }
        }
    }
}

/// The closing brace of each opening one, by index.
pub(super) fn closing_braces(tokens: &[Token]) -> FxHashMap<usize, usize> {
    let mut closing = FxHashMap::default();
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.is("{") {
            open.push(at);
        } else if token.is("}")
            && let Some(opening) = open.pop()
        {
            closing.insert(opening, at);
        }
    }
    closing
}

impl Parser<'_> {
    /// Whether the next token, one of the words `handler`, `message`, `initial` and `post`, is not a variable there.
    pub(super) fn is_word(&self, word: &str) -> bool {
        let (token, next) = (self.peek(), self.peek_second());
        let follows = match next.kind {
            Kind::Name | Kind::Quoted | Kind::Number => true,
            Kind::Symbol(_) => next.text(self.source).starts_with(char::is_alphabetic),
            _ => false,
        };
        token.kind == Kind::Name && token.text(self.source) == word && follows
    }

    /// Takes a name.
    pub(super) fn name(&mut self, what: &str, help: &str) -> Parse<(String, Span)> {
        let Some(name) = self.peek_name() else {
            let mut diagnostic = self.expected(what);
            diagnostic.help.get_or_insert(help.to_owned());
            return self.fail(diagnostic);
        };
        let token = self.take();
        Ok((name.to_owned(), token.span))
    }

    /// `handler ui queue`
    pub(super) fn handler(&mut self, declarations: &mut Declarations) -> Parse<()> {
        declarations.classes.push((self.take().span.start, TokenClass::Keyword));
        let (name, span) = self.name("the name of the handler", HANDLER_HELP)?;
        declarations.classes.push((span.start, TokenClass::Label));
        let token = self.peek();
        let is = |mailbox: &Mailbox| token.kind == Kind::Name && token.text(self.source) == mailbox.keyword();
        let mailbox = Mailbox::ALL.into_iter().find(is);
        // Without its mailbox it is still what the messages are on.
        declarations.handlers.push(HandlerDeclaration { name, mailbox: mailbox.unwrap_or(Mailbox::Queue), span });
        if mailbox.is_none() {
            let diagnostic = self.expected("the handler's mailbox, `queue` or `multiset`");
            return self.fail(Diagnostic { help: Some(HANDLER_HELP.to_owned()), ..diagnostic });
        }
        declarations.classes.push((self.take().span.start, TokenClass::Keyword));
        if self.peek().is(",") {
            let diagnostic = self.expected("`;` or the end of the line");
            return self.fail(diagnostic.with_help("declare each handler separately, with its mailbox"));
        }
        Ok(())
    }

    /// `message click(n) on ui { x := n }`
    pub(super) fn message(&mut self, declarations: &mut Declarations) -> Parse<()> {
        declarations.classes.push((self.take().span.start, TokenClass::Keyword));
        let (name, span) = self.name("the name of the message", MESSAGE_HELP)?;
        declarations.classes.push((span.start, TokenClass::Label));
        let mut parameter = None;
        if self.peek().is("(") {
            let open = self.open("(")?;
            let help = "it is `message m(n) on ui { x := n }`; without a parameter, leave out the parentheses";
            let register = self.name("the name of the parameter", help)?;
            declarations.classes.push((register.1.start, TokenClass::Register));
            if self.peek().is(",") {
                let diagnostic = self.expected("`)`");
                return self.fail(diagnostic.with_help("a message has at most one parameter"));
            }
            self.close(open, ")", "")?;
            parameter = Some(register);
        }
        let token = self.peek();
        if token.kind != Kind::Name || token.text(self.source) != "on" {
            let diagnostic = self.expected("`on` and the handler of the message");
            return self.fail(Diagnostic { help: Some(MESSAGE_HELP.to_owned()), ..diagnostic });
        }
        declarations.classes.push((self.take().span.start, TokenClass::Keyword));
        let handler = self.name("the handler of the message", MESSAGE_HELP)?;
        declarations.classes.push((handler.1.start, TokenClass::Label));
        let behind = self.at;
        self.skip_newlines();
        if !self.peek().is("{") {
            self.at = behind;
            let diagnostic = self.expected("`{`");
            return self.fail(Diagnostic { help: Some(MESSAGE_HELP.to_owned()), ..diagnostic });
        }
        let at = self.at;
        let open = self.take();
        let close = self.closing_braces.get(&at).copied();
        if close.is_none() {
            self.report(Diagnostic::error("this `{` is not closed", open.span).with_help("write the `}`"));
        }
        let end = close.unwrap_or_else(|| self.end_of_unclosed());
        let mut body = self.tokens[self.at..end].to_vec();
        body.push(Token { kind: Kind::End, span: self.tokens[end].span });
        declarations.messages.push(MessageDeclaration { name, span, parameter, handler, body });
        self.at = end;
        if close.is_some() {
            self.take();
        } else {
            declarations.unclosed = Some(end);
        }
        Ok(())
    }

    /// Goes on behind the declaration that can't be read: behind its line or its block.
    pub(super) fn recover_declaration(&mut self) {
        self.parentheses = 0;
        loop {
            let token = self.peek();
            let at = self.at;
            match token.kind {
                Kind::End | Kind::Newline | Kind::Symbol(";") => return,
                Kind::Symbol("{") => {
                    self.take();
                    self.at = match self.closing_braces.get(&at) {
                        Some(close) => close + 1,
                        None => self.end_of_unclosed(),
                    };
                    return;
                }
                Kind::Symbol("}") => {
                    self.take();
                    return;
                }
                _ => {
                    self.take();
                }
            }
        }
    }

    /// Where a block ends that is not closed: where something begins that is in none.
    pub(super) fn end_of_unclosed(&mut self) -> usize {
        let start = self.at;
        let mut end = start;
        loop {
            self.at = end;
            let token = self.tokens[end];
            let line_start = end > 0 && self.tokens[end - 1].kind == Kind::Newline;
            let begins = match token.kind {
                Kind::End | Kind::Title(_) => true,
                Kind::Symbol("||" | "exists" | "forall" | "filter" | "locations" | "shared" | "init") => true,
                _ => line_start && ["handler", "message", "initial", "object"].iter().any(|word| self.is_word(word)),
            };
            if begins {
                // Declarations go on behind the end of a line.
                end -= usize::from(line_start && end > start);
                self.at = start;
                return end;
            }
            end += 1;
        }
    }

    /// `initial ui.click(1), ui.click(2)`
    pub(super) fn initial_messages(&mut self, declarations: &mut Declarations) -> Parse<()> {
        declarations.classes.push((self.take().span.start, TokenClass::Keyword));
        loop {
            let mut target = self.target("initial", INITIAL_HELP)?;
            for (_, span) in [&target.handler, &target.message] {
                declarations.classes.push((span.start, TokenClass::Label));
            }
            let mut value = None;
            if self.peek().is("(") {
                let open = self.open("(")?;
                value = Some(self.initial_value(open)?);
                target.value = Some(join(open.span, self.last));
            }
            declarations.posts.push(InitialPost { target, value });
            if !self.accept(",") {
                return Ok(());
            }
            self.skip_newlines();
        }
    }

    /// The value of an initial message, and the parenthesis behind it.
    fn initial_value(&mut self, open: Token) -> Parse<Value> {
        let token = self.peek();
        let number = token.is("-") && self.peek_second().kind == Kind::Number;
        if token.kind != Kind::Number && !number && !token.is("&") {
            let diagnostic = self.expected("a constant");
            return self.fail(Diagnostic { help: Some(CONSTANT_HELP.to_owned()), ..diagnostic });
        }
        let value = self.constant()?;
        let next = self.peek();
        if matches!(next.kind, Kind::Symbol(_)) && !next.is(")") && self.index() == self.at {
            let diagnostic = self.expected("`)`");
            return self.fail(Diagnostic { help: Some(CONSTANT_HELP.to_owned()), ..diagnostic });
        }
        self.close(open, ")", "")?;
        Ok(value)
    }

    /// `ui.click`
    fn target(&mut self, keyword: &'static str, help: &str) -> Parse<Target> {
        let handler = self.name("the name of a handler", help)?;
        if !self.accept(".") {
            // A message's name alone would do, but its handler is part of what is said.
            let known = self.names.handlers.messages.get(&handler.0).map(|(on, _)| &self.names.handlers.list[*on]);
            let help = match known {
                Some(on) => format!("write `{keyword} {}.{}`", quoted(&on.name), quoted(&handler.0)),
                None => help.to_owned(),
            };
            let diagnostic = self.expected("`.` and the name of a message");
            return self.fail(Diagnostic { help: Some(help), ..diagnostic });
        }
        let message = self.name("the name of a message", help)?;
        Ok(Target { handler, message, value: None, keyword })
    }

    /// `post ui.click(a + 1)`
    pub(super) fn post(&mut self) -> Parse<Statement> {
        let start = self.take().span;
        let mut target = self.target("post", POST_HELP)?;
        let mut value = None;
        if self.peek().is("(") {
            let open = self.open("(")?;
            if self.peek().is(")") {
                let diagnostic = self.expected("an expression");
                return self.fail(diagnostic.with_help("without a value, leave out the parentheses: `post ui.m`"));
            }
            value = Some(self.expression(0)?.0);
            if self.peek().is(",") {
                let diagnostic = self.expected("an operator or `)`");
                return self.fail(diagnostic.with_help("a message has at most one value"));
            }
            self.close(open, ")", "an operator or ")?;
            target.value = Some(join(open.span, self.last));
        }
        // Looking for what may be meant takes long.
        if self.count(Severity::Error) >= MAX_DIAGNOSTICS {
            return Err(Failed);
        }
        match self.names.handlers.find(&target) {
            Ok((handler, message)) => {
                let kind = StatementKind::Post { handler, message, value };
                Ok(Statement { kind, span: join(start, self.last) })
            }
            Err(Some(diagnostic)) => self.fail(diagnostic),
            Err(None) => Err(Failed),
        }
    }
}

impl MessageDeclaration {
    /// The parameter and its place.
    pub(crate) fn parameter(&self) -> Option<(&str, Span)> {
        self.parameter.as_ref().map(|(name, span)| (name.as_str(), *span))
    }
}

//! C++'s way to write atomics, as C's: `x.load(std::memory_order_acquire)` becomes `atomic_load_explicit(x, memory_order_acquire)`. So do
//! the built-in functions of compilers: `__atomic_load_n(x, __ATOMIC_ACQUIRE)`.
//!
//! Tokens take the place of tokens, at the places of the text. So all that the C dialect knows, and says, holds for them as well.

use super::super::herd::{Kind, Token};

/// Methods, and the functions that take the place of them: without an order, and with one.
const METHODS: [(&str, &str, &str); 17] = [
    ("load", "atomic_load", "atomic_load_explicit"),
    ("test", "atomic_load", "atomic_load_explicit"),
    ("lock", "mtx_lock", "mtx_lock"),
    ("unlock", "mtx_unlock", "mtx_unlock"),
    ("store", "atomic_store", "atomic_store_explicit"),
    ("exchange", "atomic_exchange", "atomic_exchange_explicit"),
    ("fetch_add", "atomic_fetch_add", "atomic_fetch_add_explicit"),
    ("fetch_sub", "atomic_fetch_sub", "atomic_fetch_sub_explicit"),
    ("fetch_and", "atomic_fetch_and", "atomic_fetch_and_explicit"),
    ("fetch_or", "atomic_fetch_or", "atomic_fetch_or_explicit"),
    ("fetch_xor", "atomic_fetch_xor", "atomic_fetch_xor_explicit"),
    ("fetch_max", "atomic_fetch_max", "atomic_fetch_max_explicit"),
    ("fetch_min", "atomic_fetch_min", "atomic_fetch_min_explicit"),
    ("compare_exchange_strong", "atomic_compare_exchange_strong", "atomic_compare_exchange_strong_explicit"),
    ("compare_exchange_weak", "atomic_compare_exchange_weak", "atomic_compare_exchange_weak_explicit"),
    ("test_and_set", "atomic_flag_test_and_set", "atomic_flag_test_and_set_explicit"),
    ("clear", "atomic_flag_clear", "atomic_flag_clear_explicit"),
];

/// Methods of waiting: a loop that reads until the value is another one, and nothing, since such a loop reads by itself.
const WAIT: &str = "wait";
const NOTIFY: [&str; 2] = ["notify_one", "notify_all"];

/// Types, and what they are called in C.
const TYPES: [(&str, &str); 2] = [("mutex", "mtx_t"), ("recursive_mutex", "mtx_t")];

/// Orders as members of `std::memory_order`.
const ORDERS: [(&str, &str); 6] = [
    ("relaxed", "memory_order_relaxed"),
    ("consume", "memory_order_consume"),
    ("acquire", "memory_order_acquire"),
    ("release", "memory_order_release"),
    ("acq_rel", "memory_order_acq_rel"),
    ("seq_cst", "memory_order_seq_cst"),
];

/// What compilers have built in, and what it is called in C.
const BUILT_IN: [(&str, &str); 17] = [
    ("__ATOMIC_RELAXED", "memory_order_relaxed"),
    ("__ATOMIC_CONSUME", "memory_order_consume"),
    ("__ATOMIC_ACQUIRE", "memory_order_acquire"),
    ("__ATOMIC_RELEASE", "memory_order_release"),
    ("__ATOMIC_ACQ_REL", "memory_order_acq_rel"),
    ("__ATOMIC_SEQ_CST", "memory_order_seq_cst"),
    ("__atomic_load_n", "atomic_load_explicit"),
    ("__atomic_store_n", "atomic_store_explicit"),
    ("__atomic_exchange_n", "atomic_exchange_explicit"),
    ("__atomic_fetch_add", "atomic_fetch_add_explicit"),
    ("__atomic_fetch_sub", "atomic_fetch_sub_explicit"),
    ("__atomic_fetch_and", "atomic_fetch_and_explicit"),
    ("__atomic_fetch_or", "atomic_fetch_or_explicit"),
    ("__atomic_fetch_xor", "atomic_fetch_xor_explicit"),
    ("__atomic_thread_fence", "atomic_thread_fence"),
    ("__atomic_signal_fence", "atomic_signal_fence"),
    ("__sync_synchronize", "atomic_thread_fence"),
];

/// How deep calls of methods may be nested: each level is gone through once more.
const MAX_DEPTH: u32 = 50;

/// The tokens of a text in C.
pub(super) fn in_c(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let is_cpp = |token: &Token| {
        token.text.starts_with("__")
            || token.is("std")
            || token.is("atomic")
            || token.is("static_cast")
            || token.is(WAIT)
            || NOTIFY.contains(&token.text)
            || METHODS.iter().any(|(name, ..)| token.is(name))
    };
    if !tokens.iter().any(is_cpp) { tokens } else { with_functions(&with_names(&tokens), 0) }
}

/// Without `std::`, and with the names that C has.
fn with_names<'t>(tokens: &[Token<'t>]) -> Vec<Token<'t>> {
    let mut out = Vec::with_capacity(tokens.len());
    let at = |place: usize, text: &str| tokens.get(place).is_some_and(|token| token.is(text));
    let scope = |place: usize| at(place, ":") && at(place + 1, ":");
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        let order = ORDERS.iter().find(|(name, _)| at(place + 3, name));
        if let Some((built_in, name)) = BUILT_IN.iter().find(|(name, _)| token.is(name)) {
            out.push(Token { text: name, ..*token });
            place += 1;
            // A full fence, which says no more.
            if *built_in == "__sync_synchronize" && at(place, "(") && at(place + 1, ")") {
                let order = Token { kind: Kind::Word, text: "memory_order_seq_cst", span: token.span };
                out.extend([tokens[place], order, tokens[place + 1]]);
                place += 2;
            }
        } else if token.is("std") && scope(place + 1) {
            place += 3;
            if let Some((_, name)) = TYPES.iter().find(|(name, _)| at(place, name)) {
                out.push(Token { text: name, ..tokens[place] });
                place += 1;
            }
        } else if token.is("this_thread") && scope(place + 1) && at(place + 3, "yield") && at(place + 4, "(") {
            // It lets others run, which they may anyway.
            place += if at(place + 5, ")") { 6 } else { 5 };
        } else if token.is("static_cast") && at(place + 1, "<") {
            let Some(close) = (place + 2..tokens.len().min(place + 8)).find(|place| at(*place, ">")) else {
                out.push(*token);
                place += 1;
                continue;
            };
            out.push(Token { text: "(", ..tokens[place + 1] });
            out.extend(with_names(&tokens[place + 2..close]));
            out.push(Token { text: ")", ..tokens[close] });
            place = close + 1;
        } else if let (true, Some((_, name))) = (token.is("memory_order") && scope(place + 1), order) {
            out.push(Token { text: name, ..*token });
            place += 4;
        } else if token.is("atomic") && at(place + 1, "<") {
            let close = (place + 2..tokens.len().min(place + 8)).find(|place| at(*place, ">"));
            let Some(close) = close else {
                out.push(*token);
                place += 1;
                continue;
            };
            out.push(Token { text: "_Atomic", ..*token });
            out.push(Token { text: "(", ..tokens[place + 1] });
            out.extend(&tokens[place + 2..close]);
            out.push(Token { text: ")", ..tokens[close] });
            place = close + 1;
        } else {
            out.push(*token);
            place += 1;
        }
    }
    out
}

/// With functions in the place of methods, but for those that are nested too deep.
fn with_functions<'t>(tokens: &[Token<'t>], depth: u32) -> Vec<Token<'t>> {
    let mut out: Vec<Token<'t>> = Vec::with_capacity(tokens.len());
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        let is_access = token.is(".") || token.is("->");
        let method = tokens.get(place + 1).and_then(|name| METHODS.iter().find(|(method, ..)| name.is(method)));
        let opens = tokens.get(place + 2).is_some_and(|token| token.is("("));
        let object = object_before(&out);
        let named = |wanted: &[&str]| tokens.get(place + 1).is_some_and(|name| wanted.contains(&name.text));
        if let (Some(object), true) = (object, is_access && opens && depth < MAX_DEPTH && named(&[WAIT])) {
            let object = out.split_off(object);
            let (arguments, end) = arguments(tokens, place + 3);
            let arguments: Vec<_> = arguments.iter().map(|own| with_functions(own, depth + 1)).collect();
            push_wait(&mut out, object, &arguments, tokens[end.saturating_sub(1).min(tokens.len() - 1)]);
            place = end;
            continue;
        }
        if let (Some(object), true) = (object, is_access && opens && named(&NOTIFY)) {
            out.truncate(object);
            place = arguments(tokens, place + 3).1;
            continue;
        }
        match (method, object) {
            (Some(method), Some(object)) if is_access && opens && depth < MAX_DEPTH => {
                let object = out.split_off(object);
                let (arguments, end) = arguments(tokens, place + 3);
                let arguments: Vec<_> = arguments.iter().map(|own| with_functions(own, depth + 1)).collect();
                push_call(&mut out, *method, object, &arguments, tokens[end.saturating_sub(1).min(tokens.len() - 1)]);
                place = end;
            }
            _ => {
                out.push(*token);
                place += 1;
            }
        }
    }
    out
}

/// Where the name, or the name with an index, begins that tokens end with.
fn object_before(tokens: &[Token]) -> Option<usize> {
    let last = tokens.last()?;
    if last.kind == Kind::Word {
        return Some(tokens.len() - 1);
    }
    let open = tokens.iter().rposition(|token| token.is("[")).filter(|_| last.is("]"))?;
    open.checked_sub(1).filter(|before| tokens[*before].kind == Kind::Word)
}

/// The arguments of a call from its first one on, and where the text goes on behind its parenthesis.
fn arguments<'t>(tokens: &[Token<'t>], first: usize) -> (Vec<Vec<Token<'t>>>, usize) {
    let (mut all, mut own, mut depth) = (Vec::new(), Vec::new(), 0_u32);
    let mut place = first;
    while let Some(token) = tokens.get(place) {
        if token.kind == Kind::End {
            break;
        }
        place += 1;
        if token.is(")") && depth == 0 {
            break;
        }
        depth += u32::from(token.is("("));
        depth -= u32::from(token.is(")"));
        if token.is(",") && depth == 0 {
            all.push(std::mem::take(&mut own));
        } else {
            own.push(*token);
        }
    }
    if !own.is_empty() {
        all.push(own);
    }
    (all, place)
}

fn push_call<'t>(
    out: &mut Vec<Token<'t>>,
    (method, plain, explicit): (&str, &'static str, &'static str),
    object: Vec<Token<'t>>,
    arguments: &[Vec<Token<'t>>],
    end: Token<'t>,
) {
    let symbol = |text: &'static str, at: &Token<'t>| Token { kind: Kind::Symbol, text, span: at.span };
    let first = object[0];
    let order = |argument: &[Token]| matches!(argument, [order] if order.text.starts_with("memory_order"));
    let orders = arguments.iter().rev().take_while(|argument| order(argument)).count();
    let compares = method.starts_with("compare");
    out.push(Token { kind: Kind::Word, text: if orders > 0 { explicit } else { plain }, span: first.span });
    out.push(symbol("(", &first));
    // An element is given by its address.
    if object.len() > 1 {
        out.push(symbol("&", &first));
    }
    out.extend(object);
    for (place, argument) in arguments.iter().enumerate() {
        let at = argument.first().copied().unwrap_or(end);
        out.push(symbol(",", &at));
        // The expected value is passed by reference.
        if compares && place == 0 && !argument.first().is_some_and(|token| token.is("&")) {
            out.push(symbol("&", &at));
        }
        out.extend(argument);
        // With one order, a failure has what of it makes sense for a load.
        if compares && orders == 1 && place + 1 == arguments.len() {
            let text = match at.text {
                "memory_order_acq_rel" => "memory_order_acquire",
                "memory_order_release" => "memory_order_relaxed",
                text => text,
            };
            out.push(symbol(",", &at));
            out.push(Token { text, ..at });
        }
    }
    out.push(symbol(")", &end));
}

/// `while (atomic_load(x) == (value))`, which a semicolon follows.
fn push_wait<'t>(out: &mut Vec<Token<'t>>, object: Vec<Token<'t>>, arguments: &[Vec<Token<'t>>], end: Token<'t>) {
    let first = object[0];
    let symbol = |text: &'static str| Token { kind: Kind::Symbol, text, span: end.span };
    let (value, order) = arguments.split_first().map_or((&[][..], &[][..]), |(value, order)| (value.as_slice(), order));
    out.extend([Token { kind: Kind::Word, text: "while", span: first.span }, symbol("(")]);
    push_call(out, METHODS[0], object, order, end);
    out.extend([symbol("=="), symbol("(")]);
    out.extend(value);
    out.extend([symbol(")"), symbol(")")]);
}

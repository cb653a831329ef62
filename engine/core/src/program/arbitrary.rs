//! Random programs, for property tests.

use super::{
    Access, AccessKind, Address, BinaryOperator, CasResult, Comparison, Condition, DeclaredRange, Expression,
    InitialInput, Input, Integer, Mailbox, Message, Mode, Object, ObjectId, Observable, Origin, Place, PlaceKind,
    Premise, Program, Proposition, Quantifier, RegisterId, Span, Statement, StatementKind, Term, Thread, ThreadKind,
    UnaryOperator, UpdateOperator, Value,
};
use proptest::collection::vec;
use proptest::option::{of, weighted};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// How many registers each thread has at most: expressions pick from as many.
const REGISTERS: u16 = 4;

const RMW_MODES: &[Mode] =
    &[Mode::NonAtomic, Mode::Relaxed, Mode::Acquire, Mode::Release, Mode::AcquireRelease, Mode::SequentiallyConsistent];
const FENCE_MODES: &[Mode] =
    &[Mode::Relaxed, Mode::Acquire, Mode::Release, Mode::AcquireRelease, Mode::SequentiallyConsistent];
const READ_MODES: &[Mode] = &[Mode::NonAtomic, Mode::Relaxed, Mode::Acquire, Mode::SequentiallyConsistent];
const WRITE_MODES: &[Mode] = &[Mode::NonAtomic, Mode::Relaxed, Mode::Release, Mode::SequentiallyConsistent];
const BINARY: &[BinaryOperator] = &[
    BinaryOperator::Add,
    BinaryOperator::Subtract,
    BinaryOperator::Multiply,
    BinaryOperator::Divide,
    BinaryOperator::Remainder,
    BinaryOperator::BitAnd,
    BinaryOperator::BitOr,
    BinaryOperator::BitXor,
    BinaryOperator::ShiftLeft,
    BinaryOperator::ShiftRight,
    BinaryOperator::Equal,
    BinaryOperator::NotEqual,
    BinaryOperator::Less,
    BinaryOperator::LessOrEqual,
    BinaryOperator::Greater,
    BinaryOperator::GreaterOrEqual,
    BinaryOperator::And,
    BinaryOperator::Or,
];
const UPDATES: &[UpdateOperator] = &[
    UpdateOperator::Add,
    UpdateOperator::Subtract,
    UpdateOperator::And,
    UpdateOperator::Or,
    UpdateOperator::Xor,
    UpdateOperator::Exchange,
];
const COMPARISONS: &[Comparison] = &[
    Comparison::Equal,
    Comparison::NotEqual,
    Comparison::Less,
    Comparison::LessOrEqual,
    Comparison::Greater,
    Comparison::GreaterOrEqual,
];

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![8 => 0..4i64, 1 => any::<Value>(), 1 => select(&[Value::MIN, Value::MAX, -1][..])]
}

fn register() -> impl Strategy<Value = RegisterId> {
    (0..REGISTERS).prop_map(RegisterId)
}

/// The address of one of `objects` objects, or of what lies beside it.
fn address(objects: u16) -> impl Strategy<Value = Value> {
    (0..objects, -1..4i32).prop_map(|(object, offset)| Address { object: ObjectId(object), offset }.value())
}

/// A place of one of `objects` objects, whose index, if any, comes from `operand`, as the address of others does.
fn place(objects: u16, operand: BoxedStrategy<Expression>) -> impl Strategy<Value = Place> {
    let element = (0..objects, weighted(0.3, operand.clone()))
        .prop_map(|(object, index)| PlaceKind::Element { object: ObjectId(object), index });
    prop_oneof![4 => element, 1 => operand.prop_map(PlaceKind::Pointee)]
        .prop_map(|kind| Place { kind, span: Span::default() })
}

fn access(objects: u16, operand: BoxedStrategy<Expression>) -> impl Strategy<Value = Access> {
    let kind = prop_oneof![
        3 => select(READ_MODES).prop_map(|mode| (AccessKind::Read, mode)),
        1 => Just((AccessKind::Receive, Mode::Relaxed)),
        2 => (select(UPDATES), operand.clone(), select(RMW_MODES))
            .prop_map(|(operator, operand, mode)| (AccessKind::Update { operator, operand, integer: Integer::Int64 }, mode)),
        1 => (operand.clone(), operand.clone(), of(register()), select(READ_MODES), select(RMW_MODES), any::<bool>()).prop_map(
            |(expected, desired, register, failure, mode, weak)| {
                let (expected, result) = match register {
                    Some(register) => (Expression::Register(register), CasResult::Success(register)),
                    None => (expected, CasResult::ValueRead),
                };
                (AccessKind::CompareAndSwap { expected, desired, failure, weak, result }, mode)
            },
        ),
    ];
    (kind, place(objects, operand)).prop_map(|((kind, mode), place)| Access {
        kind,
        place,
        mode,
        span: Span::default(),
    })
}

fn expression(objects: u16) -> BoxedStrategy<Expression> {
    let leaf = prop_oneof![value().prop_map(Expression::Constant), register().prop_map(Expression::Register)].boxed();
    let leaf = match objects {
        0 => leaf,
        _ => prop_oneof![6 => leaf, 1 => address(objects).prop_map(Expression::Constant)].boxed(),
    };
    let inner = move |inner: BoxedStrategy<Expression>| {
        let unary = select(&[UnaryOperator::Negate, UnaryOperator::Complement, UnaryOperator::Not][..]);
        let local = prop_oneof![
            1 => (unary, inner.clone()).prop_map(|(operator, e)| Expression::Unary(operator, Box::new(e))),
            3 => (select(BINARY), inner.clone(), inner.clone())
                .prop_map(|(operator, l, r)| Expression::Binary(operator, Box::new(l), Box::new(r))),
        ];
        if objects == 0 {
            return local.boxed();
        }
        let shared = access(objects, inner).prop_map(|access| Expression::Access(Box::new(access)));
        prop_oneof![2 => local, 1 => shared].boxed()
    };
    leaf.prop_recursive(4, 16, 3, inner).boxed()
}

fn input(objects: u16) -> BoxedStrategy<Input> {
    let range = (value(), value()).prop_map(|(one, other)| Input::Range(one.min(other), one.max(other))).boxed();
    let value = match objects {
        0 => value().boxed(),
        _ => prop_oneof![6 => value(), 1 => address(objects)].boxed(),
    };
    let listed =
        proptest::collection::hash_set(value, 1..4).prop_map(|values| Input::Values(values.into_iter().collect()));
    let chosen = prop_oneof![range, listed];
    (chosen, proptest::bool::weighted(0.2))
        .prop_map(|(input, random)| if random { Input::Random(Box::new(input)) } else { input })
        .boxed()
}

/// The range of an object that has all its initial values, and one more.
fn range(objects: &[Object], inputs: &[InitialInput], object: usize) -> DeclaredRange {
    let of_object = inputs.iter().filter(|initial| usize::from(initial.object.0) == object);
    let ends = |input: &Input| match input {
        Input::Range(first, last) => vec![*first, *last],
        other => other.values().collect(),
    };
    let values: Vec<Value> =
        of_object.flat_map(|initial| ends(&initial.input)).chain(objects[object].initial.iter().copied()).collect();
    let (first, last) = (values.iter().min().copied(), values.iter().max().copied());
    DeclaredRange {
        object: ObjectId(object as u16),
        first: first.unwrap_or_default(),
        last: last.unwrap_or_default().saturating_add(1),
        span: Span::default(),
    }
}

fn statement(objects: u16) -> BoxedStrategy<Statement> {
    let e = expression(objects);
    let made = |kind| Statement { kind, span: Span::default() };
    let local = prop_oneof![
        4 => (register(), e.clone()).prop_map(|(register, value)| StatementKind::Assign { register, value }),
        1 => e.clone().prop_map(StatementKind::Evaluate),
        1 => select(FENCE_MODES).prop_map(StatementKind::Fence),
        1 => e.clone().prop_map(StatementKind::Assert),
        1 => e.clone().prop_map(StatementKind::Assume),
        1 => (register(), input(objects)).prop_map(|(register, input)| StatementKind::Input { register, input: Box::new(input) }),
        1 => Just(StatementKind::Skip),
    ];
    let leaf = if objects == 0 {
        local.boxed()
    } else {
        let place = place(objects, e.clone()).boxed();
        prop_oneof![
            2 => local,
            1 => (place.clone(), select(WRITE_MODES), e.clone())
                .prop_map(|(place, mode, value)| StatementKind::Write { place, mode, value }),
            1 => (place.clone(), any::<bool>())
                .prop_map(|(place, lock)| if lock { StatementKind::Lock(place) } else { StatementKind::Unlock(place) }),
            1 => (place, e.clone()).prop_map(|(place, value)| StatementKind::Send { place, value }),
        ]
        .boxed()
    };
    leaf.prop_map(made)
        .prop_recursive(3, 12, 3, move |inner| {
            let body = vec(inner, 0..3).boxed();
            prop_oneof![
                2 => (e.clone(), body.clone(), body.clone())
                    .prop_map(|(condition, then, otherwise)| StatementKind::If { condition, then, otherwise }),
                1 => (e.clone(), body.clone()).prop_map(|(condition, body)| StatementKind::While { condition, body }),
                1 => (e.clone(), body.clone()).prop_map(|(until, body)| StatementKind::Repeat { body, until }),
                1 => body.prop_map(StatementKind::Atomic),
            ]
            .prop_map(made)
        })
        .boxed()
}

fn proposition(observables: Vec<Observable>, objects: u16) -> BoxedStrategy<Proposition> {
    let value = || match objects {
        0 => value().boxed(),
        _ => prop_oneof![6 => value(), 1 => address(objects)].boxed(),
    };
    let term = if observables.is_empty() {
        value().prop_map(Term::Constant).boxed()
    } else {
        prop_oneof![value().prop_map(Term::Constant), select(observables).prop_map(Term::Observable)].boxed()
    };
    let compare = (term.clone(), select(COMPARISONS), term).prop_map(|(l, c, r)| Proposition::Compare(l, c, r));
    let leaf = prop_oneof![1 => Just(Proposition::True), 1 => Just(Proposition::False), 8 => compare];
    leaf.prop_recursive(4, 12, 2, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            inner.prop_map(|p| Proposition::Not(Box::new(p))),
            pair.clone().prop_map(|(p, q)| Proposition::And(Box::new(p), Box::new(q))),
            pair.prop_map(|(p, q)| Proposition::Or(Box::new(p), Box::new(q))),
        ]
    })
    .boxed()
}

fn objects() -> impl Strategy<Value = Vec<Object>> {
    let names = &["x", "y", "z", "lock", "flag", "q", "load", "sc", "a b", "none", "atomic", "assuming"][..];
    // Where there are initial values, there is an object.
    let value = || prop_oneof![6 => value(), 1 => address(1)];
    let initial = prop_oneof![
        3 => value().prop_map(|value| (false, vec![value])),
        1 => vec(value(), 1..4).prop_map(|values| (true, values)),
    ];
    prop_oneof![1 => Just(0), 8 => 1..4usize]
        .prop_flat_map(move |count| {
            (proptest::sample::subsequence(names, count).prop_shuffle(), vec(initial.clone(), count))
        })
        .prop_map(|(names, values)| {
            let make = |(name, (array, initial)): (&str, (bool, Vec<Value>))| Object {
                name: name.to_owned(),
                uninitialised: initial.len() % 2 == 1 && initial.iter().all(|value| *value == 0),
                initial,
                integer: Integer::Int64,
                array,
                origin: Origin::Declared,
                span: Span::default(),
            };
            names.into_iter().zip(values).map(make).collect()
        })
}

fn thread(objects: u16) -> impl Strategy<Value = Thread> {
    let names = &["a", "b", "r0", "r1", "EAX", "if", "fai", "_", "w", "%x", "model", "a'", "P0", "none"][..];
    let count = REGISTERS as usize;
    let initial = prop_oneof![3 => Just(vec![0; count]), 1 => vec(value(), count)];
    let registers = proptest::sample::subsequence(names, count).prop_shuffle();
    (registers, initial, vec(statement(objects), 0..5)).prop_map(|(registers, initial, body)| Thread {
        registers: registers.into_iter().map(str::to_owned).collect(),
        initial,
        body,
        ..Thread::default()
    })
}

/// Handlers that post nothing.
fn handlers(objects: u16) -> impl Strategy<Value = Vec<Thread>> {
    let message = (of(register()), vec(statement(objects), 0..3)).prop_map(|(parameter, body)| Message {
        name: String::new(),
        parameter,
        body,
        span: Span::default(),
    });
    let handler =
        (thread(objects), select(&Mailbox::ALL[..]), vec(message, 0..4)).prop_map(|(thread, mailbox, messages)| {
            Thread {
                kind: ThreadKind::Handler { mailbox, messages, span: Span::default() },
                body: Vec::new(),
                ..thread
            }
        });
    let names = ["ui", "net", "queue", "on", "post", "lock", "h 1", "load"];
    let named = (vec(handler, 1..3), Just(names).prop_shuffle()).prop_map(|(mut handlers, names)| {
        for (handler, name) in handlers.iter_mut().zip(names) {
            handler.name = Some(name.to_owned());
        }
        handlers
    });
    let messages = ["k", "x", "a", "send", "cas", "message", "P0", "m n", "if", "handler"];
    (named, Just(messages).prop_shuffle()).prop_map(|(mut handlers, names)| {
        let mut names = names.into_iter();
        for handler in &mut handlers {
            let ThreadKind::Handler { messages, .. } = &mut handler.kind else { continue };
            for (message, name) in messages.iter_mut().zip(&mut names) {
                message.name = name.to_owned();
            }
        }
        handlers
    })
}

/// A post: where it is inserted, which message it is about, and the value, if that takes one.
type Post = (Index, Index, Index, Expression);

/// Adds handlers behind the threads, posts anywhere, and what is posted at the start.
fn add_handlers(threads: &mut Vec<Thread>, handlers: Vec<Thread>, posts: Vec<Post>, initial: Vec<(Index, Value)>) {
    let plain = threads.len();
    threads.extend(handlers);
    let known: Vec<(u16, u16, bool)> = (plain..threads.len())
        .flat_map(|thread| {
            let messages = threads[thread].messages().iter().enumerate();
            messages.map(move |(at, message)| (thread as u16, at as u16, message.parameter.is_some()))
        })
        .collect();
    if known.is_empty() {
        return;
    }
    let post = |message: Index, value| {
        let (handler, message, takes_one) = known[message.index(known.len())];
        let kind = StatementKind::Post { handler, message, value: takes_one.then_some(value) };
        Statement { kind, span: Span::default() }
    };
    for (place, at, message, value) in posts {
        let mut bodies: Vec<&mut Vec<Statement>> = Vec::new();
        for thread in threads.iter_mut() {
            match &mut thread.kind {
                ThreadKind::Handler { messages, .. } => bodies.extend(messages.iter_mut().map(|m| &mut m.body)),
                _ => bodies.push(&mut thread.body),
            }
        }
        let chosen = place.index(bodies.len());
        let body = &mut bodies[chosen];
        body.insert(at.index(body.len() + 1), post(message, value));
    }
    let body: Vec<Statement> =
        initial.into_iter().map(|(message, value)| post(message, Expression::Constant(value))).collect();
    if !body.is_empty() {
        threads.push(Thread { kind: ThreadKind::Start, name: Some("start".to_owned()), body, ..Thread::default() });
    }
}

/// Plain threads, and now and then handlers.
fn threads(objects: u16) -> impl Strategy<Value = Vec<Thread>> {
    let value = match objects {
        0 => value().boxed(),
        _ => prop_oneof![6 => value(), 1 => address(objects)].boxed(),
    };
    let post = (any::<Index>(), any::<Index>(), any::<Index>(), expression(objects));
    let with_handlers =
        (vec(thread(objects), 0..3), handlers(objects), vec(post, 0..4), vec((any::<Index>(), value), 0..3)).prop_map(
            |(mut threads, handlers, posts, initial)| {
                add_handlers(&mut threads, handlers, posts, initial);
                threads
            },
        );
    prop_oneof![4 => vec(thread(objects), 1..4), 1 => with_handlers]
}

/// A valid program: each register and offset that its condition mentions exists, and no access has a mode that makes no
/// sense for it. It need not end, nor stay inside its arrays.
pub(crate) fn program() -> impl Strategy<Value = Program> {
    let parts = objects().prop_flat_map(|objects| {
        let threads = threads(objects.len() as u16);
        (Just(objects), threads)
    });
    let named = parts.prop_flat_map(|(objects, mut threads)| {
        // No thread has both a register and something shared of the same name.
        for register in threads.iter_mut().flat_map(|thread| &mut thread.registers) {
            if objects.iter().any(|object| object.name == *register) {
                register.push_str("_local");
            }
        }
        let mut observables = Vec::new();
        for thread in 0..threads.len() as u16 {
            let register = |register| Observable::Register { thread, register: RegisterId(register) };
            observables.extend((0..threads[usize::from(thread)].registers.len() as u16).map(register));
        }
        for (at, object) in objects.iter().enumerate() {
            let location = |offset| Observable::Location { object: ObjectId(at as u16), offset };
            observables.extend((0..object.initial.len() as u32).map(location));
        }
        let proposition = proposition(observables.clone(), objects.len() as u16);
        let quantifier = select(&[Quantifier::Exists, Quantifier::NotExists, Quantifier::ForAll][..]);
        let condition = (quantifier, proposition.clone());
        let name = select(&["", "SB", "MP+rel+acq", "two words", "a \"b\" # c", "x; y \\"][..]);
        let model = of(select(&["tso", "rc11", "sc", "my model"][..]));
        let observed = of(vec(select(observables), 0..4));
        (Just((objects, threads)), (name, model), observed, of(proposition), of(condition))
    });
    let started = named.prop_flat_map(|named| {
        let objects = named.0.0.len() as u16;
        let inputs = match objects {
            0 => Just(Vec::new()).boxed(),
            _ => vec((any::<Index>(), any::<Index>(), input(objects)), 0..3).boxed(),
        };
        (Just(named), inputs, of(any::<Index>()), of((select(COMPARED), any::<Index>(), value())))
    });
    started.prop_map(|(((objects, threads), (name, model), observed, filter, condition), chosen, ranged, assumed)| {
        let (objects, inputs) = with_inputs(objects, chosen);
        let ranged = ranged.filter(|_| !objects.is_empty()).map(|ranged| ranged.index(objects.len()));
        let ranges = ranged.into_iter().map(|object| range(&objects, &inputs, object)).collect();
        let assuming = assumed.filter(|_| !objects.is_empty()).map(|(operator, object, value)| {
            let object = ObjectId(object.index(objects.len()) as u16);
            let index = objects[usize::from(object.0)].array.then_some(Expression::Constant(0));
            let place = Place::element(object, index, Span::default());
            let access = Access { kind: AccessKind::Read, place, mode: Mode::Relaxed, span: Span::default() };
            let read = Expression::Access(Box::new(access));
            let condition = Expression::Binary(operator, Box::new(read), Box::new(Expression::Constant(value)));
            Statement { kind: StatementKind::Assume(condition), span: Span::default() }
        });
        Program {
            name: name.to_owned(),
            notation: super::Notation::Litmoscope,
            model: model.map(|model| (model.to_owned(), Span::default())),
            objects,
            structures: Vec::new(),
            premise: Premise::of(inputs, ranges, assuming),
            before: None,
            threads,
            observed,
            filter,
            condition: condition.map(|(quantifier, proposition)| Condition {
                quantifier,
                proposition,
                span: Span::default(),
            }),
        }
    })
}

const COMPARED: &[BinaryOperator] = &[BinaryOperator::Equal, BinaryOperator::Less, BinaryOperator::NotEqual];

/// The objects, some of whose initial values are inputs.
fn with_inputs(mut objects: Vec<Object>, chosen: Vec<(Index, Index, Input)>) -> (Vec<Object>, Vec<InitialInput>) {
    let mut inputs: Vec<InitialInput> = Vec::new();
    for (object, offset, input) in chosen {
        let at = object.index(objects.len());
        let offset = offset.index(objects[at].initial.len());
        let initial = InitialInput { object: ObjectId(at as u16), offset: offset as u32, input: input.plain().clone() };
        if inputs.iter().any(|other| (other.object, other.offset) == (initial.object, initial.offset)) {
            continue;
        }
        objects[at].initial[offset] = initial.input.first();
        objects[at].uninitialised = false;
        inputs.push(initial);
    }
    crate::sort::by_key(&mut inputs, |initial| (initial.object, initial.offset));
    (objects, inputs)
}

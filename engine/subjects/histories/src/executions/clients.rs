//! Clients of an object: threads that call its methods, all there are up to a size.

use crate::program::{Expression, Program, RegisterId, Role, Span, Statement, StatementKind, Structure, Thread, Value};

/// The methods that each thread calls, by their places in the object.
pub type Client = Vec<Vec<u16>>;

/// All clients of so many operations in at most so many threads that call these methods, up to exchanging threads. There are
/// exponentially many.
pub fn clients(methods: &[u16], operations: usize, threads: usize) -> Vec<Client> {
    let mut found = Vec::new();
    grow(methods, operations, threads, &mut Vec::new(), &mut found);
    found
}

/// Adds threads that are no longer, and, if as long, no later in the list of their length, than the last one.
fn grow(methods: &[u16], left: usize, threads: usize, so_far: &mut Client, found: &mut Vec<Client>) {
    if left == 0 {
        found.push(so_far.clone());
        return;
    }
    if threads == 0 {
        return;
    }
    let most = so_far.last().map_or(left, |last| last.len().min(left));
    for length in (1..=most).rev() {
        for calls in sequences(methods, length) {
            if so_far.last().is_some_and(|last| last.len() == length && *last < calls) {
                continue;
            }
            so_far.push(calls);
            grow(methods, left - length, threads - 1, so_far, found);
            so_far.pop();
        }
    }
}

/// All sequences of a length, in order.
fn sequences(methods: &[u16], length: usize) -> Vec<Vec<u16>> {
    (0..length).fold(vec![Vec::new()], |shorter, _| {
        let longer = |calls: Vec<u16>| methods.iter().map(move |method| [&calls[..], &[*method]].concat());
        shorter.into_iter().flat_map(longer).collect()
    })
}

/// The methods of an object that threads call.
pub fn operations_of(structure: &Structure) -> Vec<u16> {
    (0..structure.methods.len() as u16).filter(|at| structure.methods[usize::from(*at)].role.is_some()).collect()
}

/// The program with this client of an object in place of its threads, nothing before and behind them, and no condition. What is inserted or written is 1, 2, ... from
/// left to right; what removes, looks for or compares with a given value takes the values in turn, as far as some are inserted.
/// Parameters in front of an operation's values are the number of its thread.
///
/// # Panics
/// If there is no such object or method.
pub fn with_client(program: &Program, structure: u16, client: &Client) -> Program {
    let declared = &program.structures[usize::from(structure)];
    let role = |method: u16| declared.methods[usize::from(method)].role;
    let gives = |role: Role| matches!(role, Role::Insert | Role::Write | Role::CompareAndSet);
    let given = client.iter().flatten().filter(|method| role(**method).is_some_and(gives)).count().max(1);
    let (mut new, mut asked) = (0, 0);
    let mut thread = |(number, calls): (usize, &Vec<u16>)| {
        let mut thread = Thread::default();
        for &called in calls {
            let method = &declared.methods[usize::from(called)];
            let mut value = |gives: bool| {
                let count: &mut usize = if gives { &mut new } else { &mut asked };
                *count += 1;
                (if gives { *count } else { (*count - 1) % given + 1 }) as Value
            };
            let values = match method.role {
                Some(Role::CompareAndSet) => vec![value(false), value(true)],
                Some(Role::Insert | Role::Write) => vec![value(true)],
                Some(Role::Remove | Role::Contains) => vec![value(false)],
                Some(Role::Increase) if method.parameters > 0 => vec![1],
                _ => vec![],
            };
            let own = usize::from(method.parameters).saturating_sub(values.len());
            let arguments = std::iter::repeat_n(number as Value, own).chain(values);
            let result = method.returns_value().then(|| {
                thread.registers.push(format!("a{}", thread.registers.len() + 1));
                thread.initial.push(0);
                RegisterId(thread.registers.len() as u16 - 1)
            });
            let arguments = arguments.map(Expression::Constant).collect();
            let kind = StatementKind::Call { structure, method: called, arguments, result };
            thread.body.push(Statement { kind, span: Span::default() });
        }
        thread
    };
    let threads = client.iter().enumerate().map(&mut thread).collect();
    Program { before: None, threads, condition: None, observed: None, filter: None, ..program.clone() }
}

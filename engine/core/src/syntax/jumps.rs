//! From jumps to statements: `if`, `else` and loops where the jumps are those of such, or else a register that says
//! which piece of the program comes next.

use crate::program::{BinaryOperator, Expression, RegisterId, Span, Statement, StatementKind, UnaryOperator, Value};
use std::ops::Range;

/// A line of a thread without its labels.
pub(super) enum Step {
    Do(Statement),
    /// Goes to the step of that number, or to the end, if the condition holds or there is none.
    Jump {
        target: usize,
        condition: Option<Expression>,
        span: Span,
    },
}

/// What an assignment to these registers, which no thread has, stands for until all labels are known: a label's number is the value.
const GOTO: RegisterId = RegisterId(u16::MAX);
const LABEL: RegisterId = RegisterId(u16::MAX - 1);

fn marker(register: RegisterId, label: u32, span: Span) -> Statement {
    let value = Expression::Constant(Value::from(label));
    Statement { kind: StatementKind::Assign { register, value }, span }
}

/// A jump to a label, to be resolved ([`resolve`]).
pub(super) fn goto(label: u32, span: Span) -> Statement {
    marker(GOTO, label, span)
}

/// A label, to be resolved ([`resolve`]).
pub(super) fn label(label: u32, span: Span) -> Statement {
    marker(LABEL, label, span)
}

/// The label of a marker.
fn marked(statement: &Statement, wanted: RegisterId) -> Option<u32> {
    match &statement.kind {
        StatementKind::Assign { register, value: Expression::Constant(label) } if *register == wanted => {
            u32::try_from(*label).ok()
        }
        _ => None,
    }
}

/// Calls `see` with all labels and jumps among statements: the label's number, and whether it is a jump.
pub(super) fn each_mark(statements: &[Statement], see: &mut dyn FnMut(u32, bool)) {
    for statement in statements {
        if let Some(label) = marked(statement, LABEL) {
            see(label, false);
        } else if let Some(label) = marked(statement, GOTO) {
            see(label, true);
        }
        match &statement.kind {
            StatementKind::If { then, otherwise, .. } => {
                each_mark(then, see);
                each_mark(otherwise, see);
            }
            StatementKind::While { body, .. } | StatementKind::Repeat { body, .. } | StatementKind::Atomic(body) => {
                each_mark(body, see);
            }
            _ => {}
        }
    }
}

/// The statements without jumps to labels, all of which are among them. Labels that nobody jumps to are left out.
pub(super) fn resolve<E>(
    statements: Vec<Statement>,
    fresh: impl FnOnce() -> Result<RegisterId, E>,
) -> Result<Vec<Statement>, E> {
    let (mut any, mut jumps) = (false, false);
    each_mark(&statements, &mut |_, is_jump| (any, jumps) = (true, jumps || is_jump));
    if !any {
        return Ok(statements);
    }
    if !jumps {
        return Ok(without_labels(statements));
    }
    let mut flat = Flat::default();
    flat.all(statements);
    for (at, label) in std::mem::take(&mut flat.open) {
        let to = flat.labels.iter().find(|(known, _)| *known == label).map_or(flat.steps.len(), |(_, to)| *to);
        if let Some(Step::Jump { target, .. }) = flat.steps.get_mut(at) {
            *target = to;
        }
    }
    let mut next = None;
    let mut statements = structure(&flat.steps, || fresh().inspect(|register| next = Some(*register)))?;
    if let Some(register) = next {
        // They may be in a loop: each round begins with the first piece.
        let span = statements.first().map_or(Span::default(), |first| first.span);
        let kind = StatementKind::Assign { register, value: Expression::Constant(0) };
        statements.insert(0, Statement { kind, span });
    }
    Ok(statements)
}

fn without_labels(statements: Vec<Statement>) -> Vec<Statement> {
    let mut kept: Vec<Statement> = statements.into_iter().filter(|one| marked(one, LABEL).is_none()).collect();
    for statement in &mut kept {
        match &mut statement.kind {
            StatementKind::If { then, otherwise, .. } => {
                *then = without_labels(std::mem::take(then));
                *otherwise = without_labels(std::mem::take(otherwise));
            }
            StatementKind::While { body, .. } | StatementKind::Repeat { body, .. } | StatementKind::Atomic(body) => {
                *body = without_labels(std::mem::take(body));
            }
            _ => {}
        }
    }
    kept
}

/// Statements as steps.
#[derive(Default)]
struct Flat {
    steps: Vec<Step>,
    /// Where each label leads.
    labels: Vec<(u32, usize)>,
    /// Jumps to labels.
    open: Vec<(usize, u32)>,
}

impl Flat {
    fn jump(&mut self, target: usize, condition: Option<Expression>, span: Span) -> usize {
        self.steps.push(Step::Jump { target, condition, span });
        self.steps.len() - 1
    }

    /// Lets a jump lead to what comes next.
    fn lead_here(&mut self, jump: usize) {
        let here = self.steps.len();
        if let Some(Step::Jump { target, .. }) = self.steps.get_mut(jump) {
            *target = here;
        }
    }

    fn all(&mut self, statements: Vec<Statement>) {
        for statement in statements {
            self.one(statement);
        }
    }

    fn one(&mut self, statement: Statement) {
        let span = statement.span;
        if let Some(label) = marked(&statement, LABEL) {
            self.labels.push((label, self.steps.len()));
            return;
        }
        if let Some(label) = marked(&statement, GOTO) {
            let at = self.jump(0, None, span);
            self.open.push((at, label));
            return;
        }
        match statement.kind {
            StatementKind::If { condition, then, otherwise } => {
                if let ([only], []) = (&then[..], &otherwise[..])
                    && let Some(label) = marked(only, GOTO)
                {
                    let at = self.jump(0, Some(condition), span);
                    self.open.push((at, label));
                    return;
                }
                let skip = self.jump(0, Some(opposite(condition)), span);
                self.all(then);
                if otherwise.is_empty() {
                    self.lead_here(skip);
                } else {
                    let end = self.jump(0, None, span);
                    self.lead_here(skip);
                    self.all(otherwise);
                    self.lead_here(end);
                }
            }
            StatementKind::While { condition, body } => {
                let start = self.steps.len();
                let end = self.jump(0, Some(opposite(condition)), span);
                self.all(body);
                self.jump(start, None, span);
                self.lead_here(end);
            }
            StatementKind::Repeat { body, until } => {
                let start = self.steps.len();
                self.all(body);
                self.jump(start, Some(opposite(until)), span);
            }
            kind => self.steps.push(Step::Do(Statement { kind, span })),
        }
    }
}

/// How deep statements may nest.
const MAX_DEPTH: u32 = 100;

/// The statements that do what the steps do; `fresh` makes a register.
pub(super) fn structure<E>(steps: &[Step], fresh: impl FnOnce() -> Result<RegisterId, E>) -> Result<Vec<Statement>, E> {
    let mut last_back = vec![None; steps.len() + 1];
    let mut targeted = vec![0_u32; steps.len() + 2];
    for (at, step) in steps.iter().enumerate() {
        if let Step::Jump { target, .. } = step {
            targeted[*target + 1] += 1;
            if *target <= at {
                last_back[*target] = Some(at);
            }
        }
    }
    // Up to each step, how many jumps go before it.
    for at in 1..targeted.len() {
        targeted[at] += targeted[at - 1];
    }
    let structurer = Structurer { steps, last_back, targeted };
    match structurer.range(0..steps.len(), 0) {
        Some(statements) => Ok(statements),
        None => Ok(pieces(steps, fresh()?)),
    }
}

struct Structurer<'s> {
    steps: &'s [Step],
    /// By step: the last jump back to it.
    last_back: Vec<Option<usize>>,
    targeted: Vec<u32>,
}

impl Structurer<'_> {
    /// `None` if the jumps are not those of structured statements.
    fn range(&self, range: Range<usize>, depth: u32) -> Option<Vec<Statement>> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut statements = Vec::new();
        let mut at = range.start;
        while at < range.end {
            if let Some(back) = self.last_back[at].filter(|back| *back < range.end) {
                self.repeated(at, back, depth, &mut statements)?;
                at = back + 1;
                continue;
            }
            match &self.steps[at] {
                Step::Do(statement) => {
                    statements.push(statement.clone());
                    at += 1;
                }
                Step::Jump { target, .. } if *target <= at || *target > range.end => return None,
                Step::Jump { target, condition: None, .. } => {
                    // What is jumped over is never done, unless something else jumps there.
                    if self.targeted[*target] > self.targeted[at + 1] {
                        return None;
                    }
                    at = *target;
                }
                Step::Jump { target, condition: Some(condition), span } => {
                    let end = match self.steps[*target - 1] {
                        Step::Jump { target: end, condition: None, .. }
                            if *target - 1 > at && end > *target && end <= range.end =>
                        {
                            Some(end)
                        }
                        _ => None,
                    };
                    let then = self.range(at + 1..*target - usize::from(end.is_some()), depth + 1)?;
                    let otherwise = match end {
                        Some(end) => self.range(*target..end, depth + 1)?,
                        None => Vec::new(),
                    };
                    at = end.unwrap_or(*target);
                    let condition = opposite(condition.clone());
                    statements.push(Statement { kind: StatementKind::If { condition, then, otherwise }, span: *span });
                }
            }
        }
        Some(statements)
    }

    /// The loop from a step to the last jump back to it.
    fn repeated(&self, start: usize, back: usize, depth: u32, into: &mut Vec<Statement>) -> Option<()> {
        let Step::Jump { condition, span, .. } = &self.steps[back] else { return None };
        let made = |kind| Statement { kind, span: *span };
        if let Some(condition) = condition {
            let body = self.range(start..back, depth + 1)?;
            into.push(made(StatementKind::Repeat { body, until: opposite(condition.clone()) }));
            return Some(());
        }
        // What is done before the first jump out of the loop is done before each test.
        let mut before = Vec::new();
        for at in start..back {
            match &self.steps[at] {
                Step::Do(statement) => before.push(statement.clone()),
                Step::Jump { target, condition: Some(condition), span } if *target == back + 1 => {
                    let mut body = self.range(at + 1..back, depth + 1)?;
                    body.extend(before.iter().cloned());
                    into.append(&mut before);
                    let condition = opposite(condition.clone());
                    into.push(Statement { kind: StatementKind::While { condition, body }, span: *span });
                    return Some(());
                }
                Step::Jump { .. } => break,
            }
        }
        let body = self.range(start..back, depth + 1)?;
        into.push(made(StatementKind::While { condition: Expression::Constant(1), body }));
        Some(())
    }
}

/// Pieces without jumps, each done if `next` says so. In a loop if there are jumps back.
fn pieces(steps: &[Step], next: RegisterId) -> Vec<Statement> {
    let mut leads = vec![false; steps.len() + 1];
    leads[0] = true;
    for (at, step) in steps.iter().enumerate() {
        if let Step::Jump { target, .. } = step {
            leads[*target] = true;
            leads[at + 1] = true;
        }
    }
    // The number of the piece that starts at each step; the end is the last one.
    leads[steps.len()] = true;
    let numbers: Vec<Value> = leads
        .iter()
        .scan(-1, |number, leads| {
            *number += Value::from(*leads);
            Some(*number)
        })
        .collect();
    let starts: Vec<usize> = (0..=steps.len()).filter(|at| leads[*at]).collect();
    let go = |number: Value, span| {
        let value = Expression::Constant(number);
        Statement { kind: StatementKind::Assign { register: next, value }, span }
    };
    let is = |number: Value| {
        let (register, number) = (Box::new(Expression::Register(next)), Box::new(Expression::Constant(number)));
        Expression::Binary(BinaryOperator::Equal, register, number)
    };
    let mut all = Vec::new();
    let mut returns = false;
    let mut first = Span::default();
    for piece in starts.windows(2) {
        let number = numbers[piece[0]];
        let mut then = Vec::new();
        let mut span = Span::default();
        for step in &steps[piece[0]..piece[1]] {
            let (Step::Do(Statement { span: own, .. }) | Step::Jump { span: own, .. }) = step;
            span = *own;
            match step {
                Step::Do(statement) => then.push(statement.clone()),
                Step::Jump { target, condition, span } => {
                    returns |= numbers[*target] <= number;
                    let taken = go(numbers[*target], *span);
                    then.push(match condition {
                        None => taken,
                        Some(condition) => Statement {
                            kind: StatementKind::If {
                                condition: condition.clone(),
                                then: vec![taken],
                                otherwise: vec![go(number + 1, *span)],
                            },
                            span: *span,
                        },
                    });
                }
            }
        }
        if matches!(steps[piece[1] - 1], Step::Do(_)) {
            then.push(go(number + 1, span));
        }
        if all.is_empty() {
            first = span;
        }
        all.push(Statement { kind: StatementKind::If { condition: is(number), then, otherwise: Vec::new() }, span });
    }
    if !returns {
        return all;
    }
    let until = is(numbers[steps.len()]);
    vec![go(0, first), Statement { kind: StatementKind::Repeat { body: all, until }, span: first }]
}

/// The opposite of a comparison.
pub(super) fn opposite_comparison(comparison: BinaryOperator) -> Option<BinaryOperator> {
    Some(match comparison {
        BinaryOperator::Equal => BinaryOperator::NotEqual,
        BinaryOperator::NotEqual => BinaryOperator::Equal,
        BinaryOperator::Less => BinaryOperator::GreaterOrEqual,
        BinaryOperator::LessOrEqual => BinaryOperator::Greater,
        BinaryOperator::Greater => BinaryOperator::LessOrEqual,
        BinaryOperator::GreaterOrEqual => BinaryOperator::Less,
        _ => return None,
    })
}

/// A condition's opposite.
pub(super) fn opposite(condition: Expression) -> Expression {
    match condition {
        Expression::Binary(comparison, left, right) => match opposite_comparison(comparison) {
            Some(comparison) => Expression::Binary(comparison, left, right),
            None => not(Expression::Binary(comparison, left, right)),
        },
        Expression::Unary(UnaryOperator::Not, inner) => *inner,
        condition => not(condition),
    }
}

fn not(condition: Expression) -> Expression {
    Expression::Unary(UnaryOperator::Not, Box::new(condition))
}

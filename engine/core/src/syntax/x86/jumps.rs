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

/// A condition's opposite.
pub(super) fn opposite(condition: Expression) -> Expression {
    match condition {
        Expression::Binary(comparison, left, right) => match super::opposite(comparison) {
            Some(comparison) => Expression::Binary(comparison, left, right),
            None => not(Expression::Binary(comparison, left, right)),
        },
        condition => not(condition),
    }
}

fn not(condition: Expression) -> Expression {
    Expression::Unary(UnaryOperator::Not, Box::new(condition))
}

//! Reads labels and conditions.

use super::acceptance::{Condition, Marks};
use super::labels::Node;
use super::lexer::Token;
use super::reader::Reader;
use crate::files::{Stop, listed, shortened};

/// How deep parentheses and negations are in each other.
const DEEPEST: u32 = 200;

impl Reader<'_, '_> {
    fn deeper<T>(&mut self, inside: impl FnOnce(&mut Self) -> Result<T, Stop>) -> Result<T, Stop> {
        if self.depth == DEEPEST {
            let at = self.token.1.clone();
            return Err(self.error(at, "the nesting is too deep", format!("up to {DEEPEST} can be read")));
        }
        self.depth += 1;
        let read = inside(self);
        self.depth -= 1;
        read
    }

    fn node(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// A label without its brackets.
    pub(super) fn label(&mut self) -> Result<u32, Stop> {
        let mut any = self.label_conjunction()?;
        while self.take('|')? {
            let other = self.label_conjunction()?;
            any = self.node(Node::Or(any, other));
        }
        Ok(any)
    }

    fn label_conjunction(&mut self) -> Result<u32, Stop> {
        let mut all = self.label_part()?;
        while self.take('&')? {
            let other = self.label_part()?;
            all = self.node(Node::And(all, other));
        }
        Ok(all)
    }

    fn label_part(&mut self) -> Result<u32, Stop> {
        const HELP: &str = "labels are of numbers of propositions, `t`, `f`, aliases, `!`, `&`, `|` and parentheses";
        if self.take('!')? {
            let part = self.deeper(Self::label_part)?;
            return Ok(self.node(Node::Not(part)));
        }
        if self.take('(')? {
            let label = self.deeper(Self::label)?;
            self.expect(')', HELP)?;
            return Ok(label);
        }
        let node = match self.token.0 {
            Token::Word("t") => Node::Constant(true),
            Token::Word("f") => Node::Constant(false),
            Token::Alias(name) => {
                let at = self.pass()?.1;
                let label = self.aliases.get(name).copied();
                return label.ok_or_else(|| {
                    let message = format!("there is no alias `{}` in front of this", shortened(name));
                    self.error(at, message, "write `Alias:` and what it stands for in the head")
                });
            }
            Token::Number(_) => {
                let (number, at) = self.number("the number of a proposition", HELP)?;
                // Aliases may come before the propositions.
                let count = self.head.propositions.as_ref().map(Vec::len);
                if count.is_some_and(|count| number as usize >= count) {
                    let known = self.head.propositions.iter().flatten().map(String::as_str).collect::<Vec<_>>();
                    let help = format!("there are {}, numbered from 0 on", listed(known.into_iter()));
                    return Err(self.error(at, format!("there is no proposition {number}"), help));
                }
                return Ok(self.node(Node::Proposition(number)));
            }
            _ => return Err(self.expected("a label", HELP)),
        };
        self.pass()?;
        Ok(self.node(node))
    }

    /// A condition about so many sets of marks.
    pub(super) fn condition(&mut self, sets: u32) -> Result<Condition, Stop> {
        let mut any = vec![self.condition_conjunction(sets)?];
        while self.take('|')? {
            any.push(self.condition_conjunction(sets)?);
        }
        Ok(if any.len() == 1 { any.remove(0) } else { Condition::Any(any) })
    }

    fn condition_conjunction(&mut self, sets: u32) -> Result<Condition, Stop> {
        let mut all = vec![self.condition_part(sets)?];
        while self.take('&')? {
            all.push(self.condition_part(sets)?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Condition::All(all) })
    }

    fn condition_part(&mut self, sets: u32) -> Result<Condition, Stop> {
        const HELP: &str = "conditions are of `Inf(0)`, `Fin(0)`, `Inf(!0)`, `t`, `f`, `&`, `|` and parentheses";
        if self.take('(')? {
            let condition = self.deeper(|reader| reader.condition(sets))?;
            self.expect(')', HELP)?;
            return Ok(condition);
        }
        let condition: fn(Marks) -> Condition = match self.token.0 {
            Token::Word("t") => {
                self.pass()?;
                return Ok(Condition::All(Vec::new()));
            }
            Token::Word("f") => {
                self.pass()?;
                return Ok(Condition::Any(Vec::new()));
            }
            Token::Word("Inf") => Condition::Infinitely,
            Token::Word("Fin") => Condition::Finitely,
            _ => return Err(self.expected("a condition", HELP)),
        };
        self.pass()?;
        self.expect('(', HELP)?;
        let is_negated = self.take('!')?;
        let (set, at) = self.number("the number of a set of marks", HELP)?;
        if set >= sets {
            let help = format!("there are {sets} of them, numbered from 0 on");
            return Err(self.error(at, format!("there is no set of marks {set}"), help));
        }
        self.expect(')', HELP)?;
        Ok(condition(Marks { set, is_negated }))
    }
}

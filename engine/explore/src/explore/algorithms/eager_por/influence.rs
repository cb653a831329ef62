//! What a thread does because of what it read in a section.

use crate::program::{CasResult, InstructionKind, Operand, RegisterId, Target, ThreadCode};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Locations that were read in the section.
pub(super) type Sources = BTreeSet<u32>;

/// Which registers of a thread, and which of its writes, have values that depend on what it read in the section, and from where.
#[derive(Clone, Debug, Default)]
pub(super) struct Influence {
    registers: FxHashMap<RegisterId, Sources>,
    /// By location: the last value that the thread wrote there in the section.
    written: FxHashMap<u32, Sources>,
    /// What comes next follows from values that were read in the section: a branch, an error, the end of a loop's waiting.
    pub is_decided: bool,
    /// Which event comes next, its location included, follows from what is there.
    pub address: Sources,
    has_read: bool,
}

impl Influence {
    /// The locations that a value depends on.
    fn of(&self, operand: &Operand) -> Sources {
        let mut sources = Sources::new();
        if !self.registers.is_empty() {
            operand.each_register(&mut |register| sources.extend(self.registers.get(&register).into_iter().flatten()));
        }
        sources
    }

    /// What the thread reads from a location.
    pub(super) fn read(&self, location: u32) -> Sources {
        let mut sources = self.written.get(&location).cloned().unwrap_or_default();
        sources.insert(location);
        sources
    }

    fn assign(&mut self, register: RegisterId, sources: Sources) {
        if sources.is_empty() {
            self.registers.remove(&register);
        } else {
            self.registers.insert(register, sources);
        }
    }

    /// The thread performed an event in the section.
    pub(super) fn perform(&mut self, instruction: &InstructionKind, location: u32, writes: bool) {
        self.address.clear();
        match instruction {
            InstructionKind::Read { register, .. } | InstructionKind::Receive { register, .. } => {
                let read = self.read(location);
                self.assign(*register, read);
                self.has_read = true;
            }
            InstructionKind::Write { value, .. } => {
                let sources = self.of(value);
                self.written.insert(location, sources);
            }
            InstructionKind::Send { value, .. } => {
                let sources = self.of(value);
                self.written.entry(location).or_default().extend(sources);
            }
            InstructionKind::Update { register, operand, .. } => {
                let read = self.read(location);
                let mut sources = self.of(operand);
                sources.extend(&read);
                self.written.insert(location, sources);
                self.assign(*register, read);
                self.has_read = true;
            }
            InstructionKind::CompareAndSwap { register, expected, desired, result, .. } => {
                let (read, desired) = (self.read(location), self.of(desired));
                match result {
                    CasResult::ValueRead => self.assign(*register, read),
                    CasResult::Success(written_back) => {
                        let mut success = self.of(expected);
                        success.extend(&read);
                        if !writes {
                            self.assign(*written_back, read);
                        }
                        self.assign(*register, success);
                    }
                }
                if writes {
                    self.written.insert(location, desired);
                }
                self.has_read = true;
            }
            _ => {}
        }
    }

    /// The thread runs an instruction on its way to its next event, or gets there.
    pub(super) fn pass(&mut self, code: &ThreadCode, instruction: &InstructionKind) {
        match instruction {
            InstructionKind::Assign { register, value } => {
                self.compute(value);
                let sources = self.of(value);
                self.assign(*register, sources);
            }
            InstructionKind::Branch { condition, .. }
            | InstructionKind::Assert(condition)
            | InstructionKind::Assume(condition) => self.is_decided |= !self.of(condition).is_empty(),
            // What the head compares may be older.
            InstructionKind::Head(id) => {
                let compared = code.loops[*id].compared.as_ref();
                self.is_decided |= self.has_read && compared.is_some_and(|compared| !compared.is_empty());
            }
            InstructionKind::Read { target, .. }
            | InstructionKind::Lock(target)
            | InstructionKind::Unlock(target)
            | InstructionKind::End(target)
            | InstructionKind::Join(target)
            | InstructionKind::Receive { target, .. } => self.go_to(target),
            InstructionKind::Write { target, value: operand, .. }
            | InstructionKind::Update { target, operand, .. }
            | InstructionKind::Send { target, value: operand } => {
                self.go_to(target);
                self.compute(operand);
            }
            InstructionKind::CompareAndSwap { target, expected, desired, .. } => {
                self.go_to(target);
                self.compute(expected);
                self.compute(desired);
                let expected = self.of(expected);
                self.address.extend(expected);
            }
            // Programs with handlers are refused, and those with inputs.
            InstructionKind::Get | InstructionKind::Post { .. } | InstructionKind::Input { .. } => {}
            InstructionKind::Fence(_)
            | InstructionKind::Atomic(_)
            | InstructionKind::EndAtomic
            | InstructionKind::Jump(_)
            | InstructionKind::EnterLoop(_)
            | InstructionKind::Round(_)
            | InstructionKind::Enter { .. }
            | InstructionKind::Leave(_) => {}
        }
    }

    fn go_to(&mut self, target: &Target) {
        if let Target::Element(_, Some(place)) | Target::Pointee(place) = target {
            let sources = self.of(place);
            self.address.extend(sources);
        }
    }

    /// A value is computed, which may be an error.
    fn compute(&mut self, operand: &Operand) {
        self.is_decided |= operand.may_fail() && !self.of(operand).is_empty();
    }
}

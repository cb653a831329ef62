//! What is explored, and what of it the graphs have to keep track of.

use super::super::Options;
use super::symmetry::Symmetry;
use crate::model::Model;
use crate::program::{Code, InstructionKind, Mode};
use std::sync::Arc;

/// How many events a graph can have, a read-modify-write counted once.
pub(super) const MAX_EVENTS: u32 = 1000;

/// A program under a model.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub code: Arc<Code>,
    pub model: Model,
    pub options: Options,
    /// co is part of the graphs.
    pub tracks_co: bool,
    /// The model wants an order over all locations to be acyclic, which the graphs keep.
    pub ordered: bool,
    /// The graphs keep track of fences and delayed writes.
    pub has_pointers: bool,
    /// Data races matter.
    pub races: bool,
    /// Consistency depends on how SC fences are ordered, which the graphs don't know.
    pub orders_fences: bool,
    /// Consistency without co is a puzzle ([`super::orders`]).
    pub poses: bool,
    /// How often executions switch threads is bounded ([`super::switches`]).
    pub bounds_switches: bool,
    /// Threads that can be exchanged.
    pub symmetry: Symmetry,
}

impl Plan {
    /// Graphs get at most a thousand events, which there is room for.
    pub fn new(code: Arc<Code>, model: Model, mut options: Options, tracks_co: bool) -> Self {
        options.limits.events = options.limits.events.min(MAX_EVENTS);
        let (mut sc, mut sc_fences) = (false, false);
        for instruction in code.threads.iter().flat_map(|thread| &thread.instructions) {
            match &instruction.kind {
                InstructionKind::Read { mode, .. }
                | InstructionKind::Write { mode, .. }
                | InstructionKind::Update { mode, .. } => sc |= mode.is_sc(),
                InstructionKind::CompareAndSwap { mode, failure, .. } => sc |= mode.is_sc() || failure.is_sc(),
                InstructionKind::Fence(mode) => sc_fences |= *mode == Mode::SequentiallyConsistent,
                _ => {}
            }
        }
        let ordered = match model {
            Model::Sc | Model::Tso | Model::Pso | Model::Sra => true,
            Model::Rc11 => sc || sc_fences,
            Model::Wra | Model::Ra => false,
        };
        let release_acquire = matches!(model, Model::Wra | Model::Ra | Model::Sra);
        let locations = 0..code.initial.len() as u32;
        let non_atomic = locations.into_iter().any(|location| code.may_race(crate::program::Location(location)));
        Self {
            ordered: ordered && tracks_co,
            has_pointers: matches!(model, Model::Tso | Model::Pso | Model::Rc11) || release_acquire && sc_fences,
            races: model.has_races() && !options.no_races && non_atomic,
            orders_fences: release_acquire && sc_fences,
            poses: !tracks_co && !(release_acquire && sc_fences || model == Model::Rc11 && (sc || sc_fences)),
            bounds_switches: options.bounds_switches() && model == Model::Sc && tracks_co,
            symmetry: Symmetry::new(&code, model, options, tracks_co),
            code,
            model,
            options,
            tracks_co,
        }
    }
}

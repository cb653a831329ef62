//! What is explored, and what of it the graphs have to keep track of.

use super::symmetry::Symmetry;
use crate::explore::Options;
use crate::model::{Along, Buffers, HappensBefore, Model, Rseq};
use crate::program::{Code, InstructionKind, Limits, Mode, Operand};
use std::sync::Arc;

/// What an execution is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Events, po and rf.
    Plain,
    /// With co.
    WithCo,
}

/// A program under a model.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub code: Arc<Code>,
    pub model: Model,
    pub options: Options,
    /// co is part of the graphs.
    pub tracks_co: bool,
    /// hb, if the model has one.
    pub happens_before: Option<HappensBefore>,
    /// Synchronisation matters: the graphs keep hb and what releases.
    pub synchronises: bool,
    /// The store buffers that writes wait in.
    pub buffers: Option<Buffers>,
    /// Something is ordered on each location.
    pub local: bool,
    /// What is ordered on each location contains fr.
    pub local_has_fr: bool,
    /// Something is ordered everywhere.
    pub global: bool,
    /// What is ordered everywhere contains fr.
    pub global_has_fr: bool,
    /// Executions are consistent by a co; a read-modify-write comes immediately behind its source.
    pub has_co: bool,
    /// What is ordered everywhere is kept in the graphs, with co.
    pub ordered: bool,
    /// What release sequences are, where synchronisation matters.
    pub rseq: Option<Rseq>,
    /// What psc is made of, if there is one.
    pub along: Along,
    /// psc is kept in the graphs.
    pub psc: bool,
    /// psc is part of the puzzles, and what no co adds to it is kept in the graphs.
    pub poses_sc: bool,
    /// Whatever is before an access in porf, it knows of.
    pub knows_porf: bool,
    /// Writes of a location that porf orders are so in every co.
    pub keeps_writes_in_porf: bool,
    /// The graphs keep track of fences and delayed writes.
    pub has_pointers: bool,
    /// Data races matter.
    pub races: bool,
    /// Consistency depends on how SC fences are ordered, which the graphs don't know, where there are several.
    pub orders_fences: bool,
    /// Consistency without co is a puzzle (`consistency/orders.rs`).
    pub poses: bool,
    /// Consistency without co takes no search (`consistency/coherent.rs`).
    pub decides: bool,
    /// Graphs without co keep places (`consistency/witness.rs`): a run of the machine, or a co and an order of the SC events.
    pub keeps_places: bool,
    /// The places are a run.
    pub keeps_run: bool,
    /// There are read-modify-writes, or operations that wait.
    pub updates: bool,
    /// How often executions switch threads is bounded (`switches.rs`).
    pub bounds_switches: bool,
    /// Whether a new read is consistent with a source is known before it is added.
    pub settles_reads: bool,
    /// Graphs in which a thread waits in vain are left out (`waits.rs`).
    pub leaves_out: bool,
    /// Threads that are stuck for good in loops are looked for.
    pub finds_stuck: bool,
    /// There are subtrees that are counted and not explored (`alike.rs`).
    pub has_alike: bool,
    /// Threads have inputs.
    pub has_inputs: bool,
    /// Threads that can be exchanged.
    pub symmetry: Symmetry,
}

impl Plan {
    /// Graphs get at most ten thousand events, which there is room for.
    pub(super) fn new(code: Arc<Code>, model: Model, mut options: Options, unit: Unit) -> Self {
        let tracks_co = unit == Unit::WithCo;
        options.limits.events = options.limits.events.min(Limits::MAX_EVENTS);
        let (mut sc, mut sc_fences, mut updates, mut waits) = (false, false, false, false);
        let (mut others, mut loops, mut copies, mut has_inputs) = (false, false, false, false);
        for instruction in code.threads.iter().flat_map(|thread| &thread.instructions) {
            let mut access = |mode: &Mode| {
                sc |= mode.is_sc();
                others |= !mode.is_sc();
            };
            match &instruction.kind {
                InstructionKind::Read { mode, .. } | InstructionKind::Write { mode, .. } => access(mode),
                InstructionKind::Update { mode, .. } => {
                    access(mode);
                    copies = true;
                    updates = true;
                }
                InstructionKind::CompareAndSwap { mode, failure, expected, desired, .. } => {
                    let differ = matches!((expected, desired), (Operand::Constant(a), Operand::Constant(b)) if a != b);
                    access(mode);
                    access(failure);
                    copies |= !differ;
                    updates = true;
                }
                InstructionKind::Lock(_)
                | InstructionKind::Send { .. }
                | InstructionKind::Receive { .. }
                | InstructionKind::Join(_) => {
                    updates = true;
                }
                // It is a read of what nobody writes.
                InstructionKind::Input { .. } => (has_inputs, others) = (true, true),
                InstructionKind::Assume(_) => waits = true,
                InstructionKind::Head(_) => (waits, loops) = (true, true),
                InstructionKind::Fence(mode) => sc_fences |= *mode == Mode::SequentiallyConsistent,
                _ => {}
            }
        }
        let mut rules = model.rules();
        if let Some(psc) = rules.psc.filter(|_| sc && !others && !tracks_co) {
            // Its questions take less.
            rules = psc.alone.rules();
        }
        let orders_fences = rules.orders_fences && sc_fences;
        let orders_sc = rules.psc.is_some() && (sc || sc_fences);
        let poses = !tracks_co;
        let poses_sc = poses && orders_sc;
        let decides = poses && !poses_sc && !(rules.global_has_fr() || rules.global.is_some() && updates);
        let locations = 0..code.initial.len() as u32;
        let non_atomic = locations.into_iter().any(|location| code.may_race(crate::program::Location(location)));
        let symmetry = Symmetry::new(&code, model, options, tracks_co);
        let leaves_out = waits && options.leave_out_waits && !options.bounds_switches();
        let finds_stuck = loops && options.stuck_loops && !options.limits.unroll_spins;
        let bounds_switches = options.bounds_switches() && rules.takes_turns() && tracks_co;
        Self {
            happens_before: rules.happens_before,
            synchronises: rules.synchronises(),
            buffers: rules.buffers,
            local: rules.local.is_some(),
            local_has_fr: rules.local_has_fr(),
            global: rules.global.is_some(),
            global_has_fr: rules.global_has_fr(),
            has_co: rules.has_co(),
            ordered: rules.global.is_some() && tracks_co,
            rseq: rules.rseq(),
            along: rules.psc.map_or(Along::Scb, |psc| psc.along),
            psc: orders_sc && tracks_co,
            poses_sc,
            knows_porf: rules.knows_porf(),
            keeps_writes_in_porf: rules.keeps_writes_in_porf(),
            has_pointers: rules.buffers.is_some() || rules.synchronises() || orders_fences,
            races: rules.synchronises() && !options.no_races && non_atomic,
            orders_fences,
            poses,
            decides,
            keeps_places: poses && !decides,
            keeps_run: poses && !poses_sc && !decides,
            updates,
            bounds_switches,
            settles_reads: !tracks_co || !orders_fences && !bounds_switches,
            leaves_out,
            finds_stuck,
            // What a copy overtakes may be read for good all the same.
            has_alike: waits
                && !has_inputs
                && !(finds_stuck && copies)
                && tracks_co
                && rules.has_co()
                && !(orders_sc || orders_fences || bounds_switches)
                && symmetry.is_empty(),
            has_inputs,
            symmetry,
            code,
            model,
            options,
            tracks_co,
        }
    }
}

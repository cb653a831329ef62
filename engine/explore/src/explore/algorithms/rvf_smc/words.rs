//! What RVF-SMC is and says.

use super::RvfSmc;
use super::pseudo_code::PSEUDO_CODE;
use crate::explore::algorithms::{Algorithm, Definition, Machine, Sees, Traits};
use crate::explore::narrator::{Column, Columns, Narrator, SEARCH_GIVEN_UP, Scene, StateTable};
use crate::explore::{Direction, Options, Parameter, Step};
use crate::graph::EventKey;
use crate::words;

/// A parameter that is 1, and 0 where something is left out to see what it is worth.
const fn switch(name: &'static str, title: &'static str, meaning: &'static str) -> Parameter {
    Parameter { name, title, meaning, least: 0, most: 1, usual: Some(1) }
}

pub(in super::super) static DEFINITION: Definition = Definition {
    name: "rvf_smc",
    title: "RVF-SMC",
    description: "Lets one read after the other take a value, and asks VerifySC for a run in which it does. Finds \
                  every local state of every thread in few executions, because it does not matter which write a value \
                  comes from. For SC.",
    traits: Traits {
        knows: |rules| rules.takes_turns(),
        known: "where threads take turns",
        sees: Sees::LocalStates,
        ..Traits::plain(Algorithm::RvfSmc)
    },
    parameters: &[
        switch(
            "signals",
            "Backtrack signals",
            "1: a call ends as soon as its read can find nothing new. 0: it goes on with all reads, which finds the \
             same in more calls.",
        ),
        switch("closure", "Closure", "1: VerifySC first computes the closure, and keeps to its order. 0: it does not."),
        switch(
            "greedy",
            "Greedy moves",
            "1: VerifySC makes moves that can't be wrong at once, and tries nothing else there. 0: it does not.",
        ),
        switch(
            "guide",
            "Auxiliary run",
            "1: the current run is the witness if it has a place for the read. If not, it guides VerifySC. 0: VerifySC \
             starts from nothing.",
        ),
    ],
    pseudo_code: &PSEUDO_CODE,
    state: StateTable::Pending(&Columns {
        caption: "The reads, whether there was a signal for them, their good writes (GoodW), and what the causal map \
                  (C) forbids them",
        row: "read",
        empty: "No read has taken its turn yet.",
        revisitable: Column {
            name: "signal",
            gloss: "",
            title: "whether another thread wrote to its location, or may do so, in a call below. If so, its call goes \
                    on with other reads",
        },
        may_change: ("✓", "there was a signal"),
        stays: ("–", "there was no signal"),
        options: Column {
            name: "GoodW",
            gloss: "",
            title: "the good writes: those that it may take, all of one value. For the read whose turn it is: all \
                    groups to ask about",
        },
        proposed: Column {
            name: "C",
            gloss: "",
            title: "the causal map: the read takes no initial write, and no write of these threads up to the event \
                    named",
        },
        kind: Direction::Forward,
    }),
};

pub(in super::super) static MACHINE: Machine = Machine {
    explorer: |code, model, options| Box::new(RvfSmc::new(code, model, options)),
    prepared: None,
    // What a call finds decides how the ones around it go on.
    walk: None,
    whole: None,
    narrator: &Words,
};

/// What was chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    pub signals: bool,
    pub closure: bool,
    pub greedy: bool,
    pub guide: bool,
}

impl Chosen {
    pub(super) fn of(options: &Options) -> Self {
        let of = |place: usize| options.parameters.chosen(place).or(DEFINITION.parameters[place].usual) != Some(0);
        Self { signals: of(0), closure: of(1), greedy: of(2), guide: of(3) }
    }
}

struct Words;

impl Narrator for Words {
    fn explain(&self, scene: &dyn Scene, step: Step) -> Option<String> {
        Some(match step {
            Step::Turn { read } => format!(
                "No thread can go on without a read. {} takes its turn: the {} are tried, one after the other.",
                scene.call(read),
                if scene.operation(read).is_some() {
                    "operations that it could follow"
                } else {
                    "values that it could take"
                }
            ),
            Step::Groups { read, groups: 0 } => format!(
                "The causal map forbids {} all writes that it could take: they were offered to it before. There is \
                 nothing to try.",
                scene.call(read)
            ),
            Step::Groups { read, groups } if scene.operation(read).is_some() => format!(
                "The causal map leaves {} that {} could follow. {} is a group by itself.",
                words::count(groups.into(), "operation"),
                scene.name(read),
                words::by_number(groups.into(), "It", "Each")
            ),
            Step::Groups { read, groups } => format!(
                "The writes that {} could take, and that the causal map does not forbid, form {}, one for each value. \
                 Which write of a group the read takes makes no difference to any thread.",
                scene.name(read),
                words::count(groups.into(), "group")
            ),
            Step::Witness { read, write } if scene.operation(read).is_some() => {
                format!("There is a witness: a run {}.", in_which(scene, read, write))
            }
            Step::Witness { read, write } => format!(
                "There is a witness: a run in which {} takes the value of this group and all earlier reads keep their \
                 values. In this run, the read takes it from {} (rf){}.",
                scene.name(read),
                scene.event(write),
                others(scene, read, write)
            ),
            Step::NoWitness { read, write } => {
                format!("VerifySC finds no run {}: there is no witness.", in_which(scene, read, write))
            }
            Step::WitnessUndecided { read, write } => format!(
                "VerifySC did not decide whether there is a run {}: {SEARCH_GIVEN_UP}",
                in_which(scene, read, write)
            ),
            Step::Call { read, spurious, .. } => format!(
                "A call begins. In it, {} keeps its {}{}. The run of the witness is extended.",
                scene.event(read),
                if scene.operation(read).is_some() { "source" } else { "value" },
                if spurious { " and fails spuriously" } else { "" }
            ),
            Step::Signal { read, write } => {
                let conditional = scene.graph().find(write).is_none_or(|e| !scene.graph().event(e).is_write());
                let what = if conditional { "may write" } else { "writes" };
                format!(
                    "{} {what} where {} reads. It was not there when the read took its turn. This is a backtrack \
                     signal: there may be more for {} to read, so its call will go on with other reads.",
                    scene.event(write),
                    scene.name(read),
                    scene.name(read)
                )
            }
            Step::Return { read } => {
                format!("The call is over.{} Now {} has no source again.", scene.removed_if_any(), scene.call(read))
            }
            Step::Offer { read } => format!(
                "{} was offered all writes that are there. The causal map notes them: in the rest of this call, the \
                 read takes none of them. The read is removed, and other reads take their turns.",
                scene.name(read)
            ),
            Step::Prune { read } => format!(
                "No call gave a backtrack signal for {}: no other thread can write anything new for it. So the read \
                 was offered all that there will ever be, whatever other reads do. The call ends without trying other \
                 reads.",
                scene.name(read)
            ),
            Step::Block { read } => format!(
                "{} finds nothing that it could take: {}. So it has no source (⊥). Its thread waits, and no thread can \
                 go on.",
                scene.event(read),
                scene.waiting(read)
            ),
            _ => return None,
        })
    }

    fn end(&self) -> &'static str {
        "The first call is over"
    }

    fn turn(&self) -> &'static str {
        "is the left-most thread that can go on without a read"
    }
}

/// What a run is asked for, as a relative clause.
fn in_which(scene: &dyn Scene, read: EventKey, write: EventKey) -> String {
    let takes = match scene.operation(read) {
        Some(_) => scene.takes(read, &scene.event(write)),
        None => format!("takes the value of {}", scene.event(write)),
    };
    format!("in which {} {takes} and all earlier reads keep their values", scene.call(read))
}

/// The good writes besides the one that a read takes, as a clause.
fn others(scene: &dyn Scene, read: EventKey, write: EventKey) -> String {
    let rows = scene.explorer().pending();
    let options = rows.iter().filter(|row| row.read == read).flat_map(|row| &row.options);
    let others: Vec<String> = options
        .filter_map(|option| option.write)
        .filter(|other| *other != write)
        .map(|other| scene.name(other))
        .collect();
    if others.is_empty() { String::new() } else { format!(". It could as well read from {}", words::list(others)) }
}

//! What TruSt is and says, without co and with it.

use super::{TruSt, TrustWalk, pseudo_code};
use crate::explore::algorithms::{Algorithm, Definition, Kin, Machine, Parts, Traits};
use crate::explore::narrator::{Narrator, SEARCH_GIVEN_UP, Scene, StateTable, placed};
use crate::explore::{Direction, Reason, Step, Walk};
use crate::graph::EventKey;

const TRAITS: Traits = Traits {
    symmetry: true,
    has_walk: true,
    kin: Kin { plain: Algorithm::Trust, with_co: Algorithm::TrustCo },
    in_parts: Some(Algorithm::Trust),
    ..Traits::plain(Algorithm::Trust)
};

const STATE: StateTable =
    StateTable::None("TruSt keeps no options: what it has tried on the way to this graph is all that it knows.");

pub(in super::super) static PLAIN: Definition = Definition {
    name: "trust",
    title: "TruSt",
    description: "As GenMC, but remembers nothing: a revisit is made only if all that it deletes was added in the maximal \
                  way. Explores every consistent execution exactly once, in memory that does not grow.",
    traits: TRAITS,
    parameters: &[],
    pseudo_code: &pseudo_code::PLAIN,
    state: STATE,
};

pub(in super::super) static PLAIN_MACHINE: Machine = Machine {
    explorer: |code, model, options| Box::new(TruSt::new(code, model, options)),
    prepared: None,
    walk: Some(parts::<false>()),
    whole: None,
    narrator: &WORDS,
};

pub(in super::super) static WITH_CO: Definition = Definition {
    name: "trust_co",
    title: "TruSt (co)",
    description: "TruSt with coherence in the graph: a new write is tried at each place in co. Explores every consistent \
                  execution once for each of its coherence orders; the fastest for large runs.",
    traits: Traits {
        tracks_co: true,
        counts_plain: false,
        switches: true,
        in_parts: Some(Algorithm::TrustCo),
        ..TRAITS
    },
    parameters: &[],
    pseudo_code: &pseudo_code::WITH_CO,
    state: STATE,
};

pub(in super::super) static WITH_CO_MACHINE: Machine = Machine {
    explorer: |code, model, options| Box::new(TruSt::with_co(code, model, options)),
    prepared: None,
    walk: Some(parts::<true>()),
    whole: None,
    narrator: &WORDS,
};

const fn parts<const TRACKS_CO: bool>() -> Parts {
    |program, code, model, options, work, budget| {
        let walk = TrustWalk::new(program, code, model, options, TRACKS_CO, work, budget)?;
        Ok(walk.map(|walk| Box::new(walk) as Box<dyn Walk>))
    }
}

/// Its sentences; those of [`super::super::event_driven`] too.
pub(in super::super) static WORDS: Words = Words;

pub(in super::super) struct Words;

impl Narrator for Words {
    fn explain(&self, scene: &dyn Scene, step: Step) -> Option<String> {
        Some(match step {
            Step::ChooseSource { read, write } => {
                let which = if scene.explorer().coherence().is_some() {
                    "the last write of its location in co that it may read from"
                } else {
                    "the write with the greatest name that it may read from"
                };
                format!(
                    "{} takes its value from {}, {which}: the maximal choice. Others are tried when all that follows from \
                     this was explored.",
                    scene.event(read),
                    scene.event(write)
                )
            }
            Step::Block { read } => format!(
                "{} waits at first, whatever is there (⊥): that is always consistent, and the maximal choice. What it could \
                 take is tried when all that follows from this was explored.",
                scene.call(read)
            ),
            Step::TakeRevisit { read, write, direction } => try_source(scene, read, write, direction, false),
            Step::TakeSpurious { read, write, direction } => try_source(scene, read, write, direction, true),
            Step::PlaceWrite { write, after } => placed(scene, write, after),
            Step::TakePlacement { write, after } => format!(
                "All that follows from the place before was explored: {} now comes immediately behind {} in co.{}",
                scene.event(write),
                scene.event(after),
                taken_back(scene)
            ),
            Step::NotMaximal { read, write, event, reason } => format!(
                "The new write {} could feed the earlier read {}. But {} is not maximal: {}. So another graph makes this \
                 revisit: the one that has the same events up to the write, and in which all that is removed is maximal.",
                scene.event(write),
                scene.event(read),
                if event == read {
                    format!("the read {}", scene.event(event))
                } else {
                    format!("{}, which would be removed,", scene.event(event))
                },
                not_maximal(scene, reason)
            ),
            _ => return None,
        })
    }

    fn end(&self) -> &'static str {
        "Nothing is left to try"
    }
}

/// What the step took back, as a sentence.
fn taken_back(scene: &dyn Scene) -> String {
    if scene.explorer().cut().is_empty() { String::new() } else { format!(" Taken back: {}.", scene.cut()) }
}

/// What a revisit needs of all that it removes.
pub(in super::super) fn all_maximal(scene: &dyn Scene) -> &'static str {
    if scene.explorer().cut().is_empty() { "" } else { " All of that was maximal." }
}

/// A source that is tried after others, or a revisit.
fn try_source(scene: &dyn Scene, read: EventKey, write: EventKey, direction: Direction, spurious: bool) -> String {
    let failure = if spurious { ", which has the value that it expects, and fails spuriously" } else { "" };
    let (reader, source) = (scene.event(read), scene.event(write));
    if direction != Direction::Backward {
        return format!(
            "All that follows from the choice before was explored: {reader} now reads from {source}{failure}.{}",
            taken_back(scene)
        );
    }
    format!(
        "The new write {source} revisits the earlier read {reader}: the read now reads from it{failure}. {} {}{} So no other \
         graph makes this revisit.",
        scene.stays("read", "write"),
        scene.removed(),
        all_maximal(scene)
    )
}

fn not_maximal(scene: &dyn Scene, reason: Reason) -> String {
    match reason {
        Reason::IsRead(read) => format!("{} reads from it", scene.event(read)),
        Reason::CoEarlier(write) => format!("{} comes behind it in co", scene.event(write)),
        Reason::ReadsEarlier(write) => format!("{} comes behind its source in co", scene.event(write)),
        Reason::OtherSource(write) => format!("the source that it takes first is {}", scene.event(write)),
        Reason::DoesNotWait => "it took what it could have waited for".to_owned(),
        Reason::Undecided(write) => {
            format!("whether it would take {} first was not decided: {SEARCH_GIVEN_UP}", scene.event(write))
        }
    }
}

//! What TruSt is and says, without co and with it.

use super::plan::Unit;
use super::{TruSt, TrustWalk, pseudo_code};
use crate::budget::Paused;
use crate::explore::algorithms::genmc::words::FAILS;
use crate::explore::algorithms::{Algorithm, Definition, Kin, Machine, Traits};
use crate::explore::narrator::{Narrator, SEARCH_GIVEN_UP, Scene, StateTable, placed};
use crate::explore::{Direction, Reason, Step, Walk};
use crate::graph::EventKey;

const TRAITS: Traits = Traits {
    symmetry: true,
    leaves_out_waits: true,
    has_walk: true,
    inputs: true,
    kin: Kin { plain: Algorithm::Trust, with_co: Algorithm::TrustCo },
    in_parts: Some(Algorithm::Trust),
    ..Traits::plain(Algorithm::Trust)
};

const STATE: StateTable =
    StateTable::None("TruSt keeps no options. All that it knows is what it has tried on the way to this graph.");

pub(in super::super) static PLAIN: Definition = Definition {
    name: "trust",
    title: "TruSt",
    description: "As GenMC, but remembers nothing: it makes a revisit only if all that the revisit removes was added \
                  in the maximal way. Explores every consistent execution exactly once, in memory that does not grow.",
    traits: TRAITS,
    parameters: &[],
    pseudo_code: &pseudo_code::PLAIN,
    state: STATE,
};

pub(in super::super) static PLAIN_MACHINE: Machine = Machine {
    explorer: |code, model, options| Box::new(TruSt::new(code, model, options)),
    prepared: None,
    walk: Some(|program, code, model, options, work, budget| {
        boxed(TrustWalk::new(program, code, model, options, Unit::Plain, work, budget))
    }),
    whole: None,
    narrator: &WORDS,
};

pub(in super::super) static WITH_CO: Definition = Definition {
    name: "trust_co",
    title: "TruSt (co)",
    description: "TruSt with coherence (co) in the graph: a new write is tried at each place in co. Explores every \
                  consistent execution once for each of its coherence orders. The fastest for large runs.",
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
    walk: Some(|program, code, model, options, work, budget| {
        boxed(TrustWalk::new(program, code, model, options, Unit::WithCo, work, budget))
    }),
    whole: None,
    narrator: &WORDS,
};

fn boxed(walk: Result<Option<TrustWalk>, Paused>) -> Result<Option<Box<dyn Walk>>, Paused> {
    Ok(walk?.map(|walk| Box::new(walk) as Box<dyn Walk>))
}

/// Its sentences; those of [`super::super::event_driven`] too.
pub(in super::super) static WORDS: Words = Words;

pub(in super::super) struct Words;

impl Narrator for Words {
    fn explain(&self, scene: &dyn Scene, step: Step) -> Option<String> {
        Some(match step {
            Step::ChooseSource { read, write } => {
                let which = if scene.explorer().coherence().is_some() {
                    "the last write to its location in co that it may read from"
                } else {
                    "the first, in a fixed order, of the writes that it may read from"
                };
                format!(
                    "{} reads from {} (rf), {which}. This is the maximal choice. The other sources are tried after all \
                     that follows from this one.",
                    scene.event(read),
                    scene.event(write)
                )
            }
            Step::Block { read } => format!(
                "{} waits at first (⊥), whatever is there to take. That is always consistent, and it is the maximal \
                 choice. What it could take is tried after all that follows from this.",
                scene.call(read)
            ),
            Step::TakeRevisit { read, write, direction } => try_source(scene, read, write, direction, false),
            Step::TakeSpurious { read, write, direction } => try_source(scene, read, write, direction, true),
            Step::PlaceWrite { write, after } => placed(scene, write, after),
            Step::TakePlacement { write, after } => format!(
                "All that follows from the previous place was explored. Now {} comes immediately after {} in co.{}",
                scene.event(write),
                scene.event(after),
                scene.removed_if_any()
            ),
            Step::NotMaximal { read, write, event, reason } => format!(
                "The earlier {} {}. {}",
                scene.noun(read),
                scene.could_take(read, &format!("the {} {}", cause(scene, read), scene.event(write))),
                not_maximal(scene, read, event, reason)
            ),
            _ => return None,
        })
    }

    fn end(&self) -> &'static str {
        "Nothing is left to try"
    }
}

/// Why a revisit is made here and nowhere else, as a sentence; `what` is what it changes.
pub(in super::super) fn made_here(scene: &dyn Scene, what: &str) -> String {
    let maximal = if scene.explorer().cut().is_empty() { "was" } else { "and all that is removed were" };
    format!("The {what} {maximal} maximal, so no other graph makes this revisit.")
}

/// A source that is tried after others, or a revisit.
fn try_source(scene: &dyn Scene, read: EventKey, write: EventKey, direction: Direction, spurious: bool) -> String {
    let failure = if spurious { FAILS } else { "" };
    let (reader, source) = (scene.event(read), scene.event(write));
    if direction != Direction::Backward {
        return format!(
            "All that follows from the previous choice was explored. Now {reader} {}{failure}.{}",
            scene.takes(read, &source),
            scene.removed_if_any()
        );
    }
    let (noun, cause) = (scene.noun(read), cause(scene, read));
    format!(
        "The {cause} {source} revisits the earlier {noun} {}. So {reader} now {}{failure}. {} {} {}",
        scene.name(read),
        scene.takes(read, &scene.name(write)),
        scene.stays(noun, cause),
        scene.removed(),
        made_here(scene, noun)
    )
}

/// What may revisit something.
fn cause(scene: &dyn Scene, read: EventKey) -> &'static str {
    if scene.operation(read).is_some() { "new operation" } else { "new write" }
}

/// Why a revisit is not made here, as sentences.
fn not_maximal(scene: &dyn Scene, read: EventKey, event: EventKey, reason: Reason) -> String {
    let noun = scene.noun(read);
    let what = if event == read { format!("the {noun}") } else { scene.event(event) };
    let removes = if event == read { String::new() } else { format!("This revisit would remove {what}. ") };
    let why = match reason {
        Reason::IsRead(read) => format!("{} reads from it", scene.event(read)),
        Reason::CoEarlier(write) => format!("{} comes after it in co", scene.event(write)),
        Reason::ReadsEarlier(write) => format!("{} comes after its source in co", scene.event(write)),
        Reason::OtherSource(write) => {
            let graph = scene.graph();
            let fails = graph.find(event).is_some_and(|e| graph.event(e).fails_spuriously());
            let outcome = if fails { " without a spurious failure" } else { "" };
            format!("its maximal choice is to read from {}{outcome}", scene.event(write))
        }
        Reason::DoesNotWait => "it took something, and its maximal choice is to wait (⊥)".to_owned(),
        Reason::Undecided(write) => {
            return format!(
                "{removes}Whether {} is the maximal choice of {what} was not decided: {SEARCH_GIVEN_UP} The revisit is \
                 left out.",
                scene.event(write)
            );
        }
    };
    let but = if event == read { format!("But the {noun}") } else { "But that event".to_owned() };
    format!(
        "{removes}{but} is not maximal: {why}. So another graph makes this revisit: the one with the same events in \
         which the {noun} and all that is removed are maximal."
    )
}

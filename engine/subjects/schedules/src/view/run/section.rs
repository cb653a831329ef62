//! The section under way: a partial order of events, drawn with a column for each thread.

use super::About;
use crate::sections::Section;
use crate::stepping::Stepper;
use crate::view::in_digits;
use litmoscope_core::graph::{EventKey, ThreadId};
use litmoscope_core::program::system::TransitionId;
use litmoscope_core::words::{by_number, count};
use litmoscope_draw::parts::{Step, node_width};
use litmoscope_draw::{
    Diagram, DiagramColumn, DiagramEdge, DiagramNode, Drawing, EdgeKind, Mark, NodeKind, OwnKind, Place, Room, Shades,
    layout,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// How many events of a section are drawn at most.
const MAX_DRAWN: usize = 120;
/// How many sets of events are looked at to count linear extensions.
const COUNTED: usize = 1 << 16;
/// The most characters in a box.
const LONGEST: usize = 24;

/// What comes before what within a section, between threads.
static BEFORE: [OwnKind; 1] = [OwnKind {
    name: Cow::Borrowed("before"),
    standard: Shades::new("#0057b8", "#7cb7ff", "#0000c0"),
    safe: Shades::new("#0057b8", "#7cb7ff", "#0000c0"),
    dash: Cow::Borrowed(""),
}];

/// A section of a schedule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SectionView {
    /// Its events, in the order of the path that it is made of.
    pub events: Vec<SectionEventView>,
    /// In how many orders they may come, as a number in digits; `None` if that was not counted.
    pub extensions: Option<String>,
    /// How many times it goes along the same path.
    pub repeats: u32,
    /// What is said of it, in sentences.
    pub words: String,
    /// Drawn, unless it is too large.
    pub drawing: Option<Drawing>,
}

/// An event of a section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionEventView {
    /// Whose it is.
    pub thread: u16,
    /// On one line.
    pub text: String,
    /// The line of the text, from 1.
    pub line: u32,
    /// It was done.
    pub is_over: bool,
    /// It may come now, as far as the schedule is concerned.
    pub is_next: bool,
    /// The events immediately before it, as numbers from 0.
    pub after: Vec<usize>,
}

/// The section under way, if there is one.
pub(super) fn view(
    about: &About<'_>,
    stepper: &Stepper<'_>,
    last: Option<(u16, TransitionId)>,
    narrow: bool,
) -> Option<SectionView> {
    let lookup = stepper.lookup();
    let number = lookup.section()?;
    let section = &stepper.schedule().sections[number];
    let events: Vec<SectionEventView> = (section.events.iter().enumerate())
        .map(|(at, event)| {
            let (text, line) = about.step_text(event.transition);
            let is_over = lookup.is_over(at);
            let is_next = !is_over
                && lookup.next(event.thread) == Some(at)
                && event.after.iter().all(|before| lookup.is_over(*before));
            SectionEventView { thread: event.thread, text, line, is_over, is_next, after: event.after.clone() }
        })
        .collect();
    let extensions = stepper.schedule().linear_extensions(number, COUNTED);
    let over = events.iter().filter(|event| event.is_over).count();
    let all = count(events.len() as u64, "event");
    let mut words = format!("This section has {all}; {} {} over.", over, by_number(over as u64, "is", "are"));
    words += &match extensions {
        Some(1) => " They come in exactly one order.".to_owned(),
        Some(number) => format!(" They may come in {} orders, which all lead to the same.", in_digits(number)),
        None => " In how many orders they may come was not counted.".to_owned(),
    };
    if section.repeats > 1 {
        words += &format!(" It is {} rounds of the same path in one.", section.repeats);
    }
    let drawing = (events.len() <= MAX_DRAWN).then(|| drawn(about, section, &events, last, narrow));
    if drawing.is_none() {
        words += &format!(" It is too large to be drawn: no more than {MAX_DRAWN} events are.");
    }
    let extensions = extensions.map(in_digits);
    Some(SectionView { events, extensions, repeats: section.repeats, words, drawing })
}

fn short(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    format!("{}…", text.chars().take(LONGEST - 1).collect::<String>())
}

fn drawn(
    about: &About<'_>,
    section: &Section,
    events: &[SectionEventView],
    last: Option<(u16, TransitionId)>,
    narrow: bool,
) -> Drawing {
    let mut serials = vec![0u32; about.system.threads.len()];
    let mut keys = Vec::new();
    // The event of the last step is the last one that is over in its thread.
    let newest = last.and_then(|(thread, id)| {
        let own = |at: &usize| events[*at].thread == thread && events[*at].is_over;
        (0..events.len()).rev().find(own).filter(|at| section.events[*at].transition == id)
    });
    let mut nodes = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let serial = &mut serials[usize::from(event.thread)];
        *serial += 1;
        let key = EventKey { thread: ThreadId(event.thread), serial: *serial };
        keys.push(key);
        let name = format!("{}.{serial}", about.name(event.thread));
        let (sign, standing) = match (event.is_over, event.is_next) {
            (true, _) => ("✓ ", "it is over"),
            (_, true) => ("▸ ", "it may come now"),
            // As wide as the others, so that nothing moves.
            _ => ("· ", "it is to come"),
        };
        nodes.push(DiagramNode {
            key,
            label: format!("{sign}{}", short(&event.text)),
            title: format!("{name}: {} in line {}; {standing}", event.text, event.line),
            name,
            kind: if event.is_over { NodeKind::Fence } else { NodeKind::Write },
            place: Place::Column(event.thread.into()),
            source: None,
            marks: if newest == Some(at) { vec![Mark::Newest] } else { Vec::new() },
            colour: None,
            ghost: false,
            span: about
                .system
                .point(event.thread.into(), about.system.transition(section.events[at].transition).from)
                .span,
        });
    }
    let mut edges = Vec::new();
    for (at, event) in events.iter().enumerate() {
        for before in event.after.iter().filter(|before| events[**before].thread != event.thread) {
            edges.push(DiagramEdge {
                from: keys[*before],
                to: keys[at],
                kind: EdgeKind::Own(0),
                label: None,
                title: format!(
                    "{} in line {} comes before {} in line {}",
                    events[*before].text, events[*before].line, event.text, event.line
                ),
                in_cycle: false,
                new: false,
                ghost: false,
            });
        }
    }
    let traffic = |thread: usize| nodes.iter().filter(|node| node.place == Place::Column(thread)).count();
    let columns = about.system.threads.iter().enumerate().map(|(thread, of)| DiagramColumn {
        title: of.name.clone(),
        width: node_width(""),
        traffic: traffic(thread),
    });
    let columns: Vec<_> = columns.collect();
    let mut diagram = Diagram {
        rows: serials.iter().max().map_or(0, |rows| *rows as usize),
        columns,
        nodes,
        edges,
        room: Room::of(narrow),
        kinds: BEFORE.to_vec(),
        chosen_co: true,
        one_by_one: true,
        ..Diagram::default()
    };
    diagram.join_columns(|_, _| Step::default());
    layout(diagram)
}

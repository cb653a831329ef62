//! A graph as JSON.
//!
//! ```json
//! {
//!   "vertices": 4,
//!   "edges": [[0, 1], [1, 0], [1, 2], [2, 3], [3, 3]],
//!   "random": [1],
//!   "start": [0],
//!   "labels": {"requests": [0, 1], "grants": [3]},
//!   "pairs": [["requests", "grants"], ["all", {"none": true}]]
//! }
//! ```
//!
//! `vertices` is how many there are, or a list of their names; it and `edges` have to be there. A side of a pair is the name of a label, or
//! `{"all": true}` or `{"none": true}`, for all vertices and for none; `"all"` and `"none"` are these as well where no label is called so.
//!
//! **What is written** has everything that a graph has.

use super::draft::{Draft, Said, Stop, check_count, listed, shortened};
use super::{Read, ReadOptions};
use crate::labelled::{Labelled, Side};
use litmoscope_core::syntax::Diagnostic;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::fmt::{Formatter, Write as _};
use std::ops::Range;

const HELP: &str = "such as `{\"vertices\": 2, \"edges\": [[0, 1], [1, 0]], \"start\": [0], \"labels\": {\"a\": [1]}}`";

/// An object, with the text of each value. Keys may be there twice.
struct Object<'t>(Vec<(String, &'t RawValue)>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Object<'de>;
            fn expecting(&self, to: &mut Formatter<'_>) -> std::fmt::Result {
                to.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Object(fields))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

impl Said<'_> {
    /// The place of a piece of this text.
    fn range_of(&self, piece: &str) -> Range<usize> {
        let start = (piece.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize).min(self.text.len());
        start..(start + piece.len()).min(self.text.len())
    }

    /// Says that a piece of this text is not JSON of the right kind.
    fn wrong_json(&mut self, piece: &str, error: &serde_json::Error) -> Stop {
        let message = error.to_string();
        let end = message.rfind(" at line ").unwrap_or(message.len());
        let before: usize = piece.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let start = self.range_of(piece).start;
        let at = start + (before + error.column().saturating_sub(1)).min(piece.len().saturating_sub(1));
        let end_at = (at + 1).min(self.text.len());
        self.error(at..end_at, format!("this can't be read: {}", shortened(&message[..end])), HELP)
    }

    fn parse<'a, T: Deserialize<'a>>(&mut self, piece: &'a str) -> Result<T, Stop> {
        serde_json::from_str(piece).map_err(|error| self.wrong_json(piece, &error))
    }

    fn vertex(&mut self, raw: &RawValue, vertices: usize) -> Result<u32, Stop> {
        match raw.get().parse::<u32>() {
            Ok(vertex) if (vertex as usize) < vertices => Ok(vertex),
            Ok(vertex) => {
                let message = format!("there is no vertex {vertex}: there are {vertices} of them");
                Err(self.error(self.range_of(raw.get()), message, "they are numbered from 0 on"))
            }
            Err(_) => {
                let message = format!("`{}` is no number of a vertex", shortened(raw.get()));
                Err(self.error(self.range_of(raw.get()), message, "they are numbered from 0 on"))
            }
        }
    }

    fn vertices(&mut self, raw: &RawValue, vertices: usize) -> Result<Vec<u32>, Stop> {
        let list: Vec<&RawValue> = self.parse(raw.get())?;
        let mut found = Vec::with_capacity(list.len());
        for raw in list {
            found.extend(self.vertex(raw, vertices).ok());
            if self.is_full() {
                return Err(Stop);
            }
        }
        Ok(found)
    }

    fn object<'a>(&mut self, piece: &'a str) -> Result<Vec<(String, &'a RawValue)>, Stop> {
        let Object(fields) = self.parse(piece)?;
        let mut seen = HashSet::new();
        for (key, value) in &fields {
            if !seen.insert(key.as_str()) {
                let range = self.range_of(value.get());
                self.error(range, format!("`{}` is there twice", shortened(key)), "give it once");
            }
        }
        Ok(fields)
    }
}

/// Reads a graph. Linear.
pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Read, Vec<Diagnostic>> {
    let mut said = Said::new(text);
    let read = graph(&mut said, options);
    let (labelled, notes) = said.end(read)?;
    Ok(Read::new(labelled, notes))
}

fn graph(said: &mut Said<'_>, options: &ReadOptions) -> Result<Labelled, Stop> {
    if !said.errors.is_empty() {
        return Err(Stop);
    }
    let fields = said.object(said.text.trim_start_matches('\u{feff}'))?;
    let field = |name: &str| fields.iter().find(|(key, _)| key == name).map(|(_, value)| *value);
    const KNOWN: [&str; 6] = ["vertices", "edges", "random", "start", "labels", "pairs"];
    for (key, value) in &fields {
        if !KNOWN.contains(&key.as_str()) {
            let message = format!("nothing is called `{}` here", shortened(key));
            said.error(said.range_of(value.get()), message, format!("there may be {}", listed(KNOWN.into_iter())));
        }
    }
    let mut draft = Draft::default();
    let (Some(vertices), Some(edges)) = (field("vertices"), field("edges")) else {
        return Err(said.error(said.start(), "`vertices` or `edges` are missing", HELP));
    };
    let edges_at = edges;
    let edges: Vec<&RawValue> = said.parse(edges.get())?;
    let count = if vertices.get().starts_with('[') {
        draft.names = said.parse(vertices.get())?;
        draft.names.len()
    } else {
        said.parse::<usize>(vertices.get())?
    };
    let mentioned = if draft.names.is_empty() { 2 * edges.len() } else { count };
    check_count(count, mentioned, options, said, said.range_of(vertices.get()))?;
    if edges.len() > options.edges {
        let message = format!("there are more than {} edges", options.edges);
        return Err(said.error(said.range_of(edges_at.get()), message, "give a smaller graph"));
    }
    for raw in edges {
        if said.is_full() {
            return Err(Stop);
        }
        let Ok(ends) = said.parse::<Vec<&RawValue>>(raw.get()) else { continue };
        let [from, to] = ends[..] else {
            said.error(said.range_of(raw.get()), "an edge has two ends", "such as `[0, 1]`");
            continue;
        };
        if let (Ok(from), Ok(to)) = (said.vertex(from, count), said.vertex(to, count)) {
            draft.edges.push((from, to));
        }
    }
    if let Some(random) = field("random") {
        draft.random = said.vertices(random, count)?;
    }
    if let Some(start) = field("start") {
        draft.start = said.vertices(start, count)?;
    }
    if let Some(labels) = field("labels") {
        for (name, set) in said.object(labels.get())? {
            if name.is_empty() {
                said.error(said.range_of(set.get()), "the label has no name", HELP);
            }
            let label = draft.label(&name);
            draft.labels[label].1 = said.vertices(set, count)?;
        }
    }
    if let Some(pairs) = field("pairs") {
        for raw in said.parse::<Vec<&RawValue>>(pairs.get())? {
            if said.is_full() {
                return Err(Stop);
            }
            let Ok(sides) = said.parse::<Vec<&RawValue>>(raw.get()) else { continue };
            let [asks, gets] = sides[..] else {
                said.error(said.range_of(raw.get()), "a pair has two sides", "such as `[\"requests\", \"grants\"]`");
                continue;
            };
            if let (Ok(asks), Ok(gets)) = (side(said, &draft, asks), side(said, &draft, gets)) {
                draft.pairs.push((asks, gets));
            }
        }
    }
    draft.finish(count, said)
}

fn side(said: &mut Said<'_>, draft: &Draft, raw: &RawValue) -> Result<Side, Stop> {
    if raw.get().starts_with('{') {
        let fields = said.object(raw.get())?;
        return match fields[..] {
            [(ref key, value)] if key == "all" && value.get() == "true" => Ok(Side::All),
            [(ref key, value)] if key == "none" && value.get() == "true" => Ok(Side::None),
            _ => {
                let range = said.range_of(raw.get());
                Err(said.error(range, "this is no side of a pair", "a label, `{\"all\": true}` or `{\"none\": true}`"))
            }
        };
    }
    let name: String = said.parse(raw.get())?;
    match (draft.known_label(&name), name.as_str()) {
        (Some(label), _) => Ok(Side::Label(label)),
        (None, "all") => Ok(Side::All),
        (None, "none") => Ok(Side::None),
        (None, _) => {
            let message = format!("there is no label `{}`", shortened(&name));
            let known = listed(draft.labels.iter().map(|(name, _)| name.as_str()));
            let help = if known.is_empty() { "there are no labels".to_owned() } else { format!("there are {known}") };
            Err(said.error(said.range_of(raw.get()), message, help))
        }
    }
}

/// A name as JSON has it.
fn string(name: &str) -> String {
    serde_json::to_string(name).unwrap_or_default()
}

/// A graph as JSON, an edge list on one line for each vertex. Linear.
pub(super) fn write(of: &Labelled) -> String {
    let list = |items: &mut dyn Iterator<Item = String>| format!("[{}]", items.collect::<Vec<_>>().join(", "));
    let set = |set: &crate::bits::Bits| list(&mut set.iter().map(|at| at.to_string()));
    let vertices = of.graph.vertices();
    let names =
        if of.names.is_empty() { vertices.to_string() } else { list(&mut of.names.iter().map(|name| string(name))) };
    let mut text = format!("{{\n  \"vertices\": {names},\n  \"edges\": [");
    let mut is_first = true;
    for at in (0..vertices).filter(|at| !of.graph.successors(*at).is_empty()) {
        let edges = of.graph.successors(at).iter().map(|to| format!("[{at}, {to}]"));
        let _ = write!(text, "{}\n    {}", if is_first { "" } else { "," }, edges.collect::<Vec<_>>().join(", "));
        is_first = false;
    }
    text += if is_first { "]" } else { "\n  ]" };
    let random = set(crate::universe::Universe::random(&*of.graph));
    let _ = write!(text, ",\n  \"random\": {random},\n  \"start\": {}", set(&of.start));
    let mut labels = of.labels.iter().map(|(name, vertices)| format!("\n    {}: {}", string(name), set(vertices)));
    let labels = labels.by_ref().collect::<Vec<_>>().join(",");
    let _ = write!(text, ",\n  \"labels\": {{{labels}{}}}", if labels.is_empty() { "" } else { "\n  " });
    let side = |side: &Side| match side {
        Side::All => "{\"all\": true}".to_owned(),
        Side::None => "{\"none\": true}".to_owned(),
        Side::Label(at) => of.labels.get(*at).map_or_else(|| "{\"none\": true}".to_owned(), |(name, _)| string(name)),
    };
    let pairs = list(&mut of.pairs.iter().map(|(asks, gets)| format!("[{}, {}]", side(asks), side(gets))));
    let _ = writeln!(text, ",\n  \"pairs\": {pairs}\n}}");
    text
}

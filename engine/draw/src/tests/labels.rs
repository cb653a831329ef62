//! Labels of edges in drawings of what the gallery's programs do under all models, with all relations.

use super::*;
use crate::explore::{Algorithm, Options, Step};
use crate::model::Model;
use std::path::Path;
use std::sync::Arc;

/// How many executions of a program are drawn for each model.
const EACH: usize = 12;

/// The programs of the gallery.
fn programs() -> Vec<(String, Program)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../public");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("it is there");
    let entries: serde_json::Value = serde_json::from_str(&read("gallery.json")).expect("JSON");
    let files = entries.as_array().expect("a list").iter().map(|entry| entry["file"].as_str().expect("a name"));
    files.map(|file| (file.to_owned(), syntax::parse(&read(file)).expect("it is a program").program)).collect()
}

/// Drawings of the first executions of a program under a model, with much room and with little.
fn drawings(program: &Program, model: Model) -> Vec<Drawing> {
    let code = Arc::new(Code::compile(program).expect("it can be explored"));
    let mut explorer = Algorithm::Genmc.explorer(code, model, Options::default()).expect("it takes all");
    let mut found = Vec::new();
    let mut rooms = [Room::Wide, Room::Narrow].into_iter().cycle();
    while found.len() < EACH {
        match explorer.advance() {
            Step::Execution { .. } => {
                let graph = explorer.execution();
                let witness = model.consistency(graph).expect("it is consistent");
                let edges = model.relations(graph, &witness).into_iter().flat_map(|(_, edges)| edges).collect();
                let room = rooms.next().expect("there is always one");
                found.push(layout(DrawingInput { edges, room, ..DrawingInput::new(program, graph) }.diagram()));
            }
            Step::Done => break,
            _ => {}
        }
    }
    found
}

/// How far two boxes are apart, each with its middle and its size; negative where they overlap.
fn apart((x, y, width, height): (f32, f32, f32, f32), other: (f32, f32, f32, f32)) -> f32 {
    let across = (x - other.0).abs() - (width + other.2) / 2.0;
    let down = (y - other.1).abs() - (height + other.3) / 2.0;
    across.max(down)
}

#[test]
fn labels_of_the_gallery_cover_nothing_under_any_model() {
    let box_of = |label: &EdgeLabel| (label.x, label.y, label.width, label.height);
    // The page draws a text with a border of 3.5 in the colour of the ground.
    let (mut labels, mut missing, mut close, mut struck) = (0, 0, 0, 0);
    for (name, program) in programs() {
        for drawing in Model::ALL.into_iter().flat_map(|model| drawings(&program, model)) {
            let paths: Vec<_> = drawing.edges.iter().map(|edge| samples(&edge.path)).collect();
            for (at, edge) in drawing.edges.iter().enumerate() {
                let Some(label) = &edge.label else {
                    missing += usize::from(edge.kind != RelationName::Po);
                    continue;
                };
                labels += 1;
                for node in &drawing.nodes {
                    let middle = (node.x + node.width / 2.0, node.y + node.height / 2.0);
                    let distance = apart(box_of(label), (middle.0, middle.1, node.width, node.height));
                    assert!(distance >= 0.0, "{name}: the label of {} covers {}", edge.title, node.name);
                }
                for other in &drawing.edges[..at] {
                    let Some(text) = &other.label else { continue };
                    let distance = apart(box_of(label), box_of(text));
                    assert!(distance >= 0.0, "{name}: the labels of {} and {} overlap", edge.title, other.title);
                    close += usize::from(distance < 3.5);
                }
                let mut others = paths.iter().enumerate().filter(|(other, _)| *other != at);
                let is_below = |(_, path): (usize, &Vec<_>)| {
                    path.iter().any(|&(x, y)| apart(box_of(label), (x, y, 0.0, 0.0)) < -1.0)
                };
                struck += usize::from(others.any(is_below));
            }
        }
    }
    assert!(labels > 30_000, "{labels}");
    assert!(missing * 2000 < labels, "{missing} of {labels} have no place");
    assert!(close * 80 < labels, "{close} of {labels} are close to another one");
    assert!(struck * 20 < labels, "{struck} of {labels} lie on another edge");
}

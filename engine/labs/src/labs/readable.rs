//! How large the letters of the examples' drawings are, as a panel of 600 by 500 shows them at first.

use crate::memories::{GraphRelation, MemoryOpen, MemoryRequest};
use crate::report::Drawing;
use crate::traces::{TraceDeciding, TraceRequest};
use std::path::Path;

/// The texts of the examples that a list in `public/` names.
fn examples(list: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../public");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("it is there");
    let entries: serde_json::Value = serde_json::from_str(&read(list)).expect("JSON");
    let files = entries.as_array().expect("a list").iter().map(|entry| entry["file"].as_str().expect("a name"));
    files.map(|file| (file.to_owned(), read(file))).collect()
}

/// How high the letters are of which titles are made, the smallest but for labels of edges.
fn letters(drawing: &Drawing) -> f32 {
    13.0 * (600.0 / drawing.width).min(500.0 / drawing.height).min(1.0)
}

#[test]
fn protocols_can_be_read() {
    let mut least = f32::INFINITY;
    for (file, text) in examples("protocols.json") {
        let request = MemoryRequest { text, hidden: vec![GraphRelation::Hb], ..MemoryRequest::default() };
        let view = MemoryOpen::open(&request).expect("it is a protocol").view(&request);
        let drawings = view.machine.iter().chain(&view.graph).chain(view.automata.iter().map(|shown| &shown.drawing));
        for drawing in drawings {
            let found = letters(drawing);
            assert!(found >= 9.0, "{file}: {found:.1}");
            least = least.min(found);
        }
    }
    // In one line, the machine of two automata was 2807 wide: its letters had 2.8.
    assert_eq!(format!("{least:.1}"), "9.1");
}

#[test]
fn traces_can_be_read_but_for_two_of_a_hundred_events() {
    let mut least = f32::INFINITY;
    for (file, text) in examples("traces.json") {
        let deciding = TraceDeciding::open(&text).expect("it is a trace");
        for (choice, step) in [(0, 0), (0, u32::MAX), (1, 0), (1, u32::MAX)] {
            let view = deciding.view(&TraceRequest { choice, step, ..TraceRequest::default() });
            let drawing = view.drawing.expect("it is drawn");
            let found = letters(&drawing);
            if drawing.nodes.len() > 100 {
                assert!(file.ends_with("formula.trace") && found < 9.0, "{file}: {found:.1}");
            } else {
                assert!(found >= 9.0, "{file}: {found:.1}");
                least = least.min(found);
            }
        }
    }
    assert_eq!(format!("{least:.1}"), "9.5");
}

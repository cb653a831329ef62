//! Execution graphs for Graphviz.

use super::svg::dash;
use super::{DrawingInput, Theme, WB_TOO, edge_text, event_name, event_text, label, style};
use crate::graph::{Event, EventKey, RelationName, ThreadId};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// A graph in Graphviz's language: a cluster a thread, in it one a frame, po straight down, other relations with their colours.
pub fn dot(input: &DrawingInput) -> String {
    let (program, execution) = (input.program, input.execution);
    let mut out = String::new();
    let name = if program.name.is_empty() { "execution" } else { &program.name };
    let _ = writeln!(out, "digraph {} {{", quote(name));
    out.push_str("  node [shape=box, style=rounded, fontname=\"monospace\", margin=\"0.08,0.04\", height=0.3];\n");
    out.push_str("  edge [fontname=\"monospace\", fontsize=11];\n");
    let mut edges = input.all_edges();
    // Where co is what wb forces, one arrow says both.
    let of = |relation| edges.iter().filter(move |edge| edge.relation == relation).map(|edge| (edge.from, edge.to));
    let (co, wb): (FxHashSet<_>, FxHashSet<_>) = (of(RelationName::Co).collect(), of(RelationName::Wb).collect());
    edges.retain(|edge| {
        edge.relation != RelationName::Wb || !co.contains(&(edge.from, edge.to)) || input.in_cycle(*edge)
    });
    let initial = input.drawn_initial(&edges);
    if !initial.is_empty() {
        out.push_str("  {\n    rank=min;\n");
        for &e in &initial {
            node(&mut out, "    ", input, execution.event(e), false);
        }
        out.push_str("  }\n");
    }
    let ghosts = input.drawn_ghosts();
    for thread in 0..execution.threads() {
        let _ = writeln!(out, "  subgraph cluster_{thread} {{");
        let _ = writeln!(
            out,
            "    label={};\n    color=gray;\n    fontname=\"monospace\";",
            quote(&input.program.thread_name(thread))
        );
        for &e in execution.thread(ThreadId(thread as u16)) {
            node(&mut out, "    ", input, execution.event(e), false);
        }
        for ghost in ghosts.iter().filter(|ghost| ghost.thread().index() == thread) {
            node(&mut out, "    ", input, ghost, true);
        }
        let frames = input.frames.iter().filter(|frame| frame.nodes.iter().any(|key| key.thread.index() == thread));
        for (place, frame) in frames.enumerate() {
            let _ = writeln!(
                out,
                "    subgraph cluster_{thread}_{place} {{ label={}; tooltip={}; style=rounded; color=gray40;",
                quote(&frame.label),
                quote(&frame.title)
            );
            for key in frame.nodes.iter().filter(|key| execution.find(**key).is_some()) {
                let _ = writeln!(out, "      {};", id(*key));
            }
            out.push_str("    }\n");
        }
        out.push_str("  }\n");
    }
    let po = style(RelationName::Po);
    for thread in 0..execution.threads() {
        let kept = execution.thread(ThreadId(thread as u16)).iter().map(|&e| execution.event(e).key);
        let cut = ghosts.iter().filter(|ghost| ghost.thread().index() == thread).map(|ghost| ghost.key);
        let all: Vec<_> = kept.chain(cut).collect();
        for pair in all.windows(2) {
            let _ =
                write!(out, "  {} -> {} [color=\"{}\", weight=10", id(pair[0]), id(pair[1]), po.color(Theme::Light));
            out.push_str(if input.po_in_cycle(pair[1]) { ", label=\"po\", penwidth=2.5];\n" } else { "];\n" });
        }
    }
    for edge in edges {
        let style = style(edge.relation);
        let (from, to) = (execution.event(edge.from).key, execution.event(edge.to).key);
        let color = style.color(Theme::Light);
        let is_both = edge.relation == RelationName::Co && wb.contains(&(edge.from, edge.to));
        let also = if is_both { WB_TOO } else { "" };
        let _ = write!(
            out,
            "  {} -> {} [label={}, color=\"{color}\", fontcolor=\"{color}\", style={}, constraint={}, tooltip={}",
            id(from),
            id(to),
            quote(edge.relation.name()),
            if dash(edge.relation, input.chosen_co).is_empty() { "solid" } else { "dashed" },
            // Coherence and from-read may point upwards; letting them choose the ranks would break the columns.
            matches!(edge.relation, RelationName::Rf),
            quote(&(edge_text(program, execution, edge) + also)),
        );
        out.push_str(if input.in_cycle(edge) { ", penwidth=2.5];\n" } else { "];\n" });
    }
    out.push_str("}\n");
    out
}

fn node(out: &mut String, indent: &str, input: &DrawingInput, event: &Event, ghost: bool) {
    let label = event_text(input.program, event);
    let tooltip = event_name(input.program, event.key);
    let color = match label::kind(event) {
        _ if ghost => ", color=gray, fontcolor=gray, style=\"rounded,dashed\"",
        super::NodeKind::Error => ", color=\"#b42318\", fontcolor=\"#b42318\"",
        super::NodeKind::Init => ", shape=plaintext",
        _ => "",
    };
    let _ = writeln!(out, "{indent}{} [label={}, tooltip={}{color}];", id(event.key), quote(&label), quote(&tooltip));
}

/// A node's identifier.
fn id(key: EventKey) -> String {
    if key.thread.is_init() { format!("init_{}", key.serial) } else { format!("e{}_{}", key.thread.0, key.serial) }
}

/// A text as a quoted string of Graphviz. Backslashes are doubled, since labels have escapes of their own.
pub fn quote(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting_leaves_no_way_out_of_a_string() {
        assert_eq!(quote("a\"; b\\\nc\u{7}"), "\"a\\\"; b\\\\\\nc \"");
    }
}

//! Trees for Graphviz.
//!
//! A node is a box with what holds there. What is proven, what is wrong and what is not yet known look different without colour too: a
//! thick border, a double one, a dotted one. Coverings are dashed.

use crate::art::{Art, NodeId};
use crate::impact::{Look, TreeNode};
use crate::report::Reporter;
use litmoscope_core::program::system::TransitionId;
use litmoscope_draw::quote;
use std::fmt::Write;

fn begin(name: &str) -> String {
    format!(
        "digraph {} {{\n  node [shape=box, fontname=\"monospace\", margin=\"0.08,0.04\", height=0.3];\n  edge [fontname=\"monospace\", \
         fontsize=11];\n",
        quote(name)
    )
}

fn look(look: Look) -> &'static str {
    match look {
        Look::Proven => "color=\"#1a7f37\", style=rounded, penwidth=2.5",
        Look::Wrong => "color=\"#b42318\", fontcolor=\"#b42318\", shape=octagon, peripheries=2",
        Look::Unknown => "color=gray40, fontcolor=gray30, style=\"rounded,dotted\"",
    }
}

struct Writer<'a> {
    reporter: &'a Reporter<'a>,
    out: String,
}

impl Writer<'_> {
    fn node(&mut self, at: usize, label: &str, of: Look) {
        let _ = writeln!(self.out, "  n{at} [label={}, {}];", quote(&format!("{at}: {label}")), look(of));
    }

    fn below(&mut self, at: usize, below: &[(TransitionId, NodeId)]) {
        for (transition, to) in below {
            let step = self.reporter.step(*transition, &[]);
            let text = quote(&format!("{}: {} (line {})", step.thread, step.event, step.line));
            let _ = writeln!(self.out, "  n{at} -> n{} [label={text}];", to.0);
        }
    }

    fn covering(&mut self, at: usize, by: Option<NodeId>, words: &str) {
        if let Some(by) = by {
            let _ = writeln!(
                self.out,
                "  n{at} -> n{} [style=dashed, constraint=false, color=\"#0550ae\", tooltip={}];",
                by.0,
                quote(words)
            );
        }
    }
}

/// A tree of schedules that are proven right. `label` says what holds at a node.
pub fn art(reporter: &Reporter<'_>, art: &Art, mut label: impl FnMut(NodeId) -> String) -> String {
    let mut writer = Writer { reporter, out: begin("schedules") };
    for (at, node) in art.nodes.iter().enumerate() {
        writer.node(at, &label(NodeId(at as u32)), Look::Proven);
        writer.below(at, &node.below);
        writer.covering(at, node.covered_by, "covered: schedules go on there");
    }
    writer.out + "}\n"
}

/// A verifier's tree. Each thread that is not expanded yet where it might have to be is a stub. `label` says what holds at a node.
pub fn tree<L>(reporter: &Reporter<'_>, tree: &[TreeNode<L>], mut label: impl FnMut(NodeId) -> String) -> String {
    let mut writer = Writer { reporter, out: begin("tree") };
    for (at, node) in tree.iter().enumerate() {
        writer.node(at, &label(NodeId(at as u32)), node.look);
        writer.below(at, &node.below);
        writer.covering(at, node.fair, "covered: schedules go on there");
        let plain = node.plain.filter(|by| node.fair != Some(*by));
        writer.covering(at, plain, "covered: nothing else has to be looked at here");
        for thread in &node.open {
            let name = reporter.thread(*thread);
            let _ = writeln!(
                writer.out,
                "  n{at}t{thread} [label={}, shape=plaintext, fontcolor=gray30];\n  n{at} -> n{at}t{thread} [style=dotted, color=gray40];",
                quote(&format!("{name}?"))
            );
        }
    }
    writer.out + "}\n"
}

//! Less of a tree: without what goes wrong, and so that it is fair.
//!
//! Both make a new tree whose executions are some of those of the old one. Where a node takes the place of its coverer, it has that one's label,
//! which its own implies; so all stays well-labelled.
//!
//! Source: P. Metzler's thesis (2020), section 4.4 and appendix B. It names the first without saying how; the second replaces what is printed
//! there as algorithm 6, which copies cycles.

use crate::art::{Art, Node, NodeId};
use litmoscope_core::program::system::{PointKind, System};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A tree would become too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the fair tree has more than {0} nodes")]
pub struct TooLarge(pub usize);

/// The largest part of a tree from which no error and no dead end is reached; `None` if not even the root is in it.
///
/// A node is good if its label never holds (`is_empty` says so), or its coverer is good, or no thread is active, or some
/// thread is fully expanded and has only good nodes behind its edges there. What is good is a greatest fixpoint: a cycle of coverings is
/// good unless something on it is not. At each node that is not covered, those threads stay. A node in which a thread went wrong is not good,
/// nor is one at which nothing is expanded.
///
/// A coverer may lie where no execution gets to any more. Then the first node that it covers takes its place.
///
/// Linear in the tree.
///
/// # Panics
/// If the tree names nodes that it does not have.
pub fn remove_error_paths(system: &System, art: &Art, mut is_empty: impl FnMut(NodeId) -> bool) -> Option<Art> {
    let ids = || (0..art.nodes.len() as u32).map(NodeId);
    let empty: Vec<bool> = ids().map(&mut is_empty).collect();
    let mut covers: Vec<Vec<NodeId>> = vec![Vec::new(); art.nodes.len()];
    for id in ids() {
        if let Some(coverer) = art.node(id).covered_by {
            covers[coverer.0 as usize].push(id);
        }
    }
    // By node that is neither covered nor empty: the threads whose edges all lead to good nodes, as far as is known.
    let mut threads: Vec<Vec<u16>> = ids().map(|id| full(system, art, id)).collect();
    let mut good = vec![true; art.nodes.len()];
    let is_wrong = |id: NodeId| {
        let mut points = art.node(id).points.iter().enumerate();
        points.any(|(thread, point)| matches!(system.point(thread, *point).kind, PointKind::Error(_)))
    };
    let has_ended = |id: NodeId| {
        let mut points = art.node(id).points.iter().enumerate();
        points.all(|(thread, point)| !system.point(thread, *point).is_active())
    };
    let mut bad: Vec<NodeId> = ids()
        .filter(|&id| {
            let at = id.0 as usize;
            let is_stuck = art.node(id).covered_by.is_none() && threads[at].is_empty() && !has_ended(id);
            !empty[at] && (is_wrong(id) || is_stuck)
        })
        .collect();
    bad.iter().for_each(|id| good[id.0 as usize] = false);
    while let Some(id) = bad.pop() {
        let mut lose = |id: NodeId| {
            if !empty[id.0 as usize] && std::mem::replace(&mut good[id.0 as usize], false) {
                bad.push(id);
            }
        };
        covers[id.0 as usize].iter().for_each(|covered| lose(*covered));
        if let Some((above, transition)) = art.node(id).above {
            let own = &mut threads[above.0 as usize];
            own.retain(|thread| *thread != system.transition(transition).thread);
            if own.is_empty() && art.node(above).covered_by.is_none() {
                lose(above);
            }
        }
    }
    if !*good.first()? {
        return None;
    }
    Some(kept(system, art, &empty, &threads))
}

/// The threads that are fully expanded at a node, ascending.
fn full(system: &System, art: &Art, id: NodeId) -> Vec<u16> {
    let mut threads = art.expanded(system, id);
    threads.retain(|thread| art.is_fully_expanded(system, id, *thread));
    threads
}

/// What executions get to, by the edges of some threads at each node.
fn kept(system: &System, art: &Art, empty: &[bool], threads: &[Vec<u16>]) -> Art {
    let mut new = Art { nodes: vec![Node { above: None, below: Vec::new(), ..art.nodes[0].clone() }] };
    // By old node: where it is.
    let mut placed: FxHashMap<NodeId, NodeId> = FxHashMap::default();
    let mut work = VecDeque::from([(NodeId(0), NodeId(0))]);
    // Each coverer, and the new node that it covers.
    let mut covered: Vec<(NodeId, NodeId)> = Vec::new();
    let mut looked_at = 0;
    loop {
        while let Some((old, at)) = work.pop_front() {
            new.nodes[at.0 as usize].covered_by = None;
            if empty[old.0 as usize] {
                continue;
            }
            if let Some(coverer) = art.node(old).covered_by {
                covered.push((coverer, at));
                continue;
            }
            placed.insert(old, at);
            for (transition, to) in &art.node(old).below {
                if threads[old.0 as usize].contains(&system.transition(*transition).thread) {
                    let id = NodeId(new.nodes.len() as u32);
                    let above = Some((at, *transition));
                    new.nodes.push(Node { above, below: Vec::new(), ..art.node(*to).clone() });
                    new.nodes[at.0 as usize].below.push((*transition, id));
                    work.push_back((*to, id));
                }
            }
        }
        // All that edges lead to is placed. The first coverer that is not goes where something is that it covers.
        while let Some((coverer, _)) = covered.get(looked_at)
            && placed.contains_key(coverer)
        {
            looked_at += 1;
        }
        let Some(&(coverer, at)) = covered.get(looked_at) else { break };
        looked_at += 1;
        new.nodes[at.0 as usize].label = art.node(coverer).label.clone();
        work.push_back((coverer, at));
    }
    for (coverer, at) in covered {
        let place = placed.get(&coverer).filter(|place| **place != at);
        new.nodes[at.0 as usize].covered_by = place.copied();
    }
    new
}

/// A fair tree out of one that admits fairness: at each node, it keeps the one thread that ran least recently.
///
/// It is the product with an order of the threads by when they ran last. Each cycle of it is fair: a thread that is active on it, and never
/// runs, would in the end be the least recent one where it is expanded. Of a tree that does not admit fairness, it keeps
/// to the same, but may have cycles that are not fair. Nodes whose labels never hold (`is_empty` says so) have nothing below them.
///
/// There are as many nodes as pairs of a node and an order that is met, and covered ones at the ends of edges: with k threads at most k! for
/// each node.
///
/// # Errors
/// [`TooLarge`] for more than `limit` nodes.
///
/// # Panics
/// If the tree has no node, or names nodes that it does not have.
pub fn recency_product(
    system: &System,
    art: &Art,
    mut is_empty: impl FnMut(NodeId) -> bool,
    limit: usize,
) -> Result<Art, TooLarge> {
    let order: Vec<u16> = (0..system.threads.len() as u16).collect();
    let root = art.coverer(NodeId(0));
    let mut new = Art { nodes: vec![Node { above: None, below: Vec::new(), ..art.node(root).clone() }] };
    let mut placed: FxHashMap<(NodeId, Vec<u16>), NodeId> = FxHashMap::default();
    placed.insert((root, order.clone()), NodeId(0));
    let mut work = VecDeque::from([(root, order, NodeId(0))]);
    while let Some((old, order, at)) = work.pop_front() {
        if is_empty(old) {
            continue;
        }
        let own = art.expanded(system, old);
        let Some(&thread) = order.iter().find(|thread| own.contains(thread)) else { continue };
        let behind: Vec<u16> =
            order.iter().copied().filter(|other| *other != thread).chain(std::iter::once(thread)).collect();
        for (transition, to) in &art.node(old).below {
            if system.transition(*transition).thread != thread {
                continue;
            }
            let id = NodeId(new.nodes.len() as u32);
            let above = Some((at, *transition));
            new.nodes[at.0 as usize].below.push((*transition, id));
            let mut node = Node { above, below: Vec::new(), covered_by: None, ..art.node(*to).clone() };
            if !is_empty(*to) {
                let target = art.coverer(*to);
                let place = *placed.entry((target, behind.clone())).or_insert(id);
                if place == id {
                    node.label = art.node(target).label.clone();
                    work.push_back((target, behind.clone(), id));
                } else {
                    node.covered_by = Some(place);
                }
            }
            new.nodes.push(node);
            if new.nodes.len() > limit {
                return Err(TooLarge(limit));
            }
        }
    }
    Ok(new)
}

//! Two executions next to each other: whether each equivalence has them in one class, and if not, what tells them apart.

use super::Classing;
use super::classes::Kept;
use crate::explore::equivalence::{Difference, Equivalence};
use crate::graph::{Edge, EventId, EventKey, Execution, RelationName};
use crate::program::{Program, Value};
use crate::report::{Drawing, DrawingInput, EdgeKey, InitialWrites, Room, event_name, event_text, layout};
use crate::words;
use serde::{Deserialize, Serialize};

/// What the page shows of two executions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SameView {
    /// In how many equivalences they are of one class, in a sentence.
    pub sentence: String,
    /// The executions.
    pub sides: [SideView; 2],
    /// What each equivalence says, from fine to coarse.
    pub verdicts: Vec<VerdictView>,
}

/// One of two executions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SideView {
    /// Its number from 0 in the list.
    pub execution: u32,
    /// Its number and how it ends.
    pub name: String,
    /// The graph, with rf and co.
    pub drawing: Drawing,
}

/// What an equivalence says of two executions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictView {
    /// Which one.
    pub equivalence: Equivalence,
    /// Whether they are in one class.
    pub same: bool,
    /// What they have in common, or else what tells them apart.
    pub sentence: String,
    /// The edges that show the difference, in each of them.
    pub lights: [Vec<EdgeKey>; 2],
}

/// Two executions, to speak of.
struct Both<'a> {
    program: &'a Program,
    sides: [&'a Execution; 2],
}

impl Classing {
    /// Two of the executions that were found so far, by their numbers from 0; `None` if there are none of these numbers.
    pub fn compare(&self, first: u32, second: u32) -> Option<SameView> {
        let kept = [self.kept(first as usize)?, self.kept(second as usize)?];
        let both = Both { program: self.program(), sides: kept.map(|kept| &kept.graph) };
        let verdict = |equivalence: Equivalence| {
            let [a, b] = kept.map(Kept::ordered);
            let difference = equivalence.difference(self.root(), a, b);
            let (sentence, lights) = match difference {
                None => (format!("in common: {}", equivalence.meaning()), <[Vec<EdgeKey>; 2]>::default()),
                Some(difference) => (both.sentence(difference), both.lights(difference)),
            };
            VerdictView { equivalence, same: difference.is_none(), sentence, lights }
        };
        let verdicts: Vec<VerdictView> = Equivalence::ALL.map(verdict).into();
        let same = verdicts.iter().filter(|verdict| verdict.same).map(|verdict| verdict.equivalence.title());
        let same: Vec<&str> = same.collect();
        let sentence = match same.len() {
            _ if first == second => "The two are one execution.".to_owned(),
            0 => "No equivalence has both in the same class.".to_owned(),
            _ => format!("The two are in the same class by {}.", words::list(same)),
        };
        let side = |execution: u32, kept: &Kept| SideView {
            execution,
            name: kept.name().to_owned(),
            drawing: layout(drawing(self.program(), kept).diagram()),
        };
        Some(SameView { sentence, sides: [side(first, kept[0]), side(second, kept[1])], verdicts })
    }
}

/// What is drawn of an execution: rf, and co between neighbours that are no initial writes.
fn drawing<'a>(program: &'a Program, kept: &'a Kept) -> DrawingInput<'a> {
    let mut input = DrawingInput::new(program, &kept.graph);
    // Beside another one.
    input.room = Room::Narrow;
    input.initial = InitialWrites::Relevant;
    input.chosen_co = true;
    let neighbours = kept.co.iter().flat_map(|order| order.windows(2)).map(|pair| (pair[0], pair[1]));
    let started = neighbours.filter(|(from, _)| !kept.graph.event(*from).is_init());
    input.edges.extend(started.map(|(from, to)| Edge { from, to, relation: RelationName::Co }));
    input
}

impl Both<'_> {
    /// An event of one of them with what it does: `P1.2, W(x,1)`.
    fn event(&self, side: usize, key: EventKey) -> String {
        let event = self.sides[side].find(key).map(|e| self.sides[side].event(e));
        let what = event.filter(|event| !event.is_init()).map(|event| event_text(self.program, event));
        words::list([Some(event_name(self.program, key)), what].into_iter().flatten()).replace(" and ", ", ")
    }

    fn sentence(&self, difference: Difference) -> String {
        let side = |in_first: bool| if in_first { (0, "first") } else { (1, "second") };
        match difference {
            Difference::Event { event, in_first } => {
                let (one, name) = side(in_first);
                let other = 1 - one;
                match self.sides[other].find(event) {
                    None => format!("{} is only in the {name}", self.event(one, event)),
                    Some(_) => {
                        let text = |side: usize| {
                            let event = self.sides[side].find(event).map(|e| self.sides[side].event(e));
                            event.map_or_else(String::new, |event| event_text(self.program, event))
                        };
                        let name = event_name(self.program, event);
                        format!("{name} is {} in the first, {} in the second", text(0), text(1))
                    }
                }
            }
            Difference::Value { read, first, second } => {
                let takes = |value: Option<Value>| {
                    value
                        .map_or_else(|| "waits".to_owned(), |value| format!("reads {}", self.program.value_text(value)))
                };
                let name = event_name(self.program, read);
                format!("{name} {} in the first, {} in the second", takes(first), takes(second))
            }
            Difference::Source { read, first, second } => {
                let from = |source: Option<EventKey>| {
                    source.map_or_else(
                        || "waits".to_owned(),
                        |source| format!("reads from {}", event_name(self.program, source)),
                    )
                };
                let read = self.event(0, read);
                format!("{read}: {} in the first, {} in the second", from(first), from(second))
            }
            Difference::Order { before, after } => {
                let (before, after) = (self.event(0, before), self.event(0, after));
                format!("{before}: before {after} in the first, after it in the second")
            }
            Difference::Causality { before, after, in_first } => {
                let (one, name) = side(in_first);
                let (before, after) = (self.event(one, before), self.event(one, after));
                format!("{before}: before {after} in porf, only in the {name}")
            }
        }
    }

    /// The edges that show a difference, in each of the two.
    fn lights(&self, difference: Difference) -> [Vec<EdgeKey>; 2] {
        let in_both = |of: &dyn Fn(&Execution) -> Vec<EdgeKey>| self.sides.map(of);
        match difference {
            Difference::Event { event, .. } => in_both(&|graph| into(graph, event)),
            Difference::Value { read, .. } | Difference::Source { read, .. } => in_both(&|graph| into(graph, read)),
            Difference::Order { before, after } => {
                [conflict(self.sides[0], before, after), conflict(self.sides[1], after, before)]
            }
            Difference::Causality { before, after, .. } => in_both(&|graph| way(graph, before, after)),
        }
    }
}

/// What leads to an event: rf if it reads, else po.
fn into(graph: &Execution, key: EventKey) -> Vec<EdgeKey> {
    let Some(e) = graph.find(key) else { return Vec::new() };
    let source = graph.source(e).map(|from| edge(graph, from, e, RelationName::Rf));
    source.or_else(|| before(graph, key).map(|from| edge(graph, from, e, RelationName::Po))).into_iter().collect()
}

/// The event before one in its thread.
fn before(graph: &Execution, key: EventKey) -> Option<EventId> {
    let serial = key.serial.checked_sub(1).filter(|serial| *serial > 0 && !key.thread.is_init())?;
    graph.find(EventKey { serial, ..key })
}

fn edge(graph: &Execution, from: EventId, to: EventId, relation: RelationName) -> EdgeKey {
    EdgeKey { from: graph.event(from).key, to: graph.event(to).key, kind: relation.into() }
}

/// Why one of two conflicting events comes first: co between writes, fr from a read, and to a read by rf, if need be behind co.
fn conflict(graph: &Execution, first: EventKey, second: EventKey) -> Vec<EdgeKey> {
    let (Some(a), Some(b)) = (graph.find(first), graph.find(second)) else { return Vec::new() };
    let writes = |e: EventId| graph.event(e).is_write();
    if writes(b) {
        let relation = if writes(a) { RelationName::Co } else { RelationName::Fr };
        return vec![edge(graph, a, b, relation)];
    }
    let Some(source) = graph.source(b) else { return Vec::new() };
    let order = (source != a).then(|| edge(graph, a, source, RelationName::Co));
    order.into_iter().chain([edge(graph, source, b, RelationName::Rf)]).collect()
}

/// A shortest way of po and rf between two events; none if there is no way. Linear in the events.
fn way(graph: &Execution, from: EventKey, to: EventKey) -> Vec<EdgeKey> {
    let (Some(from), Some(to)) = (graph.find(from), graph.find(to)) else { return Vec::new() };
    let mut next: Vec<Option<EdgeKey>> = vec![None; graph.len()];
    let mut queue = std::collections::VecDeque::from([to]);
    while let Some(e) = queue.pop_front() {
        if e == from {
            break;
        }
        let source = graph.source(e).map(|source| (source, RelationName::Rf));
        let before = before(graph, graph.event(e).key).map(|before| (before, RelationName::Po));
        for (earlier, relation) in [source, before].into_iter().flatten() {
            if next[earlier.index()].is_none() && earlier != to {
                next[earlier.index()] = Some(edge(graph, earlier, e, relation));
                queue.push_back(earlier);
            }
        }
    }
    let mut at = Some(from);
    let step = std::iter::from_fn(|| {
        let edge = next[at?.index()]?;
        at = graph.find(edge.to);
        Some(edge)
    });
    step.collect()
}

#[cfg(test)]
mod tests {
    use super::super::classes::tests::{FIGURE_4_1, all_of};
    use super::*;

    fn verdict(view: &SameView, equivalence: Equivalence) -> &VerdictView {
        view.verdicts.iter().find(|verdict| verdict.equivalence == equivalence).expect("it is asked")
    }

    fn relations(lights: &[EdgeKey]) -> Vec<RelationName> {
        lights.iter().filter_map(|edge| RelationName::ALL.into_iter().find(|name| edge.kind == *name)).collect()
    }

    /// Whoever is in one class by the list is in one class by the comparison, and the other way round.
    #[test]
    fn a_comparison_says_what_the_list_says() {
        let classing = all_of(FIGURE_4_1, None, 1);
        let list = classing.view(false).executions;
        for first in (0..98).step_by(5) {
            for second in (0..98).step_by(3) {
                let view = classing.compare(first, second).expect("they are there");
                for (at, verdict) in view.verdicts.iter().enumerate() {
                    let [a, b] = [first, second].map(|execution| list[execution as usize].classes[at]);
                    assert_eq!(verdict.same, a == b, "{first}, {second}: {verdict:?}");
                    assert_eq!(verdict.same, verdict.sentence.starts_with("in common: "));
                    assert_eq!(verdict.same, verdict.lights.iter().all(Vec::is_empty), "{verdict:?}");
                }
            }
        }
        let view = classing.compare(0, 0).expect("it is there");
        assert_eq!(view.sentence, "The two are one execution.");
        assert!(view.verdicts.iter().all(|verdict| verdict.same));
        assert_eq!(classing.compare(0, 98), None);
    }

    #[test]
    fn what_tells_two_executions_apart_is_said_and_shown() {
        let classing = all_of("x := 1 || x := 1 || a := x", None, 1);
        let all = || (0..6).flat_map(|a| (0..6).map(move |b| (a, b)));
        let views: Vec<SameView> = all().filter_map(|(a, b)| classing.compare(a, b)).collect();
        assert_eq!(views.len(), 36);
        let sentences = |which| views.iter().map(|view| verdict(view, which).sentence.as_str()).collect::<Vec<_>>();
        let wanted = "P2.1, R(x,1): reads from P0.1 in the first, reads from P1.1 in the second";
        assert!(sentences(Equivalence::ReadsFrom).contains(&wanted), "{:?}", sentences(Equivalence::ReadsFrom));
        let shown =
            views.iter().find(|view| verdict(view, Equivalence::ReadsFrom).sentence == wanted).expect("it is said");
        let lights = &verdict(shown, Equivalence::ReadsFrom).lights;
        assert_eq!(lights.clone().map(|lights| relations(&lights)), [[RelationName::Rf], [RelationName::Rf]]);
        assert_eq!(shown.sentence, "The two are in the same class by reads-value-from and values.");
        let wanted = "P0.1, W(x,1): before P1.1, W(x,1) in the first, after it in the second";
        let shown = views.iter().find(|view| verdict(view, Equivalence::Mazurkiewicz).sentence == wanted);
        let lights = &verdict(shown.expect("both orders"), Equivalence::Mazurkiewicz).lights;
        assert_eq!(lights.clone().map(|lights| relations(&lights)), [[RelationName::Co], [RelationName::Co]]);
        assert_eq!(lights[0][0].from, lights[1][0].to);
        let wanted = "P2.1 reads 0 in the first, reads 1 in the second";
        assert!(sentences(Equivalence::Values).contains(&wanted), "{:?}", sentences(Equivalence::Values));
    }

    /// Reads of equal values, of which one comes before the other in porf in one execution alone.
    #[test]
    fn a_way_of_porf_is_shown_where_it_is() {
        let classing = all_of("a := x; y := 1 || y := 1 || b := y", None, 1);
        let count = classing.view(false).executions.len() as u32;
        let views = (0..count).flat_map(|a| (0..count).map(move |b| (a, b)));
        let view = views
            .filter_map(|(a, b)| classing.compare(a, b))
            .find(|view| verdict(view, Equivalence::ReadsValueFrom).sentence.ends_with("in porf, only in the first"))
            .expect("b reads 1 from either thread");
        let found = verdict(&view, Equivalence::ReadsValueFrom);
        assert_eq!(found.sentence, "P0.1, R(x,0): before P2.1, R(y,1) in porf, only in the first");
        assert_eq!(relations(&found.lights[0]), [RelationName::Po, RelationName::Rf]);
        assert!(found.lights[1].is_empty());
        assert!(verdict(&view, Equivalence::Values).same);
    }

    #[test]
    fn an_event_of_one_execution_alone_is_named() {
        let classing = all_of("a := x; if a = 1 { y := 1 } || x := 1", None, 1);
        let view = classing.compare(0, 1).expect("two executions");
        // The read comes before what follows from it.
        assert!(verdict(&view, Equivalence::Values).sentence.starts_with("P0.1 reads "), "{view:?}");
        let names: Vec<usize> = view.sides.iter().map(|side| side.drawing.nodes.len()).collect();
        assert_ne!(names[0], names[1]);
    }
}

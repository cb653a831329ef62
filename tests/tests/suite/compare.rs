//! Comparisons of models against the brute force, on random programs.
//!
//! Comparisons have the outcomes of the brute force, and no cycle is shorter than the one shown. For each two models that
//! differ, the gallery has a smallest program that shows it, and no smaller one does.

use litmoscope::compare::{Absence, Cell, Comparer, Comparison, ComparisonBounds, Separation, Sizes, separate};
use litmoscope::explore::brute_force::{self, candidates_up_to};
use litmoscope::explore::{Algorithm, Explorer, Options};
use litmoscope::graph::{Edge, EventId, Execution, Label, Relation, RelationName};
use litmoscope::model::{Along, Buffers, HappensBefore, Model, Violation};
use litmoscope::program::{Code, Location, Mode, Observable, Program, Value};
use litmoscope::testing::{for_all, seeds};
use litmoscope_tests::random::{CAP, LIMITS, weaken};
use litmoscope_tests::{TABULATED, program, registers, satisfies};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

/// With weak compare-and-swaps that fail spuriously.
const OPTIONS: Options = Options { spurious: true, ..Options::within(LIMITS) };

fn compare(program: &Program, code: &Code, options: Options, bounds: ComparisonBounds) -> Comparison {
    let (program, code) = (Arc::new(program.clone()), Arc::new(code.clone()));
    Comparer::new(program, code, &Model::ALL, options, bounds).compare()
}

fn is_whole(graph: &Execution) -> bool {
    graph.events().all(|(_, event)| !event.ends_thread())
}

fn locations(program: &Program, code: &Code) -> Vec<Location> {
    let location = |observable| match observable {
        Observable::Location { object, offset } => code.location(object, Value::from(offset)),
        Observable::Register { .. } => None,
    };
    program.observables().into_iter().filter_map(location).collect()
}

fn state(program: &Program, registers: &[Vec<Value>], graph: &Execution, last: &[EventId]) -> Vec<Value> {
    let mut memory = last.iter().map(|&w| graph.event(w).value_written.expect("a write"));
    let value = |observable| match observable {
        Observable::Register { thread, register } => registers[usize::from(thread)][usize::from(register.0)],
        Observable::Location { .. } => memory.next().expect("one for each location"),
    };
    program.observables().into_iter().map(value).collect()
}

/// All choices of a write of each location that some order has last.
fn all_last(graph: &Execution, locations: &[Location]) -> Vec<Vec<EventId>> {
    let mut all = vec![vec![]];
    for &location in locations {
        let writes: Vec<_> = graph.writes(location).collect();
        let possible = if writes.len() == 1 { &writes[..] } else { &writes[1..] };
        all = all.iter().flat_map(|last| possible.iter().map(|&w| [&last[..], &[w]].concat())).collect();
    }
    all
}

/// The outcomes of each model and their numbers are those of the consistent candidates, all outcomes of candidates are
/// listed, witnesses are what the explorer has at their positions, and what forbids an outcome is inconsistent.
#[test]
fn outcomes_are_those_of_the_brute_force() {
    let (mut skipped, mut rows, mut forbidden, mut weak) = (0, 0, 0, 0);
    let seeds = seeds(1_000);
    for_all(seeds.clone(), |program| {
        let weakened = weaken(program);
        let program = weakened.as_ref().unwrap_or(program);
        let code = Code::compile(program).map_err(|error| error.to_string())?;
        let locations = locations(program, &code);
        let Ok(candidates) = candidates_up_to(CAP / 10, &code, OPTIONS) else {
            skipped += 1;
            return Ok(());
        };
        let mut expected: BTreeMap<Vec<Value>, (u64, [u64; Model::ALL.len()])> = BTreeMap::new();
        for graph in candidates.iter().filter(|graph| is_whole(graph)) {
            let registers = registers(&code, LIMITS, graph);
            for last in all_last(graph, &locations) {
                expected.entry(state(program, &registers, graph, &last)).or_default().0 += 1;
            }
            for (column, model) in Model::ALL.into_iter().enumerate() {
                let finals = brute_force::final_writes(model, graph, &locations);
                let states: BTreeSet<_> = finals.iter().map(|last| state(program, &registers, graph, last)).collect();
                for state in states {
                    expected.get_mut(&state).ok_or("a final write is no candidate's")?.1[column] += 1;
                }
            }
        }
        let bounds = ComparisonBounds { candidates: CAP / 10, explained: 2, ..ComparisonBounds::default() };
        let comparison = compare(program, &code, OPTIONS, bounds);
        if !comparison.all_outcomes {
            return Err("not all outcomes are listed".to_owned());
        }
        let found: BTreeMap<_, _> = comparison
            .outcomes
            .iter()
            .map(|row| {
                let count = |cell: &Cell| if let Cell::Allowed { executions, .. } = cell { *executions } else { 0 };
                let counts: Vec<_> = row.cells.iter().map(count).collect();
                (
                    row.state.clone(),
                    (row.candidates, <[u64; Model::ALL.len()]>::try_from(counts).expect("a cell a model")),
                )
            })
            .collect();
        if found != expected {
            return Err(format!("found {found:?}, expected {expected:?}"));
        }
        for row in &comparison.outcomes {
            rows += 1;
            weak += u32::from(matches!(row.cells[0], Cell::Forbidden { .. }) && row.cells.iter().any(allows));
            for (model, cell) in Model::ALL.into_iter().zip(&row.cells) {
                match cell {
                    Cell::Allowed { position, witness, .. } => {
                        let mut explorer: Box<dyn Explorer> = Algorithm::Genmc
                            .explorer(Arc::new(code.clone()), model, OPTIONS)
                            .map_err(|error| error.to_string())?;
                        (0..*position).for_each(|_| {
                            explorer.advance();
                        });
                        let registers = registers(&code, LIMITS, witness);
                        let fits = |last: &Vec<EventId>| state(program, &registers, witness, last) == row.state;
                        if explorer.execution() != &**witness
                            || !model.final_writes(witness, &locations).iter().any(fits)
                        {
                            return Err(format!("{model}: no witness of {:?} at {position}", row.state));
                        }
                    }
                    Cell::Forbidden { reason: Some(reason), .. } => {
                        forbidden += 1;
                        let graph = &reason.candidate;
                        let registers = registers(&code, LIMITS, graph);
                        if state(program, &registers, graph, &reason.last) != row.state
                            || brute_force::final_writes(model, graph, &locations).contains(&reason.last)
                        {
                            return Err(format!("{model}: {:?} is not forbidden by {reason:#?}", row.state));
                        }
                    }
                    Cell::Forbidden { reason: None, .. } => return Err(format!("{model}: no reason")),
                    Cell::Unknown => return Err(format!("{model}: stopped")),
                }
            }
        }
        Ok(())
    });
    println!("seeds {seeds:?}: {rows} outcomes, {weak} weak, {forbidden} times forbidden, {skipped} skipped");
    assert!(weak > 0);
}

fn allows(cell: &Cell) -> bool {
    matches!(cell, Cell::Allowed { .. })
}

/// The cycle given for a forbidden outcome is made of edges that are there, and none is shorter.
#[test]
fn cycles_are_real_and_none_is_shorter() {
    let (mut skipped, mut checked, mut consistent) = (0, 0, 0);
    let mut lengths: BTreeMap<(&str, String, usize, bool), usize> = BTreeMap::new();
    let seeds = seeds(1_250);
    for_all(seeds.clone(), |program| {
        let weakened = weaken(program);
        let program = weakened.as_ref().unwrap_or(program);
        let code = Code::compile(program).map_err(|error| error.to_string())?;
        let locations = locations(program, &code);
        let Ok(candidates) = candidates_up_to(CAP / 10, &code, OPTIONS) else {
            skipped += 1;
            return Ok(());
        };
        // A sample: neighbours are much alike.
        let whole: Vec<_> = candidates.iter().filter(|graph| is_whole(graph)).collect();
        for graph in whole.iter().step_by(whole.len() / 8 + 1) {
            let lasts = all_last(graph, &locations);
            let some = lasts.iter().map(Vec::as_slice).step_by(lasts.len() / 2 + 1);
            for last in some.chain([&[][..]]) {
                for model in Model::ALL {
                    let found = model.shortest_violation(graph, last, 10_000).map_err(|error| error.to_string())?;
                    let Some((length, forced, edges)) = shortest(model, graph, last) else {
                        if let Some(found) = found {
                            return Err(format!("{model}: {found:?}, but it is consistent: {last:?} {graph:#?}"));
                        }
                        consistent += 1;
                        continue;
                    };
                    let Some(found) = found else {
                        return Err(format!("{model}: a cycle of {length} was missed: {last:?} {graph:#?}"));
                    };
                    checked += 1;
                    if found.cycle.len() != length {
                        return Err(format!("{model}: {found:#?}, but the shortest has {length}: {last:?} {graph:#?}"));
                    }
                    is_cycle(&found, &edges)
                        .map_err(|why| format!("{model}: {why}: {found:#?} {last:?} {graph:#?}"))?;
                    let key = (model.name(), found.axiom, found.cycle.len(), forced);
                    *lengths.entry(key).or_default() += 1;
                }
            }
        }
        Ok(())
    });
    println!("seeds {seeds:?}: {checked} violations, {consistent} consistent, {skipped} skipped: {lengths:#?}");
    assert!(lengths.keys().any(|(.., forced)| !forced));
}

/// Whether each edge is one of those given, from event to event, and they close.
fn is_cycle(violation: &Violation, edges: &BTreeSet<Edge>) -> Result<(), String> {
    let cycle = &violation.cycle;
    let closed = (0..cycle.len()).all(|at| cycle[at].to == cycle[(at + 1) % cycle.len()].from);
    if !closed || cycle.is_empty() {
        return Err("no cycle".to_owned());
    }
    match cycle.iter().find(|edge| !edges.contains(edge)) {
        Some(edge) => Err(format!("no such edge: {edge:?}")),
        None => Ok(()),
    }
}

/// Lengths of paths, by matrix.
#[derive(Clone)]
struct Weights(Vec<Vec<usize>>);

const FAR: usize = usize::MAX / 4;

impl Weights {
    fn new(n: usize) -> Self {
        Self(vec![vec![FAR; n]; n])
    }

    fn add(&mut self, pairs: &Relation, weight: usize) {
        pairs.pairs().for_each(|(a, b)| self.put(a, b, weight));
    }

    fn put(&mut self, a: EventId, b: EventId, weight: usize) {
        let old = &mut self.0[a.index()][b.index()];
        *old = weight.min(*old);
    }

    fn get(&self, a: EventId, b: EventId) -> usize {
        self.0[a.index()][b.index()]
    }

    /// By Floyd and Warshall.
    fn closed(&self) -> Self {
        let mut all = self.clone();
        let n = all.0.len();
        for b in 0..n {
            for a in 0..n {
                for c in 0..n {
                    all.0[a][c] = all.0[a][c].min(all.0[a][b] + all.0[b][c]);
                }
            }
        }
        all
    }

    fn shortest_cycle(&self) -> usize {
        let all = self.closed();
        (0..all.0.len()).map(|e| all.0[e][e]).min().unwrap_or(FAR)
    }
}

/// A graph with what its models' relations are made of.
struct Oracle<'g> {
    model: Model,
    graph: &'g Execution,
    po: Relation,
    rf: Relation,
    sw: Relation,
    /// The base edges of hb, with the order of the fences.
    scf: Relation,
    hb: Relation,
    distance: Weights,
}

type Order = Vec<EventId>;

/// The length of the shortest cycle by the definition in the engine's `model/shortest.rs`, whether it is forced, and
/// all edges that may take part; `None` if the execution is consistent.
fn shortest(model: Model, graph: &Execution, last: &[EventId]) -> Option<(usize, bool, BTreeSet<Edge>)> {
    // What every model asks for comes first.
    let updates = |w| graph.events().filter(move |(u, event)| event.is_update() && graph.source(*u) == Some(w));
    if let Some(w) = graph.ids().find(|&w| updates(w).count() > 1) {
        let readers: Vec<_> = updates(w).map(|(u, _)| u).collect();
        let pairs = readers.iter().flat_map(|&a| readers.iter().map(move |&b| (a, b))).filter(|(a, b)| a != b);
        return Some((2, true, pairs.map(|(from, to)| Edge { from, to, relation: RelationName::Fr }).collect()));
    }
    if let Some(found) = Oracle::new(model, graph, &[]).shortest(last) {
        return Some(found);
    }
    let fences: Vec<_> = graph
        .events()
        .filter(|(_, event)| event.label == Label::Fence(Mode::SequentiallyConsistent))
        .map(|(e, _)| e)
        .collect();
    if !model.rules().orders_fences || fences.len() < 2 {
        return None;
    }
    let mut shortest: Option<(usize, bool, BTreeSet<Edge>)> = None;
    for order in permutations(&fences) {
        let oracle = Oracle::new(model, graph, &order);
        if !oracle.hb.is_irreflexive() {
            continue;
        }
        let (length, _, mut edges) = oracle.shortest(last)?;
        if let Some((shorter, _, others)) = shortest {
            edges.extend(others);
            shortest = Some((length.min(shorter), false, edges));
        } else {
            shortest = Some((length, false, edges));
        }
    }
    shortest
}

fn permutations(events: &[EventId]) -> Vec<Order> {
    if events.is_empty() {
        return vec![vec![]];
    }
    let with_first = |&first: &EventId| {
        let rest: Vec<_> = events.iter().copied().filter(|&e| e != first).collect();
        permutations(&rest).into_iter().map(move |order| [&[first], &order[..]].concat())
    };
    events.iter().flat_map(with_first).collect()
}

fn total(n: usize, orders: &[&Order]) -> Relation {
    let mut relation = Relation::new(n);
    for order in orders {
        for (at, &a) in order.iter().enumerate() {
            order[at + 1..].iter().for_each(|&b| {
                relation.insert(a, b);
            });
        }
    }
    relation
}

impl<'g> Oracle<'g> {
    fn new(model: Model, graph: &'g Execution, fences: &[EventId]) -> Self {
        let n = graph.len();
        let (po, rf) = (graph.po_relation(), graph.rf_relation());
        let sw = brute_force::synchronises_with(model, graph);
        let scf = total(n, &[&fences.to_vec()]);
        let steps = match model.rules().happens_before {
            None => po.clone(),
            Some(HappensBefore::Synchronised(_)) => po.union(&sw),
            Some(HappensBefore::Porf) => po.union(&rf).union(&scf),
        };
        let mut distance = Weights::new(n);
        distance.add(&steps, 1);
        let distance = distance.closed();
        Self { model, graph, po, rf, sw, scf, hb: steps.transitive_closure(), distance }
    }

    fn same_location(&self, a: EventId, b: EventId) -> bool {
        let location = |e: EventId| self.graph.event(e).location();
        location(a).is_some() && location(a) == location(b)
    }

    fn fr(&self, co: &Relation) -> Relation {
        self.rf.inverse().compose(co).filter(|r, w| r != w)
    }

    fn local(&self, co: &Relation) -> Weights {
        let mut weights = Weights::new(self.graph.len());
        for (a, b) in self.hb.pairs().filter(|&(a, b)| self.same_location(a, b)) {
            weights.put(a, b, self.distance.get(a, b));
        }
        weights.add(&self.rf, 1);
        weights.add(co, 1);
        weights.add(&self.fr(co), 1);
        weights
    }

    fn ppo(&self) -> Relation {
        brute_force::preserved_po(self.model, self.graph)
    }

    /// Whether two writes of different locations are kept in order by a store-store fence only.
    fn is_fenced(&self, a: EventId, b: EventId) -> bool {
        let plain_write = |e| matches!(self.graph.event(e).label, Label::Write { .. });
        let fences_matter = self.model.rules().buffers == Some(Buffers::OfLocations);
        fences_matter && plain_write(a) && plain_write(b) && !self.same_location(a, b)
    }

    /// What else the model asks to be acyclic.
    fn global(&self, co: &Relation) -> Option<Weights> {
        let rules = self.model.rules();
        let Some(order) = rules.global else { return rules.psc.map(|psc| self.psc(psc.along, co)) };
        let mut weights = Weights::new(self.graph.len());
        if rules.buffers.is_some() {
            for (a, b) in self.ppo().pairs() {
                weights.put(a, b, if self.is_fenced(a, b) { 2 } else { 1 });
            }
            let other_thread = |a, b| self.graph.event(a).thread() != self.graph.event(b).thread();
            weights.add(&self.rf.filter(other_thread), 1);
        } else {
            weights.add(&self.po.union(&self.rf).union(&self.scf), 1);
        }
        if order.has_fr {
            weights.add(&self.fr(co), 1);
        }
        weights.add(co, 1);
        Some(weights)
    }

    fn psc(&self, along: Along, co: &Relation) -> Weights {
        let n = self.graph.len();
        let is_sc = |e: EventId| self.graph.event(e).mode().is_sc();
        let is_fence = |e: EventId| self.graph.event(e).label == Label::Fence(Mode::SequentiallyConsistent);
        let identity = |member: &dyn Fn(EventId) -> bool| {
            let mut weights = Weights::new(n);
            self.graph.ids().filter(|&e| member(e)).for_each(|e| weights.put(e, e, 0));
            weights
        };
        let product = |a: &Weights, b: &Weights| {
            let mut result = Weights::new(n);
            for x in 0..n {
                for y in 0..n {
                    result.0[x][y] = (0..n).map(|m| a.0[x][m] + b.0[m][y]).min().unwrap_or(FAR).min(FAR);
                }
            }
            result
        };
        let union = |a: &Weights, b: &Weights| {
            let mut result = a.clone();
            for x in 0..n {
                for y in 0..n {
                    result.0[x][y] = a.0[x][y].min(b.0[x][y]);
                }
            }
            result
        };
        let hb = &self.distance;
        let hb_or_equal = union(hb, &identity(&|_| true));
        let fences = identity(&is_fence);
        let elsewhere = self.po.filter(|a, b| !self.same_location(a, b));
        let mut scb = Weights::new(n);
        let through = elsewhere.compose(&self.hb).compose(&elsewhere);
        let same = self.hb.filter(|a, b| self.same_location(a, b));
        for (a, b) in self.po.union(&through).union(&same).pairs() {
            scb.put(a, b, hb.get(a, b));
        }
        scb.add(&co.union(&self.fr(co)), 1);
        let mut eco = Weights::new(n);
        eco.add(&self.rf.union(co).union(&self.fr(co)), 1);
        let eco = eco.closed();
        let left = union(&identity(&is_sc), &product(&fences, &hb_or_equal));
        let right = union(&identity(&is_sc), &product(&hb_or_equal, &fences));
        if along == Along::Shb {
            let mut po = Weights::new(n);
            po.add(&self.po, 1);
            let accesses = identity(&|e| is_sc(e) && !is_fence(e));
            let sc = identity(&is_sc);
            let strongly = product(&product(&sc, &union(&po, &product(&product(&po, hb), &po))), &sc);
            let front = union(&accesses, &product(&fences, hb));
            let behind = union(&accesses, &product(hb, &fences));
            return union(&strongly, &product(&product(&front, &eco), &behind));
        }
        let base = product(&product(&left, &scb), &right);
        let across = union(hb, &product(&product(hb, &eco), hb));
        union(&base, &product(&product(&fences, &across), &fences))
    }

    fn cycle(&self, co: &Relation) -> usize {
        let global = self.global(co).map_or(FAR, |weights| weights.shortest_cycle());
        // Under SC, one axiom implies the other.
        if self.model.rules().local.is_none() { global } else { self.local(co).shortest_cycle().min(global) }
    }

    /// All edges of base relations with some co.
    fn edges(&self, co: &Relation) -> BTreeSet<Edge> {
        use RelationName::{Co, Fr, Po, Ppo, Rf, ScFence, Sw};
        let mut ppo = Relation::new(self.graph.len());
        if let Some(buffers) = self.model.rules().buffers {
            ppo = self.ppo();
            let is_write = |e| matches!(self.graph.event(e).label, Label::Write { .. });
            let store_fence =
                |e| matches!(self.graph.event(e).label, Label::Fence(Mode::Release | Mode::AcquireRelease));
            for (a, b) in self.po.pairs().filter(|_| buffers == Buffers::OfLocations) {
                if store_fence(a) && (store_fence(b) || is_write(b)) || store_fence(b) && is_write(a) {
                    ppo.insert(a, b);
                }
            }
        }
        let fr = self.fr(co);
        let parts: [(&Relation, RelationName); 7] =
            [(&self.po, Po), (&self.rf, Rf), (co, Co), (&fr, Fr), (&ppo, Ppo), (&self.scf, ScFence), (&self.sw, Sw)];
        let edges = parts
            .iter()
            .flat_map(|(pairs, relation)| pairs.pairs().map(|(from, to)| Edge { from, to, relation: *relation }));
        edges.collect()
    }

    fn shortest(&self, last: &[EventId]) -> Option<(usize, bool, BTreeSet<Edge>)> {
        let graph = self.graph;
        let n = graph.len();
        if !self.model.rules().has_co() {
            return self.shortest_overwritten(last);
        }
        let inits: Vec<EventId> = graph.ids().filter(|&e| graph.event(e).is_init()).collect();
        let (mut possible, mut coherent) = (Vec::new(), Vec::new());
        for (location, &init) in inits.iter().enumerate() {
            let writes: Vec<_> = graph.writes(Location(location as u32)).skip(1).collect();
            let orders: Vec<Order> = permutations(&writes)
                .into_iter()
                .map(|order| [&[init], &order[..]].concat())
                .filter(|order| {
                    let agrees = self.hb.pairs().all(|(a, b)| {
                        let place = |e| order.iter().position(|&w| w == e);
                        place(a).is_none() || place(b).is_none() || place(a) < place(b)
                    });
                    agrees && last.iter().all(|w| !order.contains(w) || order.last() == Some(w))
                })
                .collect();
            let is_coherent = |order: &&Order| self.local(&total(n, &[order])).shortest_cycle() >= FAR;
            coherent.push(orders.iter().filter(is_coherent).cloned().collect::<Vec<_>>());
            possible.push(orders);
        }
        let known = |location: usize| {
            if coherent[location].is_empty() { &possible[location] } else { &coherent[location] }
        };
        let agreed = |location: usize| match known(location).split_first() {
            Some((first, rest)) => {
                let mut co = total(n, &[first]);
                for order in rest {
                    let other = total(n, &[order]);
                    co = co.filter(|a, b| other.contains(a, b));
                }
                co
            }
            // No order at all agrees with the last write.
            None => {
                let mut co = Relation::new(n);
                let writes: Vec<_> = graph.writes(Location(location as u32)).collect();
                for &w in &writes[1..] {
                    co.insert(writes[0], w);
                }
                for &w in last.iter().filter(|w| writes.contains(w)) {
                    writes.iter().filter(|&&other| other != w).for_each(|&other| {
                        co.insert(other, w);
                    });
                }
                co
            }
        };
        let union = |parts: &[Relation]| parts.iter().fold(Relation::new(n), |all, part| all.union(part));
        let forced: Vec<Relation> = (0..inits.len()).map(agreed).collect();
        let all = union(&forced);
        let length = self.cycle(&all);
        if length < FAR {
            return Some((length, true, self.edges(&all)));
        }
        let incoherent: Vec<usize> = (0..inits.len()).filter(|&at| coherent[at].is_empty()).collect();
        let mut choices: Vec<Relation> = Vec::new();
        if incoherent.is_empty() {
            let mut products = vec![vec![]];
            for orders in &coherent {
                let extended = products.iter().flat_map(|chosen: &Vec<Relation>| {
                    orders.iter().map(move |order| [&chosen[..], &[total(n, &[order])]].concat())
                });
                products = extended.collect();
            }
            choices.extend(products.iter().map(|parts| union(parts)));
        }
        for &location in &incoherent {
            for order in &possible[location] {
                let mut parts = forced.clone();
                parts[location] = total(n, &[order]);
                choices.push(union(&parts));
            }
        }
        let lengths: Vec<usize> = choices.iter().map(|co| self.cycle(co)).collect();
        if lengths.contains(&FAR) {
            return None;
        }
        let edges = choices.iter().flat_map(|co| self.edges(co)).collect();
        Some((lengths.into_iter().min()?, false, edges))
    }

    fn shortest_overwritten(&self, last: &[EventId]) -> Option<(usize, bool, BTreeSet<Edge>)> {
        let graph = self.graph;
        let mut shortest = FAR;
        let mut edges = self.edges(&Relation::new(graph.len()));
        for (a, b) in self.hb.pairs().filter(|&(a, b)| self.same_location(a, b) && graph.event(b).is_write()) {
            for r in graph.ids().filter(|&r| graph.source(r) == Some(a) && self.hb.contains(b, r)) {
                shortest = shortest.min(self.distance.get(b, r) + 1);
                edges.insert(Edge { from: r, to: b, relation: RelationName::Fr });
            }
            if last.contains(&a) {
                shortest = shortest.min(self.distance.get(a, b) + 1);
                edges.insert(Edge { from: b, to: a, relation: RelationName::Co });
            }
        }
        (shortest < FAR).then_some((shortest, true, edges))
    }
}

/// Why there is no candidate, by example.
#[test]
fn absent_outcomes_are_explained() {
    let why = |text: &str| {
        let (program, code) = program(text);
        let comparison = compare(&program, &code, Options::default(), ComparisonBounds::default());
        comparison.absent.into_iter().map(|absent| absent.why).collect::<Vec<_>>()
    };
    let lb = why("shared x, y\na := y; x := 1 || b := x; y := 1\nexists (P0:a = 1 /\\ P1:b = 1)");
    let [Absence::Cyclic { violation, .. }] = &lb[..] else { panic!("{lb:?}") };
    assert_eq!((violation.axiom.as_str(), violation.cycle.len()), ("no-thin-air", 4));
    let thin_air = why("shared x, y\na := y; x := a || b := x; y := b\nexists (P0:a = 42)");
    assert!(matches!(thin_air[..], [Absence::NoSuchValue { .. }]), "{thin_air:?}");
    let memory = why("shared x\nx := 1 || x := 2\nexists (x = 3)");
    assert!(matches!(memory[..], [Absence::NoSuchValue { .. }]), "{memory:?}");
    // The initial value can't be last, though it is a value of x.
    let initial = why("shared x\nx := 1 || x := 2\nexists (x = 0)");
    assert!(matches!(initial[..], [Absence::NotLeft { initial: true, .. }]), "{initial:?}");
    let inequality = why("shared x\nx := 1 || x := 2\nexists (x > 5)");
    assert!(matches!(inequality[..], [Absence::Unexplained]), "{inequality:?}");
    assert!(why("shared x\nx := 1 || a := x\nexists (P1:a = 1)").is_empty());
    assert!(why("shared x\nx := 1 || a := x\nforall (P1:a = 7)").is_empty());
    let two = why("shared x, y\na := y; x := 1 || b := x; y := 1\nexists (P0:a = 1 /\\ P1:b = 1 \\/ x = 9)");
    assert!(matches!(two[..], [Absence::Cyclic { .. }, Absence::NoSuchValue { .. }]), "{two:?}");
}

/// For each model that allows something, by rows, and each that forbids it, by columns, both in the order of
/// [`TABULATED`] (SC, TSO, PSO, SRA, RA, WRA, RC11): the smallest program of the gallery that shows it. `-` where there
/// is no such program at all.
#[rustfmt::skip]
const SEPARATING: [[&str; 7]; 7] = [
    ["-",     "-",       "-",       "-",    "-",     "-",  "-"],
    ["sb",    "-",       "-",       "-",    "-",     "-",  "sb-sc"],
    ["sb",    "mp",      "-",       "mp",   "mp",    "mp", "sb-sc"],
    ["sb",    "sb-rmws", "sb-rmws", "-",    "-",     "-",  "sb-sc"],
    ["sb",    "2+2w",    "sb-rmws", "2+2w", "-",     "-",  "sb-sc"],
    ["w-rmw", "w-rmw",   "w-rmw",   "w-rmw", "w-rmw", "-", "w-rmw"],
    ["sb",    "mp",      "sb-rmws", "mp",   "mp",    "mp", "-"],
];

fn gallery(file: &str) -> (Program, Code) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../public/{file}.lit"));
    program(&std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// Each pair of these models that differ has its smallest test in the gallery: the outcome that the condition asks for is
/// allowed and forbidden as the table says, and no smaller program is.
#[test]
fn the_gallery_has_the_smallest_tests() {
    let events = |code: &Code| code.threads.iter().map(|thread| thread.instructions.len()).sum::<usize>();
    for (allows, row) in TABULATED.into_iter().zip(SEPARATING) {
        for (forbids, file) in TABULATED.into_iter().zip(row) {
            let name = format!("{allows} and not {forbids}: {file}");
            assert_eq!(allows.is_included_in(forbids), file == "-", "{name}");
            if file == "-" {
                let found = separate(allows, forbids, Sizes::default(), &mut |_, _| ControlFlow::Continue(()));
                assert_eq!(found, Separation::Impossible, "{name}");
                continue;
            }
            let (program, code) = gallery(file);
            let comparison = compare(&program, &code, Options::default(), ComparisonBounds::default());
            let asked: Vec<_> = comparison.outcomes.iter().filter(|row| row.satisfies == Some(true)).collect();
            let [asked] = &asked[..] else { panic!("{name}: {asked:?}") };
            let cell = |model| &asked.cells[Model::ALL.iter().position(|&other| other == model).expect("all of them")];
            assert!(matches!(cell(allows), Cell::Allowed { .. }), "{name}");
            assert!(matches!(cell(forbids), Cell::Forbidden { .. }), "{name}");
            let sizes = Sizes { events: events(&code) - 1, ..Sizes::default() };
            let found = separate(allows, forbids, sizes, &mut |_, _| ControlFlow::Continue(()));
            assert_eq!(found, Separation::NoneSoSmall, "{name}");
        }
    }
}

/// What is found for each pair is as large as the gallery's program, and the oracle says the same of it. Those that tell C11
/// from C++20 are larger (`standards`).
#[test]
fn what_separates_does() {
    for allows in Model::ALL {
        for forbids in Model::ALL.into_iter().filter(|&forbids| !allows.is_included_in(forbids)) {
            if allows.rules().is_alike(forbids.rules()) {
                continue;
            }
            let found = separate(allows, forbids, Sizes::default(), &mut |_, _| ControlFlow::Continue(()));
            let Separation::Found { text, events, threads } = found else { panic!("{allows}, {forbids}: {found:?}") };
            assert_eq!((events, threads), (if allows == Model::WRA { 2 } else { 4 }, 2), "{text}");
            let (program, code) = program(&text);
            let locations: Vec<_> = (0..code.initial.len() as u32).map(Location).collect();
            let condition = program.condition.as_ref().expect("a condition");
            let holds = |model| {
                candidates_up_to(CAP, &code, LIMITS).expect("few").iter().any(|graph| {
                    let finals = brute_force::final_writes(model, graph, &locations);
                    finals.iter().any(|last| satisfies(condition, &code, LIMITS, graph, last))
                })
            };
            assert!(holds(allows) && !holds(forbids), "{allows} and not {forbids}:\n{text}");
        }
    }
}

/// Where one model is said to be included in another, it is, on all candidates of random programs; and elsewhere some
/// candidate shows that it is not.
#[test]
fn inclusions_hold() {
    let mut skipped = 0;
    let mut differ: BTreeSet<(Model, Model)> = BTreeSet::new();
    let seeds = seeds(1_000);
    for_all(seeds.clone(), |program| {
        let code = Code::compile(program).map_err(|error| error.to_string())?;
        let locations: Vec<_> = (0..code.initial.len() as u32).map(Location).collect();
        let Ok(candidates) = candidates_up_to(CAP, &code, LIMITS) else {
            skipped += 1;
            return Ok(());
        };
        for graph in &candidates {
            let finals = Model::ALL.map(|model| model.final_writes(graph, &locations));
            for (a, strong) in Model::ALL.into_iter().zip(&finals) {
                for (b, weak) in Model::ALL.into_iter().zip(&finals) {
                    if strong.is_subset(weak) {
                        continue;
                    }
                    if a.is_included_in(b) {
                        return Err(format!("{a} allows more than {b}: {graph:#?}"));
                    }
                    differ.insert((a, b));
                }
            }
        }
        Ok(())
    });
    println!("seeds {seeds:?}: {skipped} skipped; {} pairs differ", differ.len());
    assert!(differ.len() > 20, "{differ:?}");
}

//! What rules bad executions out in a program that was repaired, each with the cycle.

use crate::goal::{Bad, Why};
use crate::replay::replay_with;
use crate::search::{Judgement, Search};
use crate::sites::{INSERTED, Setting, SiteKind};
use litmoscope_core::budget::{Budget, Paused};
use litmoscope_core::graph::{Coherence, Edge, EventId, Execution};
use litmoscope_core::model::{Model, Violation};
use litmoscope_core::program::{Code, Program};
use std::sync::Arc;

/// How many coherence orders are looked at for the shortest cycle of an execution.
const MOST_ORDERS: usize = 2000;

/// An execution that was bad, in the program that was changed.
#[derive(Clone, Debug, PartialEq)]
pub struct RuledOut {
    /// The execution, with what was put in.
    pub graph: Execution,
    /// The writes that were last, where that made it bad.
    pub last: Vec<EventId>,
    /// The axiom and the cycle; `None` if there are too many coherence orders, or no thread can go this way any more.
    pub violation: Option<Violation>,
    /// The events of sites that were changed.
    pub changed: Vec<EventId>,
    /// It is there still: these accesses raced, and one happens before the other now.
    pub without_race: Option<(EventId, EventId)>,
}

impl RuledOut {
    /// The edges of the cycle that the change made: those at an event that was changed.
    pub fn made(&self) -> Vec<Edge> {
        let is_changed = |e: EventId| self.changed.contains(&e);
        let edges = self.violation.iter().flat_map(|violation| &violation.cycle);
        edges.filter(|edge| is_changed(edge.from) || is_changed(edge.to)).copied().collect()
    }
}

/// A coherence order with which a bad execution ends so, if one of the first is found.
fn order(model: Model, bad: &Bad) -> Option<Coherence> {
    let co = model.consistency_for_view(&bad.graph).witness()?.co;
    let Why::Ends { locations, last } = &bad.why else { return Some(co) };
    let mut moved = co;
    for (location, write) in locations.iter().zip(last) {
        let order = moved.get_mut(location.0 as usize)?;
        order.retain(|other| other != write);
        order.push(*write);
    }
    model.is_consistent_with(&bad.graph, &moved).then_some(moved)
}

/// The writes that are last in it, where that makes it bad.
fn last(bad: &Bad) -> &[EventId] {
    match &bad.why {
        Why::Ends { last, .. } => last,
        Why::Races | Why::Wrong => &[],
    }
}

/// A site that can't be as weak as some level while all others are as the program has them.
#[derive(Clone, Debug, PartialEq)]
pub struct Needed {
    /// The site, by its number.
    pub site: usize,
    /// The level.
    pub level: u8,
    /// The program with that.
    pub program: Program,
    /// An execution of it that is bad.
    pub bad: Bad,
    /// What rules it out in the program as it is.
    pub ruled_out: RuledOut,
}

/// A program with a choice, to look at bad executions in.
struct Changed<'s> {
    search: &'s Search,
    real: Arc<Code>,
    fenced: Arc<Code>,
    exchanges: bool,
    /// The sites whose events make edges thick.
    sites: Vec<usize>,
}

impl<'s> Changed<'s> {
    fn new(search: &'s Search, choice: &[u8], sites: Vec<usize>) -> Option<Self> {
        let subject = search.subject();
        let compile = |program: &Program| Code::compile(program).ok().map(|code| subject.model.prepare(Arc::new(code)));
        let (real, fenced) = (compile(&subject.changed(choice))?, compile(&subject.fenced(choice))?);
        let is_exchange = |(site, level): (&crate::Site, &u8)| site.levels[usize::from(*level)] == Setting::Exchange;
        let exchanges = subject.sites.iter().zip(choice).any(is_exchange);
        Some(Self { search, real, fenced, exchanges, sites })
    }

    /// An execution there, and by event of the other one what became of it.
    fn bad(&self, bad: &Bad) -> Option<(Bad, Vec<Option<EventId>>)> {
        let (model, limits) = (self.search.subject().model, self.search.options().limits);
        // An exchange reads what it overwrites.
        let co = if self.exchanges { order(model, bad) } else { None };
        replay_with(&self.real, limits, bad, co.as_ref()).or_else(|| replay_with(&self.fenced, limits, bad, None))
    }

    fn ruled_out(&self, bad: &Bad) -> Option<RuledOut> {
        let subject = self.search.subject();
        let (race, base) = (subject.model.races(&bad.graph).first().copied(), bad);
        let (bad, names) = self.bad(bad)?;
        let last = last(&bad).to_vec();
        let violation = subject.model.shortest_violation(&bad.graph, &last, MOST_ORDERS).ok().flatten();
        let race = race.filter(|_| violation.is_none() && base.why == Why::Races);
        let without_race = race.and_then(|(first, second)| Some((names[first.index()]?, names[second.index()]?)));
        let is_changed = |e: &EventId| {
            let span = bad.graph.event(*e).span;
            let is_own = |site: &usize| {
                let site = &subject.sites[*site];
                site.span == span && site.kind != SiteKind::Gap
            };
            span == INSERTED || self.sites.iter().any(is_own)
        };
        let changed = bad.graph.ids().filter(|e| !bad.graph.event(*e).is_init()).filter(is_changed).collect();
        Some(RuledOut { graph: bad.graph, last, violation, changed, without_race })
    }
}

impl Search {
    /// The bad executions of the base that are known, in the program with a choice that is good, the first `most` of them; and the program.
    ///
    /// Exponential in the number of writes of a location, within bounds.
    pub fn ruled_out(&self, choice: &[u8], most: usize) -> (Program, Vec<RuledOut>) {
        let program = self.subject().changed(choice);
        let sites = (0..choice.len()).filter(|site| choice[*site] > 0).collect();
        let changed = Changed::new(self, choice, sites);
        let all = changed
            .iter()
            .flat_map(|changed| self.known().iter().take(most).filter_map(move |bad| changed.ruled_out(bad)));
        let all = all.collect();
        (program, all)
    }

    /// The shortest cycle by which the strongest model forbids a bad execution, if it does and there are not too many coherence orders.
    pub(crate) fn cycle_under_strongest(&self, bad: &Bad) -> Option<Violation> {
        Model::STRONGEST.shortest_violation(&bad.graph, last(bad), MOST_ORDERS).ok().flatten()
    }

    /// A bad execution of the base in the program with a choice, and that program; `None` if it can't be there.
    pub(crate) fn bad_with(&self, bad: &Bad, choice: &[u8]) -> Option<(Program, Bad)> {
        let changed = Changed::new(self, choice, Vec::new())?;
        Some((self.subject().changed(choice), changed.bad(bad)?.0))
    }

    /// What is needed of a program that could be weaker: each site with each level next to what the program has that it can't have alone, with an
    /// execution that would be bad then. What is not known to be bad is left out.
    ///
    /// # Errors
    /// [`Paused`] if the budget says so.
    pub fn needed(&mut self, budget: &mut Budget) -> Result<Vec<Needed>, Paused> {
        let strongest = self.subject().strongest();
        let mut all = Vec::new();
        for site in 0..strongest.len() {
            for level in (0..strongest[site]).rev() {
                let own = &self.subject().sites[site];
                let is_between = |other: u8| other != level && own.is_within(level, other);
                if (0..strongest[site]).any(is_between) {
                    continue;
                }
                let mut choice = strongest.clone();
                choice[site] = level;
                let Judgement::Bad(at) = self.judge(&choice, budget)? else { continue };
                let known = self.known()[at].clone();
                let weak = Changed::new(self, &choice, vec![site]).and_then(|changed| changed.bad(&known));
                let strong = Changed::new(self, &strongest, vec![site]).and_then(|changed| changed.ruled_out(&known));
                let Some(((bad, _), ruled_out)) = weak.zip(strong) else { continue };
                all.push(Needed { site, level, program: self.subject().changed(&choice), bad, ruled_out });
            }
        }
        Ok(all)
    }
}

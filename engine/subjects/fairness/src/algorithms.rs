//! The algorithms, as they are printed.
//!
//! After chapter 6 of V. Toman's thesis (IST Austria, 2021). Where it only cites what it uses: strongly connected components by skeletons
//! are those of Gentilini, Piazza and Policriti (2008); almost-sure reachability is the usual nested fixpoint.
//!
//! Work lists are last in, first out. A restriction to a set is an intersection of each image with it.

use crate::lists::{Candidate, Sought, Work};
use crate::machine::Space;
use crate::step::{Answer, Direction, Search, Step};
use crate::universe::Universe;

/// Ways to get the algorithms wrong, each of which the tests have to notice.
#[cfg(test)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutation {
    /// Who lost an edge that led away is searched from against the edges, and the other way around.
    Swapped,
    /// Searches are held against the starts at the beginning of their round.
    OldStarts,
    /// No search is dropped.
    NeverDrops,
    /// A component that was split off is not looked at again.
    Forgets,
    /// A component that lost an attractor begins without heads and tails.
    NoStarts,
    /// A component without edges is good.
    Trivial,
}

#[cfg(test)]
thread_local! {
    pub(crate) static MUTATION: std::cell::Cell<Option<Mutation>> = const { std::cell::Cell::new(None) };
}

/// Whether an algorithm is got wrong, in tests.
macro_rules! mutated {
    ($mutation:ident) => {{
        #[cfg(test)]
        let mutated = MUTATION.get() == Some(Mutation::$mutation);
        #[cfg(not(test))]
        let mutated = false;
        mutated
    }};
}

/// From how many vertices that lost edges on a candidate is decomposed anew, instead of being searched in lock-step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threshold {
    /// From that many.
    Fixed(u64),
    /// From log n on, to the base 2.
    Logarithm,
    /// As the bounds of the theorems want it: from √(m / log n) on, or √m where only end components are looked for.
    #[default]
    Root,
    /// Never.
    Never,
}

impl Threshold {
    fn is_reached(self, starts: u128, (vertices, edges): (u128, u128), logarithmic: bool) -> bool {
        let (vertices, edges) = (vertices as f64, edges as f64);
        let logarithm = vertices.log2().max(1.0);
        let threshold = match self {
            Self::Fixed(threshold) => threshold as f64,
            Self::Logarithm => logarithm,
            Self::Root if logarithmic => (edges / logarithm).sqrt(),
            Self::Root => edges.sqrt(),
            Self::Never => return false,
        };
        starts as f64 >= threshold
    }
}

/// Where the random attractor of leaking vertices is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Inside the candidate: only then holds the bound that is claimed.
    #[default]
    Candidate,
    /// In all of the graph, as printed.
    Everything,
}

/// Whether an algorithm begins anew after each removal, or goes on from the vertices that lost edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// It begins anew.
    Basic,
    /// It goes on.
    #[default]
    Improved,
}

/// How algorithms go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// When lock-step search gives way to a decomposition.
    pub threshold: Threshold,
    /// Where attractors of leaking vertices are taken.
    pub scope: Scope,
    /// How end components are decomposed where another algorithm asks for that.
    pub end_components: Way,
}

/// Pairs of a Streett objective: who comes to some of the first set again and again comes to some of the second one again and again.
pub type Pairs<S> = Vec<(S, S)>;

impl<U: Universe> Space<U> {
    /// All strongly connected components of a set, those of one vertex included, with at most five images for each vertex.
    ///
    /// A skeleton is a shortest path to a vertex that is farthest away. What is left for the rest is where its search begins.
    pub(crate) async fn components(&self, of: &U::Set) -> Vec<U::Set> {
        self.note_decomposition();
        let none = self.none();
        let (mut components, mut work) = (Vec::new(), vec![(of.clone(), none.clone(), none)]);
        while let Some((set, skeleton, mut end)) = work.pop() {
            if self.is_empty(&set) {
                continue;
            }
            if self.is_empty(&skeleton) {
                end = self.pick(&set);
            }
            let (mut layer, mut forward, mut layers) = (end.clone(), self.none(), Vec::new());
            while !self.is_empty(&layer) {
                forward = self.union(&forward, &layer);
                let next = self.intersection(&self.post(&layer).await, &set);
                layers.push(std::mem::replace(&mut layer, self.difference(&next, &forward)));
            }
            let farthest = layers.pop().map_or_else(|| self.none(), |layer| self.pick(&layer));
            let mut path = farthest.clone();
            while let Some(layer) = layers.pop() {
                let before = self.intersection(&self.pre(&path).await, &layer);
                path = self.union(&path, &self.pick(&before));
            }
            let component = self.closure(&end, &forward).await;
            let left = self.difference(&skeleton, &component);
            let left_end = if self.is_empty(&left) {
                self.none()
            } else {
                let from = self.intersection(&component, &skeleton);
                self.intersection(&self.pre(&from).await, &left)
            };
            work.push((self.difference(&set, &forward), left, left_end));
            let [inner, path, farthest] = [&forward, &path, &farthest].map(|set| self.difference(set, &component));
            work.push((inner, path, farthest));
            components.push(component);
        }
        self.say(Step::Components { of: of.clone(), components: components.clone() }).await;
        components
    }

    /// The same without skeletons, by sets that are reached forward and backward: with quadratically many images on a path.
    pub(crate) async fn components_both_ways(&self, of: &U::Set) -> Vec<U::Set> {
        self.note_decomposition();
        let (mut components, mut work) = (Vec::new(), vec![of.clone()]);
        while let Some(set) = work.pop() {
            if self.is_empty(&set) {
                continue;
            }
            let start = self.pick(&set);
            let mut forward = start.clone();
            loop {
                let next = self.intersection(&self.post(&forward).await, &set);
                let next = self.difference(&next, &forward);
                if self.is_empty(&next) {
                    break;
                }
                forward = self.union(&forward, &next);
            }
            let component = self.closure(&start, &forward).await;
            work.push(self.difference(&set, &forward));
            work.push(self.difference(&forward, &component));
            components.push(component);
        }
        self.say(Step::Components { of: of.clone(), components: components.clone() }).await;
        components
    }

    /// The vertices of a set from where one gets to some others within it, and those others.
    async fn closure(&self, to: &U::Set, within: &U::Set) -> U::Set {
        let mut closure = to.clone();
        loop {
            let next = self.intersection(&self.pre(&closure).await, within);
            let next = self.difference(&next, &closure);
            if self.is_empty(&next) {
                return closure;
            }
            closure = self.union(&closure, &next);
        }
    }

    /// What chance takes to some vertices within a set, whatever the player does, and those vertices; and layer by layer.
    async fn attractor(&self, of: &U::Set, within: &U::Set) -> (U::Set, Vec<U::Set>) {
        let (mut attractor, mut layers) = (of.clone(), vec![of.clone()]);
        loop {
            let next = self.difference(&self.controlled(within, &attractor).await, &attractor);
            if self.is_empty(&next) {
                return (attractor, layers);
            }
            attractor = self.union(&attractor, &next);
            layers.push(next);
        }
    }

    /// From where one can surely get to some vertices on a graph.
    async fn reach(&self, components: &[U::Set]) -> U::Set {
        let of = components.iter().fold(self.none(), |all, one| self.union(&all, one));
        // From nowhere one gets to nothing.
        let from = if self.is_empty(&of) { of.clone() } else { self.closure(&of, &self.all()).await };
        self.say(Step::Reach { of, from: from.clone() }).await;
        from
    }

    /// From where one gets to some vertices with probability 1.
    async fn almost_surely_reach(&self, components: &[U::Set]) -> U::Set {
        let of = components.iter().fold(self.none(), |all, one| self.union(&all, one));
        let mut left = self.all();
        loop {
            let reaching = self.closure(&self.intersection(&of, &left), &left).await;
            let mut hopeless = self.difference(&left, &reaching);
            if self.is_empty(&hopeless) {
                self.say(Step::Reach { of, from: left.clone() }).await;
                return left;
            }
            // Who is there stays there.
            loop {
                let next = self.difference(&self.controlled(&left, &hopeless).await, &of);
                let next = self.difference(&next, &hopeless);
                if self.is_empty(&next) {
                    break;
                }
                hopeless = self.union(&hopeless, &next);
            }
            left = self.difference(&left, &hopeless);
        }
    }

    /// The bad vertices of a set.
    fn bad(&self, set: &U::Set, pairs: &Pairs<U::Set>) -> (U::Set, Vec<usize>) {
        let (mut all, mut by) = (self.none(), Vec::new());
        for (at, (asks, gets)) in pairs.iter().enumerate() {
            let asking = self.intersection(asks, set);
            if !self.is_empty(&asking) && !self.meets(gets, set) {
                all = self.union(&all, &asking);
                by.push(at);
            }
        }
        (all, by)
    }

    async fn find_bad(&self, set: &U::Set, pairs: &Pairs<U::Set>) -> Option<U::Set> {
        let (bad, by) = self.bad(set, pairs);
        if self.is_empty(&bad) {
            return None;
        }
        self.say(Step::Bad { set: set.clone(), bad: bad.clone(), pairs: by }).await;
        Some(bad)
    }

    async fn has_edge(&self, set: &U::Set) -> bool {
        let has = self.meets(&self.post(set).await, set) || mutated!(Trivial) && !self.is_empty(set);
        if !has {
            self.say(Step::NoEdge { set: set.clone() }).await;
        }
        has
    }

    /// What lost edges to or from removed vertices, and is left: heads and tails.
    async fn losers(&self, [heads, tails]: [&U::Set; 2], removed: &U::Set, left: &U::Set) -> [U::Set; 2] {
        let [mut behind, mut before] = [self.post(removed).await, self.pre(removed).await];
        if mutated!(Swapped) {
            std::mem::swap(&mut behind, &mut before);
        }
        let [heads, tails] = [self.union(heads, &behind), self.union(tails, &before)];
        [self.intersection(&heads, left), self.intersection(&tails, left)]
    }

    /// Searches from all heads and tails in turns, until one finds nothing new: what it reached is a component of the set that no edge
    /// enters, or none leaves. Also the heads and tails whose searches were not dropped.
    async fn lock_step(&self, set: &U::Set, heads: &U::Set, tails: &U::Set) -> (U::Set, U::Set, U::Set) {
        self.note_lock_step();
        let begin = |starts: &U::Set, direction| {
            let search = move |start: U::Set| Search { reached: start.clone(), start, direction };
            self.each(starts).into_iter().map(search).collect::<Vec<_>>()
        };
        let mut searches = [begin(heads, Direction::Backward), begin(tails, Direction::Forward)];
        let mut starts = [heads.clone(), tails.clone()];
        let mut number = 0;
        loop {
            number += 1;
            #[cfg(test)]
            let old = starts.clone();
            for side in 0..2 {
                let mut kept = Vec::new();
                for mut search in std::mem::take(&mut searches[side]) {
                    let image = match search.direction {
                        Direction::Backward => self.pre(&search.reached).await,
                        Direction::Forward => self.post(&search.reached).await,
                    };
                    let reached = self.intersection(&self.union(&search.reached, &image), set);
                    let known = &starts[side];
                    #[cfg(test)]
                    let known = if mutated!(OldStarts) { &old[side] } else { known };
                    let met = self.difference(&self.intersection(&reached, known), &search.start);
                    if !self.is_empty(&met) && !mutated!(NeverDrops) {
                        starts[side] = self.difference(&starts[side], &search.start);
                        self.say(Step::Dropped { search, met: self.pick(&met) }).await;
                    } else if reached == search.reached {
                        self.say(Step::Returned { search }).await;
                        let [heads, tails] = starts;
                        return (reached, heads, tails);
                    } else {
                        search.reached = reached;
                        kept.push(search);
                    }
                }
                searches[side] = kept;
            }
            self.say(Step::Round { number, searches: searches.concat() }).await;
        }
    }

    async fn take(&self, work: &Work<U::Set>) -> Option<Candidate<U::Set>> {
        let candidate = work.take()?;
        let Candidate { set, heads, tails } = candidate.clone();
        self.say(Step::Candidate { set, heads, tails }).await;
        Some(candidate)
    }

    async fn good(&self, work: &Work<U::Set>, set: U::Set) {
        self.say(Step::Good { set: set.clone() }).await;
        work.find(set);
    }

    /// Adds sets that are connected.
    fn add(&self, work: &Work<U::Set>, sets: Vec<U::Set>) {
        sets.into_iter().for_each(|set| work.push(set, self.none(), self.none()));
    }

    /// The random vertices of a set from which chance may lead to some others.
    async fn leaking(&self, set: &U::Set, others: &U::Set) -> U::Set {
        let leaking = self.intersection(set, self.random());
        let leaking = self.intersection(&leaking, &self.pre(others).await);
        if !self.is_empty(&leaking) {
            self.say(Step::Leaking { set: set.clone(), vertices: leaking.clone() }).await;
        }
        leaking
    }

    /// Some vertices, and what chance takes to them within a candidate, or anywhere.
    async fn remove(&self, of: &U::Set, candidate: &U::Set, scope: Scope) -> U::Set {
        let (removed, layers) = match scope {
            Scope::Candidate => self.attractor(of, candidate).await,
            Scope::Everything => self.attractor(of, &self.all()).await,
        };
        if removed != *of {
            self.say(Step::Attractor { of: of.clone(), removed: removed.clone(), layers }).await;
        }
        removed
    }

    /// From where one can win a Streett objective on a graph, each candidate decomposed anew after each removal.
    pub(crate) async fn graph_basic(self, pairs: Pairs<U::Set>) -> Answer<U::Set> {
        let work = self.work(Sought::Components, &self.all());
        self.add(&work, self.components(&self.all()).await);
        while let Some(Candidate { set, .. }) = self.take(&work).await {
            match self.find_bad(&set, &pairs).await {
                Some(bad) => self.add(&work, self.components(&self.difference(&set, &bad)).await),
                None if self.has_edge(&set).await => self.good(&work, set).await,
                None => {}
            }
        }
        let good = self.end(&work);
        Answer { winning: self.reach(&good).await, components: good }
    }

    /// The same by searches from the vertices that lost edges.
    pub(crate) async fn graph_improved(self, pairs: Pairs<U::Set>, options: Options) -> Answer<U::Set> {
        let work = self.work(Sought::Components, &self.all());
        self.add(&work, self.components(&self.all()).await);
        while let Some(Candidate { mut set, mut heads, mut tails }) = self.take(&work).await {
            while let Some(bad) = self.find_bad(&set, &pairs).await {
                set = self.difference(&set, &bad);
                [heads, tails] = self.losers([&heads, &tails], &bad, &set).await;
            }
            if !self.has_edge(&set).await {
                continue;
            }
            let starts = self.count(&heads) + self.count(&tails);
            if starts == 0 {
                self.good(&work, set).await;
            } else if options.threshold.is_reached(starts, self.size(), true) {
                let components = self.components(&set).await;
                if components.len() == 1 {
                    self.good(&work, set).await;
                } else {
                    self.add(&work, components);
                }
            } else {
                let (component, heads, tails) = self.lock_step(&set, &heads, &tails).await;
                if component == set {
                    self.good(&work, set).await;
                    continue;
                }
                let rest = self.difference(&set, &component);
                self.say(Step::Split { component: component.clone(), rest: rest.clone() }).await;
                let [heads, tails] = self.losers([&heads, &tails], &component, &rest).await;
                work.push(rest, heads, tails);
                // It may have bad vertices now.
                if mutated!(Forgets) {
                    self.good(&work, component).await;
                } else {
                    self.add(&work, vec![component]);
                }
            }
        }
        let good = self.end(&work);
        Answer { winning: self.reach(&good).await, components: good }
    }

    /// The maximal end components of a set that chance does not lead out of.
    async fn end_components_within(&self, of: &U::Set, way: Way, options: Options) -> Vec<U::Set> {
        let found = match way {
            Way::Basic => self.end_components_basic(of, options.scope).await,
            Way::Improved => self.end_components_improved(of, options).await,
        };
        self.say(Step::EndComponents { of: of.clone(), components: found.clone() }).await;
        found
    }

    async fn end_components_basic(&self, of: &U::Set, scope: Scope) -> Vec<U::Set> {
        let work = self.work(Sought::MaximalEndComponents, of);
        self.add(&work, self.components(of).await);
        while let Some(Candidate { set, .. }) = work.take() {
            let leaking = self.leaking(&set, &self.difference(of, &set)).await;
            if !self.is_empty(&leaking) {
                let removed = self.remove(&leaking, &set, scope).await;
                self.add(&work, self.components(&self.difference(&set, &removed)).await);
            } else if self.has_edge(&set).await {
                work.find(set);
            }
        }
        self.end(&work)
    }

    async fn end_components_improved(&self, of: &U::Set, options: Options) -> Vec<U::Set> {
        let none = self.none();
        let work = self.work(Sought::MaximalEndComponents, of);
        self.add(&work, self.components(of).await);
        while let Some(Candidate { mut set, mut tails, .. }) = work.take() {
            let leaking = self.leaking(&set, &self.difference(of, &set)).await;
            let removed = self.remove(&leaking, &set, options.scope).await;
            set = self.difference(&set, &removed);
            tails = self.intersection(&self.union(&tails, &self.pre(&removed).await), &set);
            if !self.has_edge(&set).await {
                continue;
            }
            let starts = self.count(&tails);
            if starts == 0 {
                work.find(set);
            } else if options.threshold.is_reached(starts, self.size(), false) {
                let components = self.components(&set).await;
                if components.len() == 1 {
                    work.find(set);
                } else {
                    self.add(&work, components);
                }
            } else {
                let (component, _, tails) = self.lock_step(&set, &none, &tails).await;
                let rest = self.difference(&set, &component);
                self.say(Step::Split { component: component.clone(), rest: rest.clone() }).await;
                // No edge leaves it within the set, and chance does not lead out of the set.
                if self.has_edge(&component).await {
                    work.find(component.clone());
                }
                let tails = self.union(&tails, &self.pre(&component).await);
                let tails = self.intersection(&tails, &rest);
                work.push(rest, none.clone(), tails);
            }
        }
        self.end(&work)
    }

    /// From where one can win a Streett objective with probability 1 against chance, end components decomposed anew after each removal.
    pub(crate) async fn chance_basic(self, pairs: Pairs<U::Set>, options: Options) -> Answer<U::Set> {
        let way = options.end_components;
        let work = self.work(Sought::EndComponents, &self.all());
        self.add(&work, self.end_components_within(&self.all(), way, options).await);
        while let Some(Candidate { set, .. }) = self.take(&work).await {
            match self.find_bad(&set, &pairs).await {
                Some(bad) => {
                    let removed = self.remove(&bad, &set, Scope::Candidate).await;
                    let rest = self.difference(&set, &removed);
                    self.add(&work, self.end_components_within(&rest, way, options).await);
                }
                None => self.good(&work, set).await,
            }
        }
        let good = self.end(&work);
        Answer { winning: self.almost_surely_reach(&good).await, components: good }
    }

    /// The same by searches from the vertices that lost edges.
    pub(crate) async fn chance_improved(self, pairs: Pairs<U::Set>, options: Options) -> Answer<U::Set> {
        let none = self.none();
        let work = self.work(Sought::EndComponents, &self.all());
        self.add(&work, self.end_components_within(&self.all(), options.end_components, options).await);
        while let Some(Candidate { mut set, mut heads, mut tails }) = self.take(&work).await {
            while let Some(bad) = self.find_bad(&set, &pairs).await {
                let removed = self.remove(&bad, &set, Scope::Candidate).await;
                set = self.difference(&set, &removed);
                [heads, tails] = self.losers([&heads, &tails], &removed, &set).await;
            }
            if !self.has_edge(&set).await {
                continue;
            }
            let starts = self.count(&heads) + self.count(&tails);
            if starts == 0 {
                self.good(&work, set).await;
            } else if options.threshold.is_reached(starts, self.size(), true) {
                let components = self.components(&set).await;
                if components.len() == 1 {
                    self.good(&work, set).await;
                    continue;
                }
                for component in components {
                    let others = self.difference(&set, &component);
                    let (left, heads, tails) = self.without_leak(&component, &others, &none).await;
                    work.push(left, heads, tails);
                }
            } else {
                let (component, heads, tails) = self.lock_step(&set, &heads, &tails).await;
                if component == set {
                    self.good(&work, set).await;
                    continue;
                }
                let removed = self.remove(&component, &set, Scope::Candidate).await;
                let rest = self.difference(&set, &removed);
                let others = self.difference(&set, &component);
                self.say(Step::Split { component: component.clone(), rest: rest.clone() }).await;
                let [heads, tails] = self.losers([&heads, &tails], &removed, &rest).await;
                work.push(rest, heads, tails);
                let (left, heads, tails) = self.without_leak(&component, &others, &none).await;
                work.push(left, heads, tails);
            }
        }
        let good = self.end(&work);
        Answer { winning: self.almost_surely_reach(&good).await, components: good }
    }

    /// A component without what chance leads out of it, and its vertices that lost edges thereby.
    async fn without_leak(&self, set: &U::Set, others: &U::Set, none: &U::Set) -> (U::Set, U::Set, U::Set) {
        let leaking = self.leaking(set, others).await;
        let removed = self.remove(&leaking, set, Scope::Candidate).await;
        let left = self.difference(set, &removed);
        let [heads, tails] = self.losers([none, none], &removed, &left).await;
        if mutated!(NoStarts) { (left, none.clone(), none.clone()) } else { (left, heads, tails) }
    }

    /// The strongly connected components alone.
    pub(crate) async fn only_components(self, skeletons: bool) -> Answer<U::Set> {
        let all = self.all();
        let components = if skeletons { self.components(&all).await } else { self.components_both_ways(&all).await };
        Answer { winning: all, components }
    }

    /// The maximal end components alone.
    pub(crate) async fn only_end_components(self, way: Way, options: Options) -> Answer<U::Set> {
        let all = self.all();
        let components = self.end_components_within(&all, way, options).await;
        let winning = components.iter().fold(self.none(), |winning, one| self.union(&winning, one));
        Answer { winning, components }
    }
}

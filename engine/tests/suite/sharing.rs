//! An exploration shared out among walkers by messages: in any order between them, late, and of walkers that come, leave and are lost.

#[allow(dead_code, reason = "other tests need the rest")]
use crate::common::counted::Counted;
use crate::common::tree::Tree;
use litmoscope::explore::{Algorithm, Findings, Options, Pause, Walk, Work};
use litmoscope::labs::runs::{Order, PartId, Sharing, Walkable, WalkerId};
use litmoscope::model::Model;
use litmoscope::program::Program;
use litmoscope::run::Exploration;
use litmoscope::session::{Reach, Settings};
use std::collections::VecDeque;

const SEED: u64 = 20_261_122;
/// How many walkers there may be at once, and how many may be lost.
const MOST: usize = 4;
const LOSSES: u64 = 4;

/// With the order of what was found, which equality does not ask for.
fn text(findings: &Findings) -> String {
    serde_json::to_string(findings).expect("findings are plain data")
}

/// Random numbers of a seed (xorshift, by Marsaglia).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }

    /// Whether something happens that happens once in so many times.
    fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// What a walker says.
enum Message {
    There,
    Walked(PartId, Findings, Option<Work>, Pause),
    Given(PartId, Option<Work>, Findings, Option<Work>),
    Died,
}

/// A walker as the page's workers are, with what it was told and what it said and nobody has heard yet.
struct Walker<'a> {
    orders: VecDeque<Order>,
    messages: VecDeque<Message>,
    walk: Option<(PartId, Box<dyn Walk + 'a>)>,
    over: bool,
    dead: bool,
}

impl Walker<'_> {
    /// One that is on its way.
    fn new() -> Self {
        let messages = VecDeque::from([Message::There]);
        Self { orders: VecDeque::new(), messages, walk: None, over: false, dead: false }
    }

    fn walks(&self) -> bool {
        self.walk.is_some() && !self.over && !self.dead
    }

    /// How many steps it has made that were not heard of.
    fn unheard(&self) -> u64 {
        let said = self.messages.iter().map(|message| match message {
            Message::Walked(_, findings, ..) | Message::Given(_, _, findings, _) => findings.counts.steps,
            Message::There | Message::Died => 0,
        });
        said.sum::<u64>() + self.walk.as_ref().map_or(0, |(_, walk)| walk.counts().steps)
    }
}

struct Scene<'a> {
    random: Random,
    exploration: &'a Counted,
    sharing: Sharing,
    walkers: Vec<Walker<'a>>,
    losses: u64,
    /// How many steps were made in vain.
    vain: u64,
}

/// What can happen to a walker.
type Event<'a> = fn(&mut Scene<'a>, WalkerId);

impl<'a> Scene<'a> {
    fn new(seed: u64, exploration: &'a Counted, program: &Program) -> Self {
        let sharing = Sharing::new(program.clone());
        let mut scene =
            Self { random: Random(seed | 1), exploration, sharing, walkers: Vec::new(), losses: 0, vain: 0 };
        scene.call();
        scene
    }

    fn call(&mut self) {
        assert_eq!(self.sharing.call(), self.walkers.len());
        self.walkers.push(Walker::new());
    }

    fn give_orders(&mut self) {
        for (walker, order) in self.sharing.orders() {
            self.walkers[walker].orders.push_back(order);
        }
    }

    /// The next message of a walker is heard.
    fn hear(&mut self, walker: WalkerId) {
        match self.walkers[walker].messages.pop_front().expect("there is one") {
            Message::There => self.sharing.join(walker),
            Message::Walked(part, findings, rest, pause) => self.sharing.found(walker, part, findings, rest, pause),
            Message::Given(part, piece, findings, rest) => self.sharing.given(walker, part, piece, findings, rest),
            Message::Died => self.sharing.lost(walker),
        }
        self.give_orders();
    }

    /// A walker does the next thing that it was told.
    fn obey(&mut self, walker: WalkerId) {
        let it = &mut self.walkers[walker];
        match it.orders.pop_front().expect("there is one") {
            Order::Walk(part, work) => {
                it.walk = Some((part, self.exploration.walk(&work).expect("it is a part")));
                it.over = false;
            }
            Order::Split(part) => {
                if let Some((at, walk)) = it.walk.as_mut().filter(|(at, _)| *at == part) {
                    let piece = walk.split();
                    it.messages.push_back(Message::Given(*at, piece, walk.take_findings(), walk.work()));
                }
            }
        }
    }

    /// A walker goes on for a while, and perhaps says how far it has come.
    fn walk(&mut self, walker: WalkerId) {
        let it = &mut self.walkers[walker];
        let Some((part, walk)) = &mut it.walk else { return };
        let pause = walk.run(1 + self.random.below(20) as u64);
        it.over = pause != Pause::Steps;
        if it.over || self.random.once_in(3) {
            it.messages.push_back(Message::Walked(*part, walk.take_findings(), walk.work(), pause));
        }
    }

    /// A walker dies. What it has said last may be lost with it.
    fn kill(&mut self, walker: WalkerId) {
        let it = &mut self.walkers[walker];
        let before = it.unheard();
        it.dead = true;
        it.walk = None;
        it.orders.clear();
        let heard = self.random.below(it.messages.len() + 1);
        it.messages.truncate(heard);
        self.vain += before - it.unheard();
        it.messages.push_back(Message::Died);
        self.losses += 1;
    }

    /// A walker leaves: it says how far it has come, and somebody else goes on from there.
    fn leave(&mut self, walker: WalkerId) {
        let it = &mut self.walkers[walker];
        if let Some((part, mut walk)) = it.walk.take().filter(|_| !it.over) {
            it.messages.push_back(Message::Walked(part, walk.take_findings(), walk.work(), Pause::Steps));
        }
        it.dead = true;
        it.orders.clear();
        it.messages.push_back(Message::Died);
    }

    /// What was found and what is left make up the whole.
    fn check(&self, size: u64) {
        let left: u64 = self
            .sharing
            .left()
            .iter()
            .map(|work| {
                let mut walk = self.exploration.exploration.walk(work).expect("it is a part");
                while walk.run(1000) == Pause::Steps {}
                walk.counts().steps
            })
            .sum();
        assert_eq!(self.sharing.counts().steps + left, size);
    }

    /// Lets things happen in any order until all is explored.
    fn play(&mut self, stops: bool, size: u64) {
        for event in 0.. {
            assert!(event < 100 * size + 10_000, "it does not come to an end");
            if self.sharing.is_over() {
                return;
            }
            if !stops && self.random.once_in(20) {
                self.check(size);
            }
            let alive = self.walkers.iter().filter(|walker| !walker.dead).count();
            if alive < MOST && (self.sharing.alive() == 0 || self.random.once_in(30)) {
                self.call();
                continue;
            }
            let mut possible: Vec<(WalkerId, Event<'a>)> = Vec::new();
            for (at, walker) in self.walkers.iter().enumerate() {
                possible.extend((!walker.messages.is_empty()).then_some((at, Self::hear as _)));
                possible.extend((!walker.orders.is_empty()).then_some((at, Self::obey as _)));
                possible.extend(walker.walks().then_some((at, Self::walk as _)));
            }
            assert!(!possible.is_empty(), "everybody waits");
            let (walker, action) = possible[self.random.below(possible.len())];
            if self.losses < LOSSES && !self.walkers[walker].dead && self.random.once_in(15) {
                self.kill(walker);
            } else if !self.walkers[walker].dead && self.random.once_in(50) {
                self.leave(walker);
            } else {
                action(self, walker);
            }
        }
    }
}

fn explore(name: &str, seeds: u64, exploration: &Counted, program: &Program, size: u64, stops: bool) {
    let expected = exploration.whole();
    println!("{name}: seeds from {SEED}, {seeds} of them, {size} steps");
    let mut losses = 0;
    for seed in SEED..SEED + seeds {
        let before = exploration.steps();
        let mut scene = Scene::new(seed, exploration, program);
        scene.play(stops, size);
        losses += scene.losses;
        let steps = exploration.steps() - before;
        let found = scene.sharing.findings();
        assert_eq!(text(&found), text(&expected), "{name}, seed {seed}");
        assert_eq!(scene.sharing.settled(), None);
        let stopped = found.counts.steps < size;
        assert_eq!(scene.sharing.reach(false), if stopped { Reach::FirstFault } else { Reach::Whole });
        if stops {
            // What comes behind the first error is in vain, too.
            assert!(steps <= size + scene.vain, "{name}, seed {seed}: {steps} steps, {} in vain", scene.vain);
        } else {
            assert_eq!(steps, size + scene.vain, "{name}, seed {seed}");
        }
    }
    assert!(stops || losses > seeds / 4, "{losses} walkers were lost");
}

#[test]
fn messages_may_come_in_any_order_and_walkers_leave_and_die() {
    let tree = |seed| Tree::new(seed, 9).errors(8);
    let sized = (SEED..).map(|seed| (seed, tree(seed).findings().counts.steps));
    for (seed, size) in sized.filter(|(_, size)| (30..=120).contains(size)).take(10) {
        let program = tree(seed).program;
        explore(&format!("tree {seed}"), 1000, &Counted::new(tree(seed)), &program, size, false);
        let stops = Counted::new(tree(seed).stop_at_first(8));
        explore(&format!("tree {seed} with an end"), 500, &stops, &program, size, true);
    }
}

#[test]
fn a_program_is_shared_out_by_messages() {
    let text = "fai(x) || fai(x) || fai(x) || a := x".to_owned();
    for algorithm in [Algorithm::Trust, Algorithm::TrustCo] {
        let options = Options::default();
        let settings = Settings { text: text.clone(), model: Model::SC, algorithm, options, position: 0 };
        let walkable = Walkable::new(settings).expect("it can be explored in parts");
        let program = walkable.program().clone();
        let counted = Counted::new(walkable);
        let size = counted.whole().counts.steps;
        explore(algorithm.name(), 500, &counted, &program, size, false);
    }
}

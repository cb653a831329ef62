//! A strategy against chance: dice are rolled, and visits counted.

use super::subject::Subject;
use crate::algorithms::Pairs;
use crate::bits::Bits;
use crate::step::Answer;
use crate::strategy::Strategy;
use litmoscope_core::random::Random;
use serde::{Deserialize, Serialize};

/// How many moves a play has at most.
pub const MOST_MOVES: u32 = 20_000;
/// How many of the last ones are listed.
const LISTED: usize = 30;

/// A play that is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlayRequest {
    /// Of the dice.
    pub seed: u32,
    /// How many moves are made.
    pub moves: u32,
}

/// A move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveLine {
    /// Its number, from 1.
    pub number: u32,
    /// From where to where.
    pub text: String,
    /// Chance decided it.
    pub by_chance: bool,
}

/// How often a play came to the sides of a pair.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairVisits {
    /// The pair.
    pub text: String,
    /// How often it asked.
    pub asked: u64,
    /// How often it got.
    pub got: u64,
}

/// A play.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayView {
    /// Where it is, in a sentence.
    pub sentence: String,
    /// Where it is.
    pub at: u32,
    /// By vertex that it came to: its name, and how often; most often first.
    pub visits: Vec<(String, u64)>,
    /// How often it came to the sides of the pairs.
    pub pairs: Vec<PairVisits>,
    /// The last moves.
    pub moves: Vec<MoveLine>,
    /// How many moves were made.
    pub made: u32,
}

/// Plays from the start, or the first vertex from which the strategy wins.
pub(super) fn play(subject: &Subject, pairs: &Pairs<Bits>, answer: &Answer<Bits>, request: &PlayRequest) -> PlayView {
    let graph = &*subject.graph;
    let starts = subject.starts().iter().copied();
    let mut winning = starts.filter(|at| answer.winning.contains(*at)).chain(answer.winning.iter());
    let Some(start) = winning.next() else {
        let sentence = "There is nothing to play: from no vertex does a strategy win with probability 1.".to_owned();
        return PlayView { sentence, ..PlayView::default() };
    };
    let mut strategy = Strategy::of(graph, pairs, answer);
    let mut random = Random::new(u64::from(request.seed));
    let mut visits = vec![0_u64; graph.vertices()];
    let mut got = vec![(0, 0); pairs.len()];
    let mut moves = Vec::new();
    let (mut at, mut made) = (start, 0);
    let mut visit = |at: usize| {
        visits[at] += 1;
        for ((asks, gets), (asked, got)) in pairs.iter().zip(&mut got) {
            *asked += u64::from(asks.contains(at));
            *got += u64::from(gets.contains(at));
        }
    };
    visit(at);
    let most = request.moves.min(MOST_MOVES);
    while made < most {
        let chosen = strategy.come_to(at);
        let next = graph.successors(at);
        let by_chance = crate::Universe::random(graph).contains(at);
        let to = if by_chance { next.get(random.below(next.len().max(1) as u64) as usize).copied() } else { chosen };
        let Some(to) = to.map(|to| to as usize) else { break };
        made += 1;
        if made as usize + LISTED > most as usize {
            let how = if by_chance { "rolls" } else { "goes" };
            let text = format!("{} {how} to {}", subject.vertex(at), subject.vertex(to));
            moves.push(MoveLine { number: made, text, by_chance });
        }
        at = to;
        visit(at);
    }
    let mut all: Vec<(String, u64)> = visits
        .iter()
        .enumerate()
        .filter(|(_, often)| **often > 0)
        .map(|(at, often)| (subject.vertex(at), *often))
        .collect();
    all.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    let pairs = subject.pair_words().into_iter().zip(got);
    let pairs = pairs.map(|(text, (asked, got))| PairVisits { text, asked, got }).collect();
    let inside = answer.components.iter().any(|set| set.contains(at));
    let place =
        if inside { "in a good end component, in which it stays" } else { "on its way to a good end component" };
    let sentence = format!("The play is at {}, {place}.", subject.vertex(at));
    PlayView { sentence, at: at as u32, visits: all, pairs, moves, made }
}

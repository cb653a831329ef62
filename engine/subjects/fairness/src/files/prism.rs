//! PRISM's explicit files: `.tra` with transitions, and beside it `.lab` with labels and `.sta` with states.
//!
//! ```text
//! 3 4                 3 3 4               mdp
//! 0 1 0.5             0 0 1 1 go          0 0 1 1
//! 0 2 1/2             0 1 0 0.5 toss      0 1 0 0.5
//! 1 1 1               0 1 2 0.5 toss      0 1 2 0.5
//! 2 0 1               1 0 1 1             1 0 1 1
//! ```
//!
//! On the left a Markov chain: behind the numbers of states and transitions each line has a state, its successor and a probability. In the
//! middle a decision process: behind the numbers of states, choices and transitions each line has a choice, too, and perhaps an action. On
//! the right the same for Storm: the type stands in front, and nothing is counted. The first line says which it is.
//!
//! A choice with several successors becomes a random vertex. It is behind the states, in the order of states and choices; where a state has
//! this choice alone, the state itself is random. A choice with one successor is an edge. Probabilities have to be positive, with the sum 1
//! for each choice, but for 10⁻⁶ for each decimal, which may be rounded; which they are does not matter else. A state without a line has no successor.
//!
//! Labels are `0="init" 1="deadlock"` and lines `3: 0 1`, or Storm's `#DECLARATION`, names, `#END` and lines `3 init deadlock`. States are
//! `(s,t)` and lines `3:(0,1)`.
//!
//! **What is written** is a decision process in which each choice of a random vertex is as likely as the others. A random vertex with one
//! successor or none would be read as no random one: these have the label `litmoscope_random`, which is no label for who reads it here.
//! Names that are no values of variables are values of the only variable `name`, and pairs are in a file of their own
//! ([`super::parse_pairs`]).

use super::draft::{Draft, Said, Stop, check_count, lines, shortened, words};
use super::{Read, ReadOptions};
use crate::bits::Graph;
use crate::labelled::Labelled;
use crate::universe::Universe;
use litmoscope_core::syntax::Diagnostic;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

/// The label of random vertices with less than two successors, in what is written.
const RANDOM: &str = "litmoscope_random";

/// A line of transitions.
struct Transition {
    state: u32,
    choice: u32,
    to: u32,
    probability: f64,
    /// It is a fraction or a whole number.
    is_exact: bool,
    /// Where its line begins.
    at: usize,
}

/// What the first line says.
struct Header {
    has_choices: bool,
    /// States, choices if there are some, transitions.
    counts: Option<Vec<usize>>,
    at: Range<usize>,
}

const FIRST: &str = "the first line has the numbers of states and transitions, of choices between them if there are some, or says `dtmc` or `mdp`";

/// Whether the first line of a text is one of transitions.
pub(super) fn begins(text: &str) -> bool {
    let Some(line) = text.lines().map(str::trim).find(|line| !line.is_empty()) else { return false };
    let words: Vec<&str> = line.trim_start_matches('\u{feff}').split_whitespace().take(4).collect();
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    match words[..] {
        [kind] => matches!(kind, "dtmc" | "mdp" | "ctmc" | "ma"),
        _ => matches!(words.len(), 2 | 3) && words.iter().all(is_number),
    }
}

fn header(said: &mut Said<'_>, start: usize, line: &str) -> Result<Header, Stop> {
    let words: Vec<(Range<usize>, &str)> = words(start, line).collect();
    let at = words[0].0.start..words[words.len() - 1].0.end;
    match words[..] {
        [(_, "dtmc")] => return Ok(Header { has_choices: false, counts: None, at }),
        [(_, "mdp")] => return Ok(Header { has_choices: true, counts: None, at }),
        [(_, kind @ ("ctmc" | "ma"))] => {
            let help = "take the embedded Markov chain: divide the rates of each state by their sum";
            return Err(said.error(at, format!("`{kind}` has rates, which are no probabilities"), help));
        }
        _ => {}
    }
    let counts: Option<Vec<usize>> = words.iter().map(|(_, word)| word.parse().ok()).collect();
    match counts {
        Some(counts) if matches!(counts.len(), 2 | 3) => {
            Ok(Header { has_choices: counts.len() == 3, counts: Some(counts), at })
        }
        _ => Err(said.error(at, format!("`{}` is no first line of transitions", shortened(line.trim())), FIRST)),
    }
}

/// A probability, and whether it is exact.
fn probability(said: &mut Said<'_>, at: Range<usize>, word: &str) -> Result<(f64, bool), Stop> {
    let number = match word.split_once('/') {
        Some((above, below)) => match (above.parse::<f64>(), below.parse::<f64>()) {
            (Ok(above), Ok(below)) if below != 0.0 => Some(above / below),
            _ => None,
        },
        None => word.parse().ok(),
    };
    let number = number.filter(|number| number.is_finite());
    let Some(number) = number else {
        let help = "such as 0.25, 1e-3 or 1/4; intervals and rates can't be read";
        return Err(said.error(at, format!("`{}` is no probability", shortened(word)), help));
    };
    let mantissa = word.split(['e', 'E', '/']).next().unwrap_or(word);
    let is_zero = !mantissa.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    if is_zero || word.starts_with('-') {
        let what = if is_zero { "the probability is 0" } else { "the probability is negative" };
        return Err(said.error(at, what, "leave out what can't happen; the others are positive"));
    }
    Ok((number, !word.contains(['.', 'e', 'E'])))
}

/// Names of actions, by state and choice.
type Actions = HashMap<(u32, u32), String>;

/// Reads transitions, with the names of actions, and the number of states.
fn transitions(said: &mut Said<'_>, options: &ReadOptions) -> Result<(Vec<Transition>, Actions, usize), Stop> {
    let (mut header, mut found, mut actions) = (None, Vec::new(), HashMap::new());
    for (start, line) in lines(said.text) {
        if said.is_full() {
            return Err(Stop);
        }
        if line.trim_matches(super::draft::is_blank).is_empty() {
            continue;
        }
        let Some(Header { has_choices, .. }) = header else {
            header = Some(self::header(said, start, line)?);
            continue;
        };
        let words: Vec<(Range<usize>, &str)> = words(start, line).collect();
        let count = 3 + usize::from(has_choices);
        let whole = words[0].0.start..words[words.len() - 1].0.end;
        if words.len() < count || words.len() > count + 1 {
            let message = format!("a transition has {count} parts and perhaps an action, and here are {}", words.len());
            let help = if has_choices { "such as `0 1 2 0.5 toss`" } else { "such as `0 2 0.5`" };
            said.error(whole, message, help);
            continue;
        }
        let mut numbers = [0; 3];
        let mut number = |said: &mut Said<'_>, at: usize| {
            let (range, word) = &words[at];
            match word.parse::<u32>() {
                Ok(number) => {
                    numbers[at] = number;
                    Ok(())
                }
                Err(_) => {
                    let message = format!("`{}` is no number of a state or a choice", shortened(word));
                    Err(said.error(range.clone(), message, "they are whole numbers from 0 on"))
                }
            }
        };
        let read = (0..count - 1).try_for_each(|at| number(said, at));
        let (range, word) = &words[count - 1];
        let (Ok(()), Ok((probability, is_exact))) = (read, probability(said, range.clone(), word)) else { continue };
        let [state, second, third] = numbers;
        let (choice, to) = if has_choices { (second, third) } else { (0, second) };
        if let Some((_, action)) = words.get(count)
            && has_choices
        {
            actions.entry((state, choice)).or_insert_with(|| (*action).to_owned());
        }
        found.push(Transition { state, choice, to, probability, is_exact, at: whole.start });
        if found.len() > options.edges {
            let message = format!("there are more than {} transitions", options.edges);
            return Err(said.error(whole, message, "give a smaller model"));
        }
    }
    let Some(header) = header else {
        return Err(said.error(said.start(), "there are no transitions", FIRST));
    };
    // What was wrong would seem to be missing, too.
    if !said.errors.is_empty() {
        return Err(Stop);
    }
    let mentioned = found.iter().map(|transition| 1 + transition.state.max(transition.to) as usize).max().unwrap_or(0);
    let Some(counts) = header.counts else {
        check_count(mentioned, 2 * found.len(), options, said, header.at)?;
        return Ok((found, actions, mentioned));
    };
    let states = counts[0];
    check_count(states, 2 * found.len(), options, said, header.at.clone())?;
    if let Some(transition) = found.iter().find(|transition| transition.state.max(transition.to) as usize >= states) {
        let number = transition.state.max(transition.to);
        let message = format!("there is no state {number}: the first line says that there are {states} of them");
        return Err(said.error(line_at(said.text, transition.at), message, "they are numbered from 0 on"));
    }
    let promised = counts[counts.len() - 1];
    if promised != found.len() {
        let message = format!("the first line promises {promised} transitions, and there are {}", found.len());
        return Err(said.error(header.at, message, "the file may be cut off; else correct the number"));
    }
    Ok((found, actions, states))
}

/// The rest of a line from a place on.
fn line_at(text: &str, start: usize) -> Range<usize> {
    let length = text[start..].find(['\n', '\r']).unwrap_or(text.len() - start);
    start..start + length
}

/// Reads the transitions of a Markov chain or decision process. Sorts them: O(m log m).
pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Read, Vec<Diagnostic>> {
    let mut said = Said::new(text);
    let read = self::model(&mut said, options);
    let ((labelled, states, actions), notes) = said.end(read)?;
    Ok(Read { labelled, name: None, notes, states, actions })
}

/// The graph, its number of states, and by random vertex behind them the state with what its choice is called.
type Model = (Labelled, usize, Vec<(u32, String)>);

fn model(said: &mut Said<'_>, options: &ReadOptions) -> Result<Model, Stop> {
    let (mut found, mut actions, states) = transitions(said, options)?;
    // As in the file, where states and choices are the same.
    found.sort_by_key(|transition| (transition.state, transition.choice));
    let (mut draft, mut coins) = (Draft::default(), Vec::new());
    for of_state in found.chunk_by(|one, other| one.state == other.state) {
        let is_only = of_state[0].choice == of_state[of_state.len() - 1].choice;
        for choice in of_state.chunk_by(|one, other| one.choice == other.choice) {
            let first = &choice[0];
            let sum: f64 = choice.iter().map(|transition| transition.probability).sum();
            let tolerance =
                if choice.iter().all(|transition| transition.is_exact) { 1e-9 } else { 1e-6 * choice.len() as f64 };
            if (sum - 1.0).abs() > tolerance {
                let which = if is_only { String::new() } else { format!(" of choice {}", first.choice) };
                let message = format!("the probabilities{which} at state {} have the sum {sum}, not 1", first.state);
                let help = "give each successor its probability; rates can't be read";
                said.error(line_at(said.text, first.at), message, help);
            }
            let is_random = choice.iter().any(|transition| transition.to != first.to);
            let mut from = first.state;
            if is_random && is_only {
                draft.random.push(from);
            } else if is_random {
                from = (states + coins.len()) as u32;
                check_count(states + coins.len() + 1, usize::MAX, options, said, line_at(said.text, first.at))?;
                let action = actions.remove(&(first.state, first.choice));
                coins.push((first.state, action.unwrap_or_else(|| format!("choice {}", first.choice))));
                draft.random.push(from);
                draft.edges.push((first.state, from));
            }
            draft.edges.extend(choice.iter().map(|transition| (from, transition.to)));
        }
    }
    let labelled = draft.finish(states + coins.len(), said)?;
    Ok((labelled, states, coins))
}

/// The files of a graph: transitions, labels, states if they have names, and pairs if there are some. Linear.
pub(super) fn write(of: &Labelled) -> Vec<(&'static str, String)> {
    let mut files = vec![("tra", transitions_text(&of.graph)), ("lab", labels_text(of))];
    if !of.names.is_empty() {
        files.push(("sta", super::prism_labels::states_text(of)));
    }
    if !of.pairs.is_empty() {
        files.push(("pairs", super::pairs::write(of)));
    }
    files
}

fn transitions_text(graph: &Graph) -> String {
    let (mut lines, mut choices, mut transitions) = (String::new(), 0, 0);
    for at in 0..graph.vertices() {
        let to = graph.successors(at);
        let is_random = graph.random().contains(at);
        choices += if is_random { usize::from(!to.is_empty()) } else { to.len() };
        transitions += to.len();
        for (choice, next) in to.iter().enumerate() {
            let _ = match to.len() {
                1 => writeln!(lines, "{at} 0 {next} 1"),
                // As decimals: not all who read such files know fractions.
                count if is_random => writeln!(lines, "{at} 0 {next} {}", 1.0 / count as f64),
                _ => writeln!(lines, "{at} {choice} {next} 1"),
            };
        }
    }
    format!("{} {choices} {transitions}\n{lines}", graph.vertices())
}

fn labels_text(of: &Labelled) -> String {
    let few = of.graph.random().iter().filter(|at| of.graph.successors(*at).len() < 2);
    let few = of.graph.set(few);
    let mut sets: Vec<(&str, &crate::bits::Bits)> = Vec::new();
    if !of.graph.is_empty(&few) {
        sets.push((RANDOM, &few));
    }
    if !of.labels.iter().any(|(name, _)| name == "init") {
        sets.push(("init", &of.start));
    }
    sets.extend(of.labels.iter().map(|(name, set)| (name.as_str(), set)));
    super::prism_labels::labels_text(of.graph.vertices(), &sets)
}

impl Read {
    /// Adds the labels of a `.lab` file beside the transitions. Vertices with `init` are those where a run may start; it is a label, too.
    ///
    /// # Errors
    /// What is wrong with the file. Then nothing was added.
    pub fn add_labels(&mut self, text: &str) -> Result<(), Vec<Diagnostic>> {
        let mut said = Said::new(text);
        let read = super::prism_labels::read_labels(&mut said, self.states);
        let read = read.and_then(|labels| super::prism_labels::sets(&self.labelled, labels, &mut said));
        let (mut labels, notes) = said.end(read)?;
        if let Some(at) = labels.iter().position(|(name, _)| name == RANDOM) {
            let (_, few) = labels.remove(at);
            let graph = &self.labelled.graph;
            let few = few.iter().filter(|at| graph.successors(*at).len() < 2);
            let random = graph.random().iter().chain(few).map(|at| at as u32);
            let edges =
                (0..graph.vertices()).flat_map(|from| graph.successors(from).iter().map(move |to| (from as u32, *to)));
            // It was a graph before.
            if let Ok(graph) = Graph::new(graph.vertices(), edges, random) {
                self.labelled.graph = std::rc::Rc::new(graph);
            }
        }
        if let Some((_, init)) = labels.iter().find(|(name, _)| name == "init") {
            self.labelled.start = init.clone();
        }
        self.labelled.labels = labels;
        self.notes.extend(notes);
        Ok(())
    }

    /// Adds the names of a `.sta` file beside the transitions, such as `(s=0,t=1)`.
    ///
    /// # Errors
    /// What is wrong with the file. Then nothing was added.
    pub fn add_states(&mut self, text: &str) -> Result<(), Vec<Diagnostic>> {
        let mut said = Said::new(text);
        let read = super::prism_labels::read_states(&mut said, self.states);
        let read = read.and_then(|names| {
            let longer = self.actions.iter().map(|(state, action)| names[*state as usize].len() + action.len() + 1);
            super::draft::check_length(names.iter().map(String::len).chain(longer), &mut said)?;
            Ok(names)
        });
        let (mut names, notes) = said.end(read)?;
        let behind: Vec<String> =
            self.actions.iter().map(|(state, action)| format!("{} {action}", names[*state as usize])).collect();
        names.extend(behind);
        self.labelled.names = names;
        self.notes.extend(notes);
        Ok(())
    }
}

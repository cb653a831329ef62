//! The timeline of a history: a row a thread, a bar an operation.

use super::text::Words;
use super::view::{Band, Bar, Crowd, Map, Mark, Row, Tick, Timeline};
use crate::{Action, History, Moment, Object, Operation, OperationIndex, ValueIndex};

/// How many colours values have.
pub(super) const COLOURS: u32 = 12;
/// How many stretches of time the map tells apart.
const STRETCHES: usize = 240;
/// How many pixels a bar needs to be told apart.
const NARROWEST: f64 = 6.0;
/// So many bars are all drawn, however narrow they are.
const FEW: usize = 200;
/// How many pixels a time on the axis needs.
const TICK: f64 = 90.0;
/// How long the name of a value may be to stand for itself, in characters.
const SHORT: usize = 3;

/// What is the same in all drawings of a history.
pub(super) struct Layout {
    /// The threads that do something.
    pub rows: Vec<Row>,
    /// By thread: its row.
    row_of: Vec<u32>,
    /// By operation: its lane.
    lanes: Vec<u32>,
    /// How many operations are open in each stretch of time.
    load: Vec<u8>,
}

impl Layout {
    /// That of a history. O(n l) for n operations in l lanes.
    pub(super) fn new(history: &History) -> Self {
        const NONE: u32 = u32::MAX;
        let mut is_used = vec![false; history.threads.len()];
        for operation in &history.operations {
            is_used[operation.thread.index()] = true;
        }
        let mut row_of = vec![NONE; history.threads.len()];
        let mut rows = Vec::new();
        for (thread, _) in is_used.iter().enumerate().filter(|(_, is_used)| **is_used) {
            row_of[thread] = rows.len() as u32;
            rows.push(Row { name: history.threads.name(thread as u32).to_owned(), lanes: 1 });
        }
        // By row and lane: behind which moment it is free.
        let mut busy: Vec<Vec<Moment>> = vec![Vec::new(); rows.len()];
        let lanes = history
            .operations
            .iter()
            .map(|operation| {
                let row = row_of[operation.thread.index()] as usize;
                let end = operation.ret.unwrap_or(Moment(u32::MAX));
                let free = busy[row].iter().position(|until| *until < operation.call);
                let lane = free.unwrap_or(busy[row].len());
                match busy[row].get_mut(lane) {
                    Some(until) => *until = end,
                    None => busy[row].push(end),
                }
                rows[row].lanes = rows[row].lanes.max(lane as u32 + 1);
                lane as u32
            })
            .collect();
        Self { rows, row_of, lanes, load: load(history) }
    }

    /// The row of an operation.
    pub(super) fn row(&self, operation: &Operation) -> u32 {
        self.row_of[operation.thread.index()]
    }

    /// The lane of an operation in its row.
    pub(super) fn lane(&self, operation: OperationIndex) -> u32 {
        self.lanes[operation.index()]
    }
}

fn stretch(moment: usize, moments: usize) -> usize {
    moment * STRETCHES / moments.max(1)
}

fn load(history: &History) -> Vec<u8> {
    let moments = history.times.len();
    let mut changes = [0_i64; STRETCHES + 1];
    for operation in &history.operations {
        changes[stretch(operation.call.index(), moments).min(STRETCHES)] += 1;
        if let Some(ret) = operation.ret {
            changes[(stretch(ret.index(), moments) + 1).min(STRETCHES)] -= 1;
        }
    }
    let mut open = 0;
    let counts = changes[..STRETCHES].iter().map(|change| {
        open += change;
        open
    });
    let counts: Vec<i64> = counts.collect();
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    counts.into_iter().map(|count| (count * 255 / most) as u8).collect()
}

/// A letter or short name for a value, and its colour.
pub(super) fn look(history: &History, value: ValueIndex) -> (String, u8) {
    let name = history.value(value);
    let letter = if name.chars().count() <= SHORT { name.to_owned() } else { letters(value.0) };
    (letter, (value.0 % COLOURS) as u8)
}

/// `a` to `z`, then `aa` and so on.
fn letters(mut number: u32) -> String {
    let mut letters = Vec::new();
    loop {
        letters.push((b'a' + (number % 26) as u8) as char);
        match (number / 26).checked_sub(1) {
            Some(rest) => number = rest,
            None => return letters.into_iter().rev().collect(),
        }
    }
}

/// The value that an operation is about.
pub(super) fn value_of(action: Action) -> Option<ValueIndex> {
    match action {
        Action::Insert(value)
        | Action::Remove(value)
        | Action::Contains(value, _)
        | Action::Read(value)
        | Action::Write(value)
        | Action::CompareAndSet { new: value, .. } => Some(value),
        Action::RemoveAny | Action::RemoveNothing | Action::Increase(_) | Action::Total(_) => None,
    }
}

/// What is drawn of a history.
pub(super) struct Sight<'a> {
    /// The history.
    pub history: &'a History,
    /// What the object is, for the names of operations.
    pub object: Object,
    /// Where its bars stand.
    pub layout: &'a Layout,
    /// The moments in sight.
    pub window: (f64, f64),
    /// The first row in sight, and how many are.
    pub rows: (u32, u32),
    /// How many pixels the window is wide.
    pub width: u32,
    /// Operations that are part of what contradicts itself, in the order of their numbers.
    pub wrong: &'a [OperationIndex],
}

impl Sight<'_> {
    /// Whether a row is in sight.
    pub(super) fn sees_row(&self, row: u32) -> bool {
        row >= self.rows.0 && row - self.rows.0 < self.rows.1
    }

    fn is_wrong(&self, operation: OperationIndex) -> bool {
        self.wrong.binary_search(&operation).is_ok()
    }

    /// Draws it; `mark` says how an operation is drawn if it is not wrong.
    pub(super) fn draw(&self, mark: &dyn Fn(OperationIndex) -> Mark, bands: Vec<Band>) -> Timeline {
        let history = self.history;
        let moments = history.times.len();
        let (from, to) = self.window;
        let seen: Vec<OperationIndex> = history
            .indexed()
            .take_while(|(_, operation)| f64::from(operation.call.0) <= to)
            .filter(|(_, operation)| operation.ret.is_none_or(|ret| f64::from(ret.0) >= from))
            .filter(|(_, operation)| self.sees_row(self.layout.row(operation)))
            .map(|(index, _)| index)
            .collect();
        let pixel = (to - from).max(1.0) / f64::from(self.width.max(1));
        let (bars, crowds) = self.apart(&seen, pixel);
        let mut bars: Vec<Bar> = bars.into_iter().map(|operation| self.bar(operation, mark)).collect();
        bars.sort_by_key(|bar| (bar.row, bar.call));
        Timeline {
            rows: self.layout.rows.clone(),
            moments: moments as u32,
            window: self.window,
            bars,
            crowds,
            ticks: self.ticks(),
            bands,
            points: Vec::new(),
            points_move: false,
            places: Vec::new(),
            map: Map { load: self.layout.load.clone(), wrong: self.stretches() },
        }
    }

    /// Those that can be told apart, and crowds of the others.
    fn apart(&self, seen: &[OperationIndex], pixel: f64) -> (Vec<OperationIndex>, Vec<Crowd>) {
        if seen.len() <= FEW {
            return (seen.to_vec(), Vec::new());
        }
        let (mut bars, mut crowds) = (Vec::new(), Vec::new());
        // By row: the crowd that may go on, and its first operation.
        let mut open: Vec<Option<(Crowd, OperationIndex)>> = vec![None; self.layout.rows.len()];
        let mut close = |(crowd, first): (Crowd, OperationIndex), bars: &mut Vec<OperationIndex>| {
            if crowd.operations == 1 { bars.push(first) } else { crowds.push(crowd) }
        };
        let behind = self.history.times.len() as f64;
        for &index in seen {
            let operation = self.history.operation(index);
            let (call, ret) = (f64::from(operation.call.0), operation.ret.map_or(behind, |ret| f64::from(ret.0)));
            if ret - call >= NARROWEST * pixel {
                bars.push(index);
                continue;
            }
            let row = self.layout.row(operation);
            let open = &mut open[row as usize];
            match open {
                Some((crowd, _)) if call - crowd.to < NARROWEST * pixel => {
                    crowd.to = crowd.to.max(ret);
                    crowd.operations += 1;
                    crowd.is_wrong |= self.is_wrong(index);
                }
                _ => {
                    let crowd = Crowd { row, from: call, to: ret, operations: 1, is_wrong: self.is_wrong(index) };
                    if let Some(done) = open.replace((crowd, index)) {
                        close(done, &mut bars);
                    }
                }
            }
        }
        for done in open.into_iter().flatten() {
            close(done, &mut bars);
        }
        (bars, crowds)
    }

    fn bar(&self, index: OperationIndex, mark: &dyn Fn(OperationIndex) -> Mark) -> Bar {
        let (history, operation) = (self.history, self.history.operation(index));
        let words = Words { history, object: self.object };
        Bar {
            operation: index.0,
            row: self.layout.row(operation),
            lane: self.layout.lane(index),
            call: operation.call.0,
            ret: operation.ret.map(|ret| ret.0),
            label: words.action(operation.action),
            value: value_of(operation.action).map(|value| look(history, value)),
            title: words.placed(index),
            mark: match mark(index) {
                Mark::Plain if self.is_wrong(index) => Mark::Wrong,
                mark => mark,
            },
        }
    }

    fn ticks(&self) -> Vec<Tick> {
        let times = &self.history.times;
        let (from, to) = self.window;
        let most = (f64::from(self.width) / TICK).max(1.0);
        let distances = (0..8).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_usize.pow(power)));
        let every = distances.into_iter().find(|every| (to - from) / *every as f64 <= most).unwrap_or(100_000_000);
        let first = (from.max(0.0) / every as f64).ceil() as usize * every;
        let last = (to.max(0.0) as usize).min(times.len().saturating_sub(1));
        (first..=last)
            .step_by(every)
            .filter_map(|at| Some(Tick { at: at as u32, label: times.get(at)?.to_string() }))
            .collect()
    }

    /// Where something contradicts itself.
    fn stretches(&self) -> Vec<(f64, f64)> {
        const MOST: usize = 60;
        let behind = self.history.times.len() as f64;
        let wrong = self.wrong.iter().map(|&index| self.history.operation(index));
        let mut stretches: Vec<(f64, f64)> = wrong
            .map(|operation| (f64::from(operation.call.0), operation.ret.map_or(behind, |ret| f64::from(ret.0))))
            .collect();
        stretches.sort_by(|a, b| a.0.total_cmp(&b.0));
        let near = behind / STRETCHES as f64;
        let mut joined: Vec<(f64, f64)> = Vec::new();
        for (from, to) in stretches {
            match joined.last_mut() {
                Some(last) if from <= last.1 + near => last.1 = last.1.max(to),
                _ => joined.push((from, to)),
            }
        }
        joined.truncate(MOST);
        joined
    }
}

/// Gives bands of the same kind lanes, so that none overlaps with another one in its lane.
pub(super) fn stack(bands: &mut [Band]) {
    let mut ends: Vec<f64> = Vec::new();
    bands.sort_by(|a, b| a.from.total_cmp(&b.from));
    for band in bands {
        let free = ends.iter().position(|end| *end <= band.from);
        let lane = free.unwrap_or(ends.len());
        match ends.get_mut(lane) {
            Some(end) => *end = band.to,
            None => ends.push(band.to),
        }
        band.lane = lane as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_go_on_behind_z() {
        let all: Vec<String> = [0, 25, 26, 51, 52, 701, 702].into_iter().map(letters).collect();
        assert_eq!(all, ["a", "z", "aa", "az", "ba", "zz", "aaa"]);
    }

    #[test]
    fn bands_of_a_lane_do_not_overlap() {
        let band = |from: f64, to: f64| Band {
            from,
            to,
            kind: super::super::view::BandKind::Inner,
            title: String::new(),
            colour: None,
            lane: 0,
        };
        let mut bands = [band(5.0, 6.0), band(0.0, 3.0), band(1.0, 2.0), band(2.0, 5.0)];
        stack(&mut bands);
        let placed: Vec<_> = bands.iter().map(|band| (band.from as u32, band.lane)).collect();
        assert_eq!(placed, [(0, 0), (1, 1), (2, 1), (5, 0)]);
    }
}

//! Growth: symbolic steps over sizes of graphs, and two algorithms on random graphs, computed one graph at a time.

use crate::algorithms::{Options, Pairs, Threshold, Way};
use crate::bits::{Bits, Graph};
use crate::diagrams::Diagrams;
use crate::dining::Dining;
use crate::families;
use crate::machine::Machine;
use crate::{Universe, components, end_components, streett, streett_by_chance};
use litmoscope_core::budget::Budget;
use litmoscope_core::random::Random;
use litmoscope_core::words::grouped;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Families of graphs, or graphs by chance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Paths in both directions, decomposed.
    Path,
    /// Cycles, decomposed.
    Cycle,
    /// A cascade of bad vertices.
    #[default]
    Cascade,
    /// Blocks that are split off one by one.
    Blocks,
    /// Hypercubes as diagrams, decomposed.
    Hypercube,
    /// Lehmann and Rabin's philosophers as diagrams, decomposed into end components.
    Philosophers,
    /// Random graphs: one algorithm against the other.
    Random,
    /// Random graphs with chance.
    Chance,
}

impl Family {
    /// All.
    pub const ALL: [Self; 8] = [
        Self::Cascade,
        Self::Blocks,
        Self::Path,
        Self::Cycle,
        Self::Hypercube,
        Self::Philosophers,
        Self::Random,
        Self::Chance,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Cycle => "cycle",
            Self::Cascade => "cascade",
            Self::Blocks => "blocks",
            Self::Hypercube => "hypercube",
            Self::Philosophers => "philosophers with coins",
            Self::Random => "random graphs",
            Self::Chance => "random graphs with chance",
        }
    }

    /// What is to be seen.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Path => "A path in both directions is one component. Skeletons find it with 3n − 1 symbolic steps.",
            Self::Cycle => {
                "A cycle is one component. Who searches forward and backward alone needs as many steps here."
            }
            Self::Cascade => {
                "Each bad vertex makes the next one bad. The basic algorithm decomposes anew each time; the improved one \
                 goes on, with five steps for each vertex."
            }
            Self::Blocks => {
                "Each removal splits a block off. Lock-step searches find it with as many steps as it is large."
            }
            Self::Hypercube => {
                "A hypercube of d dimensions has 2^d vertices and is one component. As decision diagrams, millions of \
                 vertices take 3d + 2 symbolic steps and a fraction of a second."
            }
            Self::Philosophers => {
                "Three, four and five philosophers of Lehmann and Rabin, with coins as vertices. All that they get to is \
                 one end component, found as decision diagrams."
            }
            Self::Random => {
                "Each point is a random graph with three pairs. Below the line, the improved algorithm takes fewer steps: with so few pairs there is little to gain."
            }
            Self::Chance => "The same where chance decides at a fifth of the vertices: end components are decomposed.",
        }
    }

    fn is_scatter(self) -> bool {
        matches!(self, Self::Random | Self::Chance)
    }

    fn lines(self) -> &'static [&'static str] {
        match self {
            Self::Path | Self::Cycle => &["with skeletons", "forward and backward"],
            Self::Hypercube => &["with skeletons"],
            Self::Philosophers => &["basic", "improved"],
            Self::Random | Self::Chance => &["graphs"],
            _ => &["basic", "improved", "improved, never", "improved, always"],
        }
    }
}

/// What is computed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrowthRequest {
    /// Of which graphs.
    pub family: Family,
    /// Of random ones.
    pub seed: u32,
}

/// A mark of an axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GrowthTick {
    /// Where it is.
    pub at: f64,
    /// What is written there.
    pub label: String,
}

/// A line, or points without one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GrowthLine {
    /// What it is of.
    pub name: String,
    /// As an SVG path; empty for points alone.
    pub path: String,
    /// Its points, each with a sentence.
    pub points: Vec<(f64, f64, String)>,
}

/// A chart, laid out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GrowthView {
    /// What is over what.
    pub title: String,
    /// For those who do not see it.
    pub summary: String,
    /// What is below, and at the left.
    pub axes: [String; 2],
    /// Of the axis below.
    pub across: Vec<GrowthTick>,
    /// Of the axis at the left.
    pub up: Vec<GrowthTick>,
    /// The lines.
    pub lines: Vec<GrowthLine>,
    /// Lines to compare with, as paths with their names.
    pub guides: Vec<(String, String)>,
    /// As a table: the head, then rows.
    pub table: Vec<Vec<String>>,
    /// How many graphs were looked at, of how many.
    pub done: [u32; 2],
}

/// The size of charts, and where their areas lie: left, top, right, bottom.
pub const FRAME: [f64; 6] = [520.0, 340.0, 62.0, 14.0, 506.0, 292.0];

const SIZES: [u32; 7] = [5, 8, 12, 20, 32, 50, 80];
const BLOCKS: [u32; 6] = [3, 5, 8, 12, 20, 32];
const DIMENSIONS: [u16; 7] = [3, 6, 10, 14, 18, 22, 27];
const PHILOSOPHERS: [usize; 3] = [3, 4, 5];
/// How many random graphs are looked at.
const GRAPHS: u32 = 80;
/// How much work an algorithm may be.
const PATIENCE: u64 = 1 << 32;

/// Computes it, graph by graph.
pub struct Growth {
    request: GrowthRequest,
    /// By line: points.
    found: Vec<Vec<(u64, u64)>>,
    next: u32,
}

fn images<U: Universe + 'static>(mut machine: Machine<U>) -> Option<u64> {
    let mut budget = Budget::of(PATIENCE);
    while machine.advance(&mut budget).ok()?.is_some() {}
    machine.answer().map(|_| machine.counts().images)
}

/// A random graph, with three pairs.
fn random_graph(seed: u64, by_chance: bool) -> (Graph, Pairs<Bits>) {
    let mut random = Random::new(seed);
    let count = 20 + random.below(60);
    let vertex = |random: &mut Random| random.below(count) as u32;
    let mut edges: Vec<(u32, u32)> = (0..count as u32).map(|at| (at, vertex(&mut random))).collect();
    let more = count + random.below(count);
    edges.extend((0..more).map(|_| (vertex(&mut random), vertex(&mut random))));
    let chance: Vec<u32> = if by_chance { (0..count / 5).map(|_| vertex(&mut random)).collect() } else { Vec::new() };
    let graph = Graph::new(count as usize, edges, chance).unwrap_or_else(|error| unreachable!("{error}"));
    let pairs = (0..3)
        .map(|_| {
            let mut side = |most: u64| {
                let size = 1 + random.below(most);
                graph.set((0..size).map(|_| random.below(count) as usize).collect::<Vec<_>>())
            };
            (side(4), side(2))
        })
        .collect();
    (graph, pairs)
}

impl Growth {
    /// Nothing is computed yet.
    pub fn new(request: &GrowthRequest) -> Self {
        let lines = request.family.lines().len();
        Self { request: request.clone(), found: vec![Vec::new(); lines], next: 0 }
    }

    /// Whether it is what is asked for.
    pub fn is_of(&self, request: &GrowthRequest) -> bool {
        self.request == *request
    }

    /// How many graphs were looked at.
    pub fn done(&self) -> u32 {
        self.next
    }

    fn all(&self) -> u32 {
        match self.request.family {
            Family::Blocks => BLOCKS.len() as u32,
            Family::Philosophers => PHILOSOPHERS.len() as u32,
            family if family.is_scatter() => GRAPHS,
            _ => SIZES.len() as u32,
        }
    }

    /// Whether all is computed.
    pub fn is_over(&self) -> bool {
        self.next >= self.all()
    }

    /// Looks at the next graph.
    pub fn go_on(&mut self) {
        if self.is_over() {
            return;
        }
        let at = self.next as usize;
        self.next += 1;
        let family = self.request.family;
        match family {
            Family::Path | Family::Cycle => {
                let size = SIZES[at];
                let graph =
                    Rc::new(if family == Family::Path { families::path(size, true) } else { families::cycle(size) });
                for (line, skeletons) in [true, false].into_iter().enumerate() {
                    let found = images(components(Rc::clone(&graph), skeletons));
                    self.found[line].extend(found.map(|images| (u64::from(size), images)));
                }
            }
            Family::Cascade | Family::Blocks => {
                let (graph, pairs) =
                    if family == Family::Cascade { families::cascade(SIZES[at]) } else { families::blocks(BLOCKS[at]) };
                let graph = Rc::new(graph);
                let ways = [
                    (Way::Basic, Threshold::Root),
                    (Way::Improved, Threshold::Root),
                    (Way::Improved, Threshold::Never),
                    (Way::Improved, Threshold::Fixed(1)),
                ];
                for (line, (way, threshold)) in ways.into_iter().enumerate() {
                    let options = Options { threshold, ..Options::default() };
                    let found = images(streett(Rc::clone(&graph), pairs.clone(), way, options));
                    self.found[line].extend(found.map(|images| (graph.vertices() as u64, images)));
                }
            }
            Family::Hypercube => {
                let Ok(cube) = Diagrams::hypercube(DIMENSIONS[at]) else { return };
                let cube = Rc::new(cube);
                let vertices = cube.size().0 as u64;
                self.found[0].extend(images(components(cube, true)).map(|images| (vertices, images)));
            }
            Family::Philosophers => {
                let mut dining = Dining::new(PHILOSOPHERS[at], false);
                if dining.reach(&mut Budget::of(PATIENCE)).is_err() {
                    return;
                }
                let all = Rc::new(dining.into_diagrams());
                let vertices = all.size().0 as u64;
                for (line, way) in [Way::Basic, Way::Improved].into_iter().enumerate() {
                    let found = images(end_components(Rc::clone(&all), way, Options::default()));
                    self.found[line].extend(found.map(|images| (vertices, images)));
                }
            }
            Family::Random | Family::Chance => {
                let by_chance = family == Family::Chance;
                let seed = u64::from(self.request.seed) * 1_000_003 + u64::from(self.next);
                let (graph, pairs) = random_graph(seed, by_chance);
                let graph = Rc::new(graph);
                let of = |way| {
                    let options = Options { threshold: Threshold::Logarithm, ..Options::default() };
                    if by_chance {
                        images(streett_by_chance(Rc::clone(&graph), pairs.clone(), way, options))
                    } else {
                        images(streett(Rc::clone(&graph), pairs.clone(), way, options))
                    }
                };
                self.found[0].extend(of(Way::Basic).zip(of(Way::Improved)));
            }
        }
    }

    /// What is known so far, as a chart. Both axes are logarithmic.
    pub fn view(&self) -> GrowthView {
        let family = self.request.family;
        let scatter = family.is_scatter();
        let names = family.lines();
        let all = || self.found.iter().flatten();
        let bounds = |of: fn(&(u64, u64)) -> u64| {
            let (least, most) = (all().map(of).min().unwrap_or(1).max(1), all().map(of).max().unwrap_or(10).max(2));
            ((least as f64 / 1.3).log10(), (most as f64 * 1.3).log10())
        };
        let (mut low, mut high) = (bounds(|point| point.0), bounds(|point| point.1));
        if scatter {
            // The same scale on both, so that equal is a diagonal.
            let both = (low.0.min(high.0), low.1.max(high.1));
            (low, high) = (both, both);
        }
        let [_, _, left, top, right, bottom] = FRAME;
        let x = |value: f64| left + (value.log10() - low.0) / (low.1 - low.0) * (right - left);
        let y = |value: f64| bottom - (value.log10() - high.0) / (high.1 - high.0) * (bottom - top);
        let axes = if scatter {
            ["steps of the basic algorithm", "steps of the improved one"]
        } else {
            ["vertices", "symbolic steps"]
        };
        let point = |name: &str, &(a, b): &(u64, u64)| {
            let title = if scatter {
                format!("basic {}, improved {}", grouped(a), grouped(b))
            } else {
                format!("{name}: {} vertices, {} symbolic steps", grouped(a), grouped(b))
            };
            (x(a as f64), y(b as f64), title)
        };
        let lines = names.iter().zip(&self.found).map(|(name, found)| {
            let points: Vec<_> = found.iter().map(|own| point(name, own)).collect();
            let path = if scatter {
                String::new()
            } else {
                points
                    .iter()
                    .enumerate()
                    .map(|(at, (x, y, _))| format!("{}{x:.1} {y:.1}", if at == 0 { 'M' } else { 'L' }))
                    .collect()
            };
            GrowthLine { name: (*name).to_owned(), path, points }
        });
        let guide = |name: &str, factor: f64| {
            // Cut to the area: y = x / factor.
            let (from, to) = (
                10_f64.powf(low.0).max(10_f64.powf(high.0) * factor),
                10_f64.powf(low.1).min(10_f64.powf(high.1) * factor),
            );
            (from < to).then(|| {
                (name.to_owned(), format!("M{:.1} {:.1}L{:.1} {:.1}", x(from), y(from / factor), x(to), y(to / factor)))
            })
        };
        let guides = if scatter {
            [guide("equal", 1.0), guide("10 times fewer", 10.0)].into_iter().flatten().collect()
        } else {
            Vec::new()
        };
        let title = format!("{}: {} over {}, both logarithmic", family.name(), axes[1], axes[0]);
        GrowthView {
            summary: format!("{title}, {} points", all().count()),
            title,
            axes: axes.map(str::to_owned),
            across: ticks(low, x),
            up: ticks(high, y),
            lines: lines.collect(),
            guides,
            table: self.table(),
            done: [self.next, self.all()],
        }
    }

    fn table(&self) -> Vec<Vec<String>> {
        let family = self.request.family;
        if family.is_scatter() {
            let points = &self.found[0];
            let fewer = points.iter().filter(|(basic, improved)| improved < basic).count();
            let more = points.iter().filter(|(basic, improved)| improved > basic).count();
            let sum = points.iter().fold((0, 0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
            let rows = [
                ("graphs", points.len() as u64),
                ("fewer steps improved", fewer as u64),
                ("more steps improved", more as u64),
                ("steps of all, basic", sum.0),
                ("steps of all, improved", sum.1),
            ];
            return rows.into_iter().map(|(name, number)| vec![name.to_owned(), grouped(number)]).collect();
        }
        let head = std::iter::once("vertices").chain(family.lines().iter().copied()).map(str::to_owned).collect();
        let mut sizes: Vec<u64> = self.found.iter().flatten().map(|point| point.0).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let row = |size: u64| {
            let cell = |found: &Vec<(u64, u64)>| {
                found.iter().find(|point| point.0 == size).map_or_else(|| "?".to_owned(), |point| grouped(point.1))
            };
            std::iter::once(grouped(size)).chain(self.found.iter().map(cell)).collect()
        };
        std::iter::once(head).chain(sizes.into_iter().map(row)).collect()
    }
}

/// The marks between two powers of ten.
fn ticks((low, high): (f64, f64), place: impl Fn(f64) -> f64) -> Vec<GrowthTick> {
    let digits: &[u64] = if high - low > 2.2 { &[1] } else { &[1, 2, 5] };
    (0..12_u32)
        .flat_map(|power| digits.iter().map(move |digit| digit * 10_u64.pow(power)))
        .filter(|number| (low..=high).contains(&(*number as f64).log10()))
        .map(|number| GrowthTick { at: place(number as f64), label: grouped(number) })
        .collect()
}

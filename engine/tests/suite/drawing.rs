//! Drawings of whole explorations: what moves from step to step, and how tidy they are.

use litmoscope::explore::{Algorithm, Options};
use litmoscope::graph::{EventKey, RelationName};
use litmoscope::model::Model;
use litmoscope::program::Notation;
use litmoscope::report::{Drawing, DrawnEdge, Node};
use litmoscope::session::{Session, Settings, ViewRequest};
use litmoscope::syntax::print;
use litmoscope::testing::{sample, sample_client};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// The programs of the gallery, with the models that they are shown under.
fn gallery() -> Vec<(String, String, Model)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../public");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("it is there");
    let entries: serde_json::Value = serde_json::from_str(&read("gallery.json")).expect("JSON");
    let entries = entries.as_array().expect("a list").iter();
    entries
        .map(|entry| {
            let file = entry["file"].as_str().expect("a name").to_owned();
            let model = entry["model"].as_str().expect("a model").parse().expect("a model");
            (file.clone(), read(&file), model)
        })
        .collect()
}

fn session(text: &str, model: Model, algorithm: Algorithm) -> Session {
    let settings = Settings { text: text.to_owned(), model, algorithm, options: Options::default(), position: 0 };
    Session::open(settings).expect("it is a program")
}

/// What the page draws at first.
fn shown() -> ViewRequest {
    use RelationName::{Eco, Fr, Hb, Ppo, Psc, Sw};
    ViewRequest { hidden: [Fr, Sw, Hb, Eco, Psc, Ppo].into(), ..ViewRequest::default() }
}

/// The first drawings of an exploration.
fn drawings(text: &str, model: Model, algorithm: Algorithm, request: &ViewRequest, steps: usize) -> Vec<Drawing> {
    let mut session = session(text, model, algorithm);
    let mut drawings = vec![session.view(request).drawing];
    while drawings.len() <= steps && session.forward() {
        drawings.push(session.view(request).drawing);
    }
    drawings
}

/// Each event with what is before it in porf, and where it stands: the middle of its box, which may get wider with its
/// label.
fn places(drawing: &Drawing) -> BTreeMap<EventKey, (u64, (f32, f32))> {
    let nodes: BTreeMap<EventKey, &Node> = drawing.nodes.iter().filter(|n| !n.ghost).map(|n| (n.key, n)).collect();
    fn prefix(key: EventKey, nodes: &BTreeMap<EventKey, &Node>, known: &mut BTreeMap<EventKey, u64>) -> u64 {
        if let Some(&known) = known.get(&key) {
            return known;
        }
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        if !key.thread.is_init() {
            if key.serial > 1 {
                prefix(EventKey { serial: key.serial - 1, ..key }, nodes, known).hash(&mut hasher);
            }
            let source = nodes.get(&key).and_then(|node| node.source);
            source.map(|source| prefix(source, nodes, known)).hash(&mut hasher);
        }
        let hash = hasher.finish();
        known.insert(key, hash);
        hash
    }
    let mut known = BTreeMap::new();
    let middle = |node: &Node| (node.x + node.width / 2.0, node.y + node.height / 2.0);
    nodes.iter().map(|(key, node)| (*key, (prefix(*key, &nodes, &mut known), middle(node)))).collect()
}

fn samples(path: &str) -> Vec<(f32, f32)> {
    let numbers: Vec<f32> =
        path.split(['M', 'C', ' ']).filter(|text| !text.is_empty()).map(|text| text.parse().unwrap()).collect();
    let points: Vec<_> = numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect();
    let mut samples: Vec<(f32, f32)> = Vec::new();
    for piece in (0..points.len() - 1).step_by(3) {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| points[piece + i]);
        for i in 0..=200 {
            let t = i as f32 / 200.0;
            let s = 1.0 - t;
            let mix = |a: f32, b: f32, c: f32, d: f32| {
                s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d
            };
            let point = (mix(a.0, b.0, c.0, d.0), mix(a.1, b.1, c.1, d.1));
            if samples.last().is_none_or(|last| (last.0 - point.0).hypot(last.1 - point.1) >= 2.0) {
                samples.push(point);
            }
        }
    }
    samples
}

/// How long two edges lie on one another at a stretch, away from ends that they share.
fn common(a: &DrawnEdge, b: &DrawnEdge, pa: &[(f32, f32)], pb: &[(f32, f32)]) -> f32 {
    let distance = |p: (f32, f32), q: (f32, f32)| (p.0 - q.0).hypot(p.1 - q.1);
    let mut ends = Vec::new();
    for (key, point) in [(a.from, pa[0]), (a.to, pa[pa.len() - 1])] {
        if key == b.from || key == b.to {
            ends.push(point);
        }
    }
    let (mut longest, mut here) = (0.0f32, 0.0);
    for pair in pa.windows(2) {
        let point = pair[1];
        let near_end = ends.iter().any(|&end| distance(end, point) < 40.0);
        if !near_end && pb.iter().any(|&other| distance(other, point) < 2.0) {
            here += distance(pair[0], point);
            longest = longest.max(here);
        } else {
            here = 0.0;
        }
    }
    longest
}

/// Random programs, with and without mutexes and channels.
fn random_programs(seeds: u64) -> Vec<(String, String, Model)> {
    let text = |program| print(&program, Notation::Litmoscope).expect("it has a notation");
    let memory = (0..seeds).map(|seed| (format!("random {seed}"), text(sample(seed)), Model::RA));
    let clients = (0..seeds / 2).map(|seed| (format!("client {seed}"), text(sample_client(seed)), Model::RC11));
    memory.chain(clients).collect()
}

#[test]
fn no_event_moves_for_what_comes_after_it() {
    let (mut kept, mut same, mut other, mut growing) = (0, 0, 0, 0);
    for (name, text, model) in gallery().into_iter().chain(random_programs(40)) {
        for algorithm in [Algorithm::Genmc, Algorithm::Trust] {
            let seen = drawings(&text, model, algorithm, &shown(), 80);
            // Else initial writes stand in the order in which they were used, being many.
            let fixed = seen.iter().all(|drawing| drawing.width == seen[0].width);
            growing += usize::from(!fixed);
            for pair in seen.windows(2) {
                let (before, after) = (places(&pair[0]), places(&pair[1]));
                for (key, (prefix, place)) in &after {
                    if !fixed && key.thread.is_init() {
                        continue;
                    }
                    if let Some((_, was)) = before.get(key).filter(|(was, _)| was == prefix) {
                        kept += 1;
                        assert_eq!(was, place, "{key:?} of {name} with {algorithm:?} moves");
                    }
                }
                for edge in &pair[1].edges {
                    if let Some(was) = pair[0].edges.iter().find(|was| was.key() == edge.key()) {
                        *if was.path == edge.path { &mut same } else { &mut other } += 1;
                    }
                }
            }
        }
    }
    assert!(kept > 20_000, "{kept}");
    assert!(growing < 20, "{growing} explorations with many initial writes");
    // An edge gives way to an event in its way, and to nothing else.
    assert!(other * 20 < same, "{other} of {} edges take another way", same + other);
}

#[test]
fn values_with_more_digits_than_expected_move_threads_to_the_right_alone() {
    let text = "x := 1 || a := x; b := a * 1000; y := b * b * b || c := y";
    let seen = drawings(text, Model::SC, Algorithm::Genmc, &shown(), 200);
    for pair in seen.windows(2) {
        let (before, after) = (places(&pair[0]), places(&pair[1]));
        for (key, (prefix, place)) in after {
            if let Some((_, was)) = before.get(&key).filter(|(was, _)| *was == prefix) {
                assert_eq!(was.1, place.1, "{key:?}");
                assert!(was.0 == place.0 || matches!(key.thread.0, 1 | 2), "{key:?}");
            }
        }
    }
}

#[test]
fn edges_run_downwards_and_not_on_one_another() {
    let (mut rf, mut co, mut co_down, mut between, mut between_down) = (0, 0, 0, 0, 0);
    for (name, text, model) in gallery().into_iter().chain(random_programs(60)) {
        let seen = drawings(&text, model, Algorithm::Genmc, &shown(), 60);
        let drawing = seen.iter().max_by_key(|drawing| drawing.edges.len()).expect("there is one");
        let node = |key| drawing.nodes.iter().find(|node| node.key == key).expect("it is drawn");
        let paths: Vec<_> = drawing.edges.iter().map(|edge| samples(&edge.path)).collect();
        for (index, edge) in drawing.edges.iter().enumerate() {
            let down = usize::from(node(edge.to).y > node(edge.from).y);
            match edge.kind.relation() {
                Some(RelationName::Rf) => {
                    rf += 1;
                    assert_eq!(down, 1, "{name}: {}", edge.title);
                }
                Some(RelationName::Co) => {
                    (co, co_down) = (co + 1, co_down + down);
                    if !edge.from.thread.is_init() {
                        (between, between_down) = (between + 1, between_down + down);
                    }
                }
                _ => {}
            }
            for (other, path) in paths[..index].iter().enumerate() {
                let length = common(edge, &drawing.edges[other], &paths[index], path);
                assert!(length < 40.0, "{name}: {} and {} for {length}", edge.title, drawing.edges[other].title);
            }
        }
    }
    assert!(rf > 300 && co > 280, "{rf} {co}");
    assert!(co_down * 10 > co * 9, "{co_down} of {co} co edges");
    assert!(between_down * 10 > between * 7, "{between_down} of {between} co edges between writes of threads");
}

/// Four threads of twelve events each.
const FOUR_BY_TWELVE: &str = include_str!("../../../tests/programs/four-by-twelve.lit");

#[test]
fn four_threads_of_twelve_events_stand_close() {
    let mut session = session(FOUR_BY_TWELVE, Model::RA, Algorithm::Genmc);
    while session.view(&shown()).step_name != "complete" {
        assert!(session.forward());
    }
    let drawing = session.view(&shown()).drawing;
    let threads = drawing.nodes.iter().filter(|node| !node.key.thread.is_init());
    assert_eq!(threads.count(), 48);
    // The panel has 610 by 420 pixels at 1280x800: letters of 14 become at least 11 high.
    assert!(drawing.width <= 610.0 * 14.0 / 11.0, "{}", drawing.width);
    assert!(drawing.height <= 420.0 * 14.0 / 11.0, "{}", drawing.height);
}

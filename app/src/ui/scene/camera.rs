//! Where a drawing stands in its panel: what the reader makes of it, or else so that what is new is in sight.
//!
//! The camera stays where it is as long as all of the graph, or else what is new, is in sight. It zooms out only as far as
//! letters are readable (11 pixels, 8.5 on a telephone) and then follows what is new. In a lecture it shows what is there in
//! letters for the last row if there is room. Whoever zooms or moves takes it over; `0` shows everything, however small.
//!
//! One function, `keep`, has the last word on every place, whatever led there: two thirds of the events' whole width and height
//! stay in sight, or of the panel's where that is less, and so does an event. Shift and the arrow keys move the drawing that has
//! the focus; without Shift, they step. A program with more than eight events in a thread gets more of the page's height for its
//! graph.

use std::hash::{DefaultHasher, Hash, Hasher};

use leptos::prelude::*;
use litmoscope::report::{Drawing, EdgeKey, FONT_SIZE, Mark, Node};

use super::around::Around;

/// How far one can zoom.
const SCALES: (f64, f64) = (0.1, 6.0);
/// How far a click on a zoom button goes.
const ZOOM: f64 = 1.25;
/// How large a drawing is in a lecture at most, for the last row.
const LECTURE: f64 = 4.0;
/// Space around the drawing.
const MARGIN: f64 = 12.0;
/// The same on a telephone.
const MARGIN_CLOSE: f64 = 4.0;
/// How far below the upper border a drawing stands at most.
const LOWEST: f64 = 36.0;
/// How large letters are at least as long as the reader does not zoom, in pixels.
const READABLE: f64 = 11.05;
/// The same in a lab, where a drawing stands beside much else: the labels of edges, which are smaller, have 9 pixels then.
const READABLE_BESIDE: f64 = 10.5;
/// The same on a telephone, which one holds closer.
const READABLE_CLOSE: f64 = 8.5;
/// How large letters are in a lecture if there is room, as a share of the panel's height.
const READABLE_AFAR: f64 = 0.0286;
/// How much of the window's height a graph has in a lecture that is alone beside its program.
const ALONE: f64 = 0.78;
/// A panel less wide than this is a telephone's.
const TELEPHONE: f64 = 480.0;
/// Space for edges below the lowest event.
const BELOW: f64 = 20.0;
/// When a drawing outgrows its view, room is made for this much more, so that it does not do so again at once.
const AHEAD: f64 = 100.0;

/// How much stays in sight of the width of all events, or of the panel's where that is less, and of the height. So a quarter
/// of the drawing does, also where it is moved into a corner.
const KEPT: f64 = 2.0 / 3.0;

/// The panel's height changes by less than this when the key below it gets other lines, which moves nothing.
const LINES: f64 = 90.0;

/// A rectangle of a drawing: left, top, right, bottom.
type Area = (f64, f64, f64, f64);

/// Who moves the camera.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Camera {
    /// It moves by itself, and only when something new is out of sight; letters stay readable.
    #[default]
    Follow,
    /// The same, but all of the drawing is in sight.
    Whole,
    /// The reader.
    At(Place),
}

/// Where the drawing stands in its panel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// Pixels a drawing's pixel.
    pub scale: f64,
    /// Of the drawing's left border.
    pub x: f64,
    /// Of the drawing's upper border.
    pub y: f64,
}

/// What a camera knows of a drawing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extent {
    width: f64,
    /// With room for what the program lets expect.
    height: f64,
    /// Of what is drawn.
    drawn: f64,
    /// What it has ink on: less than its whole size, which has room around it.
    inked: Option<Area>,
    /// What is new in it.
    newest: Option<Area>,
    /// Its uppermost row.
    first: Option<Area>,
    /// The boxes of its events, without those that are cut from the graph.
    events: Vec<Area>,
    /// The same for all drawings of a program.
    program: u64,
}

/// Where an event is.
fn place_of(node: &Node) -> Area {
    let [x, y, width, height] = [node.x, node.y, node.width, node.height].map(f64::from);
    (x, y, x + width, y + height)
}

/// What several events take up, if there are any.
fn around(events: impl Iterator<Item = Area>) -> Option<Area> {
    events.reduce(|a, b| (a.0.min(b.0), a.1.min(b.1), a.2.max(b.2), a.3.max(b.3)))
}

/// Where some of a drawing's events are, if there are any.
fn area(drawing: &Drawing, which: impl Fn(&Node) -> bool) -> Option<Area> {
    around(drawing.nodes.iter().filter(|node| which(node)).map(place_of))
}

/// The points of an SVG path, control points included.
pub fn points(path: &str) -> Vec<(f64, f64)> {
    let mut numbers =
        path.split(|c: char| c.is_ascii_alphabetic() || c == ' ').filter_map(|number| number.parse().ok());
    std::iter::from_fn(|| Some((numbers.next()?, numbers.next()?))).collect()
}

/// Where a drawing has events, titles, labels and edges. A curve does not leave the hull of its points.
fn inked(drawing: &Drawing) -> Option<Area> {
    let around_point = |(x, y): (f64, f64)| (x, y, x, y);
    let titles = drawing.columns.iter().map(|column| (column.x, column.y, column.x + column.width, column.y));
    let labels = drawing.edges.iter().filter_map(|edge| edge.label.as_ref()).map(|label| {
        let (across, along) = (label.width / 2.0, label.height / 2.0);
        (label.x - across, label.y - along, label.x + across, label.y + along)
    });
    let boxes = titles
        .chain(labels)
        .map(|(left, top, right, bottom)| (f64::from(left), f64::from(top), f64::from(right), f64::from(bottom)));
    let curves = drawing.edges.iter().flat_map(|edge| points(&edge.path)).map(around_point);
    around(drawing.nodes.iter().map(place_of).chain(boxes).chain(curves))
}

/// How large a drawing is, and what is new in it.
pub fn size(drawing: &Drawing) -> Extent {
    let new = [Mark::Newest, Mark::Revisiting, Mark::Read, Mark::Placed, Mark::InCycle, Mark::Present];
    let highest = drawing.nodes.iter().map(|node| node.y).fold(f32::INFINITY, f32::min);
    let lowest = drawing.nodes.iter().map(|node| node.y + node.height).fold(0.0, f32::max);
    let mut program = DefaultHasher::new();
    drawing.rows.hash(&mut program);
    for column in &drawing.columns {
        column.title.hash(&mut program);
        column.x.to_bits().hash(&mut program);
    }
    Extent {
        width: f64::from(drawing.width),
        height: f64::from(drawing.height),
        drawn: (f64::from(lowest) + BELOW).min(f64::from(drawing.height)),
        inked: inked(drawing),
        newest: area(drawing, |node| node.marks.iter().any(|mark| new.contains(mark))),
        first: area(drawing, |node| node.y <= highest),
        events: drawing.nodes.iter().filter(|node| !node.ghost).map(place_of).collect(),
        program: program.finish(),
    }
}

/// The same, where what is new are the ends of some edges, if there are any.
pub fn size_lit(drawing: &Drawing, lit: &[EdgeKey]) -> Extent {
    let newest = area(drawing, |node| lit.iter().any(|edge| edge.from == node.key || edge.to == node.key));
    let extent = size(drawing);
    Extent { newest: newest.or(extent.newest), ..extent }
}

/// The drawing's place and the panel's size; controls and keys move it.
#[derive(Clone, Copy)]
pub struct Stage {
    camera: RwSignal<Camera>,
    /// The panel's width and height.
    pub panel: RwSignal<(f64, f64)>,
    extent: Memo<Option<Extent>>,
    seen: Memo<Seen>,
}

/// How large a drawing is shown by itself.
#[derive(Clone, Copy, Debug)]
struct Fit {
    /// Letters are as large at least, in pixels.
    readable: f64,
    /// It has the panel between the program and the words for itself.
    alone: bool,
}

/// A place, and what it was made for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Seen {
    place: Place,
    /// The program, the panel's width, the largest scale and the camera: if one of them is another, all is seen afresh.
    of: Option<(u64, f64, f64, bool)>,
    /// The panel's height that it was made for.
    height: f64,
    /// It follows from the place before, rather than being seen afresh.
    glides: bool,
}

impl Stage {
    /// A stage of a drawing that has a map: the camera goes to what is new in it.
    pub fn mapped(around: Around, extent: impl Fn() -> Option<Extent> + Send + Sync + 'static) -> Self {
        Self::make(around, 1.8, Fit { readable: READABLE, alone: true }, extent)
    }

    /// The same in a lab, `largest` times as large as it is at most.
    pub fn beside(largest: f64, extent: impl Fn() -> Option<Extent> + Send + Sync + 'static) -> Self {
        Self::make(Around::get(), largest, Fit { readable: READABLE_BESIDE, alone: false }, extent)
    }

    fn make(
        around: Around,
        largest: f64,
        fit: Fit,
        extent: impl Fn() -> Option<Extent> + Send + Sync + 'static,
    ) -> Self {
        let camera = RwSignal::new(Camera::default());
        let panel = RwSignal::new((0.0, 0.0));
        let extent = Memo::new(move |_| extent());
        let seen = Memo::new(move |before: Option<&Seen>| {
            let extent = extent.get().unwrap_or_default();
            let (width, height) = panel.get();
            // Where the drawing or its panel is another one, too.
            let kept = |place: Place| keep(place, None, &extent, (width, height));
            let whole = match camera.get() {
                Camera::At(place) => return Seen { place: kept(place), ..Seen::default() },
                Camera::Follow => false,
                Camera::Whole => true,
            };
            let scale = around.scale.get();
            let largest = if around.afar.get() { LECTURE } else { largest * scale };
            let of = Some((extent.program, width, largest, whole));
            let before = before.filter(|before| before.of == of && (before.height - height).abs() < LINES);
            // It may be out of sight because it has grown, or because its panel has shrunk.
            let all = (0.0, 0.0, extent.width, extent.drawn);
            let grown = before.is_some_and(|before| !in_sight(all, before.place, (width, before.height), 0.0));
            // Two graphs beside counts are lower than one alone, but the last row is as far away.
            let alone = if fit.alone { height } else { height.max(ALONE * window_height()) };
            // Half of a lab is as narrow as a telephone, but held no closer than the whole.
            let across = if fit.alone { width } else { width.max(window_width().min(TELEPHONE)) };
            let scales = Scales::of((across, alone), fit.readable, largest, around.afar.get());
            let place = kept(follow(before.map(|before| before.place), &extent, (width, height), scales, grown, whole));
            let height = before.filter(|before| before.place == place).map_or(height, |before| before.height);
            Seen { place, of, height, glides: before.is_some() }
        });
        Self { camera, panel, extent, seen }
    }

    /// Where the drawing stands.
    pub fn place(self) -> Place {
        self.seen.get().place
    }

    /// Whether the camera goes smoothly to where it stands.
    pub fn glides(self) -> bool {
        self.seen.get().glides
    }

    /// How large the drawing is, without the room for what is still to come.
    pub fn size(self) -> (f64, f64) {
        self.extent.get().map_or((1.0, 1.0), |extent| (extent.width, extent.drawn))
    }

    /// Whether all of the drawing is in sight.
    pub fn shows_all(self) -> bool {
        let (width, height) = self.size();
        let inked = self.extent.with(|extent| extent.as_ref().and_then(|extent| extent.inked));
        in_sight(inked.unwrap_or((0.0, 0.0, width, height)), self.place(), self.panel.get(), 0.0)
    }

    /// Lets the camera move by itself again.
    pub fn fit(self) {
        self.camera.set(Camera::Follow);
    }

    /// Shows everything, however small.
    pub fn whole(self) {
        self.camera.set(Camera::Whole);
    }

    /// Zooms in the middle of the panel.
    pub fn zoom_in(self) {
        self.zoom_by(ZOOM);
    }

    /// Zooms out of the middle of the panel.
    pub fn zoom_out(self) {
        self.zoom_by(1.0 / ZOOM);
    }

    fn zoom_by(self, factor: f64) {
        let (width, height) = self.panel.get_untracked();
        self.zoom_at(factor, width / 2.0, height / 2.0);
    }

    /// Zooms in a point of the panel.
    pub fn zoom_at(self, factor: f64, at_x: f64, at_y: f64) {
        let Place { scale, x, y } = untrack(|| self.place());
        let next = (scale * factor).clamp(SCALES.0, SCALES.1);
        let factor = next / scale;
        self.put(Place { scale: next, x: at_x - (at_x - x) * factor, y: at_y - (at_y - y) * factor }, None);
    }

    /// Moves the drawing.
    pub fn pan(self, dx: f64, dy: f64) {
        let from = untrack(|| self.place());
        self.put(Place { x: from.x + dx, y: from.y + dy, ..from }, Some(from));
    }

    /// Brings a point of the drawing to the middle of the panel.
    pub fn centre(self, x: f64, y: f64) {
        let scale = untrack(|| self.place()).scale;
        let (width, height) = self.panel.get_untracked();
        self.put(Place { scale, x: width / 2.0 - x * scale, y: height / 2.0 - y * scale }, None);
    }

    /// The reader wants it there, on the way from another place. Nothing else moves it for the reader.
    fn put(self, wanted: Place, from: Option<Place>) {
        let panel = self.panel.get_untracked();
        let kept = self.extent.with_untracked(|extent| Some(keep(wanted, from, extent.as_ref()?, panel)));
        self.camera.set(Camera::At(kept.unwrap_or(wanted)));
    }
}

fn window_width() -> f64 {
    window().inner_width().ok().and_then(|width| width.as_f64()).unwrap_or_default()
}

fn window_height() -> f64 {
    window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default()
}

/// Scale and place of a drawing that is all in sight: in the middle, but not lower than the upper part of a tall panel.
fn fit((width, height): (f64, f64), (panel_width, panel_height): (f64, f64), largest: f64) -> Place {
    let margin = if panel_width < TELEPHONE { MARGIN_CLOSE } else { MARGIN };
    let room = |panel: f64, drawing: f64| (panel - 2.0 * margin).max(1.0) / drawing.max(1.0);
    let scale = room(panel_width, width).min(room(panel_height, height)).clamp(SCALES.0, largest);
    let x = (panel_width - width * scale) / 2.0;
    let y = ((panel_height - height * scale) / 2.0).clamp(0.0, LOWEST);
    Place { scale, x, y }
}

/// Whether a part of a drawing is in the panel, as far from its borders.
fn in_sight(area: Area, place: Place, panel: (f64, f64), margin: f64) -> bool {
    let Place { scale, x, y } = place;
    let (left, top, right, bottom) = (area.0 * scale + x, area.1 * scale + y, area.2 * scale + x, area.3 * scale + y);
    left >= margin - 1.0 && top >= margin - 1.0 && right <= panel.0 - margin + 1.0 && bottom <= panel.1 - margin + 1.0
}

/// The place next to the `wanted` one at which enough of a drawing is in sight, and an event: all of its box, or at least half
/// a panel of it. A way that leads into a gap between events that is wider than the panel goes on at the next event ahead, or
/// nobody could cross the gap.
fn keep(wanted: Place, from: Option<Place>, extent: &Extent, panel: (f64, f64)) -> Place {
    let Place { scale, .. } = wanted;
    // Another view is shown, and this one will be again.
    if panel.0 <= 0.0 || panel.1 <= 0.0 {
        return wanted;
    }
    // Where the drawing's border may be in one direction, so that as many pixels of a part are in sight.
    let range = |low: f64, high: f64, panel: f64, least: f64| (least - high * scale, panel - least - low * scale);
    let into = |at: f64, (low, high): (f64, f64)| at.min(high).max(low);
    let (left, top, right, bottom) =
        around(extent.events.iter().copied()).unwrap_or((0.0, 0.0, extent.width, extent.drawn));
    let most = |low: f64, high: f64, panel: f64| range(low, high, panel, KEPT * ((high - low) * scale).min(panel));
    let all = (most(left, right, panel.0), most(top, bottom, panel.1));
    let target = Place { scale, x: into(wanted.x, all.0), y: into(wanted.y, all.1) };
    let one = |low: f64, high: f64, panel: f64, all: (f64, f64)| {
        let one = range(low, high, panel, ((high - low) * scale).min(panel / 2.0));
        (one.0.max(all.0), one.1.min(all.1))
    };
    let from = from.unwrap_or(target);
    let (dx, dy) = (target.x - from.x, target.y - from.y);
    let way = dx * dx + dy * dy;
    // Whether the nearest place is less than half of the way from where it was.
    let mut stuck = false;
    let (mut nearest, mut ahead) = ((f64::INFINITY, target), (f64::INFINITY, target));
    for &(left, top, right, bottom) in &extent.events {
        let x = into(target.x, one(left, right, panel.0, all.0));
        let y = into(target.y, one(top, bottom, panel.1, all.1));
        let next = ((x - target.x).powi(2) + (y - target.y).powi(2), Place { scale, x, y });
        let along = (x - from.x) * dx + (y - from.y) * dy;
        let across = (x - from.x) * dy - (y - from.y) * dx;
        if next.0 < nearest.0 {
            nearest = next;
            stuck = along < way / 2.0;
        }
        if next.0 < ahead.0 && along > way && along >= across.abs() {
            ahead = next;
        }
    }
    if stuck && ahead.0.is_finite() { ahead.1 } else { nearest.1 }
}

/// How large a drawing may be.
#[derive(Clone, Copy, Debug)]
struct Scales {
    /// So that it is readable.
    least: f64,
    /// At least as large if there is room.
    wanted: f64,
    largest: f64,
}

impl Scales {
    fn of((width, height): (f64, f64), readable: f64, largest: f64, lecture: bool) -> Self {
        let of_letters = |pixels: f64| (pixels / f64::from(FONT_SIZE)).min(largest);
        let least = of_letters(if width < TELEPHONE { READABLE_CLOSE } else { readable });
        let wanted = if lecture { of_letters(READABLE_AFAR * height).max(least) } else { least };
        Self { least, wanted, largest }
    }
}

/// Where a drawing stands that the reader has not moved, if it stood at `before`: there, as long as all of it or at least
/// what is new is in sight; else where it fits, with what is still to come if there is room, and room for more if it has
/// `grown`; and where it would not be readable, moved as little as need be to have in sight what is new, or at first its
/// first events.
fn follow(
    before: Option<Place>,
    extent: &Extent,
    panel: (f64, f64),
    Scales { least, wanted, largest }: Scales,
    grown: bool,
    whole: bool,
) -> Place {
    let all = (0.0, 0.0, extent.width, extent.drawn);
    if let Some(before) = before.filter(|before| in_sight(all, *before, panel, 0.0)) {
        return before;
    }
    let heights = [extent.height.max(extent.drawn + AHEAD), extent.height, extent.drawn + AHEAD, extent.drawn];
    let fitted = heights.map(|height| fit((extent.width, height), panel, largest));
    let choice = &fitted[usize::from(!grown)..];
    let wanted = wanted.min(fitted[3].scale).max(least);
    let large = |scale: f64| choice.iter().find(|place| place.scale >= scale);
    if let Some(readable) = large(wanted).or_else(|| large(least)) {
        return *readable;
    }
    if whole {
        return fitted[if grown { 2 } else { 3 }];
    }
    let start = || Place { scale: least, x: ((panel.0 - extent.width * least) / 2.0).max(0.0), y: 0.0 };
    let place = before.filter(|before| before.scale <= least).unwrap_or_else(start);
    // Nothing may be new, but where all is seen afresh, events are in sight.
    let wanted = extent.newest.or(extent.first.filter(|_| before.is_none()));
    let Some(wanted) = wanted.filter(|wanted| !in_sight(*wanted, place, panel, MARGIN)) else { return place };
    // Further than need be by a third of the panel, so that the next steps find it in sight.
    let shift = |low: f64, high: f64, panel: f64, size: f64, at: f64| {
        let by = if low < MARGIN {
            MARGIN + panel / 3.0 - low
        } else if high > panel - MARGIN {
            (panel - MARGIN - panel / 3.0 - high).max(MARGIN - low)
        } else {
            0.0
        };
        // But not beyond the drawing's borders; below there may be room for what is to come.
        (at + by).min(0.0f64.max(at)).max((panel - size).min(at))
    };
    let Place { scale, x, y } = place;
    let on = |at: f64, by: f64| at * scale + by;
    Place {
        scale,
        x: shift(on(wanted.0, x), on(wanted.2, x), panel.0, extent.width * scale, x),
        y: shift(on(wanted.1, y), on(wanted.3, y), panel.1, extent.drawn * scale + panel.1 / 3.0, y),
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    const PANEL: (f64, f64) = (600.0, 400.0);

    /// Nobody lectures, and what is out of sight has grown.
    fn follow(before: Option<Place>, extent: &Extent, panel: (f64, f64), largest: f64, whole: bool) -> Place {
        super::follow(before, extent, panel, Scales::of(panel, READABLE, largest, false), before.is_some(), whole)
    }

    fn extent(width: f64, height: f64, newest: Option<Area>) -> Extent {
        Extent { width, height, drawn: height, inked: None, newest, first: None, events: Vec::new(), program: 1 }
    }

    #[test]
    fn a_drawing_fits_its_panel() {
        let place = fit((1000.0, 500.0), (524.0, 800.0), 1.35);
        assert_eq!((place.scale, place.x), (0.5, 12.0));
        assert!(place.y <= 36.0);
        assert_eq!(fit((10.0, 10.0), (500.0, 500.0), 1.35).scale, 1.35);
        assert!(fit((10.0, 10.0), (0.0, 0.0), 1.35).scale > 0.0);
    }

    #[test]
    fn points_of_a_path_are_read() {
        assert_eq!(
            points("M1.5 2L3 -4C5 6 7 8 9 10.25"),
            [(1.5, 2.0), (3.0, -4.0), (5.0, 6.0), (7.0, 8.0), (9.0, 10.25)]
        );
        assert_eq!(points(""), []);
    }

    #[test]
    fn nothing_moves_while_it_is_in_sight() {
        let first = follow(None, &extent(500.0, 300.0, None), PANEL, 1.35, false);
        let smaller = follow(Some(first), &extent(500.0, 200.0, Some((0.0, 0.0, 9.0, 9.0))), PANEL, 1.35, false);
        assert_eq!(first, smaller);
        // What outgrows the view gets room for more than it needs.
        let larger = follow(Some(first), &extent(500.0, 350.0, None), PANEL, 1.35, false);
        assert!(larger.scale < first.scale);
        assert_eq!(follow(Some(larger), &extent(500.0, 440.0, None), PANEL, 1.35, false), larger);
    }

    #[test]
    fn what_is_new_is_brought_into_sight_in_readable_letters() {
        let mut place = follow(None, &extent(500.0, 300.0, None), PANEL, 1.35, false);
        let mut moves = 0;
        for row in 1..40 {
            let y = 30.0 * f64::from(row);
            let newest = (200.0, y, 260.0, y + 22.0);
            let next = follow(Some(place), &extent(500.0, f64::max(300.0, y + 40.0), Some(newest)), PANEL, 1.35, false);
            assert!(next.scale * 14.0 >= 10.99, "{next:?}");
            assert!(in_sight(newest, next, PANEL, 0.0), "{next:?} {newest:?}");
            moves += usize::from(next != place);
            place = next;
        }
        assert!(moves < 10, "{moves}");
    }

    #[test]
    fn what_is_new_or_else_the_first_events_are_in_sight_at_first() {
        let first = Some((1400.0, 40.0, 1450.0, 62.0));
        let wide = |newest| Extent { first, ..extent(3000.0, 120.0, newest) };
        let start = follow(None, &wide(None), PANEL, 1.35, false);
        assert!(start.scale * 14.0 >= 10.99 && start.x < 0.0, "{start:?}");
        assert!(in_sight((1400.0, 40.0, 1450.0, 62.0), start, PANEL, MARGIN), "{start:?}");
        let newest = (20.0, 60.0, 70.0, 82.0);
        assert!(in_sight(newest, follow(None, &wide(Some(newest)), PANEL, 1.35, false), PANEL, 0.0));
        // Later on, only what is new moves it.
        let there = follow(Some(start), &wide(Some(newest)), PANEL, 1.35, false);
        assert!(in_sight(newest, there, PANEL, 0.0), "{there:?}");
        assert_eq!(follow(Some(there), &wide(None), PANEL, 1.35, false), there);
        // A row that is wider than the panel is seen from its left.
        let row = Extent { first: Some((40.0, 10.0, 2900.0, 32.0)), ..extent(3000.0, 120.0, None) };
        let place = follow(None, &row, PANEL, 1.35, false);
        assert!(40.0 * place.scale + place.x >= 0.0, "{place:?}");
    }

    #[test]
    fn the_whole_is_shown_however_small() {
        let huge = extent(3000.0, 9000.0, None);
        let place = follow(None, &huge, PANEL, 1.35, true);
        assert!(place.scale < 0.11);
        assert!(follow(None, &huge, PANEL, 1.35, false).scale > 0.7);
    }

    #[test]
    fn a_panel_that_shrinks_makes_no_room_for_more() {
        let extent = extent(500.0, 300.0, None);
        let first = follow(None, &extent, PANEL, 1.35, false);
        let smaller = (600.0, 350.0);
        let scales = Scales::of(smaller, READABLE, 1.35, false);
        let place = super::follow(Some(first), &extent, smaller, scales, false, false);
        assert_eq!(place, super::follow(None, &extent, smaller, scales, false, false));
        assert!(place.scale > super::follow(Some(first), &extent, smaller, scales, true, false).scale);
    }

    #[test]
    fn a_lecture_shows_what_is_there_in_large_letters() {
        let extent = Extent { drawn: 300.0, ..extent(300.0, 900.0, None) };
        let panel = (1000.0, 840.0);
        let near = super::follow(None, &extent, panel, Scales::of(panel, READABLE, 4.0, false), false, false);
        let afar = super::follow(None, &extent, panel, Scales::of(panel, READABLE, 4.0, true), false, false);
        assert!(near.scale < 1.0 && afar.scale * 14.0 >= 24.0, "{near:?} {afar:?}");
    }

    /// Of two parts of a line, how long what they share is.
    fn overlap(low: f64, high: f64, panel: f64) -> f64 {
        (high.min(panel) - low.max(0.0)).max(0.0)
    }

    /// How much of what all events take up is in sight, of what could be.
    fn share(extent: &Extent, Place { scale, x, y }: Place, panel: (f64, f64)) -> f64 {
        let all = around(extent.events.iter().copied()).unwrap_or((0.0, 0.0, extent.width, extent.drawn));
        let share = |low: f64, high: f64, panel: f64| overlap(low, high, panel) / (high - low).min(panel);
        share(all.0 * scale + x, all.2 * scale + x, panel.0) * share(all.1 * scale + y, all.3 * scale + y, panel.1)
    }

    /// Whether all of an event is in sight, or in each direction half a panel of it.
    fn sees(&(left, top, right, bottom): &Area, Place { scale, x, y }: Place, panel: (f64, f64)) -> bool {
        let sees = |low: f64, high: f64, panel: f64| overlap(low, high, panel) >= (high - low).min(panel / 2.0) - 1e-6;
        sees(left * scale + x, right * scale + x, panel.0) && sees(top * scale + y, bottom * scale + y, panel.1)
    }

    fn with_events(width: f64, height: f64, events: &[Area]) -> Extent {
        Extent { events: events.to_vec(), ..extent(width, height, None) }
    }

    #[test]
    fn a_hundred_moves_leave_an_event_and_a_quarter_in_sight() {
        let extent = with_events(500.0, 300.0, &[(20.0, 30.0, 80.0, 52.0), (200.0, 250.0, 260.0, 272.0)]);
        for (dx, dy) in [(60.0, 0.0), (-60.0, 0.0), (0.0, 60.0), (0.0, -60.0), (60.0, -60.0), (-60.0, 60.0)] {
            for scale in [0.2, 1.0, 6.0] {
                let mut place = keep(Place { scale, x: 0.0, y: 0.0 }, None, &extent, PANEL);
                for _ in 0..100 {
                    place = keep(Place { scale, x: place.x + dx, y: place.y + dy }, Some(place), &extent, PANEL);
                    assert!(share(&extent, place, PANEL) >= 0.25, "{place:?}");
                    assert!(extent.events.iter().any(|event| sees(event, place, PANEL)), "{place:?}");
                }
            }
        }
    }

    #[test]
    fn a_way_goes_on_beyond_a_gap_that_is_wider_than_the_panel() {
        let extent = with_events(1000.0, 60.0, &[(20.0, 20.0, 80.0, 42.0), (900.0, 20.0, 960.0, 42.0)]);
        let [first, last] = [&extent.events[0], &extent.events[1]];
        let mut place = keep(Place { scale: 3.0, x: 0.0, y: 0.0 }, None, &extent, PANEL);
        let go = |place: Place, dx: f64| keep(Place { x: place.x + dx, ..place }, Some(place), &extent, PANEL);
        assert!(sees(first, place, PANEL));
        for _ in 0..60 {
            place = go(place, -60.0);
        }
        assert!(sees(last, place, PANEL), "{place:?}");
        for _ in 0..60 {
            place = go(place, 60.0);
        }
        assert!(sees(first, place, PANEL), "{place:?}");
        // At the border it stays.
        assert_eq!(go(place, 60.0), place);
    }

    #[test]
    fn a_drawing_without_events_is_kept_too() {
        let place = keep(Place { scale: 1.0, x: 9e9, y: -9e9 }, None, &extent(500.0, 300.0, None), PANEL);
        assert_eq!((place.x, place.y), (600.0 - KEPT * 500.0, KEPT * 300.0 - 300.0));
        // Nothing is in sight of a panel that is not shown.
        let place = Place { scale: 1.0, x: 5.0, y: 5.0 };
        assert_eq!(keep(place, None, &extent(500.0, 300.0, None), (0.0, 0.0)), place);
    }

    /// A drawing with some events.
    fn drawings() -> impl Strategy<Value = Extent> {
        (100.0..4000.0, 60.0..4000.0, vec((0.0..1.0, 0.0..1.0, 20.0..100.0), 0..20)).prop_map(
            |(width, height, events): (f64, f64, Vec<(f64, f64, f64)>)| {
                let event = |(x, y, length): (f64, f64, f64)| {
                    let (x, y) = (x * (width - length), y * (height - 22.0));
                    (x, y, x + length, y + 22.0)
                };
                with_events(width, height, &events.into_iter().map(event).collect::<Vec<_>>())
            },
        )
    }

    /// Where a move is wanted to lead, from where it is.
    fn moves() -> impl Strategy<Value = Vec<(f64, f64, f64)>> {
        let far = prop_oneof![Just(0.0), Just(60.0), Just(-60.0), -40.0..40.0, -9000.0..9000.0];
        vec((far.clone(), far, prop_oneof![3 => Just(1.0), 1 => 0.1..10.0]), 1..60)
    }

    proptest! {
        #[test]
        fn whatever_moves_a_drawing_leaves_enough_in_sight(
            extent in drawings(),
            panel in (60.0..2000.0, 60.0..1200.0),
            moves in moves(),
        ) {
            let mut place = keep(Place { scale: 1.0, x: 0.0, y: 0.0 }, None, &extent, panel);
            for (dx, dy, factor) in moves {
                let scale = (place.scale * factor).clamp(SCALES.0, SCALES.1);
                let wanted = Place { scale, x: place.x + dx, y: place.y + dy };
                let from = (scale == place.scale).then_some(place);
                place = keep(wanted, from, &extent, panel);
                prop_assert!(share(&extent, place, panel) >= 0.25, "{place:?}");
                let seen = extent.events.iter().any(|event| sees(event, place, panel));
                prop_assert!(seen || extent.events.is_empty(), "{place:?}");
                // What is in sight stays where it is.
                prop_assert_eq!(keep(place, None, &extent, panel), place);
                prop_assert_eq!(keep(place, Some(place), &extent, panel), place);
            }
        }

        #[test]
        fn every_event_can_be_brought_into_sight(
            extent in drawings(),
            panel in (60.0..2000.0, 60.0..1200.0),
            scale in SCALES.0..SCALES.1,
        ) {
            for event in &extent.events {
                let middle = ((event.0 + event.2) / 2.0, (event.1 + event.3) / 2.0);
                let wanted = Place { scale, x: panel.0 / 2.0 - middle.0 * scale, y: panel.1 / 2.0 - middle.1 * scale };
                prop_assert!(sees(event, keep(wanted, None, &extent, panel), panel));
            }
        }
    }
}

//! The drawing of the graph: what moves and what does not, what is in sight, and the map.

use crate::beside::TWO_GRAPHS;
use crate::page::{Page, STORE_BUFFERING, settings};
use fantoccini::key::Key;
use litmoscope::explore::{ExecutionKind, Step};
use litmoscope::model::Model;
use litmoscope::session::{Session, Settings, link};
use serde_json::{Value, json};

/// Four threads of twelve events each.
const FOUR_BY_TWELVE: &str = include_str!("../../programs/four-by-twelve.lit");

/// Five threads of twelve events each.
fn sixty() -> String {
    let thread = |t: usize| {
        let pair =
            |i: usize| format!("{} := {}; r{t}_{i} := {}", ["x", "y", "z"][(t + i) % 3], i + 1, ["y", "z", "x"][i % 3]);
        (0..6).map(pair).collect::<Vec<_>>().join("; ")
    };
    (0..5).map(thread).collect::<Vec<_>>().join(" || ")
}

/// The settings of a program at its first complete execution.
fn complete(text: &str, model: Model) -> Settings {
    let mut session = Session::open(settings(text, model, 0)).expect("it is a program");
    while !matches!(session.step(), Some(Step::Execution { kind: ExecutionKind::Complete, .. })) {
        assert!(session.forward());
    }
    settings(text, model, session.position())
}

/// The page with a program at its first complete execution.
async fn at_complete(text: &str, model: Model) -> Page {
    let page = Page::open().await;
    page.go(&link::encode(&complete(text, model))).await;
    page
}

/// Scale, left and top of the drawing, in pixels, once the page has been told how large its panel is now.
async fn place(page: &Page) -> [f64; 3] {
    const PLACE: &str = "const done = arguments[arguments.length - 1];
        requestAnimationFrame(() => requestAnimationFrame(() => {
            const m = document.querySelector('#graph .camera').transform.baseVal.consolidate().matrix;
            done([m.a, m.e, m.f]);
        }))";
    let place = page.browser.execute_async(PLACE, vec![]).await.expect("frames are drawn");
    serde_json::from_value(place).expect("three numbers")
}

/// Whether all nodes are wholly in the panel.
const ALL_IN_SIGHT: &str = "const panel = document.querySelector('#stage').getBoundingClientRect();
    return [...document.querySelectorAll('#graph .node')].filter(node => {
        const box = node.querySelector('.box').getBoundingClientRect();
        return box.left < panel.left - 1 || box.right > panel.right + 1 || box.top < panel.top - 1 || box.bottom > panel.bottom + 1;
    }).length === 0";

#[tokio::test]
async fn an_event_keeps_its_element_and_its_place() {
    const MARK: &str = "window.places = Object.fromEntries([...document.querySelectorAll('#graph .node')].map(node => {
            node.mark = node.dataset.event;
            return [node.dataset.event, node.getAttribute('transform')];
        }));
        return Object.keys(window.places).length";
    // What is drawn that was drawn before: how many are other elements, and how many stand elsewhere.
    const COMPARE: &str = "let others = 0, moved = 0, same = 0;
        for (const node of document.querySelectorAll('#graph .node')) {
            const before = window.places[node.dataset.event];
            if (before === undefined) continue;
            if (node.mark !== node.dataset.event) others++;
            if (before !== node.getAttribute('transform')) moved++; else same++;
        }
        return [others, moved, same]";
    let page = Page::open().await;
    page.type_program("x := 1 || a := x; y := 1 || b := y; c := x").await;
    let mut camera = place(&page).await;
    let (mut moved, mut same, mut views) = (0, 0, 0);
    for _ in 0..25 {
        page.browser.script(MARK, vec![]).await;
        page.click("#forward").await;
        page.browser.settled().await;
        let found: [u64; 3] =
            serde_json::from_value(page.browser.script(COMPARE, vec![]).await).expect("three numbers");
        assert_eq!(found[0], 0, "elements are made anew");
        (moved, same) = (moved + found[1], same + found[2]);
        let now = place(&page).await;
        (views, camera) = (views + u32::from(now != camera), now);
    }
    // Only reads that take another source, and what follows from them.
    assert!(same > 10 * moved, "{moved} {same}");
    // It has room for most of the exploration from the start.
    assert!(views <= 2, "the camera moves {views} times");
    page.nothing_complained().await;
}

#[tokio::test]
async fn changes_are_shown_by_movement_of_150_milliseconds_unless_that_is_off() {
    // Where the read of thread 0 goes to a lower source, it glides.
    const GLIDES: &str = "document.querySelector('#forward').click();
        const before = document.querySelectorAll('#graph .node').length;
        const found = new Set();
        const end = performance.now() + 120;
        while (performance.now() < end) {
            await new Promise(requestAnimationFrame);
            for (const animation of document.getAnimations()) {
                const of = animation.effect.target;
                if (of.closest?.('#graph')) found.add(`${animation.constructor.name} ${of.classList[0]} ${animation.effect.getTiming().duration}`);
            }
        }
        return [...found]";
    let script = format!("const done = arguments[arguments.length - 1]; (async () => {{ {GLIDES} }})().then(done)");
    let page = Page::open().await;
    let seen =
        |all: Vec<Value>| all.iter().any(|one| one.as_str().is_some_and(|one| one.contains("CSSTransition node 150")));
    let appears = |all: &[Value]| all.iter().any(|one| one.as_str().is_some_and(|one| one == "CSSAnimation node 150"));
    let run = async |steps: usize| {
        let mut all = Vec::new();
        for _ in 0..steps {
            let found = page.browser.execute_async(&script, vec![]).await.expect("the page runs scripts");
            all.extend(found.as_array().cloned().unwrap_or_default());
            page.browser.settled().await;
        }
        all
    };
    page.type_program("a := x || b := y; x := 1").await;
    let all = run(14).await;
    assert!(appears(&all), "{all:?}");
    assert!(seen(all.clone()), "{all:?}");
    // Not if the reader does not like it.
    page.press(&[Key::Escape, Key::Home]).await;
    page.press_char(',').await;
    page.browser.script("document.querySelector('[name=preferred-motion][value=off]').click()", vec![]).await;
    page.press(&[Key::Escape]).await;
    assert_eq!(run(14).await, Vec::<Value>::new());
    // Nor if the system does not.
    page.press_char(',').await;
    page.browser.script("document.querySelector('[name=preferred-motion][value=system]').click()", vec![]).await;
    page.press(&[Key::Escape, Key::Home]).await;
    let features = json!({ "features": [{ "name": "prefers-reduced-motion", "value": "reduce" }] });
    page.browser.devtools("Emulation.setEmulatedMedia", features).await;
    assert_eq!(run(14).await, Vec::<Value>::new());
    page.nothing_complained().await;
}

#[tokio::test]
async fn four_threads_of_twelve_events_are_readable_on_a_laptop() {
    let page = at_complete(FOUR_BY_TWELVE, Model::RA).await;
    assert_eq!(page.count("#graph .node").await, 4 * 12 + 3);
    let [scale, ..] = place(&page).await;
    assert!(scale * 14.0 >= 11.0, "letters of {} pixels", scale * 14.0);
    page.browser.wait_until(ALL_IN_SIGHT, vec![]).await;
    assert_eq!(page.count("#stage-map").await, 0);
    page.nothing_complained().await;
}

/// Room around a drawing may be out of sight: there is nothing to find.
#[tokio::test]
async fn there_is_no_map_of_what_is_in_sight() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../public/peterson.lit"));
    let mut session = Session::open(settings(&text.expect("it is in the gallery"), Model::TSO, 0)).expect("a program");
    session.run(u64::MAX);
    let page = Page::open().await;
    page.browser.resize(1280, 800).await;
    page.go(&session.link()).await;
    page.browser.wait_until(ALL_IN_SIGHT, vec![]).await;
    page.browser.wait_until("return !document.querySelector('#stage-map')", vec![]).await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn sixty_events_are_found_with_the_map_the_mouse_and_the_keyboard() {
    let page = at_complete(&sixty(), Model::RA).await;
    assert_eq!(page.count("#graph .node").await, 60 + 3);
    // Everything at first, on request.
    page.click("#zoom-fit").await;
    page.browser.wait_until("return !document.querySelector('#stage-map')", vec![]).await;
    let fit = place(&page).await;
    for _ in 0..4 {
        page.click("#zoom-in").await;
    }
    page.browser.wait_until("return !!document.querySelector('#stage-map')", vec![]).await;
    assert_eq!(page.browser.script(ALL_IN_SIGHT, vec![]).await, json!(false));
    // It has a box for each event and the frame of what is in sight.
    let boxes = page
        .browser
        .script("return document.querySelector('.map-events').getAttribute('d').match(/M/g).length", vec![])
        .await;
    assert_eq!(boxes, json!(63));
    let [stage, map] = [page.rectangle("#stage").await, page.rectangle("#stage-map").await];
    let frame = page.rectangle(".map-frame").await;
    assert!(frame[2] < 0.9 * map[2] && frame[3] < 0.9 * map[3], "{frame:?} {map:?}");
    assert!(map[0] >= stage[0] && map[1] >= stage[1] && map[0] + map[2] <= stage[0] + stage[2]);

    // A click in its lower right corner leads there, a drag back.
    let corner = (map[0] + map[2] - 3.0, map[1] + map[3] - 3.0);
    let held = json!({ "button": "left", "buttons": 1, "clickCount": 1 });
    let zoomed = place(&page).await;
    page.mouse("mousePressed", corner.0, corner.1, held.clone()).await;
    let there = place(&page).await;
    assert!(there[1] < zoomed[1] && there[2] < zoomed[2], "{zoomed:?} {there:?}");
    assert_eq!(there[0], zoomed[0]);
    page.mouse("mouseMoved", map[0] + 5.0, map[1] + 5.0, held.clone()).await;
    let back = place(&page).await;
    assert!(back[1] > there[1] && back[2] > there[2], "{there:?} {back:?}");
    page.mouse("mouseReleased", map[0] + 5.0, map[1] + 5.0, held).await;
    page.mouse("mouseMoved", corner.0, corner.1, json!({})).await;
    assert_eq!(place(&page).await, back);

    // The keyboard goes everywhere too.
    page.browser.script("document.querySelector('#stage').focus()", vec![]).await;
    page.press_shifted(Key::Right, 1).await;
    page.press_shifted(Key::Down, 1).await;
    let moved = place(&page).await;
    assert!((back[1] - moved[1] - 60.0).abs() < 0.1 && (back[2] - moved[2] - 60.0).abs() < 0.1, "{back:?} {moved:?}");
    page.press_char('-').await;
    assert!(place(&page).await[0] < moved[0]);
    page.press_char('0').await;
    assert_eq!(place(&page).await, fit);
    page.browser.wait_until(ALL_IN_SIGHT, vec![]).await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn arrow_keys_step_after_a_click_into_a_drawing() {
    const FOCUSED: &str = "return document.activeElement?.id";
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape, Key::Right, Key::Right]).await;
    page.click("#graph").await;
    assert_eq!(page.browser.script(FOCUSED, vec![]).await, json!("stage"));
    for (key, position) in [(Key::Right, "3"), (Key::Right, "4"), (Key::Left, "3"), (Key::Right, "4")] {
        page.press(&[key]).await;
        assert_eq!(page.text("#position").await, position, "{key:?}");
        assert_eq!(page.browser.script(ALL_IN_SIGHT, vec![]).await, json!(true));
    }
    // With Shift they move it, and make no step.
    let mut before = place(&page).await;
    for (key, dx, dy) in
        [(Key::Right, -60.0, 0.0), (Key::Left, 60.0, 0.0), (Key::Down, 0.0, -60.0), (Key::Up, 0.0, 60.0)]
    {
        page.press_shifted(key, 1).await;
        let now = place(&page).await;
        let moved = [now[1] - before[1] - dx, now[2] - before[2] - dy];
        assert!(moved.iter().all(|by| by.abs() < 0.1), "{key:?}: {before:?} {now:?}");
        before = now;
    }
    assert_eq!(page.text("#position").await, "4");
    // Elsewhere they lead to other executions, and texts and lists have their arrows.
    page.click("#legend").await;
    page.browser.script("document.activeElement.blur()", vec![]).await;
    page.press_shifted(Key::Right, 1).await;
    assert_eq!(page.text("#step-name").await, "complete");
    let position = page.text("#position").await;
    page.click("#editor").await;
    page.press(&[Key::Left, Key::Right, Key::Right]).await;
    page.press(&[Key::Escape]).await;
    page.click("#view-graph").await;
    page.press(&[Key::Right]).await;
    assert_eq!(page.browser.script(FOCUSED, vec![]).await, json!("view-time"));
    page.press(&[Key::Left]).await;
    assert_eq!(page.text("#position").await, position);

    // The same in the other drawings.
    page.press(&[Key::Escape]).await;
    page.click("#graph").await;
    page.press_char('h').await;
    page.browser.wait_until("return !!document.querySelector('#check-graph .node')", vec![]).await;
    page.press(&[Key::Home]).await;
    page.click("#check-graph").await;
    let first = page.text("#check-place").await;
    // The worker answers.
    let place_is =
        |sign: &str| format!("return document.querySelector('#check-place').textContent {sign} arguments[0]");
    page.press(&[Key::Right]).await;
    page.browser.wait_until(&place_is("!=="), vec![json!(first)]).await;
    page.press(&[Key::Left]).await;
    page.browser.wait_until(&place_is("==="), vec![json!(first)]).await;
    page.press_shifted(Key::Right, 100).await;
    page.sees("#check-stage", "a hundred keys").await;
    assert_eq!(page.text("#check-place").await, first);
    page.press_char('b').await;
    page.browser.wait_until(TWO_GRAPHS, vec![]).await;
    page.press(&[Key::Home]).await;
    for panel in ["left", "right"] {
        let where_both_are = async || [page.text("#left-position").await, page.text("#right-position").await];
        page.browser.wait_until(TWO_GRAPHS, vec![]).await;
        let before = where_both_are().await;
        page.click(&format!("#{panel}-graph")).await;
        page.press(&[Key::Right]).await;
        page.browser.wait_until(TWO_GRAPHS, vec![]).await;
        let after = where_both_are().await;
        assert!(before[0] != after[0] && before[1] != after[1], "{before:?} {after:?}");
        page.press_shifted(Key::Down, 100).await;
        page.sees(&format!("#{panel}-stage"), "a hundred keys").await;
        assert_eq!(where_both_are().await, after);
    }
    page.nothing_complained().await;
}

/// Tries to move the graph out of sight with everything that moves it.
async fn push_out_of_sight(page: &Page) {
    let [left, top, width, height] = page.rectangle("#stage").await;
    let (x, y) = (left + width / 2.0, top + height / 2.0);
    for key in [Key::Right, Key::Down, Key::Left, Key::Up, Key::Right] {
        page.press_shifted(key, 100).await;
        page.sees("#stage", &format!("{key:?}")).await;
    }
    let held = json!({ "button": "left", "buttons": 1, "clickCount": 1 });
    for (dx, dy) in [(-1.0, 0.0), (0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, -1.0), (1.0, -1.0)] {
        for _ in 0..2 {
            page.mouse("mousePressed", x, y, held.clone()).await;
            for way in [40.0, 1500.0] {
                page.mouse("mouseMoved", x + dx * way, y + dy * way, held.clone()).await;
            }
            page.mouse("mouseReleased", x + dx * 1500.0, y + dy * 1500.0, held.clone()).await;
        }
        page.sees("#stage", &format!("dragging {dx} {dy}")).await;
        page.mouse("mouseWheel", x, y, json!({ "deltaX": 9000.0 * dx, "deltaY": 9000.0 * dy })).await;
        page.sees("#stage", &format!("wheeling {dx} {dy}")).await;
    }
    if page.count("#stage-map").await > 0 {
        let [left, top, width, height] = page.rectangle("#stage-map").await;
        for (right, down) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.5, 0.5)] {
            let (x, y) = (left + 1.0 + right * (width - 2.0), top + 1.0 + down * (height - 2.0));
            page.mouse("mousePressed", x, y, held.clone()).await;
            page.mouse("mouseReleased", x, y, held.clone()).await;
            page.sees("#stage", &format!("the map at {right} {down}")).await;
        }
    }
}

#[tokio::test]
async fn nothing_moves_a_graph_out_of_sight_on_a_computer() {
    nothing_moves_a_graph_out_of_sight(1280, 800).await;
}

#[tokio::test]
async fn nothing_moves_a_graph_out_of_sight_on_a_telephone() {
    nothing_moves_a_graph_out_of_sight(390, 844).await;
}

async fn nothing_moves_a_graph_out_of_sight(width: u32, height: u32) {
    let page = Page::unopened().await;
    page.browser.resize(width, height).await;
    for text in [STORE_BUFFERING, &sixty()] {
        page.go(&link::encode(&complete(text, Model::RA))).await;
        page.click("#graph").await;
        let position = page.text("#position").await;
        for (zoom, times) in [('+', 0), ('-', 12), ('+', 30)] {
            page.press_often(zoom, times).await;
            page.sees("#stage", &format!("zooming by {zoom}, {times} times")).await;
            push_out_of_sight(&page).await;
        }
        assert_eq!(page.text("#position").await, position);
        // Steps that take events away, too.
        page.press(&[Key::Home, Key::Right, Key::Right]).await;
        page.sees("#stage", "going to the start").await;
    }
    page.nothing_complained().await;
}

#[tokio::test]
async fn what_is_new_is_in_sight_and_readable_while_a_large_graph_grows() {
    const NEW_IN_SIGHT: &str = "const panel = document.querySelector('#stage').getBoundingClientRect();
        const camera = document.querySelector('#graph .camera').transform.baseVal.consolidate().matrix;
        return [...document.querySelectorAll('#graph .node.mark-newest')].every(node => {
            const at = node.transform.baseVal.consolidate().matrix;
            const [x, y] = [at.e * camera.a + camera.e, at.f * camera.a + camera.f];
            return x >= 0 && y >= 0 && x <= panel.width && y <= panel.height;
        })";
    let page = Page::open().await;
    page.go(&link::encode(&settings(&sixty(), Model::RA, 0))).await;
    let mut cameras = vec![place(&page).await];
    for _ in 0..100 {
        page.click("#forward").await;
        page.browser.settled().await;
        assert_eq!(page.browser.script(NEW_IN_SIGHT, vec![]).await, json!(true));
        let now = place(&page).await;
        assert!(now[0] * 14.0 >= 10.99);
        if cameras.last() != Some(&now) {
            cameras.push(now);
        }
    }
    assert!(cameras.len() < 12, "{cameras:?}");
    page.nothing_complained().await;
}

#[tokio::test]
async fn on_a_telephone_the_map_covers_no_control() {
    let page = Page::open().await;
    page.browser.resize(390, 844).await;
    page.go(&link::encode(&complete(&sixty(), Model::RA))).await;
    page.press_often('+', 3).await;
    page.browser.wait_until("return !!document.querySelector('#stage-map')", vec![]).await;
    let map = page.rectangle("#stage-map").await;
    for control in ["#zoom-in", "#zoom-out", "#zoom-fit", "#legend", "#forward", "#back"] {
        let other = page.rectangle(control).await;
        let apart = map[0] + map[2] <= other[0]
            || other[0] + other[2] <= map[0]
            || map[1] + map[3] <= other[1]
            || other[1] + other[3] <= map[1];
        assert!(apart, "{control}: {map:?} {other:?}");
    }
    let stage = page.rectangle("#stage").await;
    assert!(map[2] * map[3] < 0.12 * stage[2] * stage[3], "{map:?} {stage:?}");
    // There is no room for it in a small page within another one.
    page.browser.resize(280, 260).await;
    page.browser.wait_until("return !document.querySelector('#stage-map')", vec![]).await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_cycle_is_red_on_the_map() {
    let page = Page::open().await;
    page.go(&link::encode(&settings(STORE_BUFFERING, Model::SC, 0))).await;
    for _ in 0..60 {
        page.click("#forward").await;
        page.browser.settled().await;
        if page.count("#graph .edge.in-cycle").await > 0 {
            break;
        }
    }
    assert_eq!(page.count("#graph .edge.in-cycle").await, 4);
    for _ in 0..4 {
        page.press_char('+').await;
    }
    page.browser.wait_until("return !!document.querySelector('#stage-map')", vec![]).await;
    const RED: &str = "return [document.querySelector('.map-cycle').getAttribute('d').match(/M/g).length,
        document.querySelector('.map-edges').getAttribute('d').match(/M/g).length]";
    assert_eq!(page.browser.script(RED, vec![]).await, json!([4, 4]));
    page.nothing_complained().await;
}

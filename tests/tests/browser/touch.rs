//! Fingers on the graph.

use crate::beside::TWO_GRAPHS;
use crate::page::{Page, STORE_BUFFERING, settings};
use litmoscope::model::Model;
use litmoscope::session::link::encode;
use serde_json::json;

/// Scale, left and top of the drawing, in pixels of the window.
async fn place(page: &Page, graph: &str) -> [f64; 3] {
    const PLACE: &str = "const svg = document.querySelector(arguments[0]);
        const m = svg.querySelector('.camera').transform.baseVal.consolidate().matrix;
        const corner = svg.getBoundingClientRect();
        return [m.a, m.e + corner.left, m.f + corner.top]";
    let place = page.browser.script(PLACE, vec![json!(graph)]).await;
    serde_json::from_value(place).expect("three numbers")
}

/// Two fingers go apart, from a point between them to another one.
async fn pinch(page: &Page, (x, y): (f64, f64), (dx, dy): (f64, f64), from: f64, to: f64) {
    let at = |step: f64| {
        let (x, y, apart) = (x + dx * step, y + dy * step, from + (to - from) * step);
        [(0, x - apart, y - apart / 2.0), (1, x + apart, y + apart / 2.0)]
    };
    page.touch("touchStart", &at(0.0)[..1]).await;
    page.touch("touchStart", &at(0.0)).await;
    for step in 1..=10 {
        page.touch("touchMove", &at(f64::from(step) / 10.0)).await;
    }
    page.touch("touchEnd", &at(1.0)[1..]).await;
    page.touch("touchEnd", &[]).await;
}

async fn phone() -> Page {
    let page = Page::open().await;
    page.browser.devtools("Emulation.setTouchEmulationEnabled", json!({ "enabled": true, "maxTouchPoints": 3 })).await;
    let size = json!({ "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true });
    page.browser.devtools("Emulation.setDeviceMetricsOverride", size).await;
    page
}

fn near(a: f64, b: f64, by: f64) -> bool {
    (a - b).abs() <= by
}

/// Who has no keys is told of none.
#[tokio::test]
async fn the_page_names_no_keys_to_fingers() {
    let page = phone().await;
    page.go(&encode(&settings(STORE_BUFFERING, Model::SC, 0))).await;
    let first = page.text("#explanation").await;
    assert!(first.ends_with("The arrow above the drawing makes the first step of the algorithm."), "{first}");
    page.go("#tour=store-buffering:9").await;
    page.browser.wait_until("return !!document.querySelector('#lecture-place')", vec![]).await;
    assert!(!page.text("#notice").await.contains("Page down"));
    for _ in 0..20 {
        page.click("#lecture-on").await;
        page.browser.settled().await;
        if page.text("#notice").await.contains("last scene") {
            break;
        }
    }
    assert_eq!(page.text("#notice").await, "This is the last scene.");
    page.nothing_complained().await;
}

/// A telephone's keys would cover the answer.
#[tokio::test]
async fn an_answer_is_not_covered_by_keys() {
    let page = phone().await;
    page.go(&encode(&settings(STORE_BUFFERING, Model::SC, 0))).await;
    page.browser.script("document.querySelector('[data-command=open-why]').click()", vec![]).await;
    page.browser.wait_until("return !!document.querySelector('#why-verdict')", vec![]).await;
    page.next_frame().await;
    assert_ne!(page.browser.script("return document.activeElement.id", vec![]).await, json!("why-question"));
    page.nothing_complained().await;
}

#[tokio::test]
async fn two_fingers_zoom_the_graph() {
    let page = phone().await;
    page.go(&encode(&settings(STORE_BUFFERING, Model::SC, 9))).await;
    let [_, _, width, height] = page.rectangle("#graph").await;
    let (x, y) = page.middle("#graph").await;
    assert!(width > 200.0 && height > 150.0, "{width} {height}");
    let [scale, left, top] = place(&page, "#graph").await;
    // What lies between the fingers stays there, wherever they go.
    let (dx, dy) = (20.0, 30.0);
    pinch(&page, (x, y), (dx, dy), 40.0, 80.0).await;
    page.browser.settled().await;
    let [larger, new_left, new_top] = place(&page, "#graph").await;
    assert!(near(larger / scale, 2.0, 0.05), "{scale} {larger}");
    assert!(near((x - left) / scale, (x + dx - new_left) / larger, 2.0), "{left} {new_left}");
    assert!(near((y - top) / scale, (y + dy - new_top) / larger, 2.0), "{top} {new_top}");
    // Together again.
    pinch(&page, (x + dx, y + dy), (-dx, -dy), 80.0, 40.0).await;
    let [again, back_left, back_top] = place(&page, "#graph").await;
    assert!(near(again, scale, 0.05) && near(back_left, left, 4.0) && near(back_top, top, 4.0));
    // The page itself was not zoomed, nor is anything pinned or grabbed.
    assert_eq!(page.browser.script("return visualViewport.scale", vec![]).await, json!(1));
    assert_eq!(page.count(".graph.grabbed").await, 0);

    // One finger that stays goes on to move it.
    page.touch("touchStart", &[(0, x - 40.0, y)]).await;
    page.touch("touchStart", &[(0, x - 40.0, y), (1, x + 40.0, y)]).await;
    page.touch("touchMove", &[(0, x - 50.0, y), (1, x + 50.0, y)]).await;
    page.touch("touchEnd", &[(1, x + 50.0, y)]).await;
    let [before, left, top] = place(&page, "#graph").await;
    page.touch("touchMove", &[(0, x - 30.0, y + 15.0)]).await;
    let [after, new_left, new_top] = place(&page, "#graph").await;
    assert!(near(before, after, 0.001) && near(new_left - left, 20.0, 1.0), "{left} {new_left}");
    assert!(near(new_top - top, 15.0, 1.0), "{top} {new_top}");
    page.touch("touchEnd", &[]).await;

    // A third finger does nothing.
    let three = |apart: f64| [(0, x - 40.0, y), (1, x + 40.0, y), (2, x, y + apart)];
    page.touch("touchStart", &three(0.0)[..1]).await;
    page.touch("touchStart", &three(0.0)[..2]).await;
    page.touch("touchStart", &three(20.0)).await;
    let before = place(&page, "#graph").await;
    page.touch("touchMove", &three(90.0)).await;
    assert_eq!(place(&page, "#graph").await, before);
    page.touch("touchEnd", &[]).await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn fingers_leave_an_event_in_sight() {
    let page = phone().await;
    page.go(&encode(&settings(STORE_BUFFERING, Model::SC, 9))).await;
    let [left, top, width, height] = page.rectangle("#stage").await;
    let (x, y) = (left + width / 2.0, top + height / 2.0);
    for (dx, dy) in [(-1.0, 0.0), (1.0, 1.0), (0.0, -1.0)] {
        for _ in 0..2 {
            page.touch("touchStart", &[(0, x, y)]).await;
            page.touch("touchMove", &[(0, x + 10.0 * dx, y + 10.0 * dy)]).await;
            page.touch("touchMove", &[(0, x + 190.0 * dx, y + 400.0 * dy)]).await;
            page.touch("touchEnd", &[]).await;
        }
        page.sees("#stage", &format!("dragging {dx} {dy}")).await;
        // Into nothing.
        pinch(&page, (x, y), (0.0, 0.0), 15.0, 150.0).await;
        page.sees("#stage", "zooming in").await;
        pinch(&page, (left + 40.0, top + 40.0), (0.0, 0.0), 30.0, 15.0).await;
        page.sees("#stage", "zooming out").await;
    }
    page.nothing_complained().await;
}

#[tokio::test]
async fn two_fingers_zoom_one_of_two_graphs() {
    let page = phone().await;
    page.go(&encode(&settings(STORE_BUFFERING, Model::SC, 9))).await;
    page.press_char('b').await;
    page.browser.wait_until(TWO_GRAPHS, vec![]).await;
    for (graph, other) in [("#left-graph", "#right-graph"), ("#right-graph", "#left-graph")] {
        let centre = "document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })";
        page.browser.script(centre, vec![json!(graph)]).await;
        let (x, y) = page.middle(graph).await;
        let [scale, left, _] = place(&page, graph).await;
        let [still, ..] = place(&page, other).await;
        pinch(&page, (x, y), (0.0, 0.0), 40.0, 80.0).await;
        page.browser.settled().await;
        let [larger, new_left, _] = place(&page, graph).await;
        assert!(near(larger / scale, 2.0, 0.05), "{graph}: {scale} {larger}");
        assert!(near((x - left) / scale, (x - new_left) / larger, 2.0), "{left} {new_left}");
        assert_eq!(place(&page, other).await[0], still);
    }
    assert_eq!(page.browser.script("return visualViewport.scale", vec![]).await, json!(1));
    page.nothing_complained().await;
}

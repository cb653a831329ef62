//! Reading a graph: pointing at events and edges, paths, what a dropped graph breaks.

use crate::page::{Page, STORE_BUFFERING, settings};
use fantoccini::key::Key;
use litmoscope::model::Model;
use litmoscope::session::{Session, ViewRequest, link};
use serde_json::json;

/// Store buffering at the first execution under a model in which both reads miss the writes.
async fn weak(model: Model) -> Page {
    let mut session = Session::open(settings(STORE_BUFFERING, model, 0)).expect("it is a program");
    loop {
        assert!(session.next_execution(u64::MAX) && !session.is_done(), "there is such an execution");
        let view = session.view(&ViewRequest::default());
        if view.drawing.nodes.iter().filter(|node| node.label.starts_with("R(") && node.label.ends_with(",0)")).count()
            == 2
        {
            break;
        }
    }
    let page = Page::open().await;
    page.go(&link::encode(&session.settings())).await;
    page
}

/// Moves the mouse to the middle of an element.
async fn point(page: &Page, selector: &str) {
    let reveal = "document.querySelector(arguments[0]).scrollIntoView({ block: 'nearest' })";
    page.browser.script(reveal, vec![json!(selector)]).await;
    let (x, y) = page.middle(selector).await;
    page.mouse("mouseMoved", x, y, json!({})).await;
}

async fn press(page: &Page, selector: &str) {
    let (x, y) = page.middle(selector).await;
    page.mouse("mouseMoved", x, y, json!({})).await;
    page.mouse("mousePressed", x, y, json!({ "button": "left", "clickCount": 1 })).await;
    page.mouse("mouseReleased", x, y, json!({ "button": "left", "clickCount": 1 })).await;
}

const ANSWERED: &str = "return document.querySelector('#reading-text').textContent.includes(arguments[0])";

#[tokio::test]
async fn an_event_that_is_pointed_at_says_what_it_depends_on() {
    let page = weak(Model::TSO).await;
    assert!(page.text("#reading-text").await.contains("Point at an event"));
    point(&page, "#graph .node[data-event='P1.2']").await;
    page.browser.wait_until(ANSWERED, vec![json!("P1.2 R(x,0)")]).await;
    for fact in ["relaxed read of x", "reads from", "init x", "po prefix", "porf prefix", "1 event"] {
        assert!(page.text("#reading-text").await.contains(fact), "{fact} in {}", page.text("#reading-text").await);
    }
    // What comes before it is brought out, by words too.
    assert_eq!(page.count("#graph .node.lit-po[data-event='P1.1'] .tag").await, 1);
    assert_eq!(page.count("#graph .node.lit-source[data-event='init x'] .tag").await, 1);
    assert_eq!(page.count("#graph .edge.lit[data-relation=rf][data-from='init x']").await, 1);
    // With the keyboard.
    point(&page, "h1").await;
    page.browser.wait_until(ANSWERED, vec![json!("Point at an event")]).await;
    page.press_char(']').await;
    page.browser.wait_until(ANSWERED, vec![json!("initial value")]).await;
    // Pinned, it stays while the pointer is elsewhere, and leads to its line.
    press(&page, "#graph .node[data-event='P1.2']").await;
    point(&page, "h1").await;
    page.browser.wait_until("return !!document.querySelector('#graph .lit-pinned[data-event=\"P1.2\"]')", vec![]).await;
    page.browser.wait_until(ANSWERED, vec![json!("P1.2 R(x,0)")]).await;
    page.click("#reading-text button.to").await;
    page.browser
        .wait_until(
            "const e = document.querySelector('#editor'); return document.activeElement === e && e.selectionStart > 0",
            vec![],
        )
        .await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn an_edge_says_why_it_is_there() {
    let page = weak(Model::TSO).await;
    // From edge to edge with the keyboard, until one of ppo or co.
    for _ in 0..30 {
        page.press_char('}').await;
        page.browser.wait_until("return !!document.querySelector('#reading-text h3')", vec![]).await;
        if page.count("#graph .edge.pointed[data-relation=co]").await == 1 {
            break;
        }
    }
    page.browser.wait_until(ANSWERED, vec![json!("—co→")]).await;
    assert!(page.text("#reading-text").await.contains("initial write"), "{}", page.text("#reading-text").await);
    page.press_char('{').await;
    page.browser
        .wait_until(
            "return !document.querySelector('#graph .edge.pointed[data-relation=co]')
        || document.querySelectorAll('#graph .edge.pointed').length === 1",
            vec![],
        )
        .await;
    // fr is hidden at first; once drawn, it goes back along rf and on along co.
    page.click("#legend [data-relation=fr]").await;
    page.browser.settled().await;
    for _ in 0..40 {
        page.press_char('}').await;
        if page.count("#graph .edge.pointed[data-relation=fr]").await == 1 {
            break;
        }
    }
    page.browser.wait_until(ANSWERED, vec![json!("←rf—")]).await;
    assert!(page.text("#reading-text").await.contains("overwrites what"));
    assert!(page.count("#graph .edge.lit").await >= 3);
    page.nothing_complained().await;
}

#[tokio::test]
async fn two_events_clicked_show_the_path_between_them() {
    let page = weak(Model::TSO).await;
    press(&page, "#graph .node[data-event='P0.2']").await;
    press(&page, "#graph .node[data-event='P1.2']").await;
    page.browser.wait_until(ANSWERED, vec![json!("A shortest path of po, rf, co and fr")]).await;
    let steps =
        "return [...document.querySelectorAll('#reading-text > .way .way-step')].map(step => step.dataset.step)";
    assert_eq!(page.browser.script(steps, vec![]).await, json!(["fr", "po"]));
    // fr is not drawn otherwise.
    assert_eq!(page.count("#graph .edge[data-relation=fr]").await, 0);
    assert_eq!(page.count("#graph .added-edge[data-relation=fr]").await, 1);
    assert_eq!(page.count("#graph .edge.lit[data-relation=po]").await, 1);
    // Without fr there is none, in either direction.
    page.click("#reading-card [data-path-relation=fr]").await;
    page.browser.wait_until(ANSWERED, vec![json!("nor back")]).await;
    assert_eq!(page.count("#graph .added-edge").await, 0);
    // Escape lets go.
    page.press(&[Key::Escape]).await;
    point(&page, "h1").await;
    page.browser.wait_until(ANSWERED, vec![json!("Point at an event")]).await;
    assert_eq!(page.count("#graph .lit-pinned, #graph .lit-target").await, 0);
    // With the keyboard: initial writes come first.
    for key in [']', ']'] {
        page.press_char(key).await;
    }
    page.press(&[Key::Enter]).await;
    page.press_char(']').await;
    page.press(&[Key::Enter]).await;
    page.browser
        .wait_until(
            "return !!document.querySelector('#graph .lit-pinned') && !!document.querySelector('#graph .lit-target')",
            vec![],
        )
        .await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_dropped_graph_lists_its_cycle() {
    let mut session = Session::open(settings(STORE_BUFFERING, Model::SC, 0)).expect("it is a program");
    while session.view(&ViewRequest::default()).violation.is_none() {
        assert!(session.forward(), "some graph is dropped");
    }
    let page = Page::open().await;
    page.go(&link::encode(&session.settings())).await;
    let text = page.text("#dropped").await;
    assert!(text.contains("sequential-consistency") && text.contains("acyclic"), "{text}");
    assert!(text.contains("would come before itself"), "{text}");
    assert_eq!(page.count("#dropped .way-step").await, 4);
    // A step of the list is shown in the drawing.
    point(&page, "#dropped .way-step[data-step=fr]").await;
    page.browser.wait_until("return !!document.querySelector('#graph .edge.lit[data-relation=fr]')", vec![]).await;
    point(&page, "h1").await;
    page.browser.wait_until("return !document.querySelector('#graph .edge.lit')", vec![]).await;
    page.click("#dropped .way-step[data-step=fr]").await;
    page.browser.wait_until(ANSWERED, vec![json!("—fr→")]).await;
    // Where models are compared, too.
    page.click("#models").await;
    page.browser.wait_until("return document.querySelectorAll('#cycle-in-words .way-step').length > 2", vec![]).await;
    point(&page, "#cycle-in-words .way-step").await;
    page.browser.wait_until("return !!document.querySelector('#forbidden-graph .edge.lit')", vec![]).await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_moment_of_a_run_can_be_asked_too() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.click("#run-all").await;
    page.browser.wait_until("return document.querySelector('#run-panel').dataset.going === 'false'", vec![]).await;
    page.click("#run-first").await;
    page.browser.wait_until("return !!document.querySelector('#elsewhere')", vec![]).await;
    page.browser.wait_until("return !!document.querySelector('#graph .node[data-event=\"P1.2\"]')", vec![]).await;
    point(&page, "#graph .node[data-event='P1.2']").await;
    page.browser.wait_until(ANSWERED, vec![json!("reads from")]).await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_graph_is_there_as_a_list() {
    let page = weak(Model::TSO).await;
    let text = page.text("#graph-text").await;
    for part in ["Initial writes, 2", "P0, 2 events", "read by P1.2 R(x,0)", "reads from init y", "co to P0.1 W(x,1)"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    page.press(&[Key::Home]).await;
    assert!(!page.text("#graph-text").await.contains("P1.2"));
}

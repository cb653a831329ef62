//! Whether handlers can take their messages in some order: saturation, contradictions, runs, what is drawn.

use fantoccini::key::Key;
use litmoscope::model::Model;
use litmoscope::session::link;
use serde_json::{Value, json};

use crate::page::{Page, STORE_BUFFERING, settings};

fn example(name: &str) -> String {
    let file = format!("{}/../public/traces/{name}.trace", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The page with a trace, by its link.
async fn asked(text: &str) -> Page {
    let page = Page::open().await;
    page.go(&link::encode(&settings(text, Model::SC, 0))).await;
    here(&page, "!!document.querySelector('#trace-graph .node')").await;
    page
}

async fn here(page: &Page, condition: &str) {
    page.browser.wait_until(&format!("return {condition}"), vec![]).await;
}

/// Waits until so many steps are shown.
async fn at(page: &Page, step: usize, all: usize) {
    let place = format!("step {step} of {all}");
    page.browser
        .wait_until("return document.querySelector('#trace-place')?.textContent === arguments[0]", vec![json!(place)])
        .await;
}

/// What the script gives, as texts.
async fn texts(page: &Page, selector: &str) -> Vec<String> {
    let script = "return [...document.querySelectorAll(arguments[0])].map(one => one.textContent.trim())";
    serde_json::from_value(page.browser.script(script, vec![json!(selector)]).await).expect("texts")
}

/// The edges that are on the cycle, as drawn.
async fn in_cycle(page: &Page) -> u64 {
    page.count("#trace-graph .edge.in-cycle").await
}

async fn steps(page: &Page) -> usize {
    let place = page.text("#trace-place").await;
    place.rsplit(' ').next().and_then(|all| all.parse().ok()).expect("a number of steps")
}

#[tokio::test]
async fn a_question_that_takes_long_is_stopped_and_asked_again() {
    let page = Page::unopened().await;
    // It would have what the question needs before it is asked.
    page.go("").await;
    page.site.slow_down("split_traces_half", std::time::Duration::from_millis(400));
    page.type_program(&example("e1")).await;
    here(&page, "!!document.querySelector('#trace-stop')").await;
    page.click("#trace-stop").await;
    assert_eq!(page.text("#trace-status").await, "Stopped before there was an answer.");
    assert_eq!(page.program().await, example("e1"));
    page.click("#trace-again").await;
    here(&page, "!!document.querySelector('#trace-graph .node')").await;
    assert_eq!(texts(&page, ".trace .verdict").await, ["queues ✗ inconsistent", "multisets ✓ consistent"]);
}

#[tokio::test]
async fn a_contradiction_is_followed_edge_by_edge() {
    let page = asked(&example("e1")).await;
    let verdicts = texts(&page, ".trace .verdict").await;
    assert_eq!(verdicts, ["queues ✗ inconsistent", "multisets ✓ consistent"]);
    let sentence = page.text("#trace-sentence").await;
    assert_eq!(sentence, "E1 is inconsistent with queues: what follows from the trace contradicts itself.");
    assert_eq!(texts(&page, "#trace-graph .column text").await, ["h1 (queue)", "h2 (queue)", "h3 (queue)"]);
    assert_eq!((page.count("#trace-graph .frame").await, in_cycle(&page).await), (5, 0));
    let all = steps(&page).await;
    // By key: what is derived, with its premises lit up.
    page.press(&[Key::Right]).await;
    at(&page, 1, all).await;
    let caption = page.text("#trace-caption").await;
    assert!(caption.contains(" before ") && caption.contains(", by "), "{caption}");
    assert!(page.count("#trace-graph .edge.new").await > 0 && page.count("#trace-graph .edge.lit").await > 0);
    assert_eq!(page.text("#trace-list .now b").await, "1.");
    // By its button, one edge of the cycle after the other.
    page.click("#trace-found").await;
    let told = texts(&page, "#trace-cycle li").await;
    let derived = all - told.len() - 1;
    for step in 2..=derived {
        page.click("#trace-forward").await;
        at(&page, step, all).await;
    }
    for (number, edge) in told.iter().enumerate() {
        page.click("#trace-forward").await;
        at(&page, derived + number + 1, all).await;
        here(&page, &format!("document.querySelectorAll('#trace-graph .edge.in-cycle').length === {}", number + 1))
            .await;
        assert_eq!(page.text("#trace-caption").await, *edge);
    }
    page.press(&[Key::End]).await;
    at(&page, all, all).await;
    assert!(page.text("#trace-caption").await.starts_with("A contradiction: "));
    assert_eq!(in_cycle(&page).await, told.len() as u64);
    assert!(told.iter().any(|edge| edge.ends_with("(pb).")), "{told:?}");
    assert!(told.iter().any(|edge| edge.contains("That follows from step ")), "{told:?}");
    page.press(&[Key::Home]).await;
    at(&page, 0, all).await;
    here(&page, "!document.querySelector('#trace-graph .edge.in-cycle')").await;
    // Played.
    page.press_char(' ').await;
    at(&page, 2, all).await;
    page.press_char(' ').await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn multisets_have_a_run_where_queues_have_none() {
    let page = asked(&example("e1")).await;
    page.click("#trace-with-multisets").await;
    here(
        &page,
        "document.querySelector('#trace-sentence').textContent.includes('consistent with multisets: there is a run')",
    )
    .await;
    page.click("#trace-found").await;
    assert_eq!(
        texts(&page, "#trace-eo li").await,
        ["h1 takes m1, then m2.", "h2 takes init.", "h3 takes m3, then m4."]
    );
    assert_eq!(texts(&page, "#trace-run li").await.len(), 16);
    assert_eq!(texts(&page, "#trace-graph .column text").await[0], "h1 (multiset)");
    page.press(&[Key::End]).await;
    here(&page, "document.querySelectorAll('#trace-graph .rel-eo').length === 2").await;
    // Why they are in that order: what a line speaks of is brought out.
    page.click("#trace-orders").await;
    let reasons = texts(&page, "#trace-reasons li").await;
    assert!(reasons[0].starts_with("eo: h1 has m1 before m2: "), "{reasons:?}");
    page.browser.script("document.querySelector('#trace-reasons button').focus()", vec![]).await;
    here(&page, "document.querySelectorAll('#trace-graph .edge.lit').length > 1").await;
    // Back to queues.
    page.click("#trace-with-queues").await;
    here(&page, "document.querySelector('#trace-sentence').textContent.includes('inconsistent with queues')").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn relations_are_shown_and_hidden() {
    let page = asked(&example("type-ahead")).await;
    page.press(&[Key::End]).await;
    here(&page, "!!document.querySelector('#trace-graph .edge.in-cycle')").await;
    let names = texts(&page, "#trace-legend .relation").await;
    assert_eq!(names, ["rf", "co", "fr", "pb", "eo", "mo", "do"]);
    // Without what is on the cycle, which stays.
    page.press(&[Key::Home]).await;
    here(&page, "!document.querySelector('#trace-graph .edge.in-cycle')").await;
    for name in ["rf", "co", "pb"] {
        let (edges, button) = (format!("#trace-graph .rel-{name}"), format!("#trace-legend [data-relation={name}]"));
        assert!(page.count(&edges).await > 0, "{name}");
        page.click(&button).await;
        here(&page, &format!("!document.querySelector('{edges}')")).await;
        assert_eq!(page.count(&format!("{button}[aria-pressed=false]")).await, 1);
        page.click(&button).await;
        here(&page, &format!("!!document.querySelector('{edges}')")).await;
    }
    // do is there when it is asked for.
    page.press(&[Key::Right]).await;
    assert_eq!(page.count("#trace-graph .rel-do").await, 0);
    page.click("#trace-legend [data-relation=do]").await;
    here(&page, "!!document.querySelector('#trace-graph .rel-do')").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn guesses_are_a_tree() {
    let page = asked(&example("no-formula")).await;
    assert!(page.text("#trace-sentence").await.contains("whatever order is guessed, each of "));
    assert!(page.count("#trace-list .guess").await > 1 && page.count("#trace-list .contradiction").await > 1);
    // A leaf, by a click: its cycle is drawn.
    page.click("#trace-list li:has(.contradiction) button").await;
    here(&page, "!!document.querySelector('#trace-graph .edge.in-cycle')").await;
    let caption = page.text("#trace-caption").await;
    assert!(caption.starts_with("Guessed: ") && caption.contains(". A contradiction: "), "{caption}");
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_formula_becomes_a_trace() {
    let page = Page::open().await;
    page.go(&link::encode(&settings(STORE_BUFFERING, Model::SC, 0))).await;
    page.press_char('H').await;
    here(&page, "!!document.querySelector('#trace-formula')").await;
    assert!(page.text("#trace-status").await.starts_with("The text is not an event-driven trace"));
    const TYPE: &str = "const field = document.querySelector('#trace-formula');
        field.value = arguments[0];
        field.dispatchEvent(new Event('input'))";
    page.browser.script(TYPE, vec![json!("(1 1)")]).await;
    page.click("#trace-make").await;
    here(&page, "document.querySelector('#trace-trouble').textContent.includes('twice')").await;
    page.browser.script(TYPE, vec![json!("(1 2)")]).await;
    page.click("#trace-make").await;
    here(&page, "document.querySelector('#trace-sentence').textContent.includes('is consistent with queues')").await;
    assert!(page.program().await.starts_with("# The formula (1 2) as a trace"));
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_trace_is_typed() {
    let page = Page::open().await;
    page.type_program("trace typed\nhandler h stack\ninitial m on h: w x 1").await;
    const WRONG: &str = "return document.querySelector('.program').textContent.includes(arguments[0])";
    page.browser.wait_until(WRONG, vec![json!("expected queue or multiset, found stack")]).await;
    here(&page, "document.querySelector('#trace-status')?.textContent.includes('This is not a trace yet: line 2, ')")
        .await;
    page.type_program("trace typed\nhandler h queue\ninitial m on h: w x 1").await;
    here(&page, "document.querySelector('#trace-sentence')?.textContent.includes('typed is consistent')").await;
    // Its words have colours.
    let coloured: Value =
        page.browser.script("return document.querySelectorAll('.copy span[class]').length", vec![]).await;
    assert!(coloured.as_u64().is_some_and(|spans| spans > 3), "{coloured}");
    // A program is explored again.
    page.type_program("x := 1 || a := x").await;
    here(&page, "!!document.querySelector('#graph .node')").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn traces_are_in_the_gallery_and_at_hand() {
    let page = asked(&example("server")).await;
    const CHOOSE: &str = "const select = document.querySelector('#trace-example');
        select.value = 'traces/pool.trace';
        select.dispatchEvent(new Event('change', { bubbles: true }))";
    here(&page, "document.querySelectorAll('#trace-example option').length === 10").await;
    page.browser.script(CHOOSE, vec![]).await;
    here(&page, "document.querySelectorAll('.trace .verdict').length === 3").await;
    assert_eq!(texts(&page, ".trace .verdict").await[0], "as written ✓ consistent");
    page.click("#open-gallery").await;
    here(&page, "!!document.querySelector('[data-example=\"Double click\"]')").await;
    page.click("[data-example=\"Double click\"]").await;
    here(
        &page,
        "document.querySelector('#trace-sentence').textContent.includes('Double click: sent twice is consistent')",
    )
    .await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn it_fits_a_telephone() {
    let page = Page::open().await;
    page.browser.resize(390, 844).await;
    page.go(&link::encode(&settings(&example("e1"), Model::SC, 0))).await;
    here(&page, "!!document.querySelector('#trace-graph .node')").await;
    page.click("#trace-last").await;
    here(&page, "!!document.querySelector('#trace-graph .edge.in-cycle')").await;
    let wide: Value = page.browser.script("return document.documentElement.scrollWidth", vec![]).await;
    assert_eq!(wide, json!(390));
    assert_eq!(texts(&page, ".trace .verdict").await, ["queues ✗ inconsistent", "multisets ✓ consistent"]);
    page.nothing_complained().await;
}

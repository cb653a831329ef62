//! Why an outcome is not allowed, and two explorations side by side.

use crate::page::{LONG, Page, STORE_BUFFERING};
use fantoccini::Locator;
use fantoccini::key::Key;
use serde_json::json;

const ANSWERED: &str = "return document.querySelector('.why-not').dataset.over === 'true'
    && !!document.querySelector('#why-verdict')";
pub const TWO_GRAPHS: &str = "return document.querySelector('.beside-body').dataset.busy === 'false'
    && !!document.querySelector('#left-graph .camera *') && !!document.querySelector('#right-graph .camera *')";

/// From the first sight of the page to why it is forbidden under SC and allowed under TSO: two clicks.
#[tokio::test]
async fn why_the_condition_is_forbidden_and_where_it_is_not() {
    let page = Page::open().await;
    page.click("#ask-condition").await;
    page.browser.wait_until(ANSWERED, vec![]).await;
    let question = page.browser.script("return document.querySelector('#why-question').value", vec![]).await;
    assert_eq!(question, json!("P0:a=0, P1:b=0"));
    assert!(page.text("#why-verdict").await.starts_with("SC forbids P0:a=0, P1:b=0. The one execution"));
    page.browser.wait_until("return document.querySelectorAll('#why-graph .in-cycle').length >= 4", vec![]).await;
    assert_eq!(page.count("#why-cases .why-case").await, 1);
    assert!(page.text(".why-words").await.contains("so W(x,1) would have to come before itself"));

    page.click("#why-tso").await;
    page.browser.wait_until(ANSWERED, vec![]).await;
    page.browser.wait_until("return document.querySelectorAll('#why-graph .node').length >= 4", vec![]).await;
    assert!(page.text("#why-verdict").await.starts_with("TSO allows P0:a=0, P1:b=0. This execution ends so."));
    assert_eq!(page.count("#why-graph .in-cycle").await, 0);
    // What SC sees in it, and why that does not bind here.
    assert!(page.text("#why-liberty").await.contains("W(x,1) -po-> R(y,0) -fr-> W(y,1) -po-> R(x,0) -fr-> W(x,1)"));
    assert!(page.text("#why-liberty").await.contains("the write waits in P0's store buffer while the read goes ahead"));
    // What the edges are is said below; and which outcome this is, of those that were found.
    const DRAWN: &str =
        "return [...document.querySelectorAll('.why-answer .relations li')].map(one => one.textContent)";
    let drawn = page.browser.script(DRAWN, vec![]).await;
    assert!(drawn.as_array().is_some_and(|all| all.contains(&json!("rf, reads-from"))), "{drawn}");
    assert_eq!(page.text(".why-from").await, "The condition:");
    assert_eq!(page.text("#why-offers .offer[aria-pressed=true]").await, "P0:a=0, P1:b=0");
    // And from there to its run, from its beginning, or to its step. That the steps are others now is said.
    assert_eq!(page.text("#why-open").await.trim(), "Explore with GenMC, from step 9");
    page.click("#why-time").await;
    page.browser.wait_until("return !!document.querySelector('#panel-time:not(.away) #time-title')", vec![]).await;
    page.says("#time-place", "0 of 6").await;
    page.says("#notice", "This is step 9 of GenMC under TSO. The steps were those of GenMC under SC.").await;
    // The answer is still there, not asked for again: its buttons are the same.
    page.browser.script("document.querySelector('#why-open').dataset.before = ''", vec![]).await;
    page.press_char('w').await;
    page.browser.wait_until("return document.activeElement?.id === 'why-question'", vec![]).await;
    page.browser.wait_until(ANSWERED, vec![]).await;
    page.click("#why-open[data-before]").await;
    page.browser.settled().await;
    assert_eq!(page.text("#step-name").await, "complete");
    assert_eq!(page.browser.script("return document.querySelector('#model').value", vec![]).await, json!("tso"));
    assert_eq!(page.count("#graph .node[data-label='R(x,0)'], #graph .node[data-label='R(y,0)']").await, 2);
    page.nothing_complained().await;
}

#[tokio::test]
async fn outcomes_are_typed_and_each_order_has_its_cycle() {
    let page = Page::open().await;
    page.type_program("shared x\nx := 1 || x := 2 || a := x; b := x || c := x; d := x").await;
    page.click("#forward").await;
    // With the keyboard.
    page.press_char('w').await;
    page.browser.wait_until("return document.activeElement?.id === 'why-question'", vec![]).await;
    let field = page.browser.find(Locator::Css("#why-question")).await.expect("there is a field");
    field.send_keys("a=1, k").await.expect("it takes keys");
    let status = "return document.querySelector('#why-status').textContent";
    page.browser.wait_until("return document.querySelector('#why-status').textContent !== ''", vec![]).await;
    assert!(page.browser.script(status, vec![]).await.as_str().is_some_and(|text| text.contains("there is no k")));
    let completions = "return [...document.querySelectorAll('#why-names option')].map(option => option.value)";
    field.clear().await.expect("it can be cleared");
    field.send_keys("a=1, c").await.expect("it takes keys");
    page.browser.wait_until("return document.querySelectorAll('#why-names option').length === 1", vec![]).await;
    assert_eq!(page.browser.script(completions, vec![]).await, json!(["a=1, P3:c="]));
    field.clear().await.expect("it can be cleared");
    field.send_keys("a=1, b=2, c=2, d=1").await.expect("it takes keys");
    page.press(&[Key::Enter]).await;
    page.browser.wait_until("return document.querySelectorAll('.why-cycle').length === 2", vec![]).await;
    assert!(page.text(".why-case").await.contains("Each of its 2 coherence orders has one of 2 cycles."));
    page.click(".why-cycle:nth-of-type(2)").await;
    let second = "return document.querySelectorAll('.why-cycle')[1].ariaPressed === 'true'";
    page.browser.wait_until(second, vec![]).await;
    page.browser.wait_until("return !!document.querySelector('#why-graph .edge[data-relation=co]')", vec![]).await;
    // What nothing writes.
    field.clear().await.expect("it can be cleared");
    field.send_keys("x=3").await.expect("it takes keys");
    page.press(&[Key::Enter]).await;
    page.browser.expect_text("#why-verdict", "No model allows x=3: no write ever writes 3 to x.").await;
    page.click("#why-close").await;
    assert_eq!(page.text("#step-name").await, "add event");
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_long_question_can_be_stopped() {
    let page = Page::open().await;
    page.type_program(LONG).await;
    page.press(&[Key::Escape]).await;
    page.browser.script("document.activeElement.blur()", vec![]).await;
    page.press_char('w').await;
    let field = page.browser.find(Locator::Css("#why-question")).await.expect("there is a field");
    field.clear().await.expect("it can be cleared");
    field.send_keys("P0:a=0, P1:b=0").await.expect("it takes keys");
    page.press(&[Key::Enter]).await;
    page.browser.wait_until("return !!document.querySelector('#why-stop')", vec![]).await;
    page.click("#why-stop").await;
    page.browser.wait_until("return document.querySelector('.why-not').dataset.over === 'true'", vec![]).await;
    // The question goes with the program.
    page.type_program(STORE_BUFFERING).await;
    page.browser.wait_until(ANSWERED, vec![]).await;
    page.browser
        .wait_until(
            "return document.querySelector('#why-verdict').textContent.startsWith('SC forbids P0:a=0, P1:b=0. The')",
            vec![],
        )
        .await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn two_explorations_step_together_and_apart() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.click("#forward").await;
    page.browser.settled().await;
    page.click("#open-beside").await;
    page.browser.wait_until(TWO_GRAPHS, vec![]).await;
    let start = async |side: &str| page.text(&format!("#{side}-position")).await;
    assert!(start("left").await.starts_with("step 1 of ") && start("right").await.starts_with("step 1 of "));

    // Another model on the right, and both step.
    for (side, model, algorithm) in [("left", "sc", "genmc"), ("right", "tso", "genmc")] {
        for (what, value) in [("model", model), ("algorithm", algorithm)] {
            let picker = page.browser.find(Locator::Id(&format!("{side}-{what}"))).await.expect("there is a picker");
            picker.select_by_value(value).await.expect("it can be picked");
            page.browser.wait_until(TWO_GRAPHS, vec![]).await;
        }
    }
    page.click("#both-reset").await;
    page.browser.script("document.activeElement.blur()", vec![]).await;
    for _ in 0..3 {
        page.press_char('n').await;
        page.browser.wait_until(TWO_GRAPHS, vec![]).await;
    }
    assert!(start("left").await.starts_with("step 3 of ") && start("right").await.starts_with("step 3 of "));
    assert_eq!(page.text("#left-text strong").await, page.text("#right-text strong").await);
    // Apart, with the right one's own buttons.
    page.click("#beside-linked").await;
    page.click("#right-forward").await;
    page.browser.wait_until(TWO_GRAPHS, vec![]).await;
    assert!(start("left").await.starts_with("step 3 of ") && start("right").await.starts_with("step 4 of "));
    page.click("#beside-linked").await;

    // To the ends, and what tells them apart.
    page.click("#both-run").await;
    page.browser
        .wait_until(
            "return document.querySelector('#race-words').textContent.includes('Both are at their ends')",
            vec![],
        )
        .await;
    assert!(page.text("#race-words").await.contains("Only TSO has P0:a=0 P1:b=0."));
    let executions = "return document.querySelector('#race .race-row').dataset.counts";
    assert_eq!(page.browser.script(executions, vec![]).await, json!("3 4"));
    // The left one stays.
    let left = start("left").await;
    page.click("#beside-close").await;
    page.browser.settled().await;
    let position = page.browser.script("return document.querySelector('#position').textContent", vec![]).await;
    assert!(left.starts_with(&format!("step {} of ", position.as_str().expect("a text"))), "{left} {position}");
    assert_eq!(page.count("#left-graph").await, 1);
    assert_eq!(page.browser.script("return document.body.dataset.lab", vec![]).await, json!("stepping"));
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_race_goes_on_beside_the_page_and_can_be_stopped() {
    let page = Page::open().await;
    page.type_program(LONG).await;
    page.browser.script("document.activeElement.blur()", vec![]).await;
    page.press_char('b').await;
    page.browser.wait_until(TWO_GRAPHS, vec![]).await;
    page.click("#both-run").await;
    let counted =
        "return document.querySelector('#race .race-row').dataset.counts.split(' ').every(n => Number(n) > 100)";
    page.browser.wait_until(counted, vec![]).await;
    assert!(page.text("#race-words").await.contains("Neither is at its end"));
    page.click("#beside-stop").await;
    page.browser.wait_until("return document.querySelector('.beside-body').dataset.busy === 'false'", vec![]).await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn another_program_stands_on_the_right() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape]).await;
    page.click("#open-gallery").await;
    page.browser.wait_until("return !!document.querySelector('[data-example=MP]')", vec![]).await;
    page.click("[data-example=MP]").await;
    const OPENED: &str = "return !document.querySelector('#gallery').open
        && document.querySelector('#editor').value.includes('name MP')";
    page.browser.wait_until(OPENED, vec![]).await;
    page.browser.settled().await;
    page.browser.script("document.activeElement.blur()", vec![]).await;
    page.press_char('b').await;
    page.browser.wait_until(TWO_GRAPHS, vec![]).await;
    let picker = page.browser.find(Locator::Id("right-program")).await.expect("there is a picker");
    picker.select_by_index(1).await.expect("the program before is offered");
    page.browser.wait_until(TWO_GRAPHS, vec![]).await;
    page.click("#both-run").await;
    page.browser
        .wait_until(
            "return document.querySelector('#race-words').textContent.includes('Both are at their ends')",
            vec![],
        )
        .await;
    assert!(page.text("#race-words").await.contains("can't be compared"), "{}", page.text("#race-words").await);
    assert_eq!(page.count("#right-graph .node[data-label='W(y,1)']").await, 1);
    page.nothing_complained().await;
}

#[tokio::test]
async fn two_explorations_are_shown_in_a_lecture() {
    let page = Page::open().await;
    page.browser.resize(1920, 1080).await;
    page.type_program(STORE_BUFFERING).await;
    page.browser.script("document.activeElement.blur()", vec![]).await;
    page.press_char('b').await;
    page.browser.wait_until(TWO_GRAPHS, vec![]).await;
    // Both graphs stand at the same height.
    const LEVEL: &str = "return new Set(['left', 'right'].map(
        side => document.querySelector(`#${side}-stage`).getBoundingClientRect().top)).size === 1";
    for width in [1000, 1280, 1440, 1920] {
        page.browser.resize(width, if width < 1900 { 800 } else { 1080 }).await;
        page.browser.wait_until(LEVEL, vec![]).await;
    }
    page.press_char('l').await;
    page.browser.wait_until("return document.body.dataset.lecture === 'true'", vec![]).await;
    // The presenter's keys move both, and so do the buttons.
    let start = async |side: &str| page.text(&format!("#{side}-position")).await;
    for (step, key) in [(1, Key::PageDown), (2, Key::Down), (3, Key::PageDown), (2, Key::PageUp)] {
        page.press(&[key]).await;
        page.browser.wait_until(TWO_GRAPHS, vec![]).await;
        for side in ["left", "right"] {
            assert!(start(side).await.starts_with(&format!("step {step} of ")), "{key:?}: {}", start(side).await);
        }
    }
    page.click("#lecture-on").await;
    page.browser.wait_until(TWO_GRAPHS, vec![]).await;
    assert!(start("left").await.starts_with("step 3 of ") && start("right").await.starts_with("step 3 of "));
    // To be read from the last row.
    const LETTERS: &str = "const large = (selector, scale) => [...document.querySelectorAll(selector)].every(e =>
            parseFloat(getComputedStyle(e).fontSize) * scale(e) >= 24);
        return large('#left-graph .node .label, #right-graph .node .label', e => e.getScreenCTM().a)
            && large('.race-name, .race-count, .race-words p, .beside-where, .beside-text, .beside-side select', () => 1)";
    page.browser.wait_until(LETTERS, vec![]).await;
    assert_eq!(page.browser.script("return document.body.dataset.lab", vec![]).await, json!("beside"));
    page.press_char('l').await;
    page.browser.wait_until("return !document.body.dataset.lecture", vec![]).await;
    page.browser.wait_until(TWO_GRAPHS, vec![]).await;
    page.nothing_complained().await;
}

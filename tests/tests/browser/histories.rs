//! Whether each operation of a history can take effect at once: timelines, points, steps, contradictions, files.

use std::fmt::Write;
use std::time::Duration;

use fantoccini::Locator;
use fantoccini::key::Key;
use litmoscope::model::Model;
use litmoscope::session::link;
use serde_json::{Value, json};

use crate::page::{Page, STORE_BUFFERING, settings};

const PLAIN_PUSH: &str = include_str!("../../../public/objects/treiber-plain-push.lit");
const RING: &str = include_str!("../../../public/objects/ring-buffer.lit");

fn example(name: &str) -> String {
    let file = format!("{}/../public/histories/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The page with a history, by its link.
async fn asked(text: &str) -> Page {
    let page = Page::open().await;
    page.go(&link::encode(&settings(text, Model::SC, 0))).await;
    drawn(&page).await;
    page
}

async fn here(page: &Page, condition: &str) {
    page.browser.wait_until(&format!("return {condition}"), vec![]).await;
}

async fn drawn(page: &Page) {
    here(page, "!!document.querySelector('#history-timeline .history-bar')").await;
}

async fn texts(page: &Page, selector: &str) -> Vec<String> {
    let script = "return [...document.querySelectorAll(arguments[0])].map(one => one.textContent.trim())";
    serde_json::from_value(page.browser.script(script, vec![json!(selector)]).await).expect("texts")
}

/// Waits until so many steps are shown.
async fn at(page: &Page, step: usize) {
    const AT: &str = "return document.querySelector('#history-step-place')?.textContent.startsWith(arguments[0])";
    page.browser.wait_until(AT, vec![json!(format!("step {step} of "))]).await;
}

async fn is_legal(page: &Page, legal: bool) {
    here(page, &format!("document.querySelector('#history-order')?.dataset.legal === '{legal}'")).await;
}

/// The point of the operation whose bar begins with a text.
async fn dot_of(page: &Page, label: &str) -> String {
    const FIND: &str = "const bars = [...document.querySelectorAll('#history-timeline .history-bar')];
        return bars.find(bar => bar.querySelector('span').textContent === arguments[0])?.dataset.operation";
    let operation = page.browser.script(FIND, vec![json!(label)]).await;
    let operation = operation.as_str().unwrap_or_else(|| panic!("there is no bar {label}"));
    format!("#history-timeline .history-dot[data-operation='{operation}']")
}

/// Where a point is, in moments.
async fn place(page: &Page, dot: &str) -> f64 {
    const PLACE: &str = "return Number(document.querySelector(arguments[0]).getAttribute('aria-valuenow'))";
    page.browser.script(PLACE, vec![json!(dot)]).await.as_f64().expect("a number")
}

/// How many moments are in sight.
async fn in_sight(page: &Page) -> f64 {
    const SIGHT: &str = "const timeline = document.querySelector('#history-timeline');
        return timeline.querySelector('.history-plane').clientWidth / timeline.style.getPropertyValue('--scale')";
    page.browser.script(SIGHT, vec![]).await.as_f64().expect("a number")
}

async fn choose(page: &Page, select: &str, value: &str) {
    let select = page.browser.find(Locator::Css(select)).await.expect("there is a select");
    select.select_by_value(value).await.expect("it can be chosen");
    page.browser.settled().await;
}

#[tokio::test]
async fn a_history_has_a_verdict_as_one_types() {
    let page = Page::open().await;
    page.type_program("history typed stack\nT1: push a [0,1]; pop a [4,5]\nT2: push b [2,3]; pop b [6,7]").await;
    drawn(&page).await;
    assert_eq!(page.text("#history-verdict").await, "✗ not linearizable");
    assert!(page.text("#history-sentence").await.starts_with("typed is not linearizable as a stack."));
    assert_eq!(texts(&page, "#history-rows .history-thread").await, ["T1", "T2"]);
    // The few that contradict each other come behind the verdict.
    here(&page, "document.querySelectorAll('#history-facts li').length > 0").await;
    here(&page, "document.querySelector('.history').dataset.over === 'true'").await;
    // As another object.
    let queue = "return [...document.querySelectorAll('#history-object option')].find(one => one.textContent === 'queue').value";
    let queue = page.browser.script(queue, vec![]).await;
    choose(&page, "#history-object", queue.as_str().expect("a queue can be chosen")).await;
    here(&page, "document.querySelector('#history-verdict').textContent === '✓ linearizable'").await;
    // What can't be read says where and what to do.
    page.type_program("history typed stack\nT1: push a [0,1]; pop a [9,5]").await;
    here(&page, "document.querySelector('#history-status').textContent.includes('line 2, column ')").await;
    assert_eq!(page.count("#history-timeline .history-bar").await, 0);
    let coloured: Value =
        page.browser.script("return document.querySelectorAll('.copy span[class]').length", vec![]).await;
    assert!(coloured.as_u64().is_some_and(|spans| spans > 2), "{coloured}");
    // A program is explored again.
    page.type_program("x := 1 || a := x").await;
    here(&page, "!!document.querySelector('#graph .node')").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn points_are_dragged_by_mouse_and_keys() {
    let page = asked(&example("points.history")).await;
    page.click("#history-middle").await;
    is_legal(&page, false).await;
    assert!(page.count("#history-turns [data-state=illegal] .history-why").await == 1);
    // To the left, in front of the other one.
    let dot = dot_of(&page, "enqueue 1").await;
    let (x, y) = page.middle(&dot).await;
    let before = place(&page, &dot).await;
    let held = json!({ "button": "left", "buttons": 1, "clickCount": 1 });
    page.mouse("mousePressed", x, y, held.clone()).await;
    for step in 1..=8 {
        page.mouse("mouseMoved", x - 25.0 * f64::from(step), y, json!({ "button": "left", "buttons": 1 })).await;
    }
    is_legal(&page, true).await;
    page.mouse("mouseReleased", x - 200.0, y, held).await;
    let after = place(&page, &dot).await;
    assert!(after < before - 0.5, "{before} {after}");
    assert!(page.text("#history-order-says").await.contains("it is a linearization"));
    // Back by keys, past the next point: no further than its bar.
    page.press(&[Key::Right]).await;
    is_legal(&page, false).await;
    page.press_shifted(Key::Left, 2).await;
    page.press(&[Key::End]).await;
    assert!(place(&page, &dot).await > before);
    page.press(&[Key::Home]).await;
    is_legal(&page, true).await;
    // These keys were the point's, not the steps'.
    assert!(page.text("#history-step-place").await.starts_with("step 0 of "));
    // A turn leads to its point.
    page.click("#history-turns li:nth-child(3) button").await;
    here(&page, "document.activeElement?.className === 'history-dot'").await;
    // The monitor knows it at once.
    page.click("#history-solve").await;
    is_legal(&page, true).await;
    page.click("#history-hide").await;
    here(&page, "!document.querySelector('#history-timeline .history-dot')").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_finger_drags_a_point() {
    let page = asked(&example("points.history")).await;
    page.browser.devtools("Emulation.setTouchEmulationEnabled", json!({ "enabled": true, "maxTouchPoints": 3 })).await;
    page.click("#history-middle").await;
    is_legal(&page, false).await;
    let dot = dot_of(&page, "enqueue 1").await;
    let (x, y) = page.middle(&dot).await;
    page.touch("touchStart", &[(0, x, y)]).await;
    for step in 1..=8 {
        page.touch("touchMove", &[(0, x - 25.0 * f64::from(step), y)]).await;
    }
    page.touch("touchEnd", &[]).await;
    is_legal(&page, true).await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_monitor_is_followed_to_a_contradiction() {
    let page = asked(&example("s2.history")).await;
    assert_eq!(page.text("#history-verdict").await, "✗ not linearizable");
    assert!(texts(&page, "#history-reasons li").await.len() > 4);
    // Reasons bring out what they are about.
    let (x, y) = page.middle("#history-reasons button").await;
    page.mouse("mouseMoved", x, y, json!({})).await;
    here(&page, "document.querySelectorAll('#history-timeline .history-bar.lit').length === 8").await;
    page.press(&[Key::Right]).await;
    at(&page, 1).await;
    assert!(!page.text("#history-caption").await.is_empty());
    page.press(&[Key::End]).await;
    here(&page, "!!document.querySelector('#history-steps .wrong.now')").await;
    page.press(&[Key::Home]).await;
    at(&page, 0).await;
    // By a click on a step.
    page.click("#history-steps li:nth-child(2) button").await;
    at(&page, 2).await;
    page.click("#history-step-back").await;
    at(&page, 1).await;
    // Played, from where no button has the focus, which would take the key.
    page.press(&[Key::Home]).await;
    at(&page, 0).await;
    page.click("#history-caption").await;
    page.press_char(' ').await;
    at(&page, 2).await;
    page.press_char(' ').await;
    // The few that contradict each other, alone: four values, of which the last need not come out.
    page.click("#history-why-tab").await;
    page.click("#history-alone").await;
    here(&page, "document.querySelector('#history-alone').ariaPressed === 'true'").await;
    assert_eq!(page.count("#history-timeline:not(.small) .history-bar").await, 7);
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_tree_of_the_queue_leads_to_its_steps() {
    let page = asked(&example("q8.history")).await;
    page.click("#history-steps-tab").await;
    page.press(&[Key::Right]).await;
    at(&page, 1).await;
    here(&page, "document.querySelectorAll('#history-tree .history-node').length === 7").await;
    page.press(&[Key::End]).await;
    here(&page, "!!document.querySelector('#history-tree .history-node:is([data-state=now], [data-state=wrong])')")
        .await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_link_leads_to_a_step() {
    let page = asked(&example("s1.history")).await;
    page.press(&[Key::Right, Key::Right]).await;
    at(&page, 2).await;
    page.click("#history-solve").await;
    here(&page, "!!document.querySelector('#history-timeline .history-dot')").await;
    page.press_char('s').await;
    here(&page, "location.hash.startsWith('#4.')").await;
    let fragment = page.browser.script("return location.hash", vec![]).await;
    let fragment = fragment.as_str().expect("a fragment").to_owned();
    page.browser.new_tab().await;
    page.go(&fragment).await;
    drawn(&page).await;
    at(&page, 2).await;
    here(&page, "!!document.querySelector('#history-timeline .history-dot')").await;
    assert_eq!(page.program().await, example("s1.history"));
    // A reload goes on where it was.
    page.press(&[Key::Right]).await;
    at(&page, 3).await;
    page.kept().await;
    page.browser.refresh().await.expect("it can be loaded again");
    drawn(&page).await;
    at(&page, 3).await;
    page.nothing_complained().await;
}

/// A walk of pushes and pops by some threads; at its end two values leave in the wrong order.
fn recording(operations: usize) -> String {
    let mut text = "history large queue\n".to_owned();
    let mut time = 0;
    for value in 0..operations / 2 - 2 {
        let (a, b) = (value % 7, (value + 3) % 7);
        let _ = writeln!(text, "T{a}: enq {value} [{time},{}]", time + 9);
        let _ = writeln!(text, "T{b}: deq {value} [{},{}]", time + 10, time + 19);
        time += 20;
    }
    for (thread, what, from) in [(0, "enq x", 0), (0, "enq y", 2), (1, "deq y", 4), (1, "deq x", 6)] {
        let _ = writeln!(text, "T{thread}: {what} [{},{}]", time + from, time + from + 1);
    }
    text
}

/// Gives the panel a file.
async fn open_file(page: &Page, name: &str, text: &str) {
    const OPEN: &str = "const data = new DataTransfer();
        data.items.add(new File([arguments[1]], arguments[0], { type: 'text/plain' }));
        const input = document.querySelector('#history-file');
        input.files = data.files;
        input.dispatchEvent(new Event('change', { bubbles: true }))";
    page.browser.script(OPEN, vec![json!(name), json!(text)]).await;
}

#[tokio::test]
async fn a_large_recording_is_opened_and_zoomed() {
    let page = asked(&example("two-values.history")).await;
    let operations = 100_000;
    open_file(&page, "walk.history", &recording(operations)).await;
    here(&page, "document.querySelector('#history-shown')?.textContent.includes('walk.history')").await;
    here(&page, "document.querySelector('#history-sentence').textContent.includes('100,000 operations')").await;
    assert_eq!(page.text("#history-verdict").await, "✗ not linearizable");
    // It opens at the violation.
    here(&page, "[...document.querySelectorAll('#history-timeline .history-bar')].some(bar => bar.textContent.includes('enqueue x'))").await;
    here(&page, "document.querySelectorAll('#history-facts li').length > 0").await;
    let few = in_sight(&page).await;
    assert!(few < 1000.0, "{few}");
    // All of it, as crowds.
    page.click("#history-rows").await;
    page.press_char('0').await;
    here(&page, "document.querySelectorAll('#history-timeline .history-crowd').length > 3").await;
    let all = in_sight(&page).await;
    assert!((all - 2.0 * operations as f64).abs() < 10.0, "{all}");
    assert!(page.count("#history-timeline .history-bar").await < 2000);
    // The wheel zooms around the pointer, and bars come.
    let (x, y) = page.middle("#history-timeline .history-plane").await;
    for _ in 0..14 {
        page.mouse("mouseWheel", x, y, json!({ "deltaX": 0, "deltaY": -240 })).await;
    }
    here(&page, "document.querySelectorAll('#history-timeline .history-bar').length > 3").await;
    let near = in_sight(&page).await;
    assert!(near < 200.0, "{near}");
    // Dragged, other moments come in sight, and as many.
    let first = async || {
        page.browser
            .script(
                "return Number(document.querySelector('#history-timeline').style.getPropertyValue('--first'))",
                vec![],
            )
            .await
            .as_f64()
            .expect("a number")
    };
    let before = first().await;
    let held = json!({ "button": "left", "buttons": 1, "clickCount": 1 });
    page.mouse("mousePressed", x, y, held.clone()).await;
    for step in 1..=5 {
        page.mouse("mouseMoved", x - 40.0 * f64::from(step), y, json!({ "button": "left", "buttons": 1 })).await;
    }
    page.mouse("mouseReleased", x - 200.0, y, held.clone()).await;
    let after = first().await;
    assert!(after > before && (in_sight(&page).await - near).abs() < 0.01, "{before} {after}");
    // In the map, far away.
    let [left, top, width, height] = page.rectangle("#history-map").await;
    page.mouse("mousePressed", left + width / 4.0, top + height / 2.0, held.clone()).await;
    page.mouse("mouseReleased", left + width / 4.0, top + height / 2.0, held).await;
    let far = first().await;
    assert!((far - operations as f64 / 2.0).abs() < operations as f64 / 50.0, "{far}");
    here(&page, "document.querySelectorAll('#history-timeline .history-bar').length > 0").await;
    // A file is too large for a link, which says so.
    page.press_char('s').await;
    here(&page, "document.body.textContent.includes('The recording is in a file, which is too large for a link')")
        .await;
    page.click("#history-back-to-text").await;
    here(&page, "document.querySelector('#history-sentence').textContent.startsWith('two-values')").await;
    page.nothing_complained().await;
}

/// The operations of an execution are bars beside its graph, in which they are frames; from there to its step is a click, and back.
#[tokio::test]
async fn executions_of_a_program_are_judged_and_shown_with_their_graphs() {
    let page = Page::open().await;
    page.go(&link::encode(&settings(PLAIN_PUSH, Model::SC, 0))).await;
    here(&page, "document.querySelector('#step-name')?.textContent === 'start'").await;
    page.press_char('L').await;
    drawn(&page).await;
    here(&page, "document.querySelector('.history').dataset.over === 'true'").await;
    assert_eq!(page.text("#history-verdict").await, "✗ not linearizable");
    assert!(page.text("#history-sentence").await.starts_with("s is not linearizable as a stack under SC."));
    here(&page, "document.querySelectorAll('#history-graph .node').length > 3").await;
    here(&page, "document.querySelectorAll('#history-graph .frame').length > 1").await;
    let all = page.count("#history-execution option").await;
    assert!(all > 1, "{all}");
    let first = page.text("#history-execution-says").await;
    assert!(first.starts_with("Execution ") && first.contains("No stack allows this."), "{first}");
    page.click("#history-execution-behind").await;
    here(&page, "document.querySelector('#history-execution').value === '1'").await;
    let second = page.text("#history-execution-says").await;
    assert_ne!(second, first);
    // Why, in its operations.
    page.click("#history-why-tab").await;
    assert!(!texts(&page, "#history-reasons li").await.is_empty());
    assert!(!texts(&page, "#history-order-facts li").await.is_empty());
    // A link leads to this very execution.
    page.press_char('s').await;
    here(&page, "location.hash.startsWith('#4.')").await;
    let fragment = page.browser.script("return location.hash", vec![]).await;
    let fragment = fragment.as_str().expect("a fragment").to_owned();
    page.browser.new_tab().await;
    page.go(&fragment).await;
    drawn(&page).await;
    here(&page, &format!("document.querySelector('#history-execution-says').textContent === {second:?}")).await;
    // To its graph, where the exploration has it whole.
    page.click("#history-to-graph").await;
    here(&page, "!!document.querySelector('#graph .frame')").await;
    here(&page, "['complete', 'blocked'].includes(document.querySelector('#step-name').textContent)").await;
    // And back.
    page.press_char('L').await;
    here(&page, &format!("document.querySelector('#history-execution-says').checkVisibility() && document.querySelector('#history-execution-says').textContent === {second:?}")).await;
    // The step that the page is at is the same execution.
    page.click("#history-this-step").await;
    here(&page, &format!("document.querySelector('#history-execution-says').textContent === {second:?} && document.querySelector('#history-execution').value === ''")).await;
    // Ordered by time, all is judged again.
    choose(&page, "#history-order-by", "time").await;
    here(&page, "document.querySelector('#history-sentence').textContent.includes('distinct histories')").await;
    // Its history stands by itself.
    page.click("#history-to-text").await;
    here(&page, "document.querySelector('#editor').value.startsWith('history s stack')").await;
    here(
        &page,
        "document.querySelector('#history-sentence').textContent.startsWith('s is not linearizable as a stack. ')",
    )
    .await;
    page.nothing_complained().await;
}

/// Another model changes what is known, as the text does.
#[tokio::test]
async fn a_program_is_judged_under_the_model_of_the_page() {
    let page = Page::open().await;
    page.go(&link::encode(&settings(RING, Model::SC, 0))).await;
    here(&page, "!!document.querySelector('#graph .node')").await;
    page.press_char('L').await;
    drawn(&page).await;
    here(&page, "document.querySelector('#history-verdict').textContent === '✓ linearizable'").await;
    assert!(page.text("#history-execution-says").await.starts_with("Execution "));
    choose(&page, "#model", "pso").await;
    here(&page, "document.querySelector('#history-verdict').textContent === '✗ not linearizable'").await;
    // A program without an object has none to be judged.
    page.type_program("x := 1 || a := x").await;
    here(&page, "!!document.querySelector('#graph .node')").await;
    page.press_char('L').await;
    here(&page, "document.querySelector('#history-status').textContent.includes('neither a history nor a program with an object')").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_file_that_is_no_recording_says_where() {
    let page = Page::open().await;
    page.go(&link::encode(&settings(STORE_BUFFERING, Model::SC, 0))).await;
    page.press_char('L').await;
    here(&page, "document.querySelector('#history-status')?.textContent.startsWith('The text is neither a history')")
        .await;
    open_file(&page, "torn.history", "T1: push 1 [0,1]\nT2: pop 1 [4,").await;
    here(&page, "/line 2, column \\d+/.test(document.querySelector('#history-status').textContent)").await;
    // A small one goes into the editor, where it can be changed.
    open_file(&page, "small.history", &example("s1.history")).await;
    drawn(&page).await;
    assert_eq!(page.program().await, example("s1.history"));
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_question_that_takes_long_is_stopped_and_asked_again() {
    let page = Page::unopened().await;
    // It would have what the question needs before it is asked.
    page.go("").await;
    page.site.slow_down("split_histories_half", Duration::from_millis(60));
    page.type_program(&example("s1.history")).await;
    here(&page, "!!document.querySelector('#history-stop')").await;
    page.click("#history-stop").await;
    assert_eq!(page.text("#history-status").await, "Stopped before there was an answer.");
    page.click("#history-again").await;
    drawn(&page).await;
    assert_eq!(page.text("#history-verdict").await, "✓ linearizable");
}

#[tokio::test]
async fn histories_are_in_the_gallery_and_at_hand() {
    let page = asked(&example("stretched.history")).await;
    assert_eq!(page.text("#history-verdict").await, "✗ not linearizable");
    choose(&page, "#history-choice", "1").await;
    here(&page, "document.querySelector('#history-verdict').textContent === '✓ linearizable'").await;
    here(&page, "document.querySelectorAll('#history-example option').length === 13").await;
    choose(&page, "#history-example", "histories/counters.history").await;
    here(&page, "document.querySelector('#history-sentence').textContent.startsWith('counters is not')").await;
    here(&page, "document.querySelector('#history-as-printed').checkVisibility()").await;
    page.click("#open-gallery").await;
    here(&page, "!!document.querySelector('[data-example=\"Register\"]')").await;
    page.click("[data-example=\"Register\"]").await;
    here(&page, "document.querySelector('#history-verdict')?.textContent === '✗ not linearizable'").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn it_fits_a_telephone() {
    let page = Page::open().await;
    page.browser.resize(390, 844).await;
    page.go(&link::encode(&settings(&example("s2.history"), Model::SC, 0))).await;
    drawn(&page).await;
    page.click("#history-solve").await;
    here(&page, "!!document.querySelector('#history-order')").await;
    page.click("#history-steps-tab").await;
    page.click("#history-last").await;
    here(&page, "!!document.querySelector('#history-steps .wrong')").await;
    let wide: Value = page.browser.script("return document.documentElement.scrollWidth", vec![]).await;
    assert_eq!(wide, json!(390));
    let beyond = "const panel = document.querySelector('.history'); return panel.scrollWidth - panel.clientWidth";
    assert_eq!(page.browser.script(beyond, vec![]).await, json!(0));
    page.nothing_complained().await;
}

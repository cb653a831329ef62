//! Safe schedules: the tree, the results as they come, refinements, runs that go wrong, links.

use fantoccini::key::Key;
use litmoscope::model::Model;
use litmoscope::session::link;
use serde_json::json;

use crate::page::{Page, STORE_BUFFERING, settings};

fn example(name: &str) -> String {
    let file = format!("{}/../public/schedules/{name}.lit", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"))
}

async fn here(page: &Page, condition: &str) {
    page.browser.wait_until(&format!("return {condition}"), vec![]).await;
}

/// The lab with a program, when all is verified and counted.
async fn verified(text: &str) -> Page {
    let page = Page::open().await;
    page.go(&link::encode(&settings(text, Model::SC, 0))).await;
    page.press_char('V').await;
    here(&page, "document.querySelector('.schedule')?.dataset.over === 'true'").await;
    here(&page, "!!document.querySelector('#schedule-tree .node')").await;
    page
}

async fn counted(page: &Page) {
    here(page, "document.querySelector('#schedule-states').textContent !== ''").await;
    here(page, "document.querySelectorAll('#schedule-shares li').length === 3").await;
}

/// The texts of all that a selector finds.
async fn texts(page: &Page, selector: &str) -> Vec<String> {
    let script = "return [...document.querySelectorAll(arguments[0])].map(one => one.textContent.trim())";
    serde_json::from_value(page.browser.script(script, vec![json!(selector)]).await).expect("texts")
}

/// The step that is shown, and how many there are.
async fn place(page: &Page) -> (u32, u32) {
    let text = page.text("#schedule-place").await;
    let numbers: Vec<u32> = text.split(' ').filter_map(|word| word.parse().ok()).collect();
    (numbers[0], numbers[1])
}

#[tokio::test]
async fn a_buffer_that_goes_wrong_is_partially_safe() {
    let page = verified(&example("pc-err-2")).await;
    assert!(page.text("#schedule-verdict").await.contains("Partially safe"));
    counted(&page).await;
    assert_eq!(page.text("#schedule-states").await, "Concretely, the program has 19 states.");
    // The first result, then the consumer that must not begin.
    page.click("#schedule-stops li:nth-child(1) button").await;
    here(&page, "document.querySelectorAll('#schedule-tree .node.read').length === 9").await;
    here(
        &page,
        "document.querySelector('#schedule-caption').textContent.includes('m = 0 and count >= 0 and count < 2')",
    )
    .await;
    let set = "const run = document.querySelector('#schedule-run');
        run.value = arguments[0]; run.dispatchEvent(new Event('change', { bubbles: true }))";
    page.browser.script(set, vec![json!("8")]).await;
    here(&page, "document.querySelector('#schedule-all').textContent.startsWith('Of all 3 runs')").await;
    assert!(texts(&page, "#schedule-shares li").await[0].starts_with("1 "));
    page.browser.script(set, vec![json!("16")]).await;
    here(&page, "document.querySelector('#schedule-all').textContent.startsWith('Of all 7 runs')").await;
    let shares = texts(&page, "#schedule-shares li").await;
    assert!(shares[0].starts_with("1 ") && shares[1].starts_with("3 ") && shares[2].starts_with("3 "), "{shares:?}");
    // The counterexample, with values.
    page.click("#schedule-stops li.wrong button, #schedule-stops .schedule-stop.wrong").await;
    page.click("#schedule-node-tab").await;
    here(&page, "document.querySelectorAll('#schedule-wrong-run tbody tr').length === 2").await;
    assert!(page.text("#schedule-wrong").await.contains("goes wrong at error"));
    page.nothing_complained().await;
}

#[tokio::test]
async fn steps_are_gone_through_by_keys_and_nodes_by_clicks() {
    let page = verified(&example("double-lock")).await;
    let (_, all) = place(&page).await;
    page.press(&[Key::Home]).await;
    here(&page, "document.querySelectorAll('#schedule-tree .node:not(.bound):not(.stuck)').length === 1").await;
    page.press(&[Key::Right, Key::Right, Key::Right]).await;
    here(&page, "document.querySelector('#schedule-place').textContent.startsWith('step 3 ')").await;
    assert!(!page.text("#schedule-caption").await.is_empty());
    page.press(&[Key::End]).await;
    here(&page, &format!("document.querySelector('#schedule-place').textContent === 'step {all} of {all}'")).await;
    // A refinement, from its end backwards.
    page.click("#schedule-refinement-tab").await;
    let find = "const steps = [...document.querySelectorAll('#schedule-steps button')]; return steps.length";
    page.click("#schedule-steps-tab").await;
    assert_ne!(page.browser.script(find, vec![]).await, json!(0));
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_link_leads_to_this_step() {
    let page = verified(&example("double-lock")).await;
    page.press(&[Key::Home]).await;
    page.press(&[Key::Right, Key::Right, Key::Right, Key::Right]).await;
    here(&page, "document.querySelector('#schedule-place').textContent.startsWith('step 4 ')").await;
    let caption = page.text("#schedule-caption").await;
    page.press_char('s').await;
    here(&page, "location.hash.startsWith('#4.')").await;
    let fragment = page.browser.script("return location.hash", vec![]).await;
    let fragment = fragment.as_str().expect("a link").to_owned();
    let other = Page::open().await;
    other.go(&fragment).await;
    here(&other, "document.querySelector('#schedule-place')?.textContent.startsWith('step 4 ')").await;
    here(&other, "document.body.dataset.lab === 'schedules'").await;
    assert_eq!(other.text("#schedule-caption").await, caption);
    other.nothing_complained().await;
}

/// Programs with handlers have no schedules; what is wrong is said, and goes away when the text is right.
#[tokio::test]
async fn what_can_not_be_verified_is_said() {
    let page = Page::open().await;
    page.go(&link::encode(&settings("shared x\nwhile 1 { x := }", Model::SC, 0))).await;
    page.press_char('V').await;
    here(&page, "document.querySelector('#schedule-status')?.textContent.includes('line 2')").await;
    page.go(&link::encode(&settings(STORE_BUFFERING, Model::SC, 0))).await;
    page.press_char('V').await;
    here(&page, "document.querySelector('#schedule-verdict').textContent.includes('Safe')").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_program_runs_under_what_was_proven_and_without() {
    let page = verified(&example("double-lock")).await;
    page.click("#schedule-run-tab").await;
    here(&page, "!!document.querySelector('#schedule-run-kept .schedule-rounds tr')").await;
    // Without a schedule it deadlocks soon, under one it never does.
    for _ in 0..40 {
        page.click("#schedule-run-step").await;
    }
    here(&page, "document.querySelector('#schedule-run-free.wrong, #schedule-run-free')?.textContent.includes('wait')")
        .await;
    here(&page, "document.querySelector('.schedule-run .step-place').textContent === 'step 40'").await;
    assert_eq!(page.count("#schedule-run-kept.wrong").await, 0);
    let rounds: Vec<u32> = texts(&page, "#schedule-run-kept .schedule-number")
        .await
        .iter()
        .map(|text| text.parse().expect("a number"))
        .collect();
    assert!(rounds.len() == 2 && rounds.iter().all(|rounds| *rounds > 2), "{rounds:?}");
    // Keys step the run here.
    page.press(&[Key::Left]).await;
    here(&page, "document.querySelector('.schedule-run .step-place').textContent === 'step 39'").await;
    // By hand: what is not admitted says why, and does nothing.
    page.click("#schedule-run-restart").await;
    page.click("#schedule-run-hand").await;
    here(&page, "document.querySelectorAll('#schedule-run-next button').length === 2").await;
    here(&page, "document.querySelectorAll('#schedule-run-next .schedule-reason').length > 0").await;
    page.click("#schedule-run-next button[aria-disabled=true]").await;
    here(&page, "document.querySelector('.schedule-run .step-place').textContent === 'step 0'").await;
    page.click("#schedule-run-next button[aria-disabled=false]").await;
    here(&page, "document.querySelector('.schedule-run .step-place').textContent === 'step 1'").await;
    // Another sheet keeps the run.
    page.click("#schedule-steps-tab").await;
    page.click("#schedule-run-tab").await;
    here(&page, "document.querySelector('.schedule-run .step-place').textContent === 'step 1'").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn interleavings_are_dots_that_constraints_exclude() {
    let page = verified(&example("increments")).await;
    page.click("#schedule-finite-tab").await;
    here(&page, "document.querySelectorAll('#schedule-dots .schedule-dot').length === 40").await;
    let before = page.count("#schedule-dots .schedule-dot.permitted").await;
    assert_eq!(page.count("#schedule-dots .schedule-dot.permitted.wrong").await, 0);
    page.click("#schedule-dots .schedule-dot").await;
    here(&page, "document.querySelectorAll('#schedule-dots [aria-pressed=true]').length === 1").await;
    assert!(before > 0);
    page.nothing_complained().await;
}

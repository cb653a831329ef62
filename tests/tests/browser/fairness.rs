//! Who can starve: algorithms followed step by step, questions to programs, growth, dice, links, a phone.

use fantoccini::key::Key;
use litmoscope::model::Model;
use litmoscope::session::link;
use serde_json::json;

use crate::page::{Page, settings};

fn example(name: &str) -> String {
    let file = format!("{}/../public/fairness/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"))
}

const TEST_AND_SET: &str = "shared l
while 1 {
  while xchg(l, 1) = 1 { }
  l := 0
}
||
while 1 {
  while xchg(l, 1) = 1 { }
  l := 0
}";

const MUTEX: &str = "shared m
while 1 {
  lock m
  unlock m
}
||
while 1 {
  lock m
  unlock m
}";

async fn here(page: &Page, condition: &str) {
    page.browser.wait_until(&format!("return {condition}"), vec![]).await;
}

async fn say(page: &Page, selector: &str, text: &str) {
    let condition = "return !!document.querySelector(arguments[0])?.textContent.includes(arguments[1])";
    page.browser.wait_until(condition, vec![json!(selector), json!(text)]).await;
}

/// The page with a graph, by its link.
async fn asked(text: &str) -> Page {
    let page = Page::open().await;
    page.go(&link::encode(&settings(text, Model::SC, 0))).await;
    here(&page, "!!document.querySelector('#fairness-first .fair-spot')").await;
    page
}

async fn choose(page: &Page, select: &str, label: &str) {
    let script = "const select = document.querySelector(arguments[0]);
        select.value = [...select.options].find(option => option.textContent === arguments[1]).value;
        select.dispatchEvent(new Event('change', { bubbles: true }))";
    page.browser.script(script, vec![json!(select), json!(label)]).await;
}

#[tokio::test]
async fn who_waits_for_a_lock_starves_if_fairness_is_weak() {
    let page = asked(&example("lock.fairness")).await;
    say(&page, "#fairness-answer", "From no vertex is there a run").await;
    assert_eq!(page.count("#fairness-first .node").await, 5);
    assert_eq!(page.count("#fairness-first .edge").await, 8);
    // By key, step by step.
    page.press(&[Key::Right]).await;
    say(&page, "#fairness-caption", "strongly connected component").await;
    here(&page, "document.querySelectorAll('#fairness-first .fair-spot.candidate').length === 5").await;
    for step in 2..14 {
        page.press(&[Key::Right]).await;
        here(&page, &format!("document.querySelector('#fairness-place').textContent.startsWith('step {step} of ')"))
            .await;
        if page.count("#fairness-first .fair-cross").await > 0 {
            break;
        }
    }
    say(&page, "#fairness-caption", "bad").await;
    page.press(&[Key::End]).await;
    say(&page, "#fairness-caption", "There is no good component").await;
    assert_eq!(page.count("#fairness-first .fair-spot.removed").await, 5);
    // Nothing has moved.
    let places = "return [...document.querySelectorAll('#fairness-first .fair-spot')].map(spot => spot.getAttribute('transform')).join()";
    let end = page.browser.script(places, vec![]).await;
    page.press(&[Key::Home]).await;
    here(&page, "!document.querySelector('#fairness-first .fair-spot.removed')").await;
    assert_eq!(page.browser.script(places, vec![]).await, end);
    // Without the promises of strong fairness.
    for pair in ["#fairness-pair-2", "#fairness-pair-3"] {
        page.click(pair).await;
        page.browser.settled().await;
    }
    say(&page, "#fairness-answer", "there is a run").await;
    page.press(&[Key::End]).await;
    here(&page, "document.querySelectorAll('#fairness-first .fair-spot.good').length === 2").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn two_algorithms_go_side_by_side() {
    let page = asked(&example("blocks-3.fairness")).await;
    choose(&page, "#fairness-limit", "never").await;
    page.click("#fairness-beside").await;
    here(&page, "document.querySelectorAll('#fairness-second .fair-spot').length === 8").await;
    say(&page, "#fairness-counts", "0 of 53").await;
    say(&page, "#fairness-counts-2", "0 of 57").await;
    page.press(&[Key::End]).await;
    say(&page, "#fairness-counts", "53 of 53").await;
    say(&page, "#fairness-counts-2", "57 of 57").await;
    // What has to hold behind each step, of both.
    assert_eq!(page.count(".fair-invariants").await, 0);
    page.click("#fairness-check").await;
    for list in ["#fairness-invariants", "#fairness-invariants-2"] {
        say(&page, list, "6.2").await;
        assert!(!page.text(list).await.contains('✗'));
    }
    assert_eq!(page.count("#fairness-first .fair-spot.good").await, 6);
    // A lock-step search has rings.
    page.press(&[Key::Home]).await;
    here(&page, "!document.querySelector('#fairness-first .fair-spot.good')").await;
    for step in 1..40 {
        page.press(&[Key::Right]).await;
        here(&page, &format!("document.querySelector('#fairness-place').textContent.startsWith('step {step} of ')"))
            .await;
        if page.count("#fairness-first .fair-ring").await > 0 {
            break;
        }
    }
    assert!(page.count("#fairness-first .fair-ring").await > 0);
    // By the same count.
    choose(&page, "#fairness-pace", "the same count").await;
    page.press(&[Key::Right, Key::Right]).await;
    say(&page, "#fairness-count", "of 57 symbolic steps").await;
    // As decision diagrams, the same counts.
    choose(&page, "#fairness-sets", "decision diagrams").await;
    say(&page, "#fairness-counts", "of 53").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_question_is_answered_by_a_run_that_goes_round() {
    let page = Page::open().await;
    page.go(&link::encode(&settings(TEST_AND_SET, Model::SC, 0))).await;
    page.press_char('G').await;
    say(&page, "#fairness-ready", "P0 waits for ever in line 3").await;
    page.click("#fairness-ready button").await;
    say(&page, "#fairness-starves", "There is such a run").await;
    let rows = page.count("#fairness-run tbody tr").await;
    assert!(rows > 1);
    // Round and round.
    for _ in 0..=rows {
        page.press(&[Key::Right]).await;
        page.browser.settled().await;
    }
    here(&page, "!!document.querySelector('#fairness-run tr.cycle[aria-current=step]')").await;
    // A question of one's own, with a mistake first.
    page.browser
        .script(
            "const line = document.querySelector('#fairness-question'); line.value = 'P0 at';
             line.dispatchEvent(new Event('input', { bubbles: true }))",
            vec![],
        )
        .await;
    page.click("#fairness-ask").await;
    say(&page, "#fairness-wrong", "the number of a line is missing here").await;
    page.go(&link::encode(&settings(MUTEX, Model::SC, 0))).await;
    page.press_char('G').await;
    say(&page, "#fairness-status", "5 vertices").await;
    say(&page, "#fairness-ready", "P0 waits for ever in line 3").await;
    page.click("#fairness-ready button").await;
    say(&page, "#fairness-starves", "strong fairness rules it out").await;
    page.click("#fairness-under-weak").await;
    say(&page, "#fairness-starves", "There is such a run").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_link_leads_to_the_step() {
    let page = asked(&example("blocks-3.fairness")).await;
    page.click("#fairness-steps-tab").await;
    page.press(&[Key::Right, Key::Right, Key::Right]).await;
    say(&page, "#fairness-place", "step 3 of").await;
    let caption = page.text("#fairness-caption").await;
    page.press_char('s').await;
    here(&page, "location.hash.startsWith('#4.')").await;
    let hash = page.browser.script("return location.hash", vec![]).await;
    let hash = hash.as_str().expect("an address").to_owned();
    let other = Page::open().await;
    other.go(&hash).await;
    say(&other, "#fairness-place", "step 3 of").await;
    assert_eq!(other.text("#fairness-caption").await, caption);
    here(&other, "document.querySelector('#fairness-steps-tab').getAttribute('aria-pressed') === 'true'").await;
    other.nothing_complained().await;
}

#[tokio::test]
async fn growth_is_computed_here_and_now() {
    let page = asked(&example("cascade-5.fairness")).await;
    page.click("#fairness-growth-tab").await;
    say(&page, "#fairness-growth-table", "9,640").await;
    say(&page, "#fairness-growth-table", "400").await;
    choose(&page, "#fairness-family", "random graphs").await;
    here(&page, "document.querySelectorAll('#fairness-chart circle').length === 80").await;
    assert_eq!(page.count("#fairness-chart .fair-guide").await, 2);
    choose(&page, "#fairness-family", "philosophers with coins").await;
    say(&page, "#fairness-growth-table", "150,438").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn dice_are_rolled_and_sets_are_diagrams() {
    let page = asked(&example("v6.fairness")).await;
    page.click("#fairness-chance-tab").await;
    say(&page, "#fairness-played", "1 move so far").await;
    page.click("#fairness-roll-1000").await;
    say(&page, "#fairness-played", "in a good end component").await;
    page.click("#fairness-diagram-tab").await;
    here(&page, "document.querySelectorAll('#fairness-diagram .node').length > 1").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_phone_shows_it() {
    let page = Page::open().await;
    page.browser.resize(390, 844).await;
    page.go(&link::encode(&settings(&example("lock.fairness"), Model::SC, 0))).await;
    here(&page, "!!document.querySelector('#fairness-first .fair-spot')").await;
    page.click("#fairness-forward").await;
    say(&page, "#fairness-place", "step 1 of").await;
    let wide = page.browser.script("return document.documentElement.scrollWidth", vec![]).await;
    assert!(wide.as_u64().is_some_and(|wide| wide <= 390), "{wide}");
    page.nothing_complained().await;
}

//! Repairs: what was found, what rules an execution out, the reader's own try, links.

use fantoccini::key::Key;
use litmoscope::model::Model;
use litmoscope::session::link;
use serde_json::json;

use crate::page::{Page, settings};

const SB: &str = "name SB\nx := 1\na := y\n||\ny := 1\nb := x\nexists (a = 0 /\\ b = 0)";
const FENCED: &str =
    "name Fenced\nx := 1\nfence sc\na := y\n||\ny := 1\nfence sc\nb := x\nfence sc\n~exists (a = 0 /\\ b = 0)";

async fn here(page: &Page, condition: &str) {
    page.browser.wait_until(&format!("return {condition}"), vec![]).await;
}

async fn say(page: &Page, selector: &str, text: &str) {
    let condition = "return !!document.querySelector(arguments[0])?.textContent.includes(arguments[1])";
    page.browser.wait_until(condition, vec![json!(selector), json!(text)]).await;
}

/// The page with a program, asked what repairs it.
async fn asked(text: &str) -> Page {
    let page = Page::open().await;
    page.go(&link::encode(&settings(text, Model::TSO, 0))).await;
    page.press_char('W').await;
    here(&page, "document.querySelector('.inquiry.repair')?.dataset.over === 'true'").await;
    page
}

async fn choose(page: &Page, select: &str, label: &str) {
    let script = "const select = document.querySelector(arguments[0]);
        select.value = [...select.options].find(option => option.textContent === arguments[1]).value;
        select.dispatchEvent(new Event('change', { bubbles: true }))";
    page.browser.script(script, vec![json!(select), json!(label)]).await;
}

#[tokio::test]
async fn repairs_are_gone_through() {
    let page = asked(SB).await;
    say(&page, "#repair-answer", "4 minimal repairs").await;
    here(&page, "document.querySelectorAll('#repair-found > li').length === 4").await;
    say(&page, "#repair-caption", "This execution is there.").await;
    // By key: the first one, and the edges that it makes.
    page.press(&[Key::Right]).await;
    say(&page, "#repair-caption", "Ruled out by store-order").await;
    here(&page, "!!document.querySelector('#repair-found [aria-current]')").await;
    page.click("#repair-before").await;
    say(&page, "#repair-caption", "This execution is there.").await;
    page.click("#repair-program-tab").await;
    here(&page, "document.querySelectorAll('#repair-lines .put').length === 2").await;
    // Fences alone, and an outcome of one's own.
    page.click("#repair-exchanges").await;
    say(&page, "#repair-answer", "1 minimal repair").await;
    page.browser
        .script(
            "const line = document.querySelector('#repair-outcome');
            line.value = 'c=1';
            line.dispatchEvent(new Event('input', { bubbles: true }))",
            vec![],
        )
        .await;
    page.click("#repair-ask").await;
    say(&page, "#repair-wrong", "c").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_changed_program_is_opened() {
    let page = asked(SB).await;
    here(&page, "document.querySelectorAll('#repair-found > li').length === 4").await;
    page.press(&[Key::Right]).await;
    page.click("#repair-program-tab").await;
    page.click("#repair-take").await;
    say(&page, "#repair-answer", "Nothing needs to change.").await;
    assert_eq!(page.program().await.matches("fence sc  // put in").count(), 2);
    page.nothing_complained().await;
}

#[tokio::test]
async fn readers_find_it_themselves() {
    let page = asked(SB).await;
    page.click("#repair-own-tab").await;
    // Two writes can be something else, and a fence can go in front of each read.
    here(&page, "document.querySelectorAll('#repair-places select').length === 2").await;
    page.click("#repair-place-1").await;
    say(&page, "#repair-tried", "still gets through").await;
    say(&page, "#repair-caption", "This execution still gets through. SC forbids it").await;
    page.click("#repair-place-3").await;
    say(&page, "#repair-tried", "nothing of this could be left out").await;
    choose(&page, "#repair-place-0", "exchange").await;
    say(&page, "#repair-tried", "Less would do, too.").await;
    choose(&page, "#repair-place-1", "no fence").await;
    say(&page, "#repair-tried", "nothing of this could be left out").await;
    page.click("#repair-clear").await;
    here(&page, "document.querySelector('#repair-tried').textContent === ''").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn what_is_not_needed_is_told_and_linked() {
    let page = asked(FENCED).await;
    say(&page, "#repair-answer", "Nothing needs to change.").await;
    choose(&page, "#repair-asks", "weakenings").await;
    say(&page, "#repair-answer", "1 maximal weakening").await;
    here(&page, "document.querySelectorAll('#repair-needed > li').length === 2").await;
    say(&page, "#repair-caption", "Then this execution would be there.").await;
    page.press_char('s').await;
    here(&page, "location.hash.startsWith('#4.')").await;
    let hash = page.browser.script("return location.hash", vec![]).await;
    let hash = hash.as_str().expect("an address").to_owned();
    let other = Page::open().await;
    other.go(&hash).await;
    say(&other, "#repair-answer", "1 maximal weakening").await;
    other.nothing_complained().await;
}

#[tokio::test]
async fn a_phone_shows_it() {
    let page = Page::open().await;
    page.browser.resize(390, 844).await;
    page.go(&link::encode(&settings(SB, Model::TSO, 0))).await;
    page.press_char('W').await;
    here(&page, "document.querySelectorAll('#repair-found > li').length === 4").await;
    page.click("#repair-forward").await;
    say(&page, "#repair-caption", "Ruled out by store-order").await;
    let wide = page.browser.script("return document.documentElement.scrollWidth", vec![]).await;
    assert!(wide.as_u64().is_some_and(|wide| wide <= 390), "{wide}");
    page.nothing_complained().await;
}

#[tokio::test]
async fn lines_are_left_alone_and_both_programs_shown() {
    let page = asked(SB).await;
    say(&page, "#repair-answer", "4 minimal repairs").await;
    page.click("#repair-program-tab").await;
    // The second read: the fence in front of it can't be, so its write is an exchange.
    page.click("#repair-lines button[aria-label^='line 6']").await;
    say(&page, "#repair-answer", "2 minimal repairs").await;
    here(&page, "document.querySelector('#repair-lines [aria-pressed=true]')?.textContent === '6'").await;
    page.press(&[Key::Right]).await;
    here(&page, "!!document.querySelector('#repair-lines .changed')").await;
    page.click("#repair-both").await;
    here(&page, "document.querySelectorAll('.beside-body svg').length >= 2").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn what_was_found_asks_what_would_forbid_it() {
    let page = Page::open().await;
    page.go(&link::encode(&settings(SB, Model::TSO, u64::MAX))).await;
    say(&page, "#condition", "exists").await;
    page.click("#condition .ask-repair").await;
    say(&page, "#repair-answer", "4 minimal repairs").await;
    // An outcome that was asked about, under another model.
    page.press_char('w').await;
    say(&page, "#why-verdict", "allow").await;
    page.click("#why-pso").await;
    say(&page, "#why-verdict", "PSO").await;
    page.click("#why-repair").await;
    say(&page, "#repair-answer", "SB under PSO: 4 minimal repairs").await;
    // Without a condition, what goes wrong.
    page.go(&link::encode(&settings("x := 1 || assert x = 0", Model::RC11, u64::MAX))).await;
    page.click(".ask-wrong .ask-repair").await;
    say(&page, "#repair-answer", "nothing forbids an error").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_lesson_leads_through_it() {
    let page = Page::open().await;
    page.go("#tour=repairs:1").await;
    say(&page, "#repair-tried", "still gets through").await;
    page.press(&[Key::PageDown]).await;
    say(&page, "#repair-caption", "Ruled out by coherence").await;
    page.press(&[Key::PageDown]).await;
    say(&page, "#repair-caption", "Ruled out by psc").await;
    page.nothing_complained().await;
}

//! Programs with handlers: how they are explored, what is said of their messages, and both kinds of mailbox beside each other.

use crate::beside::TWO_GRAPHS;
use crate::page::{Page, STORE_BUFFERING};
use serde_json::json;

const TYPE_AHEAD: &str = include_str!("../../../public/handlers/type-ahead.lit");
const CHOSEN: &str = "return [document.querySelector('#algorithm').value, document.querySelector('#model').value]";

#[tokio::test]
async fn a_program_with_handlers_is_explored_by_what_knows_them() {
    let page = Page::open().await;
    let before = page.browser.script(CHOSEN, vec![]).await;
    page.type_program(TYPE_AHEAD).await;
    page.browser.wait_until("return document.querySelector('#algorithm').value === 'messages'", vec![]).await;
    assert_eq!(page.browser.script(CHOSEN, vec![]).await, json!(["messages", "sc"]));
    assert!(page.count("#algorithm option[value=genmc]:disabled").await == 1);
    page.click("#run").await;
    page.browser.settled().await;
    // Whole: two executions, one of which ends badly, since the messages race.
    assert_eq!(page.count("#outcomes tbody tr").await, 2);
    assert_eq!(page.count("#outcomes tr.satisfying").await, 1);
    assert_eq!(page.count("#messages li").await, 1);
    // Who asks why knows no handlers.
    assert_eq!(page.count("#ask-condition.away").await + page.count(".ask-other.away").await, 2);
    assert!(page.text("#messages").await.contains("race on shown: nothing orders them"));
    page.click("#messages button").await;
    page.browser.settled().await;
    assert!(page.count("#graph .node[data-label='get(key(1))']").await == 1);
    assert!(page.count("#graph .node[data-label='post(net.ask(1))']").await == 1);
    // And what was chosen before comes back with a program without handlers.
    page.type_program(STORE_BUFFERING).await;
    page.browser.wait_until("return document.querySelector('#algorithm').value !== 'messages'", vec![]).await;
    assert_eq!(page.browser.script(CHOSEN, vec![]).await, before);
    page.nothing_complained().await;
}

#[tokio::test]
async fn queues_stand_beside_multisets() {
    let page = Page::open().await;
    page.type_program(TYPE_AHEAD).await;
    page.browser.wait_until("return document.querySelector('#algorithm').value === 'messages'", vec![]).await;
    page.click("#forward").await;
    page.browser.settled().await;
    page.press_char('b').await;
    page.browser.wait_until(TWO_GRAPHS, vec![]).await;
    let other =
        "const select = document.querySelector('#right-program') ?? document.querySelector('#side-right select');
        return [...document.querySelectorAll('#side-right option:checked')].map(option => option.textContent)";
    let chosen = page.browser.script(other, vec![]).await;
    assert!(chosen.as_array().is_some_and(|all| all.contains(&json!("the same with multisets"))), "{chosen}");
    page.nothing_complained().await;
}

#[tokio::test]
async fn what_is_wrong_with_handlers_is_said_in_place() {
    let page = Page::open().await;
    page.type_program("shared x\nhandler h queue\nmessage m on g { x := 1 }\n\npost h.m").await;
    page.browser.wait_until("return document.body.textContent.includes('there is no handler')", vec![]).await;
    page.nothing_complained().await;
}

//! Models compared, and tests made from cycles.

use crate::page::{LONG, Page, STORE_BUFFERING};
use fantoccini::Locator;
use fantoccini::key::Key;
use serde_json::json;

/// The whole text of what a comparison says of the first row: `SC ✗`, `TSO 1`, ...
const FIRST_ROW: &str =
    "const heads = [...document.querySelectorAll('#compare-table th.model')].map(th => th.textContent);
    return [...document.querySelectorAll('#compare-table .compared:first-child .cell')]
        .map((cell, at) => heads[at] + ' ' + cell.textContent)";
const COMPARED: &str = "return document.querySelector('.compare').dataset.over === 'true'
    && !!document.querySelector('#compare-table')";

#[tokio::test]
async fn models_are_compared_and_a_cell_shows_why() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.click("#models").await;
    page.browser.wait_until(COMPARED, vec![]).await;
    assert_eq!(page.count("#compare-table .compared").await, 4);
    assert_eq!(page.count("#compare-table .compared.satisfying").await, 1);
    let row = ["SC ✗", "TSO 1", "PSO 1", "SRA 1", "RA 1", "WRA 1", "RC11 1", "RC20 1", "Coherence 1"];
    assert_eq!(page.browser.script(FIRST_ROW, vec![]).await, json!(row));

    // With the mouse: the cycle that SC forbids, and an execution of RA.
    page.click("#compare-table [data-row='0'][data-model=ra]").await;
    page.browser.wait_until("return document.querySelector('#allowed-model')?.value === 'ra'", vec![]).await;
    page.browser.wait_until("return !!document.querySelector('#forbidden-graph .edge.in-cycle')", vec![]).await;
    assert_eq!(page.count("#forbidden-graph .edge.in-cycle").await, 4);
    assert_eq!(page.count("#allowed-graph .edge.in-cycle").await, 0);
    assert!(page.text("#forbidden .side-text").await.starts_with("SC forbids it"));
    assert!(page.text("#cycle-in-words").await.contains("fr"));
    // With the keyboard: the next row is allowed by all.
    page.press(&[Key::Down, Key::Enter]).await;
    page.browser.wait_until("return document.querySelector('#pair code').textContent.includes('P1:b=1')", vec![]).await;
    assert_eq!(page.text("#forbidden .side-text").await, "No model forbids this outcome.");
    // Back to the first row, and from there into the exploration.
    page.press(&[Key::Up, Key::Enter]).await;
    page.browser.wait_until("return document.querySelectorAll('#forbidden-graph .in-cycle').length > 0", vec![]).await;
    page.click("#open-in-genmc").await;
    page.browser.settled().await;
    assert_eq!(page.text("#step-name").await, "complete");
    assert_eq!(page.browser.script("return document.querySelector('#model').value", vec![]).await, json!("ra"));
    assert_eq!(page.count("#graph .node[data-label='R(x,0)'], #graph .node[data-label='R(y,0)']").await, 2);
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_comparison_goes_with_the_program_and_can_be_stopped() {
    let page = Page::open().await;
    page.click("#models").await;
    // The button is to be that of the next comparison.
    page.browser.wait_until(COMPARED, vec![]).await;
    page.type_program(LONG).await;
    page.browser.wait_until("return !!document.querySelector('#compare-stop')", vec![]).await;
    page.click("#compare-stop").await;
    page.browser.wait_until("return document.querySelector('.compare').dataset.over === 'true'", vec![]).await;
    assert!(page.text("#compare-status").await.starts_with("Stopped while"));
    // What no candidate execution has is said.
    page.type_program("a := x || b := y\ny := a || x := b\n\nexists (P0:a = 1 /\\ P1:b = 1)").await;
    page.browser.wait_until("return !!document.querySelector('#compare-table .absent')", vec![]).await;
    assert!(page.text("#compare-table .absent .why").await.contains("no candidate execution"));
    // Programs with errors are not compared.
    page.type_program("x := (").await;
    page.click("#compare-close").await;
    assert_eq!(page.text("#step-name").await, "start");
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_test_is_made_from_a_cycle() {
    let page = Page::open().await;
    page.type_program("mine := 1 || a := mine").await;
    page.click("#open-cycle").await;
    for (edge, closes) in [("PodWR", false), ("Fre", false), ("PodWR", false), ("Fre", true)] {
        assert_eq!(page.count(&format!(".edge-offer[data-edge={edge}] .closes")).await, u64::from(closes));
        page.click(&format!(".edge-offer[data-edge={edge}]")).await;
    }
    page.browser.expect_text("#cycle-state", "A closed cycle: SB").await;
    page.browser.wait_until("return document.querySelector('#cycle-verdicts')?.dataset.done === 'true'", vec![]).await;
    let allowed = page.browser.script(
        "return [...document.querySelectorAll('.verdict-cell.allowed')].map(cell => cell.dataset.model)",
        vec![],
    );
    assert_eq!(allowed.await, json!(["tso", "pso", "sra", "ra", "wra", "rc11", "rc20", "coherence"]));
    // Only what can follow is offered.
    page.click("#cycle-undo").await;
    assert_eq!(page.text("#cycle-state").await, "Not a test yet");
    assert_eq!(page.count(".edge-offer[data-edge=Rfe]").await, 0);
    // Written, with a mistake, and mended.
    page.click("#cycle-clear").await;
    let field = page.browser.find(Locator::Css("#cycle-text")).await.expect("there is a field");
    field.send_keys("MFencedWR Fre Podwr").await.expect("the field takes keys");
    page.browser.wait_until("return !!document.querySelector('#cycle-problems li')", vec![]).await;
    assert!(page.text("#cycle-problems").await.contains("Podwr"));
    page.click("#cycle-undo").await;
    field.send_keys(" MFencedWR Fre").await.expect("the field takes keys");
    let notation = page.browser.find(Locator::Css("#cycle-notation")).await.expect("there is a picker");
    notation.select_by_value("x86").await.expect("X86 can be picked");
    page.browser
        .wait_until("return document.querySelector('#cycle-test')?.textContent.startsWith('X86 ')", vec![])
        .await;
    page.click("#cycle-open").await;
    page.browser.settled().await;
    assert!(page.program().await.contains("MFENCE"), "{}", page.program().await);
    page.click("#restore").await;
    page.browser.settled().await;
    assert_eq!(page.program().await, "mine := 1 || a := mine");
    page.nothing_complained().await;
}

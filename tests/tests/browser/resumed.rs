//! What goes on after a reload or behind a link: two explorations side by side, and a lecture.

use crate::beside::TWO_GRAPHS;
use crate::lecture::script;
use crate::page::{Page, STORE_BUFFERING, settings};
use fantoccini::Locator;
use fantoccini::key::Key;
use litmoscope::explore::Algorithm;
use litmoscope::model::Model;
use litmoscope::session::link::{Linked, encode, encode_pair, encode_script, open};
use litmoscope::session::{Pair, Settings};
use serde_json::{Value, json};

/// What both are, and where.
const BOTH: &str = "return ['left', 'right'].map(side => [
        document.querySelector(`#${side}-model`).value,
        document.querySelector(`#${side}-algorithm`).value,
        parseInt(document.querySelector(`#${side}-position`).textContent.slice(5)),
    ]).concat([document.querySelector('#beside-linked').checked])";

impl Page {
    async fn pick_beside(&self, selector: &str, value: &str) {
        let picker = self.browser.find(Locator::Css(selector)).await.expect(selector);
        picker.select_by_value(value).await.expect(value);
        self.browser.wait_until(TWO_GRAPHS, vec![]).await;
    }

    async fn both(&self) -> Value {
        self.browser.wait_until(TWO_GRAPHS, vec![]).await;
        self.browser.script(BOTH, vec![]).await
    }

    /// What was done a moment ago is written down, and the page is loaded again.
    async fn reload(&self) {
        self.kept().await;
        self.browser.refresh().await.expect("the page can be loaded again");
        self.browser.settled().await;
    }
}

#[tokio::test]
async fn two_explorations_are_shared_and_survive_a_reload() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape]).await;
    page.press_char('b').await;
    page.pick_beside("#left-model", "sc").await;
    page.pick_beside("#right-model", "tso").await;
    page.pick_beside("#right-algorithm", "trust_co").await;
    page.click("#both-reset").await;
    page.browser.script("document.activeElement.blur()", vec![]).await;
    page.press_char('n').await;
    page.press_char('n').await;
    page.click("#beside-linked").await;
    for _ in 0..3 {
        page.click("#right-forward").await;
        page.browser.wait_until(TWO_GRAPHS, vec![]).await;
    }
    let stands = json!([["sc", "genmc", 2], ["tso", "trust_co", 5], false]);
    assert_eq!(page.both().await, stands);

    // Without a link.
    page.reload().await;
    assert_eq!(page.both().await, stands);

    // The link says it all.
    page.browser.script("document.activeElement.blur()", vec![]).await;
    page.press_char('s').await;
    page.browser.wait_until("return location.hash.startsWith('#3.')", vec![]).await;
    let fragment = page.browser.script("return location.hash", vec![]).await;
    let fragment = fragment.as_str().expect("a text").to_owned();
    let Ok(Linked::Pair(pair)) = open(&fragment) else { panic!("{fragment}") };
    assert_eq!((pair.left, pair.together), (settings(STORE_BUFFERING, Model::SC, 2), false));
    let right = Settings { algorithm: Algorithm::TrustCo, ..settings(STORE_BUFFERING, Model::TSO, 5) };
    assert_eq!(pair.right, right);
    // After a reload it goes on, whatever the link says.
    page.click("#left-forward").await;
    page.browser.wait_until(TWO_GRAPHS, vec![]).await;
    page.reload().await;
    assert_eq!(page.both().await, json!([["sc", "genmc", 3], ["tso", "trust_co", 5], false]));

    // Somebody else.
    let other = Page::open().await;
    other.go(&fragment).await;
    assert_eq!(other.both().await, stands);
    let labels = "return [...document.querySelectorAll('#right-graph .node')].map(node => node.dataset.label)";
    assert_eq!(other.browser.script(labels, vec![]).await, page.browser.script(labels, vec![]).await);
    // The left one goes on alone, and a plain link ends it.
    other.click("#beside-close").await;
    other.browser.settled().await;
    assert_eq!(other.text("#position").await, "2");
    other.nothing_complained().await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn another_program_on_the_right_is_in_the_link() {
    let page = Page::open().await;
    let mine = Settings { algorithm: Algorithm::Trust, ..settings("// mine\nx := 1 || mine := x", Model::RA, 3) };
    let pair = Pair { left: settings(STORE_BUFFERING, Model::SC, 4), right: mine, together: true };
    page.go(&encode_pair(&pair).expect("it is short")).await;
    assert_eq!(page.both().await, json!([["sc", "genmc", 4], ["ra", "trust", 3], true]));
    let chosen =
        "const picker = document.querySelector('#right-program'); return picker.selectedOptions[0].textContent";
    assert_eq!(page.browser.script(chosen, vec![]).await, json!("mine"));
    assert_eq!(page.program().await, STORE_BUFFERING);
    page.reload().await;
    assert_eq!(page.both().await, json!([["sc", "genmc", 4], ["ra", "trust", 3], true]));
    assert_eq!(page.browser.script(chosen, vec![]).await, json!("mine"));
    page.nothing_complained().await;

    // A link to one step, opened on top of it, shows that step.
    let one = encode(&settings(STORE_BUFFERING, Model::TSO, 6));
    page.browser.script("location.hash = arguments[0]", vec![json!(one)]).await;
    page.browser.wait_until("return !('beside' in document.body.dataset)", vec![]).await;
    page.browser.settled().await;
    page.says("#position", "6").await;

    // One that is no program is said to be none; a damaged link changes nothing.
    let broken = Pair { right: settings("x := := 1", Model::SC, 7), ..pair };
    page.go(&encode_pair(&broken).expect("it is short")).await;
    page.browser.wait_until("return !!document.querySelector('#right-text .trouble')?.textContent", vec![]).await;
    page.browser.wait_until("return !!document.querySelector('#left-graph .camera *')", vec![]).await;
    page.browser.script("location.hash = '#3.AAAA'", vec![]).await;
    page.browser.wait_until("return !!document.querySelector('.notice.bad')", vec![]).await;
    assert_eq!(page.program().await, STORE_BUFFERING);
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_lecture_goes_on_after_a_reload() {
    let page = Page::open().await;
    page.go(&encode_script(&script()).expect("it is short")).await;
    page.press_char('l').await;
    page.press(&[Key::PageDown]).await;
    page.says("#explanation", "Both reads are there.").await;
    page.says("#position", "9").await;
    page.browser.settled().await;
    page.reload().await;
    page.lecture(true).await;
    page.says("#lecture-place", "Scene 2 of 3").await;
    page.says("#explanation", "Both reads are there.").await;
    page.says("#position", "9").await;
    page.browser.wait_until("return !!document.querySelector('#graph .edge.rel-rf.thick')", vec![]).await;
    const POINTED: &str = "return !!document.querySelector('#graph .node.pointed[data-event=\"P1.2\"]')";
    page.browser.wait_until(POINTED, vec![]).await;

    // Whoever had stepped on from the scene is where that led to.
    page.press(&[Key::Right]).await;
    page.says("#position", "10").await;
    page.reload().await;
    page.says("#lecture-place", "Scene 2 of 3").await;
    page.says("#position", "10").await;
    assert_ne!(page.text("#explanation").await, "Both reads are there.");

    // A question that waits for its answer still does, and shows nothing that would give it away.
    page.press(&[Key::PageDown]).await;
    page.browser.wait_until("return !!document.querySelector('#question-sentence')?.checkVisibility()", vec![]).await;
    page.reload().await;
    page.browser.wait_until("return !!document.querySelector('#question-sentence')?.checkVisibility()", vec![]).await;
    assert_eq!(
        page.browser.script("return document.querySelector('#graph').checkVisibility()", vec![]).await,
        json!(false)
    );
    page.press_char('1').await;
    page.press(&[Key::PageDown]).await;
    page.press(&[Key::PageUp]).await;
    page.says("#explanation", "Both reads are there.").await;

    // A closed tab, too.
    page.kept().await;
    page.new_tab().await;
    page.lecture(true).await;
    page.says("#lecture-place", "Scene 2 of 3").await;
    page.says("#explanation", "Both reads are there.").await;

    // Out of it, all relations are shown again that the reader had chosen.
    page.press(&[Key::Escape]).await;
    page.lecture(false).await;
    let shown = "return document.querySelectorAll('.legend [aria-pressed=true]').length";
    let few = page.browser.script(shown, vec![]).await.as_u64().expect("a count");
    page.click("#scenes-leave").await;
    page.browser.settled().await;
    let all = page.browser.script(shown, vec![]).await.as_u64().expect("a count");
    assert!(few < all, "{few} {all}");
    page.reload().await;
    assert_eq!(page.count("#lecture-bar").await, 0);
    page.nothing_complained().await;
}

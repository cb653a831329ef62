//! Beginning with a program: an empty one, one of another notation; and from what was counted to what it counts.

use crate::page::{Page, STORE_BUFFERING, settings};
use fantoccini::Locator;
use fantoccini::key::Key;
use litmoscope::model::Model;
use litmoscope::session::link::encode;
use serde_json::json;

const X86: &str = "X86 SB\n{}\n P0         | P1         ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
                   exists (0:EAX=0 /\\ 1:EAX=0)\n";
const C11: &str = "C SB\n{}\nP0 (atomic_int* x, atomic_int* y) {\n  atomic_store_explicit(x, 1, memory_order_relaxed);\n  \
                   int r0 = atomic_load_explicit(y, memory_order_relaxed);\n}\nP1 (atomic_int* x, atomic_int* y) {\n  \
                   atomic_store_explicit(y, 1, memory_order_relaxed);\n  int r0 = atomic_load_explicit(x, \
                   memory_order_relaxed);\n}\nexists (0:r0=0 /\\ 1:r0=0)\n";
const MODEL: &str = "return document.querySelector('#model').value";

impl Page {
    /// Puts a text in the place of the one that is there, as from the clipboard.
    async fn paste(&self, text: &str) {
        self.click("#editor").await;
        self.browser.script("document.querySelector('#editor').select()", vec![]).await;
        self.browser.devtools("Input.insertText", json!({ "text": text })).await;
        self.browser.settled().await;
    }

    async fn choose_model(&self, name: &str) {
        let select = self.browser.find(Locator::Css("#model")).await.expect("there is a picker");
        select.select_by_value(name).await.expect("it can be picked");
        self.browser.settled().await;
    }
}

#[tokio::test]
async fn a_notation_suggests_its_model() {
    let page = Page::open().await;
    page.choose_model("rc11").await;
    page.paste(STORE_BUFFERING).await;
    assert_eq!(page.count("#fitting").await, 0);
    page.paste(X86).await;
    assert_eq!(page.text("#fitting span").await, "This is an x86 test, explored under RC11.");
    assert_eq!(page.browser.script(MODEL, vec![]).await, json!("rc11"));
    // Taken, with the keyboard.
    page.browser.script("document.querySelector('#take-fitting').focus()", vec![]).await;
    page.press(&[Key::Enter]).await;
    page.browser.wait_until("return document.querySelector('#model').value === 'tso'", vec![]).await;
    assert_eq!(page.count("#fitting").await, 0);
    page.click("#run").await;
    page.browser.settled().await;
    assert_eq!(page.number("#count-complete").await, 4);

    // Put away, it stays away, after a reload too; another model is another matter.
    page.paste(C11).await;
    assert_eq!(page.text("#take-fitting").await, "Explore it under RC11");
    page.click("#fitting .close").await;
    page.browser.wait_until("return !document.querySelector('#fitting')", vec![]).await;
    page.click("#forward").await;
    page.kept().await;
    page.browser.refresh().await.expect("the page can be loaded again");
    page.browser.settled().await;
    assert_eq!(page.browser.script(MODEL, vec![]).await, json!("tso"));
    assert_eq!(page.count("#fitting").await, 0);
    page.choose_model("sc").await;
    assert_eq!(page.text("#fitting span").await, "This is a C11 test, explored under SC.");
    page.choose_model("rc11").await;
    assert_eq!(page.count("#fitting").await, 0);
    // What a link says is meant so.
    page.go(&encode(&settings(X86, Model::Rc11, 2))).await;
    assert_eq!(page.browser.script(MODEL, vec![]).await, json!("rc11"));
    assert_eq!(page.count("#fitting").await, 0);
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_program_is_written_from_nothing() {
    let page = Page::open().await;
    page.type_program("// mine\nmine := 1 || a := mine").await;
    page.press(&[Key::Escape]).await;
    page.click("#new").await;
    page.browser.wait_until("return document.activeElement.id === 'editor'", vec![]).await;
    page.browser.settled().await;
    assert_eq!(page.program().await, "");
    assert!(page.text("#stale").await.starts_with("There is no program yet"));
    // That is no error, and nothing looks like one.
    assert_eq!(page.count("#problems li, .editor .mark, .stale:not(.calm), #editor[aria-invalid=true]").await, 0);
    assert_eq!(page.text("#problems-summary").await, "");
    let hint = "return document.querySelector('#editor').placeholder";
    assert!(page.browser.script(hint, vec![]).await.as_str().is_some_and(|hint| hint.contains("x := 1 || y := 1")));
    page.control("z").await;
    page.browser.settled().await;
    assert_eq!(page.program().await, "// mine\nmine := 1 || a := mine");
    page.browser.script("document.activeElement.blur()", vec![]).await;
    page.click("#new").await;
    page.browser.wait_until("return document.activeElement.id === 'editor'", vec![]).await;
    page.browser.settled().await;
    // Typed at once, and explored.
    let editor = page.browser.find(Locator::Css("#editor")).await.expect("there is an editor");
    editor.send_keys(STORE_BUFFERING).await.expect("it takes keys");
    page.browser.settled().await;
    page.click("#run").await;
    page.browser.settled().await;
    assert_eq!(page.number("#count-complete").await, 3);
    // What was there before comes back.
    page.click("#restore").await;
    page.browser.settled().await;
    assert_eq!(page.program().await, "// mine\nmine := 1 || a := mine");

    // From the gallery, too, on a telephone, and with keys alone.
    page.browser.resize(390, 844).await;
    page.click("#open-gallery").await;
    page.browser.wait_until("return !!document.querySelector('#gallery .card')", vec![]).await;
    page.browser.script("document.querySelector('#gallery-new').focus()", vec![]).await;
    page.press(&[Key::Enter]).await;
    page.browser.wait_until("return document.activeElement.id === 'editor'", vec![]).await;
    assert_eq!(page.program().await, "");
    page.nothing_complained().await;
}

#[tokio::test]
async fn counts_lead_to_what_they_count() {
    let page = Page::open().await;
    page.type_program("x := 1; x := 2 || a := x; b := x || c := x; assume c = 2").await;
    page.press(&[Key::Escape]).await;
    page.click("#run").await;
    page.browser.settled().await;
    const FOUND: &str = "return document.querySelector('#tree-found').textContent.startsWith(arguments[0])";
    for (name, words) in [("dropped", "graphs that were dropped"), ("blocked", "blocked executions")] {
        let count = page.number(&format!("#count-{name}")).await;
        assert!(count > 1, "{name}: {count}");
        page.click(&format!("#count-{name} button")).await;
        page.browser.wait_until(FOUND, vec![json!(format!("1 of {count} visits"))]).await;
        page.browser.settled().await;
        assert!(page.text("#tree-found").await.ends_with(words));
        let first = page.number("#position").await;
        // The next by another click or by keys, and back.
        page.click(&format!("#count-{name} button")).await;
        page.browser.wait_until(FOUND, vec![json!(format!("2 of {count} visits"))]).await;
        page.browser.settled().await;
        let second = page.number("#position").await;
        assert!(first < second, "{name}: {first} {second}");
        page.press_char('p').await;
        page.browser.wait_until(FOUND, vec![json!(format!("1 of {count} visits"))]).await;
        page.browser.settled().await;
        assert_eq!(page.number("#position").await, first);
        page.press_char('n').await;
        page.browser.wait_until(FOUND, vec![json!(format!("2 of {count} visits"))]).await;
        page.press(&[Key::Enter]).await;
        page.browser.wait_until(FOUND, vec![json!(format!("{} of {count} visits", 3.min(count)))]).await;
    }
    // Nothing counted leads nowhere.
    assert_eq!(page.count("#count-duplicates button:disabled").await, 1);

    // What was counted beside the steps may not have been met by them.
    page.press_char('r').await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape]).await;
    page.press_char('a').await;
    page.browser.wait_until("return document.querySelector('#count-dropped').textContent !== '0'", vec![]).await;
    page.click("#count-dropped button").await;
    page.browser
        .wait_until(
            "return document.querySelector('#notice').textContent.startsWith('There is none in the steps so far')",
            vec![],
        )
        .await;
    page.nothing_complained().await;
}

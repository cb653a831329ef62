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
async fn a_notation_chooses_its_model() {
    let page = Page::open().await;
    let chosen = async || page.browser.script(MODEL, vec![]).await;
    page.choose_model("pso").await;
    page.paste(STORE_BUFFERING).await;
    assert_eq!((chosen().await, page.count("#because").await), (json!("pso"), 0));
    page.paste(X86).await;
    assert_eq!(
        (chosen().await, page.text("#because").await),
        (json!("tso"), "TSO, since this is x86 code.".to_owned())
    );
    page.click("#run").await;
    page.browser.settled().await;
    assert_eq!(page.number("#count-complete").await, 4);
    assert_eq!(page.text("#condition span").await, "allowed: 1 of 4 executions ends so");
    assert_eq!(page.text("#verdict").await, "Everything was explored.");
    assert_eq!(page.count("#verdict.ok, #verdict.violated, #condition.holds, #condition.fails").await, 0);

    // The reader has the last word, after a reload too.
    page.choose_model("sc").await;
    assert_eq!(page.count("#because").await, 0);
    page.paste(&format!("{X86}\n")).await;
    assert_eq!(chosen().await, json!("sc"));
    page.click("#run").await;
    page.browser.settled().await;
    assert_eq!(page.text("#condition span").await, "forbidden: no execution ends so");
    assert_eq!(page.count("#verdict.violated, #condition.fails").await, 0);
    page.click("#forward").await;
    page.kept().await;
    page.browser.refresh().await.expect("the page can be loaded again");
    page.browser.settled().await;
    assert_eq!(chosen().await, json!("sc"));

    // Another notation is another matter. With an algorithm that does not know the model, it takes one that does.
    let select = page.browser.find(Locator::Css("#algorithm")).await.expect("there is a picker");
    select.select_by_value("rf_smc").await.expect("it can be picked");
    page.paste(C11).await;
    assert_eq!((chosen().await, page.text("#because").await), (json!("rc11"), "RC11, since this is C.".to_owned()));
    page.click("#run").await;
    page.browser.settled().await;
    assert_eq!(page.number("#count-complete").await, 4);
    // What was chosen before comes back with a program that asks for nothing.
    page.paste(STORE_BUFFERING).await;
    assert_eq!((chosen().await, page.count("#because").await), (json!("sc"), 0));
    // What a link says is meant so.
    page.go(&encode(&settings(X86, Model::RC11, 2))).await;
    assert_eq!((chosen().await, page.count("#because").await), (json!("rc11"), 0));
    page.nothing_complained().await;
}

/// Three keys, as soon as there is a page.
const EARLY: &str = "addEventListener('DOMContentLoaded', () => {
    for (const key of ['ArrowRight', 'ArrowRight', 'x', 'ArrowRight'])
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
})";

#[tokio::test]
async fn a_step_that_is_asked_for_too_early_is_taken() {
    let page = Page::unopened().await;
    page.before(EARLY).await;
    page.go("").await;
    page.browser.wait_until("return document.querySelector('#position')?.textContent === '3'", vec![]).await;
    // Once.
    page.press(&[Key::Right]).await;
    page.browser.settled().await;
    assert_eq!(page.text("#position").await, "4");
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_gallery_is_searched_by_family_and_model() {
    let page = Page::open().await;
    let shown = async || {
        page.browser
            .script("return [...document.querySelectorAll('#gallery .card')].map(card => card.dataset.example)", vec![])
            .await
    };
    let pick = async |id: &str, value: &str| {
        let select = page.browser.find(Locator::Css(id)).await.expect("there is a picker");
        select.select_by_value(value).await.expect("it can be picked");
    };
    page.click("#open-gallery").await;
    page.browser.wait_until("return !!document.querySelector('#gallery .card')", vec![]).await;
    pick("#gallery-family", "Peterson").await;
    assert_eq!(shown().await, json!(["Peterson", "Peterson+fences", "Peterson+RMW"]));
    pick("#gallery-model", "RC11").await;
    let of_both = shown().await;
    assert!(of_both.as_array().is_some_and(|all| all.len() < 3), "{of_both}");
    pick("#gallery-model", "").await;
    let field = page.browser.find(Locator::Css("#gallery-search")).await.expect("there is a field");
    field.send_keys("fences").await.expect("it takes keys");
    assert_eq!(shown().await, json!(["Peterson+fences"]));
    // What was looked for is there again.
    page.click("#gallery .close").await;
    page.click("#open-gallery").await;
    assert_eq!(shown().await, json!(["Peterson+fences"]));
    let words = page.browser.script("return document.querySelector('#gallery-search').value", vec![]).await;
    assert_eq!(words, json!("fences"));
    // What is no program has its lab, by which it is found, too.
    const FAMILIES: &str = "return [...document.querySelectorAll('#gallery-family option')].map(one => one.value)";
    let families = page.browser.script(FAMILIES, vec![]).await;
    let families: Vec<String> = serde_json::from_value(families).expect("a list of texts");
    for family in ["SB", "Handlers", "Traces", "Linearizability", "Memories"] {
        assert!(families.iter().any(|one| one == family), "{families:?}");
    }
    assert!(!families.iter().any(|one| ["Two", "No", "Double", "Type"].contains(&one.as_str())), "{families:?}");
    pick("#gallery-family", "").await;
    const BADGES: &str =
        "return [...new Set([...document.querySelectorAll('#gallery .card-model')].map(e => e.textContent))]";
    for (typed, badge) in [("linearizability", "Linearizability"), ("memories", "Memories")] {
        field.clear().await.expect("it can be cleared");
        field.send_keys(typed).await.expect("it takes keys");
        assert_eq!(page.browser.script(BADGES, vec![]).await, json!([badge]));
        assert!(page.count("#gallery .card").await >= 10);
    }
    // On a telephone all of it can be used.
    page.browser.resize(390, 844).await;
    page.browser.settled().await;
    const ROWS: &str = "const of = s => document.querySelector(s).getBoundingClientRect();
        const [head, close, search, family] =
            ['#gallery-title', '#gallery .close', '#gallery-search', '#gallery-family'].map(of);
        const dialog = document.querySelector('#gallery');
        return close.right <= innerWidth && Math.abs(head.top + head.bottom - close.top - close.bottom) < 16
            && search.top >= close.bottom && search.width > 300 && family.top >= search.bottom
            && dialog.scrollWidth <= dialog.clientWidth";
    assert_eq!(page.browser.script(ROWS, vec![]).await, json!(true));
    page.nothing_complained().await;
}

#[tokio::test]
async fn what_an_exploration_knows_of_a_text_is_said() {
    let page = Page::open().await;
    page.paste("f := 1 || while f = 0 { skip }; a := f").await;
    page.browser
        .wait_until("return document.querySelector('#problems')?.textContent.includes('this loop waits')", vec![])
        .await;
    // Of modes, where there are some that the model ignores.
    assert!(!page.text("#problems").await.contains("access modes"));
    page.paste("x :=rel 1 || a :=acq x").await;
    page.choose_model("sc").await;
    page.browser
        .wait_until(
            "return document.querySelector('#problems')?.textContent.includes('SC ignores access modes')",
            vec![],
        )
        .await;
    page.choose_model("rc11").await;
    page.browser
        .wait_until("return !document.querySelector('#problems')?.textContent.includes('access modes')", vec![])
        .await;
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

/// A link from a lab opens that lab, in a new window too, with what it shows.
#[tokio::test]
async fn links_lead_to_labs() {
    let page = Page::open().await;
    let hash =
        async || page.browser.script("return location.hash", vec![]).await.as_str().unwrap_or_default().to_owned();
    let is_open = |lab: &str| format!("return document.body.dataset.lab === '{lab}'");
    page.press_char('m').await;
    page.browser.wait_until("return !!document.querySelector('#compare-table tbody tr')", vec![]).await;
    page.press_char('s').await;
    page.browser.wait_until("return document.querySelector('#notice, #link')?.textContent !== ''", vec![]).await;
    let comparison = hash().await;
    // A question that was asked of another model than the program's.
    page.press_char('w').await;
    page.browser.wait_until("return !!document.querySelector('#why-verdict')", vec![]).await;
    page.click("#why-pso").await;
    page.browser.wait_until("return document.querySelector('#why-verdict')?.textContent.includes('PSO')", vec![]).await;
    page.browser.script("document.activeElement.blur()", vec![]).await;
    page.press_char('s').await;
    page.browser.wait_until("return location.hash !== arguments[0]", vec![json!(comparison)]).await;
    let question = hash().await;
    page.go(&comparison).await;
    page.browser.wait_until(&is_open("models"), vec![]).await;
    page.browser.wait_until("return !!document.querySelector('#compare-table tbody tr')", vec![]).await;
    page.go(&question).await;
    page.browser.wait_until(&is_open("why"), vec![]).await;
    page.browser.wait_until("return document.querySelector('#why-verdict')?.textContent.includes('PSO')", vec![]).await;
    assert_eq!(page.count("#why-pso[aria-pressed=true]").await, 1);
    assert_eq!(page.browser.script(MODEL, vec![]).await, json!("sc"));
    page.nothing_complained().await;
}

/// At 200 % of 1280x800, and on a telephone on its side, there is room for the graph, and all steps can be taken.
#[tokio::test]
async fn low_screens_show_the_graph() {
    let page = Page::open().await;
    for (width, height) in [(640, 400), (844, 390)] {
        page.browser.resize(width, height).await;
        page.browser.settled().await;
        let of = |what: &str| {
            format!("const {{ left, right, top, bottom, height }} = document.querySelector('{what}').getBoundingClientRect();
            return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight ? height : 0")
        };
        let stage = page.browser.script(&of("#stage"), vec![]).await.as_f64();
        assert!(stage > Some(130.0), "{width}x{height}: {stage:?}");
        for button in ["#reset", "#forward", "#next-violation", "#play", "#go-to"] {
            let seen = page.browser.script(&of(button), vec![]).await.as_f64();
            assert!(seen > Some(24.0), "{width}x{height}: {button} {seen:?}");
        }
    }
    page.nothing_complained().await;
}

//! Whether one execution is consistent: closures, what if, searches.

use fantoccini::key::Key;
use litmoscope::explore::Algorithm;
use litmoscope::model::Model;
use litmoscope::session::{Settings, link};
use serde_json::{Value, json};

use crate::page::{Page, STORE_BUFFERING, settings};

/// Store buffering as an execution.
const WEAK: &str = "execution SB\nT1: w x 1; r y 0 <- init\nT2: w y 1; r x 0 <- init";

fn example(name: &str) -> String {
    let file = format!("{}/../public/executions/{name}.exec", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The page with an execution, by its link.
async fn asked(text: &str, model: Model) -> Page {
    let page = Page::open().await;
    page.go(&link::encode(&settings(text, model, 0))).await;
    answered(&page).await;
    page
}

async fn answered(page: &Page) {
    page.browser.wait_until("return !!document.querySelector('#check-sentence')", vec![]).await;
    here(page, "document.querySelector('.why-not.check').dataset.over === 'true'").await;
}

async fn here(page: &Page, condition: &str) {
    page.browser.wait_until(&format!("return {condition}"), vec![]).await;
}

/// Waits until the closure stands at this step.
async fn at(page: &Page, step: &str) {
    page.browser
        .wait_until("return document.querySelector('#check-place').textContent === arguments[0]", vec![json!(step)])
        .await;
}

/// The edges that the closure has added, as drawn.
async fn added(page: &Page) -> Vec<[String; 2]> {
    const ADDED: &str = "return [...document.querySelectorAll('#check-graph .rel-closure')]
        .map(edge => [edge.dataset.from, edge.dataset.to]).sort()";
    serde_json::from_value(page.browser.script(ADDED, vec![]).await).expect("pairs of names")
}

async fn verdicts(page: &Page) -> Vec<String> {
    const VERDICTS: &str =
        "return [...document.querySelectorAll('.consistency .verdict')].map(one => one.innerText.trim())";
    serde_json::from_value(page.browser.script(VERDICTS, vec![]).await).expect("texts")
}

#[tokio::test]
async fn a_closure_is_followed_as_printed() {
    let page = asked(&example("annotated"), Model::SC).await;
    at(&page, "step 0 of 3").await;
    assert!(added(&page).await.is_empty());
    let steps = [(["T2.2", "T1.2"], "source"), (["T2.4", "T1.3"], "behind"), (["T2.3", "T1.1"], "before")];
    let mut expected: Vec<[String; 2]> = Vec::new();
    for (number, (edge, rule)) in steps.into_iter().enumerate() {
        // By key, as in an exploration.
        page.press(&[Key::Right]).await;
        at(&page, &format!("step {} of 3", number + 1)).await;
        expected.push(edge.map(str::to_owned));
        expected.sort();
        assert_eq!(added(&page).await, expected);
        let now = page.text("#check-rules .now").await;
        assert!(now.starts_with(&format!("{}. {rule}", number + 1)), "{now}");
        assert!(page.text("#check-caption").await.contains(&format!("{} comes before {}", edge[0], edge[1])));
        if number > 0 {
            // What the rule takes for granted.
            assert!(page.count("#check-graph .edge.lit").await > 0);
        }
    }
    page.press(&[Key::Home]).await;
    at(&page, "step 0 of 3").await;
    // Everything, played.
    page.press_char(' ').await;
    at(&page, "step 3 of 3").await;
    page.click("#check-witness").await;
    assert_eq!(page.count("#check-order li").await, 8);
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_cycle_ends_the_closure() {
    // Each thread reads what the other one writes afterwards.
    let load_buffering = "T1: r x 1 <- T2; w y 1\nT2: r y 1 <- T1; w x 1";
    let page = asked(load_buffering, Model::TSO).await;
    page.press(&[Key::End]).await;
    here(&page, "!!document.querySelector('#check-graph .edge.in-cycle')").await;
    assert!(page.text("#check-caption").await.contains("The closure has a cycle"));
    assert!(verdicts(&page).await.iter().all(|verdict| verdict.contains('✗')), "no model allows it");
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_read_takes_another_source_by_clicks() {
    let page = asked(WEAK, Model::SC).await;
    let before = verdicts(&page).await;
    assert!(before[0].contains('✗') && before[1..].iter().all(|verdict| verdict.contains('✓')), "{before:?}");
    // The read, then the write, in the drawing.
    let event = |name: &str| format!("#check-graph .node[data-event=\"{name}\"] .box");
    for name in ["T1.2", "T2.1"] {
        let (x, y) = page.at_rest(&event(name)).await;
        page.mouse("mousePressed", x, y, json!({ "button": "left", "clickCount": 1 })).await;
        page.mouse("mouseReleased", x, y, json!({ "button": "left", "clickCount": 1 })).await;
    }
    here(&page, "document.querySelector('#check-sentence').textContent.includes('SB is consistent under SC')").await;
    assert_eq!(page.text("#check-graph .node[data-event=\"T1.2\"] .label").await, "R(y,1)");
    // And back; then the same by the buttons below.
    page.click("#check-given").await;
    here(&page, "document.querySelector('#check-sentence').textContent.includes('SB is inconsistent under SC')").await;
    page.click("#check-writes button:last-child").await;
    here(&page, "document.querySelector('#check-sentence').textContent.includes('SB is consistent under SC')").await;
    assert_eq!(page.program().await, WEAK, "the text stays as it is");
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_search_is_walked_through() {
    let page = asked(&example("search-only"), Model::TSO).await;
    page.click("#check-search").await;
    here(&page, "!!document.querySelector('#check-board')").await;
    const COUNTS: &str = "return [...document.querySelectorAll('#check-efforts tbody tr')]
        .map(row => [row.cells[0].innerText, row.cells[1].innerText, row.cells[2].innerText, row.cells[3].innerText])";
    let counts: Vec<[String; 4]> =
        serde_json::from_value(page.browser.script(COUNTS, vec![]).await).expect("rows of texts");
    assert_eq!(counts[0], ["VerifyTSO", "25", "16", "exhausted: no witness"].map(str::to_owned));
    assert_eq!(counts.len(), 3);
    assert_eq!(page.count("#check-states li").await, 25);
    assert!(page.text("#check-states").await.contains("seen before"));
    let board = page.text("#check-board").await;
    assert!(board.contains("T1's buffer") && board.contains("W(x,1)") && board.contains("not now: "), "{board}");
    // On to a state by one of its moves, and to another in the list.
    page.click("#check-moves button").await;
    here(&page, "document.querySelector('#check-board h3').textContent === 'State 2'").await;
    let held = page.text(".check-memory").await;
    assert!(held.contains("held by"), "{held}");
    page.click("#check-states li:nth-child(9) button").await;
    here(&page, "document.querySelector('#check-board h3').textContent !== 'State 2'").await;
    // Without what helps, there are more states.
    page.click("#check-efforts tbody tr:last-child button").await;
    here(&page, "document.querySelectorAll('#check-states li').length > 25").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn writes_and_flushes_are_drawn_apart() {
    let page = asked(&example("fence-map"), Model::PSO).await;
    let nodes = page.count("#check-graph .node").await;
    page.click("#check-apart").await;
    here(&page, "document.querySelector('#check-graph').textContent.includes('wM(x,1)')").await;
    assert!(page.count("#check-graph .node").await > nodes);
    assert!(page.text("#check-graph").await.contains("T1 buffer x"));
    // No title leaves its column.
    const TITLES_FIT: &str = "[...document.querySelectorAll('#check-graph .column')].every(column =>
        column.querySelector('text').getBBox().width <= column.querySelector('rect').getBBox().width)";
    for (width, height) in [(1280, 800), (390, 844)] {
        page.browser.resize(width, height).await;
        here(&page, TITLES_FIT).await;
    }
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_execution_of_a_step_is_asked_about() {
    let page = Page::open().await;
    page.go(&link::encode(&settings(STORE_BUFFERING, Model::TSO, 0))).await;
    // To the execution that the condition asks for.
    page.press_char('v').await;
    page.press_char('h').await;
    answered(&page).await;
    let verdicts = verdicts(&page).await;
    assert!(verdicts[0].contains('✗') && verdicts[1].contains('✓'), "{verdicts:?}");
    assert_eq!(page.program().await, STORE_BUFFERING);
    // The same as a text of its own, and the program again.
    page.click("#check-text").await;
    here(&page, "document.querySelector('#editor').value.startsWith('P0: w x 1; r y 0 <- init')").await;
    answered(&page).await;
    page.click("#restore").await;
    page.browser.settled().await;
    assert_eq!(page.program().await, STORE_BUFFERING);
    here(&page, "document.body.dataset.lab !== 'consistency'").await;
    // Another execution begins with its closure, whatever was looked at before.
    page.press(&[Key::Escape]).await;
    page.browser.script("document.activeElement.blur()", vec![]).await;
    page.press_char('v').await;
    page.press_char('h').await;
    answered(&page).await;
    page.click("#check-search").await;
    here(&page, "!!document.querySelector('#check-efforts')").await;
    page.click("#check-close").await;
    here(&page, "document.body.dataset.lab !== 'consistency'").await;
    page.press_char('h').await;
    answered(&page).await;
    here(&page, "document.querySelector('#check-closure').ariaPressed === 'true'").await;
    // And back to the steps by the same key.
    page.press_char('h').await;
    here(&page, "document.body.dataset.lab !== 'consistency'").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn an_execution_is_typed_mended_and_shared() {
    let page = Page::open().await;
    page.type_program("T1: w x 1\nT2: r x 2 <- T1").await;
    // What is wrong is said at its place.
    here(&page, "document.querySelector('.messages, #messages, .diagnostics')?.textContent.includes('value 1') || document.querySelector('.panel.program').textContent.includes('value 1')").await;
    page.type_program("T1: w x 1\nT2: r x 1 <- T1").await;
    answered(&page).await;
    here(&page, "document.querySelector('#check-sentence').textContent.includes('consistent')").await;
    // Its link leads to the same question in another tab.
    let fragment =
        link::encode(&Settings { text: "T1: w x 1\nT2: r x 1 <- T1".to_owned(), ..settings("", Model::PSO, 0) });
    page.go(&fragment).await;
    answered(&page).await;
    assert_eq!(
        page.browser.script("return document.querySelector('#check-pso').ariaPressed", vec![]).await,
        json!("true")
    );
    // Examples are at hand.
    page.browser
        .script(
            "const select = document.querySelector('#check-example');
            select.value = 'executions/sb.exec';
            select.dispatchEvent(new Event('change', { bubbles: true }))",
            vec![],
        )
        .await;
    here(&page, "document.querySelector('#check-sentence').textContent.includes('SB is consistent under PSO')").await;
    const OPTIONS: &str =
        "return [...document.querySelectorAll('#check-example option')].map(o => o.value).filter(v => v).sort()";
    let offered: Vec<String> = serde_json::from_value(page.browser.script(OPTIONS, vec![]).await).expect("names");
    let folder = format!("{}/../public/executions", env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .expect("there are examples")
        .map(|file| format!("executions/{}", file.expect("a file").file_name().to_string_lossy()))
        .collect();
    files.sort();
    assert_eq!(offered, files);
    page.nothing_complained().await;
}

/// The run of store buffering by reads-from classes that is printed: A, C, B, D.
#[tokio::test]
async fn rf_smc_is_followed_as_printed() {
    let page = Page::open().await;
    let program = "x := 1; a := y || y := 1; b := x";
    let settings = Settings { algorithm: Algorithm::RfSmc, ..settings(program, Model::TSO, 0) };
    page.go(&link::encode(&settings)).await;
    let mut found = Vec::new();
    let mut steps = Vec::new();
    for _ in 0..200 {
        page.press(&[Key::Right]).await;
        let step = page.text("#step-name").await;
        if step == "complete" {
            const READS: &str =
                "return [...document.querySelectorAll('#graph .node.read')].map(node => node.dataset.label)";
            let reads: Value = page.browser.script(READS, vec![]).await;
            found.push(reads);
        }
        if step == "done" {
            break;
        }
        steps.push(step);
    }
    let reads = |a: u8, b: u8| json!([format!("R(y,{a})"), format!("R(x,{b})")]);
    assert_eq!(found, [reads(0, 1), reads(0, 0), reads(1, 1), reads(1, 0)], "{steps:?}");
    // Its schedules are listed with the reads they are for.
    page.press(&[Key::Home]).await;
    page.press_char('e').await;
    page.press(&[Key::Right]).await;
    here(&page, "document.querySelector('#pending')?.textContent.includes('schedules')").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn what_has_no_text_of_its_own_is_said() {
    let page = Page::open().await;
    page.go(&link::encode(&settings(STORE_BUFFERING, Model::TSO, 0))).await;
    page.press_char('e').await;
    page.press_char('h').await;
    answered(&page).await;
    page.press_char('h').await;
    page.type_program("shared m\n\nlock m; x := 1; unlock m || lock m; a := x; unlock m").await;
    page.press(&[Key::Escape]).await;
    page.browser.script("document.activeElement.blur()", vec![]).await;
    page.press_char('e').await;
    page.press_char('h').await;
    here(&page, "document.querySelector('#check-status').textContent.includes('mutexes')").await;
    // Nothing of the program before is shown for it.
    assert_eq!(page.count("#check-graph .node").await, 0);
    assert_eq!(page.count("#check-sentence").await, 0);
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_telephone_shows_one_panel() {
    let page = Page::open().await;
    let size = json!({ "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true });
    page.browser.devtools("Emulation.setDeviceMetricsOverride", size).await;
    page.click("#tab-program").await;
    page.type_program(WEAK).await;
    here(&page, "document.body.dataset.lab === 'consistency'").await;
    here(&page, "!document.querySelector('.panel.consistency').checkVisibility()").await;
    page.click("#tab-graph").await;
    here(&page, "document.querySelector('.panel.consistency').checkVisibility()").await;
    here(&page, "!document.querySelector('.panel.program').checkVisibility()").await;
    answered(&page).await;
    page.click("#check-search").await;
    here(&page, "document.documentElement.scrollWidth <= 390").await;
    page.nothing_complained().await;
}

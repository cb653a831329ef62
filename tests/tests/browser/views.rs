//! The views of an execution: run, table and texts, and the dialog that copies.

use crate::page::{Page, STORE_BUFFERING, settings};
use fantoccini::Locator;
use fantoccini::key::Key;
use litmoscope::model::Model;
use litmoscope::report::{EventColumn, Format};
use litmoscope::session::{Aspect, Session, Settings, ViewRequest};
use litmoscope_tests::browser::Browser;
use serde_json::{Value, json};

const TAB: &str = "return document.querySelector('.view-tabs [aria-selected=true]').textContent";

/// The page at the execution of store buffering in which both reads miss the writes.
async fn buffered() -> Page {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    let select = page.browser.find(Locator::Css("#model")).await.expect("there is a picker");
    select.select_by_value("tso").await.expect("TSO can be picked");
    page.browser.settled().await;
    page.click("#run").await;
    page.browser.settled().await;
    page.click("#outcomes tr.satisfying button").await;
    page.browser.settled().await;
    page
}

async fn pointed(browser: &Browser, selector: &str) -> Value {
    let script = "return [...document.querySelectorAll(arguments[0])].map(e => e.dataset.event)";
    browser.script(script, vec![json!(selector)]).await
}

/// What the page does not say by itself: the engine's session at the same step.
async fn session(page: &Page) -> Session {
    let position: u64 = page.text("#position").await.parse().expect("a number");
    let algorithm = page.browser.script("return document.querySelector('#algorithm').value", vec![]).await;
    let algorithm = algorithm.as_str().and_then(|name| name.parse().ok()).expect("an algorithm");
    let settings = Settings { algorithm, ..settings(STORE_BUFFERING, Model::TSO, 0) };
    let mut session = Session::open(settings).expect("it is a program");
    session.go_to(position, u64::MAX);
    session
}

#[tokio::test]
async fn a_run_fills_and_flushes_buffers() {
    let page = buffered().await;
    page.click("#view-time").await;
    page.browser.settled().await;
    let view = session(&page).await.view(&ViewRequest { aspect: Aspect::Time, ..ViewRequest::default() });
    let timeline = view.aspect.timeline.expect("it was asked for");
    assert_eq!(page.text("#time-account").await, timeline.account);
    let shown = page
        .browser
        .script(
            "return [...document.querySelectorAll('#time-table tbody tr')].map(row => [...row.cells].slice(1)
                .map(cell => [...cell.querySelectorAll('.time-event, .time-note, .held-write')]
                    .map(part => part.textContent).filter(text => text).join(' ')))",
            vec![],
        )
        .await;
    let expected: Vec<Vec<String>> = timeline
        .rows
        .iter()
        .map(|row| {
            let happens = |lane| match row.key {
                Some(_) if lane == row.lane => format!("{} {}", row.label, row.note).trim().to_owned(),
                _ => String::new(),
            };
            let held = row.cells.iter().map(|cell| {
                let all: Vec<_> = cell.shelves.iter().flatten().map(|chip| &*chip.text).collect();
                all.join(" ")
            });
            (0..timeline.lanes.len()).map(happens).chain(held).collect()
        })
        .collect();
    assert_eq!(shown, json!(expected));
    assert!(expected.iter().any(|row| row[2] == "x=1" || row[3] == "y=1"), "a buffer is in use");

    // The cursor: by keys in the panel, by buttons, by a click.
    let last = timeline.rows.len() - 1;
    assert_eq!(page.text("#time-place").await, format!("{last} of {last}"));
    page.browser.script("document.querySelector('#time-scroll').focus()", vec![]).await;
    page.press(&[Key::Home, Key::Down, Key::Down]).await;
    assert_eq!(page.text("#time-place").await, format!("2 of {last}"));
    assert_eq!(page.text("#time-title").await, timeline.rows[2].title);
    assert_eq!(page.text(".time-row.current .time-event").await, timeline.rows[2].label);
    let state = page.text("#time-state").await;
    assert!(state.contains("buffer of P0") && state.contains("x=1 P0.1"), "{state}");
    // The step did not move, and the graph points at the same event.
    let name = timeline.rows[2].title.split(' ').next().expect("a name");
    assert_eq!(pointed(&page.browser, "#graph .node.pointed").await, json!([name]));
    page.click("#time-up").await;
    assert_eq!(page.text("#time-place").await, format!("1 of {last}"));
    page.click("#time-3 .time-event").await;
    assert_eq!(page.text("#time-place").await, format!("3 of {last}"));
    // From anywhere: no button or field has these keys.
    page.browser.script("document.activeElement.blur()", vec![]).await;
    page.press(&[Key::Down]).await;
    assert_eq!(page.text("#time-place").await, format!("4 of {last}"));
    page.nothing_complained().await;
}

/// Three threads, their buffers and the memory are in sight beside the program.
#[tokio::test]
async fn a_run_of_three_threads_fits_a_laptop() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../public/lock-counter.lit"));
    let mut session = Session::open(settings(&text.expect("it is in the gallery"), Model::TSO, 0)).expect("a program");
    session.next_execution(u64::MAX);
    let page = Page::open().await;
    page.browser.resize(1280, 800).await;
    page.go(&session.link()).await;
    page.click("#view-time").await;
    const FITS: &str = "return document.querySelectorAll('#time-table thead .held').length === 4
        && (e => e.scrollWidth <= e.clientWidth)(document.querySelector('#time-scroll'))";
    page.browser.wait_until(FITS, vec![]).await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_forbidden_graph_says_why_it_has_no_run() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.click("#view-time").await;
    // Under SC, one graph is dropped.
    for _ in 0..100 {
        if page.count("#violation").await > 0 {
            break;
        }
        page.click("#forward").await;
        page.browser.settled().await;
    }
    let account = page.text("#time-account").await;
    assert!(
        account.starts_with("There is no such run: the execution violates the axiom sequential-consistency"),
        "{account}"
    );
    assert_eq!(page.count("#time-table").await, 0);
    page.nothing_complained().await;
}

#[tokio::test]
async fn views_are_chosen_by_keys_and_remembered() {
    let page = buffered().await;
    assert_eq!(page.browser.script(TAB, vec![]).await, json!("Graph"));
    page.press_char('d').await;
    assert_eq!(page.browser.script(TAB, vec![]).await, json!("Time"));
    assert_eq!(page.count("#time-table tbody tr").await, 7);
    page.press_char('d').await;
    assert_eq!(page.count("#event-table tbody tr").await, 6);
    page.press_char('D').await;
    assert_eq!(page.browser.script(TAB, vec![]).await, json!("Time"));
    // Arrows belong to the tabs while they have the focus.
    let position = page.text("#position").await;
    page.click("#view-time").await;
    page.press(&[Key::Right, Key::Right]).await;
    assert_eq!(page.browser.script(TAB, vec![]).await, json!("Text"));
    assert_eq!(page.browser.script("return document.activeElement.id", vec![]).await, json!("view-text"));
    assert_eq!(page.text("#position").await, position);
    page.press(&[Key::Home]).await;
    assert_eq!(page.browser.script(TAB, vec![]).await, json!("Graph"));
    page.press(&[Key::Left]).await;
    page.go("").await;
    assert_eq!(page.browser.script(TAB, vec![]).await, json!("Text"));
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_table_sorts_and_points() {
    let page = buffered().await;
    page.click("#view-table").await;
    page.browser.settled().await;
    let view = session(&page).await.view(&ViewRequest { aspect: Aspect::Table, ..ViewRequest::default() });
    let mut table = view.aspect.table.expect("it was asked for");
    let names = "return [...document.querySelectorAll('#event-table tbody tr')].map(row => row.dataset.event)";
    let sorted = "return document.querySelector('#event-table [aria-sort]')?.getAttribute('aria-sort')";
    for column in [EventColumn::ValueWritten, EventColumn::Line, EventColumn::ReadsFrom] {
        for descending in [false, true] {
            page.click(&format!("#event-table th[data-column={}] button", column.name())).await;
            table.sort(column, descending);
            let expected: Vec<_> = table.rows.iter().map(|row| row.name.clone()).collect();
            assert_eq!(page.browser.script(names, vec![]).await, json!(expected), "{column:?}");
            let direction = if descending { "descending" } else { "ascending" };
            assert_eq!(page.browser.script(sorted, vec![]).await, json!(direction));
        }
    }
    // The same event in the table, in the graph and in the program.
    page.click("#event-table tr[data-event='P1.2'] td").await;
    page.mouse("mouseMoved", 2.0, 2.0, json!({})).await;
    for place in ["#event-table tr.pointed", "#graph .node.pointed"] {
        assert_eq!(pointed(&page.browser, place).await, json!(["P1.2"]), "{place}");
    }
    assert_eq!(page.count(".band.pointed").await, 1);
    page.nothing_complained().await;
}

#[tokio::test]
async fn every_format_is_shown_and_copied() {
    let page = Page::open().await;
    page.before(
        "window.copied = [];
        const clipboard = { writeText: async text => { window.copied.push(text) } };
        Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => clipboard })",
    )
    .await;
    page.go("").await;
    page.type_program(STORE_BUFFERING).await;
    page.click("#next-execution").await;
    page.browser.settled().await;
    page.click("#view-text").await;
    page.browser.settled().await;
    for format in Format::ALL {
        let select = page.browser.find(Locator::Css("#text-format")).await.expect("there is a picker");
        select.select_by_value(format.name()).await.expect("it can be picked");
        page.browser.settled().await;
        let shown = page.browser.script("return document.querySelector('#text-content').value", vec![]).await;
        assert!(shown.as_str().is_some_and(|text| text.len() > 40), "{format:?}: {shown}");
        page.click("#text-copy").await;
        // A field has no carriage returns.
        const COPIED: &str = "return window.copied.at(-1)?.replaceAll('\\r', '') === arguments[0]";
        page.browser.wait_until(COPIED, vec![shown]).await;
    }
    // All of them from any view.
    page.click("#view-graph").await;
    page.press_char('y').await;
    page.browser.settled().await;
    assert_eq!(page.count("#copying[open] .ware").await, 11);
    page.click("#copying [data-ware=tikz] .copy-ware").await;
    page.browser.wait_until("return window.copied.at(-1).includes('\\\\begin{tikzpicture}')", vec![]).await;
    page.browser
        .wait_until("return document.querySelector('#copying-said').textContent === 'TikZ copied.'", vec![])
        .await;
    page.press(&[Key::Escape]).await;
    assert_eq!(page.count("#copying[open]").await, 0);
    page.nothing_complained().await;
}

/// A picture is a bitmap of twice its size, on the clipboard and in a file.
#[tokio::test]
async fn pictures_are_copied_and_downloaded() {
    let page = Page::open().await;
    page.before(
        "window.written = []; window.saved = [];
        const clipboard = {
            write: async items => { for (const item of items) window.written.push(await item.getType('image/png')) },
        };
        Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => clipboard });
        HTMLAnchorElement.prototype.click = function () { window.saved.push(this.download) };
        const create = URL.createObjectURL;
        URL.createObjectURL = blob => { window.blob = blob; return create.call(URL, blob) };",
    )
    .await;
    page.go("").await;
    page.type_program(STORE_BUFFERING).await;
    page.click("#next-execution").await;
    page.browser.settled().await;
    page.click("#copy-as").await;
    page.browser.settled().await;
    page.click("#copying [data-ware=png] .copy-ware").await;
    page.browser.wait_until("return window.written.length === 1", vec![]).await;
    let size = page
        .browser
        .execute_async(
            "const done = arguments[0];
            createImageBitmap(window.written[0]).then(b => done([window.written[0].type, b.width, b.height]))",
            vec![],
        )
        .await
        .expect("it is a bitmap");
    assert_eq!(size[0], json!("image/png"));
    assert!(size[1].as_u64().is_some_and(|width| width > 300) && size[2].as_u64().is_some_and(|height| height > 300));
    for (ware, file) in [("svg", "execution.svg"), ("time-png", "run.png"), ("csv", "events.csv")] {
        page.click(&format!("#copying [data-ware={ware}] .save-ware")).await;
        page.browser.wait_until("return window.saved.at(-1) === arguments[0]", vec![json!(file)]).await;
        page.browser.wait_until("return window.blob.size > 100", vec![]).await;
    }
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_refused_clipboard_leaves_the_text_to_copy_by_hand() {
    let page = Page::open().await;
    page.before("Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined })").await;
    page.go("").await;
    page.type_program(STORE_BUFFERING).await;
    page.click("#next-execution").await;
    page.browser.settled().await;
    page.click("#copy-as").await;
    page.browser.settled().await;
    page.click("#copying [data-ware=dot] .copy-ware").await;
    page.browser
        .wait_until(
            "const field = document.querySelector('#by-hand');
            return !!field && document.activeElement === field && field.selectionEnd > 100
                && field.value.startsWith('digraph')",
            vec![],
        )
        .await;
    page.click("#copying [data-ware=png] .copy-ware").await;
    page.browser.wait_until("return document.querySelector('#notice').textContent.includes('download')", vec![]).await;
    page.nothing_complained().await;
}

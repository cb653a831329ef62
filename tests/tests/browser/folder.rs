//! The tests of a folder or an archive: the table, what differs, opening one, stopping.

use fantoccini::key::Key;
use serde_json::{Value, json};

use crate::page::Page;

const SB: &str = "X86 SB\n{ }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
                  exists (0:EAX=0 /\\ 1:EAX=0)\n";

async fn here(page: &Page, condition: &str) {
    page.browser.wait_until(&format!("return {condition}"), vec![]).await;
}

/// An archive of the fuzzer's corpus: `a/SB.litmus`, of which `a/SB.expected` says what SC shows, `../up.lit`, and an archive.
fn archive(name: &str) -> Vec<u8> {
    let file = format!("{}/../fuzz/corpus/archive/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&file).unwrap_or_else(|error| panic!("{file}: {error}"))
}

const FILES: &str = "const data = new DataTransfer();
    for (const [name, bytes] of Object.entries(arguments[0])) data.items.add(new File([new Uint8Array(bytes)], name));";

/// The page with the lab, which is given files.
async fn given(page: &Page, files: Value) {
    if page.count("#tests-files").await == 0 {
        page.browser.script("document.querySelector('[data-command=open-tests]').click()", vec![]).await;
        here(page, "document.body.dataset.lab === 'tests' && !!document.querySelector('#tests-files')").await;
    }
    let script = format!(
        "{FILES} const input = document.querySelector('#tests-files');
        input.files = data.files;
        input.dispatchEvent(new Event('change', {{ bubbles: true }}))"
    );
    page.browser.script(&script, vec![files]).await;
}

/// Drops files onto the page.
async fn dropped(page: &Page, files: Value) {
    let script = format!(
        "{FILES} for (const type of ['dragover', 'drop'])
        document.body.dispatchEvent(new DragEvent(type, {{ dataTransfer: data, bubbles: true, cancelable: true }}))"
    );
    page.browser.script(&script, vec![files]).await;
}

/// Waits until so many tests are done.
async fn over(page: &Page, many: &str) {
    let done = "return document.querySelector('.testing')?.dataset.over === 'true'
        && document.querySelector('#tests-status').textContent.startsWith(arguments[0] + ' in ')";
    page.browser.wait_until(done, vec![json!(many)]).await;
}

/// The names and results of the rows, as they stand there.
async fn rows(page: &Page) -> Vec<String> {
    let script = "return [...document.querySelectorAll('#tests-table tbody tr')].map(row =>
        `${row.querySelector('.tests-open')?.textContent}: ${row.children[2].textContent}`)";
    serde_json::from_value(page.browser.script(script, vec![]).await).expect("texts")
}

#[tokio::test]
async fn an_archive_is_compared_and_its_tests_are_opened() {
    let page = Page::open().await;
    page.type_program("mine := 1 || a := mine").await;
    given(&page, json!({ "all.zip": archive("zip-deflated") })).await;
    over(&page, "2 tests").await;
    // x86 code is explored under TSO, unless somebody chooses another model for it.
    assert_eq!(rows(&page).await, ["up: ✓ ok", "SB: ✗ differs"]);
    let choose = "const model = document.querySelector('#tests-model-x86');
        model.value = 'sc';
        model.dispatchEvent(new Event('change', { bubbles: true }))";
    page.browser.script(choose, vec![]).await;
    page.click("#tests-again").await;
    here(&page, "!!document.querySelector('#tests-table .agrees')").await;
    over(&page, "2 tests").await;
    assert_eq!(rows(&page).await, ["up: ✓ ok", "SB: ✓ agrees"]);
    let file = "document.querySelector('#tests-table .agrees .tests-file').textContent === 'all.zip/a/SB.litmus'";
    here(&page, file).await;
    assert_eq!(
        page.text("#tests-left-out").await,
        "all.zip/inner.zip was left out: archives in archives are not opened"
    );
    // All under another model.
    let choose = "const model = document.querySelector('#tests-model');
        model.value = 'tso';
        model.dispatchEvent(new Event('change', { bubbles: true }))";
    page.browser.script(choose, vec![]).await;
    page.click("#tests-again").await;
    here(&page, "!!document.querySelector('#tests-table .differs')").await;
    over(&page, "2 tests").await;
    assert!(page.text("#tests-table .differs .tests-remark").await.starts_with("Sometimes here, Never expected"));
    page.click("#tests-differing").await;
    here(&page, "document.querySelectorAll('#tests-table tbody tr').length === 1").await;
    assert_eq!(rows(&page).await, ["SB: ✗ differs"]);
    // By the keyboard, into the editor.
    page.browser.script("document.querySelector('#tests-table .tests-open').focus()", vec![]).await;
    page.press(&[Key::Enter]).await;
    here(&page, "!!document.querySelector('#tests-reasons pre')").await;
    assert_eq!(page.program().await, SB);
    assert!(page.text("#tests-remarks").await.contains("0:eax=0; 1:eax=0: only here"));
    assert!(page.text("#tests-reasons").await.contains("TSO allows P0:EAX=0, P1:EAX=0"));
    here(&page, "document.querySelector('#model').value === 'tso'").await;
    // Back at the same row of the same rows.
    page.press(&[Key::Escape]).await;
    here(&page, "document.activeElement.classList.contains('tests-open')").await;
    assert_eq!(page.count("#tests-detail").await, 0);
    assert_eq!(rows(&page).await, ["SB: ✗ differs"]);
    // The steps of it, and the table again.
    page.click("#tests-table .differs").await;
    here(&page, "!!document.querySelector('#tests-reasons pre')").await;
    page.click("#tests-step").await;
    here(&page, "document.body.dataset.lab === 'stepping'").await;
    page.press_char('F').await;
    here(&page, "document.body.dataset.lab === 'tests' && !!document.querySelector('#tests-detail')").await;
    page.click("#tests-back").await;
    assert_eq!(rows(&page).await, ["SB: ✗ differs"]);
    // What the reader wrote is kept.
    page.click("#restore").await;
    page.browser.settled().await;
    assert_eq!(page.program().await, "mine := 1 || a := mine");
    page.nothing_complained().await;
}

#[tokio::test]
async fn files_that_are_dropped_are_sorted() {
    let page = Page::open().await;
    let text = |text: &str| json!(text.as_bytes());
    let files = json!({
        "b.lit": text("x := 1 || a := x\nexists (a = 0)\n"),
        "a.lit": text("x := 1 || x := 2 || x := 3; a := x\n"),
        "bad.litmus": text("X86 bad\n{ }\n P0 ;\n FOO ;\n"),
        "wrong.lit": text("a := x; x := a + 1 || b := x; x := b + 1\nforall (x = 2)\n"),
        "<img src=x onerror=alert(1)>.lit": text("x := 1\n"),
        "notes.txt": text("no test"),
    });
    dropped(&page, files).await;
    over(&page, "5 tests").await;
    assert_eq!(page.browser.script("return document.body.dataset.lab", vec![]).await, json!("tests"));
    let names =
        ["<img src=x onerror=alert(1)>: ✓ ok", "a: ✓ ok", "b: ● allowed", "bad: ! unreadable", "wrong: ✗ violated"];
    assert_eq!(rows(&page).await, names);
    // Names are texts.
    assert_eq!(page.count("#tests-table img").await, 0);
    page.click("#tests-failing").await;
    here(&page, "document.querySelectorAll('#tests-table tbody tr').length === 2").await;
    assert_eq!(rows(&page).await, ["bad: ! unreadable", "wrong: ✗ violated"]);
    page.click("#tests-all").await;
    // By executions, and the other way round.
    let sort = "document.querySelectorAll('#tests-table .tests-sort')[5].click()";
    page.browser.script(sort, vec![]).await;
    page.browser.script(sort, vec![]).await;
    here(&page, "document.querySelectorAll('#tests-table th')[5].ariaSort === 'descending'").await;
    here(&page, "document.querySelector('#tests-table tbody .tests-open').textContent === 'a'").await;
    // The arrow keys go from row to row.
    page.browser.script("document.querySelector('#tests-table .tests-open').focus()", vec![]).await;
    page.press(&[Key::Down, Key::Down]).await;
    here(&page, "document.activeElement === document.querySelectorAll('#tests-table .tests-open')[2]").await;
    // One file alone is a run, as ever.
    dropped(&page, json!({ "run.json": text("no run") })).await;
    here(&page, "!!document.querySelector('#run-trouble')").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn what_takes_long_is_bounded_or_stopped() {
    let page = Page::open().await;
    let long = format!("shared x\n{}\nforall (x = 12)\n", ["fai(x)"; 12].join(" || "));
    let mut files = serde_json::Map::new();
    for place in 10..22 {
        files.insert(format!("long{place}.lit"), json!(long.as_bytes()));
    }
    files.insert("a.lit".to_owned(), json!(b"x := 1\n"));
    page.press_char('F').await;
    here(&page, "!!document.querySelector('#tests-limit')").await;
    let limit = "const limit = document.querySelector('#tests-limit');
        limit.value = '2';
        limit.dispatchEvent(new Event('change', { bubbles: true }))";
    page.browser.script(limit, vec![]).await;
    given(&page, Value::Object(files)).await;
    here(&page, "document.querySelectorAll('#tests-table .bounded').length >= 1").await;
    page.click("#tests-stop").await;
    here(&page, "document.querySelector('.testing').dataset.over === 'true'").await;
    here(&page, "document.querySelector('#tests-status').textContent.includes('interrupted: ')").await;
    let status = page.text("#tests-status").await;
    assert!(
        status.contains(" bounded") && status.contains("interrupted: ") && !status.contains("verified"),
        "{status}"
    );
    assert!(page.count("#tests-table .waiting").await > 0);
    page.click("#tests-table .bounded").await;
    here(&page, "document.querySelector('#tests-detail')?.textContent.includes('not a proof')").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn what_is_wrong_with_archives_is_said() {
    let page = Page::open().await;
    for (name, file, why) in [
        ("cut.zip", "zip-cut", "cut.zip was not opened: it is no zip archive, or damaged: "),
        ("short.tar", "tar-ustar-short", "short.tar was not opened: it is damaged"),
        ("all.tgz", "zip-stored", "all.tgz was not opened: it is no tar archive in gzip, or damaged: "),
    ] {
        given(&page, json!({ name: archive(file) })).await;
        let said = "return document.querySelector('#tests-left-out')?.textContent.startsWith(arguments[0])";
        page.browser.wait_until(said, vec![json!(why)]).await;
        here(&page, "document.querySelector('#tests-trouble').textContent.startsWith('There is no test')").await;
    }
    // It can be used again.
    given(&page, json!({ "all.tar.gz": archive("tar-gnu-gz") })).await;
    here(&page, "document.querySelectorAll('#tests-table .tests-open').length > 2").await;
    page.nothing_complained().await;
}

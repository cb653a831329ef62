//! Memory implementations: runs by hand, the graph beside, all runs at once, the saturation, automata.

use fantoccini::Locator;
use fantoccini::key::Key;
use litmoscope::model::Model;
use litmoscope::session::link;
use serde_json::{Value, json};

use crate::page::{Page, STORE_BUFFERING, settings};

fn example(name: &str) -> String {
    let file = format!("{}/../public/protocols/{name}.protocol", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"))
}

async fn here(page: &Page, condition: &str) {
    page.browser.wait_until(&format!("return {condition}"), vec![]).await;
}

/// The page with a memory implementation, by its link.
async fn asked(text: &str) -> Page {
    let page = Page::open().await;
    page.go(&link::encode(&settings(text, Model::SC, 0))).await;
    here(&page, "!!document.querySelector('#memory-machine .node')").await;
    page
}

/// Waits until so many steps of so many are shown.
async fn at(page: &Page, step: usize, all: usize) {
    let place = format!("step {step} of {all}");
    page.browser
        .wait_until("return document.querySelector('#memory-place')?.textContent === arguments[0]", vec![json!(place)])
        .await;
}

/// The texts of all that a selector finds.
async fn texts(page: &Page, selector: &str) -> Vec<String> {
    let script = "return [...document.querySelectorAll(arguments[0])].map(one => one.textContent.trim())";
    serde_json::from_value(page.browser.script(script, vec![json!(selector)]).await).expect("texts")
}

/// Clicks on what has this text.
async fn click_text(page: &Page, selector: &str, text: &str) {
    let script = "const all = [...document.querySelectorAll(arguments[0])];
        const found = all.find(one => one.textContent.trim().replace(/^[0-9]+ /, '').startsWith(arguments[1]));
        if (!found) return all.map(one => one.textContent);
        document.querySelectorAll('.clicked-by-test').forEach(one => one.classList.remove('clicked-by-test'));
        found.classList.add('clicked-by-test');
        return null";
    let known = page.browser.script(script, vec![json!(selector), json!(text)]).await;
    assert_eq!(known, Value::Null, "no {text} among these");
    page.click(".clicked-by-test").await;
}

#[tokio::test]
async fn a_run_is_made_by_hand_and_its_graph_grows() {
    let page = asked(&example("m2")).await;
    assert_eq!(texts(&page, "#memory-machine .node .label").await, ["q0 ↻", "q1 ↻", "q2 ↻"]);
    assert_eq!(page.text("#memory-status").await, "M2, 3 states, 24 transitions, 3 registers");
    at(&page, 0, 0).await;
    assert_eq!(page.count("#memory-graph .node.write").await, 0);
    // By the buttons.
    click_text(&page, ".memory-next", "W t x a").await;
    at(&page, 1, 1).await;
    assert_eq!(page.text("#memory-state").await, "q1");
    assert_eq!(page.text("#memory-caption").await, "t writes x. Register a holds the write. The state is now q1.");
    click_text(&page, ".memory-next", "W t x c").await;
    at(&page, 2, 2).await;
    click_text(&page, ".memory-next", "R f x c").await;
    at(&page, 3, 3).await;
    assert_eq!(page.text("#memory-now").await, "✓ this run: WRA, RA, SRA");
    let registers = texts(&page, "#memory-registers li").await;
    assert_eq!(registers[0], "a t.1 W(x,1)");
    assert_eq!(registers[2], "c t.2 W(x,2)");
    click_text(&page, ".memory-next", "R f x a").await;
    at(&page, 4, 4).await;
    // It is known at the read that closes the cycle, and not before.
    assert_eq!(page.text("#memory-now").await, "✗ violates WRA");
    assert!(page.count("#memory-graph .edge.in-cycle").await > 1);
    let last = texts(&page, "#memory-steps li").await.pop().expect("a step");
    assert!(last.contains("R f x a") && last.contains("arrived through step 1"), "{last}");
    page.click("#memory-cycle-tab").await;
    here(&page, "document.querySelectorAll('#memory-cycle li').length > 1").await;
    assert!(page.text("#memory-verdict").await.starts_with("The run violates WRA, and so RA and SRA"));
    // By keys: back, to the beginning, to the end.
    page.press(&[Key::Left]).await;
    at(&page, 3, 4).await;
    here(&page, "!document.querySelector('#memory-graph .edge.in-cycle')").await;
    page.press(&[Key::Home]).await;
    at(&page, 0, 4).await;
    page.press(&[Key::End]).await;
    at(&page, 4, 4).await;
    // Another step from the middle takes the place of what came behind.
    page.press(&[Key::Left, Key::Left]).await;
    at(&page, 2, 4).await;
    page.click("#memory-run").await;
    click_text(&page, ".memory-next", "R t x c").await;
    at(&page, 3, 3).await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn arrows_of_the_machine_are_followed() {
    let page = asked(&example("m2")).await;
    // From q0 to q1 there is one step, from q1 to q2 there are two, to choose from.
    let place = |label: &'static str| {
        let page = &page;
        async move {
            let script = "const found = [...document.querySelectorAll('#memory-machine .node')]
                .find(one => one.querySelector('.label').textContent.startsWith(arguments[0]));
                const box = found.getBoundingClientRect();
                return [box.x + box.width / 2, box.y + box.height / 2]";
            let place = page.browser.script(script, vec![json!(label)]).await;
            serde_json::from_value::<(f64, f64)>(place).expect("a place")
        }
    };
    let click = |(x, y): (f64, f64)| {
        let page = &page;
        async move {
            let one = json!({ "button": "left", "clickCount": 1 });
            page.mouse("mouseMoved", x, y, json!({})).await;
            page.mouse("mousePressed", x, y, one.clone()).await;
            page.mouse("mouseReleased", x, y, one).await;
        }
    };
    click(place("q1").await).await;
    at(&page, 1, 1).await;
    click(place("q2").await).await;
    here(&page, "!!document.querySelector('#memory-choose')").await;
    let offered = texts(&page, ".memory-next").await;
    assert_eq!(offered, ["7 R f x c → q2", "8 R f y b → q2"]);
    click_text(&page, ".memory-next", "R f y b").await;
    at(&page, 2, 2).await;
    assert_eq!(page.text("#memory-state").await, "q2");
    here(&page, "!document.querySelector('#memory-choose')").await;
}

#[tokio::test]
async fn the_table_is_filled_in_and_leads_to_runs() {
    let page = asked(&example("msi-forgetful")).await;
    // As it is in print: registers hold nothing at first.
    let script = "const select = document.querySelector('#memory-initial');
        select.value = 'nothing';
        select.dispatchEvent(new Event('change', { bubbles: true }))";
    page.browser.script(script, vec![]).await;
    page.click("#memory-all").await;
    here(&page, "document.querySelectorAll('#memory-table tbody tr').length === 6").await;
    let cell =
        "document.querySelector('#memory-table tbody tr:nth-child(1) td:last-child')?.textContent.includes('holds')";
    here(&page, cell).await;
    // Fine with two threads, wrong with three.
    let violated = "[...document.querySelectorAll('#memory-table tbody tr')]
        .find(row => row.textContent.startsWith('3 threads, 1 variable'))?.querySelector('td').textContent.includes('violated')";
    here(&page, violated).await;
    page.click("#memory-table-stop").await;
    here(&page, "!!document.querySelector('#memory-fill')").await;
    click_text(&page, "#memory-table .violated button", "✗ violated").await;
    at(&page, 6, 6).await;
    assert_eq!(page.text("#memory-now").await, "✗ violates WRA");
    let threads = "document.querySelector('#memory-set-threads').value === '3'";
    here(&page, threads).await;
    assert!(page.text("#memory-status").await.contains("17 states, 108 transitions"));
    assert!(page.count("#memory-cycle li").await > 1);
    // The link leads to that very run.
    page.press_char('s').await;
    here(&page, "location.hash.startsWith('#4.')").await;
    let fragment = page.browser.script("return location.hash", vec![]).await;
    let fragment = fragment.as_str().expect("a fragment").to_owned();
    page.browser.new_tab().await;
    page.go(&fragment).await;
    here(&page, "!!document.querySelector('#memory-machine .node')").await;
    at(&page, 6, 6).await;
    assert_eq!(page.text("#memory-now").await, "✗ violates WRA");
    here(&page, threads).await;
    here(&page, "document.querySelectorAll('#memory-cycle li').length > 1").await;
}

#[tokio::test]
async fn the_saturation_is_stepped_through_backwards() {
    let page = asked(&example("m2")).await;
    page.click("#memory-saturation").await;
    here(&page, "document.querySelectorAll('#memory-tuples li').length > 5").await;
    let caption = page.text("#memory-caption").await;
    assert!(caption.starts_with("A seed: each read begins a tuple."), "{caption}");
    page.press(&[Key::Right]).await;
    here(&page, "document.querySelector('#memory-tuples .now b')?.textContent === '2.'").await;
    page.press(&[Key::End]).await;
    here(&page, "document.querySelector('#memory-caption').textContent.includes('violates WRA')").await;
    assert!(page.count("#memory-chain li").await > 0);
    // A tuple of the chain.
    page.click("#memory-chain li:last-child button").await;
    here(&page, "document.querySelector('#memory-caption').textContent.startsWith('A seed')").await;
    page.click("#memory-witness").await;
    here(&page, "document.querySelector('#memory-now')?.textContent === '✗ violates WRA'").await;
}

#[tokio::test]
async fn automata_move_their_tokens() {
    let page = asked(&example("common-word")).await;
    page.click("#memory-all").await;
    here(&page, "!!document.querySelector('#memory-table .violated')").await;
    click_text(&page, "#memory-table .violated button", "✗ violated").await;
    here(&page, "document.querySelector('#memory-verdict')?.textContent.includes('It has read the word aa.')").await;
    page.click("#memory-hard").await;
    here(&page, "document.querySelectorAll('.memory-token').length === 2").await;
    let tokens = texts(&page, ".memory-token").await;
    assert_eq!(tokens, ["Its token is at the end: a word was accepted."; 2]);
    // As printed.
    page.click("#memory-printed").await;
    here(&page, "document.querySelector('.memory-token')?.textContent === 'Its token is not there yet.'").await;
    // Others, from expressions.
    let script = "const input = document.querySelector('#memory-expressions');
        input.value = arguments[0];
        input.dispatchEvent(new Event('input', { bubbles: true }))";
    page.browser.script(script, vec![json!("(a & b")]).await;
    page.click("#memory-make").await;
    here(&page, "document.querySelector('#memory-make-trouble').textContent.length > 5").await;
    page.browser.script(script, vec![json!("(ab)* & a.")]).await;
    page.click("#memory-make").await;
    here(&page, "document.querySelector('#program, textarea').value.includes('expression (ab)*')").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn what_is_no_memory_is_said_and_wrong_texts_keep_their_place() {
    let page = Page::open().await;
    page.go(&link::encode(&settings(STORE_BUFFERING, Model::SC, 0))).await;
    page.press_char('M').await;
    here(
        &page,
        "document.querySelector('#memory-status')?.textContent.startsWith('The text is not a memory implementation')",
    )
    .await;
    page.type_program("machine M\nthreads t\nvariables x\nregisters a: x\nq -> p: W t y a").await;
    here(
        &page,
        "document.querySelector('#memory-status')?.textContent.startsWith('This is not a memory \
                 implementation yet: line 5')",
    )
    .await;
    assert!(page.program().await.contains("W t y a"));
    // Steps by chance.
    page.type_program(&example("instant")).await;
    here(&page, "!!document.querySelector('#memory-machine .node')").await;
    page.click("#memory-run").await;
    page.click("#memory-chance").await;
    at(&page, 10, 10).await;
    page.nothing_complained().await;
}

/// Waits until all is known of the program that is run on the memory.
async fn program_is_over(page: &Page) {
    here(
        page,
        "document.querySelector('#memory-program-found')?.getAttribute('aria-busy') === 'false'
            && /outcomes? of/.test(document.querySelector('#memory-program-found').textContent)",
    )
    .await;
}

#[tokio::test]
async fn a_program_is_run_on_the_memory() {
    let page = asked(&example("tso")).await;
    page.click("#memory-program").await;
    program_is_over(&page).await;
    let found = texts(&page, "#memory-program-found > p").await;
    assert_eq!(found[0], "SB on TSO: 4 outcomes, by 33 configurations.");
    assert!(found[1].ends_with("holds: this memory shows it."), "{found:?}");
    assert!(found[2].starts_with("These are exactly the outcomes of TSO, PSO,"), "{found:?}");
    let rows = texts(&page, "#memory-outcomes tbody tr").await;
    assert_eq!(rows.len(), 4);
    let asked_for = rows.iter().find(|row| row.contains("asked for")).expect("one is");
    assert!(asked_for.contains("forbidden by SC"), "{asked_for}");
    // Its run comes beside, and the sheet stays.
    click_text(&page, "#memory-outcomes button", "P0:a=0 P1:b=0").await;
    let steps = texts(&page, "#memory-program-steps li").await;
    assert!(
        steps.len() >= 4 && steps.iter().any(|step| step.starts_with("R T1 y") && step.ends_with("value 0")),
        "{steps:?}"
    );
    at(&page, steps.len(), steps.len()).await;
    here(&page, "document.querySelectorAll('#memory-graph .node.read').length === 2").await;
    // A read of a write has its colour, and so has the register.
    here(&page, "!!document.querySelector('#memory-graph .node.write[data-colour=\"0\"] .swatch')").await;

    // A test with more threads gets a memory with as many.
    let picker = page.browser.find(Locator::Css("#memory-program-example")).await.expect("there is one");
    picker.select_by_value("iriw.lit").await.expect("it can be picked");
    here(&page, "document.querySelector('#memory-set-threads').value === '4'").await;
    program_is_over(&page).await;
    let found = texts(&page, "#memory-program-found > p").await;
    assert_eq!(
        found[..2],
        ["For this program, the memory has 4 threads.", "IRIW on TSO: 15 outcomes, by 161 configurations."]
    );
    at(&page, 0, 0).await;

    // Another memory answers the same program, in a browser that has never been here.
    page.click("#memory-caption").await;
    page.press_char('s').await;
    here(&page, "location.hash.startsWith('#4.')").await;
    let fragment = page.browser.script("return location.hash", vec![]).await;
    let other = Page::open().await;
    other.go(fragment.as_str().expect("a fragment")).await;
    program_is_over(&other).await;
    assert!(
        other
            .browser
            .script("return document.querySelector('#memory-program-text').value", vec![])
            .await
            .as_str()
            .is_some_and(|text| text.starts_with("name IRIW"))
    );
    assert_eq!(other.count("#memory-outcomes tbody tr").await, 15);
    let picker = other.browser.find(Locator::Css("#memory-example")).await.expect("there is one");
    picker.select_by_value("protocols/broadcast.protocol").await.expect("it can be picked");
    here(&other, "document.querySelector('#memory-status').textContent.startsWith('Broadcast')").await;
    here(&other, "document.querySelectorAll('#memory-outcomes tbody tr').length === 16").await;
}

#[tokio::test]
async fn programs_that_a_memory_cannot_answer_are_refused_and_kept() {
    let page = asked(&example("tso")).await;
    page.click("#memory-program").await;
    program_is_over(&page).await;
    let text = "shared x\n\nfai(x) || a := x\n";
    page.browser.script("document.querySelector('#memory-program-text').select()", vec![]).await;
    let area = page.browser.find(Locator::Css("#memory-program-text")).await.expect("there is one");
    area.send_keys(text).await.expect("it takes keys");
    here(&page, "document.querySelector('.memory .inquiry-side').textContent.includes('The program has changed.')")
        .await;
    area.send_keys(&(Key::Control + "\u{e007}")).await.expect("it takes keys");
    here(&page, "!!document.querySelector('#memory-program-wrong')").await;
    let wrong = page.text("#memory-program-wrong").await;
    assert!(
        wrong.contains("a read-modify-write can't be run on a protocol") && wrong.contains("program:3:1"),
        "{wrong}"
    );
    let kept = page.browser.script("return document.querySelector('#memory-program-text').value", vec![]).await;
    assert_eq!(kept, json!(text));
    assert_eq!(page.count("#memory-outcomes").await, 0);
    // What is typed moves nothing else.
    at(&page, 0, 0).await;
}

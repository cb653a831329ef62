//! What each kind of text brings with it, what labs say of texts that are not for them, and the ways there and back.

use fantoccini::Locator;
use fantoccini::key::Key;
use litmoscope::model::Model;
use litmoscope::session::link;
use serde_json::json;

use crate::page::{Page, STORE_BUFFERING, settings};

fn example(file: &str) -> String {
    let file = format!("{}/../public/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"))
}

async fn here(page: &Page, condition: &str) {
    page.browser.wait_until(&format!("return {condition}"), vec![]).await;
}

async fn open(page: &Page, text: &str) {
    page.go(&link::encode(&settings(text, Model::SC, 0))).await;
}

/// What each lab makes of each kind of text.
#[tokio::test]
async fn each_lab_shows_a_text_or_says_what_it_is_for() {
    let page = Page::open().await;
    let labs = [
        "stepping",
        "models",
        "open-why",
        "open-repair",
        "open-check",
        "open-traces",
        "open-histories",
        "open-memories",
        "open-schedules",
        "open-fairness",
        "open-beside",
        "open-race",
        "open-tests",
    ];
    // The texts, and the labs that show them.
    let kinds: [(&str, String, &[&str]); 7] = [
        (
            "program",
            STORE_BUFFERING.to_owned(),
            &[
                "stepping",
                "models",
                "open-why",
                "open-repair",
                "open-check",
                "open-histories",
                "open-schedules",
                "open-fairness",
                "open-fairness",
                "open-beside",
                "open-race",
                "open-tests",
            ],
        ),
        ("execution", example("executions/sb.exec"), &["open-check", "open-tests"]),
        ("trace", example("traces/e1.trace"), &["open-traces", "open-tests"]),
        ("history", example("histories/s1.history"), &["open-histories", "open-tests"]),
        ("protocol", example("protocols/m2.protocol"), &["open-memories", "open-tests"]),
        ("fairness", example("fairness/lock.fairness"), &["open-fairness", "open-tests"]),
        ("series", example("benchmarks/fig-3-1.series"), &["open-race", "open-tests"]),
    ];
    for (kind, text, fitting) in kinds {
        open(&page, &text).await;
        // What explores has no meaning for what is not explored.
        let pickers = page.count("#model, #algorithm, #unroll").await;
        assert_eq!(pickers, if kind == "program" { 3 } else { 0 }, "{kind}");
        for lab in labs {
            if page.count(&format!("[data-command={lab}][aria-pressed=true]")).await == 0 {
                page.click(&format!("#{lab}")).await;
            }
            page.browser.settled().await;
            let fits = fitting.contains(&lab);
            here(&page, &format!("('unfit' in document.body.dataset) === {}", !fits)).await;
            assert_eq!(page.seen("#unfit").await, !fits, "{lab} of a {kind}");
            if !fits {
                here(&page, "!!document.querySelector('#unfit-example')?.checkVisibility()").await;
                here(&page, "!!document.querySelector('#unfit-here')?.checkVisibility()").await;
            } else if !matches!(lab, "stepping" | "open-beside") {
                let back = "[...document.querySelectorAll('.panel.open button')].some(
                    button => button.textContent === 'Back to the steps' && button.checkVisibility())";
                here(&page, back).await;
            }
        }
        assert_eq!(page.count(".notice.bad").await, 0, "{kind}");
    }
    page.nothing_complained().await;
}

/// A lab that makes nothing of a text is no dead end.
#[tokio::test]
async fn a_lab_that_does_not_fit_leads_on() {
    let page = Page::open().await;
    page.type_program("name own\nx := 1 || a := x").await;
    open(&page, &example("histories/s1.history")).await;
    page.click("#stepping").await;
    here(&page, "document.querySelector('#unfit-words').textContent.includes('a history of a concurrent object')")
        .await;
    page.click("#unfit-last").await;
    here(&page, "!('unfit' in document.body.dataset) && document.body.dataset.lab === 'stepping'").await;
    assert!(page.program().await.starts_with("name own"));
    page.browser.settled().await;
    page.press(&[Key::Right]).await;
    page.browser.expect_text("#position", "1").await;
    // Examples, each shown by its lab.
    for (lab, file, shown) in [
        ("open-why", "histories/s1.history", "#why-asked, .why-not"),
        ("open-beside", "histories/s1.history", ".pair-side .node"),
        ("open-traces", "sb.lit", "#trace-forward"),
        ("open-memories", "sb.lit", "#memory-machine .node"),
        ("open-schedules", "histories/s1.history", "#schedule-tree .node"),
        ("open-fairness", "histories/s1.history", "#fairness-first .node"),
        ("open-check", "traces/e1.trace", "#check-graph .node"),
    ] {
        open(&page, &example(file)).await;
        page.click(&format!("#{lab}")).await;
        page.click("#unfit-example").await;
        here(&page, "!('unfit' in document.body.dataset)").await;
        here(&page, &format!("!!document.querySelector('{shown}')?.checkVisibility()")).await;
    }
    page.nothing_complained().await;
}

#[tokio::test]
async fn lists_of_examples_say_which_one_is_open() {
    let page = Page::open().await;
    open(&page, &example("histories/s1.history")).await;
    here(&page, "document.querySelectorAll('#history-example option').length > 5").await;
    assert_eq!(page.browser.script("return document.querySelector('#history-example').value", vec![]).await, json!(""));
    const CHOOSE: &str = "const select = document.querySelector('#history-example');
        select.value = 'histories/s2.history'; select.dispatchEvent(new Event('change', { bubbles: true }))";
    page.browser.script(CHOOSE, vec![]).await;
    here(&page, "document.querySelector('#editor').value.includes('history s2')").await;
    const OPEN: &str = "document.querySelector('#history-example').value === 'histories/s2.history'";
    here(&page, OPEN).await;
    // Also behind a reload; but not of a text that was changed.
    page.browser.settled().await;
    page.browser.refresh().await.expect("it can be loaded again");
    page.browser.settled().await;
    here(&page, OPEN).await;
    page.click("#editor").await;
    page.press_char('x').await;
    here(&page, "document.querySelector('#history-example').value === ''").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_run_is_there_behind_another_sheet() {
    let page = Page::open().await;
    open(&page, &example("protocols/m2.protocol")).await;
    here(&page, "!!document.querySelector('#memory-machine .node')").await;
    page.click("#memory-chance").await;
    const PLACE: &str = "document.querySelector('#memory-place').textContent === 'step 10 of 10'";
    here(&page, PLACE).await;
    page.click("#memory-program").await;
    here(
        &page,
        "document.querySelector('#memory-program-found')?.getAttribute('aria-busy') === 'false'
        && document.querySelectorAll('#memory-outcomes tr').length > 1",
    )
    .await;
    page.click("#memory-run").await;
    here(&page, PLACE).await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_lesson_ends_where_another_program_comes() {
    let page = Page::open().await;
    const DRAWN: &str = "return [...document.querySelectorAll('.keys .relation')].map(
        one => one.textContent + one.getAttribute('aria-pressed')).filter(one => /^(po|rf|co|fr|wb)/.test(one)).join(' ')";
    let before = page.browser.script(DRAWN, vec![]).await;
    page.go("#tour=coherence:3").await;
    here(&page, "document.querySelector('#notice').textContent.startsWith('Coherence')").await;
    assert_ne!(page.browser.script(DRAWN, vec![]).await, before);
    here(&page, "document.querySelector('#position').textContent === '17'").await;
    page.type_program("x := 1 || y := 1\na := y || b := x").await;
    here(&page, "document.querySelector('#notice').textContent.startsWith('The scenes have ended')").await;
    page.browser.settled().await;
    let now = page.browser.script(DRAWN, vec![]).await;
    assert_eq!(before, now);
    page.nothing_complained().await;
}

#[tokio::test]
async fn back_leads_to_the_place_before() {
    let page = Page::open().await;
    let back = async || {
        page.browser.back().await.expect("there is an entry");
        page.browser.settled().await;
    };
    page.press(&[Key::Right, Key::Right]).await;
    page.click("#models").await;
    page.browser.settled().await;
    open_example(&page, "MP").await;
    page.click("#stepping").await;
    page.browser.settled().await;
    page.press(&[Key::Right]).await;
    // The steps of SB, its comparison, that of MP, its steps.
    back().await;
    here(&page, "document.body.dataset.lab === 'models' && document.querySelector('#editor').value.includes('MP')")
        .await;
    back().await;
    here(&page, "document.body.dataset.lab === 'models' && document.querySelector('#editor').value.includes('Store')")
        .await;
    back().await;
    here(
        &page,
        "document.body.dataset.lab === 'stepping' && document.querySelector('#editor').value.includes('Store')",
    )
    .await;
    page.browser.forward().await.expect("there is one");
    here(&page, "document.body.dataset.lab === 'models'").await;
    // Scenes are places, too.
    page.go("#tour=coherence:1").await;
    here(&page, "document.querySelector('#editor').value.includes('CoRR')").await;
    page.browser.settled().await;
    page.press(&[Key::PageDown]).await;
    here(&page, "!!document.querySelector('#question')").await;
    back().await;
    here(&page, "!document.querySelector('#question')").await;
    page.nothing_complained().await;
}

/// What was asked stays asked, wherever one was meanwhile.
#[tokio::test]
async fn a_question_stays_with_its_program() {
    let page = Page::open().await;
    page.go(&link::encode(&settings(STORE_BUFFERING, Model::TSO, 0))).await;
    // Another outcome than the condition's, and another model than the program's.
    const ASKED: &str =
        "document.body.dataset.lab === 'why' && document.querySelector('#why-sc')?.ariaPressed === 'true'
        && !!document.querySelector('#why-verdict')?.textContent.startsWith('SC allows P0:a=0, P1:b=1')";
    page.press_char('w').await;
    here(&page, "!!document.querySelector('#why-verdict')?.textContent.startsWith('TSO allows P0:a=0, P1:b=0')").await;
    page.click("#why-sc").await;
    let field = page.browser.find(Locator::Css("#why-question")).await.expect("there is a field");
    field.clear().await.expect("it can be cleared");
    field.send_keys("P0:a=0, P1:b=1").await.expect("it takes keys");
    page.press(&[Key::Enter]).await;
    here(&page, ASKED).await;
    // By buttons, by the browser, from another program, and after a reload.
    page.click("#models").await;
    page.browser.settled().await;
    page.click("#open-why").await;
    here(&page, ASKED).await;
    page.click("#stepping").await;
    page.browser.settled().await;
    page.browser.back().await.expect("there is an entry");
    here(&page, ASKED).await;
    open_example(&page, "MP").await;
    page.browser.back().await.expect("there is an entry");
    here(&page, "document.querySelector('#editor').value.includes('a := y')").await;
    here(&page, ASKED).await;
    page.kept().await;
    page.browser.refresh().await.expect("it can be loaded again");
    page.browser.settled().await;
    here(&page, ASKED).await;
    page.kept().await;
    // From a text that the lab is not for, too.
    open(&page, &example("histories/s1.history")).await;
    page.click("#open-why").await;
    here(&page, "!!document.querySelector('#unfit-last.primary')").await;
    assert_eq!(page.count(".unfit-ways .primary").await, 1);
    assert!(!page.text("#unfit-words").await.contains('`'));
    page.click("#unfit-last").await;
    here(&page, ASKED).await;
    // Under another model, the program is asked about that.
    page.click("#stepping").await;
    let select = page.browser.find(Locator::Css("#model")).await.expect("there is a picker");
    select.select_by_value("pso").await.expect("it can be picked");
    page.browser.settled().await;
    page.click("#open-why").await;
    here(&page, "!!document.querySelector('#why-verdict')?.textContent.startsWith('PSO allows P0:a=0, P1:b=0')").await;
    page.nothing_complained().await;
}

/// A link that was shared or opened stands in the address only where it leads to.
#[tokio::test]
async fn a_link_stays_with_its_place() {
    let page = Page::open().await;
    let hash = async || page.browser.script("return location.hash.slice(0, 3)", vec![]).await;
    page.press_char('m').await;
    page.browser.settled().await;
    page.press_char('s').await;
    here(&page, "location.hash.startsWith('#4.')").await;
    open_example(&page, "MP").await;
    assert_eq!(hash().await, json!(""));
    page.browser.back().await.expect("there is an entry");
    here(&page, "location.hash.startsWith('#4.') && !document.querySelector('#editor').value.includes('MP')").await;
    page.click("#stepping").await;
    page.browser.settled().await;
    assert_eq!(hash().await, json!(""));
    // One that is put into the address stays there, and not with what was there before.
    let fragment = link::encode(&settings("other := 1 || a := other", Model::RA, 2));
    page.browser.script("location.hash = arguments[0]", vec![json!(fragment)]).await;
    here(&page, "document.querySelector('#editor').value.includes('other')").await;
    page.browser.settled().await;
    assert_eq!(page.browser.script("return location.hash", vec![]).await, json!(fragment));
    page.browser.back().await.expect("there is an entry");
    here(&page, "!document.querySelector('#editor').value.includes('other') && location.hash === ''").await;
    page.nothing_complained().await;
}

/// What a lab chooses itself is not chosen beside it a second time.
#[tokio::test]
async fn one_chooser_counts() {
    let page = Page::open().await;
    for (lab, seen) in [
        ("stepping", [true, true, true]),
        ("models", [false, false, true]),
        ("open-why", [false, false, true]),
        ("open-race", [true, false, true]),
    ] {
        if page.count(&format!("[data-command={lab}][aria-pressed=true]")).await == 0 {
            page.click(&format!("#{lab}")).await;
        }
        page.browser.settled().await;
        for (picker, seen) in ["#model", "#algorithm", "#unroll"].into_iter().zip(seen) {
            assert_eq!(page.seen(picker).await, seen, "{picker} beside {lab}");
        }
    }
    // Where one panel is shown at a time, they are on the program's.
    page.browser.resize(390, 844).await;
    page.click("#tab-program").await;
    assert!(page.seen("#model").await && page.seen("#algorithm").await);
    page.nothing_complained().await;
}

/// Text and code stand in a line, not as parts of a row.
#[tokio::test]
async fn sentences_with_code_are_one_paragraph() {
    let page = Page::open().await;
    const BROKEN: &str = "return [...document.querySelectorAll('body *')].filter(e =>
            e.checkVisibility() && /flex|grid/.test(getComputedStyle(e).display) && e.querySelector(':scope > code')
            && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim().length > 3)
        ).map(e => e.outerHTML.slice(0, 120))";
    for lab in [
        "open-histories",
        "open-why",
        "open-repair",
        "open-check",
        "open-race",
        "open-traces",
        "open-memories",
        "open-schedules",
        "open-fairness",
        "open-tests",
    ] {
        page.click(&format!("#{lab}")).await;
        page.browser.settled().await;
        assert_eq!(page.browser.script(BROKEN, vec![]).await, json!([]), "{lab}");
        if lab == "open-histories" {
            assert!(page.text("#history-status").await.contains("T1: push 1 [0,2]"));
        }
    }
    for dialog in ["open-help", "open-sharing", "open-recent"] {
        page.browser.script("document.querySelector('dialog[open] .close')?.click()", vec![]).await;
        page.click(&format!("#{dialog}")).await;
        page.browser.settled().await;
        assert_eq!(page.browser.script(BROKEN, vec![]).await, json!([]), "{dialog}");
    }
    page.nothing_complained().await;
}

/// Opens an example from the gallery.
async fn open_example(page: &Page, name: &str) {
    page.click("#open-gallery").await;
    let entry = format!("#gallery .card[data-example='{name}']");
    here(page, &format!("!!document.querySelector(\"{entry}\")")).await;
    page.click(&entry).await;
    here(page, "!document.querySelector('#gallery').open").await;
    page.browser.settled().await;
}

/// A line of code has the room that it wants, as far as there is some.
#[tokio::test]
async fn the_program_is_as_wide_as_its_text_wants() {
    let page = Page::open().await;
    page.browser.resize(1920, 1080).await;
    let width = async || page.rectangle(".panel.program").await[2];
    open(&page, "x := 1").await;
    let narrow = width().await;
    open(&page, &example("iriw.lit")).await;
    let wide = width().await;
    assert!(wide > narrow + 40.0, "{narrow} {wide}");
    const FITS: &str = "const editor = document.querySelector('#editor');
        const line = editor.value.split('\\n').filter(l => l.includes('||'))[0].length;
        return editor.clientWidth >= line * 8.4";
    assert_eq!(page.browser.script(FITS, vec![]).await, json!(true));
    page.browser.resize(1280, 800).await;
    assert!(page.rectangle("#stage").await[2] >= 540.0);
    page.nothing_complained().await;
}

/// A link says what a part draws in another page.
#[tokio::test]
async fn a_part_draws_what_its_link_says() {
    let page = Page::open().await;
    let address = |more: &str| {
        let link = link::encode(&settings(STORE_BUFFERING, Model::TSO, 9));
        format!("{}?embed=buttons{link}&{more}", page.site.url())
    };
    page.browser.goto(&address("view=graph&show=po.fr")).await.expect("it opens");
    page.browser.settled().await;
    const DRAWN: &str = "return ['rf', 'fr', 'po'].filter(name => document.querySelector(`#graph .rel-${name}`))";
    assert_eq!(page.browser.script(DRAWN, vec![]).await, json!(["fr", "po"]));
    page.browser.goto("about:blank").await.expect("there is an empty page");
    page.browser.goto(&address("view=table")).await.expect("it opens");
    page.browser.settled().await;
    assert!(!page.seen("#graph").await && page.seen("#panel-table table").await);
    page.nothing_complained().await;
}

/// The frame that is suggested has room for all of store buffering, whole.
#[tokio::test]
async fn the_frame_that_is_suggested_shows_all_of_a_small_test() {
    let page = Page::open().await;
    page.browser.resize(800, 560).await;
    for (part, position) in [("stepper", 9), ("buttons", 9)] {
        let link = link::encode(&settings(STORE_BUFFERING, Model::TSO, position));
        page.browser.goto("about:blank").await.expect("there is an empty page");
        page.browser.goto(&format!("{}?embed={part}{link}", page.site.url())).await.expect("it opens");
        page.browser.settled().await;
        here(&page, "document.querySelectorAll('#graph .node').length === 6").await;
        const INSIDE: &str = "const of = element => element.getBoundingClientRect();
            const stage = of(document.querySelector('#stage'));
            return [...document.querySelectorAll('#graph .node .box')].every(node => {
                const box = of(node);
                return box.left >= stage.left && box.right <= stage.right && box.top >= stage.top && box.bottom <= stage.bottom;
            })";
        assert_eq!(page.browser.script(INSIDE, vec![]).await, json!(true), "{part}");
    }
    page.nothing_complained().await;
}

/// Whoever moves by Tab sees where that leads, in each lab.
#[tokio::test]
async fn each_stop_of_tab_shows_its_focus() {
    let page = Page::open().await;
    // What has the focus, if nothing shows it: a ring around it or around what holds it.
    const HIDDEN: &str = "const ring = (element) => {
            const style = getComputedStyle(element);
            return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0
                || style.boxShadow !== 'none' && !element.matches('.panel');
        };
        const now = document.activeElement;
        if (!now || now === document.body) return null;
        // The border of a column shows it by its line.
        if (now.matches('.border') && getComputedStyle(now, '::before').opacity === '1') return '';
        const shown = [now, now.parentElement, now.parentElement?.parentElement].some(e => e && ring(e));
        return shown ? '' : now.outerHTML.slice(0, 120)";
    let states = [
        (STORE_BUFFERING.to_owned(), ""),
        (STORE_BUFFERING.to_owned(), "models"),
        (STORE_BUFFERING.to_owned(), "open-why"),
        (STORE_BUFFERING.to_owned(), "open-race"),
        (example("executions/sb.exec"), ""),
        (example("traces/e1.trace"), ""),
        (example("histories/s1.history"), ""),
        (example("protocols/m2.protocol"), ""),
    ];
    for (text, lab) in states {
        open(&page, &text).await;
        if !lab.is_empty() {
            page.click(&format!("#{lab}")).await;
        }
        page.browser.settled().await;
        page.browser.script("document.activeElement?.blur()", vec![]).await;
        let mut stops = 0;
        for _ in 0..70 {
            page.press(&[Key::Tab]).await;
            let hidden = page.browser.script(HIDDEN, vec![]).await;
            // The editor keeps Tab for itself.
            page.browser
                .script(
                    "if (document.activeElement?.id === 'editor') document.querySelector('#program-border')?.focus()",
                    vec![],
                )
                .await;
            match hidden.as_str() {
                None => break,
                Some(hidden) => assert_eq!(hidden, "", "{lab} of {}", text.lines().next().unwrap_or_default()),
            }
            stops += 1;
        }
        assert!(stops > 10, "{stops} stops in {lab}");
    }
    page.nothing_complained().await;
}

/// What is too large for its panel keeps letters that can be read, has a map, and goes to where a step is.
#[tokio::test]
async fn long_drawings_of_labs_can_be_read() {
    let page = Page::open().await;
    page.browser.resize(1280, 800).await;
    let least = |graph: &str| {
        format!(
            "Math.min(...[...document.querySelectorAll('#{graph} text')].map(
                e => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a))"
        )
    };
    let in_sight = |graph: &str, stage: &str| {
        format!(
            "(() => {{
                const of = element => element.getBoundingClientRect();
                const stage = of(document.querySelector('#{stage}'));
                return [...document.querySelectorAll('#{graph} .edge.lit, #{graph} .node.newest')].some(one => {{
                    const box = of(one);
                    return box.right > stage.left && box.left < stage.right && box.bottom > stage.top && box.top < stage.bottom;
                }});
            }})()"
        )
    };
    open(&page, &example("traces/formula.trace")).await;
    here(&page, "document.querySelectorAll('#trace-graph .node').length > 100").await;
    here(&page, &format!("{} >= 8.99", least("trace-graph"))).await;
    here(&page, "!!document.querySelector('#trace-stage-map')").await;
    for _ in 0..6 {
        page.press(&[Key::Right]).await;
        here(&page, &in_sight("trace-graph", "trace-stage")).await;
    }
    open(&page, &example("protocols/m2.protocol")).await;
    here(&page, "!!document.querySelector('#memory-machine .node')").await;
    for times in 1..=4 {
        page.click("#memory-chance").await;
        here(&page, &format!("document.querySelector('#memory-place').textContent === 'step {0} of {0}'", 10 * times))
            .await;
    }
    here(&page, &format!("{} >= 8.99", least("memory-graph"))).await;
    // So are those of an abstract execution, of an outcome, of two explorations, and of calls.
    open(&page, &example("executions/search-only.exec")).await;
    here(
        &page,
        &format!("document.querySelectorAll('#check-graph .node').length >= 20 && {} >= 8.99", least("check-graph")),
    )
    .await;
    let rows: String = (1..=18).map(|n| format!("x := {n} || y := {n}\n")).collect();
    let long = format!("name Long\nshared x, y\n{rows}exists (x = 18)");
    open(&page, &long).await;
    for (key, graph) in [('m', "allowed-graph"), ('w', "why-graph")] {
        page.press_char(key).await;
        let many = format!("document.querySelectorAll('#{graph} .node').length > 28");
        here(&page, &format!("{many} && {} >= 8.99 && !!document.querySelector('.minimap')", least(graph))).await;
    }
    open(&page, &example("objects/treiber-plain-push.lit")).await;
    here(&page, "document.querySelector('#step-name')?.textContent === 'start'").await;
    page.press_char('L').await;
    here(
        &page,
        &format!("document.querySelectorAll('#history-graph .frame').length > 1 && {} >= 8.99", least("history-graph")),
    )
    .await;
    page.nothing_complained().await;
}

/// A map stands in a free corner. Where there is none, it is seen only while somebody points at its own.
#[tokio::test]
async fn maps_cover_neither_titles_nor_events() {
    const COVERS: &str = "[...document.querySelectorAll('.minimap')].some(map => {
        if (getComputedStyle(map).opacity < 0.05) return false;
        const one = map.getBoundingClientRect();
        return [...map.closest('.stage').querySelectorAll('.node .box, .column text')].some(part => {
            const other = part.getBoundingClientRect();
            return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
        });
    })";
    let page = Page::open().await;
    let mut full = false;
    for (file, drawn) in [
        ("traces/e1.trace", "#trace-graph .node"),
        ("traces/formula.trace", "#trace-graph .node"),
        ("protocols/broadcast-causal.protocol", "#memory-machine .node"),
    ] {
        page.browser.resize(1280, 800).await;
        open(&page, &example(file)).await;
        here(&page, &format!("!!document.querySelector('{drawn}')")).await;
        for (width, height) in [(1280, 800), (640, 400), (844, 390)] {
            page.browser.resize(width, height).await;
            page.next_frame().await;
            here(&page, &format!("!{COVERS}")).await;
            if full || page.count(".minimap.over").await == 0 {
                continue;
            }
            full = true;
            let (x, y) = page.middle(".minimap.over").await;
            page.mouse("mouseMoved", x, y, json!({})).await;
            here(&page, "getComputedStyle(document.querySelector('.minimap.over')).opacity === '1'").await;
            page.mouse("mouseMoved", 2.0, 2.0, json!({})).await;
            here(&page, &format!("!{COVERS}")).await;
        }
    }
    assert!(full, "some drawing has no free corner");
    page.nothing_complained().await;
}

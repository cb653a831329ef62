//! Algorithms on the same programs, size by size; and which executions count as the same.

use crate::page::{Page, STORE_BUFFERING};
use fantoccini::key::Key;
use litmoscope_tests::browser::ColorScheme;
use serde_json::{Value, json};

const OVER: &str = "return document.querySelector('.racing')?.dataset.over === 'true'
    && document.querySelector('#race-status').textContent === 'everything was explored'";

/// The cells of a table, by the name in its corner and of the row.
const ROW: &str = "const table = [...document.querySelectorAll('.race-table')]
        .find(table => table.querySelector('th').textContent === arguments[0]);
    const row = [...table.querySelectorAll('tbody tr')].find(row => row.firstElementChild.textContent === arguments[1]);
    return [...row.querySelectorAll('td')].map(cell => cell.textContent)";

/// A series opens the race; who takes part, and which sizes, is chosen; tables show what was found.
#[tokio::test]
async fn a_series_is_raced_size_by_size() {
    let page = Page::open().await;
    page.type_program("series rows\nsizes 1..3\n$each i in 1..n joined \" || \" { x := 1; a$i := x }").await;
    page.browser
        .wait_until("return document.body.dataset.lab === 'race' && !!document.querySelector('#race-to')", vec![])
        .await;
    for algorithm in ["genmc", "genmc_co", "rf_smc", "vc_dpor", "dc_dpor", "source_dpor"] {
        page.click(&format!("#race-{algorithm}")).await;
    }
    page.click("#race-go").await;
    page.browser.wait_until(OVER, vec![]).await;
    assert_eq!(page.count(".race-found.faded").await, 0);
    let row = async |table: &str, name: &str| page.browser.script(ROW, vec![json!(table), json!(name)]).await;
    assert_eq!(row("classes", "Mazurkiewicz").await, json!(["1", "4", "36"]));
    assert_eq!(row("classes", "reads-from").await, json!(["1", "3", "16"]));
    assert_eq!(row("executions", "TruSt").await, json!(["1", "3", "16"]));
    assert_eq!(row("executions", "RVF-SMC").await, json!(["1", "1", "1"]));
    assert_eq!(row("executions", "Optimal-DPOR").await, json!(["1", "4", "36"]));
    // What is known is of another limit.
    choose(&page, "#race-limit", "10").await;
    page.browser.wait_until("return !!document.querySelector('.race-found.faded')", vec![]).await;
    choose(&page, "#race-limit", "3").await;
    page.browser.wait_until("return !document.querySelector('.race-found.faded')", vec![]).await;
    page.click("#race-none").await;
    assert_eq!(page.count(".race-takers [aria-pressed='true']").await, 0);
    page.click("#race-go").await;
    page.browser.expect_text("#race-trouble", "Choose at least one algorithm.").await;
    page.click("#race-all").await;
    assert_eq!(page.count(".race-takers [aria-pressed='false']").await, 0);
    page.nothing_complained().await;
}

/// Chooses from a list.
async fn choose(page: &Page, select: &str, value: &str) {
    const CHOOSE: &str = "const select = document.querySelector(arguments[0]);
        select.value = arguments[1];
        select.dispatchEvent(new Event('change', { bubbles: true }))";
    page.browser.script(CHOOSE, vec![json!(select), json!(value)]).await;
    page.browser.settled().await;
}

/// A series that comes with the page is opened from a list. Its executions are looked for at a size that has some to be
/// compared, and the text that it replaced can be restored.
#[tokio::test]
async fn a_series_is_opened_from_the_list() {
    let page = Page::open().await;
    page.type_program("x := 1; mine := x").await;
    page.press(&[Key::Escape]).await;
    page.click("#graph").await;
    page.press_char('R').await;
    page.click("#race-classes").await;
    page.browser.wait_until("return document.querySelectorAll('#nest .dot').length === 1", vec![]).await;
    choose(&page, "#race-series", "readers-writers").await;
    page.browser.wait_until("return document.querySelectorAll('#nest .dot').length === 2", vec![]).await;
    assert!(page.program().await.contains("series readers-writers"));
    assert_eq!(
        page.browser.script("return document.querySelector('#race-series').value", vec![]).await,
        "readers-writers"
    );
    // Of size 1 it has one execution.
    page.type_program("series rows\nsizes 1..3\n$each i in 1..n joined \" || \" { x := 1; a$i := x }").await;
    page.browser.wait_until("return document.querySelectorAll('#nest .dot').length === 4", vec![]).await;
    assert_eq!(page.browser.script("return document.querySelector('#classes-size').value", vec![]).await, "2");
    assert_eq!(page.browser.script("return document.querySelector('#race-series').value", vec![]).await, "");
    choose(&page, "#race-series", "fig-4-1").await;
    page.browser.wait_until("return document.querySelectorAll('#nest .dot').length === 98", vec![]).await;
    page.click("#restore").await;
    page.browser.wait_until("return document.querySelector('#editor').value.startsWith('series rows')", vec![]).await;
    page.nothing_complained().await;
}

/// The root thread is chosen by its name, where something depends on it.
#[tokio::test]
async fn a_root_thread_has_a_name() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape]).await;
    page.click("#graph").await;
    page.press_char('R').await;
    page.browser.wait_until("return !!document.querySelector('#race-go')", vec![]).await;
    const ROOTS: &str = "return [...document.querySelectorAll('#race-root option')].map(option => option.textContent)";
    choose(&page, "#model", "sc").await;
    assert_eq!(page.browser.script(ROOTS, vec![]).await, json!(["P0", "P1"]));
    assert_eq!(page.count(".race-absent").await, 0);
    choose(&page, "#model", "tso").await;
    assert!(page.text(".race-absent").await.ends_with(" take no part under TSO"));
    assert_eq!(page.count("#race-root").await, 0);
    page.click("#race-classes").await;
    assert_eq!(page.browser.script(ROOTS, vec![]).await, json!(["P0", "P1"]));
    assert!(page.text("#classes-model").await.contains("the model chosen (TSO) isn't used here"));
    page.nothing_complained().await;
}

/// A program alone has one table; the key opens the race and goes back to the steps.
#[tokio::test]
async fn a_program_is_raced_alone() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape]).await;
    page.click("#graph").await;
    page.press_char('R').await;
    page.browser.wait_until("return !!document.querySelector('#race-go')", vec![]).await;
    page.click("#race-go").await;
    page.browser.wait_until(OVER, vec![]).await;
    let row = page.browser.script(ROW, vec![json!("algorithm"), json!("TruSt")]).await;
    assert_eq!(row[0], json!("3"));
    assert_eq!(page.count("#race-from").await, 0);
    page.click("#race-close").await;
    page.browser.wait_until("return document.body.dataset.lab === 'stepping'", vec![]).await;
    page.nothing_complained().await;
}

/// Each quantity is a line for each algorithm, with a name for those who do not see it, in letters that can be read on a
/// telephone and colours that stand out on either ground.
#[tokio::test]
async fn a_race_is_plotted() {
    let page = Page::open().await;
    page.type_program("series rows\nsizes 1..4\n$each i in 1..n joined \" || \" { x := 1; a$i := x }").await;
    page.browser.wait_until("return !!document.querySelector('#race-to')", vec![]).await;
    let others =
        ["genmc", "genmc_co", "rvf_smc", "vc_dpor", "dc_dpor", "source_dpor", "observers", "eager_por", "epor_sh"];
    for algorithm in others {
        page.click(&format!("#race-{algorithm}")).await;
    }
    page.click("#race-plots").await;
    page.click("#race-go").await;
    page.browser.wait_until(OVER, vec![]).await;
    const PLOTS: &str =
        "return [...document.querySelectorAll('.plot')].map(plot => plot.dataset.plot.split(' by ')[0])";
    let plots = page.browser.script(PLOTS, vec![]).await;
    assert_eq!(plots, json!(["classes", "executions", "steps", "units of work", "seconds"]));
    const EXECUTIONS: &str = "const plot = document.querySelector(`.plot[data-plot^='executions']`);
        return [
            plot.querySelector('svg').getAttribute('aria-label'),
            [...plot.querySelectorAll('.plot-key li')].map(item => item.textContent.trim()),
            [...plot.querySelectorAll('.plot-size')].map(text => text.textContent),
            [...plot.querySelectorAll('[data-line=TruSt] .plot-point')].map(point => point.textContent),
        ]";
    let [summary, names, sizes, points]: [Value; 4] =
        serde_json::from_value(page.browser.script(EXECUTIONS, vec![]).await).expect("four lists");
    let summary = summary.as_str().expect("a text");
    assert!(summary.contains("by size, logarithmic: TruSt from 1 at size 1 to 125 at size 4; "), "{summary}");
    assert_eq!(names, json!(["TruSt = RF-SMC", "TruSt (co) = Optimal-DPOR"]));
    assert_eq!(sizes, json!(["1", "2", "3", "4"]));
    assert_eq!(points[3], json!("TruSt = RF-SMC, size 4: 125"));
    // A factor is a distance: where 1, 3, 16 and 125 stand.
    const HEIGHTS: &str =
        "return [...document.querySelectorAll(`.plot[data-plot^='executions'] [data-line=TruSt] .plot-point`)]
        .map(point => { const box = point.getBBox(); return box.y + box.height / 2; })";
    let heights: [f64; 4] = serde_json::from_value(page.browser.script(HEIGHTS, vec![]).await).expect("four heights");
    let ratio = (heights[0] - heights[1]) / (heights[0] - heights[3]);
    assert!((ratio - 3f64.ln() / 125f64.ln()).abs() < 0.02, "{heights:?}");
    // Nothing is cut or covered, and letters can be read.
    const SIGHT: &str = "return [...document.querySelectorAll('.plot-area')].flatMap(area => {
        const around = area.getBoundingClientRect();
        const texts = [...area.querySelectorAll('text')].map(text => text.getBoundingClientRect());
        return texts.flatMap((one, at) => [
            one.height < 11 && 'small',
            (one.left < around.left - 1 || one.right > around.right + 1 || one.bottom > around.bottom + 1) && 'cut',
            texts.slice(at + 1).some(other => one.left < other.right && other.left < one.right
                && one.top < other.bottom - 2 && other.top < one.bottom - 2) && 'covered',
        ]).filter(wrong => wrong);
    })";
    // By WCAG's formula, of each line against what is behind it.
    const CONTRAST: &str = "const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
        const light = colour => numbers(colour).slice(0, 3).map(part => part / 255)
            .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
            .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
        let behind = document.querySelector('.plot-area');
        while (!(numbers(getComputedStyle(behind).backgroundColor)[3] !== 0)) behind = behind.parentElement;
        const ground = light(getComputedStyle(behind).backgroundColor);
        return Math.min(...[...document.querySelectorAll('.plot-line')].map(line => light(getComputedStyle(line).stroke))
            .map(line => (Math.max(line, ground) + 0.05) / (Math.min(line, ground) + 0.05)))";
    for (width, height) in [(1280, 800), (390, 844)] {
        page.browser.resize(width, height).await;
        page.browser.settled().await;
        assert_eq!(page.browser.script(SIGHT, vec![]).await, json!([]), "{width}");
        for scheme in [ColorScheme::Light, ColorScheme::Dark] {
            page.browser.prefer(scheme).await;
            page.browser.settled().await;
            let contrast = page.browser.script(CONTRAST, vec![]).await.as_f64().expect("a number");
            assert!(contrast >= 3.0, "{width}: {contrast}");
        }
    }
    // In high contrast each colour has seven to one on white.
    const HIGHEST: &str = "const root = document.documentElement;
        root.dataset.theme = 'contrast';
        const light = colour => colour.trim().match(/[0-9a-f]{2}/g).map(part => parseInt(part, 16) / 255)
            .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
            .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
        const names = [0, 1, 2, 3, 4, 5].map(number => `--plot-${number}`).concat('--second');
        return Math.min(...names.map(name => 1.05 / (light(getComputedStyle(root).getPropertyValue(name)) + 0.05)))";
    let contrast = page.browser.script(HIGHEST, vec![]).await.as_f64().expect("a number");
    assert!(contrast >= 7.0, "{contrast}");
    page.click("#race-tables").await;
    assert_eq!(page.count(".plot").await, 0);
    page.nothing_complained().await;
}

const FIGURE_4_1: &str = "x := 1; y := 1 || x := 1; y := 1; a := x || x := 1; y := 1; b := y";

/// The classes are there, and two executions.
const CLASSED: &str = "return document.querySelector('.racing')?.dataset.over === 'true'
    && !!document.querySelector('#same-second-graph .node') && !!document.querySelector('#classes-table [data-same]')";

async fn classes_of(text: &str) -> Page {
    let page = Page::open().await;
    page.type_program(text).await;
    page.press(&[Key::Escape]).await;
    page.click("#graph").await;
    page.press_char('R').await;
    page.browser.wait_until("return !!document.querySelector('#race-classes')", vec![]).await;
    page.click("#race-classes").await;
    page.browser.wait_until(CLASSED, vec![]).await;
    page
}

/// Which executions are chosen, as the selects say and as the dots do.
async fn chosen(page: &Page) -> Value {
    const CHOSEN: &str = "return [
        document.querySelector('#same-first').value, document.querySelector('#same-second').value,
        ...['.dot-first', '.dot-second'].map(dot => document.querySelector(dot).id),
    ]";
    page.browser.script(CHOSEN, vec![]).await
}

/// Waits until the comparison of two executions is there.
async fn compared(page: &Page, first: u32, second: u32) {
    const SHOWN: &str = "const [first, second] = arguments;
        return document.querySelector('#same-first').value === String(first)
            && document.querySelector('#same-second').value === String(second)";
    page.browser.wait_until(SHOWN, vec![json!(first), json!(second)]).await;
    page.browser.settled().await;
}

/// By equivalence, whether the two are in one class, and the words for it.
async fn verdicts(page: &Page) -> Vec<(String, bool, String)> {
    const VERDICTS: &str = "return [...document.querySelectorAll('#classes-table [data-equivalence]')].map(row =>
        [row.dataset.equivalence, row.dataset.same === 'true', row.querySelector('.class-words').textContent])";
    serde_json::from_value(page.browser.script(VERDICTS, vec![]).await).expect("rows")
}

/// The classes of print are counted, and are boxes around dots, inside one another.
#[tokio::test]
async fn executions_lie_in_their_classes() {
    let page = classes_of(FIGURE_4_1).await;
    const COUNTS: &str =
        "return [...document.querySelectorAll('#classes-table .class-count')].map(cell => cell.textContent)";
    assert_eq!(page.browser.script(COUNTS, vec![]).await, json!(["98", "43", "28", "9", "7", "1", "1"]));
    assert_eq!(page.text("#race-status").await, "98 executions: all there are");
    assert_eq!(page.count("#nest .dot").await, 98);
    for (equivalence, inner, boxes) in [
        ("mazurkiewicz", None, [98, 0]),
        ("reads_from", Some("data_centric"), [9, 28]),
        ("value_centric", Some("data_centric"), [7, 28]),
        ("reads_value_from", Some("value_centric"), [1, 7]),
    ] {
        page.click(&format!("#by-{equivalence}")).await;
        let select = "document.querySelector('#nest-inner')";
        match inner {
            None => assert_eq!(page.count("#nest-inner").await, 0),
            Some(inner) => {
                page.browser
                    .script(
                        &format!("{select}.value = arguments[0]; {select}.dispatchEvent(new Event('change', {{ bubbles: true }}))"),
                        vec![json!(inner)],
                    )
                    .await;
            }
        }
        page.browser.settled().await;
        let found = [page.count(".nest-outer").await, page.count(".nest-inner").await];
        assert_eq!((found, page.count("#nest .dot").await), (boxes, 98), "{equivalence}");
    }
    // Another root has other value-centric classes.
    page.browser
        .script(
            "const root = document.querySelector('#race-root');
            root.value = '2';
            root.dispatchEvent(new Event('change', { bubbles: true }))",
            vec![],
        )
        .await;
    page.browser
        .wait_until("return document.querySelector('#classes-head')?.textContent.endsWith('root thread P1')", vec![])
        .await;
    page.browser.wait_until(CLASSED, vec![]).await;
    assert_eq!(page.browser.script(COUNTS, vec![]).await, json!(["98", "43", "31", "9", "12", "1", "1"]));
    page.nothing_complained().await;
}

/// Two executions are chosen with the mouse, the keyboard and the lists; each equivalence says whether they are of one class,
/// and the one that is chosen shows in the graphs what tells them apart.
#[tokio::test]
async fn two_executions_are_compared() {
    let page = classes_of("x := 1 || x := 1 || a := x").await;
    assert_eq!(page.count("#nest .dot").await, 6);
    assert_eq!(chosen(&page).await, json!(["0", "1", "dot-0", "dot-1"]));
    // They look different, and the key says which is which.
    const COLOURS: &str = "return ['#nest .dot-first', '.key-first', '#nest .dot-second', '.key-second']
        .map(dot => getComputedStyle(document.querySelector(dot)).backgroundColor)";
    let colours: [String; 4] =
        serde_json::from_value(page.browser.script(COLOURS, vec![]).await).expect("four colours");
    assert_eq!((&colours[0], &colours[2]), (&colours[1], &colours[3]));
    assert_ne!(colours[0], colours[2]);
    // The two that were chosen last.
    page.click("#dot-4").await;
    compared(&page, 1, 4).await;
    assert_eq!(chosen(&page).await, json!(["1", "4", "dot-1", "dot-4"]));
    // One dot can be reached by Tab, the others from there.
    assert_eq!(page.count("#nest .dot[tabindex='0']").await, 1);
    const PLACES: &str = "return [...document.querySelectorAll('#nest .dot')].map(dot => Number(dot.id.slice(4)))";
    let places: Vec<u32> = serde_json::from_value(page.browser.script(PLACES, vec![]).await).expect("numbers");
    page.press(&[Key::Home]).await;
    page.press(&[Key::Right, Key::Right]).await;
    let focused = page.browser.script("return document.activeElement.id", vec![]).await;
    assert_eq!(focused, json!(format!("dot-{}", places[2])));
    page.press(&[Key::Left, Key::Left, Key::Left, Key::Enter]).await;
    compared(&page, 4, places[0]).await;
    // Whatever two are chosen, the table and the graphs agree.
    let mut seen = Vec::new();
    for second in 1..6 {
        for (select, value) in [("#same-first", 0), ("#same-second", second)] {
            page.browser
                .script(
                    "const select = document.querySelector(arguments[0]);
                    select.value = arguments[1];
                    select.dispatchEvent(new Event('change', { bubbles: true }))",
                    vec![json!(select), json!(value.to_string())],
                )
                .await;
        }
        compared(&page, 0, second).await;
        let rows = verdicts(&page).await;
        assert_eq!(rows.len(), 7);
        assert_eq!((rows[0].0.as_str(), rows[0].1), ("mazurkiewicz", false));
        for (equivalence, same, words) in &rows {
            assert_eq!(*same, words.starts_with("in common: "), "{equivalence}: {words}");
            page.click(&format!("#by-{equivalence}")).await;
            let lit = page.count("#same-first-graph .edge.lit, #same-first-graph .added-edge").await
                + page.count("#same-second-graph .edge.lit, #same-second-graph .added-edge").await;
            assert_eq!(*same, lit == 0, "{equivalence}: {words}");
            // In one box, or in two.
            let boxes = page.count(".nest-outer.holds").await;
            assert_eq!(boxes, if *same { 1 } else { 2 }, "{equivalence}");
        }
        seen.extend(rows.into_iter().map(|(_, _, words)| words));
    }
    let said = |words: &str| seen.iter().any(|seen| seen.contains(words));
    assert!(said("reads 0 in the first, reads 1 in the second") || said("reads 1 in the first, reads 0 in the second"));
    assert!(said(", W(x,1): before "), "{seen:?}");
    page.nothing_complained().await;
}

/// What is cut is called bounded, can be stopped, and is out of date when the program is another one.
#[tokio::test]
async fn many_executions_are_bounded() {
    let page = classes_of("x := 1 || x := 2 || x := 3 || x := 4 || x := 5 || x := 6 || x := 7").await;
    assert_eq!(page.count("#nest .dot").await, 1000);
    assert_eq!(page.text("#race-status").await, "bounded: there are more than these 1,000 executions");
    assert!(page.text("#classes-table .class-count").await.starts_with('≥'));
    page.type_program("x := 1 || a := x").await;
    page.browser.wait_until("return !!document.querySelector('.classes.faded')", vec![]).await;
    page.click("#classes-go").await;
    page.browser.wait_until("return document.querySelectorAll('#nest .dot').length === 2", vec![]).await;
    assert_eq!(page.count(".classes.faded").await, 0);
    page.type_program("x := ").await;
    page.click("#classes-go").await;
    page.browser
        .wait_until(
            "return document.querySelector('#classes-trouble').textContent.startsWith(`Can't look for executions: `)",
            vec![],
        )
        .await;
    page.nothing_complained().await;
}

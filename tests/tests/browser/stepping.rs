//! Stepping, on the whole page.

use crate::page::{LONG, Page, STORE_BUFFERING, settings};
use fantoccini::Locator;
use fantoccini::key::Key;
use litmoscope::explore::{Algorithm, Options, Parameters};
use litmoscope::model::Model;
use litmoscope::session::{Session, Settings, ViewRequest, link};
use litmoscope::testing::seeds;
use litmoscope_tests::browser::{Browser, ColorScheme};
use litmoscope_tests::site;
use serde_json::{Value, json};
use std::time::Instant;

#[tokio::test]
async fn the_page_runs_at_the_root_of_a_server() {
    the_page_runs_under("/").await;
}

#[tokio::test]
async fn the_page_runs_under_any_path() {
    the_page_runs_under("/a/b/").await;
}

async fn the_page_runs_under(path: &str) {
    let site = site::serve(path);
    let browser = Browser::start().await;
    browser.goto(site.url()).await.expect("the page can be opened");
    browser.expect_text("h1", "Litmoscope").await;
    browser.expect_text("#step-name", "start").await;
    assert_eq!(browser.console_problems().await, Vec::<String>::new());
}

#[tokio::test]
async fn the_page_allows_itself_nothing_from_elsewhere() {
    const POLICY: &str = "return document.querySelector('meta[http-equiv=Content-Security-Policy]').content";
    let site = site::serve("/");
    let browser = Browser::without_service_workers().await;
    browser.goto(site.url()).await.expect("the page can be opened");
    let policy = browser.execute(POLICY, vec![]).await.expect("the page has a policy");
    let policy = policy.as_str().expect("the policy is text");
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    for forbidden in ["'unsafe-inline'", "'unsafe-eval'", "http:", "https:", "*"] {
        assert!(!policy.contains(forbidden), "{forbidden} in {policy}");
    }
}

#[tokio::test]
async fn steps_show_what_the_engine_says() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    let mut session = Session::open(settings(STORE_BUFFERING, Model::SC, 0)).expect("it is a program");
    for _ in 0..200 {
        assert!(session.forward());
        page.click("#forward").await;
        page.browser.settled().await;
        // The page leaves out fr at first, as well as some relations that SC does not have.
        let hidden = page.browser.script("return localStorage.getItem('litmoscope.hidden')", vec![]).await;
        let hidden = hidden.as_str().expect("what is hidden is stored");
        let hidden = litmoscope::graph::RelationName::ALL
            .into_iter()
            .filter(|relation| hidden.split(' ').any(|name| name == relation.name()))
            .collect();
        let view = session.view(&ViewRequest { hidden, ..ViewRequest::default() });
        assert_eq!(page.text("#position").await, view.position.to_string());
        assert_eq!(page.text("#step-name").await, view.step_name);
        assert_eq!(page.text("#explanation").await, view.explanation);
        let labels: Vec<_> = view.drawing.nodes.iter().map(|node| format!("{} {}", node.name, node.label)).collect();
        let graph = page.graph().await;
        assert_eq!(graph[0], json!(labels));
        assert_eq!(graph[1].as_array().map(Vec::len), Some(view.drawing.edges.len()));
        if view.done {
            break;
        }
    }
    assert!(session.is_done());
    assert_eq!(page.text("#count-complete").await, "3");
    assert_eq!(page.text("#count-dropped").await, "1");
    assert_eq!(page.count("#outcomes tbody tr").await, 3);
    page.nothing_complained().await;
}

/// The current line of the pseudo-code: its index and text.
const CURRENT_LINE: &str = "const lines = [...document.querySelectorAll('#pseudo-code li')];
    return lines.flatMap((line, at) => line.ariaCurrent === 'step' ? [at, line.textContent] : [])";
/// Whether it is in sight, and the page where it was.
const LINE_IN_SIGHT: &str = "const box = element => document.querySelector(element).getBoundingClientRect();
    const [line, lines, panel] = [box('#pseudo-code [aria-current]'), box('#pseudo-code ol'), box('.panel.words')];
    return line.top >= lines.top && line.bottom <= lines.bottom && lines.bottom <= panel.bottom && scrollY === 0";

#[tokio::test]
async fn the_pseudo_code_shows_the_line_of_each_step() {
    const OPEN: &str = "return document.querySelector('#pseudo-code').open === arguments[0]
        && document.querySelector('#pseudo-code ol').checkVisibility() === arguments[0]";
    const FOCUS: &str = "document.querySelector('#pseudo-code summary').focus()";
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.browser.wait_until(OPEN, vec![json!(false)]).await;
    page.click("#pseudo-code summary").await;
    page.browser.wait_until(OPEN, vec![json!(true)]).await;
    assert_eq!(page.browser.script(CURRENT_LINE, vec![]).await, json!([]));
    // What was unfolded once stays so, for other programs and algorithms.
    for (algorithm, model) in [
        (Algorithm::Genmc, Model::SC),
        (Algorithm::TrustCo, Model::RA),
        (Algorithm::RfSmc, Model::TSO),
        (Algorithm::BruteForce, Model::SC),
    ] {
        let settings = Settings { algorithm, ..settings(STORE_BUFFERING, model, 0) };
        page.go(&link::encode(&settings)).await;
        page.browser.wait_until(OPEN, vec![json!(true)]).await;
        let lines: Vec<_> = algorithm.definition().pseudo_code.lines().map(|line| line.text).collect();
        assert_eq!(page.count("#pseudo-code li").await, lines.len() as u64);
        let panel = page.rectangle(".panel.words").await;
        let mut session = Session::open(settings).expect("it is a program");
        for _ in 0..25 {
            if !session.forward() {
                break;
            }
            page.click("#forward").await;
            page.browser.settled().await;
            let line = session.view(&ViewRequest::default()).line.expect("every step has a line");
            let shown = page.browser.script(CURRENT_LINE, vec![]).await;
            assert_eq!(shown, json!([line, lines[line as usize]]), "{algorithm:?} at {}", session.position());
            page.browser.wait_until(LINE_IN_SIGHT, vec![]).await;
            assert_eq!(page.rectangle(".panel.words").await, panel);
        }
    }
    // With keys, which fold it and make no step.
    let position = page.text("#position").await;
    page.browser.script(FOCUS, vec![]).await;
    page.press(&[Key::Enter]).await;
    page.browser.wait_until(OPEN, vec![json!(false)]).await;
    page.press_char(' ').await;
    page.browser.wait_until(OPEN, vec![json!(true)]).await;
    assert_eq!(page.text("#position").await, position);
    page.nothing_complained().await;
}

/// Numbers that only one algorithm takes stand where that is chosen, count, and go with the link.
#[tokio::test]
async fn random_runs_take_numbers() {
    const VALUE: &str = "return document.querySelector(arguments[0]).value";
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    assert_eq!(page.count(".numbers input").await, 0);
    page.choose_algorithm("sample").await;
    assert_eq!(page.count(".numbers input").await, 3);
    let write = async |field: &str, text: &str| {
        let element = page.browser.find(Locator::Css(field)).await.expect("there is a field");
        page.browser.script("document.querySelector(arguments[0]).select()", vec![json!(field)]).await;
        element.send_keys(text).await.expect("the field takes keys");
        page.browser.script("document.querySelector(arguments[0]).blur()", vec![json!(field)]).await;
        page.browser.settled().await;
    };
    write("#parameter-runs", "50").await;
    write("#parameter-seed", "7").await;
    // What is out of range changes nothing.
    write("#parameter-runs", "0").await;
    assert_eq!(page.browser.script(VALUE, vec![json!("#parameter-runs")]).await, json!("50"));
    let parameters = Parameters::named(Algorithm::Sample, [("runs", 50), ("seed", 7)]).expect("they are in range");
    let options = Options { parameters, ..Options::default() };
    let settings = Settings {
        text: page.program().await,
        model: page.browser.script(VALUE, vec![json!("#model")]).await.as_str().unwrap_or("").parse().expect("a model"),
        algorithm: Algorithm::Sample,
        options,
        position: 0,
    };
    let mut session = Session::open(settings.clone()).expect("it is a program");
    session.run(u64::MAX);
    page.click("#run").await;
    page.browser.settled().await;
    let counts = session.counts();
    for (id, count) in [("runs", 50), ("complete", counts.complete), ("repeated", counts.repeated)] {
        assert_eq!(page.text(&format!("#count-{id}")).await, count.to_string(), "{id}");
    }
    assert!(page.text("#verdict").await.contains("50 random runs may miss"), "{}", page.text("#verdict").await);
    // A link brings somebody else to the same runs; another algorithm has no such numbers.
    page.choose_algorithm("genmc").await;
    assert_eq!(page.count(".numbers input").await, 0);
    page.go(&link::encode(&Settings { position: u64::MAX, ..settings })).await;
    page.browser.settled().await;
    assert_eq!(page.browser.script(VALUE, vec![json!("#parameter-seed")]).await, json!("7"));
    assert_eq!(page.text("#count-runs").await, "50");
    page.nothing_complained().await;
}

#[tokio::test]
async fn an_outcome_leads_to_its_execution() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    let select = page.browser.find(Locator::Css("#model")).await.expect("there is a picker");
    select.select_by_value("tso").await.expect("TSO can be picked");
    page.browser.settled().await;
    page.click("#run").await;
    page.browser.settled().await;
    assert_eq!(page.text("#count-complete").await, "4");
    assert_eq!(page.count("#outcomes tr.satisfying").await, 1);
    page.click("#outcomes tr.satisfying button").await;
    page.browser.settled().await;
    assert_eq!(page.text("#step-name").await, "complete");
    assert_eq!(page.count("#graph .node[data-label='R(x,0)'], #graph .node[data-label='R(y,0)']").await, 2);
    // A relation can be taken out of the drawing.
    assert!(page.count("#graph .edge[data-relation=rf]").await > 0);
    page.click("#legend [data-relation=rf]").await;
    page.browser.settled().await;
    assert_eq!(page.count("#graph .edge[data-relation=rf]").await, 0);
    page.nothing_complained().await;
}

#[tokio::test]
async fn an_error_is_shown_at_its_place_and_nothing_is_lost() {
    let page = Page::open().await;
    let broken = "x := 1 || a := x\nb := ) || c := x";
    page.type_program(broken).await;
    assert_eq!(page.program().await, broken);
    assert!(page.text("#problems .error .place").await.starts_with("2:"));
    assert_eq!(page.count(".gutter .mark.error").await, 1);
    assert!(page.count(".copy .line:nth-of-type(2) .error, .copy .line .error").await > 0);
    assert!(page.text("#stale").await.contains("errors"));
    // A click leads to it.
    page.click("#problems .problem.error").await;
    let at = page.browser.script("return document.querySelector('#editor').selectionStart", vec![]).await;
    assert!(at.as_u64().is_some_and(|at| at >= 17), "{at}");
    // The text is there after a reload.
    page.go("").await;
    assert_eq!(page.program().await, broken);
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_link_leads_to_the_same_step() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    for _ in 0..11 {
        page.click("#forward").await;
        page.browser.settled().await;
    }
    page.click("#share").await;
    page.browser.wait_until("return document.querySelector('#notice').textContent.includes('ink')", vec![]).await;
    let address = page.browser.current_url().await.expect("the page has an address");
    let fragment = address.fragment().expect("the address holds the link");
    assert_eq!(link::decode(fragment).expect("it is a link"), settings(STORE_BUFFERING, Model::SC, 11));

    let other = Page::open().await;
    other.go(&format!("#{fragment}")).await;
    assert_eq!(other.program().await, STORE_BUFFERING);
    assert_eq!(other.text("#position").await, "11");
    assert_eq!(other.text("#explanation").await, page.text("#explanation").await);
    assert_eq!(other.graph().await, page.graph().await);
    other.nothing_complained().await;
}

#[tokio::test]
async fn a_damaged_link_changes_nothing() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    let mut damaged = link::encode(&settings("y := 2 || b := y", Model::RA, 3));
    damaged.truncate(damaged.len() - 9);
    page.go(&damaged).await;
    assert!(page.text("#notice").await.contains("link"), "{}", page.text("#notice").await);
    assert_eq!(page.program().await, STORE_BUFFERING);
    assert_eq!(page.text("#position").await, "0");
}

#[tokio::test]
async fn a_link_keeps_the_text_that_it_replaces() {
    let page = Page::open().await;
    page.type_program("mine := 1 || a := mine").await;
    page.go(&link::encode(&settings(STORE_BUFFERING, Model::TSO, 2))).await;
    assert_eq!(page.program().await, STORE_BUFFERING);
    page.click("#restore").await;
    page.browser.settled().await;
    assert_eq!(page.program().await, "mine := 1 || a := mine");
}

#[tokio::test]
async fn an_example_can_be_opened_and_the_own_text_comes_back() {
    let page = Page::open().await;
    page.type_program("mine := 1 || a := mine").await;
    page.click("#open-gallery").await;
    page.browser.wait_until("return !!document.querySelector('#gallery .card')", vec![]).await;
    page.click("#gallery [data-example=IRIW]").await;
    page.browser.wait_until("return document.querySelector('#editor').value.includes('IRIW')", vec![]).await;
    page.browser.settled().await;
    assert_eq!(page.text("#step-name").await, "start");
    assert_eq!(page.count("#graph .column").await, 4);
    page.click("#restore").await;
    page.browser.settled().await;
    assert_eq!(page.program().await, "mine := 1 || a := mine");
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_long_run_can_be_stopped_and_typing_goes_on() {
    let page = Page::open().await;
    page.type_program(LONG).await;
    page.click("#run").await;
    page.browser.wait_until("return !!document.querySelector('#progress')", vec![]).await;
    // Frames are drawn while it runs.
    const SLOWEST: &str = "const done = arguments[0]; let last = performance.now(), worst = 0, n = 0;
        requestAnimationFrame(function frame(now) {
            worst = Math.max(worst, now - last); last = now;
            if (++n < 40) requestAnimationFrame(frame); else done(worst);
        });";
    let worst = page.browser.execute_async(SLOWEST, vec![]).await.expect("frames are drawn");
    let started = Instant::now();
    page.click("#stop").await;
    page.browser.settled().await;
    println!("the slowest frame took {worst} ms, stopping {:?}", started.elapsed());
    let position: u64 = page.text("#position").await.parse().expect("a number");
    assert!(position > 100);
    // On it goes from there, until an edit ends it.
    page.click("#run").await;
    page.browser.wait_until("return !!document.querySelector('#progress')", vec![]).await;
    page.type_program(STORE_BUFFERING).await;
    assert_eq!(page.text("#position").await, "0");
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_keyboard_is_enough() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape, Key::Right, Key::Right]).await;
    page.press_char('n').await;
    assert_eq!(page.text("#position").await, "3");
    page.press_char('p').await;
    assert_eq!(page.text("#position").await, "2");
    page.press_char('e').await;
    assert_eq!(page.text("#step-name").await, "complete");
    page.press(&[Key::End]).await;
    assert_eq!(page.text("#step-name").await, "done");
    page.press(&[Key::Home]).await;
    assert_eq!(page.text("#position").await, "0");
    page.press_char('?').await;
    page.browser.wait_until("return document.querySelector('#help').open", vec![]).await;
    page.press(&[Key::Escape]).await;
    page.browser.wait_until("return !document.querySelector('#help').open", vec![]).await;
    page.press_char('l').await;
    page.browser.wait_until("return document.body.dataset.lecture === 'true'", vec![]).await;
    page.press(&[Key::Escape]).await;
    page.browser.wait_until("return !document.body.dataset.lecture", vec![]).await;
    // Letters in the editor are text.
    page.press_char('i').await;
    page.press_char('n').await;
    assert_eq!(page.program().await.len(), STORE_BUFFERING.len() + 1);
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_tree_can_be_walked() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape, Key::End]).await;
    page.browser.script("document.querySelector('#tree').focus()", vec![]).await;
    page.press(&[Key::Home, Key::Down, Key::Enter]).await;
    assert!(page.text("#step-name").await.contains("complete"));
    let rows = page.count("#tree [role=treeitem]").await;
    assert_eq!(rows, 4);
    page.press(&[Key::Home, Key::Left]).await;
    assert_eq!(page.count("#tree [role=treeitem]").await, 1);
    page.press(&[Key::Right]).await;
    assert_eq!(page.count("#tree [role=treeitem]").await, rows);
}

#[tokio::test]
async fn nothing_is_wider_than_the_screen() {
    const OVERFLOW: &str =
        "return document.documentElement.scrollWidth > innerWidth || document.body.scrollWidth > innerWidth
        || document.documentElement.scrollHeight > innerHeight";
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape, Key::End]).await;
    for (width, height) in [(1280, 800), (1920, 1080)] {
        page.browser.resize(width, height).await;
        assert_eq!(page.browser.script(OVERFLOW, vec![]).await, json!(false), "{width}x{height}");
    }
    page.browser.resize(390, 844).await;
    for tab in ["#tab-program", "#tab-graph", "#tab-tree", "#tab-results"] {
        page.click(tab).await;
        assert_eq!(page.browser.script(OVERFLOW, vec![]).await, json!(false), "{tab}");
        // Fingers need room.
        const SMALL: &str = "return [...document.querySelectorAll('button, select, input[type=number]')]
            .filter(e => e.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true }))
            .filter(e => { const r = e.getBoundingClientRect(); return r.width < 39.5 || r.height < 39.5; })
            .map(e => e.id || e.className)";
        assert_eq!(page.browser.script(SMALL, vec![]).await, json!([]), "{tab}");
    }
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_theme_follows_the_system_until_one_is_chosen() {
    let page = Page::open().await;
    let theme = "return document.documentElement.dataset.theme === arguments[0]";
    page.browser.prefer(ColorScheme::Dark).await;
    page.browser.wait_until(theme, vec![json!("dark")]).await;
    page.browser.prefer(ColorScheme::Light).await;
    page.browser.wait_until(theme, vec![json!("light")]).await;
    page.click("#theme").await;
    page.browser.wait_until(theme, vec![json!("dark")]).await;
    page.go("").await;
    page.browser.wait_until(theme, vec![json!("dark")]).await;
    page.nothing_complained().await;
}

/// Where the drawing stands: scale, left and top, in pixels.
async fn place(page: &Page) -> [f64; 3] {
    const PLACE: &str = "const m = document.querySelector('#graph .camera').transform.baseVal.consolidate().matrix;
        return [m.a, m.e, m.f]";
    let place = page.browser.script(PLACE, vec![]).await;
    serde_json::from_value(place).expect("three numbers")
}

/// Waits until the drawing stands elsewhere than at `before`, and returns where.
async fn moved_from(page: &Page, before: [f64; 3]) -> [f64; 3] {
    for _ in 0..500 {
        let now = place(page).await;
        if now != before {
            return now;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("the drawing still stands at {before:?}");
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.02 * b.abs().max(1.0)
}

#[tokio::test]
async fn the_graph_can_be_zoomed_and_moved() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape, Key::End]).await;
    let fit = place(&page).await;
    page.click("#zoom-in").await;
    let near_by = moved_from(&page, fit).await;
    assert!(near(near_by[0], fit[0] * 1.25), "{fit:?} {near_by:?}");
    page.click("#zoom-out").await;
    let back = moved_from(&page, near_by).await;
    assert!((0..3).all(|i| near(back[i], fit[i])), "{fit:?} {back:?}");
    page.press_char('+').await;
    let by_key = moved_from(&page, back).await;
    assert!(near(by_key[0], near_by[0]));
    page.press_char('-').await;
    let out = moved_from(&page, by_key).await;
    page.press_char('-').await;
    let further = moved_from(&page, out).await;
    assert!(near(further[0], fit[0] / 1.25), "{fit:?} {further:?}");
    page.press_char('0').await;
    assert_eq!(moved_from(&page, further).await, fit);

    // The wheel zooms with Ctrl, where the mouse is, and moves without. On an event: one stays in sight whatever is done.
    const AT: &str =
        "const [stage, node] = ['#stage', '#graph .node'].map(s => document.querySelector(s).getBoundingClientRect());
        return [node.x + node.width / 2 - stage.x, node.y + node.height / 2 - stage.y]";
    let at: [f64; 2] = serde_json::from_value(page.browser.script(AT, vec![]).await).expect("two numbers");
    let corner = page.corner("#stage").await;
    let (x, y) = (corner.0 + at[0], corner.1 + at[1]);
    page.mouse("mouseWheel", x, y, json!({ "deltaX": 0, "deltaY": -200, "modifiers": 2 })).await;
    let zoomed = moved_from(&page, fit).await;
    assert!(zoomed[0] > fit[0] * 1.5, "{zoomed:?}");
    for (axis, at) in [(1, at[0]), (2, at[1])] {
        assert!(near((at - zoomed[axis]) / zoomed[0], (at - fit[axis]) / fit[0]), "{fit:?} {zoomed:?}");
    }
    page.mouse("mouseWheel", x, y, json!({ "deltaX": 0, "deltaY": 40 })).await;
    let down = moved_from(&page, zoomed).await;
    assert!(near(down[2], zoomed[2] - 40.0), "{zoomed:?} {down:?}");

    // The mouse drags it, beyond the panel too.
    let held = json!({ "button": "left", "buttons": 1, "clickCount": 1 });
    page.mouse("mousePressed", x, y, held.clone()).await;
    page.mouse("mouseMoved", x - 90.0, y + 30.0, held.clone()).await;
    page.mouse("mouseMoved", x - 150.0, y + 50.0, held.clone()).await;
    page.mouse("mouseReleased", x - 150.0, y + 50.0, held).await;
    page.browser.wait_until("return !document.querySelector('.grabbed')", vec![]).await;
    let dragged = place(&page).await;
    assert!(near(dragged[1], down[1] - 150.0) && near(dragged[2], down[2] + 50.0), "{down:?} {dragged:?}");
    page.mouse("mouseMoved", x, y, json!({})).await;
    assert_eq!(place(&page).await, dragged);

    // Shift and the arrow keys move it while it has the focus.
    let position = page.text("#position").await;
    page.browser.script("document.querySelector('#stage').focus()", vec![]).await;
    page.press_shifted(Key::Left, 1).await;
    let left = moved_from(&page, dragged).await;
    assert!(near(left[1], dragged[1] + 60.0));
    page.press_shifted(Key::Down, 1).await;
    let up = moved_from(&page, left).await;
    assert!(near(up[2], left[2] - 60.0));
    assert_eq!(page.text("#position").await, position);
    page.click("#zoom-fit").await;
    assert_eq!(moved_from(&page, up).await, fit);
    page.nothing_complained().await;
}

#[tokio::test]
async fn program_and_graph_point_at_each_other() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape, Key::End]).await;
    let corner = page.corner("#editor").await;
    // The second line holds both reads.
    page.mouse("mouseMoved", corner.0 + 40.0, corner.1 + 8.0 + 21.0 * 1.5, json!({})).await;
    page.browser.wait_until("return document.querySelectorAll('#graph .node.pointed').length === 2", vec![]).await;
    assert_eq!(page.count("#graph .node.pointed[data-label^='R(']").await, 2);
    let write = page.middle("#graph .node[data-label='W(x,1)'] .box").await;
    page.mouse("mouseMoved", write.0, write.1, json!({})).await;
    page.browser.wait_until("return document.querySelectorAll('#graph .node.pointed').length === 1", vec![]).await;
    let row = "return document.querySelector('.band.pointed').style.getPropertyValue('--row')";
    assert_eq!(page.browser.script(row, vec![]).await, json!("1"));
    // Keys do so as well, and say which event it is.
    page.press_char(']').await;
    page.browser
        .wait_until("return document.querySelector('#reading-text').textContent.includes('P0.2')", vec![])
        .await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn keys_and_play_move_through_an_exploration() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    let mut session = Session::open(settings(STORE_BUFFERING, Model::SC, 0)).expect("it is a program");
    page.press(&[Key::Escape]).await;
    for (key, position) in [('j', "1"), ('j', "2"), ('k', "1"), ('r', "0")] {
        page.press_char(key).await;
        assert_eq!(page.text("#position").await, position, "{key}");
    }
    session.next_execution(u64::MAX);
    let first = session.position().to_string();
    session.next_execution(u64::MAX);
    let second = session.position().to_string();
    page.click("#next-execution").await;
    page.browser.settled().await;
    page.press_char('e').await;
    assert_eq!(page.text("#position").await, second);
    page.click("#previous-execution").await;
    page.browser.settled().await;
    assert_eq!(page.text("#position").await, first);
    page.press_char('r').await;
    session.reset();
    session.next_violation(u64::MAX);
    page.press_char('v').await;
    assert_eq!(page.text("#position").await, session.position().to_string());

    // By number; what is no number changes nothing.
    for (typed, position) in [("5", "5"), ("x", "5"), ("3", "3"), ("99999", "")] {
        page.press(&[Key::Escape]).await;
        page.press_char('g').await;
        page.browser.script("document.activeElement.select()", vec![]).await;
        for key in typed.chars() {
            page.press_char(key).await;
        }
        page.press(&[Key::Enter]).await;
        if position.is_empty() {
            assert_eq!(page.text("#step-name").await, "done");
        } else {
            assert_eq!(page.text("#position").await, position, "{typed}");
        }
        page.browser.script("document.activeElement.blur()", vec![]).await;
    }

    // The slider has the arrows; other keys still move through the exploration.
    let slider = page.browser.find(Locator::Css("#speed")).await.expect("there is a slider");
    slider.send_keys(&String::from(char::from(Key::End))).await.expect("it takes keys");
    let speed = "return document.querySelector('#speed').getAttribute('aria-valuetext')";
    assert_eq!(page.browser.script(speed, vec![]).await, json!("32 steps per second"));
    page.press_char('r').await;
    assert_eq!(page.text("#position").await, "0");
    page.press_char(' ').await;
    page.browser.wait_until("return document.querySelector('#play').ariaPressed === 'true'", vec![]).await;
    page.browser.wait_until("return +document.querySelector('#position').textContent > 2", vec![]).await;
    page.press_char(' ').await;
    page.browser.wait_until("return document.querySelector('#play').ariaPressed === 'false'", vec![]).await;
    let paused = page.text("#position").await;
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    assert_eq!(page.text("#position").await, paused);
    // Playing ends at the end.
    page.click("#play").await;
    page.browser.wait_until("return document.querySelector('#step-name').textContent === 'done'", vec![]).await;
    page.browser.wait_until("return document.querySelector('#play').ariaPressed === 'false'", vec![]).await;
    page.nothing_complained().await;
}

const RACE: &str = "shared x\nx :=na 1 || a :=na x";
const ASSERTION: &str = "shared x, y\nx := 1; y := 1 || assume acq y = 1; assert x = 1";
const LONG_LOOP: &str = "shared x\nrepeat { fai(x); a := x } until a = 100";

#[tokio::test]
async fn faults_and_bounds_are_shown_as_such() {
    let page = Page::open().await;
    // A model that the text names is picked, and the picker has the last word.
    page.type_program(&format!("model rc11\n{RACE}")).await;
    let model = "return document.querySelector('#model').value";
    assert_eq!(page.browser.script(model, vec![]).await, json!("rc11"));
    page.press(&[Key::Escape]).await;
    page.press_char('v').await;
    assert_eq!(page.text("#step-name").await, "data race");
    assert_eq!(page.count("#graph .node.mark-race").await, 2);
    let race = page.text("#position").await;
    page.press(&[Key::End]).await;
    assert_ne!(page.text("#position").await, race);
    assert_eq!(page.count("#faults button").await, 1);
    assert_eq!(page.count("#verdict.violated").await, 1);
    page.click("#faults button").await;
    page.browser.settled().await;
    assert_eq!(page.text("#position").await, race);

    page.type_program(ASSERTION).await;
    page.press(&[Key::Escape]).await;
    page.press_char('v').await;
    assert_eq!(page.text("#step-name").await, "error");
    assert_eq!(page.count("#graph .node.error").await, 1);
    page.press(&[Key::End]).await;
    let whole = page.text("#position").await;
    // The first error is the end, if one wants it so; keys still work where the switch has the focus.
    page.click("#stop-at-first").await;
    page.browser.settled().await;
    page.press(&[Key::End]).await;
    let mut stopping = settings(ASSERTION, Model::RC11, 0);
    stopping.options.stop_at_first = true;
    let mut session = Session::open(stopping).expect("it is a program");
    session.run(u64::MAX);
    assert_eq!(page.text("#position").await, session.position().to_string());
    assert_ne!(page.text("#position").await, whole);
    page.click("#stop-at-first").await;

    // A loop that was cut is never called verified.
    page.type_program(LONG_LOOP).await;
    page.press(&[Key::Escape, Key::End]).await;
    assert_eq!(page.count("#verdict.bounded").await, 1);
    let verdict = page.text("#verdict").await;
    assert!(verdict.contains("bounded") && !verdict.contains("verified"), "{verdict}");
    assert_eq!(page.text("#count-bounded").await, "1");

    // Bounds that the engine does not take are marked and not taken.
    let unroll = page.browser.find(Locator::Css("#unroll")).await.expect("there is a field");
    for wrong in ["0", "-3"] {
        page.browser.script("document.querySelector('#unroll').select()", vec![]).await;
        unroll.send_keys(wrong).await.expect("it takes keys");
        page.browser.wait_until("return document.querySelector('#unroll').ariaInvalid === 'true'", vec![]).await;
    }
    page.browser.script("document.querySelector('#unroll').blur()", vec![]).await;
    let value = "return document.querySelector('#unroll').value";
    assert_eq!(page.browser.script(value, vec![]).await, json!(Options::default().limits.unroll.to_string()));
    assert_eq!(page.text("#step-name").await, "done");
    page.nothing_complained().await;
}

#[tokio::test]
async fn brute_force_finds_the_same() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    let select = page.browser.find(Locator::Css("#algorithm")).await.expect("there is a picker");
    select.select_by_value("brute_force").await.expect("brute force can be picked");
    page.browser.settled().await;
    page.press_char('n').await;
    page.click("#forward").await;
    page.browser.settled().await;
    assert_eq!(page.text("#step-name").await, "candidate");
    page.click("#run").await;
    page.browser.settled().await;
    assert_eq!(page.text("#count-complete").await, "3");
    assert_eq!(page.count("#outcomes tbody tr").await, 3);
    page.nothing_complained().await;
}

/// Of a program in which threads wait, TruSt leaves out what waits in vain, unless it is asked to count that. So does a link that
/// says nothing of it.
#[tokio::test]
async fn blocked_executions_are_counted_on_request() {
    const TICKED: &str = "return document.querySelector('#all-blocked')?.checked ?? null";
    let waiting = "x := 1; x := 2 || repeat { a := x } until a = 2";
    let page = Page::open().await;
    let ticked = async || page.browser.script(TICKED, vec![]).await;
    let whole = async || {
        page.click("#run").await;
        page.browser.settled().await;
        [page.number("#count-complete").await, page.number("#count-blocked").await]
    };
    page.type_program(waiting).await;
    assert_eq!(ticked().await, Value::Null, "GenMC counts them all");
    page.choose_algorithm("trust").await;
    page.browser.wait_until("return document.querySelector('#all-blocked')?.checked === false", vec![]).await;
    assert_eq!(whole().await, [1, 0]);
    page.click("#reset").await;
    page.browser.settled().await;
    for _ in 0..20 {
        page.click("#forward").await;
        page.browser.settled().await;
        if page.text("#step-name").await == "leave out" {
            break;
        }
    }
    let words = page.text("#explanation").await;
    assert!(words.contains("P1 waits at P1.1 R(x,") && words.contains(" has overtaken"), "{words}");
    assert!(page.count("#graph .node").await >= 3);

    page.click("#all-blocked").await;
    page.browser.settled().await;
    assert_eq!(whole().await, [1, 2]);
    // With what is kept, and by a link, old or new.
    page.browser.refresh().await.expect("the page is there");
    page.browser.settled().await;
    assert_eq!(ticked().await, json!(true));
    let settings = |leave_out_waits| {
        let options = Options { leave_out_waits, ..Options::default() };
        Settings { text: waiting.to_owned(), algorithm: Algorithm::Trust, options, ..Settings::default() }
    };
    for leave_out_waits in [true, false] {
        page.go(&link::encode(&settings(leave_out_waits))).await;
        assert_eq!(ticked().await, json!(!leave_out_waits));
        assert_eq!(whole().await, [1, if leave_out_waits { 0 } else { 2 }]);
    }
    // Nobody waits.
    page.type_program(STORE_BUFFERING).await;
    page.browser.wait_until("return !document.querySelector('#all-blocked')", vec![]).await;
    page.nothing_complained().await;
}

/// At the first steps, nothing is said that is not so.
#[tokio::test]
async fn the_first_steps_begin_with_what_was_there() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape]).await;
    page.browser.script("document.activeElement.blur()", vec![]).await;
    assert_eq!(page.text("#verdict").await, "Not everything is explored yet.");
    let explanation = page.text("#explanation").await;
    assert!(
        explanation.ends_with(
            "The arrow above the drawing makes the first step of the algorithm. So does the right arrow key."
        ),
        "{explanation}"
    );
    for _ in 0..3 {
        assert_eq!(page.text("#total").await, "");
        page.press(&[Key::Right]).await;
    }
    page.press(&[Key::Left]).await;
    assert_eq!(page.text("#total").await, "of 3 so far");
    page.click("#run").await;
    page.browser.settled().await;
    page.press(&[Key::Left]).await;
    assert!(page.text("#total").await.chars().all(|c| c.is_ascii_digit() || "of ".contains(c)));
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_gallery_can_be_searched() {
    let page = Page::open().await;
    page.click("#open-gallery").await;
    page.browser.wait_until("return document.querySelectorAll('#gallery .card').length >= 20", vec![]).await;
    let search = page.browser.find(Locator::Css("#gallery-search")).await.expect("there is a field");
    search.send_keys("IRIW").await.expect("it takes keys");
    page.browser.wait_until("return document.querySelectorAll('#gallery .card').length === 1", vec![]).await;
    search.send_keys("nosuchthing").await.expect("it takes keys");
    page.browser.wait_until("return !document.querySelector('#gallery .card')", vec![]).await;
    assert!(!page.text("#gallery .empty").await.is_empty());
    page.browser.script("const s = document.querySelector('#gallery-search'); s.select()", vec![]).await;
    search.send_keys("peterson").await.expect("it takes keys");
    page.browser.wait_until("return document.querySelectorAll('#gallery .card').length >= 2", vec![]).await;
    page.press(&[Key::Escape]).await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_link_works_in_the_same_tab_and_without_a_clipboard() {
    let page = Page::open().await;
    page.before("Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined })").await;
    page.go("").await;
    page.type_program("mine := 1 || a := mine").await;
    let fragment = link::encode(&settings(STORE_BUFFERING, Model::TSO, 7));
    page.browser.script("location.hash = arguments[0]", vec![json!(fragment)]).await;
    page.browser.wait_until("return document.querySelector('#editor').value.includes('a := y')", vec![]).await;
    page.browser.settled().await;
    assert_eq!(page.text("#position").await, "7");
    page.press(&[Key::Escape]).await;
    page.press_char('n').await;
    page.press_char('s').await;
    // To be copied by hand: the field has the focus, and all of it is selected.
    page.browser.wait_until("return document.activeElement.id === 'link'", vec![]).await;
    const SELECTED: &str =
        "const f = document.querySelector('#link'); return f.value.slice(f.selectionStart, f.selectionEnd)";
    let address = page.browser.script(SELECTED, vec![]).await;
    let shared = link::encode(&settings(STORE_BUFFERING, Model::TSO, 8));
    assert_eq!(address, json!(format!("{}{shared}", page.site.url())));
    // A damaged one changes nothing.
    page.browser.script("location.hash = arguments[0]", vec![json!(&fragment[..fragment.len() - 5])]).await;
    page.browser.wait_until("return !!document.querySelector('.notice.bad')", vec![]).await;
    assert_eq!(page.text("#position").await, "8");
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_dead_engine_is_replaced() {
    const WATCHED: &str = "window.Worker = class extends Worker {
        constructor(...all) { super(...all); (window.workers ??= []).push(this); }
    }";
    let page = Page::open().await;
    page.before(WATCHED).await;
    page.go("").await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape, Key::Right, Key::Right]).await;
    // What it can't understand kills it.
    page.browser.script("window.workers.at(-1).postMessage('nonsense')", vec![]).await;
    page.browser.wait_until("return document.querySelector('#notice').textContent.includes('restarted')", vec![]).await;
    page.browser.settled().await;
    assert_eq!(page.count("#restart").await, 1);
    assert_eq!(page.program().await, STORE_BUFFERING);
    page.press(&[Key::End]).await;
    assert_eq!(page.text("#step-name").await, "done");
    page.browser.script("document.querySelector('.notice .close').click()", vec![]).await;
    // One that says nothing at all is told of after a while.
    page.browser.script("window.workers.at(-1).terminate()", vec![]).await;
    page.click("#back").await;
    page.browser.wait_until("return !!document.querySelector('#restart')", vec![]).await;
    page.click("#restart").await;
    page.browser.settled().await;
    page.press(&[Key::End]).await;
    assert_eq!(page.text("#step-name").await, "done");
    assert_eq!(page.program().await, STORE_BUFFERING);
}

#[tokio::test]
async fn a_lecture_can_be_held_on_any_screen() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape, Key::End]).await;
    for (width, height) in [(1920, 1080), (390, 844)] {
        page.browser.resize(width, height).await;
        if width < 900 {
            page.click("#tab-results").await;
        }
        page.click("#lecture").await;
        page.browser.wait_until("return document.body.dataset.lecture === 'true'", vec![]).await;
        const SEEN: &str = "return ['#graph', '#explanation'].every(s => document.querySelector(s).checkVisibility()
            && document.querySelector(s).getBoundingClientRect().height > 30)";
        page.browser.wait_until(SEEN, vec![]).await;
        const OVERFLOW: &str = "return document.documentElement.scrollWidth > innerWidth
            || document.documentElement.scrollHeight > innerHeight";
        assert_eq!(page.browser.script(OVERFLOW, vec![]).await, json!(false), "{width}x{height}");
        page.click("#lecture-leave").await;
        page.browser.wait_until("return !document.body.dataset.lecture", vec![]).await;
    }
    page.nothing_complained().await;
}

#[tokio::test]
async fn counts_of_wide_tables_are_always_in_sight() {
    let page = Page::open().await;
    page.type_program("a := x; b := y; c := z; x := 1 || d := x; e := y; y := 1 || f := x; g := z; z := 1").await;
    page.press(&[Key::Escape, Key::End]).await;
    const IN_SIGHT: &str = "const table = document.querySelector('.results').getBoundingClientRect();
        return [...document.querySelectorAll('#outcomes .number')]
            .every(e => e.getBoundingClientRect().right <= table.right)";
    assert!(page.count("#outcomes tbody tr").await > 1);
    assert_eq!(page.browser.script(IN_SIGHT, vec![]).await, json!(true));
}

#[tokio::test]
async fn outcomes_are_shown_while_a_run_goes_on() {
    let page = Page::open().await;
    // Sixteen threads: no machine explores them all before the test looks.
    let threads: Vec<_> = ('a'..='p').map(|register| format!("{register} := 0; fai(x)")).collect();
    page.type_program(&threads.join(" || ")).await;
    page.click("#run").await;
    page.browser.wait_until("return !!document.querySelector('#progress')", vec![]).await;
    page.browser
        .wait_until("return !!document.querySelector('#outcomes') && !!document.querySelector('#progress')", vec![])
        .await;
    page.click("#stop").await;
    page.browser.settled().await;
    page.nothing_complained().await;
}

/// The ratios that WCAG asks for, of the colours that the style sheet names.
#[tokio::test]
async fn texts_stand_out_from_their_ground() {
    const RATIOS: &str = r#"
        const style = getComputedStyle(document.documentElement);
        const light = name => {
            const hex = style.getPropertyValue('--' + name).trim();
            const [r, g, b] = [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16) / 255)
                .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const grounds = 'surface raised band-step band-pointed'.split(' ');
        const tokens = 'keyword shared register number comment mode separator label'.split(' ').map(t => 'tok-' + t);
        const pairs = ['ink', 'muted', ...tokens].flatMap(text => grounds.map(ground => [text, ground])).concat([
            ['ink', 'ground'], ['ink', 'column'], ['ink', 'initial'], ['ink', 'accent-soft'], ['ink', 'alarm-soft'],
            ['ink', 'prefix-soft'], ['muted', 'ground'], ['muted', 'column'], ['muted', 'initial'], ['accent', 'surface'],
            ['accent', 'accent-soft'], ['accent-ink', 'accent'], ['alarm', 'surface'], ['alarm', 'alarm-soft'],
            ['good', 'surface'], ['good', 'good-soft'], ['warn', 'surface'], ['warn', 'warn-soft'], ['surface', 'ink'],
            ['surface', 'warn'], ['surface', 'muted'], ['surface', 'alarm'],
        ]);
        return pairs.map(([text, ground]) => {
            const [low, high] = [light(text), light(ground)].sort((a, b) => a - b);
            return [text, ground, (high + 0.05) / (low + 0.05)];
        }).filter(([, , ratio]) => !(ratio >= 4.5));"#;
    let page = Page::open().await;
    for (scheme, name) in [(ColorScheme::Light, "light"), (ColorScheme::Dark, "dark")] {
        page.browser.prefer(scheme).await;
        let theme = "return document.documentElement.dataset.theme === arguments[0]";
        page.browser.wait_until(theme, vec![json!(name)]).await;
        assert_eq!(page.browser.script(RATIOS, vec![]).await, json!([]), "{name}");
    }
}

#[tokio::test]
async fn one_half_of_the_gallery_is_explored_as_natively() {
    the_gallery_is_explored_as_natively(0).await;
}

#[tokio::test]
async fn the_other_half_of_the_gallery_is_explored_as_natively() {
    the_gallery_is_explored_as_natively(1).await;
}

/// The page takes the same steps as the native engine, for every program of the gallery: the fingerprints of whole explorations
/// are equal. Under every third model, others for each program and each seed, and under all where more is looked at than usual. Every
/// second program, since a core for all is too few.
async fn the_gallery_is_explored_as_natively(half: usize) {
    const PICK: &str = "const picker = document.querySelector('#model');
        picker.value = arguments[0];
        picker.dispatchEvent(new Event('change', { bubbles: true }))";
    let page = Page::open().await;
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../public");
    let index = std::fs::read_to_string(folder.join("gallery.json")).expect("there is a gallery");
    let index: Vec<Value> = serde_json::from_str(&index).expect("the gallery is a list");
    assert!(index.len() >= 20);
    const USUAL: u64 = 1_000;
    let seeds = seeds(USUAL);
    let (first, every) = if seeds.end - seeds.start > USUAL { (0, 1) } else { (seeds.start as usize, 3) };
    for (at, entry) in index.iter().enumerate().skip(half).step_by(2) {
        let text = std::fs::read_to_string(folder.join(entry["file"].as_str().expect("a file"))).expect("it exists");
        let mut options = Options::default();
        if let Some(unroll) = entry["unroll"].as_u64() {
            options.limits.unroll = unroll as u32;
        }
        let models = Model::ALL.into_iter().skip((first + at) % every).step_by(every);
        for (nth, model) in models.enumerate() {
            let settings = Settings { options, ..settings(&text, model, 0) };
            let mut native = Session::open(settings.clone()).expect("gallery programs can be explored");
            native.run(u64::MAX);
            // A link for each program, its other models by the picker: to load the page takes longer than most explorations.
            if nth == 0 {
                page.go(&link::encode(&settings)).await;
                page.press(&[Key::Escape]).await;
            } else {
                page.browser.script(PICK, vec![json!(model.name())]).await;
                page.browser.settled().await;
            }
            page.press(&[Key::End]).await;
            page.browser.wait_until("return !!document.querySelector('#fingerprint')", vec![]).await;
            let name = entry["name"].as_str().unwrap_or_default();
            assert_eq!(page.text("#position").await, native.frontier().to_string(), "{name} under {model}");
            assert_eq!(page.text("#fingerprint").await, native.fingerprint(), "{name} under {model}");
        }
    }
    page.nothing_complained().await;
}

/// n writers and a reader: n + 1 executions, and (n + 1)! with co.
#[tokio::test]
async fn plain_executions_are_contrasted_with_those_with_co() {
    let page = Page::open().await;
    page.type_program("x := 1 || x := 2 || x := 3 || a := x").await;
    page.click("#run").await;
    page.browser.settled().await;
    assert_eq!(page.text("#contrast-plain strong").await, "4");
    assert_eq!(page.text("#contrast-co strong").await, "count them");
    page.click("#contrast-co").await;
    page.browser.settled().await;
    page.browser.expect_text("#contrast-co strong", "24").await;
    assert_eq!(page.text("#contrast-plain strong").await, "4");
    assert_eq!(page.text("#count-complete").await, "24");
    const CHECKED: &str = "return document.querySelector(arguments[0]).checked";
    assert_eq!(page.browser.script(CHECKED, vec![json!("#track-co")]).await, json!(true));
    // Back by the switch; what was counted stays.
    page.click("#track-co").await;
    page.browser.settled().await;
    page.click("#run").await;
    page.browser.settled().await;
    assert_eq!(page.text("#count-complete").await, "4");
    assert_eq!(page.text("#contrast-co strong").await, "24");
    // Another program has other numbers.
    page.type_program("x := 1 || a := x").await;
    page.click("#run").await;
    page.browser.settled().await;
    assert_eq!(page.text("#contrast-plain strong").await, "2");
    assert_eq!(page.text("#contrast-co strong").await, "count them");
}

/// What is shown already has nowhere to go, and what stopped at an error has not counted everything.
#[tokio::test]
async fn counting_what_is_shown_leads_no_further() {
    let page = Page::open().await;
    page.type_program("x := 1 || x := 2 || a := x").await;
    page.click("#run").await;
    page.browser.settled().await;
    page.click("#contrast-plain").await;
    page.browser.settled().await;
    assert_eq!(page.text("#step-name").await, "done");
    page.type_program("x := 1 || a := x").await;
    assert_eq!(page.text("#position").await, "0");
    // Nor does an edit right behind the click lead to the end of what was typed.
    page.click("#run").await;
    page.browser.settled().await;
    page.click("#contrast-co").await;
    page.click("#editor").await;
    let editor = page.browser.find(Locator::Css("#editor")).await.expect("there is an editor");
    editor.send_keys(" // more").await.expect("the editor takes keys");
    page.browser.settled().await;
    assert_eq!(page.text("#position").await, "0");

    page.type_program("x := 1 || a := x; assert a = 0 || x := 2").await;
    page.click("#run").await;
    page.browser.settled().await;
    assert_eq!(page.count("#contrast").await, 1);
    page.click("#stop-at-first").await;
    page.browser.settled().await;
    page.click("#run").await;
    page.browser.settled().await;
    assert_eq!(page.count("#contrast").await, 0);
    assert!(page.text("#verdict").await.contains("the counts are incomplete"), "{}", page.text("#verdict").await);
    page.nothing_complained().await;
}

/// Each switch changes what is explored, and links carry them all.
#[tokio::test]
async fn switches_change_what_is_explored() {
    let page = Page::open().await;
    let explored = async |program: &str, switch: &str| {
        let mut counts = Vec::new();
        page.type_program(program).await;
        for _ in 0..2 {
            page.click("#run").await;
            page.browser.settled().await;
            let count = async |name: &str| page.text(&format!("#count-{name}")).await;
            counts.push((count("complete").await, count("blocked").await, count("erroneous").await));
            page.click(switch).await;
            page.browser.settled().await;
        }
        counts
    };
    let counted = |all: [(u64, u64, u64); 2]| all.map(|(c, b, e)| (c.to_string(), b.to_string(), e.to_string()));
    page.browser.script("document.querySelector('#model').value = 'rc11'", vec![]).await;
    page.browser
        .script("document.querySelector('#model').dispatchEvent(new Event('change', { bubbles: true }))", vec![])
        .await;
    page.browser.settled().await;
    assert_eq!(explored("x :=na 1 || x :=na 2", "#no-races").await, counted([(0, 0, 1), (1, 0, 0)]));
    assert_eq!(explored("wcas(x, 0, 1)", "#spurious").await, counted([(1, 0, 0), (2, 0, 0)]));
    let waits = "while x = 0 { skip } || x := 1";
    assert_eq!(explored(waits, "#unroll-spins").await[0], ("1".to_owned(), "1".to_owned(), "0".to_owned()));
    // Unrolled, the loop is cut, which is listed with its line.
    page.click("#unroll-spins").await;
    page.browser.settled().await;
    page.click("#run").await;
    page.browser.settled().await;
    assert_eq!(page.count("#cuts li").await, 1);
    assert!(page.text("#cuts li").await.contains("line 1"), "{}", page.text("#cuts li").await);

    // What waits for good is an error, and its graph shows where; turned off, it is blocked.
    page.click("#unroll-spins").await;
    page.type_program("while y = 0 { skip }; x := 1 || while x = 0 { skip }; y := 1").await;
    page.press(&[Key::Escape]).await;
    page.press_char('v').await;
    page.browser.settled().await;
    assert_eq!(page.text("#step-name").await, "stuck for good");
    assert!(page.text("#explanation").await.contains("P1 writes y at line 1"), "{}", page.text("#explanation").await);
    assert_eq!(page.count("#graph .node.mark-stuck").await, 2);
    page.click("#stuck-loops").await;
    page.browser.settled().await;
    page.click("#run").await;
    page.browser.settled().await;
    assert!(page.text("#verdict").await.contains("nothing is wrong"), "{}", page.text("#verdict").await);

    let mut options = Options { no_races: true, spurious: true, stuck_loops: true, ..Options::default() };
    options.limits.unroll_spins = true;
    let settings = Settings { text: waits.to_owned(), model: Model::RC11, options, ..Settings::default() };
    page.go(&link::encode(&settings)).await;
    for switch in ["#no-races", "#stuck-loops", "#spurious", "#unroll-spins"] {
        let checked = page.browser.script("return document.querySelector(arguments[0]).checked", vec![json!(switch)]);
        assert_eq!(checked.await, json!(true), "{switch}");
    }
}

#[tokio::test]
async fn a_replaced_text_comes_back_with_its_model() {
    let page = Page::open().await;
    page.type_program("mine := 1 || a := mine").await;
    let model = page.browser.find(Locator::Css("#model")).await.expect("there is a picker");
    model.select_by_value("ra").await.expect("it can be picked");
    page.browser.settled().await;
    page.click("#forward").await;
    page.browser.settled().await;
    page.press_char('u').await;
    page.browser.wait_until("return !!document.querySelector('[data-tour=store-buffering]')", vec![]).await;
    page.click("[data-tour=store-buffering]").await;
    page.browser.settled().await;
    page.click("#scenes-leave").await;
    page.click("#restore").await;
    page.browser.settled().await;
    assert_eq!(page.program().await, "mine := 1 || a := mine");
    assert_eq!(page.browser.script("return document.querySelector('#model').value", vec![]).await, json!("ra"));
    assert_eq!(page.text("#position").await, "1");
    // The lesson's own text is no one's.
    assert_eq!(page.count("#restore").await, 0);
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_place_far_to_the_right_is_brought_into_sight() {
    let page = Page::open().await;
    page.type_program(&format!("x := 1 || {}a := )", "b := x; ".repeat(30))).await;
    page.browser.wait_until("return !!document.querySelector('#problems .problem.error')", vec![]).await;
    page.click("#problems .problem.error").await;
    const SEEN: &str = "const [box, mark] = ['#editor', '.copy .error']
            .map(what => document.querySelector(what).getBoundingClientRect());
        return mark.left >= box.left && mark.left + 5 <= box.right";
    page.browser.wait_until(SEEN, vec![]).await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_execution_can_have_all_the_room() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape]).await;
    let [_, _, before, _] = page.rectangle("#stage").await;
    page.press_char('x').await;
    let [_, _, after, _] = page.rectangle("#stage").await;
    assert!(after > 1.5 * before, "{after} after {before}");
    page.press(&[Key::Escape]).await;
    assert_eq!(page.rectangle("#stage").await[2], before);
    page.click("#wide").await;
    assert_eq!(page.rectangle("#stage").await[2], after);
    page.nothing_complained().await;
}

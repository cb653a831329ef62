//! The exploration tree: drawn, walked through, previewed and searched.

use crate::page::{Page, settings};
use fantoccini::Locator;
use fantoccini::key::Key;
use litmoscope::model::Model;
use litmoscope::session::{Session, VisitKind};
use serde_json::json;

/// Some revisits, a dropped graph, and few enough visits to be shown whole.
const REVISITS: &str = "a := x; b := x || x := 1 || x := 2";

const NODES: &str = "#tree-svg .tree-node[id]";

/// The page with a program explored to its end by GenMC, and its tree drawn.
async fn drawn(text: &str) -> (Page, Session) {
    let page = Page::open().await;
    page.type_program(text).await;
    page.choose_algorithm("genmc").await;
    page.click("#run").await;
    page.browser.settled().await;
    page.click("#tree-as-drawing").await;
    page.browser.wait_until("return !!document.querySelector('#tree-svg .tree-node')", vec![]).await;
    let settings = settings(text, Model::SC, 0);
    let algorithm = litmoscope::explore::Algorithm::Genmc;
    let mut session = Session::open(litmoscope::session::Settings { algorithm, ..settings }).expect("it is a program");
    session.run(u64::MAX);
    (page, session)
}

/// Some visit of a kind.
fn visit_of(session: &Session, kind: VisitKind) -> u32 {
    let visits = 0..session.tree().len() as u32;
    visits.rev().find(|&id| session.tree().visit(id).is_some_and(|visit| visit.kind == kind)).expect("there is one")
}

#[tokio::test]
async fn the_tree_is_drawn_whole_and_remembered() {
    let (page, session) = drawn(REVISITS).await;
    assert_eq!(page.count(NODES).await, session.tree().len() as u64);
    assert!(page.count("#tree-svg .back-arrow").await > 0);
    assert!(page.count("#tree-key li").await > 2);
    assert_eq!(page.count("#tree-svg .tree-node.current").await, 1);
    let revisits = (0..session.tree().len() as u32).filter_map(|id| session.tree().revisited(id)).count();
    assert!(revisits > 0);
    // The boxes of the nodes do not overlap on the screen either.
    const OVERLAPS: &str =
        "const boxes = [...document.querySelectorAll('#tree-svg .extent')].map(e => e.getBoundingClientRect());
        let n = 0;
        boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => {
            if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) n++;
        }));
        return n";
    assert_eq!(page.browser.script(OVERLAPS, vec![]).await, json!(0));
    page.go("").await;
    assert_eq!(page.count("#tree-svg").await, 1);
    page.click("#tree-as-outline").await;
    assert_eq!(page.count("#tree-svg").await, 0);
    assert!(page.count("#tree .row").await > 0);
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_node_is_gone_to_by_mouse_and_by_keys() {
    let (page, session) = drawn(REVISITS).await;
    let dropped = visit_of(&session, VisitKind::Dropped);
    page.click(&format!("#node-{dropped} .shape")).await;
    page.browser.settled().await;
    let ended = session.tree().visit(dropped).expect("it exists").ended;
    assert_eq!(page.text("#position").await, ended.to_string());
    assert_eq!(page.text("#step-name").await, "drop");

    // From the root to its first child, to the one beside it, and there.
    page.browser.script("document.querySelector('#tree').focus()", vec![]).await;
    page.press(&[Key::Home]).await;
    let active = "#tree";
    let at = || {
        page.browser.script(
            "return document.querySelector(arguments[0]).getAttribute('aria-activedescendant')",
            vec![json!(active)],
        )
    };
    assert_eq!(at().await, json!("node-0"));
    let downwards = page.browser.script("return document.querySelector('#tree-svg').dataset.downwards", vec![]).await
        == json!("true");
    let (child, after, parent) =
        if downwards { (Key::Down, Key::Right, Key::Up) } else { (Key::Right, Key::Down, Key::Left) };
    page.press(&[child]).await;
    let first = session.tree().children(0)[0];
    assert_eq!(at().await, json!(format!("node-{first}")));
    page.press(&[after]).await;
    let second = session.tree().children(0)[1];
    assert_eq!(at().await, json!(format!("node-{second}")));
    // The session has not moved by that.
    assert_eq!(page.text("#position").await, ended.to_string());
    page.press(&[Key::Enter]).await;
    let ended = session.tree().visit(second).expect("it exists").ended;
    assert_eq!(page.text("#position").await, ended.to_string());
    page.press(&[parent]).await;
    assert_eq!(at().await, json!("node-0"));

    // Space folds and unfolds; what is folded is counted.
    page.press_char(' ').await;
    page.browser.wait_until("return document.querySelectorAll('#tree-svg .tree-node[id]').length === 1", vec![]).await;
    let complete = page.text("#tree-svg .tree-badge.complete text").await;
    assert_eq!(complete, format!("✓{}", session.counts().complete - 1));
    page.click("#node-0 .tree-handle .knob").await;
    let all = session.tree().len();
    page.browser
        .wait_until(
            "return document.querySelectorAll('#tree-svg .tree-node[id]').length === arguments[0]",
            vec![json!(all)],
        )
        .await;

    // Keys zoom while the tree has the focus, and so do buttons.
    const WIDTH: &str = "return +document.querySelector('#tree-svg').getAttribute('width')";
    let width = || async { page.browser.script(WIDTH, vec![]).await.as_f64().expect("a width") };
    page.browser.script("document.querySelector('#tree').focus()", vec![]).await;
    let before = width().await;
    page.press_char('+').await;
    assert!(width().await > before);
    page.click("#tree-zoom-out").await;
    assert!((width().await - before).abs() < 2.0);
    page.click("#tree-zoom-fit").await;
    let [.., room, _] = page.rectangle("#tree").await;
    assert!(width().await <= room);
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_node_shows_its_graph_without_going_there() {
    let (page, session) = drawn(REVISITS).await;
    let position = page.text("#position").await;
    let graph = page.graph().await;
    let dropped = visit_of(&session, VisitKind::Dropped);
    let node = format!("#node-{dropped} .shape");
    let (x, y) = page.middle(&node).await;
    page.mouse("mouseMoved", x, y, json!({})).await;
    page.browser.wait_until("return !!document.querySelector('#preview img')?.naturalWidth", vec![]).await;
    assert_eq!(
        page.browser.script("return document.querySelector('#preview').dataset.visit", vec![]).await,
        json!(dropped.to_string())
    );
    let preview = session.preview(dropped).expect("it exists");
    assert_eq!(page.text(".preview-caption").await, preview.caption);
    assert!(preview.caption.contains("violates"), "{}", preview.caption);
    assert_eq!((page.text("#position").await, page.graph().await), (position, graph));
    // It covers nothing of the node.
    let [left, top, width, height] = page.rectangle("#preview").await;
    let [x, y, w, h] = page.rectangle(&format!("#node-{dropped} .extent")).await;
    assert!(left >= x + w || left + width <= x || top >= y + h || top + height <= y);
    page.mouse("mouseMoved", 5.0, 5.0, json!({})).await;
    page.browser.wait_until("return !document.querySelector('#preview')", vec![]).await;

    // By keys too, and by a button.
    page.browser.script("document.querySelector('#tree').focus()", vec![]).await;
    page.press(&[Key::Home]).await;
    page.browser.wait_until("return document.querySelector('#preview')?.dataset.visit === '0'", vec![]).await;
    page.press(&[Key::Escape]).await;
    assert_eq!(page.count("#preview").await, 0);
    page.click("#tree-preview").await;
    page.browser.wait_until("return !!document.querySelector('#preview')", vec![]).await;
    page.click("#tree-preview").await;
    assert_eq!(page.count("#preview").await, 0);
    page.nothing_complained().await;
}

async fn ask(page: &Page, question: &str) {
    page.click("#tree-search").await;
    page.browser.script("document.querySelector('#tree-search').select()", vec![]).await;
    let field = page.browser.find(Locator::Css("#tree-search")).await.expect("there is a field");
    field.send_keys(question).await.expect("it takes keys");
}

#[tokio::test]
async fn what_is_searched_for_is_found_and_gone_to() {
    // Enough for most of the tree to be folded.
    let text = "a := fai(x) || b := fai(x) || c := fai(x) || d := fai(x) || e := fai(x)";
    let (page, session) = drawn(text).await;
    assert!(page.count(NODES).await < session.tree().len() as u64);
    ask(&page, "P4:e = 0").await;
    let found = "return document.querySelector('#tree-found').textContent.includes(arguments[0])";
    page.browser.wait_until(found, vec![json!("24 visits: executions that end with P4:e = 0")]).await;
    let mut seen = Vec::new();
    for number in 1..=3 {
        page.press(&[Key::Enter]).await;
        page.browser.wait_until(found, vec![json!(format!("{number} of 24 visits"))]).await;
        page.browser.settled().await;
        assert_eq!(page.text("#step-name").await, "complete");
        assert_eq!(page.count("#tree-svg .tree-node.found.current").await, 1);
        assert_eq!(page.count("#graph .node[data-event='P4.1'][data-label='U(x,0→1)']").await, 1);
        seen.push(page.text("#position").await);
    }
    page.browser.script("document.querySelector('#tree-search').focus()", vec![]).await;
    page.click("#tree-search-previous").await;
    page.browser.settled().await;
    assert_eq!(page.text("#position").await, seen[1]);

    // What is not understood is answered with what is.
    ask(&page, "reads 1 from q").await;
    page.browser.wait_until(found, vec![json!("There is no location q. There is x.")]).await;
    ask(&page, "execution 7").await;
    page.browser.wait_until(found, vec![json!("1 visit: execution 7")]).await;
    page.press(&[Key::Enter]).await;
    page.browser
        .wait_until("return document.querySelector('#explanation').textContent.includes('execution 7 is')", vec![])
        .await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_tree_takes_the_middle_of_the_page_and_gives_it_back() {
    let (page, _) = drawn(REVISITS).await;
    let [.., before, _] = page.rectangle("#tree").await;
    page.click("#tree-wide").await;
    page.browser.wait_until("return document.body.dataset.tree === 'true'", vec![]).await;
    let [.., wide, _] = page.rectangle("#tree").await;
    assert!(wide > before * 1.5, "{before} {wide}");
    assert_eq!(page.rectangle("#stage").await[2], 0.0);
    page.press(&[Key::Escape]).await;
    page.browser.wait_until("return !('tree' in document.body.dataset)", vec![]).await;
    assert!(page.rectangle("#stage").await[2] > 0.0);
    // The key leads to the search.
    page.browser.script("document.activeElement.blur()", vec![]).await;
    page.press_char('f').await;
    assert_eq!(page.browser.script("return document.activeElement.id", vec![]).await, json!("tree-search"));
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_finger_that_rests_on_a_node_previews_it() {
    let (page, session) = drawn(REVISITS).await;
    page.browser.resize(390, 844).await;
    page.click("#tab-tree").await;
    let dropped = visit_of(&session, VisitKind::Dropped);
    let position = page.text("#position").await;
    page.browser
        .script(
            "document.querySelector(arguments[0]).scrollIntoView({block: 'center', inline: 'center'})",
            vec![json!(format!("#node-{dropped}"))],
        )
        .await;
    let (x, y) = page.at_rest(&format!("#node-{dropped} .shape")).await;
    // It is held until something is seen of it.
    page.touch("touchStart", &[(0, x, y)]).await;
    page.browser.wait_until("return !!document.querySelector('#preview img')?.naturalWidth", vec![]).await;
    page.touch("touchEnd", &[]).await;
    assert_eq!(page.text("#position").await, position);
    let [left, _, width, _] = page.rectangle("#preview").await;
    assert!(left >= 0.0 && left + width <= 390.0);
    page.click(".preview-close").await;
    assert_eq!(page.count("#preview").await, 0);
    page.nothing_complained().await;
}

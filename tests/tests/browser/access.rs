//! That everybody can use the page: axe-core's rules in all its states, and code that is set apart.
//!
//! axe looks at each scene once in each theme, at once in both sizes: scenes take turns in which of the two is light, and in
//! which they are opened.

use litmoscope_tests::browser::{Browser, ColorScheme};
use litmoscope_tests::scenes::{Scene, scenes, still};
use litmoscope_tests::site;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// What rules say of the page: for each violation the rule and the elements.
const CHECK: &str = "const [runOnly, done] = arguments;
    axe.run(document, { runOnly, resultTypes: ['violations'] }).then(
        results => done(results.violations.map(v =>
            `${v.id} (${v.help}): ` + v.nodes.map(n => `${n.target} ${n.failureSummary}`).join('; '))),
        error => done([`axe failed: ${error}`]))";
/// The rules of WCAG 2.2, levels A and AA, that can be checked by a program.
pub const RULES: [&str; 6] = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"];
/// Those of them that look at colours. The others see the same page in both themes.
pub const OF_COLOURS: [&str; 2] = ["color-contrast", "link-in-text-block"];
/// Where code is between backticks, rather than set apart.
const BACKTICKS: &str = "return [...document.body.querySelectorAll('*')].flatMap(element => {
    if (element.closest('code, pre, textarea, script, .copy')) return [];
    const own = [...element.childNodes].filter(node => node.nodeType === Node.TEXT_NODE).map(node => node.data);
    return [...own, element.title, element.ariaLabel].filter(text => text?.includes?.('`'));
})";
/// A computer's window and a telephone's.
const SIZES: [(u32, u32); 2] = [(1280, 800), (390, 844)];

#[tokio::test]
async fn the_first_half_of_all_states_is_accessible() {
    let scenes = scenes();
    are_accessible(&scenes[..scenes.len() / 2]).await;
}

#[tokio::test]
async fn the_other_half_of_all_states_is_accessible() {
    let scenes = scenes();
    are_accessible(&scenes[scenes.len() / 2..]).await;
}

/// That each scene is in both sizes, and in both themes. Every other one is shown in a computer's window, light, which becomes
/// that of a telephone, dark; those between the other way round.
async fn are_accessible(scenes: &[Scene]) {
    let (site, browser) = (site::serve("/"), Browser::without_service_workers().await);
    let mut wrong = Vec::new();
    for (at, scene) in scenes.iter().enumerate() {
        let (first, second) = (SIZES[at % 2], SIZES[1 - at % 2]);
        browser.resize(first.0, first.1).await;
        browser.prefer(ColorScheme::Light).await;
        scene.show(&browser, &site).await;
        wrong.extend(violations(&browser, scene.name, ColorScheme::Light, &RULES).await);
        if let Value::Array(texts) = browser.script(BACKTICKS, vec![]).await {
            wrong.extend(texts.into_iter().map(|text| json!([scene.name, "backticks", text])));
        }
        browser.resize(second.0, second.1).await;
        browser.prefer(ColorScheme::Dark).await;
        still(&browser).await;
        wrong.extend(violations(&browser, scene.name, ColorScheme::Dark, &RULES).await);
    }
    assert!(wrong.is_empty(), "{}", serde_json::to_string_pretty(&wrong).expect("JSON"));
}

/// What some rules say of what is shown in a theme.
pub async fn violations(browser: &Browser, name: &str, scheme: ColorScheme, rules: &[&str]) -> Vec<Value> {
    if browser.script("return typeof axe === 'undefined'", vec![]).await == json!(true) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/axe.min.js");
        let axe = fs::read_to_string(&file).unwrap_or_else(|_| panic!("{}: `make test` puts it there", file.display()));
        browser.script(&axe, vec![]).await;
    }
    browser.prefer(scheme).await;
    let violations = browser.execute_async(CHECK, vec![json!(rules)]).await.expect("axe answers");
    let Value::Array(violations) = violations else { panic!("{violations}") };
    violations.into_iter().map(|violation| json!([name, format!("{scheme:?}"), violation])).collect()
}

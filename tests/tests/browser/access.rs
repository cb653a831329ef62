//! That everybody can use the page: axe-core's rules in all its states.

use litmoscope_tests::browser::{Browser, ColorScheme};
use litmoscope_tests::scenes::{scenes, still};
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
const ALL: [&str; 6] = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"];
/// Those of them that look at colours. The others see the same page in both themes.
const OF_COLOURS: [&str; 2] = ["color-contrast", "link-in-text-block"];

#[tokio::test]
async fn every_state_is_accessible_on_a_computer() {
    every_state_is_accessible(1280, 800).await;
}

#[tokio::test]
async fn every_state_is_accessible_on_a_telephone() {
    every_state_is_accessible(390, 844).await;
}

async fn every_state_is_accessible(width: u32, height: u32) {
    let (site, browser) = (site::serve("/"), Browser::start().await);
    browser.resize(width, height).await;
    let mut wrong = Vec::new();
    for scene in scenes() {
        browser.prefer(ColorScheme::Light).await;
        scene.show(&browser, &site).await;
        still(&browser).await;
        wrong.extend(violations(&browser, scene.name).await);
    }
    assert!(wrong.is_empty(), "{}", serde_json::to_string_pretty(&wrong).expect("JSON"));
}

/// What the rules say of what is shown, in both themes; it is left in the dark one.
pub async fn violations(browser: &Browser, name: &str) -> Vec<Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/axe.min.js");
    let axe = fs::read_to_string(&file).unwrap_or_else(|_| panic!("{}: `make test` puts it there", file.display()));
    browser.script(&axe, vec![]).await;
    let mut wrong = Vec::new();
    for (scheme, rules) in [(ColorScheme::Light, &ALL[..]), (ColorScheme::Dark, &OF_COLOURS)] {
        browser.prefer(scheme).await;
        let violations = browser.execute_async(CHECK, vec![json!(rules)]).await.expect("axe answers");
        let Value::Array(violations) = violations else { panic!("{violations}") };
        wrong.extend(violations.into_iter().map(|violation| json!([name, format!("{scheme:?}"), violation])));
    }
    wrong
}

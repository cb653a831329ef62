//! That everybody can use the page: axe-core's rules in all its states.

use litmoscope_tests::browser::{Browser, ColorScheme};
use litmoscope_tests::scenes::scenes;
use litmoscope_tests::site::{self, Site};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// What the rules of WCAG 2.2, levels A and AA, that can be checked by a program say of the page: for each violation the
/// rule and the elements.
const CHECK: &str = "const done = arguments[0];
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'];
    axe.run(document, { runOnly: tags, resultTypes: ['violations'] }).then(
        results => done(results.violations.map(v =>
            `${v.id} (${v.help}): ` + v.nodes.map(n => `${n.target} ${n.failureSummary}`).join('; '))),
        error => done([`axe failed: ${error}`]))";

#[tokio::test]
async fn every_state_is_accessible_in_the_light() {
    every_state_is_accessible(ColorScheme::Light).await;
}

#[tokio::test]
async fn every_state_is_accessible_in_the_dark() {
    every_state_is_accessible(ColorScheme::Dark).await;
}

async fn every_state_is_accessible(scheme: ColorScheme) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/axe.min.js");
    let axe = fs::read_to_string(&file).unwrap_or_else(|_| panic!("{}: `make test` puts it there", file.display()));
    let (site, browser) = (site::serve("/"), Browser::start().await);
    browser.prefer(scheme).await;
    let mut wrong = Vec::new();
    for (width, height) in [(1280, 800), (390, 844)] {
        browser.resize(width, height).await;
        for scene in scenes() {
            scene.show(&browser, &site).await;
            browser.script(&axe, vec![]).await;
            let violations = browser.execute_async(CHECK, vec![]).await.expect("axe answers");
            let Value::Array(violations) = violations else { panic!("{violations}") };
            wrong.extend(violations.into_iter().map(|violation| json!([scene.name, width, violation])));
        }
    }
    assert!(wrong.is_empty(), "{}", serde_json::to_string_pretty(&wrong).expect("JSON"));
}

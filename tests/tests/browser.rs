//! The built page in a real browser.

use litmoscope_tests::browser::Browser;
use litmoscope_tests::site::Site;

#[tokio::test]
async fn the_page_runs_at_the_root_of_a_server() {
    the_page_runs_under("/").await;
}

#[tokio::test]
async fn the_page_runs_under_any_path() {
    the_page_runs_under("/a/b/").await;
}

async fn the_page_runs_under(path: &str) {
    let site = Site::serve(path);
    let browser = Browser::start().await;
    browser.goto(site.url()).await.expect("the page can be opened");
    browser.expect_text("h1", "Litmoscope").await;
    browser.expect_text("#worker", "The worker heard: hello").await;
    assert_eq!(browser.console_problems().await, Vec::<String>::new());
}

#[tokio::test]
async fn the_page_allows_itself_nothing_from_elsewhere() {
    const POLICY: &str = "return document.querySelector('meta[http-equiv=Content-Security-Policy]').content";
    let site = Site::serve("/");
    let browser = Browser::start().await;
    browser.goto(site.url()).await.expect("the page can be opened");
    let policy = browser.execute(POLICY, vec![]).await.expect("the page has a policy");
    let policy = policy.as_str().expect("the policy is text");
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    for forbidden in ["'unsafe-inline'", "'unsafe-eval'", "http:", "https:", "*"] {
        assert!(!policy.contains(forbidden), "{forbidden} in {policy}");
    }
}

//! The same explorations natively and in the built page.

use crate::markdown::{geometric_mean, short, table, with_commas};
use crate::measure::text;
use crate::{Arguments, Failure};
use fantoccini::wd::TimeoutConfiguration;
use litmoscope::explore::Options;
use litmoscope::model::Model;
use litmoscope::program::Limits;
use litmoscope::session::{Session, Settings, link};
use litmoscope_tests::browser::Browser;
use litmoscope_tests::peers::peers;
use litmoscope_tests::site::Site;
use serde_json::json;
use std::time::{Duration, Instant};

/// Sizes that take the page about a second.
const ROWS: [(&str, usize); 5] = [("ainc", 7), ("inc", 5), ("readers", 13), ("fib", 4), ("lockinc", 7)];

/// Runs to the end, and says after how many milliseconds the page had everything to show.
const RUN: &str = "const done = arguments[0];
    const start = performance.now();
    document.querySelector('#run').click();
    const look = () => 'busy' in document.body.dataset ? setTimeout(look, 1) : done(performance.now() - start);
    setTimeout(look, 1);";

/// The times of both, from the command to the end, and how many times as long the page takes.
pub fn page(arguments: &Arguments) -> Result<String, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(measure(arguments))
}

async fn measure(arguments: &Arguments) -> Result<String, Failure> {
    let site = Site::serve("/");
    let browser = Browser::start().await;
    let mut timeouts = TimeoutConfiguration::default();
    timeouts.set_script(Some(Duration::from_secs(arguments.limit)));
    browser.update_timeouts(timeouts).await?;
    let (mut rows, mut ratios) = (Vec::new(), Vec::new());
    let peers = peers();
    let chosen = ROWS
        .into_iter()
        .filter(|(name, _)| arguments.programs.is_empty() || arguments.programs.iter().any(|program| program == name));
    for (name, n) in chosen {
        let peer = peers.iter().find(|peer| peer.name == name).ok_or("there is no such program")?;
        let limits = Limits { unroll: (peer.unroll)(n), ..Limits::default() };
        let settings = Settings {
            text: text(peer, n, arguments.outcomes),
            model: Model::Tso,
            algorithm: arguments.algorithm.parse()?,
            options: Options { limits, ..Options::default() },
            position: 0,
        };
        let (mut native, mut page, mut executions) = (f64::INFINITY, f64::INFINITY, 0);
        for _ in 0..arguments.runs {
            let start = Instant::now();
            let mut session = Session::open(settings.clone()).map_err(|_| format!("{name} is no program"))?;
            session.run(u64::MAX);
            native = native.min(start.elapsed().as_secs_f64());
            executions = session.counts().complete;
            drop(session);

            browser.goto("about:blank").await?;
            browser.goto(&format!("{}{}", site.url(), link::encode(&settings))).await?;
            browser.settled().await;
            let took = browser.execute_async(RUN, vec![]).await?;
            page = page.min(took.as_f64().ok_or("the page gives no time")? / 1e3);
            // Without the spaces between groups of digits.
            const SHOWN: &str =
                "return Number(document.querySelector('#count-complete')?.innerText.replace(/\\D/g, ''))";
            let shown = browser.script(SHOWN, vec![]).await;
            if shown != json!(executions) {
                return Err(format!("the page counts {shown} executions of {name}({n}), not {executions}").into());
            }
        }
        ratios.push(page / native);
        rows.push([format!("{name}({n})"), with_commas(executions), short(native), short(page), short(page / native)]);
    }
    let mean = geometric_mean(ratios).map_or_else(String::new, short);
    Ok(format!(
        "#### Native and in the page\n\nSeconds from the command to the end under TSO, in the headless browser and natively; the page's \
         take {mean} times as long, the geometric mean.\n\n{}",
        table(["program", "executions", "native", "page", "times"], 1, &rows)
    ))
}

//! A headless browser for the tests: Chromium, driven through chromedriver.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::ops::Deref;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder};
use http::Method;
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};
use url::{ParseError, Url};

/// How long the page may take to show what a test waits for.
const PATIENCE: Duration = Duration::from_secs(20);

/// A browser of its own, with an empty profile, until it is dropped.
///
/// Everything that [`Client`] does (find, click, type, run scripts) can be called on it directly.
pub struct Browser {
    client: Client,
    // Declared in the order of their end: the browser leaves its profile before the folder goes.
    _driver: Driver,
    _profile: TempDir,
}

/// What the page sees as the user's preference.
#[derive(Debug, Clone, Copy)]
pub enum ColorScheme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Browser {
    /// Starts a browser with a window of 1280 by 800 pixels.
    ///
    /// # Panics
    ///
    /// If chromedriver or the browser cannot be started.
    pub async fn start() -> Self {
        let driver = Driver::start().expect("chromedriver starts (`make test` installs it)");
        let profile = tempfile::tempdir().expect("a temporary folder can be made");
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            &format!("--user-data-dir={}", profile.path().display()),
        ];
        let capabilities = json!({
            "browserName": "chrome",
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL" },
        });
        let Value::Object(capabilities) = capabilities else { unreachable!("capabilities are an object") };
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&format!("http://127.0.0.1:{}", driver.port))
            .await
            .expect("chromedriver starts a browser");
        let browser = Self { client, _driver: driver, _profile: profile };
        browser.resize(1280, 800).await;
        browser
    }

    /// Gives the page exactly this many pixels, fewer than a window may have if need be.
    pub async fn resize(&self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", size).await;
    }

    /// Lets the page see this preference of the user.
    pub async fn prefer(&self, scheme: ColorScheme) {
        let value = match scheme {
            ColorScheme::Light => "light",
            ColorScheme::Dark => "dark",
        };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.devtools("Emulation.setEmulatedMedia", features).await;
    }

    /// Waits until the first element that `selector` finds shows exactly `text`.
    ///
    /// # Panics
    ///
    /// If that takes too long; says what was there instead.
    pub async fn expect_text(&self, selector: &str, text: &str) {
        const SHOWN: &str = "return document.querySelector(arguments[0])?.innerText";
        let end = Instant::now() + PATIENCE;
        loop {
            let shown = self.execute(SHOWN, vec![json!(selector)]).await.expect("the page runs scripts");
            if shown == json!(text) {
                return;
            }
            if Instant::now() >= end {
                let console = self.console_problems().await;
                panic!("{selector} should show {text:?} but shows {shown}; console: {console:#?}");
            }
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Runs a script and returns what it returns.
    ///
    /// # Panics
    ///
    /// If it fails.
    pub async fn script(&self, code: &str, arguments: Vec<Value>) -> Value {
        self.execute(code, arguments).await.unwrap_or_else(|error| panic!("{code}: {error}"))
    }

    /// Waits until a script returns true.
    ///
    /// # Panics
    ///
    /// If that takes too long.
    pub async fn wait_until(&self, code: &str, arguments: Vec<Value>) {
        let end = Instant::now() + PATIENCE;
        while self.script(code, arguments.clone()).await != json!(true) {
            if Instant::now() >= end {
                let console = self.console_problems().await;
                panic!("{code} should become true; console: {console:#?}");
            }
            sleep(Duration::from_millis(15)).await;
        }
    }

    /// Waits until the worker is there and the page has answered everything asked of it so far.
    pub async fn settled(&self) {
        const SETTLED: &str = "return document.body.dataset.ready === 'true' && !('busy' in document.body.dataset)";
        self.wait_until(SETTLED, vec![]).await;
    }

    /// The errors and warnings since the last call: the page's own, its scripts', and what its policy forbade.
    pub async fn console_problems(&self) -> Vec<String> {
        let log = self.driver_command("se/log", json!({ "type": "browser" })).await;
        let entries = log.as_array().cloned().unwrap_or_default();
        entries
            .iter()
            .filter(|entry| entry["level"] == "SEVERE" || entry["level"] == "WARNING")
            .map(|entry| entry["message"].as_str().unwrap_or_default().to_owned())
            .collect()
    }

    /// Saves what the page shows as a PNG file.
    pub async fn save_screenshot(&self, file: &Path) -> io::Result<()> {
        let image = self.screenshot().await.map_err(io::Error::other)?;
        std::fs::write(file, image)
    }

    /// Calls a method of the browser's developer tools protocol.
    pub async fn devtools(&self, method: &str, parameters: Value) -> Value {
        self.driver_command("goog/cdp/execute", json!({ "cmd": method, "params": parameters })).await
    }

    async fn driver_command(&self, path: &'static str, body: Value) -> Value {
        self.issue_cmd(DriverCommand { path, body }).await.unwrap_or_else(|error| panic!("{path}: {error}"))
    }
}

impl Deref for Browser {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

/// A command of chromedriver's own, beyond the WebDriver standard.
#[derive(Debug)]
struct DriverCommand {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for DriverCommand {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _url: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.body.to_string()))
    }
}

/// A running chromedriver.
struct Driver {
    process: Child,
    port: u16,
}

impl Driver {
    fn start() -> io::Result<Self> {
        let mut process =
            Command::new("chromedriver").arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let stdout = process.stdout.take().expect("the output is a pipe");
        let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
        const STARTED: &str = "started successfully on port ";
        let port = lines.find_map(|line| line.split_once(STARTED)?.1.trim_end_matches('.').parse().ok());
        // Whatever else it says must be read, or it would wait for a reader.
        thread::spawn(move || lines.for_each(drop));
        match port {
            Some(port) => Ok(Self { process, port }),
            None => Err(io::Error::other(format!("chromedriver named no port and ended: {}", process.wait()?))),
        }
    }

    /// Asks for the end of the browser and the driver. In plain HTTP, because this has to work without a runtime, while a
    /// failed test unwinds.
    fn shut_down(&self) -> io::Result<()> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        write!(stream, "GET /shutdown HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        stream.read_to_end(&mut Vec::new())?;
        Ok(())
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if self.shut_down().is_err() {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}

//! A headless browser for the tests: Chromium, driven through chromedriver.
//!
//! Each test has a server of its own and so an origin of its own, for which a browser stores nothing that another test sees. So
//! the browser's processes, which take seconds to start, serve one test after the other.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::ops::Deref;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use std::{fs, thread};

use fantoccini::error::NewSessionError;
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder};
use http::Method;
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use url::{ParseError, Url};

/// How long the page may take to show what a test waits for.
const PATIENCE: Duration = Duration::from_secs(20);

/// A window of a browser with nothing stored, until it is dropped.
///
/// The processes behind it are used again, since they take two seconds to start. What a window has stored, it has stored for
/// the origins in its tabs (each [`Site`](crate::site::Site) is one), and goes when it is closed. Everything that [`Client`] does (find, click, type, run scripts) can be called on
/// it directly.
pub struct Browser {
    client: Client,
    driver: Driver,
    session: String,
    /// The tab that was there already. Nobody uses it, so that there is always one.
    home: String,
    chromium: Option<Chromium>,
    /// A script that each tab runs before those of its pages.
    before: &'static str,
}

/// Those that no test uses just now.
static IDLE: Mutex<Vec<Chromium>> = Mutex::new(Vec::new());

/// What the page sees as the user's preference.
#[derive(Debug, Clone, Copy)]
pub enum ColorScheme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Browser {
    /// Opens a window of 1280 by 800 pixels.
    ///
    /// # Panics
    ///
    /// If chromedriver or the browser cannot be started.
    pub async fn start() -> Self {
        Self::with("").await
    }

    /// The same of a browser that has no service workers, or not in such a window. A page that is opened in it keeps none of the
    /// site's files, which would take longer than most of what is looked at there.
    ///
    /// # Panics
    ///
    /// If chromedriver or the browser cannot be started.
    pub async fn without_service_workers() -> Self {
        Self::with("delete Navigator.prototype.serviceWorker").await
    }

    async fn with(before: &'static str) -> Self {
        let (chromium, driver, client) = loop {
            let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let used = idle.is_some();
            let chromium =
                idle.unwrap_or_else(|| Chromium::start().expect("Chromium starts (`make test` installs it)"));
            let mut command = Command::new("chromedriver");
            command.arg("--port=0");
            let driver = Driver::start(command).expect("chromedriver starts (`make test` installs it)");
            match driver.connect(&chromium).await {
                Ok(client) => break (chromium, driver, client),
                // The test before has left it in ruins.
                Err(_) if used => {}
                Err(error) => panic!("chromedriver does not find the browser: {error}"),
            }
        };
        let session = client.session_id().await.expect("the driver answers").expect("there is a session");
        let home = String::from(client.window().await.expect("the browser has a tab"));
        let browser = Self { client, driver, session, home, chromium: Some(chromium), before };
        browser.new_tab().await;
        browser.resize(1280, 800).await;
        browser
    }

    /// Opens another tab beside those that there are, and goes there.
    pub async fn new_tab(&self) {
        let tab = self.new_window(true).await.expect("there is room for a tab");
        self.switch_to_window(tab.handle).await.expect("it can be switched to");
        if !self.before.is_empty() {
            self.before(self.before).await;
        }
    }

    /// A script for every page opened in this tab from now on, before anything of its own runs.
    pub async fn before(&self, script: &str) {
        self.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script })).await;
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
        if !self.comes(&format!("{SHOWN} === arguments[1]"), vec![json!(selector), json!(text)]).await {
            let shown = self.execute(SHOWN, vec![json!(selector)]).await.expect("the page runs scripts");
            let console = self.console_problems().await;
            panic!("{selector} should show {text:?} but shows {shown}; console: {console:#?}");
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

    /// Waits until a script returns true. It may fail until then: what it asks about may not be there yet.
    ///
    /// # Panics
    ///
    /// If that takes too long.
    pub async fn wait_until(&self, code: &str, arguments: Vec<Value>) {
        if !self.comes(code, arguments.clone()).await {
            let returned = self.execute(code, arguments).await;
            let console = self.console_problems().await;
            panic!("{code} should become true, not {returned:?}; console: {console:#?}");
        }
    }

    /// Whether a script comes to return true.
    async fn comes(&self, code: &str, arguments: Vec<Value>) -> bool {
        // The page asks itself: each question from here goes through three more processes. It does so for a moment only, since
        // what waits in a page that is left, or that nobody sees, is not told.
        let asking = format!(
            "const done = arguments[arguments.length - 1], given = [...arguments].slice(0, -1);
            const ask = async function () {{ {code}
            }}, end = Date.now() + 500;
            const look = () => ask(...given).catch(() => false).then(found => {{
                if (found === true || Date.now() > end) done(found === true); else setTimeout(look, 10);
            }});
            look();"
        );
        let end = Instant::now() + PATIENCE;
        loop {
            match self.execute_async(&asking, arguments.clone()).await {
                Ok(Value::Bool(true)) => return true,
                _ if Instant::now() >= end => return false,
                Ok(_) => {}
                Err(_) => sleep(Duration::from_millis(15)).await,
            }
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

impl Drop for Browser {
    fn drop(&mut self) {
        // The window goes with all that it has stored, and the processes are for whoever comes next.
        if self.driver.close(&self.session, &self.home).is_ok() {
            IDLE.lock().unwrap_or_else(PoisonError::into_inner).extend(self.chromium.take());
        }
    }
}

/// The processes of a browser. They end when this is dropped or when this process ends, however that comes.
struct Chromium {
    guard: Child,
    /// Closed, it ends the browser.
    lifeline: Option<ChildStdin>,
    port: u16,
}

impl Chromium {
    fn start() -> io::Result<Self> {
        // Waits for the end of its input, ends the browser, and clears up after it.
        const GUARD: &str = r#"folder=$1
            shift
            "$@" </dev/null &
            read -r _
            kill $! 2>/dev/null
            wait $!
            rm -rf "$folder""#;
        let profile = tempfile::tempdir()?.keep();
        let binary = ["chromium", "google-chrome"]
            .into_iter()
            .find(|binary| {
                Command::new(binary).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
            })
            .ok_or_else(|| io::Error::other("there is neither chromium nor google-chrome"))?;
        let mut guard = Command::new("sh")
            .args(["-c", GUARD, "sh"])
            .arg(&profile)
            .arg(binary)
            .arg(format!("--user-data-dir={}", profile.display()))
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--no-default-browser-check",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                // A process for each site and for each page that is opened takes a tenth of all that a test takes.
                "--disable-site-isolation-trials",
                "--renderer-process-limit=1",
                // A page of its own for each, in every window.
                "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup",
                "--remote-debugging-port=0",
                "about:blank",
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut chromium = Self { lifeline: guard.stdin.take(), guard, port: 0 };
        let said = profile.join("DevToolsActivePort");
        for _ in 0..600 {
            let port = fs::read_to_string(&said).ok().and_then(|text| text.lines().next()?.parse().ok());
            if let Some(port) = port {
                chromium.port = port;
                return Ok(chromium);
            }
            thread::sleep(Duration::from_millis(100));
        }
        Err(io::Error::other(format!("{binary} has opened no port in a minute")))
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        self.lifeline = None;
        let _ = self.guard.wait();
    }
}

/// A running chromedriver.
struct Driver {
    process: Child,
    port: u16,
}

impl Driver {
    /// Starts `command` until one names its port. A driver takes a free port of one family of addresses and then wants the same
    /// of the other; where somebody has that, it ends.
    fn start(mut command: Command) -> io::Result<Self> {
        const TRIES: usize = 10;
        for _ in 0..TRIES {
            if let Some(driver) = Self::try_start(&mut command)? {
                return Ok(driver);
            }
        }
        Err(io::Error::other(format!("{command:?} named no port and ended, {TRIES} times")))
    }

    /// None if it ended before it named a port.
    fn try_start(command: &mut Command) -> io::Result<Option<Self>> {
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let stdout = process.stdout.take().expect("the output is a pipe");
        let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
        const STARTED: &str = "started successfully on port ";
        let port = lines.find_map(|line| line.split_once(STARTED)?.1.trim_end_matches('.').parse().ok());
        // Whatever else it says must be read, or it would wait for a reader.
        thread::spawn(move || lines.for_each(drop));
        let Some(port) = port else {
            process.wait()?;
            return Ok(None);
        };
        Ok(Some(Self { process, port }))
    }

    /// A session with a browser that runs.
    async fn connect(&self, chromium: &Chromium) -> Result<Client, NewSessionError> {
        let capabilities = json!({
            "browserName": "chrome",
            "goog:chromeOptions": { "debuggerAddress": format!("127.0.0.1:{}", chromium.port) },
            "goog:loggingPrefs": { "browser": "ALL" },
        });
        let Value::Object(capabilities) = capabilities else { unreachable!("capabilities are an object") };
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities).connect(&format!("http://127.0.0.1:{}", self.port)).await
    }

    /// Closes all tabs but one, and what they have stored.
    fn close(&self, session: &str, home: &str) -> io::Result<()> {
        let session = |path: &str| format!("session/{session}/{path}");
        let handles = self.request("GET", &session("window/handles"), None)?;
        let opened = handles["value"].as_array().into_iter().flatten().filter(|handle| *handle != home);
        for handle in opened {
            self.request("POST", &session("window"), Some(json!({ "handle": handle })))?;
            let url = self.request("GET", &session("url"), None)?;
            let origin = Url::parse(url["value"].as_str().unwrap_or_default()).map_err(io::Error::other)?.origin();
            if origin.is_tuple() {
                let what = json!({ "origin": origin.ascii_serialization(), "storageTypes": "all" });
                let clear = json!({ "cmd": "Storage.clearDataForOrigin", "params": what });
                self.request("POST", &session("goog/cdp/execute"), Some(clear))?;
            }
            self.request("DELETE", &session("window"), None)?;
        }
        Ok(())
    }

    /// Asks the driver for something. In plain HTTP, because this has to work without a runtime, while a failed test unwinds.
    fn request(&self, method: &str, path: &str, body: Option<Value>) -> io::Result<Value> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        let length = body.len();
        write!(
            stream,
            "{method} /{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        )?;
        // The driver keeps the connection open.
        let mut answer = BufReader::new(stream);
        let (mut head, mut length) = (String::new(), 0);
        while answer.read_line(&mut head)? > 2 {
            let line = head.lines().last().unwrap_or_default().to_ascii_lowercase();
            if let Some(said) = line.strip_prefix("content-length:") {
                length = said.trim().parse().map_err(io::Error::other)?;
            }
        }
        let mut body = vec![0; length];
        answer.read_exact(&mut body)?;
        if head.split(' ').nth(1) != Some("200") {
            return Err(io::Error::other(format!("{head}{}", String::from_utf8_lossy(&body))));
        }
        Ok(serde_json::from_slice(&body).unwrap_or_default())
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if self.request("GET", "shutdown", None).is_err() {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_that_finds_its_port_taken_is_started_again() {
        const TAKEN_ONCE: &str = r#"mkdir "$1" 2>/dev/null && exit 1
            echo "ChromeDriver was started successfully on port 1."
            exec sleep 60"#;
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let mut command = Command::new("sh");
        command.args(["-c", TAKEN_ONCE, "sh"]).arg(folder.path().join("tried"));
        let driver = Driver::start(command).expect("the second one starts");
        assert_eq!(driver.port, 1);
    }

    #[test]
    fn a_driver_that_never_starts_is_an_error() {
        let mut command = Command::new("sh");
        command.args(["-c", "exit 1"]);
        let error = Driver::start(command).err().expect("there is no driver").to_string();
        assert!(error.contains("named no port and ended, 10 times"), "{error}");
    }
}

//! Serves the built page to the browser tests.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tiny_http::{Header, Request, Response, Server};

/// A server for the built page, on a free port of the loopback, until it is dropped.
pub struct Site {
    server: Arc<Server>,
    thread: Option<JoinHandle<()>>,
    url: String,
}

impl Site {
    /// Serves the page that `make test` has built and named in the environment, under `path` and nowhere else, so that
    /// a page which reaches for the server's root is caught.
    ///
    /// # Panics
    ///
    /// If there is no built page.
    pub fn serve(path: &str) -> Self {
        assert!(path.starts_with('/') && path.ends_with('/'), "a site's path starts and ends with a slash: {path}");
        let folder = std::env::var("LITMOSCOPE_SITE").map(PathBuf::from).unwrap_or_else(|_| {
            panic!("LITMOSCOPE_SITE names no built page: run `make test`, which builds it and sets the variable")
        });
        let folder = fs::canonicalize(&folder)
            .unwrap_or_else(|error| panic!("no built page in {}: {error}; run `make test`", folder.display()));

        let server = Arc::new(Server::http("127.0.0.1:0").expect("the loopback has a free port"));
        let address = server.server_addr().to_ip().expect("the server listens on an IP address");
        let thread = thread::spawn({
            let (server, path) = (Arc::clone(&server), path.to_owned());
            move || {
                for request in server.incoming_requests() {
                    // A browser that has gone away is no concern of the server.
                    let _ = answer(request, &folder, &path);
                }
            }
        });
        Self { server, thread: Some(thread), url: format!("http://{address}{path}") }
    }

    /// Where the page is.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.server.unblock();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn answer(request: Request, folder: &Path, prefix: &str) -> io::Result<()> {
    let asked = request.url().split(['?', '#']).next().unwrap_or_default().to_owned();
    match asked.strip_prefix(prefix).and_then(|name| find(folder, name)) {
        Some(file) => {
            let header = Header::from_bytes("Content-Type", content_type(&file)).expect("content types are ASCII");
            request.respond(Response::from_file(File::open(file)?).with_header(header))
        }
        None => request.respond(Response::empty(404)),
    }
}

/// The file of the site that goes by this name; never one outside of it.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let file = folder.join(if name.is_empty() { "index.html" } else { name });
    fs::canonicalize(file).ok().filter(|file| file.starts_with(folder) && file.is_file())
}

fn content_type(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("wasm") => "application/wasm",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        _ => "text/plain; charset=utf-8",
    }
}

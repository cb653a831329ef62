//! Serves the built page to the browser tests.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A server for the built page, on a free port of the loopback, until it is dropped.
///
/// A thread answers one request and closes the connection. Servers with a pool of threads and connections that stay open
/// let a request wait for a thread that never comes free, as browsers open more connections than they use.
pub struct Site {
    address: SocketAddr,
    folder: Arc<RwLock<PathBuf>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    url: String,
}

/// Where the page is that `make test` has built and named in the environment.
///
/// # Panics
///
/// If there is no built page.
pub fn built() -> PathBuf {
    let folder = std::env::var("LITMOSCOPE_SITE").map(PathBuf::from).unwrap_or_else(|_| {
        panic!("LITMOSCOPE_SITE names no built page: run `make test`, which builds it and sets the variable")
    });
    fs::canonicalize(&folder)
        .unwrap_or_else(|error| panic!("no built page in {}: {error}; run `make test`", folder.display()))
}

/// How many bytes servers that compress with gzip send of a file.
pub fn gzipped(content: &[u8]) -> usize {
    // What gzip puts around the deflated content.
    const AROUND: usize = 18;
    miniz_oxide::deflate::compress_to_vec(content, 9).len() + AROUND
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
        let folder = Arc::new(RwLock::new(built()));
        let listener = TcpListener::bind("127.0.0.1:0").expect("the loopback has a free port");
        let address = listener.local_addr().expect("the server listens on an address");
        let over = Arc::new(AtomicBool::new(false));
        let thread = thread::spawn({
            let (folder, over, path) = (Arc::clone(&folder), Arc::clone(&over), path.to_owned());
            move || {
                for stream in listener.incoming() {
                    if over.load(Ordering::Relaxed) {
                        return;
                    }
                    let folder = folder.read().unwrap_or_else(PoisonError::into_inner).clone();
                    let path = path.clone();
                    // A browser that has gone away is no concern of the server.
                    thread::spawn(move || stream.and_then(|stream| answer(stream, &folder, &path)));
                }
            }
        });
        Self { address, folder, over, thread: Some(thread), url: format!("http://{address}{path}") }
    }

    /// Where the page is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Serves what is in another folder from now on.
    ///
    /// # Panics
    ///
    /// If there is no such folder.
    pub fn publish(&self, folder: &Path) {
        let folder = fs::canonicalize(folder).expect("there is such a folder");
        *self.folder.write().unwrap_or_else(PoisonError::into_inner) = folder;
    }

    /// Answers nothing from now on.
    pub fn stop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        // Wakes the thread up.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stop();
    }
}

fn answer(mut stream: TcpStream, folder: &Path, prefix: &str) -> io::Result<()> {
    // Browsers open connections that they never use.
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let mut head = BufReader::new(stream.try_clone()?).lines();
    let first = head.next().transpose()?.unwrap_or_default();
    while head.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let asked = first.split(' ').nth(1).unwrap_or_default();
    let asked = asked.split(['?', '#']).next().unwrap_or_default();
    match asked.strip_prefix(prefix).and_then(|name| find(folder, name)) {
        Some(file) => {
            let content = fs::read(&file)?;
            write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                content_type(&file),
                content.len()
            )?;
            stream.write_all(&content)
        }
        None => stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
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
        Some("webmanifest") => "application/manifest+json",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        _ => "text/plain; charset=utf-8",
    }
}

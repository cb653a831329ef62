//! Serves a folder of static files to the browsers of this machine.

use crate::files::COMPRESSED;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A port of the loopback that nobody else can have.
#[derive(Debug)]
pub struct Server(TcpListener);

/// A served folder, until it is dropped.
///
/// A thread answers one request and closes the connection. Servers with a pool of threads and connections that stay open
/// let a request wait for a thread that never comes free, as browsers open more connections than they use.
#[derive(Debug)]
pub struct Site {
    address: SocketAddr,
    folder: Arc<RwLock<PathBuf>>,
    asked: Arc<RwLock<BTreeSet<PathBuf>>>,
    slow: Slow,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    url: String,
}

/// Files that begin so are sent in pieces, with a pause after each.
type Slow = Arc<RwLock<Option<(String, Duration)>>>;

impl Server {
    /// Takes a port, or any that is free if that is 0.
    ///
    /// # Errors
    ///
    /// If somebody has the port.
    pub fn bind(port: u16) -> io::Result<Self> {
        Ok(Self(TcpListener::bind((Ipv4Addr::LOCALHOST, port))?))
    }

    /// The port that it has.
    ///
    /// # Errors
    ///
    /// If the system does not say.
    pub fn port(&self) -> io::Result<u16> {
        Ok(self.0.local_addr()?.port())
    }

    /// Serves a folder under `path`, and nothing elsewhere.
    ///
    /// # Errors
    ///
    /// If there is no such folder.
    ///
    /// # Panics
    ///
    /// If the path does not start and end with a slash.
    pub fn serve(self, path: &str, folder: &Path) -> Result<Site> {
        assert!(path.starts_with('/') && path.ends_with('/'), "a site's path starts and ends with a slash: {path}");
        let address = self.0.local_addr()?;
        let folder = Arc::new(RwLock::new(found(folder)?));
        let asked = Arc::new(RwLock::new(BTreeSet::new()));
        let slow = Slow::default();
        let over = Arc::new(AtomicBool::new(false));
        let thread = thread::spawn({
            let (folder, over, path) = (Arc::clone(&folder), Arc::clone(&over), path.to_owned());
            let (asked, slow) = (Arc::clone(&asked), Arc::clone(&slow));
            move || {
                for stream in self.0.incoming() {
                    if over.load(Ordering::Relaxed) {
                        return;
                    }
                    let folder = folder.read().unwrap_or_else(PoisonError::into_inner).clone();
                    let (path, asked) = (path.clone(), Arc::clone(&asked));
                    let slow = slow.read().unwrap_or_else(PoisonError::into_inner).clone();
                    // A browser that has gone away is no concern of the server.
                    thread::spawn(move || {
                        stream.and_then(|stream| answer(stream, &folder, &path, &asked, slow.as_ref()))
                    });
                }
            }
        });
        Ok(Site { address, folder, asked, slow, over, thread: Some(thread), url: format!("http://{address}{path}") })
    }
}

/// A folder by its real name, so that what is below it can be told.
fn found(folder: &Path) -> Result<PathBuf> {
    fs::canonicalize(folder).with_context(|| folder.display().to_string())
}

impl Site {
    /// Where the page is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Serves what is in another folder from now on.
    ///
    /// # Errors
    ///
    /// If there is no such folder.
    pub fn publish(&self, folder: &Path) -> Result<()> {
        *self.folder.write().unwrap_or_else(PoisonError::into_inner) = found(folder)?;
        Ok(())
    }

    /// Sends files whose names begin so in pieces from now on, with a pause after each.
    pub fn slow_down(&self, beginning: &str, pause: Duration) {
        *self.slow.write().unwrap_or_else(PoisonError::into_inner) = Some((beginning.to_owned(), pause));
    }

    /// The files that somebody has asked for and got.
    pub fn asked(&self) -> BTreeSet<PathBuf> {
        self.asked.read().unwrap_or_else(PoisonError::into_inner).clone()
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

fn answer(
    mut stream: TcpStream,
    folder: &Path,
    prefix: &str,
    all_asked: &RwLock<BTreeSet<PathBuf>>,
    slow: Option<&(String, Duration)>,
) -> io::Result<()> {
    /// How large the pieces are.
    const PIECE: usize = 8 * 1024;
    // Browsers open connections that they never use.
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let mut head = BufReader::new(stream.try_clone()?).lines();
    let first = head.next().transpose()?.unwrap_or_default();
    let mut takes_compressed = false;
    while let Some(line) = head.next().transpose()?.filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(':').unwrap_or_default();
        let mut codings = value.split(',').map(|coding| coding.split(';').next().unwrap_or_default().trim());
        takes_compressed |= name.eq_ignore_ascii_case("accept-encoding") && codings.any(|coding| coding == "gzip");
    }
    let asked = first.split(' ').nth(1).unwrap_or_default();
    let asked = asked.split(['?', '#']).next().unwrap_or_default();
    match asked.strip_prefix(prefix).and_then(|name| find(folder, name)) {
        Some(file) => {
            let is_slow = |(beginning, _): &&(String, Duration)| {
                file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(beginning))
            };
            let slow = slow.filter(is_slow);
            // What is to come slowly comes as it is.
            let small = compressed(&file).filter(|_| takes_compressed && slow.is_none());
            let coding = if small.is_some() { "Content-Encoding: gzip\r\n" } else { "" };
            let content = small.map_or_else(|| fs::read(&file), Ok)?;
            all_asked.write().unwrap_or_else(PoisonError::into_inner).insert(file.clone());
            write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: {}\r\n{coding}Vary: Accept-Encoding\r\nContent-Length: {}\r\n\
                 Connection: close\r\n\r\n",
                content_type(&file),
                content.len()
            )?;
            match slow {
                Some((_, pause)) => content.chunks(PIECE).try_for_each(|piece| {
                    stream.write_all(piece)?;
                    thread::sleep(*pause);
                    Ok(())
                }),
                None => stream.write_all(&content),
            }
        }
        None => stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
    }
}

/// What lies compressed beside a file, if it is not older.
fn compressed(file: &Path) -> Option<Vec<u8>> {
    let mut small = file.as_os_str().to_owned();
    small.push(format!(".{COMPRESSED}"));
    let changed = |path: &Path| fs::metadata(path).and_then(|about| about.modified()).ok();
    let small = PathBuf::from(small);
    (changed(&small)? >= changed(file)?).then(|| fs::read(&small).ok())?
}

/// The file of the site that goes by this name; never one outside of it.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let file = folder.join(name);
    let file = if name.is_empty() || name.ends_with('/') { file.join("index.html") } else { file };
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn get(site: &Site, path: &str) -> String {
        let mut stream = TcpStream::connect(site.address).expect("the site answers");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("it listens");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers in text");
        answer
    }

    #[test]
    fn a_folder_is_served_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let inner = folder.path().join("site");
        fs::create_dir(&inner).expect("a folder can be made");
        fs::write(folder.path().join("secret.js"), "secret").expect("it can be written");
        fs::write(inner.join("index.html"), "page").expect("it can be written");
        fs::write(inner.join("a.wasm"), "module").expect("it can be written");
        fs::create_dir(inner.join("book")).expect("a folder can be made");
        fs::write(inner.join("book/index.html"), "book").expect("it can be written");
        let mut site = Server::bind(0).expect("a port is free").serve("/at/", &inner).expect("it is there");
        assert!(get(&site, "/at/").ends_with("\r\n\r\npage") && get(&site, "/at/?a#b").contains("text/html"));
        assert!(get(&site, "/at/a.wasm").contains("application/wasm"));
        assert!(
            get(&site, "/at/book/").ends_with("\r\n\r\nbook") && get(&site, "/at/book").starts_with("HTTP/1.1 404")
        );
        for other in ["/", "/a.wasm", "/at/b.wasm", "/at/../secret.js", "/at//etc/passwd", "/at/..", "nonsense"] {
            assert!(get(&site, other).starts_with("HTTP/1.1 404"), "{other}");
        }
        let file = |name: &str| fs::canonicalize(inner.join(name)).expect("it is there");
        assert_eq!(site.asked(), ["a.wasm", "book/index.html", "index.html"].map(file).into());
        site.publish(folder.path()).expect("it is there");
        assert!(get(&site, "/at/secret.js").ends_with("secret"));
        site.stop();
        assert!(TcpStream::connect(site.address).is_err());
    }

    #[test]
    fn what_is_compressed_goes_to_who_takes_that() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        fs::write(folder.path().join("a.js"), "large").expect("it can be written");
        fs::write(folder.path().join("a.js.gz"), "small").expect("it can be written");
        let site = Server::bind(0).expect("a port is free").serve("/", folder.path()).expect("it is there");
        let ask = |header: &str| {
            let mut stream = TcpStream::connect(site.address).expect("the site answers");
            write!(stream, "GET /a.js HTTP/1.1\r\nHost: localhost\r\n{header}\r\n").expect("it listens");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).expect("it answers in text");
            (
                answer.contains("Content-Encoding: gzip"),
                answer.ends_with("\r\n\r\nsmall"),
                answer.contains("text/javascript"),
            )
        };
        assert_eq!(ask(""), (false, false, true));
        assert_eq!(ask("Accept-Encoding: br\r\n"), (false, false, true));
        assert_eq!(ask("accept-encoding: br, gzip;q=0.5\r\n"), (true, true, true));
        // A file that was changed since is sent as it is.
        let later = std::time::SystemTime::now() + Duration::from_secs(60);
        let file = fs::File::options().write(true).open(folder.path().join("a.js")).expect("it is there");
        file.set_modified(later).expect("it has a time");
        assert_eq!(ask("Accept-Encoding: gzip\r\n"), (false, false, true));
    }

    #[test]
    fn a_port_is_taken_once() {
        let server = Server::bind(0).expect("a port is free");
        let port = server.0.local_addr().expect("it has an address").port();
        assert_eq!(Server::bind(port).map_err(|error| error.kind()).err(), Some(io::ErrorKind::AddrInUse));
    }
}

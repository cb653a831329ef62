//! The built page, served to the browser tests.

use litmoscope_site::server::Server;
pub use litmoscope_site::server::Site;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The ports that sites of this process have had.
static TAKEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());

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

/// Serves the built page on a free port under `path` and nowhere else, so that a page which reaches for the server's root
/// is caught. No site of this process had the port before: what the page kept there is still in the browser.
///
/// # Panics
///
/// If there is no built page.
pub fn serve(path: &str) -> Site {
    // Those that were had before are held until there is another, so that the system offers others.
    let mut had = Vec::new();
    loop {
        let server = Server::bind(0).expect("the loopback has a free port");
        let port = server.port().expect("a server has a port");
        if TAKEN.lock().unwrap_or_else(PoisonError::into_inner).insert(port) {
            return server.serve(path, &built()).expect("the page is there");
        }
        had.push(server);
    }
}

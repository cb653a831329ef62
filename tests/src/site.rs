//! The built page, served to the browser tests.

use litmoscope_site::server::Server;
pub use litmoscope_site::server::Site;
use std::fs;
use std::path::PathBuf;

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
/// is caught.
///
/// # Panics
///
/// If there is no built page.
pub fn serve(path: &str) -> Site {
    let server = Server::bind(0).expect("the loopback has a free port");
    server.serve(path, &built()).expect("the page is there")
}

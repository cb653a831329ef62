//! Tells when the page's sources change.

use crate::build::root;
use anyhow::{Context, Result};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The folders that the site is made of.
const FOLDERS: [&str; 5] = ["app", "book", "engine", "public", "styles"];
/// Editors and version control change several files at once: this long nothing has to happen.
const QUIET: Duration = Duration::from_millis(200);

/// Watches the page's sources until it is dropped.
pub struct Changes {
    _watcher: RecommendedWatcher,
    changed: Receiver<()>,
}

impl Changes {
    /// Watches from now on.
    ///
    /// # Errors
    ///
    /// If the system cannot watch files.
    pub fn watch() -> Result<Self> {
        let (sender, changed) = channel();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let read = event.as_ref().is_ok_and(|event| event.kind.is_access());
            // index.html is watched by its folder, as editors replace it; what else is there does not matter.
            let outside = event.as_ref().is_ok_and(|event| {
                event.paths.iter().all(|path| path.parent() == Some(root()) && !path.ends_with("index.html"))
            });
            if !read && !outside {
                // Nobody listens any more where the page is no longer served.
                let _ = sender.send(());
            }
        })?;
        for folder in FOLDERS {
            watcher.watch(&root().join(folder), RecursiveMode::Recursive).context(folder)?;
        }
        watcher.watch(root(), RecursiveMode::NonRecursive).context("the repository")?;
        Ok(Self { _watcher: watcher, changed })
    }

    /// Waits for a change, and for the end of those that come with it.
    pub fn wait(&self) {
        if self.changed.recv().is_ok() {
            while self.changed.recv_timeout(QUIET).is_ok() {}
        }
    }
}

//! The indexes of the gallery, files of the site.
//!
//! `public/gallery.json` has programs, `public/handlers.json` those with handlers, `public/traces.json` event-driven traces,
//! `public/histories.json` histories, `public/protocols.json` memory implementations, `public/schedules.json` programs that run for ever,
//! `public/fairness.json` graphs and programs in which somebody may starve, `public/repair.json` programs without any order.

use litmoscope::model::Model;
use serde::Deserialize;

use crate::browser;

/// An entry of the gallery's index.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Example {
    /// The file, relative to the index.
    pub file: String,
    /// The short name: SB.
    pub name: String,
    /// The long one: Store buffering.
    pub title: String,
    /// The model to look at it with; for what is no program, any.
    #[serde(default)]
    pub model: Model,
    /// The unroll bound it needs.
    #[serde(default)]
    pub unroll: Option<u32>,
    /// What it teaches, and which models tell it apart.
    pub teaches: String,
    /// What would forbid what goes wrong in it, under its model.
    #[serde(default)]
    pub repair: Option<String>,
}

impl Example {
    /// The command that opens the lab for it, if it is not for the steps.
    pub fn own_lab(&self) -> Option<&'static str> {
        match self.folder()? {
            "traces" => Some("open-traces"),
            "histories" => Some("open-histories"),
            "protocols" => Some("open-memories"),
            "schedules" => Some("open-schedules"),
            "fairness" => Some("open-fairness"),
            "repair" => Some("open-repair"),
            _ => None,
        }
    }

    /// The folder of its file, if it is in one.
    pub fn folder(&self) -> Option<&str> {
        Some(self.file.split_once('/')?.0)
    }

    /// Its text.
    ///
    /// # Errors
    /// Why it can't be had, in words.
    pub async fn text(&self) -> Result<String, String> {
        browser::fetch(&format!("public/{}", self.file)).await
    }
}

/// The index of programs.
pub const PROGRAMS: &str = "gallery.json";
/// The index of programs with handlers.
pub const HANDLERS: &str = "handlers.json";
/// The index of event-driven traces.
pub const TRACES: &str = "traces.json";
/// The index of histories.
pub const HISTORIES: &str = "histories.json";

/// The index of memory implementations.
pub const PROTOCOLS: &str = "protocols.json";

/// The index of programs to find safe schedules for.
pub const SCHEDULES: &str = "schedules.json";

/// The index of graphs and programs in which somebody may starve.
pub const FAIRNESS: &str = "fairness.json";

/// The index of programs without any order, and what is published of them.
pub const REPAIR: &str = "repair.json";

/// All indexes.
pub const ALL: [&str; 8] = [PROGRAMS, HANDLERS, TRACES, HISTORIES, PROTOCOLS, SCHEDULES, FAIRNESS, REPAIR];

/// All that is in some indexes.
///
/// # Errors
/// Why it can't be had, in words.
pub async fn examples(indexes: &[&str]) -> Result<Vec<Example>, String> {
    let mut all = Vec::new();
    for file in indexes {
        let index = browser::fetch(&format!("public/{file}")).await?;
        let more: Vec<Example> = serde_json::from_str(&index).map_err(|error| format!("{file}: {error}"))?;
        all.extend(more);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_for_the_steps_is_known_by_its_folder() {
        let of = |file: &str| {
            let text = format!(r#"{{"file":"{file}","name":"A","title":"B","teaches":"C."}}"#);
            serde_json::from_str::<Example>(&text).expect("an entry").own_lab()
        };
        assert_eq!(of("traces/e1.trace"), Some("open-traces"));
        assert_eq!(of("histories/counters.history"), Some("open-histories"));
        assert_eq!(of("protocols/msi.protocol"), Some("open-memories"));
        assert_eq!(of("schedules/double-lock.lit"), Some("open-schedules"));
        assert_eq!(of("fairness/lock.fairness"), Some("open-fairness"));
        assert_eq!(of("repair/dekker.lit"), Some("open-repair"));
        assert_eq!((of("sb.lit"), of("handlers/pool.lit")), (None, None));
    }

    #[test]
    fn an_index_is_read() {
        let text =
            r#"[{"file":"sb.lit","name":"SB","title":"Store buffering","model":"tso","unroll":8,"teaches":"A. B."}]"#;
        let list: Vec<Example> = serde_json::from_str(text).expect("it is an index");
        assert_eq!((list[0].model, list[0].unroll), (Model::TSO, Some(8)));
    }
}

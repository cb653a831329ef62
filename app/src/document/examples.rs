//! The indexes of the gallery, files of the site.

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
}

impl Example {
    /// What it is, if it is no program but is asked about in a lab of its own.
    pub fn other_kind(&self) -> Option<&'static str> {
        match self.file.split_once('/')?.0 {
            "traces" => Some("trace"),
            "histories" => Some("history"),
            "protocols" => Some("memory"),
            _ => None,
        }
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

/// All indexes.
pub const ALL: [&str; 5] = [PROGRAMS, HANDLERS, TRACES, HISTORIES, PROTOCOLS];

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
    fn what_is_no_program_is_known_by_its_folder() {
        let of = |file: &str| {
            let text = format!(r#"{{"file":"{file}","name":"A","title":"B","teaches":"C."}}"#);
            serde_json::from_str::<Example>(&text).expect("an entry").other_kind()
        };
        assert_eq!(of("traces/e1.trace"), Some("trace"));
        assert_eq!(of("histories/counters.history"), Some("history"));
        assert_eq!(of("protocols/msi.protocol"), Some("memory"));
        assert_eq!((of("sb.lit"), of("handlers/pool.lit")), (None, None));
    }

    #[test]
    fn an_index_is_read() {
        let text =
            r#"[{"file":"sb.lit","name":"SB","title":"Store buffering","model":"tso","unroll":8,"teaches":"A. B."}]"#;
        let list: Vec<Example> = serde_json::from_str(text).expect("it is an index");
        assert_eq!((list[0].model, list[0].unroll), (Model::Tso, Some(8)));
    }
}

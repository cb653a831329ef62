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
    /// Whether it is an event-driven trace.
    pub fn is_trace(&self) -> bool {
        self.file.ends_with(".trace")
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
    fn an_index_is_read() {
        let text =
            r#"[{"file":"sb.lit","name":"SB","title":"Store buffering","model":"tso","unroll":8,"teaches":"A. B."}]"#;
        let list: Vec<Example> = serde_json::from_str(text).expect("it is an index");
        assert_eq!((list[0].model, list[0].unroll), (Model::Tso, Some(8)));
    }
}

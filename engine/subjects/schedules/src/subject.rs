//! What is verified: a program with its transition system, or what is wrong with it.

use litmoscope_core::model::Model;
use litmoscope_core::program::system::System;
use litmoscope_core::program::{Code, Program};
use litmoscope_core::syntax::{self, Diagnostic};
use std::sync::Arc;

/// A program that schedules are looked for.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The program.
    pub program: Program,
    /// Its transition system.
    pub system: Arc<System>,
}

impl Subject {
    /// Reads a program.
    ///
    /// # Errors
    /// What is wrong with the text, and why there are no schedules for it.
    pub fn read(text: &str) -> Result<Self, Vec<Diagnostic>> {
        Self::of(syntax::parse(text)?.program).map_err(|wrong| vec![wrong])
    }

    /// That of a program which was read.
    ///
    /// # Errors
    /// Why there are no schedules for it.
    pub fn of(program: Program) -> Result<Self, Diagnostic> {
        if let Some((model, span)) = &program.model
            && model.parse::<Model>().is_ok_and(|model| model != Model::STRONGEST)
        {
            let message = format!("schedules are proven right for SC, and this program asks for {model}");
            let help =
                "leave out the model, or write `model sc`: threads that keep to a schedule are sequentially consistent";
            return Err(Diagnostic::error(message, *span).with_help(help));
        }
        let of = |error: &dyn std::fmt::Display, span| Diagnostic::error(error.to_string(), span);
        let code = Code::compile(&program).map_err(|error| of(&error, error.span()))?;
        let system = System::of(&program, &code).map_err(|error| of(&error, error.span()))?;
        Ok(Self { program, system: Arc::new(system) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_models_are_refused_where_they_stand() {
        let wrong = |text: &str| Subject::read(text).err().map(|wrong| wrong.into_iter().next().expect("one"));
        let text = "model tso\nshared x\nx := 1 || a := x";
        let refused = wrong(text).expect("it is refused");
        assert_eq!((refused.span.line, refused.span.column), (1, 7));
        assert!(refused.message.contains("SC"), "{}", refused.message);
        assert!(wrong(&text.replace("tso", "sc")).is_none());
        assert!(wrong(&text.replace("model tso", "")).is_none());
        assert_eq!(wrong("shared x\nx := ").map(|wrong| wrong.span.line), Some(2));
    }
}

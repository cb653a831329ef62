//! The model that a program is explored under when its reader chooses none.

use super::{Model, UnknownModel};
use crate::program::{Notation, Program};
use crate::syntax::Diagnostic;
use serde::{Deserialize, Serialize};

/// Why a program is explored under a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// The reader has chosen it.
    Chosen,
    /// The text names it.
    Named,
    /// It is the one of what the text's notation is made for.
    Notation,
    /// It is the first of all.
    Usual,
}

/// The models of programs that name none: one for each notation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usual(Vec<(Notation, Model)>);

impl Usual {
    /// The model of programs in a notation: TSO for X86, RC11 for C, SC for our own.
    pub fn of(&self, notation: Notation) -> Model {
        let chosen = self.0.iter().find(|(other, _)| *other == notation).map(|(_, model)| *model);
        chosen.or(Model::of_notation(notation)).unwrap_or_default()
    }

    /// The names of notations, for who chooses, and the notations of each.
    pub const NAMES: [(&'static str, &'static [Notation]); 3] =
        [("lit", &[Notation::Litmoscope]), ("c", &[Notation::C11]), ("x86", &[Notation::X86, Notation::X86_64])];

    /// Chooses another one for a notation.
    pub fn choose(&mut self, notation: Notation, model: Model) {
        self.0.retain(|(other, _)| *other != notation);
        self.0.push((notation, model));
    }

    /// The model that a program is explored under, and why: the one that it names, or else that of its notation.
    ///
    /// # Errors
    /// At its place, that there is no model of the name.
    pub fn model(&self, program: &Program) -> Result<(Model, Because), Diagnostic> {
        let Some((name, span)) = &program.model else {
            let is_own = program.notation == Notation::default();
            let because = if is_own { Because::Usual } else { Because::Notation };
            return Ok((self.of(program.notation), because));
        };
        let model = name.parse().map_err(|error: UnknownModel| Diagnostic::error(error.to_string(), *span))?;
        Ok((model, Because::Named))
    }
}

impl Because {
    /// Why a program is explored under a model that its reader did not choose and its text does not name: "TSO, since this is X86
    /// code".
    pub fn text(self, model: Model, notation: Notation) -> Option<String> {
        let what = match notation {
            Notation::Litmoscope => return None,
            Notation::C11 => "this is C",
            Notation::X86 | Notation::X86_64 => "this is x86 code",
        };
        (self == Self::Notation).then(|| format!("{}, since {what}", model.title()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax;

    fn usual(usual: &Usual, text: &str) -> Result<(Model, Because), String> {
        usual.model(&syntax::parse(text).expect("a program").program).map_err(|wrong| wrong.message)
    }

    const C: &str = "C c\n{}\nP0 (atomic_int* x) { atomic_store(x, 1); }\nexists (x=1)";
    const X86: &str = "X86 x\n{}\n P0 ;\n MOV [x],$1 ;\nexists (x=1)";
    const X86_64: &str = "X86_64 x\n{}\n P0 ;\n movl $1,(x) ;\nexists (x=1)";

    #[test]
    fn a_program_has_the_model_that_it_names_or_that_of_its_notation() {
        let mut models = Usual::default();
        assert_eq!(usual(&models, C), Ok((Model::RC11, Because::Notation)));
        assert_eq!(usual(&models, X86), Ok((Model::TSO, Because::Notation)));
        assert_eq!(usual(&models, X86_64), Ok((Model::TSO, Because::Notation)));
        assert_eq!(usual(&models, "x := 1"), Ok((Model::SC, Because::Usual)));
        assert_eq!(usual(&models, "model pso\nx := 1"), Ok((Model::PSO, Because::Named)));
        assert!(usual(&models, "model arm\nx := 1").is_err_and(|why| why.contains("no memory model `arm`")));
        models.choose(Notation::C11, Model::RA);
        models.choose(Notation::C11, Model::RC20);
        models.choose(Notation::Litmoscope, Model::PSO);
        assert_eq!(usual(&models, C), Ok((Model::RC20, Because::Notation)));
        assert_eq!(usual(&models, X86), Ok((Model::TSO, Because::Notation)));
        assert_eq!(usual(&models, "x := 1"), Ok((Model::PSO, Because::Usual)));
        assert_eq!(usual(&models, "model tso\nx := 1"), Ok((Model::TSO, Because::Named)));
    }

    #[test]
    fn why_is_said_where_a_reader_may_wonder() {
        let text = |because: Because, notation| because.text(Model::TSO, notation);
        assert_eq!(text(Because::Notation, Notation::X86).as_deref(), Some("TSO, since this is x86 code"));
        assert_eq!(text(Because::Notation, Notation::C11).as_deref(), Some("TSO, since this is C"));
        assert_eq!(text(Because::Named, Notation::X86), None);
        assert_eq!(text(Because::Usual, Notation::Litmoscope), None);
    }
}

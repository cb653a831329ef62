//! The labs: what the page shows of a program. One is active.

use leptos::prelude::*;

use crate::state::{App, Tab};

/// A way to look at a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lab {
    /// One exploration, step by step.
    Stepping,
    /// All models compared.
    Models,
    /// Why a model does not allow an outcome.
    WhyNot,
    /// Whether one execution is consistent.
    Consistency,
    /// Two explorations together.
    SideBySide,
}

impl Lab {
    /// All of them, as the bar has them.
    pub const ALL: [Self; 5] = [Self::Stepping, Self::Models, Self::WhyNot, Self::Consistency, Self::SideBySide];

    /// The command that opens it, and goes back to the steps.
    pub fn command(self) -> &'static str {
        match self {
            Self::Stepping => "stepping",
            Self::Models => "models",
            Self::WhyNot => "open-why",
            Self::Consistency => "open-check",
            Self::SideBySide => "open-beside",
        }
    }
}

/// The lab that is shown.
pub fn active_lab(app: App) -> Lab {
    let open = [app.models.get(), app.why.get(), app.check.open.get(), app.beside.open.get()];
    open.iter().rposition(|open| *open).map_or(Lab::Stepping, |at| Lab::ALL[at + 1])
}

/// Shows a lab.
pub fn open_lab(app: App, lab: Lab) {
    let now = untrack(|| active_lab(app));
    match lab {
        // What was stepped through on the left goes on.
        Lab::Stepping if now == Lab::SideBySide => app.toggle_beside(),
        Lab::Stepping => {
            app.quiz.leave();
            app.show(Tab::Graph);
        }
        _ if lab == now => {}
        Lab::Models => app.toggle_models(),
        Lab::WhyNot => app.toggle_why(),
        Lab::Consistency => app.toggle_check(),
        Lab::SideBySide => app.toggle_beside(),
    }
}

/// Shows a lab, or goes back to the steps if it is shown.
pub fn toggle_lab(app: App, lab: Lab) {
    open_lab(app, if untrack(|| active_lab(app)) == lab { Lab::Stepping } else { lab });
}

//! Why a model does not allow an outcome, as text, JSON and as the page shows it.

mod text;
mod view;

pub(super) use text::liberties;
pub use text::{
    CaseJson, OrderCycleJson, SourceJson, WhyAllowedJson, WhyNotJson, WhyNotReport, brief_answer, why_not_text,
};
pub use view::{Asking, CaseView, CycleView, QuestionView, WhyNotVerdict, WhyNotView};

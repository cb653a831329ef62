//! What the models say of one program, as text, JSON and as the page shows it; and questions that comparing answers.

mod quiz;
mod text;
mod view;

pub use quiz::{Answered, Asked, QuizAnswer};
pub use text::{CellJson, ComparedJson, ComparisonJson, ComparisonReport, ModelJson, comparison_text};
pub use view::{AbsentRow, AskedView, CellView, ComparedRow, Comparing, ComparisonView, ContrastView, SideView};

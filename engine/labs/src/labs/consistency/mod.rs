//! Whether one execution is consistent: what the searches and the closure say, as text, JSON, drawings and as the page shows it.

mod order;
mod search;
mod search_view;
mod text;
mod view;

pub use order::{BufferColumns, DrawnOrder, OrderInput, draw_order};
pub use search::{RepeatJson, SearchJson, SearchStateJson, StuckJson};
pub use search_view::{
    BoardView, BufferView, CandidateView, CellView, MoveView, SearchCounts, SearchEffort, StateEnd, StateRow,
};
pub use text::{
    AdditionJson, ConsistencyCaseJson, ConsistencyJson, ConsistencyReport, ConsistencyWitnessJson, NodeJson,
    NodeSpeaker, ReadJson, consistency_text,
};
pub use view::{
    CaseView, ClosureStepView, ConsistencyRequest, ConsistencyView, Deciding, ModelVerdict, ReadView, SourceView,
};

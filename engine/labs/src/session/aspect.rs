//! The same execution in other ways: as a run, as a table, as text in the formats of other programs.
//!
//! All views of the page are of one [`View`](super::View): what a request does not ask for is not computed, and what comes is of
//! the same step as the graph, or of the same moment of a run. Formats are made by the engine; the page turns an SVG drawing
//! into a bitmap, since that takes a browser.

use super::Session;
use crate::graph::Coherence;
use crate::report::{
    Drawing, DrawingInput, EventTable, Format, GraphJson, TableCo, Theme, Timeline, dot, fitting_co, graph_text, svg,
    table_csv, table_markdown, tikz, time_svg, time_text,
};
use serde::{Deserialize, Serialize};

/// A way to show an execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// Events and edges.
    #[default]
    Graph,
    /// One event after the other, with memory, buffers or what threads know.
    Time,
    /// A table of events.
    Table,
    /// Text in the format of some program.
    Text,
}

impl Aspect {
    /// All of them, in the order of the page.
    pub const ALL: [Self; 4] = [Self::Graph, Self::Time, Self::Table, Self::Text];

    /// What readers see.
    pub fn title(self) -> &'static str {
        match self {
            Self::Graph => "Graph",
            Self::Time => "Time",
            Self::Table => "Table",
            Self::Text => "Text",
        }
    }

    /// The name in a browser's storage.
    pub fn name(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::Time => "time",
            Self::Table => "table",
            Self::Text => "text",
        }
    }

    /// The aspect of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|aspect| aspect.name() == name)
    }
}

/// What is shown besides the graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AspectView {
    /// The execution as a run, where that was asked for.
    pub timeline: Option<Timeline>,
    /// The table, where that was asked for.
    pub table: Option<EventTable>,
    /// The formats asked for, each with its text.
    pub texts: Vec<(Format, String)>,
}

impl Session {
    /// What is asked for besides the graph. Nothing else is computed.
    pub(super) fn aspect(
        &self,
        aspect: Aspect,
        formats: &[Format],
        theme: Theme,
        input: &DrawingInput,
        drawing: &Drawing,
    ) -> AspectView {
        let explorer = self.explorer();
        let (program, model, graph) = (self.program(), self.model(), explorer.execution());
        let chosen = explorer.coherence();
        let timeline = || Timeline::new(program, model, graph, chosen);
        let co = || -> Option<Coherence> { fitting_co(model, graph, chosen).ok() };
        let table = || {
            let co = co();
            let co = match (&co, chosen) {
                (Some(co), Some(_)) => TableCo::Chosen(co),
                (Some(co), None) => TableCo::Fitting(co),
                (None, _) => TableCo::None,
            };
            EventTable::new(program, graph, co)
        };
        let text = |format: &Format| {
            let text = match format {
                Format::Dot => dot(input),
                Format::Tikz => tikz(drawing, program),
                Format::Json => GraphJson::new(input, model, co().as_ref()).encode(),
                Format::Svg => svg(drawing, theme),
                Format::Text => graph_text(input),
                Format::TimeSvg => time_svg(&timeline(), theme),
                Format::TimeText => time_text(&timeline()),
                Format::Csv => table_csv(&table()),
                Format::Markdown => table_markdown(&table()),
            };
            (*format, text)
        };
        AspectView {
            timeline: (aspect == Aspect::Time).then(timeline),
            table: (aspect == Aspect::Table).then(table),
            texts: formats.iter().map(text).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::Options;
    use crate::model::Model;
    use crate::session::{Settings, ViewRequest};

    const TEXT: &str = "x := 1; a := y || y := 1; b := x\nexists (P0:a = 0 /\\ P1:b = 0)";

    #[test]
    fn nothing_is_computed_that_nobody_asked_for() {
        let mut session =
            Session::open(Settings { text: TEXT.to_owned(), model: Model::TSO, ..Settings::default() }).expect("fine");
        session.next_execution(u64::MAX);
        assert_eq!(session.view(&ViewRequest::default()).aspect, AspectView::default());
        let time = session.view(&ViewRequest { aspect: Aspect::Time, ..ViewRequest::default() }).aspect;
        assert!(
            time.timeline.is_some_and(|timeline| !timeline.absent) && time.table.is_none() && time.texts.is_empty()
        );
        let table = session.view(&ViewRequest { aspect: Aspect::Table, ..ViewRequest::default() }).aspect;
        assert_eq!(table.table.map(|table| table.rows.len()), Some(6));
        let formats = Format::ALL.to_vec();
        let all = session.view(&ViewRequest { formats: formats.clone(), ..ViewRequest::default() }).aspect;
        assert_eq!(all.texts.iter().map(|(format, _)| *format).collect::<Vec<_>>(), formats);
        assert!(all.texts.iter().all(|(_, text)| !text.is_empty()));
    }

    /// Every step of every algorithm can be shown in every way.
    #[test]
    fn every_step_has_every_aspect() {
        for model in Model::ALL {
            for algorithm in crate::explore::Algorithm::ALL.into_iter().filter(|algorithm| algorithm.knows(model)) {
                let options = Options { parameters: crate::testing::few_runs(algorithm), ..Options::default() };
                let settings = Settings { text: TEXT.to_owned(), model, algorithm, options, position: 0 };
                let mut session = Session::open(settings).expect("it can be explored");
                let request = ViewRequest { formats: Format::ALL.to_vec(), ..ViewRequest::default() };
                loop {
                    for aspect in [Aspect::Time, Aspect::Table] {
                        let view = session.view(&ViewRequest { aspect, ..request.clone() });
                        let timeline = view.aspect.timeline;
                        if let Some(timeline) = timeline {
                            // A graph that is dropped has no run, nor has one that is about to be.
                            assert!(view.violation.is_none() || timeline.absent, "{:?}", view.step);
                        }
                    }
                    if !session.forward() {
                        break;
                    }
                }
            }
        }
    }
}

//! A diagram before anything in it has its place.
//!
//! It is columns, nodes in them or in a row above them, edges, and how much room there will have to be. It knows no program and
//! no execution: `input.rs` makes one of an execution graph, labs make others. An edge is of a relation of execution graphs, or
//! of a kind that the diagram's maker declares with its name, colours and dashes, which go with the drawing (`edge_kind.rs`).

use super::{EdgeKind, Mark, NodeKind, OwnKind};
use crate::graph::{EventKey, RelationName};
use crate::program::Span;

/// What is to be drawn, whatever it is of: nodes in columns, edges between them, and how much room there will have to be.
/// [`DrawingInput::diagram`](super::DrawingInput::diagram) makes one of an execution graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagram {
    /// From left to right.
    pub columns: Vec<DiagramColumn>,
    /// The widths of the seats of the row above all columns. Where there are no more than eight and they are not much
    /// wider than the columns, each is kept free for its node; no more than nine are looked at.
    pub seats: Vec<f32>,
    /// In the order in which they came, which is that of each column from top to bottom. An edge of nodes that came
    /// later goes round those of earlier ones.
    pub nodes: Vec<DiagramNode>,
    /// The edges. Those that name a node that is not there are left out. po from a node to the one right below it is
    /// straight.
    pub edges: Vec<DiagramEdge>,
    /// How many nodes a column may come to have, as far as can be told: the more, the denser they stand.
    pub rows: usize,
    /// How much room there is.
    pub room: Room,
    /// The kinds of edges that this diagram alone has.
    pub kinds: Vec<OwnKind>,
    /// Whether co is part of what is drawn; else it is one order that fits, and dashed.
    pub chosen_co: bool,
    /// Whether each node of a column stands below all nodes that came before it, in other columns too: half a row, or more.
    pub one_by_one: bool,
    /// Nodes that stand in a given row of their column or further down, counted from 0; no row is further down than there are
    /// nodes.
    pub least_rows: Vec<(EventKey, usize)>,
    /// What nodes belong together: neighbours in a column, for each frame.
    pub frames: Vec<DiagramFrame>,
    /// Whether frames may have labels, for which there has to be room above each.
    pub frames_have_labels: bool,
}

/// Nodes of a column that belong together: a frame is drawn around them. Those that are not there are left out.
#[derive(Clone, Debug, PartialEq)]
pub struct DiagramFrame {
    /// What stands above it, if the diagram's frames have labels.
    pub label: String,
    /// A sentence on it.
    pub title: String,
    /// What is in it.
    pub nodes: Vec<EventKey>,
}

impl Diagram {
    /// The nodes of each column, from top to bottom.
    pub(super) fn by_column(&self) -> Vec<Vec<usize>> {
        let mut columns = vec![Vec::new(); self.columns.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            if let Place::Column(column) = node.place
                && let Some(column) = columns.get_mut(column)
            {
                column.push(at);
            }
        }
        columns
    }

    /// Lets po lead from each node to the one right below it, before all other edges. `step` says of two such
    /// nodes how the edge is brought out.
    pub fn join_columns(&mut self, step: impl Fn(&DiagramNode, &DiagramNode) -> Step) {
        let mut steps = Vec::new();
        for column in self.by_column() {
            for pair in column.windows(2) {
                let (a, b) = (&self.nodes[pair[0]], &self.nodes[pair[1]]);
                let Step { label, in_cycle, new } = step(a, b);
                steps.push(DiagramEdge {
                    from: a.key,
                    to: b.key,
                    kind: RelationName::Po.into(),
                    label,
                    title: format!("po from {} {} to {} {}", a.name, a.label, b.name, b.label),
                    in_cycle,
                    new,
                    ghost: b.ghost,
                });
            }
        }
        steps.append(&mut self.edges);
        self.edges = steps;
    }
}

/// How a step of po down a column is brought out.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// What stands beside it.
    pub label: Option<String>,
    /// On the violating cycle.
    pub in_cycle: bool,
    /// Added by this step.
    pub new: bool,
}

/// How much room there is for a diagram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Room {
    /// That of a screen.
    #[default]
    Wide,
    /// Columns stand closer together: for a telephone, or beside something else.
    Narrow,
}

impl Room {
    /// That of a request, which says whether there is little.
    pub fn of(narrow: bool) -> Self {
        if narrow { Self::Narrow } else { Self::Wide }
    }
}

/// A column of a diagram.
#[derive(Clone, Debug, PartialEq)]
pub struct DiagramColumn {
    /// What stands above it.
    pub title: String,
    /// The least width.
    pub width: f32,
    /// How many of its nodes edges are expected at: columns stand further apart where more edges may pass.
    pub traffic: usize,
}

/// Where a node of a diagram stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the row above all columns.
    Top {
        /// Which of [`Diagram::seats`] is its own.
        seat: usize,
        /// Where seats are not kept free, nodes stand by this number, then by seat.
        turn: usize,
    },
    /// In a column, below all of it that came before.
    Column(usize),
}

/// A node of a diagram.
#[derive(Clone, Debug, PartialEq)]
pub struct DiagramNode {
    /// Its name for those who draw: unique, and the same while stepping.
    pub key: EventKey,
    /// Its name for readers: `P1.2`.
    pub name: String,
    /// What stands in its box: `W(x,1)`.
    pub label: String,
    /// A sentence on it. What is special about it is added to that.
    pub title: String,
    /// What it is.
    pub kind: NodeKind,
    /// Where it stands.
    pub place: Place,
    /// What it takes its value from, or comes out of. It stands below that, if that stands in a column.
    pub source: Option<EventKey>,
    /// What is special about it, in any order, repeated or not.
    pub marks: Vec<Mark>,
    /// The number of a colour that tells what belongs together, if it has one: the page shows it, exports do not.
    pub colour: Option<u8>,
    /// Whether it was just taken away: it is drawn faded.
    pub ghost: bool,
    /// Where it comes from in a source text; the default for what comes from nowhere.
    pub span: Span,
}

/// An edge of a diagram.
#[derive(Clone, Debug, PartialEq)]
pub struct DiagramEdge {
    /// The node where it starts.
    pub from: EventKey,
    /// The node where it ends.
    pub to: EventKey,
    /// What it says.
    pub kind: EdgeKind,
    /// What stands beside it, where there is a place for that.
    pub label: Option<String>,
    /// A sentence on it.
    pub title: String,
    /// On the cycle that is brought out.
    pub in_cycle: bool,
    /// Added by this step.
    pub new: bool,
    /// To be drawn faded.
    pub ghost: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::ThreadId;
    use crate::{CHARACTER_WIDTH, Colours, Drawing, Look, Shades, TITLE_FONT_SIZE, Theme, layout, outline, svg, tikz};

    const PO: EdgeKind = EdgeKind::Relation(RelationName::Po);

    fn key(column: u16, serial: u32) -> EventKey {
        EventKey { thread: ThreadId(column), serial }
    }

    fn node(column: usize, serial: u32, label: &str) -> DiagramNode {
        DiagramNode {
            key: key(column as u16, serial),
            name: format!("{column}.{serial}"),
            label: label.to_owned(),
            title: format!("{label} it is"),
            kind: NodeKind::Write,
            place: Place::Column(column),
            source: None,
            marks: Vec::new(),
            colour: None,
            ghost: false,
            span: Span::default(),
        }
    }

    fn edge(from: EventKey, to: EventKey, kind: EdgeKind) -> DiagramEdge {
        let title = "an edge".to_owned();
        DiagramEdge { from, to, kind, label: Some("why".to_owned()), title, in_cycle: false, new: false, ghost: false }
    }

    /// A recipe: two cooks and three things to do, one of them before another one of the other cook.
    fn recipe() -> Diagram {
        let column = |title: &str| DiagramColumn { title: title.to_owned(), width: 70.0, traffic: 2 };
        let waits = OwnKind {
            name: "waits".into(),
            standard: Shades::new("#112233", "#445566", "#000011"),
            safe: Shades::new("#223344", "#556677", "#000022"),
            dash: "5 1".into(),
        };
        let mut diagram = Diagram {
            columns: vec![column("Ann"), column("Bob")],
            nodes: vec![
                node(0, 1, "peel"),
                DiagramNode { source: Some(key(0, 1)), ..node(1, 1, "boil") },
                DiagramNode { marks: vec![Mark::Newest, Mark::Kept, Mark::Newest], ..node(0, 2, "set the table") },
            ],
            edges: vec![edge(key(0, 1), key(1, 1), EdgeKind::Own(0))],
            kinds: vec![waits],
            ..Diagram::default()
        };
        diagram.join_columns(|_, _| Step::default());
        diagram
    }

    fn at<'d>(drawing: &'d Drawing, label: &str) -> &'d crate::Node {
        drawing.nodes.iter().find(|node| node.label == label).expect("it is drawn")
    }

    #[test]
    fn a_diagram_of_anything_is_laid_out() {
        let drawing = layout(recipe());
        let titles: Vec<&str> = drawing.columns.iter().map(|column| column.title.as_str()).collect();
        assert_eq!((titles, drawing.nodes.len(), drawing.edges.len()), (vec!["Ann", "Bob"], 3, 2));
        let (peel, boil, table) = (at(&drawing, "peel"), at(&drawing, "boil"), at(&drawing, "set the table"));
        // Below one another in a column, which is as wide as its widest node; half a row below a source.
        assert!(table.y >= peel.y + 2.0 * peel.height && boil.y > peel.y && boil.y < table.y);
        assert_eq!((peel.column, boil.column, table.column), (Some(0), Some(1), Some(0)));
        for node in &drawing.nodes {
            let column = &drawing.columns[node.column.expect("in a column")];
            assert!(node.x >= column.x && node.x + node.width <= column.x + column.width, "{}", node.label);
        }
        assert!(drawing.columns[0].width > 70.0 && drawing.columns[1].width == 70.0);
        assert!(drawing.columns[0].x + drawing.columns[0].width < drawing.columns[1].x);
        assert_eq!(table.marks, [Mark::Newest, Mark::Kept]);
        assert_eq!(table.title, "set the table it is; added by this step; kept, because it was added earlier");
        // Straight down, and across with its label.
        let [down, across] = &drawing.edges[..] else { panic!("two edges") };
        assert_eq!((down.kind, &down.label, down.title.as_str()), (PO, &None, "po from 0.1 peel to 0.2 set the table"));
        assert_eq!(across.label.as_ref().map(|label| label.text.as_str()), Some("why"));
        assert_eq!(drawing.initial, None);
    }

    /// Titles of neighbours do not touch, however long they are.
    #[test]
    fn a_column_is_as_wide_as_its_title() {
        let mut diagram = recipe();
        diagram.columns[0].title = "Ann, who is at home today".to_owned();
        let drawing = layout(diagram);
        let letter = CHARACTER_WIDTH * TITLE_FONT_SIZE;
        for column in &drawing.columns {
            assert!(column.width >= column.title.chars().count() as f32 * letter, "{}", column.title);
        }
        let peel = at(&drawing, "peel");
        let middle = drawing.columns[0].x + drawing.columns[0].width / 2.0;
        assert!((peel.x + peel.width / 2.0 - middle).abs() < 1.0);
    }

    #[test]
    fn an_own_kind_of_edges_looks_as_declared() {
        let drawing = layout(recipe());
        let own = EdgeKind::Own(0);
        assert_eq!((drawing.name(own), drawing.dash(own)), ("waits", "5 1"));
        assert_eq!(drawing.relations, [RelationName::Po]);
        for (theme, colours, color) in [
            (Theme::Light, Colours::Standard, "#112233"),
            (Theme::Dark, Colours::Standard, "#445566"),
            (Theme::Contrast, Colours::Standard, "#000011"),
            (Theme::Light, Colours::Safe, "#223344"),
            (Theme::Dark, Colours::Safe, "#556677"),
            (Theme::Contrast, Colours::Safe, "#000022"),
        ] {
            let file = svg(&drawing, Look { theme, colours });
            // The curve, its head and its label.
            assert_eq!(file.matches(color).count(), 3, "{file}");
            assert!(file.contains(r#"stroke-dasharray="5 1""#), "{file}");
        }
        assert!(tikz(&drawing, &crate::program::Program::default()).contains("relwaits"));
        let list = outline(&drawing);
        assert_eq!(list[0].title, "Ann, 2 events");
        assert_eq!(list[0].events[0].details, ["read by 1.1 boil", "waits to 1.1 boil"]);
    }

    /// Each node below all before it, and frames around those that belong together.
    #[test]
    fn nodes_come_one_by_one_and_have_frames() {
        let frame = |title: &str, nodes: &[EventKey]| DiagramFrame {
            label: String::new(),
            title: title.to_owned(),
            nodes: nodes.to_vec(),
        };
        let diagram = Diagram {
            columns: recipe().columns,
            nodes: vec![node(0, 1, "a"), node(1, 1, "b"), node(1, 2, "c"), node(0, 2, "d")],
            one_by_one: true,
            frames: vec![frame("first", &[key(1, 1), key(1, 2)]), frame("none", &[key(7, 1)])],
            ..Diagram::default()
        };
        let drawing = layout(diagram);
        let ys: Vec<f32> = ["a", "b", "c", "d"].map(|label| at(&drawing, label).y).to_vec();
        assert!(ys.windows(2).all(|pair| pair[0] < pair[1]), "{ys:?}");
        let [frame] = &drawing.frames[..] else { panic!("one frame") };
        for label in ["b", "c"] {
            let node = at(&drawing, label);
            let (right, bottom) = (frame.band.x + frame.band.width, frame.band.y + frame.band.height);
            assert!(frame.band.x < node.x && node.x + node.width < right && frame.band.y < node.y);
            assert!(node.y + node.height < bottom);
        }
        assert_eq!(frame.title, "first");
        assert!(svg(&drawing, Theme::Light).contains("<title>first</title>"));
    }

    #[test]
    fn what_would_be_too_large_stands_closer_together() {
        let column = recipe().columns[0].clone();
        let nodes = (0..4).flat_map(|at| (1..9).map(move |serial| node(at, serial, "a")));
        let diagram = Diagram { columns: vec![column; 4], nodes: nodes.collect(), ..Diagram::default() };
        let [width, height] = diagram.extent();
        assert_eq!(diagram.clone().within([width, height]), diagram);
        let low = diagram.clone().within([width, height - 1.0]);
        assert_eq!((low.room, low.rows), (Room::Wide, 6));
        assert!(low.extent()[1] < height);
        let least = diagram.clone().within([0.0, 0.0]);
        assert_eq!((least.room, least.rows), (Room::Narrow, 9));
        assert!(least.extent()[0] < width && least.extent()[1] < low.extent()[1]);
    }

    #[test]
    fn a_node_stands_in_its_least_row_or_below() {
        let of = |row: usize| layout(Diagram { least_rows: vec![(key(1, 1), row), (key(7, 7), 1)], ..recipe() });
        let y = |row: usize| at(&of(row), "boil").y;
        // Half a row below its source in any case.
        assert!(y(0) > at(&of(0), "peel").y && y(1) > y(0));
        assert_eq!(y(1), at(&of(1), "set the table").y);
        assert_eq!(y(3), y(usize::MAX));
    }

    #[test]
    fn what_names_nothing_is_left_out() {
        let mut diagram = recipe();
        diagram.edges.push(edge(key(0, 1), key(7, 1), PO));
        diagram.edges.push(edge(key(0, 1), key(0, 1), PO));
        diagram.edges.push(edge(key(1, 1), key(0, 2), EdgeKind::Own(7)));
        diagram.nodes.push(node(5, 1, "nowhere"));
        let drawing = layout(diagram);
        assert_eq!((drawing.nodes.len(), drawing.edges.len()), (3, 3));
        assert_eq!((drawing.name(EdgeKind::Own(7)), drawing.dash(EdgeKind::Own(7))), ("", ""));
        assert_eq!(layout(Diagram::default()).nodes, []);
    }

    #[test]
    fn the_top_row_keeps_seats_free_while_there_are_few() {
        let top = |seat: usize, turn: usize| DiagramNode {
            key: EventKey { thread: ThreadId::INIT, serial: seat as u32 },
            place: Place::Top { seat, turn },
            ..node(0, 1, &format!("top {seat}"))
        };
        let of = |seats: usize, nodes: &[(usize, usize)]| {
            let nodes = nodes.iter().map(|&(seat, turn)| top(seat, turn));
            layout(Diagram { seats: vec![60.0; seats], nodes: nodes.chain(recipe().nodes).collect(), ..recipe() })
        };
        let x = |drawing: &Drawing, seat: usize| at(drawing, &format!("top {seat}")).x;
        let (both, one) = (of(3, &[(0, 9), (2, 1)]), of(3, &[(2, 1)]));
        assert_eq!(x(&both, 2), x(&one, 2));
        assert!(x(&both, 0) < x(&both, 2));
        assert_eq!(at(&both, "peel").y, at(&of(3, &[]), "peel").y);
        assert!(at(&both, "top 0").y + at(&both, "top 0").height < at(&both, "peel").y);
        // Of many, by turn. Without seats, there is a row all the same.
        let many = of(9, &[(0, 9), (2, 1)]);
        assert!(x(&many, 2) < x(&many, 0) && x(&many, 2) < x(&both, 2));
        let none = of(0, &[(0, 9)]);
        assert!(at(&none, "top 0").y + at(&none, "top 0").height < at(&none, "peel").y);
    }
}

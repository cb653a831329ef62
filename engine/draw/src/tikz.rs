//! Drawings for LaTeX.

use super::svg::{is_wrong, palette, style};
use super::{Drawing, DrawnEdge, HEAD_PATH, Mark, Node, NodeKind, TITLE_HEIGHT, Theme};
use crate::program::Program;
use std::fmt::Write;

/// A drawing as a LaTeX document: class standalone, package TikZ, nothing else. Nodes and edges are where they were laid
/// out; relations keep their colours and dashes. The picture can be copied out of it.
pub fn tikz(drawing: &Drawing, program: &Program) -> String {
    let colors = palette(Theme::Light);
    let mut out = String::new();
    let name = if program.name.is_empty() { "Execution graph".to_owned() } else { plain(&program.name) };
    let _ = writeln!(out, "% {name}, drawn by Litmoscope");
    out.push_str("\\documentclass[tikz,border=4pt]{standalone}\n");
    for relation in &drawing.relations {
        define_color(&mut out, &format!("rel{relation}"), style(*relation).color(Theme::Light));
    }
    for kind in &drawing.kinds {
        define_color(&mut out, &format!("rel{}", kind.name), kind.color(Theme::Light.into()));
    }
    for (name, color) in [
        ("ink", colors.text),
        ("soft", colors.muted),
        ("lane", colors.column),
        ("line", colors.border),
        ("band", colors.band),
        ("alarm", colors.alarm),
        ("alarmfill", colors.alarm_fill),
        ("accent", colors.accent),
        ("accentfill", colors.accent_fill),
        ("prefixfill", colors.prefix_fill),
    ] {
        define_color(&mut out, name, color);
    }
    out.push_str("\\begin{document}\n");
    // A pixel is three quarters of a point, and y grows downwards.
    out.push_str("\\begin{tikzpicture}[x=0.75pt,y=-0.75pt,every node/.style={font=\\ttfamily,inner sep=0pt}]\n");
    for column in &drawing.columns {
        let (x, y) = (column.x - 8.0, column.y);
        let _ = writeln!(
            out,
            "  \\fill[lane,rounded corners=6pt] ({x:.1},{y:.1}) rectangle ({:.1},{:.1});",
            x + column.width + 16.0,
            y + column.height + 8.0
        );
        let _ = writeln!(
            out,
            "  \\node[soft,font=\\sffamily\\bfseries\\small] at ({:.1},{:.1}) {{{}}};",
            column.x + column.width / 2.0,
            y + TITLE_HEIGHT / 2.0,
            latex(&column.title)
        );
    }
    if let Some(band) = drawing.initial {
        let (right, bottom) = (band.x + band.width, band.y + band.height);
        let _ = writeln!(
            out,
            "  \\fill[band,rounded corners=6pt] ({:.1},{:.1}) rectangle ({right:.1},{bottom:.1});",
            band.x, band.y
        );
    }
    for edge in &drawing.edges {
        write_edge(&mut out, drawing, edge);
    }
    for node in &drawing.nodes {
        write_node(&mut out, node);
    }
    // Labels last: no edge may strike them through.
    for edge in &drawing.edges {
        if let Some(label) = &edge.label {
            let weight = if edge.in_cycle { "\\bfseries" } else { "" };
            let _ = writeln!(
                out,
                "  \\node[rel{},fill=white,fill opacity=0.8,text opacity=1,font=\\ttfamily\\footnotesize{weight}] at ({:.1},{:.1}) {{{}}};",
                drawing.name(edge.kind),
                label.x,
                label.y,
                latex(&label.text)
            );
        }
    }
    out.push_str("\\end{tikzpicture}\n\\end{document}\n");
    out
}

fn define_color(out: &mut String, name: &str, color: &str) {
    let _ = writeln!(out, "\\definecolor{{{name}}}{{HTML}}{{{}}}", color.trim_start_matches('#').to_uppercase());
}

fn write_edge(out: &mut String, drawing: &Drawing, edge: &DrawnEdge) {
    let Some(curve) = curve(&edge.path) else { return };
    let ghost = if edge.ghost { ",opacity=0.4" } else { "" };
    if edge.in_cycle || edge.new {
        let color = if edge.in_cycle { "alarm" } else { "accent" };
        let _ = writeln!(out, "  \\draw[{color},opacity=0.3,line width=6.5pt,line cap=round] {curve};");
    }
    let width = if edge.in_cycle { 2.0 } else { 1.2 };
    let (kind, dash) = (drawing.name(edge.kind), pattern(drawing.dash(edge.kind)));
    let _ = writeln!(out, "  \\draw[rel{kind},line width={width}pt{dash}{ghost}] {curve};");
    let scale = if edge.in_cycle { 1.25 } else { 1.0 };
    let corners: Vec<_> = HEAD_PATH
        .split(['M', 'L', 'Z'])
        .filter_map(|corner| {
            let (x, y) = corner.split_once(' ')?;
            let (x, y): (f32, f32) = (x.parse().ok()?, y.parse().ok()?);
            Some(format!("({:.1},{:.1})", x * scale, y * scale))
        })
        .collect();
    // TikZ turns as if y grew upwards.
    let (x, y, angle) = (edge.head.x, edge.head.y, -edge.head.angle);
    let place = format!("shift={{({x:.1},{y:.1})}},rotate={angle:.1}");
    let _ = writeln!(out, "  \\fill[rel{kind}{ghost},{place}] {} -- cycle;", corners.join(" -- "));
}

/// SVG's dash array, in pixels, as a dash pattern.
fn pattern(dash: &str) -> String {
    let lengths: Vec<f32> = dash.split_whitespace().filter_map(|length| length.parse().ok()).collect();
    if lengths.is_empty() {
        return String::new();
    }
    let parts: Vec<_> = lengths
        .chunks(2)
        .map(|pair| format!("on {:.2}pt off {:.2}pt", pair[0] * 0.75, pair.get(1).unwrap_or(&pair[0]) * 0.75))
        .collect();
    format!(",dash pattern={}", parts.join(" "))
}

/// Path data of an edge as a path of TikZ.
fn curve(path: &str) -> Option<String> {
    let numbers: Vec<f32> = path
        .split(['M', 'C', ' '])
        .filter(|text| !text.is_empty())
        .map(|text| text.parse().ok())
        .collect::<Option<_>>()?;
    let points: Vec<_> = numbers.chunks_exact(2).map(|point| format!("({:.1},{:.1})", point[0], point[1])).collect();
    let (start, rest) = points.split_first()?;
    let pieces =
        rest.chunks_exact(3).map(|piece| format!(" .. controls {} and {} .. {}", piece[0], piece[1], piece[2]));
    Some(pieces.fold(start.clone(), |curve, piece| curve + &piece))
}

fn write_node(out: &mut String, node: &Node) {
    let has = |mark| node.marks.contains(&mark);
    let wrong = is_wrong(node);
    let chosen = has(Mark::Read) || has(Mark::Placed) || has(Mark::Present);
    let possible = has(Mark::Option) || has(Mark::Front);
    let fill = if wrong {
        "alarmfill"
    } else if chosen || has(Mark::Newest) || has(Mark::Revisiting) || has(Mark::Selected) {
        "accentfill"
    } else if has(Mark::Prefix) {
        "prefixfill"
    } else {
        "white"
    };
    let draw = if wrong {
        "alarm,line width=1.5pt"
    } else if chosen || possible || has(Mark::Newest) || has(Mark::Revisiting) {
        "accent,line width=1.2pt"
    } else {
        "line,line width=0.75pt"
    };
    let dash = if node.ghost || has(Mark::Cut) { ",dash pattern=on 3pt off 2.25pt" } else { "" };
    let faded = if node.ghost { ",opacity=0.4" } else { "" };
    // Reads are round, writes square, as on the page.
    let radius = match node.kind {
        NodeKind::Read => 8.0,
        NodeKind::Update => 5.0,
        _ => 1.5,
    };
    let (right, bottom) = (node.x + node.width, node.y + node.height);
    let _ = writeln!(
        out,
        "  \\filldraw[fill={fill},draw={draw},rounded corners={radius}pt{dash}{faded}] ({:.1},{:.1}) rectangle ({right:.1},{bottom:.1});",
        node.x, node.y
    );
    let color = match node.kind {
        NodeKind::Error => "alarm",
        NodeKind::Init | NodeKind::Stuck | NodeKind::Bound => "soft",
        _ => "ink",
    };
    let _ = writeln!(
        out,
        "  \\node[{color}{faded}] at ({:.1},{:.1}) {{{}}};",
        node.x + node.width / 2.0,
        node.y + node.height / 2.0,
        latex(&node.label)
    );
}

/// A text for LaTeX: every character that it would take for itself is written out, and what its fonts lack becomes `?`.
fn latex(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("{\\textbackslash}"),
            '{' | '}' | '$' | '&' | '#' | '_' | '%' => {
                escaped.push('\\');
                escaped.push(c);
            }
            '^' => escaped.push_str("{\\textasciicircum}"),
            '~' => escaped.push_str("{\\textasciitilde}"),
            // These would be ligatures.
            '`' => escaped.push_str("{\\char96}"),
            '\'' => escaped.push_str("{\\char39}"),
            '→' => escaped.push_str("{$\\to$}"),
            '≠' => escaped.push_str("{$\\neq$}"),
            '⊥' => escaped.push_str("{$\\bot$}"),
            ' '..='~' => escaped.push(c),
            c if c.is_control() => escaped.push(' '),
            _ => escaped.push('?'),
        }
    }
    escaped
}

/// A text in a comment: on one line.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::{Algorithm, Options, Step};
    use crate::model::Model;
    use crate::program::Code;
    use crate::syntax;
    use crate::{DrawingInput, layout};
    use std::sync::Arc;

    fn documents(text: &str) -> Vec<(Drawing, String)> {
        let program = syntax::parse(text).expect("it is a program").program;
        let code = Arc::new(Code::compile(&program).expect("it can be explored"));
        let mut explorer = Algorithm::Genmc.explorer(code, Model::RA, Options::default()).expect("it takes all");
        let mut all = Vec::new();
        loop {
            match explorer.advance() {
                Step::Execution { .. } => {
                    let graph = explorer.execution();
                    let witness = Model::RA.consistency(graph).expect("it is consistent");
                    let mut input = DrawingInput::new(&program, graph);
                    input.edges =
                        Model::RA.relations(graph, &witness).into_iter().flat_map(|(_, edges)| edges).collect();
                    input.marks = vec![(graph.ids().next_back().expect("there is one"), Mark::Newest)];
                    let drawing = layout(input.diagram());
                    let text = tikz(&drawing, &program);
                    all.push((drawing, text));
                }
                Step::Done => return all,
                _ => {}
            }
        }
    }

    /// Braces and brackets match, commands are ones that LaTeX and TikZ have, colours are defined, statements end.
    fn well_formed(text: &str) {
        let mut depth = 0;
        let mut escaped = false;
        for c in text.chars().skip_while(|c| *c != '\n') {
            match c {
                '{' if !escaped => depth += 1,
                '}' if !escaped => depth -= 1,
                _ => {}
            }
            assert!(depth >= 0, "{text}");
            escaped = c == '\\' && !escaped;
            assert!(c == '\n' || (' '..='~').contains(&c), "{c:?}");
        }
        assert_eq!(depth, 0, "{text}");
        let known = [
            "documentclass",
            "definecolor",
            "begin",
            "end",
            "fill",
            "draw",
            "filldraw",
            "node",
            "font",
            "ttfamily",
            "sffamily",
            "bfseries",
            "small",
            "footnotesize",
            "textbackslash",
            "textasciicircum",
            "textasciitilde",
            "char",
            "to",
            "neq",
            "bot",
        ];
        for command in text.lines().skip(1).flat_map(|line| line.split('\\').skip(1)) {
            let name: String = command.chars().take_while(char::is_ascii_alphabetic).collect();
            let of_escape = name.is_empty() && command.starts_with(['{', '}', '$', '&', '#', '_', '%']);
            assert!(of_escape || known.contains(&&*name), "\\{command}");
        }
        for line in text.lines().filter(|line| line.starts_with("  ")) {
            assert!(line.ends_with(';'), "{line}");
            let options = line.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map_or("", |(all, _)| all);
            for option in options.split(',') {
                let color = option.rsplit('=').next().expect("there is one");
                if color.starts_with("rel") {
                    assert!(text.contains(&format!("\\definecolor{{{color}}}")), "{color}");
                }
            }
        }
        assert_eq!(text.matches("\\begin").count(), text.matches("\\end{").count());
    }

    #[test]
    fn documents_are_well_formed_and_whole() {
        let programs = ["x := 1; a := fai(y) || y := 1; b := x; fence sc", "a_b := 1; c := cas(a_b, 3, 4) || a_b := 7"];
        for program in programs {
            for (drawing, text) in documents(program) {
                well_formed(&text);
                assert_eq!(text.matches("\\filldraw").count(), drawing.nodes.len());
                let heads = text.lines().filter(|line| line.starts_with("  \\fill[rel")).count();
                assert_eq!(heads, drawing.edges.len());
                for node in &drawing.nodes {
                    assert!(text.contains(&format!("{{{}}};", latex(&node.label))), "{}", node.label);
                }
            }
        }
    }

    #[test]
    fn dashes_and_curves_are_those_of_the_drawing() {
        assert_eq!(pattern("10 3 2 3"), ",dash pattern=on 7.50pt off 2.25pt on 1.50pt off 2.25pt");
        assert_eq!(pattern(""), "");
        let path = "M1 2C3 4 5.5 6 7 -8C9 10 11 12 13 14";
        let expected = "(1.0,2.0) .. controls (3.0,4.0) and (5.5,6.0) .. (7.0,-8.0) .. controls (9.0,10.0) and \
                        (11.0,12.0) .. (13.0,14.0)";
        assert_eq!(curve(path).as_deref(), Some(expected));
    }

    #[test]
    fn no_text_says_anything_to_latex() {
        let hostile = "\\input{/etc/passwd} $x$ % & # _ ^ ~ {}} `` '' → ≠ ⊥ é\n";
        let escaped = latex(hostile);
        well_formed(&format!("\n{escaped}"));
        assert!(escaped.starts_with("{\\textbackslash}input\\{/etc/passwd\\} \\$x\\$ \\% \\& \\# \\_"), "{escaped}");
        assert!(escaped.ends_with("{$\\to$} {$\\neq$} {$\\bot$} ? "), "{escaped}");
        let program = Program { name: "a\nb\r\\input{x}".to_owned(), ..Program::default() };
        let drawing = documents("x := 1").remove(0).0;
        assert!(tikz(&drawing, &program).starts_with("% a b \\input{x}, drawn by Litmoscope\n\\documentclass"));
    }
}

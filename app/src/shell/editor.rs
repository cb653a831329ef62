//! The program: a text area over a highlighted copy of its text, with line numbers and messages at their place.
//!
//! The text area is the browser's own, so that selecting, undo and every input method work; its text is transparent and
//! what is seen is the copy below. Both scroll together.
//!
//! An editor component (CodeMirror 6 was looked at) would bring its own undo over replaced texts, but also a second toolchain
//! and some 150 kB. What the system does in a text area (input methods, screen readers, selection on phones) would be lost or
//! imitated. A text from elsewhere is put in by `document.execCommand("insertText")`, the only way into the text area's own
//! history. Where that fails (it has to have the focus, so not while its panel is hidden on a phone), the text is set, and the
//! former one is in the list of recent ones.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use gloo::timers::callback::Timeout;
use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html;
use leptos::prelude::*;
use litmoscope::document::Kind;
use litmoscope::program::Span;
use litmoscope::syntax::{Diagnostic, Severity};
use litmoscope::words;
use wasm_bindgen::JsCast;
use web_sys::{Element, FocusOptions, HtmlDocument, HtmlElement, HtmlTextAreaElement};

use crate::app::App;
use crate::app::lab::Tab;
use crate::document::place;
use crate::ui::prose::{plain, prose};
use crate::ui::scene::around::Pointed;

/// Longer texts are shown without colours.
const MAX_HIGHLIGHTED: usize = 32 * 1024;
/// Longer texts are put into the editor without a way to undo that: to type them takes browsers too long.
const MAX_TYPED: usize = 64 * 1024;
/// More messages are listed, but not drawn into the text.
const MAX_SQUIGGLES: usize = 40;
/// More messages are not listed.
const MAX_LISTED: usize = 100;

/// A piece of a line in one colour.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Piece {
    text: String,
    token: &'static str,
    squiggle: &'static str,
}

/// A line of the highlighted copy.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    /// Its content and how many equal lines stand above: lines that only moved keep their elements.
    key: (u64, u32),
    pieces: Vec<Piece>,
}

fn severity_class(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// The part of the text that a message underlines: at least a character, so that there is something to see.
fn underlined(text: &str, span: Span) -> (usize, usize) {
    let start = text.floor_char_boundary((span.start as usize).min(text.len()));
    let end = text.floor_char_boundary((span.end as usize).min(text.len()));
    if end > start {
        return (start, end);
    }
    let next = text[start..].chars().next().map_or(start, |c| start + c.len_utf8());
    if next > start && !text[start..next].starts_with('\n') {
        return (start, next);
    }
    // At the end of a line or of the text: what stands before it.
    let before = text[..start].trim_end();
    (before.char_indices().next_back().map_or(0, |(at, _)| at), before.len())
}

fn lines(text: &str, diagnostics: &[Diagnostic]) -> Vec<Line> {
    let tokens = if text.len() <= MAX_HIGHLIGHTED { Kind::of(text).highlight(text) } else { Vec::new() };
    let squiggles: Vec<_> = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity != Severity::Note)
        .take(MAX_SQUIGGLES)
        .map(|diagnostic| (underlined(text, diagnostic.span), severity_class(diagnostic.severity)))
        .collect();
    let mut cuts: Vec<usize> = vec![0, text.len()];
    cuts.extend(tokens.iter().flat_map(|(range, _)| [range.start, range.end]));
    cuts.extend(squiggles.iter().flat_map(|((start, end), _)| [*start, *end]));
    cuts.extend(text.match_indices('\n').flat_map(|(at, _)| [at, at + 1]));
    cuts.retain(|&at| text.is_char_boundary(at));
    cuts.sort_unstable();
    cuts.dedup();

    let mut lines = vec![Vec::new()];
    let mut token = tokens.iter().peekable();
    for cut in cuts.windows(2) {
        let (start, end) = (cut[0], cut[1]);
        let piece = &text[start..end];
        if piece == "\n" {
            lines.push(Vec::new());
            continue;
        }
        while token.peek().is_some_and(|(range, _)| range.end <= start) {
            token.next();
        }
        let class = token.peek().filter(|(range, _)| range.start <= start).map_or("", |(_, class)| class.style_class());
        let squiggle =
            squiggles.iter().find(|((from, to), _)| *from <= start && end <= *to).map_or("", |(_, class)| *class);
        if let Some(line) = lines.last_mut() {
            line.push(Piece { text: piece.to_owned(), token: class, squiggle });
        }
    }
    let mut seen = HashMap::new();
    lines
        .into_iter()
        .map(|pieces| {
            let mut hasher = DefaultHasher::new();
            pieces.hash(&mut hasher);
            let hash = hasher.finish();
            let count = seen.entry(hash).or_insert(0);
            *count += 1;
            Line { key: (hash, *count), pieces }
        })
        .collect()
}

/// The text area, the copy below it, and the numbers beside it.
#[derive(Clone, Copy)]
struct Sheet {
    app: App,
    area: NodeRef<html::Textarea>,
    copy: NodeRef<html::Pre>,
    gutter: NodeRef<html::Pre>,
    line_count: Memo<usize>,
}

impl Sheet {
    /// Puts the page's text into the text area, which keeps its own text, and with it its history of changes. A text from
    /// elsewhere is a change, too.
    fn follow(self) {
        let app = self.app;
        let text = app.document.text.get();
        let Some(area) = self.area.get().filter(|area| area.value() != text) else { return };
        if area.value().is_empty() || text.len() > MAX_TYPED {
            area.set_value(&text);
            area.set_scroll_top(0);
            return;
        }
        // Not at once: a dialog that is about to close keeps the focus from the text area.
        Timeout::new(0, move || {
            let text = app.document.text.get_untracked();
            if area.value() != text && !type_over(&area, &text) {
                area.set_value(&text);
            }
            area.set_scroll_top(0);
        })
        .forget();
    }

    /// Undo, wherever the focus is.
    fn undo(self, event: &KeyboardEvent) {
        let undo = (event.ctrl_key() || event.meta_key()) && !event.alt_key() && event.key().eq_ignore_ascii_case("z");
        let elsewhere = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if undo && elsewhere.is_none_or(|element| element.closest("input, textarea, dialog").ok().flatten().is_none()) {
            event.prevent_default();
            if let Some(area) = self.area.get_untracked() {
                let _ = area.focus();
                edit_command(if event.shift_key() { "redo" } else { "undo" }, "");
            }
        }
    }

    /// All scroll together.
    fn scrolled(self) {
        let (Some(area), Some(copy), Some(gutter)) =
            (self.area.get_untracked(), self.copy.get_untracked(), self.gutter.get_untracked())
        else {
            return;
        };
        copy.set_scroll_top(area.scroll_top());
        copy.set_scroll_left(area.scroll_left());
        gutter.set_scroll_top(area.scroll_top());
    }

    fn point_at_line(self, line: u32) {
        let line = (line >= 1 && line as usize <= self.line_count.get_untracked()).then_some(Pointed::Line(line));
        if self.app.around.pointed.get_untracked() != line {
            self.app.around.pointed.set(line);
        }
    }

    fn hover(self, event: &MouseEvent) {
        let Some(area) = self.area.get_untracked() else { return };
        let y = event.client_y() as f64 - area.get_bounding_client_rect().top() + f64::from(area.scroll_top());
        let wrapped = self.copy.get_untracked().filter(|_| self.app.looks.lecture.get_untracked());
        self.point_at_line(wrapped.map_or_else(|| line_at(&area, y), |copy| wrapped_line_at(&copy, y)));
    }

    fn caret(self) {
        let Some(area) = self.area.get_untracked() else { return };
        let at = area.selection_start().ok().flatten().unwrap_or(0) as usize;
        let before: String = String::from_utf16_lossy(&area.value().encode_utf16().take(at).collect::<Vec<_>>());
        self.point_at_line(before.matches('\n').count() as u32 + 1);
    }

    fn press(self, event: &KeyboardEvent) {
        if event.key() == "Escape" {
            if let Some(area) = self.area.get_untracked() {
                let _ = area.blur();
            }
            self.app.around.pointed.set(None);
            // The same key must not also stop what runs.
            event.stop_propagation();
        } else if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            self.app.open();
        }
    }

    /// Scrolls to the step's line, which may be out of sight.
    fn bring_into_sight(self, step_line: Memo<Option<u32>>) {
        let (Some(line), Some(area)) = (step_line.get(), self.area.get()) else { return };
        let height = place::line_height(&area);
        let wrapped = self
            .copy
            .get_untracked()
            .filter(|_| self.app.looks.lecture.get())
            .and_then(|copy| wrapped_lines(&copy).nth(line as usize - 1));
        let top = wrapped.map_or(f64::from(line - 1) * height, |line| f64::from(line.offset_top()));
        let (from, to) = (f64::from(area.scroll_top()), f64::from(area.scroll_top() + area.client_height()));
        if top < from || top + 2.0 * height > to {
            area.set_scroll_top((top - f64::from(area.client_height()) / 3.0).max(0.0) as i32);
        }
    }
}

/// The line that the step is about, and the one that is pointed at.
fn lines_meant(app: App) -> (Memo<Option<u32>>, Memo<Option<u32>>) {
    let step_line = Memo::new(move |_| {
        if !app.session.current.get() {
            return None;
        }
        app.seen.with(|view| view.as_ref().and_then(|view| view.span).map(|span| span.line).filter(|&line| line > 0))
    });
    let pointed_line = Memo::new(move |_| match app.around.pointed.get()? {
        Pointed::Line(line) => Some(line),
        Pointed::Event(key) if app.session.current.get() => app.seen.with(|view| {
            let node = view.as_ref()?.drawing.nodes.iter().find(|node| node.key == key)?;
            (node.span.line > 0).then_some(node.span.line)
        }),
        Pointed::Event(_) | Pointed::Edge(_) => None,
    });
    (step_line, pointed_line)
}

/// Where something is wrong.
fn marks(app: App) -> impl IntoView {
    let mut marks: Vec<(u32, Severity)> = Vec::new();
    app.document.checked.with(|checked| {
        for diagnostic in checked.diagnostics.iter().filter(|d| d.severity != Severity::Note) {
            if !marks.iter().any(|(line, _)| *line == diagnostic.span.line) {
                marks.push((diagnostic.span.line, diagnostic.severity));
            }
        }
    });
    marks
        .into_iter()
        .filter(|(line, _)| *line > 0)
        .map(|(line, severity)| {
            let class = format!("mark {}", severity_class(severity));
            view! { <div class=class style=("--row", line.to_string())></div> }
        })
        .collect_view()
}

/// A text area with everything around it.
#[component]
pub fn Editor() -> impl IntoView {
    let app = App::get();
    let (area, copy, gutter) = (NodeRef::new(), NodeRef::new(), NodeRef::new());
    let large = Memo::new(move |_| app.document.text.with(|text| text.len() > MAX_HIGHLIGHTED));
    let highlighted = Memo::new(move |_| {
        if large.get() {
            return Vec::new();
        }
        app.document.readers.track();
        app.document.text.with(|text| app.document.checked.with(|checked| lines(text, &checked.diagnostics)))
    });
    let line_count = Memo::new(move |_| app.document.text.with(|text| text.matches('\n').count() + 1));
    let numbers = move || (1..=line_count.get()).map(|number| format!("{number}\n")).collect::<String>();
    let sheet = Sheet { app, area, copy, gutter, line_count };
    Effect::new(move |_| sheet.follow());
    let _ = window_event_listener(leptos::ev::keydown, move |event| sheet.undo(&event));
    let (step_line, pointed_line) = lines_meant(app);
    Effect::new(move |_| sheet.bring_into_sight(step_line));
    let band = move |line: Memo<Option<u32>>, class: &'static str| {
        move || line.get().map(|line| view! { <div class=class style=("--row", line.to_string())></div> })
    };

    view! {
        <div class="editor" class:plain=large class:refused=move || app.document.checked.with(|checked| checked.refused)>
            <pre class="gutter" aria-hidden="true" node_ref=gutter>{move || marks(app)}{numbers}</pre>
            <div class="sheet">
                <pre class="copy" aria-hidden="true" node_ref=copy>
                    {band(step_line, "band step")}
                    {band(pointed_line, "band pointed")}
                    <ForEnumerate each=move || highlighted.get() key=|line| line.key let(index, line)>
                        <div
                            class="line"
                            class:step=move || step_line.get() == Some(index.get() as u32 + 1)
                            class:pointed=move || pointed_line.get() == Some(index.get() as u32 + 1)
                        >
                            {line
                                .pieces
                                .into_iter()
                                .map(|piece| {
                                    let class = format!("{} {}", piece.token, piece.squiggle);
                                    view! { <span class=class>{piece.text}</span> }
                                })
                                .collect_view()}
                        </div>
                    </ForEnumerate>
                </pre>
                <textarea
                    id="editor"
                    aria-label="Program text"
                    aria-describedby="problems-summary"
                    aria-invalid=move || app.document.checked.with(|checked| checked.broken && !checked.diagnostics.is_empty()).to_string()
                    wrap="off"
                    spellcheck="false"
                    autocomplete="off"
                    autocapitalize="off"
                    placeholder=EXAMPLE
                    node_ref=area
                    on:input:target=move |event| {
                        let text = event.target().value();
                        if app.document.text.with_untracked(|old| *old != text) {
                            app.document.text.set(text);
                        }
                    }
                    on:scroll=move |_| sheet.scrolled()
                    on:keydown=move |event| sheet.press(&event)
                    on:keyup=move |event: KeyboardEvent| if event.key() != "Escape" { sheet.caret() }
                    on:click=move |_| sheet.caret()
                    on:blur=move |_| app.around.pointed.set(None)
                    on:mousemove=move |event| sheet.hover(&event)
                    on:pointerleave=move |_| app.around.pointed.set(None)
                ></textarea>
            </div>
        </div>
        <Problems area />
    }
}

/// What can be written into an empty program.
const EXAMPLE: &str = "\
Write a test here, such as:

x := 1 || y := 1
a := y || b := x

exists (P0:a = 0 /\\ P1:b = 0)

or paste one, also in herd’s
notations for C and x86.

The gallery has examples, and
Generate makes tests.";

/// Undoes or redoes a change of the program: `undo`, `redo`.
pub fn change(app: App, name: &'static str) {
    app.show(Tab::Program);
    place::later(move |area| {
        let _ = area.focus();
        edit_command(name, "");
    });
}

/// Does to the focused field what a key would do, with an entry in its history of changes.
///
/// This way of the browsers is old and marked as such, but no other reaches that history.
fn edit_command(name: &str, text: &str) -> bool {
    let page = document().dyn_into::<HtmlDocument>().ok();
    page.is_some_and(|page| page.exec_command_with_show_ui_and_value(name, false, text).unwrap_or(false))
}

/// Replaces the text as if it were typed, so that undo brings the former one back. Leaves the focus where it is.
fn type_over(area: &HtmlTextAreaElement, text: &str) -> bool {
    let before = document().active_element().and_then(|element| element.dyn_into::<HtmlElement>().ok());
    let still = FocusOptions::new();
    still.set_prevent_scroll(true);
    let _ = area.focus_with_options(&still);
    area.select();
    let done = edit_command(if text.is_empty() { "delete" } else { "insertText" }, text) && area.value() == text;
    // What is typed next is a change of its own.
    let _ = area.set_selection_range(0, 0);
    if before.as_ref().is_some_and(|element| element.is_same_node(Some(area))) {
        return done;
    }
    if let Some(element) = before {
        let _ = element.focus_with_options(&still);
    }
    // Where the focus was may be gone, as a button of a dialog that was closed.
    if document().active_element().is_some_and(|element| element.is_same_node(Some(area))) {
        let _ = area.blur();
    }
    done
}

/// The line at a height in the text.
fn line_at(area: &HtmlTextAreaElement, y: f64) -> u32 {
    const PADDING: f64 = 8.0;
    let line = ((y - PADDING) / place::line_height(area)).floor();
    if line < 0.0 { 0 } else { line as u32 + 1 }
}

/// The lines as they stand where long ones are broken.
fn wrapped_lines(copy: &Element) -> impl Iterator<Item = HtmlElement> {
    let lines = copy.query_selector_all(".line").ok();
    (0..).map_while(move |at| lines.as_ref()?.item(at)?.dyn_into().ok())
}

/// The line at a height, in pixels below the upper border of the text, where long ones are broken; 0 if there is none.
fn wrapped_line_at(copy: &Element, y: f64) -> u32 {
    let below = |line: HtmlElement| f64::from(line.offset_top() + line.offset_height()) > y;
    wrapped_lines(copy).position(below).map_or(0, |at| at as u32 + 1)
}

/// The messages; a click on one goes to its place.
#[component]
fn Problems(area: NodeRef<html::Textarea>) -> impl IntoView {
    let app = App::get();
    let summary = move || {
        app.document.checked.with(|checked| {
            let count = |severity| checked.diagnostics.iter().filter(|d| d.severity == severity).count();
            let named = |n: usize, what: &str| (n > 0).then(|| words::count(n as u64, what));
            let parts: Vec<_> = [
                named(count(Severity::Error), "error"),
                named(count(Severity::Warning), "warning"),
                named(count(Severity::Note), "note"),
            ]
            .into_iter()
            .flatten()
            .collect();
            parts.join(", ")
        })
    };
    let go_to = move |span: Span| {
        if let Some(area) = area.get_untracked() {
            app.document.text.with_untracked(|text| place::mark(&area, text, span));
        }
    };
    let items = move || {
        let diagnostics = app.document.checked.with(|checked| checked.diagnostics.clone());
        let more = diagnostics.len().saturating_sub(MAX_LISTED);
        let items = diagnostics
            .into_iter()
            .take(MAX_LISTED)
            .map(|diagnostic| {
                let span = diagnostic.span;
                let class = format!("problem {}", severity_class(diagnostic.severity));
                let place = (span.line > 0).then(|| format!("{}:{}", span.line, span.column));
                // A note's help is for those who ask: errors need the room.
                let (title, help) = match diagnostic.severity {
                    Severity::Note => (diagnostic.help.as_deref().map(plain), None),
                    Severity::Error | Severity::Warning => (None, diagnostic.help),
                };
                view! {
                    <li>
                        <button type="button" class=class title=title on:click=move |_| go_to(span)>
                            <span class="kind">{severity_class(diagnostic.severity)}</span>
                            <span class="place">{place}</span>
                            <span class="message">
                                {prose(&diagnostic.message)}
                                {help.map(|help| view! { <span class="hint">{prose(&help)}</span> })}
                            </span>
                        </button>
                    </li>
                }
            })
            .collect_view();
        view! { {items} {(more > 0).then(|| view! { <li class="more">{format!("and {more} more")}</li> })} }
    };
    let any = move || app.document.checked.with(|checked| !checked.diagnostics.is_empty());
    let refused = move || app.document.checked.with(|checked| checked.refused);
    view! {
        <section
            class="problems"
            class:broken=move || app.document.checked.with(|checked| checked.broken)
            class:refused=refused
            aria-label="Messages"
        >
            <p id="problems-summary" role="status" class:sr-only=move || !any()>{summary}</p>
            <ul id="problems">{items}</ul>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u32, end: u32) -> Span {
        Span { start, end, line: 1, column: start + 1 }
    }

    #[test]
    fn lines_hold_the_whole_text() {
        let text = "x := 1\n\n  a := ü || // end\n";
        let lines = lines(text, &[Diagnostic::error("odd", span(5, 6))]);
        let back: Vec<String> =
            lines.iter().map(|line| line.pieces.iter().map(|piece| piece.text.as_str()).collect()).collect();
        assert_eq!(back.join("\n"), text);
        assert_eq!(lines[0].pieces.iter().filter(|piece| piece.squiggle == "error").count(), 1);
    }

    #[test]
    fn equal_lines_have_keys_of_their_own() {
        let lines = lines("a\na\n\n", &[]);
        let keys: std::collections::HashSet<_> = lines.iter().map(|line| line.key).collect();
        assert_eq!(keys.len(), 4);
    }

    #[test]
    fn something_is_always_underlined() {
        assert_eq!(underlined("ab", span(0, 1)), (0, 1));
        assert_eq!(underlined("ab ", span(3, 3)), (1, 2));
        assert_eq!(underlined("ab\ncd", span(2, 2)), (1, 2));
        assert_eq!(underlined("", span(0, 0)), (0, 0));
        assert_eq!(underlined("ü", span(1, 9)), (0, 2));
    }
}

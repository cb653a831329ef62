//! All that the page can do: each thing once, with its title, its keys, and when it can be done.
//!
//! Keys, the titles of buttons and menus, the palette and the help's list of keys are made of this table, and of what labs say of
//! the commands that open them.
//!
//! Each has a name, title, sentence, group, keys and where they have a meaning. So none of what is made of them says what
//! another one does not. Tests see that no two commands share a key where both have a meaning, and that the titles of buttons
//! and the book name keys that there are.
//!
//! **To add one** is an entry of this table. Those about labs, opening and showing stand in the menus of these groups, unless
//! they are `unlisted`; others are named in the last menu of `bar.rs` if they are to stand there.

use std::sync::LazyLock;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use litmoscope::explore::Options;
use litmoscope::report::Theme;
use litmoscope::session::Aspect;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::columns::Side;
use super::editor;
use super::handle::Shell;
use super::share;
use crate::app::App;
use crate::app::command::{Group, Key, alt, control, key, shift};
use crate::app::definition::{Definition, Opener};
use crate::app::lab::{LabId, Tab};
use crate::app::looks::Wanted;
use crate::browser;
use crate::document::place;
use crate::labs;
use crate::labs::stepping::graph::{point_at_edge, point_at_neighbour};
use crate::labs::stepping::views;
use crate::worker::session::Command;

/// Where a key has a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// In fields, too.
    Everywhere,
    /// Outside of fields and dialogs.
    Page,
    /// In a lecture, before all else.
    Lecture,
    /// While a question is put.
    Question,
    /// In the editor.
    Program,
    /// In a drawing that has the focus.
    Drawing,
    /// On a point of a timeline.
    Point,
    /// In the drawn tree.
    Tree,
    /// In the search of the tree.
    Search,
    /// On a number that leads to what it counts.
    Count,
    /// On the border between two columns.
    Border,
    /// In the list of scenes.
    Scenes,
}

impl Context {
    /// Where that is, as a sentence begins; nothing for the whole page.
    pub fn words(self) -> &'static str {
        match self {
            Self::Everywhere | Self::Page => "",
            Self::Lecture => "In a lecture: ",
            Self::Question => "In a question: ",
            Self::Program => "In the program: ",
            Self::Drawing => "In a drawing that has the focus: ",
            Self::Point => "On a linearization point: ",
            Self::Tree => "In the drawn tree: ",
            Self::Search => "In the search of the tree: ",
            Self::Count => "On a count: ",
            Self::Border => "On the border of a column: ",
            Self::Scenes => "In the list of scenes: ",
        }
    }
}

/// What a command does.
#[derive(Clone, Copy)]
enum Deed {
    /// This.
    Do(fn(Shell)),
    /// Opens a lab.
    Open(&'static Definition),
    /// What depends on where the focus is, and is done there.
    There,
}

/// Something that the page can do.
#[derive(Clone, Copy)]
pub struct PageCommand {
    /// Its name: that of the element that does it, where there is one.
    pub id: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// What it does, in a short sentence, where the title does not say it.
    pub about: &'static str,
    /// What it is about.
    pub group: Group,
    /// The keys that do it.
    pub keys: &'static [Key],
    /// Where they do.
    pub context: Context,
    /// A part of the page in another one has no place for it.
    whole: bool,
    /// It stands in no menu.
    unlisted: bool,
    /// Whether it can be done now.
    can: fn(Shell) -> bool,
    /// Whether it is on, if it is something that is on or off.
    on: Option<fn(App) -> bool>,
    deed: Deed,
}

const fn command(
    id: &'static str,
    title: &'static str,
    about: &'static str,
    group: Group,
    keys: &'static [Key],
    run: fn(Shell),
) -> PageCommand {
    PageCommand { deed: Deed::Do(run), ..there(Context::Page, id, title, about, group, keys) }
}

/// What is done where the focus is.
const fn there(
    context: Context,
    id: &'static str,
    title: &'static str,
    about: &'static str,
    group: Group,
    keys: &'static [Key],
) -> PageCommand {
    PageCommand {
        id,
        title,
        about,
        group,
        keys,
        context,
        whole: false,
        unlisted: false,
        can: |_| true,
        on: None,
        deed: Deed::There,
    }
}

/// What opens a lab.
fn opener(lab: &'static Definition) -> PageCommand {
    let opener = &lab.opener;
    PageCommand {
        whole: opener.whole,
        deed: Deed::Open(lab),
        ..there(Context::Page, opener.id, opener.title, opener.about, opener.group, opener.keys)
    }
}

impl PageCommand {
    const fn only(self, can: fn(Shell) -> bool) -> Self {
        Self { can, ..self }
    }

    const fn whole(self) -> Self {
        Self { whole: true, ..self }
    }

    const fn unlisted(self) -> Self {
        Self { unlisted: true, ..self }
    }

    const fn switch(self, on: fn(App) -> bool) -> Self {
        Self { on: Some(on), ..self }
    }

    const fn everywhere(self) -> Self {
        Self { context: Context::Everywhere, ..self }
    }

    /// Whether it can be done at all, wherever the focus is.
    fn is_done_anywhere(&self) -> bool {
        !matches!(self.deed, Deed::There)
    }

    /// Other words that it is looked for by.
    pub fn other_words(&self) -> &'static str {
        OTHER_WORDS.iter().find(|(id, _)| *id == self.id).map_or("", |(_, words)| words)
    }

    /// Whether it stands in the menu of its group.
    pub fn is_listed(&self) -> bool {
        self.is_done_anywhere() && !self.unlisted
    }

    /// Whether it can be done now, and here.
    pub fn available(&self, shell: Shell) -> bool {
        let can = || match self.deed {
            Deed::Do(_) => (self.can)(shell),
            Deed::Open(lab) => (lab.opener.can)(shell.app),
            Deed::There => false,
        };
        !(self.whole && browser::embedded()) && untrack(can)
    }

    /// Whether it is on, if it is something that is on or off.
    pub fn on(&self, app: App) -> Option<bool> {
        match self.deed {
            Deed::Open(lab) => lab.stands_in_bar().then(|| app.active.get() == lab.id),
            _ => self.on.map(|on| on(app)),
        }
    }

    /// Does it.
    pub fn run(&self, shell: Shell) {
        if !self.available(shell) {
            return;
        }
        match self.deed {
            Deed::Do(run) => run(shell),
            Deed::Open(lab) if lab.stands_in_bar() => shell.app.toggle(lab.id),
            Deed::Open(lab) => shell.app.open_there(lab.id),
            Deed::There => {}
        }
    }

    /// The title with its keys, for whoever rests the mouse on a button.
    pub fn hint(&self) -> String {
        if self.keys.is_empty() { self.title.to_owned() } else { format!("{} ({})", self.title, self.shortcut()) }
    }

    /// Its keys: `Home or r`.
    pub fn shortcut(&self) -> String {
        self.keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" or ")
    }
}

/// A step of whatever is stepped through.
fn step(Shell { app, held, .. }: Shell, command: Command) {
    app.open_lab().moves(command, held);
}

/// Ends what runs; else leaves what was entered last.
fn stop(Shell { app, reading, tree, .. }: Shell) {
    app.open_lab().stop();
    if app.session.working.get_untracked() || app.session.playing.get_untracked() {
        app.stop();
    } else if tree.wide.get_untracked() {
        tree.wide.set(false);
    } else if app.looks.wide.get_untracked() {
        app.looks.wide.set(false);
    } else if reading.is_pinned() {
        reading.let_go();
    } else {
        app.looks.lecture.set(false);
        app.notices.notice.set(None);
        app.notices.link.set(None);
    }
}

fn element(id: &str) -> Option<HtmlElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

fn focus(id: &str) {
    if let Some(element) = element(id) {
        let _ = element.focus();
    }
}

fn show_view(Shell { app, .. }: Shell, aspect: Aspect) {
    app.show(Tab::Graph);
    views::show(app, aspect);
}

fn theme(Shell { app, .. }: Shell, theme: Wanted) {
    app.looks.prefer(|preferences| preferences.theme = theme);
}

use Context::{Border, Count, Drawing, Lecture, Program, Question, Search, Tree};
use Group::{Graph, Open, Settings, Show, Steps, View};

/// Those of the page itself, each group in the order of its use.
static OWN: &[PageCommand] = &[
    command("forward", "Step forward", "", Steps, &[key("ArrowRight"), key("n"), key("j")], |s| {
        step(s, Command::Forward);
    }),
    command("back", "Step back", "", Steps, &[key("ArrowLeft"), key("p"), key("k")], |s| step(s, Command::Back)),
    command("next-execution", "Next execution", "", Steps, &[shift("ArrowRight"), key("e")], |s| {
        step(s, Command::NextExecution);
    }),
    command("previous-execution", "Previous execution", "", Steps, &[shift("ArrowLeft"), key("E")], |s| {
        step(s, Command::PreviousExecution);
    }),
    command(
        "next-violation",
        "Next violation",
        "The next error, race, or execution that decides the condition.",
        Steps,
        &[key("v")],
        |s| step(s, Command::NextViolation),
    ),
    command("reset", "To the start", "", Steps, &[key("Home"), key("r")], |s| step(s, Command::Reset)),
    command("run", "Run to the end", "", Steps, &[key("End")], |s| step(s, Command::Run)),
    command("play", "Play or pause", "Steps by themselves.", Steps, &[key(" ")], |Shell { app, .. }| {
        app.open_lab().play();
    })
    .only(|Shell { app, .. }| app.lab(app.active.get()).plays()),
    command(
        "stop",
        "Stop",
        "Stops what runs. Otherwise it restores the layout, unpins, leaves the lecture or dismisses a message.",
        Steps,
        &[key("Escape")],
        stop,
    ),
    command("go-to", "Go to a step", "By its number.", Steps, &[key("g")], |_| focus("go-to")),
    there(
        Count,
        "to-count",
        "To the next, to the one before",
        "Of those that it counts. A click or Enter leads to the first.",
        Steps,
        &[key("n"), key("p")],
    ),
    command(
        "open-recent",
        "Recent",
        "The last programs of this browser, each where you left it.",
        Open,
        &[key("o")],
        |s| s.app.dialogs.recent.set(true),
    )
    .whole(),
    command("new", "New", "An empty program. You can restore the old one.", Open, &[], |s| s.app.begin()).whole(),
    command("open-run", "Open a run", "A file that the command line saved.", Open, &[], |_| {
        if let Some(button) = element("open-run") {
            button.click();
        }
    })
    .whole(),
    command(
        "lecture",
        "Lecture mode",
        "Program, graph and one sentence, readable from the last row.",
        Show,
        &[key("l")],
        |s| s.app.looks.lecture.update(|lecture| *lecture = !*lecture),
    )
    .whole()
    .switch(|app| app.looks.lecture.get()),
    command(
        "open-scenes",
        "Scenes",
        "Steps, and what labs show, that you arrange for a lecture.",
        Show,
        &[key("t")],
        |s| {
            s.scenes.open.set(true);
        },
    ),
    there(Context::Scenes, "scene-earlier", "Scene earlier, later", "", Show, &[alt("ArrowUp"), alt("ArrowDown")]),
    command("add-scene", "Add what is shown to the scenes", "", Show, &[key("T")], |s| s.scenes.add(s.app)).unlisted(),
    command("share", "Share", "Copies a link to exactly this step.", Show, &[key("s")], |s| share::share(s.app))
        .whole(),
    command(
        "open-sharing",
        "QR code, embed",
        "The link as a QR code, with your settings, or a part of this page for another one.",
        Show,
        &[key("S")],
        |s| s.app.dialogs.sharing.set(true),
    )
    .whole(),
    there(
        Lecture,
        "lecture-on",
        "On",
        "To the next scene, or a step on. Presenters send these keys.",
        Show,
        &[key(" "), key("ArrowDown"), key("PageDown")],
    ),
    there(Lecture, "lecture-back", "Back", "To the scene or step before.", Show, &[key("ArrowUp"), key("PageUp")]),
    there(Lecture, "lecture-blank", "Black screen", "Until any key.", Show, &[key("."), key("b")]),
    there(Question, "say-allowed", "Allowed", "", Show, &[key("1")]),
    there(Question, "say-forbidden", "Forbidden", "", Show, &[key("2")]),
    there(Question, "question-on", "Reveal, or go on", "", Show, &[key("Enter"), key(" ")]),
    command("next-view", "Next view", "Graph, time, table, text.", View, &[key("d")], |s| views::turn(s.app, true)),
    command("previous-view", "Previous view", "", View, &[key("D")], |s| views::turn(s.app, false)),
    command("view-graph", "View: graph", "Events and edges.", View, &[], |s| show_view(s, Aspect::Graph)),
    command("view-time", "View: time", "A run, one event after the other.", View, &[], |s| show_view(s, Aspect::Time)),
    command("view-table", "View: table", "A table of events.", View, &[], |s| show_view(s, Aspect::Table)),
    command("view-text", "View: text", "Text for other programs.", View, &[], |s| show_view(s, Aspect::Text)),
    command(
        "copy-as",
        "Copy as",
        "The execution as TikZ, DOT, SVG, PNG and others, copied or downloaded.",
        View,
        &[key("y")],
        |s| s.app.dialogs.copying.set(true),
    ),
    command("wide", "All room for the execution, or back", "", View, &[key("x")], |s| {
        s.app.looks.wide.update(|wide| *wide = !*wide);
    })
    .switch(|app| app.looks.wide.get()),
    command(
        "fold-program",
        "Fold the program away, or back",
        "Its column gives its room to what is beside it.",
        View,
        &[key("(")],
        |s| s.columns.toggle(Side::Program),
    )
    .whole(),
    command(
        "fold-results",
        "Fold tree and results away, or back",
        "Their column gives its room to the drawing.",
        View,
        &[key(")")],
        |s| s.columns.toggle(Side::Results),
    )
    .whole(),
    command("columns", "Usual widths of the columns", "", View, &[], |s| s.columns.forget()).whole(),
    command("zoom-in", "Zoom in", "", View, &[key("+"), key("=")], |s| s.stage.zoom_in()),
    command("zoom-out", "Zoom out", "", View, &[key("-")], |s| s.stage.zoom_out()),
    command("zoom-fit", "Show everything", "", View, &[key("0")], |s| s.stage.whole()),
    there(
        Drawing,
        "move",
        "Move it",
        "Without Shift, arrow keys step.",
        View,
        &[shift("ArrowLeft"), shift("ArrowRight"), shift("ArrowUp"), shift("ArrowDown")],
    ),
    there(
        Context::Point,
        "move-point",
        "Past the next point",
        "With Shift, only a little. Home and End: as early or as late as possible.",
        View,
        &[key("ArrowLeft"), key("ArrowRight")],
    ),
    there(
        Border,
        "border",
        "Narrower, wider; fold",
        "Home and End: as narrow or as wide as possible. Double-click: its usual width.",
        View,
        &[key("ArrowLeft"), key("ArrowRight"), key("Enter")],
    ),
    command("next-event", "Point at the next event", "", Graph, &[key("]")], |s| point_at_neighbour(s.app, true)),
    command("previous-event", "Point at the previous event", "", Graph, &[key("[")], |s| {
        point_at_neighbour(s.app, false);
    }),
    command("next-edge", "Point at the next edge", "", Graph, &[key("}")], |s| point_at_edge(s.app, true)),
    command("previous-edge", "Point at the previous edge", "", Graph, &[key("{")], |s| point_at_edge(s.app, false)),
    command(
        "pin",
        "Pin what is pointed at",
        "A second event: the path between the two.",
        Graph,
        &[key("Enter")],
        |Shell { app, reading, .. }| {
            if let Some(pointed) = app.around.pointed.get_untracked() {
                reading.pin(pointed);
            }
        },
    )
    .only(|Shell { app, .. }| app.active.get() != LabId("models")),
    command("next-row", "Next row", "In the time view.", Graph, &[key("ArrowDown")], |_| {
        views::step(true);
    })
    .only(|_| element("time-down").is_some()),
    command("previous-row", "Previous row", "In the time view.", Graph, &[key("ArrowUp")], |_| {
        views::step(false);
    })
    .only(|_| element("time-up").is_some()),
    command(
        "search-tree",
        "Find in the tree",
        "Visits, outcomes, executions, what was read.",
        Graph,
        &[key("f")],
        |s| {
            s.columns.unfold(Side::Results);
            s.app.show(Tab::Tree);
            focus("tree-search");
        },
    ),
    there(Search, "next-hit", "Next hit", "", Graph, &[key("Enter")]),
    there(Search, "previous-hit", "Previous hit", "", Graph, &[shift("Enter")]),
    there(
        Tree,
        "move-in-tree",
        "To parent, child and neighbours",
        "Enter goes there, Space folds; + - 0 zoom.",
        Graph,
        &[key("ArrowLeft"), key("ArrowRight"), key("ArrowUp"), key("ArrowDown")],
    ),
    command("editor", "Into the program", "", Group::Program, &[key("i")], |s| {
        s.columns.unfold(Side::Program);
        s.app.tab.set(Tab::Program);
        place::enter();
    })
    .whole(),
    there(Program, "restart", "Start anew", "", Group::Program, &[control("Enter")]),
    there(
        Context::Everywhere,
        "undo",
        "Undo in the program",
        "It also undoes what an example or a link did. With Shift, redo.",
        Group::Program,
        &[control("z")],
    ),
    command(
        "undo-program",
        "Undo",
        "Takes back the last change of the program, or an example or a link.",
        Group::Program,
        &[],
        |s| {
            editor::change(s.app, "undo");
        },
    )
    .whole()
    .unlisted(),
    command("redo-program", "Redo", "Makes the last change again that was undone.", Group::Program, &[], |s| {
        editor::change(s.app, "redo");
    })
    .whole()
    .unlisted(),
    command("stop-at-first", "Stop at the first error", "", Group::Program, &[], |s| {
        flip(s, |options| &mut options.stop_at_first)
    })
    .switch(|app| app.document.options.get().stop_at_first),
    command(
        "track-co",
        "Track co",
        "One execution for each coherence order.",
        Group::Program,
        &[],
        |Shell { app, .. }| {
            let algorithm = app.document.algorithm.get_untracked();
            app.document.use_algorithm(algorithm.with_or_without_co(!algorithm.tracks_co()));
        },
    )
    .only(|Shell { app, .. }| app.document.algorithm.get().traits().kin.differ())
    .switch(|app| app.document.algorithm.get().tracks_co()),
    command("no-races", "Ignore data races", "", Group::Program, &[], |s| flip(s, |options| &mut options.no_races))
        .switch(|app| app.document.options.get().no_races),
    command("stuck-loops", "Find stuck loops", "Threads that wait in a loop for good.", Group::Program, &[], |s| {
        flip(s, |options| &mut options.stuck_loops);
    })
    .switch(|app| app.document.options.get().stuck_loops),
    command("spurious", "Spurious failures", "Of weak compare-and-swaps.", Group::Program, &[], |s| {
        flip(s, |options| &mut options.spurious);
    })
    .switch(|app| app.document.options.get().spurious),
    command("unroll-spins", "Unroll waiting", "Loops that only wait, round by round.", Group::Program, &[], |s| {
        flip(s, |options| &mut options.limits.unroll_spins)
    })
    .switch(|app| app.document.options.get().limits.unroll_spins),
    command(
        "all-blocked",
        "Count blocked executions",
        "Also those in which a thread waits at a write that another one has overtaken.",
        Group::Program,
        &[],
        |s| flip(s, |options| &mut options.leave_out_waits),
    )
    .only(|Shell { app, .. }| app.leaves_out_waits())
    .switch(|app| !app.document.options.get().leave_out_waits),
    command(
        "palette",
        "Find a command",
        "Anything that the page can do, by its name.",
        Settings,
        &[control("k")],
        |s| {
            s.palette.set(true);
        },
    )
    .whole()
    .everywhere(),
    command("theme", "Switch between light and dark", "For this browser.", Settings, &[], |s| {
        theme(s, if s.app.looks.theme.get_untracked() == Theme::Dark { Wanted::Light } else { Wanted::Dark });
    }),
    command("theme-contrast", "Theme: high contrast", "", Settings, &[], |s| theme(s, Wanted::Contrast)),
    command("theme-system", "Theme: as the system", "", Settings, &[], |s| theme(s, Wanted::System)),
    command("open-preferences", "Settings", "Theme, colours, sizes, animation.", Settings, &[key(",")], |s| {
        s.app.dialogs.preferring.set(true);
    })
    .whole(),
    command(
        "open-book",
        "Book",
        "A tutorial, the command line, the models and the algorithms. It opens in a new tab.",
        Settings,
        &[],
        |_| browser::open_beside("book/index.html"),
    ),
    command(
        "open-atlas",
        "Atlas",
        "The named litmus tests, and what each model says of them. It opens in a new tab.",
        Settings,
        &[],
        |_| browser::open_beside("atlas/index.html"),
    ),
    command("open-help", "Help", "All keys, and the notation of programs.", Settings, &[key("?")], |s| {
        s.app.dialogs.help.set(true);
    })
    .whole(),
];

fn flip(Shell { app, .. }: Shell, option: fn(&mut Options) -> &mut bool) {
    app.document.options.update(|options| {
        let on = option(options);
        *on = !*on;
    });
}

/// What people type who look for a command, where neither its title nor its sentence has the word.
const OTHER_WORDS: [(&str, &str); 32] = [
    ("new", "clear empty blank file"),
    ("open-recent", "history last previous sessions restore"),
    ("open-run", "import load upload file results"),
    ("share", "send url link address permalink"),
    ("open-sharing", "iframe barcode include website"),
    ("copy-as", "export download save image picture print paper latex pdf graphviz png svg"),
    ("lecture", "present presentation slides projector fullscreen beamer"),
    ("open-scenes", "slides script presentation"),
    ("play", "animate animation automatic"),
    ("run", "all everything finish explore last"),
    ("reset", "begin beginning first restart rewind"),
    ("go-to", "jump number position"),
    ("next-violation", "bug counterexample witness problem"),
    ("forward", "next one"),
    ("back", "previous one"),
    ("zoom-fit", "fit all centre center whole"),
    ("wide", "fullscreen maximise maximize larger"),
    ("search-tree", "search filter"),
    ("pin", "select mark path"),
    ("undo-program", "revert back"),
    ("theme", "dark light night mode colour color"),
    ("theme-contrast", "accessibility colour color"),
    ("open-preferences", "options preferences configuration font text size language"),
    ("open-help", "keyboard shortcuts manual syntax notation"),
    ("open-book", "documentation docs manual guide"),
    ("open-gallery", "examples litmus tests samples library"),
    ("open-cycle", "create make diy random"),
    ("models", "difference table memory models versus"),
    ("open-why", "explain forbidden reason impossible"),
    ("open-tests", "folder batch zip archive many herd"),
    ("open-histories", "linearizable history object queue stack"),
    ("open-race", "benchmark speed algorithms performance"),
];

/// All of them, each group in the order of its use: those of labs stand behind the command that they name, or first.
pub fn all() -> &'static [PageCommand] {
    static ALL: LazyLock<Vec<PageCommand>> = LazyLock::new(|| {
        let mut all = OWN.to_vec();
        for lab in labs::all() {
            let Definition { opener: Opener { behind, group, .. }, .. } = lab;
            let place = all.iter().position(|command| command.id == *behind).map(|at| at + 1);
            let is_first = |command: &PageCommand| {
                command.group as usize >= *group as usize && !matches!(command.deed, Deed::Open(_))
            };
            let place = place.or_else(|| all.iter().position(is_first)).unwrap_or(all.len());
            all.insert(place, opener(lab));
        }
        all
    });
    &ALL
}

/// Those in the menu of a group.
pub fn listed(group: Group) -> impl Iterator<Item = &'static PageCommand> {
    all().iter().filter(move |command| command.group == group && command.is_listed())
}

/// A command by its name.
pub fn named(id: &str) -> Option<&'static PageCommand> {
    all().iter().find(|command| command.id == id)
}

/// The title of a command with its keys, for whoever rests the mouse on a button.
pub fn hint(id: &str) -> String {
    named(id).map(PageCommand::hint).unwrap_or_default()
}

/// The title of a command.
pub fn title(id: &str) -> &'static str {
    named(id).map_or("", |command| command.title)
}

/// Does what a key says there; whether it says anything.
pub fn press(shell: Shell, context: Context, event: &KeyboardEvent) -> bool {
    let says = |command: &&PageCommand, shifted: bool| {
        let mut keys = command.keys.iter().filter(|key| key.shift == shifted);
        command.context == context && keys.any(|key| key.is(event)) && command.available(shell)
    };
    let find = |shifted| all().iter().find(|command| says(command, shifted));
    let found = find(true).or_else(|| find(false));
    if let Some(command) = found {
        command.run(Shell { held: event.repeat(), ..shell });
    }
    found.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::path::Path;

    #[test]
    fn every_command_has_a_name_a_title_and_a_group() {
        let mut ids = HashSet::new();
        let mut titles = HashSet::new();
        for (id, words) in OTHER_WORDS {
            assert!(named(id).is_some() && !words.is_empty(), "{id}");
        }
        for command in all() {
            assert!(!command.id.is_empty() && !command.title.is_empty(), "{}", command.id);
            assert!(ids.insert(command.id), "{} stands twice", command.id);
            assert!(titles.insert(command.title), "{} stands twice", command.title);
            assert!(Group::ALL.contains(&command.group));
            assert!(command.about.is_empty() || command.about.ends_with(['.', '?']), "{}", command.about);
            assert!(command.is_done_anywhere() || !command.keys.is_empty(), "{} can't be done", command.id);
        }
    }

    #[test]
    fn no_two_commands_share_a_key() {
        for (at, command) in all().iter().enumerate() {
            for other in &all()[at + 1..] {
                let meet =
                    command.context == other.context || [command.context, other.context].contains(&Context::Everywhere);
                let shared = command.keys.iter().find(|key| other.keys.contains(key));
                assert!(!meet || shared.is_none(), "{} and {} share {shared:?}", command.id, other.id);
            }
            let once: HashSet<_> = command.keys.iter().map(Key::to_string).collect();
            assert_eq!(once.len(), command.keys.len(), "{} has a key twice", command.id);
        }
    }

    #[test]
    fn keys_are_written_as_readers_know_them() {
        let written =
            [key("ArrowRight"), shift("ArrowLeft"), key("E"), key(" "), control("k"), key("PageDown"), key("?")];
        let written = written.map(|key| key.to_string());
        assert_eq!(written, ["→", "Shift ←", "Shift E", "Space", "Ctrl K", "Page down", "?"]);
        assert_eq!(hint("reset"), "To the start (Home or r)");
    }

    /// Calls `look` with each file of the page.
    fn each_source(folder: &Path, look: &mut dyn FnMut(&str)) {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                each_source(&path, look);
            } else {
                look(&std::fs::read_to_string(path).expect("text"));
            }
        }
    }

    #[test]
    fn buttons_name_commands_that_there_are() {
        let mut count = 0;
        each_source(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut |source| {
            for call in ["app.hint(\"", "app.title(\"", "commands::hint(\"", "commands::named(\""] {
                for rest in source.split(call).skip(1) {
                    let Some((id, _)) = rest.split_once('"') else { continue };
                    assert!(named(id).is_some(), "there is no command {id}");
                    count += 1;
                }
            }
        });
        assert!(count >= 8, "{count}");
    }

    #[test]
    fn whoever_names_a_lab_names_one_that_there_is() {
        let (mut count, mut ids) = (0, HashSet::new());
        each_source(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut |source| {
            for rest in source.split("LabId(\"").skip(1) {
                let Some((id, _)) = rest.split_once('"') else { continue };
                assert!(labs::all().any(|lab| lab.id.0 == id), "there is no lab {id}");
                count += 1;
            }
        });
        assert!(count > 15, "{count}");
        for lab in labs::all() {
            assert!(ids.insert(lab.id), "{} stands twice", lab.id.0);
            assert_eq!(lab.stands_in_bar(), lab.panel.is_some() || lab.id == LabId::STEPPING, "{}", lab.id.0);
            let behind = named(lab.opener.behind).is_none_or(|command| command.group == lab.opener.group);
            assert!(behind && (lab.opener.behind.is_empty() || named(lab.opener.behind).is_some()), "{}", lab.id.0);
        }
    }

    #[test]
    fn titles_of_buttons_name_keys_that_there_are() {
        let keys: HashSet<_> = all().iter().flat_map(|command| command.keys).map(Key::to_string).collect();
        let mut count = 0;
        each_source(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut |source| {
            for title in source.split(" title=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                let Some((_, written)) = title.strip_suffix(')').and_then(|title| title.rsplit_once('(')) else {
                    continue;
                };
                for key in written.split(" or ") {
                    let key = key.split(';').next().unwrap_or_default().replace('+', " ");
                    let key = if key.trim().is_empty() { "+" } else { key.as_str() };
                    assert!(keys.contains(key), "{title}");
                    count += 1;
                }
            }
        });
        assert!(count > 5, "{count}");
    }

    #[test]
    fn the_book_names_the_keys_that_there_are() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/page");
        let chapters = std::fs::read_dir(folder).expect("the book has chapters on the page");
        let chapters = chapters.map(|entry| std::fs::read_to_string(entry.expect("a chapter").path()).expect("text"));
        let book = chapters.collect::<Vec<_>>().join("\n");
        // Its points begin with a title and a key: **Compare models** (`m`).
        let mut found = 0;
        for point in book.split("**").skip(1).step_by(2).zip(book.split("**").skip(2).step_by(2)) {
            let (title, rest) = point;
            let Some((key, _)) = rest.strip_prefix(" (`").and_then(|rest| rest.split_once('`')) else { continue };
            let command = all().iter().find(|command| {
                matches!(command.context, Context::Page | Context::Everywhere)
                    && command.keys.iter().any(|k| k.to_string() == key)
            });
            let command = command.unwrap_or_else(|| panic!("{title} has the key {key}, which does nothing"));
            assert_eq!(command.title, title, "the key {key}");
            found += 1;
        }
        assert!(found >= 8, "{found}");
    }
}

//! The help: keys, and the notation in brief.

use leptos::prelude::*;

use crate::app::App;
use crate::ui::dialog::Dialog;

const KEYS: &[(&[&str], &str)] = &[
    (&["→", "n", "j"], "step forward"),
    (&["←", "p", "k"], "step back"),
    (&["Shift →", "e"], "next execution"),
    (&["Shift ←", "Shift E"], "previous execution"),
    (&["v"], "next error, race, or execution that decides the condition"),
    (&["Home", "r"], "to the start"),
    (&["End"], "run to the end"),
    (&["a"], "explore everything, on all cores, beside the steps"),
    (&["Space"], "play or pause"),
    (&["Esc"], "stop; unpin; leave a field, or the lecture mode"),
    (&["g"], "go to a step by its number"),
    (&["Shift arrows"], "in a drawing that has the focus, by a click or Tab: move it, not on to another execution"),
    (&["+", "-", "0"], "zoom in, out, show everything"),
    (&["[", "]"], "point at the previous, the next event"),
    (&["d", "D"], "next view: graph, time, table, text; the one before"),
    (&["↑", "↓"], "in the time view: from row to row"),
    (&["x"], "all room for the execution, or back"),
    (&["y"], "copy or download the execution: TikZ, DOT, SVG, PNG, …"),
    (&["{", "}"], "point at the previous, the next edge"),
    (&["Enter"], "pin what is pointed at; a second event: the path between the two"),
    (&["i"], "into the program"),
    (&["f"], "find in the tree; Enter, Shift Enter: next hit, previous hit"),
    (&["arrows"], "in the drawn tree: to parent, child and neighbours; Enter goes there, Space folds, + - 0 zoom"),
    (&["Ctrl Enter"], "in the program: start anew"),
    (&["m"], "compare all models, or back to the steps"),
    (&["w"], "why is an outcome not allowed? or back to the steps"),
    (&["h"], "is the execution shown consistent? its closure, the search for a witness; or back to the steps"),
    (&["b"], "two explorations side by side, or on with the left one"),
    (&["c"], "generate a test from a cycle of edges"),
    (&["o"], "open a recent program"),
    (&["Ctrl Z"], "undo what was done to the program, also by an example or a link"),
    (&[","], "settings: theme, colours, sizes"),
    (&["l"], "lecture mode: program, graph and one sentence, in large type"),
    (&["Space", "Page down", "Page up"], "in a lecture, as presenters send them: next scene or step, previous one"),
    (&[".", "b"], "in a lecture: black screen, until any key"),
    (&["u"], "lessons"),
    (&["t"], "scenes: arrange steps for a lecture"),
    (&["Shift T"], "add this step to the scenes"),
    (&["q"], "quiz: is this outcome allowed?"),
    (&["1", "2"], "in a question: allowed, forbidden; Enter or Space reveals and goes on"),
    (&["s"], "share: copy a link to this step"),
    (&["Shift S"], "share: QR code, settings in the link, a part of this page for another one"),
    (&["?"], "this help"),
];

const NOTATION: &[(&str, &str)] = &[
    ("x := 1; a := y || y := 1; b := x", "threads side by side; a line end or ; ends a statement"),
    ("x := 1    a := x", "writes and reads x, which is shared if several threads use it; other names are registers"),
    ("shared x, y = 2", "says what is shared, and where it starts"),
    ("y :=rel 1    a :=acq y", "access modes: na, rlx, acq, rel, acqrel, sc"),
    ("a := fai(x)    a := cas(x, 0, 1)", "read-modify-writes; wcas (weak), fetch_sub(x, 2), xchg(x, 1) and others too"),
    ("r := &x    *r := 1    a := *(r + 1)", "addresses, and accesses through them"),
    ("fence sc", "a fence; also acq, rel, acqrel"),
    ("if a = 1 { … } else { … }", "a branch"),
    ("while a = 0 { … }    repeat { … } until a = 1", "loops, explored up to the unroll bound"),
    ("assume a = 1, assert a = 1", "an assumption blocks; a failed assertion is an error"),
    ("exists (P0:a = 0 /\\ P1:b = 0)", "a condition on final states; also ~exists and forall"),
    ("// text", "a comment"),
    ("C name, X86 name", "a first line like these: the text is a litmus test of herd"),
];

/// The help dialog.
#[component]
pub fn Help() -> impl IntoView {
    let app = App::get();
    let keys = KEYS
        .iter()
        .map(|(keys, what)| {
            let keys = keys.iter().map(|key| view! { <kbd>{*key}</kbd> }).collect_view();
            view! { <dt>{keys}</dt><dd>{*what}</dd> }
        })
        .collect_view();
    let notation =
        NOTATION.iter().map(|(text, what)| view! { <dt><code>{*text}</code></dt><dd>{*what}</dd> }).collect_view();
    view! {
        <Dialog id="help" class="help" title="Help" open=app.dialogs.help>
            <div class="help-columns">
                <section>
                    <h3>"Keys"</h3>
                    <dl class="key-list">{keys}</dl>
                    <p>
                        <b>"Compare models"</b>
                        " lists all outcomes and the number of executions that each model has for them. A cell shows two \
                        executions: one that a model allows, and one that another forbids, with the cycle that rules it \
                        out drawn thick."
                    </p>
                    <p>
                        <b>"Consistency"</b>
                        " asks all models about one execution: the one shown, or a text such as "
                        <code>"T1: w x 1; r y 0 <- init"</code>
                        ". Its closure is drawn rule by rule, as the keys of steps and Space say, and the search for a witness laid open. Click a read and a \
                        write to ask what if it read from there."
                    </p>
                    <p>
                        <b>"Why?"</b>
                        " takes an outcome, such as " <code>"a=0, b=0"</code>
                        ", and a model: either an execution that ends so, or each that would, with what rules it out."
                    </p>
                    <p>
                        <b>"Side by side"</b>
                        " steps through two explorations of the program together, by two models or two algorithms, and \
                        counts what each needs. A link shared meanwhile leads to both."
                    </p>
                    <p>
                        "The " <b>"counts"</b> " of the results lead to what they count: a click, or Enter, goes to the first, \
                        then to the next; so do " <kbd>"n"</kbd> " and " <kbd>"p"</kbd> " while a count has the focus."
                    </p>
                    <p>
                        <b>"New"</b> " empties the program; " <b>"Generate"</b>
                        " makes a litmus test from a cycle of edges, each from one event to the next: " <code>"PodWW"</code>
                        " is program order from a write to a write of a different location, " <code>"Rfe"</code>
                        ", " <code>"Fre"</code> " and " <code>"Coe"</code>
                        " lead to another thread. How both events access memory may stand behind: "
                        <code>"PodWWRlxRel"</code> "."
                    </p>
                </section>
                <section>
                    <h3>"Notation"</h3>
                    <dl class="notation">{notation}</dl>
                    <p>
                        "Every step is one step of the algorithm. " <b>"T"</b>
                        " holds the reads that later writes may revisit, " <b>"S"</b>
                        " the options still waiting, " <b>"U"</b>
                        " the backward options ever proposed."
                    </p>
                    <p>
                        "The program and everything about it stay in this browser."
                    </p>
                </section>
            </div>
        </Dialog>
    }
}

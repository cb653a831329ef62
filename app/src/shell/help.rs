//! The help: the keys of all commands, and the notation in brief.

use leptos::prelude::*;
use litmoscope::graph::RelationName;

use super::commands;
use crate::app::App;
use crate::app::command::Group;
use crate::ui::dialog::Dialog;

const NOTATION: &[(&str, &str)] = &[
    ("x := 1; a := y || y := 1; b := x", "threads side by side; a line end or ; ends a statement"),
    ("x := 1    a := x", "writes and reads x, which is shared if several threads use it; other names are registers"),
    ("shared x, y = 2", "says what is shared, and its initial value"),
    ("y :=rel 1    a :=acq y", "access modes: na, rlx, acq, rel, acqrel, sc"),
    ("a := fai(x)    a := cas(x, 0, 1)", "read-modify-writes; wcas (weak), fetch_sub(x, 2), xchg(x, 1) and others too"),
    ("r := &x    *r := 1    a := *(r + 1)", "addresses, and accesses through them"),
    ("fence sc", "a fence; also acq, rel, acqrel"),
    ("if a = 1 { … } else { … }", "a branch"),
    ("while a = 0 { … }    repeat { … } until a = 1", "loops, explored up to the unroll bound"),
    ("assume a = 1, assert a = 1", "an assumption blocks; a failed assertion is an error"),
    ("handler h queue", "a handler, which takes messages in the order of their posts; with a multiset, in any order"),
    ("message m(n) on h { x := n }", "what the handler does with a message; n is its register with the value posted"),
    (
        "post h.m(1)    initial h.m(1)",
        "posts a message; initial comes before the threads and lists the messages at \
                                       the start",
    ),
    ("exists (P0:a = 0 /\\ P1:b = 0)", "a condition on final states; also ~exists and forall"),
    ("// text", "a comment"),
    ("C name, X86 name", "a first line like these: the text is a litmus test of herd"),
];

/// What stands in the boxes of drawings.
const EVENTS: &[(&str, &str)] = &[
    ("[x=0]", "the initial write: x is 0 at first"),
    ("W(x,1)", "a write of 1 to x"),
    ("R(y,0)", "a read of y that returns 0"),
    ("U(x,0→1)", "a read-modify-write of x: it reads 0 and writes 1"),
    ("Wrel(x,1)", "an access with a mode: here a release write"),
];

/// The help dialog.
#[component]
pub fn Help() -> impl IntoView {
    let app = App::get();
    let keys = Group::ALL
        .map(|group| {
            let keys = commands::all()
                .iter()
                .filter(|command| command.group == group && !command.keys.is_empty())
                .map(|command| {
                    let keys = command.keys.iter().map(|key| view! { <kbd>{key.to_string()}</kbd> }).collect_view();
                    view! {
                        <dt>{keys}</dt>
                        <dd>{command.context.words()}<b>{command.title}</b>" "{command.about}</dd>
                    }
                })
                .collect_view();
            view! { <h4>{group.title()}</h4><dl class="key-list">{keys}</dl> }
        })
        .collect_view();
    let drawn =
        EVENTS.iter().map(|(text, what)| view! { <dt><code>{*text}</code></dt><dd>{*what}</dd> }).collect_view();
    // `po, program order: the order of a thread's events`
    let relations = RelationName::ALL
        .into_iter()
        .filter_map(|relation| relation.meaning().split_once([',', ':']))
        .map(|(name, what)| view! { <dt><code>{name}</code></dt><dd>{what.trim()}</dd> })
        .collect_view();
    let notation =
        NOTATION.iter().map(|(text, what)| view! { <dt><code>{*text}</code></dt><dd>{*what}</dd> }).collect_view();
    view! {
        <Dialog id="help" class="help" title="Help" open=app.dialogs.help>
            <div class="help-columns">
                <section>
                    <h3>"Keys"</h3>
                    {keys}
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
                        ". The keys of steps and Space draw its closure rule by rule. You also see the search for a \
                         witness. Click a read and a write to ask what would follow if the read took that write."
                    </p>
                    <p>
                        <b>"Why?"</b>
                        " takes an outcome, such as " <code>"a=0, b=0"</code>
                        ", and a model. It shows an execution with the outcome, or else each candidate execution and \
                         what rules it out."
                    </p>
                    <p>
                        <b>"Side by side"</b>
                        " steps through two explorations of the program together, under two models or with two \
                         algorithms, and counts what each needs. A link that you share then leads to both."
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
                        " lead to another thread. The access modes of both events may follow: "
                        <code>"PodWWRlxRel"</code> "."
                    </p>
                </section>
                <section>
                    <h3>"Notation"</h3>
                    <dl class="notation">{notation}</dl>
                    <h3 id="help-drawings">"Drawings"</h3>
                    <dl class="notation drawn">{drawn}{relations}</dl>
                    <p>
                        "Every step is one step of the algorithm. " <b>"T"</b>
                        " holds the reads that later writes may revisit, " <b>"S"</b>
                        " the options that still wait, and " <b>"U"</b>
                        " all backward options that were proposed."
                    </p>
                    <p>
                        "The program and everything about it stay in this browser."
                    </p>
                </section>
            </div>
        </Dialog>
    }
}

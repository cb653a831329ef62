//! Why it is hard: automata as machines, token by token, and what can be decided at all.

use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::memories::{AutomatonView, automata_text};

use super::inquiry::Inquiry;
use crate::app::inquiry::fields::Make;
use crate::ui::prose::prose;
use crate::ui::scene::Scene;
use crate::ui::scene::camera::{Stage, size};

/// Names of the stages and drawings of automata, of which no more are drawn.
const PLACES: [(&str, &str); 6] = [
    ("memory-token-1", "memory-token-graph-1"),
    ("memory-token-2", "memory-token-graph-2"),
    ("memory-token-3", "memory-token-graph-3"),
    ("memory-token-4", "memory-token-graph-4"),
    ("memory-token-5", "memory-token-graph-5"),
    ("memory-token-6", "memory-token-graph-6"),
];

/// Why the question is hard, with automata to try it on.
#[component]
pub fn Hard() -> impl IntoView {
    view! {
        <div class="memory-hard">
            <Tokens />
            <Difficult />
            <Decidable />
        </div>
    }
}

/// The automata beside their machine.
#[component]
fn Tokens() -> impl IntoView {
    let inquiry = Inquiry::get();
    let automata = inquiry.part(|view| view.automata.clone());
    let many = Memo::new(move |_| automata.with(Vec::len));
    let one = move |at: usize| {
        let of = move |all: &[AutomatonView]| all.get(at).cloned();
        let drawing = Memo::new(move |_| automata.with(|all| of(all).map(|automaton| Arc::new(automaton.drawing))));
        let title = move || automata.with(|all| of(all).map(|automaton| automaton.title));
        let token = move || automata.with(|all| of(all).map(|automaton| automaton.token));
        let stage = Stage::beside(1.6, move || drawing.with(|drawing| drawing.as_ref().map(|drawing| size(drawing))));
        let (id, graph_id) = PLACES[at];
        view! {
            <h3>{title}</h3>
            <p class="memory-token" aria-live="polite">{token}</p>
            <div class="memory-automaton">
                <Scene stage drawing id graph_id name="Automaton" things=["state", "arrow"] hide_po=false faded=false />
            </div>
        }
    };
    let as_printed = move || inquiry.request.with(|request| request.as_printed);
    let toggle = move |_| {
        inquiry.request.update(|request| {
            request.as_printed = !request.as_printed;
            (request.run, request.at) = (String::new(), 0);
        });
        inquiry.renew_table();
    };
    view! {
        <Show when=move || many.get() != 0>
            <label class="memory-printed">
                <input type="checkbox" id="memory-printed" prop:checked=as_printed on:change=toggle />
                " Begin as printed"
            </label>
            <p class="inquiry-note">
                {move || prose(if as_printed() {
                    "As printed, each token begins at the end. So a thread can read at once what it should read only \
                     after an accepted word. This machine violates RA whatever the automata are."
                } else {
                    "A token stands in the state whose register holds the first write of the next thread. Each \
                     symbol moves all tokens, or loses those in other states. At the end, each thread reads. All \
                     cycles close if all tokens have arrived."
                })}
            </p>
        </Show>
        {move || (0..many.get().min(PLACES.len())).map(one).collect_view()}
    }
}

/// Why it is hard, and expressions to make a machine of.
#[component]
fn Difficult() -> impl IntoView {
    let words = [
        "It is PSPACE-complete to decide whether several finite automata accept a common word. This becomes a \
         question about a memory: a machine violates RA if and only if there is such a word.",
        "The machine guesses the word. Each state of an automaton has a register, which says whether the automaton \
         is in that state. A wrong guess loses the token forever.",
    ];
    view! {
        <h3>"Why is it hard?"</h3>
        {words.map(|text| view! { <p>{prose(text)}</p> })}
        <Make
            ids=["memory-expressions", "memory-make", "memory-make-trouble"]
            label="Regular expressions with & between them, such as a+ & aa"
            first="a+ & aa"
            title="Make their machine"
            make=automata_text
        />
    }
}

/// What can be decided of all runs.
#[component]
fn Decidable() -> impl IntoView {
    // With places where the words of narrow columns may be broken.
    let rows = [
        ["Any finite automaton", "unde\u{ad}cid\u{ad}able [1]", "unde\u{ad}cid\u{ad}able [2]", "not known to us"],
        ["Data-inde\u{ad}pendent (here)", "not known to us", "poly\u{ad}nomial [2], O(n⁵) [3]", "PSPACE-complete [3]"],
    ];
    let sources = [
        "[1] R. Alur, K. McMillan, D. Peled. Model-checking of correctness conditions for concurrent objects. Information and Computation 160, 2000.",
        "[2] A. Bouajjani, C. Enea, R. Guerraoui, J. Hamza. On verifying causal consistency. POPL 2017.",
        "[3] S. Grahn. Concurrency: Models, Algorithms, and Verification. PhD thesis, Uppsala, 2026, chapter 5.",
    ];
    view! {
        <h3>"What can be decided of all runs"</h3>
        <table class="inquiry-table memory-table" id="memory-decidable">
            <thead>
                <tr>
                    {["Imple\u{ad}mentation", "SC", "WRA", "RA, SRA"].map(|title| view! { <th scope="col">{title}</th> })}
                </tr>
            </thead>
            <tbody>
                {rows.map(|[name, cells @ ..]| view! {
                    <tr>
                        <th scope="row">{name}</th>
                        {cells.map(|cell| view! { <td>{cell}</td> })}
                    </tr>
                })}
            </tbody>
        </table>
        <p class="inquiry-note">
            "Data-independent: the machine moves values and never looks at them. For SC, TSO and the other models, \
             only the current run is checked."
        </p>
        {sources.map(|source| view! { <p class="inquiry-note">{source}</p> })}
    }
}

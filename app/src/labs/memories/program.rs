//! A program on the memory: a litmus test whose reads and writes the memory answers, and how its outcomes compare with the models'.

use leptos::prelude::*;
use leptos::task::spawn_local;
use litmoscope::memories::{OutcomeRow, ProgramRun, ProgramView};

use super::inquiry::Inquiry;
use super::trial::Trial;
use crate::app::App;
use crate::document::examples::{Example, PROGRAMS, examples as index};
use crate::ui::prose::prose;

/// Programs of the gallery that a memory can answer. The first is there until somebody takes another one.
const OFFERED: [&str; 13] = [
    "sb.lit",
    "sb-fences.lit",
    "sb3.lit",
    "mp.lit",
    "lb.lit",
    "corr.lit",
    "corr2.lit",
    "wrc.lit",
    "iriw.lit",
    "isa2.lit",
    "rwc.lit",
    "peterson.lit",
    "dekker.lit",
];

/// The program and what comes of it.
#[component]
pub fn Program() -> impl IntoView {
    let (app, trial) = (App::get(), Inquiry::get().trial);
    let offered = RwSignal::new(Vec::<Example>::new());
    spawn_local(async move {
        let mut all = index(&[PROGRAMS]).await.unwrap_or_default();
        let place = |example: &Example| OFFERED.iter().position(|file| *file == example.file);
        all.retain(|example| place(example).is_some());
        all.sort_by_key(place);
        let first = all.first().cloned();
        offered.set(all);
        if let Some(first) = first.filter(|_| trial.text.with_untracked(String::is_empty)) {
            open(app, trial, first).await;
        }
    });
    let options = move || {
        let option = |example: Example| {
            view! { <option value=example.file.clone()>{format!("{}: {}", example.name, example.title)}</option> }
        };
        offered.get().into_iter().map(option).collect_view()
    };
    let choose = move |file: String| {
        let example = offered.with_untracked(|all| all.iter().find(|example| example.file == file).cloned());
        if let Some(example) = example {
            spawn_local(open(app, trial, example));
        }
    };
    let run = move || trial.taken.set(trial.text.get_untracked());
    let changed = move || trial.text.with(|text| trial.taken.with(|taken| text != taken));
    view! {
        <p class="inquiry-note">
            "A litmus test whose reads, writes and fences this memory answers. Its threads and variables are those of the memory, in order."
        </p>
        <div class="memory-limit">
            <select
                id="memory-program-example"
                aria-label="Litmus tests"
                on:change:target=move |event| {
                    let file = event.target().value();
                    event.target().set_value("");
                    choose(file);
                }
            >
                <option value="">"Litmus tests…"</option>
                {options}
            </select>
            <Show
                when=move || trial.running.get()
                fallback=move || view! {
                    <button type="button" id="memory-program-run" class="primary" title="Ctrl Enter in the program" on:click=move |_| run()>
                        "Run it"
                    </button>
                }
            >
                <button type="button" id="memory-program-stop" on:click=move |_| trial.stop()>"Stop"</button>
            </Show>
            <span class="inquiry-note">{move || changed().then_some("The program has changed.")}</span>
        </div>
        <textarea
            id="memory-program-text"
            aria-label="Program for this memory"
            aria-invalid=move || trial.wrong.with(Option::is_some).to_string()
            rows="8"
            wrap="off"
            spellcheck="false"
            autocomplete="off"
            autocapitalize="off"
            prop:value=trial.text
            on:input:target=move |event| trial.text.set(event.target().value())
            on:keydown=move |event| {
                if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
                    event.prevent_default();
                    run();
                }
            }
        ></textarea>
        {move || trial.wrong.get().map(|wrong| view! { <pre class="memory-wrong" id="memory-program-wrong" role="alert">{wrong}</pre> })}
        <p class="inquiry-trouble" role="status">{move || trial.trouble.get().map(|trouble| prose(&trouble))}</p>
        <Found />
    }
}

async fn open(app: App, trial: Trial, example: Example) {
    match example.text().await {
        Ok(text) => trial.take(text),
        Err(error) => app.complain(&error),
    }
}

/// What came of it.
#[component]
fn Found() -> impl IntoView {
    let inquiry = Inquiry::get();
    let trial = inquiry.trial;
    let part = move |of: fn(&ProgramView) -> Vec<String>| {
        Memo::new(move |_| trial.view.with(|view| view.as_ref().map(|view| of(view)).unwrap_or_default()))
    };
    let head = part(|view| {
        let said = view.grown.iter().chain([&view.size]).chain(&view.bounds).chain(&view.condition);
        said.filter(|said| !said.is_empty()).cloned().collect()
    });
    let comparison = part(|view| view.comparison.clone());
    let exploring = part(|view| view.exploring.clone().into_iter().collect());
    let outcomes = Memo::new(move |_| trial.view.with(|view| view.as_ref().map(|view| view.outcomes.clone())));
    let left_out = part(|view| view.left_out.clone().into_iter().collect());
    let faults =
        Memo::new(move |_| trial.view.with(|view| view.as_ref().map(|view| view.faults.clone()).unwrap_or_default()));
    let show = move |place: usize, run: String| {
        trial.chosen.set(Some(place));
        inquiry.show_run(run);
    };
    let pressed = move |place: usize| (trial.chosen.get() == Some(place)).to_string();
    let row = move |(place, OutcomeRow { state, is_asked, allowed, run }): (usize, OutcomeRow)| {
        let ProgramRun { said, text, .. } = run;
        view! {
            <tr>
                <th scope="row">
                    <button type="button" title="Show a shortest run" aria-pressed=move || pressed(place) on:click=move |_| show(place, text.clone())>
                        <span class="memory-tuple">{state}</span>
                        {is_asked.then(|| view! { <small>"asked for"</small> })}
                    </button>
                </th>
                <td>{said}</td>
                <td>{allowed.unwrap_or_else(|| "…".to_owned())}</td>
            </tr>
        }
    };
    let fault = move |(place, ProgramRun { said, text, .. }): (usize, ProgramRun)| {
        view! {
            <li>
                <button type="button" class="inquiry-told" aria-pressed=move || pressed(place) on:click=move |_| show(place, text.clone())>
                    {said}
                </button>
            </li>
        }
    };
    let lines = move |all: Vec<String>| all.into_iter().map(|said| view! { <p>{prose(&said)}</p> }).collect_view();
    view! {
        <div class="memory-found" id="memory-program-found" aria-busy=move || trial.running.get().to_string()>
            {move || lines(head.get())}
            {move || {
                outcomes.get().filter(|all| !all.is_empty()).map(|all| view! {
                    <table class="inquiry-table memory-table" id="memory-outcomes">
                        <thead>
                            <tr>
                                {["Outcome", "Shortest run", "Models"].map(|title| view! { <th scope="col">{title}</th> })}
                            </tr>
                        </thead>
                        <tbody>{all.into_iter().enumerate().map(row).collect_view()}</tbody>
                    </table>
                })
            }}
            {move || lines(left_out.get())}
            {move || {
                let (faults, first) = (faults.get(), outcomes.with(|all| all.as_ref().map_or(0, Vec::len)));
                (!faults.is_empty()).then(|| view! {
                    <ol id="memory-faults">{(first..).zip(faults).map(fault).collect_view()}</ol>
                })
            }}
            {move || lines(comparison.get())}
            {move || {
                let exploring = exploring.get();
                exploring.first().filter(|_| trial.running.get()).map(|model| view! {
                    <p class="inquiry-note">{format!("For comparison, the program is being explored under {model}.")}</p>
                })
            }}
            <Chosen />
        </div>
    }
}

/// The run that is shown, with the program's values.
#[component]
fn Chosen() -> impl IntoView {
    let trial = Inquiry::get().trial;
    let chosen = Memo::new(move |_| {
        let place = trial.chosen.get()?;
        trial.view.with(|view| {
            let view = view.as_ref()?;
            let faults = view.faults.get(place.saturating_sub(view.outcomes.len()));
            let run = view.outcomes.get(place).map(|outcome| &outcome.run).or(faults)?;
            Some(run.steps.clone())
        })
    });
    let step = |(operation, value): (String, Option<String>)| {
        let value = value.map(|value| view! { <span class="memory-event">"value "{value}</span> });
        view! { <li><span class="memory-tuple">{operation}</span>{value}</li> }
    };
    move || {
        chosen.get().map(|steps| {
            view! {
                <h3>"Its run, with the program's values"</h3>
                <ol class="memory-values" id="memory-program-steps">{steps.into_iter().map(step).collect_view()}</ol>
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use litmoscope::memories::{ProgramRequest, ProgramTrial};

    use super::super::inquiry::CONFIGURATIONS;

    #[test]
    fn memories_can_answer_what_is_offered() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../public");
        let read = |file: &str| std::fs::read_to_string(format!("{folder}/{file}")).expect("it is there");
        for file in OFFERED {
            let (text, program) = (read("protocols/tso.protocol"), read(file));
            let request = ProgramRequest { text, program, limit: CONFIGURATIONS, ..ProgramRequest::default() };
            let mut trial = ProgramTrial::new(&request).unwrap_or_else(|wrong| panic!("{file}: {wrong:?}"));
            trial.go_on();
            let view = trial.view();
            assert!(!view.outcomes.is_empty() && view.bounds.is_empty(), "{file}: {view:?}");
        }
    }
}

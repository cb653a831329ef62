//! The panel: an execution with its cycle, and beside it what was found, the program, or the reader's own try.

use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::document::{Kind, PROGRAM};
use litmoscope::repair::RepairSheet;
use litmoscope::repair::view::{LineView, PlaceView, RepairRequest, RowView, tables};
use litmoscope::words::{count, grouped};

use super::inquiry::Inquiry;
use super::worker::ID;
use crate::app::App;
use crate::app::inquiry::Inquires;
use crate::app::inquiry::fields::choice;
use crate::app::inquiry::head::{Head, verdict};
use crate::app::inquiry::sheets::sheets;
use crate::app::inquiry::steps::{Caption, WayThrough};
use crate::app::inquiry::told::Drawn;
use crate::app::inquiry::walk::Walk;
use crate::app::offers::{Desk, Examples};
use crate::document::examples;
use crate::ui::prose::prose;

/// The panel.
#[component]
pub fn Repair() -> impl IntoView {
    let app = App::get();
    let inquiry = Inquiry::new(app);
    let open = inquiry.arrive(None);
    let own = Memo::new(move |_| app.document.text.with(|text| Kind::of(text).is(&PROGRAM)));
    inquiry.follow_text(open, own, move |text| inquiry.take(text));
    inquiry.follow_request(open);
    inquiry.follow_model();
    inquiry.follow_search();
    inquiry.follow_play();
    let empty = Signal::derive(move || !own.get() || inquiry.view.with(Option::is_none));
    view! {
        <div class="why-not inquiry repair" data-over=move || (!inquiry.running.get() && !inquiry.is_searching()).to_string()>
            <Head
                ids=["repair-status", "repair-stop", "repair-again", "repair-close"]
                question="What would forbid this, and what is not needed?"
                status=Signal::derive(move || inquiry.status(|view| view.name.clone()))
                running=inquiry.running
                stop=move |()| inquiry.give_up()
                stopped=Signal::derive(move || inquiry.is_stopped())
                again=move |()| inquiry.ask()
            >
                <Examples id="repair-example" label="Example programs" indexes=&[examples::REPAIR] />
            </Head>
            <Options />
            <Outcome />
            <Answer />
            <div class="inquiry-body" class:alone=empty>
                <div class="inquiry-drawing" class:away=empty>
                    <WayThrough
                        walk=inquiry
                        ids=["repair-back-all", "repair-back", "repair-forward", "repair-forward-all", "repair-play", "repair-place"]
                        label="What was found"
                        place=inquiry.part(|view| (view.chosen, view.rows.len() as u32))
                    />
                    <Caption id="repair-caption" label="What this execution is">{caption(inquiry)}</Caption>
                    <Execution />
                </div>
                <Sheets empty />
            </div>
        </div>
    }
}

fn caption(inquiry: Inquiry) -> impl IntoView + use<> {
    let said = inquiry.part(|view| view.caption.clone());
    move || prose(&said.get())
}

/// A box that is ticked or not.
fn tick(
    id: &'static str,
    label: &'static str,
    now: fn(&RepairRequest) -> bool,
    set: fn(&mut RepairRequest, bool),
) -> impl IntoView {
    let inquiry = Inquiry::get();
    let checked = Memo::new(move |_| inquiry.request.with(now));
    view! {
        <label class="inquiry-field" for=id>
            <input
                type="checkbox"
                id=id
                prop:checked=checked
                on:change:target=move |event| {
                    let on = event.target().checked();
                    inquiry.choose(|request| set(request, on));
                }
            />
            " "{label}
        </label>
    }
}

/// What may be changed, and what that costs.
#[component]
fn Options() -> impl IntoView {
    let inquiry = Inquiry::get();
    let weaken = Memo::new(move |_| inquiry.request.with(|request| request.weaken));
    let costs = Memo::new(move |_| inquiry.request.with(|request| request.costs.clone()));
    let asks = move || {
        let names = ["repairs", "weakenings"].map(str::to_owned);
        let at = usize::from(weaken.get());
        view! { <label class="inquiry-field" for="repair-asks">"find "{choice("repair-asks", names, Some(at), "", move |at| inquiry.choose(|request| request.weaken = at == 1))}</label> }
    };
    let table = move || {
        let all = tables();
        let at = all.iter().position(|(name, _)| *name == costs.get());
        let names: Vec<String> =
            all.iter().map(|(name, _)| if name.is_empty() { "as usual" } else { name }.to_owned()).collect();
        let choose = move |at: usize| {
            let name = tables().get(at).map_or("", |table| table.0).to_owned();
            inquiry.choose(|request| request.costs = name);
        };
        view! { <label class="inquiry-field" for="repair-costs">"costs "{choice("repair-costs", names, at, "", choose)}</label> }
    };
    view! {
        <Desk lab=ID>
            <div class="inquiry-options repair-options">
                {asks}
                {tick("repair-fences", "fences", |request| !request.no_fences, |request, on| request.no_fences = !on)}
                {tick("repair-modes", "modes", |request| !request.no_modes, |request, on| request.no_modes = !on)}
                {tick("repair-exchanges", "exchanges", |request| !request.no_exchanges, |request, on| request.no_exchanges = !on)}
                {table}
            </div>
        </Desk>
    }
}

/// What is not to happen.
#[component]
fn Outcome() -> impl IntoView {
    let inquiry = Inquiry::get();
    let weaken = Memo::new(move |_| inquiry.request.with(|request| request.weaken));
    let asked = Memo::new(move |_| inquiry.request.with(|request| request.outcome.clone()));
    let wrong = inquiry.part(|view| view.wrong.clone());
    let names = inquiry.part(|view| view.names.clone());
    let line = RwSignal::new(String::new());
    Effect::new(move |_| line.set(asked.get()));
    let go = move || {
        let outcome = line.get_untracked();
        inquiry.choose(|request| request.outcome = outcome);
    };
    let about = move || {
        let names = names.get();
        if names.is_empty() { String::new() } else { format!("It can be about {}.", names.join(", ")) }
    };
    let trouble = move || {
        wrong.get().map(|(message, at)| {
            let before: String = asked.get().chars().take(at.saturating_sub(1) as usize).map(|_| ' ').collect();
            view! {
                <pre class="repair-caret">{asked.get()}"\n"{before}"^"</pre>
                <p class="inquiry-trouble" id="repair-wrong" role="alert">{prose(&message)}"."</p>
            }
        })
    };
    view! {
        <div class="repair-outcome" class:away=weaken>
            <label for="repair-outcome">"Forbid this outcome, or what the text forbids or asks for"</label>
            <div class="inquiry-make">
                <input
                    type="text"
                    id="repair-outcome"
                    autocomplete="off"
                    spellcheck="false"
                    title=about
                    aria-invalid=move || wrong.with(Option::is_some).to_string()
                    prop:value=line
                    on:input:target=move |event| line.set(event.target().value())
                    on:keydown=move |event| {
                        if event.key() == "Enter" {
                            go();
                        }
                    }
                />
                <button type="button" id="repair-ask" class="primary" on:click=move |_| go()>"Ask"</button>
            </div>
            {trouble}
        </div>
        <div class="repair-outcome" class:away=move || !weaken.get()>
            {tick("repair-same", "no new outcome at all; else, nothing may go wrong", |request| request.same_outcomes, |request, on| request.same_outcomes = on)}
        </div>
    }
}

/// What comes out.
#[component]
fn Answer() -> impl IntoView {
    let inquiry = Inquiry::get();
    let sentence = inquiry.part(|view| view.sentence.clone());
    let good = inquiry.part(|view| view.good);
    let notes = inquiry.part(|view| view.notes.clone());
    let shown = move || {
        let (class, sign) = if good.get().is_some() { verdict(good.get()) } else { ("", "") };
        view! { <strong class=class><span aria-hidden="true">{sign}</span>" "{prose(&sentence.get())}</strong> }
    };
    view! {
        <p class="inquiry-sentence" id="repair-answer" aria-live="polite" class:away=move || sentence.with(String::is_empty)>{shown}</p>
        {move || notes.get().into_iter().map(|note| view! { <p class="inquiry-note repair-note">{prose(&note)}</p> }).collect_view()}
    }
}

/// The execution, before or behind the changes.
#[component]
fn Execution() -> impl IntoView {
    let inquiry = Inquiry::get();
    let drawing =
        Memo::new(move |_| inquiry.view.with(|view| view.as_ref().and_then(|view| view.drawing.clone()).map(Arc::new)));
    let made = inquiry.part(|view| view.made.clone());
    let place = inquiry.part(|view| view.executions);
    let can_turn = Memo::new(move |_| {
        let weaken = inquiry.request.with(|request| request.weaken);
        inquiry.view.with(|view| view.as_ref().is_some_and(|view| weaken && view.executions.1 > 0 || view.chosen > 0))
    });
    let before = Memo::new(move |_| inquiry.request.with(|request| request.before));
    let turn = move || {
        let weaken = inquiry.request.with(|request| request.weaken);
        match (weaken, before.get()) {
            (false, false) => "Show it before the changes",
            (false, true) => "Show what rules it out",
            (true, false) => "Show what rules it out now",
            (true, true) => "Show it as it would be there",
        }
    };
    let go = move |by: u32| {
        let (now, all) = place.get_untracked();
        if all > 0 {
            inquiry.look(|request| request.execution = (now + by) % all);
        }
    };
    view! {
        <div class="inquiry-steps repair-executions" role="group" aria-label="Executions" class:away=move || place.get().1 == 0>
            <button type="button" id="repair-other" class:away=move || place.get().1 < 2 on:click=move |_| go(1)>"Next execution"</button>
            <span class="step-place" id="repair-execution">
                {move || format!("execution {} of {}", place.get().0 + 1, grouped(place.get().1.into()))}
            </span>
            <button type="button" id="repair-before" class:away=move || !can_turn.get() on:click=move |_| inquiry.look(|request| request.before = !request.before)>
                {turn}
            </button>
        </div>
        <Drawn drawing ids=["repair-stage", "repair-graph"] name="Execution" lights=made />
    }
}

/// What is told beside the drawing.
#[component]
fn Sheets(empty: Signal<bool>) -> impl IntoView {
    let inquiry = Inquiry::get();
    let only = Signal::derive(move || empty.get().then_some(RepairSheet::Found));
    let tabs = [
        (RepairSheet::Found, "repair-found-tab", "Found".into()),
        (RepairSheet::Program, "repair-program-tab", "Program".into()),
        (RepairSheet::Own, "repair-own-tab", "Find it yourself".into()),
    ];
    sheets(
        tabs,
        inquiry.sheet.into(),
        only,
        move |sheet| inquiry.open_sheet(sheet),
        |sheet| match sheet {
            RepairSheet::Found => view! { <Found /> }.into_any(),
            RepairSheet::Program => view! { <Listing /> }.into_any(),
            RepairSheet::Own => view! { <Own /> }.into_any(),
        },
    )
}

/// What was found, the cheapest first.
#[component]
fn Found() -> impl IntoView {
    let inquiry = Inquiry::get();
    let rows = inquiry.part(|view| view.rows.clone());
    let more = inquiry.part(|view| view.more);
    let now = inquiry.part(|view| view.chosen);
    let needed = inquiry.part(|view| view.needed.clone());
    let is_there = inquiry.part(|view| !view.rows.is_empty());
    let row = move |(at, RowView { cost, changes, note }): (usize, RowView)| {
        let number = at as u32 + 1;
        let is_now = move || now.get() == number;
        view! {
            <li>
                <button
                    type="button"
                    class="inquiry-row repair-row"
                    aria-current=move || is_now().then_some("true")
                    on:click=move |_| inquiry.go_to(number)
                >
                    <b>{number}". cost "{grouped(cost)}</b>
                    {(!note.is_empty()).then(|| format!(" ({note})"))}
                    {changes.into_iter().map(|change| view! { <span class="repair-change">{change}</span> }).collect_view()}
                </button>
            </li>
        }
    };
    let see = move |(at, (what, why)): (usize, (String, String))| {
        view! {
            <li>
                <button type="button" class="inquiry-told" on:click=move |_| inquiry.look(|request| request.execution = at as u32)>
                    <b>{what}</b>" "<span>{why}</span>
                </button>
            </li>
        }
    };
    view! {
        <p class="empty" class:away=is_there>"Nothing to list."</p>
        <ol id="repair-found">{move || rows.get().into_iter().enumerate().map(row).collect_view()}</ol>
        <p class="inquiry-note" class:away=move || more.get() == 0>
            {move || format!("and {} more, which the command line prints", grouped(more.get().into()))}
        </p>
        <div class:away=move || needed.with(Vec::is_empty)>
            <h3>"Needed, and what it sees to"</h3>
            <ol id="repair-needed">{move || needed.get().into_iter().enumerate().map(see).collect_view()}</ol>
        </div>
    }
}

/// The program, line by line, with what is changed and what could be.
#[component]
fn Listing() -> impl IntoView {
    let (app, inquiry) = (App::get(), Inquiry::get());
    let lines = inquiry.part(|view| view.lines.clone());
    let places = inquiry.part(|view| view.places.len() as u64);
    let changed = inquiry.part(|view| view.changed.clone());
    let line = move |LineView { number, text, notes, gaps, places, kept }: LineView| {
        let class = match (number, notes.is_empty()) {
            (0, _) => "put",
            (_, false) => "changed",
            (_, true) if kept => "kept",
            (_, true) if gaps.len() + places.len() > 0 => "place",
            (_, true) => "",
        };
        let can_stay = number > 0 && (kept || gaps.len() + places.len() > 0);
        let number = match (number, can_stay) {
            (0, _) => view! { <b>"+"</b> }.into_any(),
            (number, false) => view! { <b>{number}</b> }.into_any(),
            (number, true) => view! {
                <button
                    type="button"
                    title="Leave this line alone, or no longer"
                    aria-label=format!("line {number}: leave it alone")
                    aria-pressed=kept.to_string()
                    on:click=move |_| inquiry.toggle_kept(number)
                >
                    {number}
                </button>
            }
            .into_any(),
        };
        let notes = (!notes.is_empty()).then(|| view! { <small>{prose(&notes.join("; "))}</small> });
        view! { <li class=class>{number}<code>{text}</code>{notes}</li> }
    };
    let take = move |_| {
        if let Some(text) = changed.get_untracked() {
            app.take_text(text);
        }
    };
    let none = move || changed.with(Option::is_none);
    view! {
        <p class="inquiry-note">
            {move || format!("{} could be changed, where the bar is dotted. Press the number of a line that is to stay as it is.", count(places.get(), "place"))}
        </p>
        <div class="repair-tools">
            <button type="button" id="repair-take" class="primary" disabled=none on:click=take>
                "Open the changed program"
            </button>
            <button
                type="button"
                id="repair-both"
                disabled=none
                title="Explore the program and the changed one, step by step"
                on:click=move |_| inquiry.show_both()
            >
                "Both side by side"
            </button>
        </div>
        <div class="repair-listing" tabindex="0" role="group" aria-label="The program, line by line">
            <ol class="repair-lines" id="repair-lines">{move || lines.get().into_iter().map(line).collect_view()}</ol>
        </div>
    }
}

/// The reader's own try: what is put between the lines, and how strong the accesses on them are.
#[component]
fn Own() -> impl IntoView {
    let inquiry = Inquiry::get();
    let shown = inquiry.part(|view| (view.lines.clone(), view.places.clone()));
    let places = inquiry.part(|view| view.places.clone());
    let said = inquiry.part(|view| view.own.as_ref().map(|own| (own.sentence.clone(), own.good)).unwrap_or_default());
    let set = move |at: u32, level: u8| {
        let mut own: Vec<u8> = places.with_untracked(|places| places.iter().map(|place| place.level).collect());
        if let Some(own) = own.get_mut(at as usize) {
            *own = level;
        }
        inquiry.look(|request| request.own = Some(own));
    };
    let levels = move |at: u32, PlaceView { place, text, levels, level, .. }: PlaceView| {
        let option = |(own, name): (usize, String)| {
            view! { <option value=own.to_string() selected=own == usize::from(level)>{name}</option> }
        };
        view! {
            <select
                id=format!("repair-place-{at}")
                aria-label=format!("{place}: {text}")
                title=format!("{place}: {text}")
                class:set={level > 0}
                on:change:target=move |event| {
                    if let Ok(level) = event.target().value().parse() {
                        set(at, level);
                    }
                }
            >
                {levels.into_iter().enumerate().map(option).collect_view()}
            </select>
        }
    };
    let gap = move |at: u32, place: PlaceView| {
        if place.level > 0 {
            return levels(at, place).into_any();
        }
        let strongest = place.levels.len() as u8 - 1;
        let label =
            format!("{}: put a {} {}", place.place, place.levels.last().cloned().unwrap_or_default(), place.text);
        view! {
            <button
                type="button"
                class="repair-gap"
                id=format!("repair-place-{at}")
                title=label.clone()
                aria-label=label
                on:click=move |_| set(at, strongest)
            >
                "+ "{place.owner}
            </button>
        }
        .into_any()
    };
    let line = move |line: LineView, places: &[PlaceView]| {
        let of = |at: &u32| Some((*at, places.get(*at as usize)?.clone()));
        let gaps: Vec<_> = line.gaps.iter().filter_map(of).collect();
        let own: Vec<_> = line.places.iter().filter_map(of).collect();
        let is_set = gaps.iter().any(|(_, place)| place.level > 0);
        let gaps = (!gaps.is_empty()).then(|| {
            let all = gaps.into_iter().map(|(at, place)| gap(at, place)).collect_view();
            view! { <li class="gap" class:put=is_set><b></b><span>{all}</span></li> }
        });
        let is_changed = own.iter().any(|(_, place)| place.level > 0);
        // Where threads stand beside each other, each says whose it is.
        let many = own.iter().any(|(_, place)| place.owner != own[0].1.owner);
        let named = |(at, place): (u32, PlaceView)| {
            let owner = many.then(|| view! { <small>{place.owner.clone()}</small> });
            view! { {owner} {levels(at, place)} }
        };
        let own = own.into_iter().map(named).collect_view();
        view! {
            {gaps}
            <li class:changed=is_changed><b>{line.number}</b><span><code>{line.text}</code>{own}</span></li>
        }
    };
    let lines = move || {
        let (lines, places) = shown.get();
        lines.into_iter().filter(|line| line.number > 0).map(|own| line(own, &places)).collect_view()
    };
    let answer = move || {
        let (sentence, good) = said.get();
        (!sentence.is_empty()).then(|| {
            let (class, sign) = verdict(good);
            view! { <strong class=class><span aria-hidden="true">{sign}</span>" "{sentence}</strong> }
        })
    };
    view! {
        <p class="inquiry-note">"Press + between lines to put a fence there, or choose what an access is. An execution that still gets through is drawn."</p>
        <p id="repair-tried" aria-live="polite">{answer}</p>
        <div class="repair-listing" tabindex="0" role="group" aria-label="The program, with what you change">
            <ol class="repair-lines" id="repair-places">{lines}</ol>
        </div>
        <button type="button" id="repair-clear" on:click=move |_| inquiry.look(|request| request.own = None)>"Take all back"</button>
    }
}

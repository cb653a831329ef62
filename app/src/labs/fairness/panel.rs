//! The panel: the graph with one or two algorithms, and what is told beside it.

use leptos::prelude::*;
use litmoscope::document::{FAIRNESS, FAIRNESS_READER, Kind, PROGRAM, fairness_reader};
use litmoscope::fairness::view::{FairnessRequest, Limit, Pace, Promise, Setup};

use super::graph::{Graph, side_part};
use super::growth::GrowthSheet;
use super::inquiry::{Inquiry, Sheet, Steps};
use super::starve::StarveSheet;
use super::told::{Algorithm, Chance, Diagram, StepList};
use super::worker::ID;
use crate::app::App;
use crate::app::inquiry::Inquires;
use crate::app::inquiry::fields::choice;
use crate::app::inquiry::head::{Head, verdict};
use crate::app::inquiry::sheets::sheets;
use crate::app::inquiry::steps::{Caption, WayThrough};
use crate::app::inquiry::walk::Walk;
use crate::app::offers::{Desk, Examples};
use crate::document::examples;
use crate::ui::prose::prose;

/// The panel.
#[component]
pub fn Fairness() -> impl IntoView {
    let app = App::get();
    let inquiry = Inquiry::new(app);
    let open = inquiry.arrive(Some((&FAIRNESS_READER, fairness_reader())));
    let own = Memo::new(move |_| {
        let kind = app.document.text.with(|text| Kind::of(text));
        kind.is(&FAIRNESS) || kind.is(&PROGRAM)
    });
    inquiry.follow_text(open, own, move |text| inquiry.take(text));
    inquiry.follow_request(open);
    inquiry.follow_growth();
    Steps(inquiry).follow_play();
    super::inquiry::Rounds(inquiry).follow_play();
    let empty = Signal::derive(move || !own.get() || inquiry.view.with(Option::is_none));
    view! {
        <div class="why-not inquiry fairness" data-over=move || (!inquiry.running.get() && !inquiry.is_growing()).to_string()>
            <Head
                ids=["fairness-status", "fairness-stop", "fairness-again", "fairness-close"]
                question="Who can starve, though the scheduler is fair?"
                status=Signal::derive(move || inquiry.status(|view| view.name.clone()))
                running=inquiry.running
                stop=move |()| inquiry.give_up()
                stopped=Signal::derive(move || inquiry.is_stopped())
                again=move |()| inquiry.ask()
            >
                <Examples id="fairness-example" label="Example graphs and programs" indexes=&[examples::FAIRNESS] />
            </Head>
            <Options />
            <Answer />
            <div class="inquiry-body" class:alone=empty>
                <div class="inquiry-drawing" class:away=empty>
                    <Way />
                    <Sides />
                    <Key />
                </div>
                <Sheets empty />
            </div>
        </div>
    }
}

/// How an algorithm goes.
fn setup(
    name: &'static str,
    ids: [&'static str; 3],
    now: impl Fn(&FairnessRequest) -> Option<Setup> + Copy + Send + Sync + 'static,
    set: impl Fn(&mut FairnessRequest, Setup) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let inquiry = Inquiry::get();
    let own = Memo::new(move |_| inquiry.request.with(now));
    let change = move |change: &dyn Fn(&mut Setup)| {
        let mut setup = own.get_untracked().unwrap_or_default();
        change(&mut setup);
        inquiry.choose(|request| set(request, setup));
    };
    let [way, limit, sets] = ids;
    let field =
        move |id: &'static str, label: &'static str, names: Vec<String>, at: usize, choose: Box<dyn Fn(usize)>| {
            view! { <label class="inquiry-field" for=id>{label}" "{choice(id, names, Some(at), "", choose)}</label> }
        };
    move || {
        own.get().map(|setup| {
            let ways = vec!["basic".to_owned(), "improved".to_owned()];
            let limits = Limit::ALL.map(|limit| limit.name().to_owned()).to_vec();
            let at = Limit::ALL.iter().position(|limit| *limit == setup.limit).unwrap_or(0);
            let backs = vec!["bits".to_owned(), "decision diagrams".to_owned()];
            view! {
                <span class="fair-setup" role="group" aria-label=name>
                    {field(way, name, ways, usize::from(!setup.basic), Box::new(move |at| change(&|setup| setup.basic = at == 0)))}
                    {(!setup.basic).then(|| field(limit, "decomposes anew from", limits, at, Box::new(move |at| {
                        change(&|setup| setup.limit = Limit::ALL[at.min(Limit::ALL.len() - 1)]);
                    })))}
                    {field(sets, "sets as", backs, usize::from(setup.diagrams), Box::new(move |at| change(&|setup| setup.diagrams = at == 1)))}
                </span>
            }
        })
    }
}

/// What algorithms there are, and what is promised.
#[component]
fn Options() -> impl IntoView {
    view! {
        <Desk lab=ID>
            <div class="inquiry-options fair-options">
                <Promised />
                {setup(
                    "algorithm",
                    ["fairness-way", "fairness-limit", "fairness-sets"],
                    |request| Some(request.first),
                    |request, setup| request.first = setup,
                )}
                <Beside />
                {setup(
                    "the other one",
                    ["fairness-way-2", "fairness-limit-2", "fairness-sets-2"],
                    |request| request.second,
                    |request, setup| request.second = Some(setup),
                )}
                <Paced />
            </div>
        </Desk>
    }
}

/// What is promised to the threads of a program.
#[component]
fn Promised() -> impl IntoView {
    let inquiry = Inquiry::get();
    let is_program = inquiry.part(|view| view.is_program);
    let now = Memo::new(move |_| inquiry.request.with(|request| request.promise));
    move || {
        is_program.get().then(|| {
            let names = Promise::ALL.map(|promise| promise.name().to_owned());
            let at = Promise::ALL.iter().position(|promise| *promise == now.get());
            let choose = move |at: usize| {
                let promise = Promise::ALL[at.min(2)];
                inquiry.choose(|request| request.promise = promise);
            };
            view! { <label class="inquiry-field" for="fairness-promise">"fairness "{choice("fairness-promise", names, at, "", choose)}</label> }
        })
    }
}

/// Whether there is another algorithm beside the first.
#[component]
fn Beside() -> impl IntoView {
    let inquiry = Inquiry::get();
    let is_there = move || inquiry.request.with(|request| request.second.is_some());
    let toggle = move |there: bool| {
        inquiry.choose(|request| {
            let other = Setup { basic: !request.first.basic, ..request.first };
            request.second = there.then_some(other);
            if !there {
                request.pace = Pace::Step;
            }
        });
    };
    view! {
        <label class="inquiry-field" for="fairness-beside">
            <input type="checkbox" id="fairness-beside" prop:checked=is_there on:change:target=move |event| toggle(event.target().checked()) />
            " another one beside it"
        </label>
    }
}

/// How the two go together.
#[component]
fn Paced() -> impl IntoView {
    const PACES: [(Pace, &str); 4] = [
        (Pace::Step, "the same step"),
        (Pace::Count, "the same count"),
        (Pace::First, "the first alone"),
        (Pace::Second, "the second alone"),
    ];
    let inquiry = Inquiry::get();
    let now = Memo::new(move |_| inquiry.request.with(|request| request.second.map(|_| request.pace)));
    let choose = move |at: usize| {
        let pace = PACES[at.min(PACES.len() - 1)].0;
        // Who goes on alone leaves the other where it is.
        let shown = inquiry.view.with_untracked(|view| {
            view.as_ref().map_or_else(Vec::new, |view| view.sides.iter().map(|side| side.step).collect::<Vec<_>>())
        });
        inquiry.request.update(|request| {
            match (pace, &shown[..]) {
                (Pace::First | Pace::Second, [first, second]) => (request.step, request.other) = (*first, *second),
                (Pace::Step, [first, _]) => request.step = *first,
                (Pace::Count, _) => request.step = 0,
                _ => {}
            }
            request.pace = pace;
        });
    };
    move || {
        now.get().map(|pace| {
            let at = PACES.iter().position(|(own, _)| *own == pace);
            let names = PACES.map(|(_, name)| name.to_owned());
            view! { <label class="inquiry-field" for="fairness-pace">"step by "{choice("fairness-pace", names, at, "", choose)}</label> }
        })
    }
}

/// What comes out, and the pairs that are asked about.
#[component]
fn Answer() -> impl IntoView {
    let inquiry = Inquiry::get();
    let sentence = inquiry.part(|view| view.sentence.clone());
    let wins = inquiry.part(|view| view.wins);
    let pairs = inquiry.part(|view| view.pairs.clone());
    let is_program = inquiry.part(|view| view.is_program);
    let shown = move || {
        // Of a program, whether that is good depends on the question.
        let (class, sign) = if is_program.get() { ("", "") } else { verdict(wins.get()) };
        view! { <strong class=class><span aria-hidden="true">{sign}</span>" "{prose(&sentence.get())}</strong> }
    };
    let pair = move |(at, pair): (u32, litmoscope::fairness::view::PairView)| {
        let id = format!("fairness-pair-{at}");
        let own = id.clone();
        let toggle = move |_| {
            inquiry.choose(|request| match request.off.iter().position(|other| *other == at) {
                Some(place) => drop(request.off.remove(place)),
                None => request.off.push(at),
            });
        };
        let on = pair.on;
        let input = pair.can_be_off.then(|| view! { <input type="checkbox" id=id prop:checked=on on:change=toggle /> });
        view! {
            <li title=pair.sentence>
                <label for=own>{input}" "<code>{pair.text.replace("->", "→")}</code></label>
            </li>
        }
    };
    view! {
        <p class="inquiry-sentence" id="fairness-answer" aria-live="polite" class:away=move || sentence.with(String::is_empty)>
            {shown}
        </p>
        <ul class="fair-pairs" id="fairness-pairs" aria-label="Pairs: who comes to the first again and again comes to the second" class:away=move || pairs.with(Vec::is_empty)>
            {move || pairs.get().into_iter().enumerate().map(|(at, own)| pair((at as u32, own))).collect_view()}
        </ul>
    }
}

/// The way through the steps.
#[component]
fn Way() -> impl IntoView {
    let inquiry = Inquiry::get();
    let counted = inquiry.part(|view| view.place.clone());
    view! {
        <WayThrough
            walk=Steps(inquiry)
            ids=["fairness-back-all", "fairness-back", "fairness-forward", "fairness-forward-all", "fairness-play", "fairness-place"]
            label="Steps of the algorithm"
            place=inquiry.part(|view| (view.step, view.all_steps))
        >
            <span class="step-place" id="fairness-count">{counted}</span>
        </WayThrough>
    }
}

/// One algorithm, or two.
#[component]
fn Sides() -> impl IntoView {
    let inquiry = Inquiry::get();
    let are_two = inquiry.part(|view| view.sides.len() > 1);
    let folded = inquiry.part(|view| view.folded.clone());
    view! {
        <p class="inquiry-note fair-note" class:away=move || folded.with(Option::is_none)>{folded}</p>
        <div class="fair-sides" class:two=are_two>
            <Side
                side=0
                ids=["fairness-first-stage", "fairness-first"]
                caption="fairness-caption"
                name="Graph, with the algorithm"
            />
            {move || are_two.get().then(|| view! {
                <Side
                    side=1
                    ids=["fairness-second-stage", "fairness-second"]
                    caption="fairness-caption-2"
                    name="Graph, with the other algorithm"
                />
            })}
        </div>
    }
}

/// An algorithm at a step: what it does, and the graph.
#[component]
fn Side(side: usize, ids: [&'static str; 2], caption: &'static str, name: &'static str) -> impl IntoView {
    let inquiry = Inquiry::get();
    let said = side_part(inquiry, side, |view| view.caption.clone());
    let title = side_part(inquiry, side, |view| (view.title.clone(), view.step, view.all));
    let steps = side_part(inquiry, side, |view| view.counters.first().map_or((0, 0), |own| (own.now, own.all)));
    let aside = side_part(inquiry, side, |view| view.aside.clone());
    let heading = move || {
        let ((title, step, all), (now, end)) = (title.get(), steps.get());
        format!("{title}: step {step} of {all}, {now} of {end} symbolic steps")
    };
    view! {
        <section class="fair-side" aria-label=name>
            <h3 class="fair-title">{heading}</h3>
            <Caption id=caption>{move || prose(&said.get())}</Caption>
            <Graph side ids name />
            <p class="fair-aside" class:away=move || aside.with(Vec::is_empty)>
                "Set aside: "
                {move || aside.get().into_iter().map(|set| view! { <b class="fair-set">{set}</b>" " }).collect_view()}
            </p>
        </section>
    }
}

/// What the looks of vertices mean.
#[component]
fn Key() -> impl IntoView {
    const KEYS: [(&str, &str); 8] = [
        ("candidate", "candidate"),
        ("bad", "bad"),
        ("removed", "removed"),
        ("wave", "attractor"),
        ("ring", "search forward"),
        ("ring backward", "search backward"),
        ("good", "good component"),
        ("winning", "one wins"),
    ];
    let inquiry = Inquiry::get();
    let by_chance = inquiry.part(|view| view.by_chance);
    let key = |(class, words): (&'static str, &'static str)| {
        view! { <li><span class=format!("fair-key {class}") aria-hidden="true"></span>" "{words}</li> }
    };
    view! {
        <ul class="fair-legend" aria-label="What vertices look like">
            {KEYS.map(key)}
            <li><b>"H"</b>" head, "<b>"T"</b>" tail"</li>
            <li class:away=move || !by_chance.get()><span class="fair-key random" aria-hidden="true"></span>" chance decides"</li>
        </ul>
    }
}

/// What is told beside the graph, one of several sheets.
#[component]
fn Sheets(empty: Signal<bool>) -> impl IntoView {
    let inquiry = Inquiry::get();
    let is_program = inquiry.part(|view| view.is_program);
    let by_chance = inquiry.part(|view| view.by_chance);
    // Without a graph there are no steps, which is said there.
    let only = Signal::derive(move || empty.get().then_some(Sheet::Steps));
    let tabs = [
        (Sheet::Starve, "fairness-starve-tab", "Who can starve?".into()),
        (Sheet::Algorithm, "fairness-algorithm-tab", "Algorithm".into()),
        (Sheet::Steps, "fairness-steps-tab", "Steps".into()),
        (Sheet::Chance, "fairness-chance-tab", "Dice".into()),
        (Sheet::Diagram, "fairness-diagram-tab", "Diagram".into()),
        (Sheet::Growth, "fairness-growth-tab", "Growth".into()),
    ];
    view! {
        <div class="fair-sheets" data-program=move || is_program.get().to_string() data-chance=move || by_chance.get().to_string()>
            {sheets(tabs, inquiry.sheet.into(), only, move |sheet| inquiry.open_sheet(sheet), |sheet| match sheet {
                Sheet::Starve => view! { <StarveSheet /> }.into_any(),
                Sheet::Algorithm => view! { <Algorithm /> }.into_any(),
                Sheet::Steps => view! { <StepList /> }.into_any(),
                Sheet::Chance => view! { <Chance /> }.into_any(),
                Sheet::Diagram => view! { <Diagram /> }.into_any(),
                Sheet::Growth => view! { <GrowthSheet /> }.into_any(),
            })}
        </div>
    }
}

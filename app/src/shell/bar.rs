//! The bar at the top, in groups: what I look at, what I open, what I show, settings and help.
//!
//! Each group has a menu, in which each entry says what it does. What is used most stands beside the menus, where there is
//! room.

use leptos::ev::{FocusEvent, KeyboardEvent, MouseEvent};
use leptos::html;
use leptos::prelude::*;
use litmoscope::report::Theme;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::commands::{self, PageCommand};
use super::handle::Shell;
use super::registry;
use crate::browser::observe_size;
use crate::browser::release_button;
use crate::ui::icons::{self, Icon};

/// What is in the menus, by the names of the commands.
const LABS: [&str; 5] = ["stepping", "models", "open-why", "open-check", "open-beside"];
const OPEN: [&str; 5] = ["open-gallery", "open-recent", "open-cycle", "new", "open-run"];
const SHOW: [&str; 6] = ["lecture", "open-lessons", "open-quiz", "open-scenes", "share", "open-sharing"];
const MORE: [&str; 4] = ["palette", "theme", "open-preferences", "open-help"];
/// Commands that have an element of their own elsewhere; their entry in a menu has another name.
const ELSEWHERE: [&str; 11] = [
    "stepping",
    "models",
    "open-why",
    "open-check",
    "open-beside",
    "open-gallery",
    "open-run",
    "palette",
    "theme",
    "open-preferences",
    "open-help",
];
/// How wide a menu is at most, in pixels; the style sheet has the same number.
const MENU: f64 = 360.0;
/// The room that the menu of the labs needs beside them, in pixels: alone, and if it says what is in it.
const LABS_MENU: (i32, i32) = (44, 88);

/// The bar.
#[component]
pub fn Header() -> impl IntoView {
    let shell = Shell::get();
    let app = shell.app;
    // Arrow keys make steps, unless somebody came here with the keyboard.
    let clicked = StoredValue::new(false);
    let by_keyboard = StoredValue::new(false);
    let keys = move |event: KeyboardEvent| keys(&event, by_keyboard.get_value());
    let sign = |sign: &'static str| view! { <span aria-hidden="true">{sign}</span> }.into_any();
    let find = view! {
        <Icon shape=icons::FIND />
        <span class="find-word">"Find"</span>
        <kbd aria-hidden="true">{if is_mac() { "⌘ K" } else { "Ctrl K" }}</kbd>
    };
    let theme = view! {
        <span aria-hidden="true">{move || if app.looks.theme.get() == Theme::Dark { "☀" } else { "☾" }}</span>
    };
    view! {
        <header
            class="top"
            on:keydown=keys
            on:pointerdown=move |_| clicked.set_value(true)
            on:focusin=move |_: FocusEvent| {
                by_keyboard.set_value(!clicked.get_value());
                clicked.set_value(false);
            }
        >
            <h1>"Litmoscope"</h1>
            <Labs />
            <nav class="actions" aria-label="Page">
                <div class="bar-group">
                    {tool(shell, "open-gallery", "open-gallery", "word", "Gallery".into_any())}
                    {menu(shell, "open", "Open", &OPEN, "Open".into_any())}
                </div>
                <div class="bar-group">{menu(shell, "show", "Show", &SHOW, "Show".into_any())}</div>
                <div class="bar-group">
                    {tool(shell, "open-palette", "palette", "find", find.into_any())}
                    {tool(shell, "theme", "theme", "icon-button", theme.into_any())}
                    {tool(
                        shell,
                        "open-preferences",
                        "open-preferences",
                        "icon-button",
                        view! { <Icon shape=icons::SETTINGS /> }.into_any(),
                    )}
                    {tool(shell, "open-help", "open-help", "icon-button", sign("?"))}
                    {menu(shell, "more", "Settings and help", &MORE, sign("⋯"))}
                </div>
            </nav>
        </header>
    }
}

fn is_mac() -> bool {
    window().navigator().platform().is_ok_and(|platform| platform.starts_with("Mac"))
}

/// How a button of the bar looks, and what it is called.
#[derive(Default)]
struct Face {
    id: Option<&'static str>,
    class: &'static str,
    title: Option<String>,
    label: Option<&'static str>,
    command: Option<&'static PageCommand>,
    /// The menu that it opens, or closes.
    menu: Option<String>,
    closes: bool,
}

/// A button: one shape for all of the bar, which costs the page's module less than one for each kind.
fn button(shell: Shell, face: Face, click: Box<dyn Fn(MouseEvent)>, inside: AnyView) -> AnyView {
    let on = face.command.and_then(|command| command.on);
    view! {
        <button
            type="button"
            id=face.id
            class=face.class
            title=face.title
            aria-label=face.label
            data-command=face.command.map(|command| command.id)
            aria-pressed=move || on.map(|on| on(shell.app).to_string())
            popovertarget=face.menu
            popovertargetaction=face.closes.then_some("hide")
            on:click=move |event| click(event)
        >
            {inside}
        </button>
    }
    .into_any()
}

/// What a click on the button of a command does.
fn run(shell: Shell, command: &'static PageCommand) -> Box<dyn Fn(MouseEvent)> {
    Box::new(move |event| {
        // Arrow keys go on making steps.
        release_button(&event);
        command.run(shell);
    })
}

/// A button that stands in the bar.
fn tool(shell: Shell, id: &'static str, command: &str, class: &'static str, inside: AnyView) -> Option<AnyView> {
    let command = commands::named(command)?;
    let face = Face { id: Some(id), class, title: Some(command.hint()), label: Some(command.title), ..Face::default() };
    Some(button(shell, face, run(shell, command), inside))
}

/// The labs: as many side by side as there is room for, all of them in the menu.
#[component]
fn Labs() -> impl IntoView {
    let shell = Shell::get();
    let app = shell.app;
    let frame = NodeRef::<html::Div>::new();
    let strip = NodeRef::<html::Div>::new();
    let room = RwSignal::new((0.0, 0.0));
    let fit = RwSignal::new(registry::LABS.len());
    observe_size(frame, room);
    Effect::new(move |_| {
        let (room, _) = room.get();
        app.looks.preferences.track();
        request_animation_frame(move || {
            let Some(strip) = strip.get_untracked() else { return };
            let tabs = strip.children();
            let tabs = (0..tabs.length()).filter_map(|at| tabs.item(at)?.dyn_into::<HtmlElement>().ok());
            let tabs: Vec<HtmlElement> = tabs.collect();
            let widths: Vec<i32> = tabs.iter().map(HtmlElement::offset_width).collect();
            let fitting = fitting(&widths, room as i32);
            for (at, tab) in tabs.iter().enumerate() {
                let _ = tab.class_list().toggle_with_force("over", at >= fitting);
            }
            if fit.try_get_untracked().is_some_and(|before| before != fitting) {
                fit.set(fitting);
            }
        });
    });
    let tab = move |lab: &'static registry::Entry| {
        let command = commands::named(lab.command)?;
        let title = Some(format!("{}: {}", command.hint(), command.about));
        let face = Face { id: Some(command.id), class: "lab", title, command: Some(command), ..Face::default() };
        Some(button(shell, face, run(shell, command), command.title.into_any()))
    };
    let hides = move || registry::LABS.iter().skip(fit.get()).any(|lab| lab.id == app.active.get());
    let name = move || match fit.get() {
        0 => "Labs",
        fit if fit < registry::LABS.len() => "More",
        _ => "",
    };
    view! {
        <nav class="labs" aria-label="Labs">
            <div class="labs-frame" class:hides=hides node_ref=frame>
                <div class="strip" node_ref=strip>{registry::LABS.iter().map(tab).collect_view()}</div>
                {menu(shell, "labs", "All labs", &LABS, view! { <span>{name}</span> }.into_any())}
            </div>
        </nav>
    }
}

/// How many of the first tabs stand beside the menu.
fn fitting(widths: &[i32], room: i32) -> usize {
    const GAP: i32 = 2;
    let taken = |count: usize| widths[..count].iter().map(|width| width + GAP).sum::<i32>();
    if taken(widths.len()) + LABS_MENU.0 <= room {
        return widths.len();
    }
    (0..widths.len()).rev().find(|&count| taken(count) + LABS_MENU.1 <= room).unwrap_or(0)
}

/// Puts a menu below the button that opens it.
fn place(event: &MouseEvent, menu: &str) {
    let button = event.current_target().and_then(|button| button.dyn_into::<Element>().ok());
    let menu = document().get_element_by_id(menu).and_then(|menu| menu.dyn_into::<HtmlElement>().ok());
    let (Some(button), Some(menu)) = (button, menu) else { return };
    let (button, room) = (button.get_bounding_client_rect(), document_width());
    let left = button.left().min(room - MENU.min(room - 16.0) - 8.0).max(8.0);
    let top = button.bottom() + 6.0;
    let style = HtmlElement::style(&menu);
    let most = format!("calc(100dvh - {}px)", top + 8.0);
    for (name, value) in [("left", format!("{left}px")), ("top", format!("{top}px")), ("max-height", most)] {
        let _ = style.set_property(name, &value);
    }
}

/// A button with the menu that it opens: each command of it with its key and what it does.
fn menu(
    shell: Shell,
    id: &'static str,
    title: &'static str,
    entries: &'static [&'static str],
    name: AnyView,
) -> AnyView {
    let menu = format!("{id}-menu");
    let entry = |name: &&'static str| {
        let command = commands::named(name)?;
        let face = Face {
            id: (!ELSEWHERE.contains(name)).then_some(command.id),
            class: "entry",
            command: Some(command),
            menu: Some(menu.clone()),
            closes: true,
            ..Face::default()
        };
        let inside = view! {
            <span class="entry-title">{command.title}</span>
            <kbd aria-hidden="true">{command.keys.first().map(ToString::to_string)}</kbd>
            <span class="entry-about">{command.about}</span>
        };
        Some(button(shell, face, run(shell, command), inside.into_any()))
    };
    let entries = entries.iter().map(entry).collect_view();
    let face = Face {
        id: Some(id),
        class: "menu-button",
        title: Some(title.to_owned()),
        label: Some(title),
        menu: Some(menu.clone()),
        ..Face::default()
    };
    let target = menu.clone();
    let inside = view! {
        {name}
        <span class="caret" aria-hidden="true"></span>
    };
    view! {
        {button(shell, face, Box::new(move |event| place(&event, &target)), inside.into_any())}
        <div id=menu class="menu" popover="auto" role="group" aria-label=title>{entries}</div>
    }
    .into_any()
}

fn document_width() -> f64 {
    document().document_element().map_or(0.0, |root| f64::from(root.client_width()))
}

fn menu_of(element: &Element) -> Option<Element> {
    element.closest(".menu").ok().flatten()
}

/// Whether a menu is open. Its keys are not the page's.
pub fn menu_is_open() -> bool {
    document().query_selector(".menu:popover-open").ok().flatten().is_some()
}

fn is_seen(element: &HtmlElement) -> bool {
    element.offset_width() > 0 && !element.class_list().contains("over")
}

/// All buttons below an element that are seen.
fn buttons(within: &Element, selector: &str) -> Vec<HtmlElement> {
    let Ok(found) = within.query_selector_all(selector) else { return Vec::new() };
    (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).filter(is_seen).collect()
}

/// Focuses the button that is so many behind the one with the focus, round and round.
fn move_focus(buttons: &[HtmlElement], now: &Element, by: isize) {
    let count = buttons.len() as isize;
    let at = buttons.iter().position(|button| button.is_same_node(Some(now))).map_or(0, |at| at as isize + by);
    if let Some(button) = (count > 0).then(|| &buttons[at.rem_euclid(count) as usize]) {
        let _ = button.focus();
    }
}

/// The keys of bar and menus.
fn keys(event: &KeyboardEvent, by_keyboard: bool) {
    let Some(now) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return;
    }
    let key = event.key();
    if let Some(menu) = menu_of(&now) {
        let entries = buttons(&menu, "button");
        match key.as_str() {
            "ArrowDown" => move_focus(&entries, &now, 1),
            "ArrowUp" => move_focus(&entries, &now, -1),
            "Home" | "End" => {
                if let Some(entry) = if key == "Home" { entries.first() } else { entries.last() } {
                    let _ = entry.focus();
                }
            }
            // The browser closes the menu, and nothing else is to end.
            "Escape" => {
                event.stop_propagation();
                return;
            }
            "ArrowLeft" | "ArrowRight" => {}
            _ => return,
        }
    } else {
        let menu = now.get_attribute("popovertarget").and_then(|id| document().get_element_by_id(&id));
        let open = menu.as_ref().is_some_and(|menu| menu.matches(":popover-open").unwrap_or(false));
        match (key.as_str(), menu) {
            ("Escape", Some(_)) if open => {
                event.stop_propagation();
                return;
            }
            ("ArrowDown", Some(menu)) if open || by_keyboard => {
                if let (false, Some(button)) = (open, now.dyn_ref::<HtmlElement>()) {
                    button.click();
                }
                if let Some(first) = buttons(&menu, "button").first() {
                    let _ = first.focus();
                }
            }
            ("ArrowLeft" | "ArrowRight", _) if by_keyboard => {
                let Some(bar) = now.closest(".top").ok().flatten() else { return };
                let mut all = buttons(&bar, "button");
                all.retain(|button| menu_of(button).is_none());
                move_focus(&all, &now, if key == "ArrowRight" { 1 } else { -1 });
            }
            _ => return,
        }
    }
    event.prevent_default();
    event.stop_propagation();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::commands::named;

    #[test]
    fn every_entry_of_a_menu_says_what_it_does() {
        let menus: [&[&str]; 4] = [&LABS, &OPEN, &SHOW, &MORE];
        for id in menus.into_iter().flatten() {
            let command = named(id).unwrap_or_else(|| panic!("there is no command {id}"));
            assert!(!command.about.is_empty(), "{id}");
        }
        assert!(registry::LABS.iter().map(|lab| lab.command).eq(LABS));
    }

    #[test]
    fn as_many_labs_stand_in_the_bar_as_there_is_room_for() {
        let widths = [80, 130, 80, 100, 110];
        assert_eq!(fitting(&widths, 600), 5);
        // The menu says what is in it as soon as not all are beside it.
        assert_eq!(fitting(&widths, 550), 4);
        assert_eq!(fitting(&widths, 300), 2);
        assert_eq!(fitting(&widths, 150), 0);
        assert_eq!(fitting(&[], 150), 0);
        // Ten more.
        assert_eq!(fitting(&[100; 15], 620), 5);
    }
}

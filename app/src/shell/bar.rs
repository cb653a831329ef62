//! The bar at the top, in groups: what I look at, what I open, what I show, settings and help.
//!
//! Each group has a menu, in which each entry says what it does. What is used most stands beside the menus, where there is
//! room. The elements are made by hand, since they are alike and hardly change: as views they would be thrice as much code.
//!
//! As many labs stand in the bar as there is room for, by their measured widths, and all of them in its menu. So more of them
//! need no more room.

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html;
use leptos::prelude::*;
use litmoscope::report::Theme;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::commands::{self, PageCommand};
use super::handle::Shell;
use crate::app::App;
use crate::app::command::Group;
use crate::browser::release_button;
use crate::labs;
use crate::ui::element::{add, set};
use crate::ui::icons;

/// What is in the last menu, by the names of the commands. The others have all commands of their groups.
const MORE: [&str; 6] = ["palette", "theme", "open-preferences", "open-book", "open-atlas", "open-help"];
/// Commands that have an element of their own elsewhere, as labs have; their entry in a menu has no name.
const ELSEWHERE: [&str; 6] = ["open-gallery", "open-run", "palette", "theme", "open-preferences", "open-help"];
/// The room that the menu of the labs needs beside them, in pixels: alone, and if it says what is in it.
const LABS_MENU: (i32, i32) = (44, 88);

/// The bar.
#[component]
pub fn Header() -> impl IntoView {
    let shell = Shell::get();
    let app = shell.app;
    let bar = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        let Some(bar) = bar.get() else { return };
        if bar.child_element_count() == 0 {
            build(&bar);
        }
        reflect(app, &bar);
        app.looks.preferences.track();
        request_animation_frame(move || arrange(app));
    });
    let _ = window_event_listener_untyped("resize", move |_| arrange(app));
    let _ = window_event_listener_untyped("click", move |event| clicked(shell, &event));
    view! {
        <header class="top">
            <h1>"Litmoscope"</h1>
            <div class="groups" node_ref=bar></div>
        </header>
    }
}

fn is_mac() -> bool {
    window().navigator().platform().is_ok_and(|platform| platform.starts_with("Mac"))
}

/// Makes all of it.
fn build(bar: &Element) -> Option<()> {
    let labs = add(bar, "nav", "labs", "")?;
    set(&labs, "aria-label", "Labs");
    let frame = add(&labs, "div", "labs-frame", "")?;
    let strip = add(&frame, "div", "strip", "")?;
    for lab in commands::listed(Group::Labs) {
        add_command(&strip, lab.id, lab.id, "lab", lab.title);
    }
    add_menu(&frame, "labs", "All labs", &mut commands::listed(Group::Labs), "");

    let actions = add(bar, "nav", "actions", "")?;
    set(&actions, "aria-label", "Page");
    let group = || add(&actions, "div", "bar-group", "");
    let open = group()?;
    add_command(&open, "open-gallery", "open-gallery", "word", "Gallery");
    add_menu(&open, "open", "Open", &mut commands::listed(Group::Open), "Open");
    add_menu(&group()?, "show", "Show", &mut commands::listed(Group::Show), "Show");
    let tools = group()?;
    let find = add_command(&tools, "open-palette", "palette", "find", "")?;
    add_icon(&find, icons::FIND);
    add(&find, "span", "find-word", "Find");
    add(&find, "kbd", "", if is_mac() { "⌘ K" } else { "Ctrl K" });
    add_command(&tools, "theme", "theme", "icon-button", "");
    add_icon(&add_command(&tools, "open-preferences", "open-preferences", "icon-button", "")?, icons::SETTINGS);
    add_command(&tools, "open-help", "open-help", "icon-button", "?");
    add_menu(&tools, "more", "Settings and help", &mut MORE.iter().filter_map(|id| commands::named(id)), "⋯");
    Some(())
}

fn add_icon(parent: &Element, shape: &'static str) {
    parent.set_inner_html(&format!(
        "<svg class=\"icon\" viewBox=\"0 0 16 16\" width=\"16\" height=\"16\" aria-hidden=\"true\"><path \
         fill=\"currentColor\" fill-rule=\"evenodd\" d=\"{shape}\"/></svg>"
    ));
}

/// Adds a button that does what a command does.
fn add_command(parent: &Element, id: &str, command: &str, class: &str, text: &str) -> Option<Element> {
    let command = commands::named(command)?;
    let button = add(parent, "button", class, text)?;
    let title = if class == "lab" { format!("{}: {}", command.hint(), command.about) } else { command.hint() };
    for (name, value) in
        [("type", "button"), ("id", id), ("data-command", command.id), ("title", &title), ("aria-label", command.title)]
    {
        set(&button, name, value);
    }
    Some(button)
}

/// Adds a button with the menu that it opens: each command of it with its key and what it does.
fn add_menu(
    parent: &Element,
    id: &str,
    title: &str,
    entries: &mut dyn Iterator<Item = &'static PageCommand>,
    name: &str,
) -> Option<()> {
    let menu_id = format!("{id}-menu");
    let button = add(parent, "button", "menu-button", "")?;
    for (name, value) in
        [("type", "button"), ("id", id), ("title", title), ("aria-label", title), ("popovertarget", &menu_id)]
    {
        set(&button, name, value);
    }
    add(&button, "span", "", name);
    set(&add(&button, "span", "caret", "")?, "aria-hidden", "true");
    let menu = add(parent, "div", "menu", "")?;
    for (name, value) in [("id", menu_id.as_str()), ("popover", "auto"), ("role", "group"), ("aria-label", title)] {
        set(&menu, name, value);
    }
    for command in entries {
        let entry = add(&menu, "button", "entry", "")?;
        for (name, value) in [
            ("type", "button"),
            ("data-command", command.id),
            ("popovertarget", &menu_id),
            ("popovertargetaction", "hide"),
        ] {
            set(&entry, name, value);
        }
        if command.group != Group::Labs && !ELSEWHERE.contains(&command.id) {
            entry.set_id(command.id);
        }
        add(&entry, "span", "entry-title", command.title);
        if let Some(key) = command.keys.first() {
            set(&add(&entry, "kbd", "", &key.to_string())?, "aria-hidden", "true");
        }
        add(&entry, "span", "entry-about", command.about);
    }
    Some(())
}

/// Shows what is on.
fn reflect(app: App, bar: &Element) {
    for button in all(bar, "[data-command]") {
        let command = button.get_attribute("data-command").and_then(|id| commands::named(&id));
        if let Some(on) = command.and_then(|command| command.on(app)) {
            set(&button, "aria-pressed", if on { "true" } else { "false" });
        }
    }
    if let Some(theme) = document().get_element_by_id("theme") {
        theme.set_text_content(Some(if app.looks.theme.get() == Theme::Dark { "☀" } else { "☾" }));
    }
}

/// As many labs side by side as there is room for. All of them are in the menu.
fn arrange(app: App) {
    let Some(frame) = document().query_selector(".labs-frame").ok().flatten() else { return };
    let tabs = all(&frame, ".lab");
    let widths: Vec<i32> = tabs.iter().map(HtmlElement::offset_width).collect();
    let fitting = fitting(&widths, frame.client_width());
    for (at, tab) in tabs.iter().enumerate() {
        let _ = tab.class_list().toggle_with_force("over", at >= fitting);
    }
    let shown = app.active.get_untracked();
    let hides = labs::all().filter(|lab| lab.stands_in_bar()).skip(fitting).any(|lab| lab.id == shown);
    let _ = frame.class_list().toggle_with_force("hides", hides);
    let name = match fitting {
        0 => "Labs",
        fitting if fitting < tabs.len() => "More",
        _ => "",
    };
    if let Some(place) = frame.query_selector("#labs > span").ok().flatten() {
        place.set_text_content(Some(name));
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

/// What a click in the bar does.
fn clicked(shell: Shell, event: &web_sys::Event) {
    let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
    let Some(button) = target.closest(".top button").ok().flatten() else { return };
    let command = button.get_attribute("data-command").and_then(|id| commands::named(&id));
    if let Some(command) = command {
        if let Some(event) = event.dyn_ref::<MouseEvent>() {
            // Arrow keys go on making steps.
            release_button(event);
            // A dialog gives the focus back to what had it, and the entry is hidden by then.
            if event.detail() == 0
                && let Some(opener) = opener_of(&button)
            {
                let _ = opener.focus();
            }
        }
        command.run(shell);
    } else if let Some(menu) = menu_named(&button) {
        place(&button, &menu);
    }
}

/// Puts a menu below the button that opens it.
fn place(button: &Element, menu: &HtmlElement) {
    let button = button.get_bounding_client_rect();
    let left = format!("max(8px, min({}px, 100% - var(--menu-width) - 8px))", button.left());
    let top = button.bottom() + 6.0;
    let style = HtmlElement::style(menu);
    let most = format!("calc(100dvh - {}px)", top + 8.0);
    for (name, value) in [("left", left), ("top", format!("{top}px")), ("max-height", most)] {
        let _ = style.set_property(name, &value);
    }
}

/// The menu that a button opens.
fn menu_named(button: &Element) -> Option<HtmlElement> {
    document().get_element_by_id(&button.get_attribute("popovertarget")?)?.dyn_into().ok()
}

/// The button that opens the menu of an entry.
fn opener_of(entry: &Element) -> Option<HtmlElement> {
    let opener = format!(".menu-button[popovertarget=\"{}\"]", menu_of(entry)?.id());
    document().query_selector(&opener).ok()??.dyn_into().ok()
}

fn menu_of(element: &Element) -> Option<Element> {
    element.closest(".menu").ok().flatten()
}

/// Whether a menu is open. Its keys are not the page's.
pub fn menu_is_open() -> bool {
    document().query_selector(".menu:popover-open").ok().flatten().is_some()
}

/// All such elements below an element.
fn all(within: &Element, selector: &str) -> Vec<HtmlElement> {
    let Ok(found) = within.query_selector_all(selector) else { return Vec::new() };
    (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect()
}

/// All buttons below an element that are seen.
fn buttons(within: &Element) -> Vec<HtmlElement> {
    let mut buttons = all(within, "button");
    buttons.retain(|button| button.offset_width() > 0 && !button.class_list().contains("over"));
    buttons
}

/// Focuses the button that is so many behind the one with the focus, round and round.
fn move_focus(buttons: &[HtmlElement], now: &Element, by: isize) {
    let count = buttons.len() as isize;
    let at = buttons.iter().position(|button| button.is_same_node(Some(now))).map_or(0, |at| at as isize + by);
    if let Some(button) = (count > 0).then(|| &buttons[at.rem_euclid(count) as usize]) {
        let _ = button.focus();
    }
}

/// The keys of bar and menus; whether this was one. Arrow keys make steps, unless somebody came here with the keyboard.
pub fn took(event: &KeyboardEvent, by_keyboard: bool) -> bool {
    let Some(now) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return false };
    let Some(bar) = now.closest(".top").ok().flatten() else { return false };
    let key = event.key();
    if let Some(menu) = menu_of(&now) {
        let entries = buttons(&menu);
        let by = match key.as_str() {
            "ArrowDown" => 1,
            "ArrowUp" => -1,
            "Home" | "End" => {
                if let Some(entry) = if key == "Home" { entries.first() } else { entries.last() } {
                    let _ = entry.focus();
                }
                return true;
            }
            "ArrowLeft" | "ArrowRight" => 0,
            _ => return false,
        };
        move_focus(&entries, &now, by);
        return true;
    }
    let menu = menu_named(&now);
    let open = menu.as_ref().is_some_and(|menu| menu.matches(":popover-open").unwrap_or(false));
    match (key.as_str(), menu) {
        ("ArrowDown", Some(menu)) if open || by_keyboard => {
            if let (false, Some(button)) = (open, now.dyn_ref::<HtmlElement>()) {
                button.click();
            }
            if let Some(first) = buttons(&menu).first() {
                let _ = first.focus();
            }
        }
        ("ArrowLeft" | "ArrowRight", _) if by_keyboard => {
            let mut all = buttons(&bar);
            all.retain(|button| menu_of(button).is_none());
            move_focus(&all, &now, if key == "ArrowRight" { 1 } else { -1 });
        }
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::commands::named;

    #[test]
    fn every_entry_of_a_menu_says_what_it_does() {
        let groups = [Group::Labs, Group::Open, Group::Show].into_iter().flat_map(commands::listed);
        let more = MORE.map(|id| named(id).unwrap_or_else(|| panic!("there is no command {id}")));
        for command in groups.chain(more) {
            assert!(!command.about.is_empty(), "{}", command.id);
        }
    }

    #[test]
    fn menus_have_what_labs_and_page_can_do() {
        let ids = |group| commands::listed(group).map(|command| command.id).collect::<Vec<_>>();
        assert_eq!(
            ids(Group::Labs),
            [
                "stepping",
                "models",
                "open-why",
                "open-repair",
                "open-check",
                "open-traces",
                "open-histories",
                "open-memories",
                "open-schedules",
                "open-fairness",
                "open-beside",
                "open-race",
                "open-tests"
            ]
        );
        assert_eq!(ids(Group::Open), ["open-gallery", "open-recent", "open-cycle", "new", "open-run"]);
        assert_eq!(ids(Group::Show), ["lecture", "open-lessons", "open-quiz", "open-scenes", "share", "open-sharing"]);
    }

    #[test]
    fn as_many_labs_stand_in_the_bar_as_there_is_room_for() {
        let widths = [80, 130, 80, 100, 110];
        assert_eq!(fitting(&widths, 600), 5);
        // The menu says what is in it as soon as not all are beside it.
        assert_eq!(fitting(&widths, 550), 4);
        assert_eq!(fitting(&widths, 310), 2);
        assert_eq!(fitting(&widths, 150), 0);
        assert_eq!(fitting(&[], 150), 0);
        // Ten more.
        assert_eq!(fitting(&[100; 15], 620), 5);
    }
}

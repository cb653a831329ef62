//! What all dialogs have in common: a signal opens and closes them, and in their head are a heading and the way out.
//!
//! All dialogs but the palette are this one component.

use leptos::html;
use leptos::prelude::*;

/// A dialog. It keeps the keyboard in it and gives the focus back when it closes, as browsers do by themselves; the
/// signal follows if it is closed by Esc.
#[component]
pub fn Dialog(
    /// Its name in the document.
    id: &'static str,
    /// Its class.
    #[prop(into)]
    class: Signal<&'static str>,
    /// Its heading.
    title: &'static str,
    /// Whether it is open.
    open: RwSignal<bool>,
    /// What stands beside the heading.
    #[prop(optional)]
    tools: Option<AnyView>,
    /// The heading gets the focus, not what can be clicked on first.
    #[prop(optional)]
    calm: bool,
    /// Its element, for those that need it.
    #[prop(optional)]
    node_ref: NodeRef<html::Dialog>,
    /// What is in it.
    children: Children,
) -> impl IntoView {
    Effect::new(move |_| {
        let Some(dialog) = node_ref.get() else { return };
        if !open.get() {
            dialog.close();
        } else if !dialog.open() {
            let _ = dialog.show_modal();
        }
    });
    let heading = format!("{id}-title");
    view! {
        <dialog id=id class=class aria-labelledby=heading node_ref=node_ref on:close=move |_| open.set(false)>
            <div class="dialog-head">
                <h2 id=heading.clone() tabindex=calm.then_some("-1") autofocus=calm>{title}</h2>
                {tools}
                <button type="button" class="close" aria-label="Close" on:click=move |_| open.set(false)>"×"</button>
            </div>
            {children()}
        </dialog>
    }
}

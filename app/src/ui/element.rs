//! Elements that are made by hand, where a view would be many times as much of the page's module.

use leptos::prelude::document;
use web_sys::Element;

/// Sets an attribute.
pub fn set(element: &Element, name: &str, value: &str) {
    let _ = element.set_attribute(name, value);
}

/// Adds an element with a text to another one.
pub fn add(parent: &Element, name: &str, class: &str, text: &str) -> Option<Element> {
    let element = document().create_element(name).ok()?;
    if !class.is_empty() {
        element.set_class_name(class);
    }
    element.set_text_content(Some(text));
    parent.append_child(&element).ok()?;
    Some(element)
}

//! How the lab hands moves on to its panel.
//!
//! All that the panel knows is loaded with it: signals of types of its own would be in the first file of the page.

use std::cell::RefCell;
use std::rc::Rc;

use crate::app::lab::Lab;

thread_local! {
    static PANEL: RefCell<Option<Rc<dyn Lab>>> = const { RefCell::new(None) };
}

/// The panel is there.
pub fn take(panel: Rc<dyn Lab>) {
    PANEL.with(|known| *known.borrow_mut() = Some(panel));
}

/// What the panel can be asked for, once it is there.
pub fn panel() -> Option<Rc<dyn Lab>> {
    PANEL.with(|known| known.borrow().clone())
}

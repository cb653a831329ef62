//! What a page, or whoever else shows a text, asks of it: the text is opened once, then looked at place by place.
//!
//! A place is whatever a request has beside the text: a step, a choice, what is not drawn. To open a text may take long, since all that
//! is decided of it is decided then; a view of a place is made at once.

use crate::syntax::Diagnostic;

/// A text that was opened, with what was decided of it.
pub trait Inspection: Sized {
    /// A text and a place in it.
    type Request;
    /// What is to be seen there.
    type View;

    /// Reads the text, and decides what is asked of it.
    ///
    /// # Errors
    /// What is wrong with the text.
    fn open(request: &Self::Request) -> Result<Self, Vec<Diagnostic>>;

    /// Whether it is what is asked about, so that nothing need be opened for that.
    fn is_of(&self, request: &Self::Request) -> bool;

    /// What is to be seen at the place. A place that is not there is the nearest one.
    fn view(&mut self, request: &Self::Request) -> Self::View;

    /// The text of a request; empty if nothing is asked.
    fn text(request: &Self::Request) -> &str;
}

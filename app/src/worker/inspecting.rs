//! A role for texts that are opened once and looked at place by place: what is asked, what is answered, and the half that works. A lab
//! gives it what the engine has for its texts, and a name.

use litmoscope::inspection::Inspection;
use litmoscope::syntax::Diagnostic;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::host::{Half, Need, Out};
use super::wire::{RequestId, Role};

/// What a worker opens texts with.
pub trait Inspected:
    Inspection<
        Request: Serialize + DeserializeOwned + Clone + PartialEq + Send + Sync + 'static,
        View: Serialize + DeserializeOwned + Send + Sync + 'static,
    > + 'static
{
    /// The name of the role.
    const NAME: &'static str;

    /// What has to be there before a text can be opened.
    fn needs(_request: &<Self as Inspection>::Request) -> Option<Need> {
        None
    }
}

impl<I: Inspected> Role for I {
    const NAME: &'static str = <I as Inspected>::NAME;
    /// A text, and what to show of it.
    type Request = <I as Inspection>::Request;
    type Answer = Answer<I::View>;
}

/// What it answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer<V> {
    /// What is shown.
    Shown(Box<V>),
    /// The text can't be read.
    Refused(Vec<Diagnostic>),
}

/// The half that has a text open.
pub struct Inspector<I>(Option<I>);

impl<I> Default for Inspector<I> {
    fn default() -> Self {
        Self(None)
    }
}

impl<I: Inspected> Half for Inspector<I> {
    type Role = I;
    type Message = ();

    fn needs(&self, request: &<I as Inspection>::Request) -> Option<Need> {
        I::needs(request)
    }

    fn hear(&mut self, out: &Out<Self>, id: RequestId, request: <I as Inspection>::Request) {
        if self.0.as_ref().is_none_or(|open| !open.is_of(&request)) {
            self.0 = None;
            match I::open(&request) {
                Ok(open) => self.0 = Some(open),
                Err(diagnostics) => out.say(id, Answer::Refused(diagnostics)),
            }
        }
        if let Some(open) = &mut self.0 {
            out.say(id, Answer::Shown(Box::new(open.view(&request))));
        }
    }

    fn go_on(&mut self, _out: &Out<Self>, (): ()) {}

    fn stop(&mut self, _out: &Out<Self>) {}
}

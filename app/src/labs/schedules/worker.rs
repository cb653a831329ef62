//! The worker that verifies: it says where it is, and shows any place among its steps meanwhile.

use litmoscope::inspection::Inspection;
use litmoscope::schedules::view::verify::{VerifyRequest, Watched};
use litmoscope::syntax::Diagnostic;

use crate::app::inquiry::not_yet;
use crate::app::lab::LabId;
use crate::worker::host::{Half, Out};
use crate::worker::inspecting::{Answer, Inspected};
use crate::worker::wire::RequestId;
use crate::worker::{SLICE, host};

/// The lab's name.
pub const ID: LabId = LabId("schedules");

/// How often it is said where the verifier is, in milliseconds.
const REPORT: f64 = 300.0;

impl Inspected for Watched {
    const NAME: &'static str = "schedules";
}

/// What is wrong with a text, in a sentence.
pub fn refusal(diagnostics: Vec<Diagnostic>) -> String {
    not_yet("a program with schedules", diagnostics)
}

/// What is verified, and what is to be shown of it.
struct Going {
    watched: Watched,
    /// When it began.
    begun: f64,
    /// The last request, its name, and when it was answered.
    request: VerifyRequest,
    id: RequestId,
    said: f64,
    /// There is more to be done.
    goes_on: bool,
}

impl Going {
    fn say(&mut self, out: &Out<Worker>) {
        out.say(self.id, Answer::Shown(Box::new(self.watched.view(&self.request))));
        self.said = js_sys::Date::now();
    }
}

/// The half that verifies.
#[derive(Default)]
pub struct Worker {
    going: Option<Going>,
}

impl Half for Worker {
    type Role = Watched;
    /// Which request goes on.
    type Message = RequestId;

    fn needs(&self, request: &VerifyRequest) -> Option<host::Need> {
        host::Need::of_text(&request.text)
    }

    fn hear(&mut self, out: &Out<Self>, id: RequestId, request: VerifyRequest) {
        match self.going.take().filter(|going| going.watched.is_of(&request)) {
            Some(going) => self.going = Some(Going { request, id, ..going }),
            None => match Watched::open(&request) {
                Ok(watched) => {
                    let begun = js_sys::Date::now();
                    self.going = Some(Going { watched, begun, request, id, said: begun, goes_on: true });
                }
                Err(diagnostics) => out.say(id, Answer::Refused(diagnostics)),
            },
        }
        if let Some(going) = &mut self.going {
            going.say(out);
            if going.goes_on {
                out.tell_next(id);
            }
        }
    }

    fn go_on(&mut self, out: &Out<Self>, message: RequestId) {
        let Some(going) = self.going.as_mut().filter(|going| going.id == message && going.goes_on) else { return };
        let begun = going.begun;
        let end = js_sys::Date::now() + SLICE;
        while going.goes_on && js_sys::Date::now() < end {
            going.goes_on = going.watched.advance(&|| js_sys::Date::now() - begun);
        }
        if !going.goes_on || js_sys::Date::now() - going.said >= REPORT {
            going.say(out);
        }
        if going.goes_on {
            out.tell_next(message);
        }
    }

    fn stop(&mut self, out: &Out<Self>) {
        if let Some(going) = &mut self.going {
            going.watched.stop();
            going.say(out);
        }
    }
}

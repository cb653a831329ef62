//! Work that takes long, in slices: between two of them the worker reads its messages, and now and then it says where it is.

use super::SLICE;
use super::host::{Half, Out};
use super::wire::{RequestId, Role};

/// How often it is said where the work is, in milliseconds.
const REPORT: f64 = 300.0;

/// What can be done in slices.
pub trait Sliced {
    /// The half that does it, and tells itself for which request the next slice is due.
    type Half: Half<Message = RequestId>;

    /// Does a little; whether there is more to be done.
    fn advance(&mut self) -> bool;

    /// Where it has come to, and whether nothing more will come.
    fn answer(&self, over: bool) -> <<Self::Half as Half>::Role as Role>::Answer;
}

/// The work that was asked for last, which can be asked about when it is over, too.
pub struct Slices<W> {
    work: Option<W>,
    /// The request for it while it goes on, and when it was answered last.
    job: Option<(RequestId, f64)>,
}

impl<W> Default for Slices<W> {
    fn default() -> Self {
        Self { work: None, job: None }
    }
}

impl<W: Sliced> Slices<W> {
    /// Lets go of the work that was there.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Begins another one.
    pub fn begin(&mut self, out: &Out<W::Half>, id: RequestId, work: W) {
        *self = Self { work: Some(work), job: Some((id, js_sys::Date::now())) };
        self.slice(out);
    }

    /// The work, as far as it has come.
    pub fn work(&self) -> Option<&W> {
        self.work.as_ref()
    }

    /// Goes on, unless what is due was stopped meanwhile.
    pub fn go_on(&mut self, out: &Out<W::Half>, due: RequestId) {
        if self.job.is_some_and(|(id, _)| id == due) {
            self.slice(out);
        }
    }

    /// Ends it where it is.
    pub fn stop(&mut self, out: &Out<W::Half>) {
        if let (Some(work), Some((id, _))) = (&self.work, self.job.take()) {
            out.say(id, work.answer(true));
        }
    }

    fn slice(&mut self, out: &Out<W::Half>) {
        let (Some(work), Some((id, reported))) = (&mut self.work, &mut self.job) else { return };
        let id = *id;
        let end = js_sys::Date::now() + SLICE;
        while work.advance() {
            let now = js_sys::Date::now();
            if now < end {
                continue;
            }
            if now - *reported >= REPORT {
                *reported = now;
                out.say(id, work.answer(false));
            }
            out.tell_next(id);
            return;
        }
        self.stop(out);
    }
}

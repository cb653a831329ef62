//! What goes between the page and a worker: requests and answers of a role, as bytes.
//!
//! Bytes have no names (`postcard`): less than half as much code is needed for them as for JSON. So nothing of a message may be
//! left out where it is the default. Links, scripts and files are JSON, whose names stay. What goes between page and worker is
//! typed by the role, and nobody else can read it: `Payload` keeps messages as bytes, so that only who knows a role has the code
//! that reads them.

use std::fmt;

use gloo::worker::Codec;
use js_sys::Uint8Array;
use serde::de::{DeserializeOwned, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use wasm_bindgen::JsValue;

/// Names a request; answers carry the name of the request that they answer. Later requests have greater ones.
pub type RequestId = u32;

/// What a worker is there for.
pub trait Role: 'static {
    /// Its name.
    const NAME: &'static str;
    /// What it is asked.
    type Request: Serialize + DeserializeOwned + 'static;
    /// What it answers.
    type Answer: Serialize + DeserializeOwned + 'static;
}

/// To a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum ToWorker {
    /// Its role, once, before anything else.
    Be(String),
    /// A request that takes the place of those before: what they need is not waited for any longer.
    Begin(RequestId, Payload),
    /// A request.
    Asked(RequestId, Payload),
    /// What could not be loaded is to be loaded again.
    Again,
    /// Ends what goes on, wherever it has come to.
    Stop,
}

/// From a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum FromWorker {
    /// The worker is there.
    Ready,
    /// An answer to the request of this name.
    Answer(RequestId, Payload),
    /// Something could not be loaded without which the worker can't do what it was asked; `None` when it is there.
    Lacks(Option<String>),
    /// The worker can't go on and has to be replaced.
    Died(String),
}

/// A request or an answer. Only those who know the role can read it.
pub struct Payload(Vec<u8>);

impl Payload {
    /// Packs it.
    pub fn pack<T: Serialize>(what: &T) -> Self {
        Self(postcard::to_allocvec(what).expect("messages are plain data"))
    }

    /// What was packed.
    pub fn open<T: DeserializeOwned>(&self) -> T {
        postcard::from_bytes(&self.0).expect("page and worker are of the same version")
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Payload({} bytes)", self.0.len())
    }
}

/// As a whole, not byte by byte.
impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Payload {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whole;
        impl Visitor<'_> for Whole {
            type Value = Payload;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Payload, E> {
                Ok(Payload(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Whole)
    }
}

/// Messages as bytes without names: what reads them is a fraction of what reads JSON, in the module and in time. gloo's
/// default, bincode 1, is not kept any more.
#[derive(Debug)]
pub struct Bytes;

impl Codec for Bytes {
    fn encode<I: Serialize>(message: I) -> JsValue {
        let bytes = postcard::to_allocvec(&message).expect("messages are plain data");
        Uint8Array::from(&bytes[..]).into()
    }

    fn decode<O: for<'de> Deserialize<'de>>(bytes: JsValue) -> O {
        let bytes = Uint8Array::new(&bytes).to_vec();
        postcard::from_bytes(&bytes).expect("page and worker are of the same version")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_opened_again() {
        let sent = FromWorker::Answer(7, Payload::pack(&(3_u32, "x := 1".to_owned())));
        let bytes = postcard::to_allocvec(&sent).expect("plain data");
        let Ok(FromWorker::Answer(7, payload)) = postcard::from_bytes(&bytes) else { panic!("it is another message") };
        assert_eq!(payload.open::<(u32, String)>(), (3, "x := 1".to_owned()));
    }
}

//! Links: a session or a script as the fragment of an address.
//!
//! A link is `#`, the version, `.`, and the base64url of the deflated content. Version 1 is a session and deflates a JSON
//! object with one-letter keys; version 2 is a script ([`super::script`]); version 3 is two sessions side by side; version 4 is a
//! session and what a lab shows of it. A version, once published, is read for ever.

use super::Settings;
use super::script::{Script, ScriptError};
use crate::explore::{Algorithm, Options, Parameters};
use crate::model::Model;
use crate::program::Limits;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A session, and what a lab shows of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabPlace {
    /// The session.
    pub settings: Settings,
    /// The lab's name.
    pub lab: String,
    /// What it shows, in its own words.
    pub place: Value,
}

/// Two sessions that stand side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    /// What stands on the left.
    pub left: Settings,
    /// What stands on the right, of the same program or another one.
    pub right: Settings,
    /// A step of one is a step of both.
    pub together: bool,
}

/// The longest link that is read, in bytes: as long as browsers take, and long enough for every text that is parsed.
const MAX_LINK: usize = 2 * 1024 * 1024;
/// The largest content that a link inflates to, in bytes.
const MAX_CONTENT: usize = 2 * 1024 * 1024;

/// Why a link can't be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// There is no version in front.
    #[error("this is no Litmoscope link: it should begin with `#1.`, `#2.`, `#3.` or `#4.`")]
    NoLink,
    /// Made by a version to come, or damaged.
    #[error(
        "this link has version `{0}`, and this page reads versions 1 to 4; reload the page to get its newest version"
    )]
    UnknownVersion(String),
    /// Longer than any link made here.
    #[error("this link is too long: {0} characters, at most {MAX_LINK} are read")]
    TooLong(usize),
    /// Not base64url: something in between cut or changed it.
    #[error("this link is damaged: its character {0} can't occur in a link; was it cut or wrapped on the way?")]
    NotBase64(usize),
    /// The compressed data ends early.
    #[error("this link is cut short: copy the whole address again")]
    Truncated,
    /// The compressed data is no such data.
    #[error("this link is damaged: its content can't be unpacked; copy the whole address again")]
    Damaged,
    /// It unpacks to far more than a program.
    #[error("this link unpacks to more than {MAX_CONTENT} bytes, more than any program the page takes")]
    TooLarge,
    /// The content is not a session.
    #[error("this link is damaged: {0}")]
    Content(String),
    /// It should hold a script, and holds none that can be read.
    #[error("the scenes of this link can't be read: {0}")]
    Script(ScriptError),
    /// It holds a script, two sessions or a lab's place where one session was asked for.
    #[error("this link holds more than a single step")]
    NoSession,
}

/// What a link holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Linked {
    /// A session.
    Session(Settings),
    /// Scenes.
    Script(Script),
    /// Two sessions side by side.
    Pair(Box<Pair>),
    /// A session and what a lab shows of it.
    Lab(Box<LabPlace>),
}

/// What a link of version 1 holds. Left out where it is the default.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Version1 {
    /// The program text.
    t: String,
    /// The model's name.
    m: String,
    /// The algorithm's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    a: Option<String>,
    /// The unroll bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    u: Option<u32>,
    /// How many events a graph has room for, if that is more than usual.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    e: Option<u32>,
    /// Stop at the first error or race.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    f: bool,
    /// Don't look for data races.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    r: bool,
    /// Weak compare-and-swaps may fail spuriously.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    w: bool,
    /// Spin loops are explored as `assume`. Links from before there was a choice unrolled them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    s: bool,
    /// Graphs in which a thread waits in vain are left out. Links from before there was a choice explored them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    b: bool,
    /// Threads that are stuck for good in loops are looked for. Links from before there was a choice didn't.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    g: bool,
    /// Threads that can be exchanged are explored up to permutation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    y: bool,
    /// The bound on preemptions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    q: Option<u32>,
    /// The bound on context switches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    c: Option<u32>,
    /// What the algorithm alone takes.
    #[serde(default, skip_serializing_if = "is_usual")]
    x: Parameters,
    /// The position: how many steps were made.
    #[serde(default, skip_serializing_if = "is_zero")]
    p: u64,
}

/// What a link of version 3 holds.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Version3 {
    /// What stands on the left.
    l: Version1,
    /// What stands on the right. Without a text, it has that of the left.
    r: Version1,
    /// Each steps by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    i: bool,
}

/// What a link of version 4 holds.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Version4 {
    /// The session.
    s: Version1,
    /// The lab's name.
    l: String,
    /// What it shows.
    p: Value,
}

pub(super) fn is_usual(parameters: &Parameters) -> bool {
    *parameters == Parameters::USUAL
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// The fragment of a session's link, `#` included.
pub fn encode(settings: &Settings) -> String {
    pack(1, &serde_json::to_vec(&content(settings)).expect("strings and numbers serialise"))
}

/// The fragment of a link to two sessions side by side, `#` included.
///
/// # Errors
/// [`LinkError::TooLarge`] for two programs that are too long for one link.
pub fn encode_pair(pair: &Pair) -> Result<String, LinkError> {
    let mut right = content(&pair.right);
    if right.t == pair.left.text {
        right.t.clear();
    }
    let content = Version3 { l: content(&pair.left), r: right, i: !pair.together };
    bounded(3, &serde_json::to_vec(&content).expect("strings and numbers serialise"))
}

/// The fragment of a link to what a lab shows of a session, `#` included.
///
/// # Errors
/// [`LinkError::TooLarge`] for a text and a place that are together too long for one link.
pub fn encode_lab(LabPlace { settings, lab, place }: &LabPlace) -> Result<String, LinkError> {
    let content = Version4 { s: content(settings), l: lab.clone(), p: place.clone() };
    bounded(4, &serde_json::to_vec(&content).expect("strings and numbers serialise"))
}

fn content(settings: &Settings) -> Version1 {
    let defaults = Limits::default();
    Version1 {
        t: settings.text.clone(),
        m: settings.model.name().to_owned(),
        a: (settings.algorithm != Algorithm::default()).then(|| settings.algorithm.name().to_owned()),
        u: (settings.options.limits.unroll != defaults.unroll).then_some(settings.options.limits.unroll),
        e: (settings.options.limits.events != defaults.events).then_some(settings.options.limits.events),
        f: settings.options.stop_at_first,
        r: settings.options.no_races,
        w: settings.options.spurious,
        s: !settings.options.limits.unroll_spins,
        b: settings.options.heeded_by(settings.algorithm).leave_out_waits,
        g: settings.options.stuck_loops,
        y: settings.options.symmetry,
        q: settings.options.preemptions,
        c: settings.options.contexts,
        x: settings.options.parameters,
        p: settings.position,
    }
}

/// The fragment of a script's link, `#` included.
///
/// # Errors
/// [`LinkError::TooLarge`] for a script that no link can hold; a file can.
pub fn encode_script(script: &Script) -> Result<String, LinkError> {
    bounded(2, script.write_short().as_bytes())
}

fn bounded(version: u32, content: &[u8]) -> Result<String, LinkError> {
    let link = pack(version, content);
    if content.len() > MAX_CONTENT || link.len() > MAX_LINK { Err(LinkError::TooLarge) } else { Ok(link) }
}

fn pack(version: u32, content: &[u8]) -> String {
    let deflated = miniz_oxide::deflate::compress_to_vec(content, 10);
    format!("#{version}.{}", URL_SAFE_NO_PAD.encode(deflated))
}

/// The session that a link holds, as [`open`].
///
/// # Errors
/// As [`open`], and [`LinkError::NoSession`] for a script, a pair or a lab's place.
pub fn decode(link: &str) -> Result<Settings, LinkError> {
    match open(link)? {
        Linked::Session(settings) => Ok(settings),
        Linked::Script(_) | Linked::Pair(_) | Linked::Lab(_) => Err(LinkError::NoSession),
    }
}

/// What a link holds. Accepts a whole address, a fragment, or a fragment without its `#`. Memory and time are bounded
/// whatever the link.
///
/// # Errors
/// [`LinkError`] for anything that [`encode`], [`encode_pair`], [`encode_script`] or [`encode_lab`] did not make.
pub fn open(link: &str) -> Result<Linked, LinkError> {
    let fragment = link.trim();
    let fragment = fragment.split_once('#').map_or(fragment, |(_, fragment)| fragment);
    // How the page is to look stands behind, and is the page's business.
    let fragment = fragment.split('&').next().unwrap_or_default();
    if fragment.len() > MAX_LINK {
        return Err(LinkError::TooLong(fragment.len()));
    }
    let (version, data) = fragment.split_once('.').ok_or(LinkError::NoLink)?;
    if !["1", "2", "3", "4"].contains(&version) {
        let plausible = !version.is_empty() && version.len() <= 4 && version.bytes().all(|b| b.is_ascii_digit());
        return Err(if plausible { LinkError::UnknownVersion(version.to_owned()) } else { LinkError::NoLink });
    }
    let deflated = URL_SAFE_NO_PAD.decode(data).map_err(|error| match error {
        base64::DecodeError::InvalidByte(at, _) => LinkError::NotBase64(at + version.len() + 2),
        _ => LinkError::Truncated,
    })?;
    let json = miniz_oxide::inflate::decompress_to_vec_with_limit(&deflated, MAX_CONTENT).map_err(|error| {
        use miniz_oxide::inflate::TINFLStatus;
        match error.status {
            TINFLStatus::HasMoreOutput => LinkError::TooLarge,
            TINFLStatus::FailedCannotMakeProgress | TINFLStatus::NeedsMoreInput => LinkError::Truncated,
            _ => LinkError::Damaged,
        }
    })?;
    if version == "2" {
        let json = String::from_utf8(json).map_err(|_| LinkError::Damaged)?;
        return Script::read(&json).map(Linked::Script).map_err(LinkError::Script);
    }
    let damaged = |_| LinkError::Content("its content is not a session; copy the whole address again".to_owned());
    if version == "3" {
        let Version3 { l, mut r, i } = serde_json::from_slice(&json).map_err(damaged)?;
        if r.t.is_empty() {
            r.t.clone_from(&l.t);
        }
        return Ok(Linked::Pair(Box::new(Pair { left: session(l)?, right: session(r)?, together: !i })));
    }
    if version == "4" {
        let Version4 { s, l, p } = serde_json::from_slice(&json).map_err(damaged)?;
        return Ok(Linked::Lab(Box::new(LabPlace { settings: session(s)?, lab: l, place: p })));
    }
    session(serde_json::from_slice(&json).map_err(damaged)?).map(Linked::Session)
}

/// The session in the content of version 1.
fn session(content: Version1) -> Result<Settings, LinkError> {
    let named = |error: String| LinkError::Content(error);
    let model: Model = content.m.parse().map_err(|e| named(format!("{e}")))?;
    let algorithm = match &content.a {
        Some(name) => name.parse::<Algorithm>().map_err(|e| named(e.to_string()))?,
        None => Algorithm::default(),
    };
    let mut limits = Limits { unroll_spins: !content.s, ..Limits::default() };
    if let Some(unroll) = content.u {
        limits.unroll = unroll;
    }
    if let Some(events) = content.e {
        if !(Limits::EVENTS..=Limits::MAX_EVENTS).contains(&events) {
            return Err(named(format!("it has room for {events} events")));
        }
        limits.events = events;
    }
    let options = Options {
        limits,
        stop_at_first: content.f,
        no_races: content.r,
        spurious: content.w,
        leave_out_waits: content.b,
        stuck_loops: content.g,
        symmetry: content.y,
        preemptions: content.q,
        contexts: content.c,
        parameters: content.x,
    };
    options.validate_for(algorithm, model).map_err(|e| named(e.to_string()))?;
    let options = options.heeded_by(algorithm);
    Ok(Settings { text: content.t, model, algorithm, options, position: content.p })
}

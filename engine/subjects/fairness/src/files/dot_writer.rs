//! Writes graphs in DOT, and names as words of an attribute.

use crate::labelled::{Labelled, Side};
use crate::universe::Universe;
use std::fmt::Write as _;

/// A word in which `%20` stands for a blank, and so on, as a text.
pub(super) fn decoded(word: &str) -> String {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word.as_bytes();
    while let [first, behind @ ..] = rest {
        let hex = |at: usize| behind.get(at).and_then(|digit| char::from(*digit).to_digit(16));
        match (first, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((16 * high + low) as u8);
                rest = &behind[2..];
            }
            _ => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| word.to_owned())
}

/// A text as a word, as [`decoded`] reads it.
fn encoded(text: &str) -> String {
    let mut word = String::with_capacity(text.len());
    for sign in text.chars() {
        if sign.is_alphanumeric() || "_-.()=!:,".contains(sign) {
            word.push(sign);
        } else {
            sign.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| word += &format!("%{byte:02X}"));
        }
    }
    word
}

/// A name in quotes, if DOT can have it there: it has no way to write a backslash before a quote.
fn quoted(name: &str) -> Option<String> {
    let is_plain = |sign: char| sign != '\\' && !sign.is_control();
    name.chars().all(is_plain).then(|| format!("\"{}\"", name.replace('"', "\\\"")))
}

/// A graph in DOT, in which each vertex has a node, in their order. Linear.
pub(super) fn write(of: &Labelled) -> String {
    let vertices = of.graph.vertices();
    let usable = super::own::usable_names(of).and_then(|names| names.iter().map(|name| quoted(name)).collect());
    let ids: Vec<String> = match &usable {
        Some(ids) => Vec::clone(ids),
        None => (0..vertices).map(|at| at.to_string()).collect(),
    };
    let name = |at: usize| of.names.get(at).filter(|_| usable.is_none());
    let words: Vec<String> = of.labels.iter().map(|(name, _)| encoded(name)).collect();
    let mut text = "digraph {\n".to_owned();
    if !words.is_empty() {
        let _ = writeln!(text, "  labels=\"{}\"", words.join(" "));
    }
    if !of.pairs.is_empty() {
        let side = |side: &Side| match side {
            Side::All => "all".to_owned(),
            Side::None => "none".to_owned(),
            // What is called as these are has its first letter written in another way.
            Side::Label(at) => match words.get(*at).map(String::as_str) {
                Some("all") => "%61ll".to_owned(),
                Some("none") => "%6Eone".to_owned(),
                word => word.unwrap_or("none").to_owned(),
            },
        };
        let pairs = of.pairs.iter().map(|(asks, gets)| format!("{}->{}", side(asks), side(gets)));
        let _ = writeln!(text, "  pairs=\"{}\"", pairs.collect::<Vec<_>>().join(" "));
    }
    let mut classes: Vec<Vec<usize>> = vec![Vec::new(); vertices];
    for (label, (_, set)) in of.labels.iter().enumerate() {
        set.iter().for_each(|at| classes[at].push(label));
    }
    let random = of.graph.random();
    for (at, id) in ids.iter().enumerate() {
        let mut attributes = Vec::new();
        if random.contains(at) {
            attributes.push("shape=diamond".to_owned());
        }
        if of.start.contains(at) {
            attributes.push("start=true".to_owned());
        }
        if !classes[at].is_empty() {
            let classes = classes[at].iter().map(|label| words[*label].as_str());
            attributes.push(format!("class=\"{}\"", classes.collect::<Vec<_>>().join(" ")));
        }
        if let Some(name) = name(at) {
            attributes.push(format!("name=\"{}\"", encoded(name)));
        }
        let attributes = if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) };
        let _ = writeln!(text, "  {id}{attributes}");
    }
    for (at, id) in ids.iter().enumerate() {
        let to: Vec<&str> = of.graph.successors(at).iter().map(|to| ids[*to as usize].as_str()).collect();
        match &to[..] {
            [] => {}
            [to] => _ = writeln!(text, "  {id} -> {to}"),
            _ => _ = writeln!(text, "  {id} -> {{{}}}", to.join(" ")),
        }
    }
    text + "}\n"
}

//! What changes cost.
//!
//! A repair costs the sum over its sites of what each is set to, less what it was set to. The table of a processor says roughly what
//! compilers make of C11 there (`x86`: only sc writes, sc fences and exchanges cost; `arm`, `power`: barriers). It is JSON: kind of site, then setting,
//! then a whole number from 0 to 1,000,000:
//!
//! ```
//! use litmoscope_repair::Costs;
//! let costs = Costs::from_json(r#"{"write": {"rel": 2, "sc": 9}, "gap": {"sc": 5}}"#).expect("it is right");
//! assert!(Costs::from_json(r#"{"write": {"rel": -2}}"#).is_err());
//! # let _ = costs;
//! ```
//!
//! What a table does not name costs as usual ([`Costs::default`]).

use crate::sites::{Setting, Site, SiteKind};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The most that one setting may cost.
pub const MOST_COST: u64 = 1_000_000;

/// What each setting costs, by kind of site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    table: BTreeMap<(&'static str, &'static str), u64>,
}

/// What is wrong with a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CostsError {
    /// What, and what to write instead.
    pub message: String,
    /// The line, from 1; 0 if it is not about one place.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

const KINDS: [&str; 5] = ["read", "write", "update", "fence", "gap"];
const SETTINGS: [&str; 8] = ["na", "rlx", "acq", "rel", "acqrel", "sc", "none", "exchange"];

fn kind(kind: SiteKind) -> &'static str {
    match kind {
        SiteKind::Read => "read",
        SiteKind::Write => "write",
        SiteKind::Update => "update",
        SiteKind::Fence => "fence",
        SiteKind::Gap => "gap",
    }
}

fn setting(setting: Setting) -> &'static str {
    match setting {
        Setting::Access(mode) | Setting::Fence(mode) => mode.keyword(),
        Setting::NoFence => "none",
        Setting::Exchange => "exchange",
    }
}

/// A table that comes with the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    json: &'static str,
}

/// The tables of processors.
pub const TABLES: [Table; 3] = [
    Table {
        name: "x86",
        title: "x86: only sc writes, sc fences and locked operations cost",
        json: r#"{"read": {"na": 0, "rlx": 0, "acq": 0, "sc": 0}, "write": {"na": 0, "rlx": 0, "rel": 0, "sc": 20, "exchange": 20},
            "update": {"rlx": 20, "acq": 20, "rel": 20, "acqrel": 20, "sc": 20},
            "fence": {"none": 0, "acq": 0, "rel": 0, "acqrel": 0, "sc": 25},
            "gap": {"none": 0, "acq": 0, "rel": 0, "acqrel": 0, "sc": 25}}"#,
    },
    Table {
        name: "arm",
        title: "ARMv8: LDAR and STLR are cheap, DMB is dear",
        json: r#"{"read": {"na": 0, "rlx": 0, "acq": 2, "sc": 3}, "write": {"na": 0, "rlx": 0, "rel": 3, "sc": 4},
            "update": {"rlx": 0, "acq": 2, "rel": 3, "acqrel": 5, "sc": 6},
            "fence": {"none": 0, "acq": 8, "rel": 12, "acqrel": 12, "sc": 12},
            "gap": {"none": 0, "acq": 8, "rel": 12, "acqrel": 12, "sc": 12}}"#,
    },
    Table {
        name: "power",
        title: "POWER: lwsync is dear, sync is dearer",
        json: r#"{"read": {"na": 0, "rlx": 0, "acq": 6, "sc": 40}, "write": {"na": 0, "rlx": 0, "rel": 10, "sc": 40},
            "update": {"rlx": 0, "acq": 6, "rel": 10, "acqrel": 16, "sc": 50},
            "fence": {"none": 0, "acq": 10, "rel": 10, "acqrel": 10, "sc": 40},
            "gap": {"none": 0, "acq": 10, "rel": 10, "acqrel": 10, "sc": 40}}"#,
    },
];

impl Costs {
    /// A table that comes with the engine, by its name.
    pub fn named(name: &str) -> Option<Self> {
        let table = TABLES.iter().find(|table| table.name == name)?;
        Self::from_json(table.json).ok()
    }

    /// Reads a table.
    ///
    /// # Errors
    /// [`CostsError`] for what is no JSON, and for kinds, settings and costs that there are not.
    pub fn from_json(text: &str) -> Result<Self, CostsError> {
        #[derive(Deserialize)]
        #[serde(transparent)]
        struct Read(BTreeMap<String, BTreeMap<String, i128>>);
        let Read(read) = serde_json::from_str(text).map_err(|error| CostsError {
            message: format!("no table of costs, such as {{\"write\": {{\"rel\": 2}}}}: {error}"),
            line: error.line(),
            column: error.column(),
        })?;
        let wrong = |message: String| CostsError { message, line: 0, column: 0 };
        let mut table = BTreeMap::new();
        for (own, settings) in read {
            let Some(of) = KINDS.iter().find(|kind| **kind == own) else {
                return Err(wrong(format!("nothing is called `{own}`: there are {}", KINDS.join(", "))));
            };
            for (name, cost) in settings {
                let Some(to) = SETTINGS.iter().find(|setting| **setting == name) else {
                    return Err(wrong(format!("nothing can be set to `{name}`: there are {}", SETTINGS.join(", "))));
                };
                let cost = u64::try_from(cost).ok().filter(|cost| *cost <= MOST_COST);
                let Some(cost) = cost else {
                    return Err(wrong(format!("`{own}`, `{name}`: a cost is a whole number from 0 to {MOST_COST}")));
                };
                table.insert((*of, *to), cost);
            }
        }
        Ok(Self { table })
    }

    /// What a setting costs at a site. Without a table: modes of accesses 0 to 8 from relaxed on; a fence a little more than an access of its
    /// mode; an exchange more than any.
    pub fn of(&self, site: &Site, to: Setting) -> u64 {
        let usual = match setting(to) {
            "rlx" => 1,
            "acq" | "rel" => 3,
            "acqrel" => 5,
            "sc" => 8,
            "exchange" => 12,
            _ => 0,
        };
        let usual = if matches!(to, Setting::Fence(_)) { usual + 1 } else { usual };
        self.table.get(&(kind(site.kind), setting(to))).copied().unwrap_or(usual)
    }

    /// What a choice costs more than the base; 0 if it is cheaper.
    pub fn of_choice(&self, sites: &[Site], choice: &[u8]) -> u64 {
        let all = sites.iter().zip(choice).map(|(site, level)| {
            let cost = |level: usize| self.of(site, site.levels[level]);
            cost(usize::from(*level)).saturating_sub(cost(0))
        });
        all.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use litmoscope_core::program::{Mode, Span};

    fn site(kind: SiteKind, levels: Vec<Setting>) -> Site {
        Site { owner: crate::sites::Owner::Thread(0), kind, span: Span::default(), levels }
    }

    #[test]
    fn stronger_settings_cost_more() {
        let modes = [Mode::Relaxed, Mode::Release, Mode::AcquireRelease, Mode::SequentiallyConsistent];
        let write = site(SiteKind::Write, modes.map(Setting::Access).to_vec());
        let all = [Costs::default(), Costs::named("x86").expect("x86"), Costs::named("power").expect("power")];
        for costs in &all {
            assert!(
                write.levels.windows(2).all(|pair| costs.of(&write, pair[0]) <= costs.of(&write, pair[1]))
                    || *costs != all[0]
            );
        }
        assert_eq!(all[0].of_choice(&[write.clone(), write.clone()], &[1, 3]), 2 + 7);
        assert_eq!(all[1].of_choice(std::slice::from_ref(&write), &[1]), 0);
        assert!(TABLES.iter().all(|table| Costs::from_json(table.json).is_ok()));
    }

    #[test]
    fn what_is_no_table_is_said() {
        for (text, message) in [
            ("{", "no table of costs"),
            ("[]", "no table of costs"),
            (r#"{"jump": {}}"#, "nothing is called `jump`: there are read, write, update, fence, gap"),
            (r#"{"gap": {"strong": 1}}"#, "nothing can be set to `strong`"),
            (r#"{"gap": {"sc": 1000001}}"#, "`gap`, `sc`: a cost is a whole number from 0 to 1000000"),
        ] {
            let error = Costs::from_json(text).expect_err(text);
            assert!(error.message.starts_with(message), "{text}: {}", error.message);
        }
    }
}

//! A memory model as a value: what refers to a definition, one of the house's own or somebody else's.

use super::{Definition, Notation, Rules, UnknownModel};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// A memory model: one of [`Self::ALL`], or what somebody else defines ([`Self::new`]).
///
/// Two models are the same if they refer to one definition, which is best a `static`. They are ordered as [`Self::ALL`], others
/// behind these, by name. In JSON, a model is its name; only those of [`Self::ALL`] can be read back.
#[derive(Clone, Copy)]
pub struct Model(&'static Definition);

impl Model {
    /// The model that a definition describes. Its rules have to be such that [`Rules::flaw`] finds none.
    pub const fn new(definition: &'static Definition) -> Self {
        Self(definition)
    }

    /// What it consists of.
    pub const fn definition(self) -> &'static Definition {
        self.0
    }

    /// The strongest one, against which what others allow is explained.
    pub const STRONGEST: Self = Self::ALL[0];

    /// What it orders.
    pub const fn rules(self) -> &'static Rules {
        &self.definition().rules
    }

    /// The model of what a notation is made for, if that is one.
    pub fn of_notation(notation: Notation) -> Option<Self> {
        Self::ALL.into_iter().find(|model| model.definition().notations.contains(&notation))
    }

    /// The name in links and on the command line.
    pub const fn name(self) -> &'static str {
        self.definition().name
    }

    /// The name that readers see.
    pub const fn title(self) -> &'static str {
        self.definition().title
    }

    /// What it is, in two sentences.
    pub const fn description(self) -> &'static str {
        self.definition().description
    }

    /// How many of [`Self::ALL`] are in front of it.
    fn rank(self) -> usize {
        Self::ALL.into_iter().take_while(|other| *other != self).count()
    }
}

impl Default for Model {
    fn default() -> Self {
        Self::STRONGEST
    }
}

impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Model {}

impl Hash for Model {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl Ord for Model {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = |model: &Self| (model.rank(), model.name(), std::ptr::from_ref(model.0));
        place(self).cmp(&place(other))
    }
}

impl PartialOrd for Model {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Model {
    type Err = UnknownModel;

    /// By [`Model::name`], in any case.
    fn from_str(name: &str) -> Result<Self, UnknownModel> {
        let found = Self::ALL.into_iter().find(|model| model.name().eq_ignore_ascii_case(name.trim()));
        found.ok_or_else(|| UnknownModel(name.to_owned()))
    }
}

impl Serialize for Model {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Model {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let found = Self::ALL.into_iter().find(|model| model.name() == name);
        found.ok_or_else(|| D::Error::custom(UnknownModel(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    static MINE: Definition = Definition { name: "mine", title: "Mine", ..*Model::RA.definition() };
    static NAMESAKE: Definition = Definition { name: "sc", ..MINE };

    #[test]
    fn models_are_known_by_their_definitions() {
        let (mine, namesake) = (Model::new(&MINE), Model::new(&NAMESAKE));
        assert_eq!((mine, mine.to_string(), format!("{mine:?}")), (mine, "mine".to_owned(), "Mine".to_owned()));
        assert_ne!(namesake, Model::SC);
        let names: BTreeSet<_> = Model::ALL.iter().map(|model| model.name()).collect();
        assert_eq!(names.len(), Model::ALL.len());
        // From strong to weak, and those of others behind them.
        let mut models = [vec![mine, namesake], Model::ALL.to_vec()].concat();
        models.sort_unstable();
        assert_eq!(models, [Model::ALL.to_vec(), vec![mine, namesake]].concat());
        assert!(Model::ALL.iter().all(|model| model.rules().flaw().is_none()));
    }

    #[test]
    fn models_are_written_as_their_names() {
        let text = serde_json::to_string(&Model::ALL).expect("names can be written");
        assert_eq!(text, r#"["sc","tso","pso","sra","ra","wra","rc11","rc20","coherence"]"#);
        assert_eq!(serde_json::from_str::<Vec<Model>>(&text).expect("they can be read"), Model::ALL);
        let error = serde_json::from_str::<Model>(r#""power""#).expect_err("there is none").to_string();
        assert!(error.starts_with("there is no memory model `power`; the models are sc, tso"), "{error}");
    }

    #[test]
    fn models_that_say_too_little_have_a_flaw() {
        let flaw = |change: fn(&mut Rules)| {
            let mut rules = *Model::RA.rules();
            change(&mut rules);
            rules.flaw().unwrap_or_default()
        };
        assert_eq!(flaw(|_| ()), "");
        assert!(flaw(|rules| *rules = Rules::NONE).starts_with("nothing says which write"));
        assert!(flaw(|rules| rules.local = None).starts_with("nothing says which write"));
        assert!(flaw(|rules| rules.happens_before = None).contains("`orders_fences`"));
        assert!(flaw(|rules| rules.buffers = Model::TSO.rules().buffers).starts_with("store buffers"));
        assert!(flaw(|rules| rules.psc = Model::RC11.rules().psc).starts_with("psc asks for"));
        assert!(flaw(|rules| rules.causality = Model::WRA.rules().causality).starts_with("`causality`"));
    }
}

//! The names of operations, and which objects have them.

use crate::Object;

/// An operation's name, its synonyms taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Push,
    Pop,
    Enqueue,
    Dequeue,
    Put,
    Take,
    Add,
    Remove,
    Insert,
    RemoveSmallest,
    Contains,
    Read,
    Get,
    Write,
    CompareAndSet,
    Increase,
    Decrease,
}

/// What a name does to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Insert,
    Remove,
    Contains,
    Read,
    Write,
    CompareAndSet,
    /// Adds to a counter, or takes from it.
    Increase {
        is_negative: bool,
    },
    Total,
}

/// How many verbs there are.
pub(super) const VERBS: usize = Verb::Decrease as usize + 1;

/// The longest name that is looked up, separators left out.
const LONGEST: usize = 16;

impl Verb {
    /// What a name means. Capitals and the separators `-` and `_` mean nothing: `deleteMin` is `delete-min`.
    pub(super) fn of(name: &str) -> Option<Self> {
        // Names are looked up for each operation of a long text: nothing is allocated.
        let mut plain = [0; LONGEST];
        let mut length = 0;
        for byte in name.bytes().filter(|byte| !matches!(byte, b'-' | b'_')) {
            *plain.get_mut(length)? = byte.to_ascii_lowercase();
            length += 1;
        }
        Some(match &plain[..length] {
            b"push" => Self::Push,
            b"pop" => Self::Pop,
            b"enq" | b"enqueue" | b"offer" => Self::Enqueue,
            b"deq" | b"dequeue" | b"poll" => Self::Dequeue,
            b"put" => Self::Put,
            b"take" => Self::Take,
            b"add" => Self::Add,
            b"remove" | b"rem" | b"rmv" | b"delete" | b"del" => Self::Remove,
            b"insert" | b"ins" => Self::Insert,
            b"extractmin" | b"deletemin" | b"delmin" | b"removemin" | b"popmin" | b"takemin" => Self::RemoveSmallest,
            b"contains" | b"member" | b"has" | b"find" | b"lookup" | b"exists" => Self::Contains,
            b"read" | b"load" | b"total" | b"value" => Self::Read,
            b"get" => Self::Get,
            b"write" | b"store" | b"set" => Self::Write,
            b"cas" | b"compareandset" | b"compareandswap" | b"compareexchange" | b"cmpxchg" => Self::CompareAndSet,
            b"inc" | b"incr" | b"increment" | b"increase" => Self::Increase,
            b"dec" | b"decr" | b"decrement" | b"decrease" => Self::Decrease,
            _ => return None,
        })
    }

    /// What it does to an object; `None` if such objects have no operation of this name.
    pub(super) fn role(self, object: Object) -> Option<Role> {
        match object {
            Object::Register => match self {
                Self::Read | Self::Get => Some(Role::Read),
                Self::Write | Self::Put => Some(Role::Write),
                Self::CompareAndSet => Some(Role::CompareAndSet),
                _ => None,
            },
            Object::Counter => match self {
                Self::Read | Self::Get => Some(Role::Total),
                Self::Increase | Self::Add => Some(Role::Increase { is_negative: false }),
                Self::Decrease => Some(Role::Increase { is_negative: true }),
                _ => None,
            },
            Object::Stack | Object::Queue | Object::Set | Object::Multiset | Object::PriorityQueue => match self {
                Self::Push | Self::Enqueue | Self::Put | Self::Add | Self::Insert => Some(Role::Insert),
                Self::Pop | Self::Dequeue | Self::Take | Self::Remove | Self::RemoveSmallest => Some(Role::Remove),
                Self::Get if object != Object::Set => Some(Role::Remove),
                Self::Contains if matches!(object, Object::Set | Object::Multiset) => Some(Role::Contains),
                _ => None,
            },
        }
    }

    /// Whether it takes something out that it need not name.
    pub(super) fn is_removal(self) -> bool {
        matches!(self, Self::Pop | Self::Dequeue | Self::Take | Self::Remove | Self::RemoveSmallest | Self::Get)
    }

    /// Whether it needs no value to be called.
    pub(super) fn names_nothing(self) -> bool {
        self == Self::Read || self.is_removal() && self != Self::Remove
    }

    /// The object that has it, where there is one above all.
    fn hint(self) -> Option<Object> {
        match self {
            Self::Push | Self::Pop => Some(Object::Stack),
            Self::Enqueue | Self::Dequeue | Self::Take => Some(Object::Queue),
            Self::RemoveSmallest => Some(Object::PriorityQueue),
            Self::Contains => Some(Object::Set),
            Self::Write | Self::CompareAndSet => Some(Object::Register),
            Self::Increase | Self::Decrease => Some(Object::Counter),
            Self::Put | Self::Add | Self::Remove | Self::Insert | Self::Read | Self::Get => None,
        }
    }
}

/// All verbs.
const ALL: [Verb; VERBS] = [
    Verb::Push,
    Verb::Pop,
    Verb::Enqueue,
    Verb::Dequeue,
    Verb::Put,
    Verb::Take,
    Verb::Add,
    Verb::Remove,
    Verb::Insert,
    Verb::RemoveSmallest,
    Verb::Contains,
    Verb::Read,
    Verb::Get,
    Verb::Write,
    Verb::CompareAndSet,
    Verb::Increase,
    Verb::Decrease,
];

/// What the names of operations say about the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guess {
    /// It is this, since it has this operation.
    Object(Object, Verb),
    /// These two are of different objects.
    Contradiction((Verb, Object), (Verb, Object)),
    /// Nothing that helps.
    Nothing,
}

/// Guesses the object from the operations that it has; `names_removed` says whether each removal names its value when
/// it is called.
pub(super) fn guess(has: impl Fn(Verb) -> bool, names_removed: bool) -> Guess {
    let mut hints = ALL.into_iter().filter(|verb| has(*verb)).filter_map(|verb| Some((verb, verb.hint()?)));
    if let Some(first) = hints.next() {
        return match hints.find(|(_, object)| *object != first.1) {
            Some(other) => Guess::Contradiction(first, other),
            None => Guess::Object(first.1, first.0),
        };
    }
    let reads = if has(Verb::Read) { Some(Verb::Read) } else { has(Verb::Get).then_some(Verb::Get) };
    let inserts = if has(Verb::Add) { Some(Verb::Add) } else { has(Verb::Insert).then_some(Verb::Insert) };
    match (reads, inserts, has(Verb::Remove), has(Verb::Put)) {
        (Some(_), Some(Verb::Add), false, false) => Guess::Object(Object::Counter, Verb::Add),
        (Some(read), None, false, true) => Guess::Object(Object::Register, read),
        (Some(Verb::Read), None, false, false) => Guess::Object(Object::Register, Verb::Read),
        (None, Some(insert), _, false) if names_removed => Guess::Object(Object::Set, insert),
        (None, None, true, false) if names_removed => Guess::Object(Object::Set, Verb::Remove),
        _ => Guess::Nothing,
    }
}

/// The object that a word names: `stack`, `atomic-stack`, `priority-queue`, `fifo`.
pub(super) fn object(word: &str) -> Option<Object> {
    let lower = word.to_ascii_lowercase().replace('_', "-");
    let plain = lower.strip_prefix("atomic-").unwrap_or(&lower);
    if let Some(object) = Object::ALL.into_iter().find(|object| object.name() == plain) {
        return Some(object);
    }
    match plain {
        "lifo" => Some(Object::Stack),
        "fifo" => Some(Object::Queue),
        "bag" => Some(Object::Multiset),
        "priorityqueue" | "heap" => Some(Object::PriorityQueue),
        "cas-register" => Some(Object::Register),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synonyms_are_known() {
        for (name, verb) in [
            ("push", Some(Verb::Push)),
            ("deleteMin", Some(Verb::RemoveSmallest)),
            ("compare_and_set", Some(Verb::CompareAndSet)),
            ("Enqueue", Some(Verb::Enqueue)),
            ("", None),
            ("pushh", None),
            ("a-name-that-is-longer-than-any", None),
        ] {
            assert_eq!(Verb::of(name), verb, "{name}");
        }
        assert!(ALL.iter().enumerate().all(|(at, verb)| *verb as usize == at));
    }

    #[test]
    fn objects_are_guessed() {
        for (names, names_removed, expected) in [
            ("push pop", false, Guess::Object(Object::Stack, Verb::Push)),
            ("offer poll", false, Guess::Object(Object::Queue, Verb::Enqueue)),
            ("put take", false, Guess::Object(Object::Queue, Verb::Take)),
            ("put get", false, Guess::Object(Object::Register, Verb::Get)),
            ("add remove contains", true, Guess::Object(Object::Set, Verb::Contains)),
            ("add remove", true, Guess::Object(Object::Set, Verb::Add)),
            ("add remove", false, Guess::Nothing),
            ("add read", true, Guess::Object(Object::Counter, Verb::Add)),
            ("insert extract-min", false, Guess::Object(Object::PriorityQueue, Verb::RemoveSmallest)),
            ("read cas", true, Guess::Object(Object::Register, Verb::CompareAndSet)),
            ("put", true, Guess::Nothing),
            ("", true, Guess::Nothing),
            ("push deq", false, Guess::Contradiction((Verb::Push, Object::Stack), (Verb::Dequeue, Object::Queue))),
        ] {
            let verbs: Vec<Verb> = names.split_whitespace().filter_map(Verb::of).collect();
            assert_eq!(guess(|verb| verbs.contains(&verb), names_removed), expected, "{names}");
        }
        assert_eq!(object("atomic-stack"), Some(Object::Stack));
        assert_eq!(object("Priority_Queue"), Some(Object::PriorityQueue));
        assert_eq!(object("s"), None);
    }
}

//! Places of a program that can be stronger or weaker, and the program with some of them changed.
//!
//! A [`Site`] is an access, a fence, or the gap in front of a statement. It has *levels*, from what the base has (level 0) to the strongest,
//! partly ordered: acquire and release are both weaker than acquire-release, and neither is weaker than the other. A [`Choice`] has a level for
//! each site. Sites in the body of a loop or a branch hold for every round, sites in a method for every call.
//!
//! Where a program is to be stronger ([`Aim::Strengthen`]), the base is the program. Where it is to be weaker ([`Aim::Weaken`]), the base
//! has all modes as weak and fences as few as can be, and the strongest levels are the program.

use litmoscope_core::model::{Buffers, Model};
use litmoscope_core::program::{
    Access, AccessKind, Expression, Integer, Mode, PlaceKind, Program, Span, Statement, StatementKind, ThreadKind,
    UpdateOperator,
};
use serde::{Deserialize, Serialize};

/// What a site is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Setting {
    /// An access of this mode.
    Access(Mode),
    /// No fence.
    NoFence,
    /// A fence.
    Fence(Mode),
    /// A write that is an exchange.
    Exchange,
}

/// How much a mode orders; acquire and release are as much.
fn strength(mode: Mode) -> u32 {
    match mode {
        Mode::NonAtomic => 0,
        Mode::Relaxed => 1,
        Mode::Acquire | Mode::Release => 2,
        Mode::AcquireRelease => 3,
        Mode::SequentiallyConsistent => 4,
    }
}

impl Setting {
    /// Whether the other one, of the same site, is this or stronger.
    pub fn is_within(self, other: Self) -> bool {
        let no_stronger = |weak: Mode, strong: Mode| weak == strong || strength(weak) < strength(strong);
        match (self, other) {
            (Self::Access(weak), Self::Access(strong)) | (Self::Fence(weak), Self::Fence(strong)) => {
                no_stronger(weak, strong)
            }
            (Self::NoFence, Self::Fence(_)) | (Self::Access(_), Self::Exchange) => true,
            _ => self == other,
        }
    }

    /// Whether it is a fence, or none.
    pub fn is_fence(self) -> bool {
        matches!(self, Self::NoFence | Self::Fence(_))
    }
}

/// What stands at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SiteKind {
    /// A read.
    Read,
    /// A write.
    Write,
    /// A read-modify-write.
    Update,
    /// A fence.
    Fence,
    /// Nothing: a fence can stand in front of what stands there.
    Gap,
}

/// Whose statement it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// A thread's.
    Thread(u16),
    /// A method's, of an object.
    Method(u16, u16),
}

/// A place that can be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Whose it is.
    pub owner: Owner,
    /// What stands there.
    pub kind: SiteKind,
    /// Where it is; of a gap, the statement behind it.
    pub span: Span,
    /// What it can be set to: first what the base has, weaker ones before stronger ones. Two at least.
    pub levels: Vec<Setting>,
}

impl Site {
    /// Whether a level is weaker than another one, or it.
    pub fn is_within(&self, weak: u8, strong: u8) -> bool {
        self.levels[usize::from(weak)].is_within(self.levels[usize::from(strong)])
    }
}

/// By site: its level.
pub type Choice = Vec<u8>;

/// What is wanted of the sites of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// The program is to be stronger.
    Strengthen {
        /// Non-atomic accesses may become atomic, since a race is what is wrong.
        races: bool,
    },
    /// It is to be weaker.
    Weaken,
}

/// Which changes are not wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Lines that stay as they are, first and last. No fence is put in front of them either.
    pub lines: Vec<(u32, u32)>,
    /// No fence is put in or dropped.
    pub fences: bool,
    /// No mode is changed.
    pub modes: bool,
    /// No write becomes an exchange.
    pub exchanges: bool,
}

impl Kept {
    fn has(&self, span: Span) -> bool {
        self.lines.iter().any(|(first, last)| (*first..=*last).contains(&span.line))
    }

    fn forbids(&self, setting: Setting) -> bool {
        match setting {
            Setting::Access(_) => self.modes,
            Setting::NoFence | Setting::Fence(_) => self.fences,
            Setting::Exchange => self.exchanges,
        }
    }
}

/// How exchanges are put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exchanges {
    /// As such.
    Real,
    /// As a write between two fences, which store buffers take for the same.
    Fenced,
}

/// Where a fence that was put in says to be. No text has such places.
pub(crate) const INSERTED: Span = Span { start: u32::MAX, end: u32::MAX, line: 0, column: u32::MAX };

/// Goes through the sites of a program in the order of its text: lists them, and sets those that are chosen.
struct Walk<'c> {
    model: Model,
    aim: Aim,
    kept: &'c Kept,
    chosen: Option<&'c [u8]>,
    exchanges: Exchanges,
    sites: Vec<Site>,
    owner: Owner,
    /// Whether something was accessed in front of what comes.
    accessed: bool,
}

impl Walk<'_> {
    /// A site, unless it has one level alone; what it is set to.
    fn site(&mut self, kind: SiteKind, span: Span, levels: Vec<Setting>, now: Setting) -> Setting {
        let stays = |setting: &Setting| *setting == now;
        let levels: Vec<Setting> = match self.kept.has(span) {
            true => levels.into_iter().filter(stays).collect(),
            false => levels.into_iter().filter(|level| stays(level) || !self.kept.forbids(*level)).collect(),
        };
        if levels.len() < 2 {
            return now;
        }
        let level = self.chosen.and_then(|chosen| chosen.get(self.sites.len())).copied().unwrap_or(0);
        let chosen = if self.chosen.is_some() { levels[usize::from(level)] } else { now };
        self.sites.push(Site { owner: self.owner, kind, span, levels });
        chosen
    }

    /// The fences that mean something to the model, weaker ones first.
    fn fences(&self) -> &'static [Mode] {
        use Mode::{Acquire, AcquireRelease, Release, SequentiallyConsistent};
        let rules = self.model.rules();
        if rules.synchronises() {
            &[Acquire, Release, AcquireRelease, SequentiallyConsistent]
        } else if rules.buffers == Some(Buffers::OfLocations) {
            &[Release, SequentiallyConsistent]
        } else {
            &[SequentiallyConsistent]
        }
    }

    /// What a fence, or none, can be.
    fn fence_levels(&self, now: Setting) -> Vec<Setting> {
        let all = std::iter::once(Setting::NoFence).chain(self.fences().iter().map(|mode| Setting::Fence(*mode)));
        match self.aim {
            Aim::Strengthen { .. } => {
                let first = std::iter::once(now);
                first.chain(all.filter(|level| *level != now && now.is_within(*level))).collect()
            }
            // A fence that means nothing is not needed.
            Aim::Weaken if all.clone().any(|level| level == now) => all.filter(|level| level.is_within(now)).collect(),
            Aim::Weaken => vec![Setting::NoFence, now],
        }
    }

    /// The modes that an access of some mode can have.
    fn modes(&self, now: Mode, among: &[Mode]) -> Vec<Setting> {
        let level = |mode: &Mode| Setting::Access(*mode);
        if !self.model.rules().synchronises() {
            return vec![level(&now)];
        }
        let now_or = |mode: &&Mode| **mode != now;
        match self.aim {
            // Whether an access is atomic is no matter of order.
            Aim::Strengthen { races: false } if now == Mode::NonAtomic => vec![level(&now)],
            Aim::Strengthen { .. } => {
                let stronger = among.iter().filter(now_or).filter(|mode| level(&now).is_within(level(mode)));
                std::iter::once(&now).chain(stronger).map(level).collect()
            }
            Aim::Weaken if now == Mode::NonAtomic => vec![level(&now)],
            Aim::Weaken => {
                let weaker = among.iter().filter(now_or).filter(|mode| level(mode).is_within(level(&now)));
                weaker.chain(std::iter::once(&now)).map(level).collect()
            }
        }
    }

    fn put_fence(&mut self, body: &mut Vec<Statement>, span: Span) {
        let levels = self.fence_levels(Setting::NoFence);
        if let Setting::Fence(mode) = self.site(SiteKind::Gap, span, levels, Setting::NoFence) {
            body.push(Statement { kind: StatementKind::Fence(mode), span: INSERTED });
        }
    }

    /// The statements one behind the other.
    fn body(&mut self, body: &mut Vec<Statement>) {
        let before = std::mem::take(body);
        let mut behind_fence = false;
        for mut statement in before {
            let fence = match statement.kind {
                StatementKind::Fence(mode) => Some(mode),
                _ => None,
            };
            let is_gap = self.accessed && !behind_fence && has_access(&statement);
            if is_gap && matches!(self.aim, Aim::Strengthen { .. }) {
                self.put_fence(body, statement.span);
            }
            if let Some(now) = fence {
                let levels = self.fence_levels(Setting::Fence(now));
                behind_fence = true;
                match self.site(SiteKind::Fence, statement.span, levels, Setting::Fence(now)) {
                    Setting::Fence(mode) => statement.kind = StatementKind::Fence(mode),
                    _ => continue,
                }
                body.push(statement);
                continue;
            }
            behind_fence = false;
            for statement in self.statement(statement) {
                body.push(statement);
            }
        }
    }

    /// The body of a loop: what is accessed at its end is in front of its beginning.
    fn round(&mut self, body: &mut Vec<Statement>, condition: &Expression) {
        self.accessed |= body.iter().any(has_access) || condition.has_access();
        self.body(body);
    }

    fn statement(&mut self, mut statement: Statement) -> Vec<Statement> {
        use Mode::{Relaxed, Release, SequentiallyConsistent};
        let span = statement.span;
        match &mut statement.kind {
            StatementKind::Write { place, mode, value } => {
                self.place(&mut place.kind);
                self.expression(value);
                let mut levels = self.modes(*mode, &[Relaxed, Release, SequentiallyConsistent]);
                if self.model.rules().buffers.is_some() && matches!(self.aim, Aim::Strengthen { .. }) {
                    levels.push(Setting::Exchange);
                }
                self.accessed = true;
                match self.site(SiteKind::Write, span, levels, Setting::Access(*mode)) {
                    Setting::Access(chosen) => *mode = chosen,
                    Setting::Exchange if self.exchanges == Exchanges::Fenced => {
                        let fence = || Statement { kind: StatementKind::Fence(SequentiallyConsistent), span: INSERTED };
                        return vec![fence(), statement, fence()];
                    }
                    _ => {
                        let kind = AccessKind::Update {
                            operator: UpdateOperator::Exchange,
                            operand: value.clone(),
                            integer: Integer::Int64,
                        };
                        let access = Access { kind, place: place.clone(), mode: *mode, span };
                        statement.kind = StatementKind::Evaluate(Expression::Access(Box::new(access)));
                    }
                }
            }
            StatementKind::Assign { value, .. }
            | StatementKind::Evaluate(value)
            | StatementKind::Assert(value)
            | StatementKind::Assume(value) => self.expression(value),
            StatementKind::If { condition, then, otherwise } => {
                self.expression(condition);
                let before = self.accessed;
                self.body(then);
                let behind = std::mem::replace(&mut self.accessed, before);
                self.body(otherwise);
                self.accessed |= behind;
            }
            StatementKind::While { condition, body } => {
                self.expression(condition);
                self.round(body, condition);
            }
            StatementKind::Repeat { body, until } => {
                self.round(body, until);
                self.expression(until);
            }
            StatementKind::Send { value, .. } => {
                self.expression(value);
                self.accessed = true;
            }
            StatementKind::Lock(_) | StatementKind::Unlock(_) => self.accessed = true,
            StatementKind::Call { arguments, .. } => {
                arguments.iter_mut().for_each(|argument| self.expression(argument));
                self.accessed = true;
            }
            StatementKind::Return(value) => {
                if let Some(value) = value {
                    self.expression(value);
                }
            }
            // What is in it is one step, under sequential consistency alone.
            StatementKind::Atomic(_) => self.accessed = true,
            StatementKind::Fence(_)
            | StatementKind::Skip
            | StatementKind::Input { .. }
            | StatementKind::Post { .. } => {}
        }
        vec![statement]
    }

    fn place(&mut self, place: &mut PlaceKind) {
        match place {
            PlaceKind::Element { index: Some(index), .. } => self.expression(index),
            PlaceKind::Pointee(pointer) => self.expression(pointer),
            PlaceKind::Element { index: None, .. } => {}
        }
    }

    fn expression(&mut self, expression: &mut Expression) {
        match expression {
            Expression::Access(access) => self.access(access),
            Expression::Unary(_, operand) => self.expression(operand),
            Expression::Binary(_, left, right) => {
                self.expression(left);
                self.expression(right);
            }
            Expression::Constant(_) | Expression::Register(_) => {}
        }
    }

    fn access(&mut self, access: &mut Access) {
        use Mode::{Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent};
        self.place(&mut access.place.kind);
        let (kind, among): (_, &[Mode]) = match &mut access.kind {
            AccessKind::Receive => {
                self.accessed = true;
                return;
            }
            AccessKind::Read => (SiteKind::Read, &[Relaxed, Acquire, SequentiallyConsistent]),
            AccessKind::Update { operand, .. } => {
                self.expression(operand);
                (SiteKind::Update, &[Relaxed, Acquire, Release, AcquireRelease, SequentiallyConsistent])
            }
            AccessKind::CompareAndSwap { expected, desired, .. } => {
                self.expression(expected);
                self.expression(desired);
                (SiteKind::Update, &[Relaxed, Acquire, Release, AcquireRelease, SequentiallyConsistent])
            }
        };
        self.accessed = true;
        let levels = self.modes(access.mode, among);
        if let Setting::Access(mode) = self.site(kind, access.span, levels, Setting::Access(access.mode)) {
            access.mode = mode;
        }
    }
}

/// Whether a statement, or one in it, accesses what is shared.
fn has_access(statement: &Statement) -> bool {
    let any = |body: &[Statement]| body.iter().any(has_access);
    match &statement.kind {
        StatementKind::Write { .. }
        | StatementKind::Lock(_)
        | StatementKind::Unlock(_)
        | StatementKind::Send { .. }
        | StatementKind::Post { .. }
        | StatementKind::Call { .. } => true,
        StatementKind::Assign { value, .. }
        | StatementKind::Evaluate(value)
        | StatementKind::Assert(value)
        | StatementKind::Assume(value) => value.has_access(),
        StatementKind::Return(value) => value.as_ref().is_some_and(Expression::has_access),
        StatementKind::If { condition, then, otherwise } => condition.has_access() || any(then) || any(otherwise),
        StatementKind::While { condition, body } => condition.has_access() || any(body),
        StatementKind::Repeat { body, until } => until.has_access() || any(body),
        StatementKind::Atomic(body) => any(body),
        StatementKind::Fence(_) | StatementKind::Skip | StatementKind::Input { .. } => false,
    }
}

/// A program whose sites can be changed.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The program as it is.
    pub program: Program,
    /// The model.
    pub model: Model,
    /// What is wanted.
    pub aim: Aim,
    /// The sites, in the order of the text.
    pub sites: Vec<Site>,
    kept: Kept,
}

impl Subject {
    /// The sites of a program. Linear in the program.
    pub fn new(program: Program, model: Model, aim: Aim, kept: Kept) -> Self {
        let mut this = Self { program, model, aim, sites: Vec::new(), kept };
        this.sites = this.walk(None, Exchanges::Real).1;
        this
    }

    fn walk(&self, chosen: Option<&[u8]>, exchanges: Exchanges) -> (Program, Vec<Site>) {
        let mut program = self.program.clone();
        let (owner, sites) = (Owner::Thread(0), Vec::new());
        let (model, aim, kept) = (self.model, self.aim, &self.kept);
        let mut walk = Walk { model, aim, kept, chosen, exchanges, sites, owner, accessed: false };
        for (at, structure) in program.structures.iter_mut().enumerate() {
            for (own, method) in structure.methods.iter_mut().enumerate() {
                // What its callers accessed is in front of it.
                (walk.owner, walk.accessed) = (Owner::Method(at as u16, own as u16), true);
                walk.body(&mut method.body);
            }
        }
        for (index, thread) in program.threads.iter_mut().enumerate() {
            if thread.kind == ThreadKind::Plain {
                (walk.owner, walk.accessed) = (Owner::Thread(index as u16), false);
                walk.body(&mut thread.body);
            }
        }
        (program, walk.sites)
    }

    /// The program with each site at a level.
    pub fn changed(&self, choice: &[u8]) -> Program {
        self.walk(Some(choice), Exchanges::Real).0
    }

    /// The same, where an exchange is a write between two fences.
    pub(crate) fn fenced(&self, choice: &[u8]) -> Program {
        self.walk(Some(choice), Exchanges::Fenced).0
    }

    /// All sites as the base has them.
    pub fn base(&self) -> Choice {
        vec![0; self.sites.len()]
    }

    /// All sites as strong as can be.
    pub fn strongest(&self) -> Choice {
        self.sites.iter().map(|site| site.levels.len() as u8 - 1).collect()
    }

    /// Whether no site of one choice is stronger than that of the other one.
    pub fn is_within(&self, weak: &[u8], strong: &[u8]) -> bool {
        self.sites.iter().zip(weak.iter().zip(strong)).all(|(site, (weak, strong))| site.is_within(*weak, *strong))
    }
}

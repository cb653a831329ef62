//! Classes of tokens, for an editor.

use super::litmoscope::{self, Kind, Meaning};
use crate::program::Notation;
use crate::sort;
use std::collections::HashSet;
use std::ops::Range;

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenClass {
    /// A keyword, a function of the notation or an instruction.
    Keyword,
    /// The name of something shared.
    Shared,
    /// The name of a register or a local variable.
    Register,
    /// A constant.
    Number,
    /// An operator or punctuation.
    Operator,
    /// A comment.
    Comment,
    /// An access mode.
    Mode,
    /// What stands between threads.
    Separator,
    /// A jump target, the name of a thread, or the program's name.
    Label,
    /// A character that no notation knows.
    Unknown,
}

impl TokenClass {
    /// The class that style sheets give its colour to.
    pub fn style_class(self) -> &'static str {
        match self {
            Self::Keyword => "tok-keyword",
            Self::Shared => "tok-shared",
            Self::Register => "tok-register",
            Self::Number => "tok-number",
            Self::Operator => "tok-operator",
            Self::Comment => "tok-comment",
            Self::Mode => "tok-mode",
            Self::Separator => "tok-separator",
            Self::Label => "tok-label",
            Self::Unknown => "tok-unknown",
        }
    }
}

type Classes = Vec<(Range<usize>, TokenClass)>;

/// The classes of a text's tokens as byte ranges, in order, without overlaps. Broken text has classes too; a text that is
/// too long to be parsed has none.
pub fn highlight(text: &str, notation: Notation) -> Classes {
    if text.len() > super::MAX_SOURCE {
        return Vec::new();
    }
    match notation {
        Notation::Litmoscope => highlight_own(text),
        Notation::C11 => highlight_herd(text, &C),
        Notation::X86 | Notation::X86_64 => highlight_herd(text, &ASSEMBLY),
    }
}

fn highlight_own(text: &str) -> Classes {
    let outline = litmoscope::outline(text, &mut Vec::new());
    // In a table, threads alternate: the thread of a token is looked up by its place.
    let mut thread_at: Vec<(u32, usize)> = Vec::new();
    for (thread, tokens) in outline.sections() {
        thread_at
            .extend(tokens.iter().filter(|token| token.kind != Kind::Newline).map(|token| (token.span.start, thread)));
    }
    sort::ascending(&mut thread_at);
    let tokens = litmoscope::tokens(text);
    let mut classes = Classes::new();
    for (at, token) in tokens.iter().enumerate() {
        let range = token.span.start as usize..token.span.end as usize;
        let next_is = |symbol: &str| tokens.get(at + 1).is_some_and(|next| next.is(symbol));
        let class = match token.kind {
            Kind::Newline | Kind::End => continue,
            Kind::Comment => TokenClass::Comment,
            Kind::Unknown => TokenClass::Unknown,
            Kind::Number if next_is(":") => TokenClass::Label,
            Kind::Number => TokenClass::Number,
            Kind::Title(keyword) => {
                let behind = range.start + keyword.len();
                classes.push((range.start..behind, TokenClass::Keyword));
                let rest = &text[behind..range.end];
                let blanks = rest.len() - rest.trim_start().len();
                if blanks < rest.len() {
                    classes.push((behind + blanks..range.end, TokenClass::Label));
                }
                continue;
            }
            Kind::Symbol("||") => TokenClass::Separator,
            Kind::Symbol(word) if litmoscope::is_mode(word) => TokenClass::Mode,
            Kind::Symbol(_) if text[range.clone()].starts_with(char::is_alphabetic) => TokenClass::Keyword,
            Kind::Symbol(_) => TokenClass::Operator,
            Kind::Name | Kind::Quoted => {
                let name = token.name(text).unwrap_or_default();
                let thread = thread_at.binary_search_by_key(&token.span.start, |(start, _)| *start).ok();
                let meaning = thread.and_then(|at| outline.names.meaning(thread_at[at].1, name));
                let register = matches!(meaning, Some(Meaning::Register(_)));
                let in_method = thread.is_some_and(|at| thread_at[at].1 >= outline.names.threads.len());
                let prefixed = at > 0 && tokens[at - 1].is(":");
                if let Some(class) = outline.class_at(token.span.start) {
                    class
                } else if in_method && litmoscope::is_return(&tokens, at, text)
                    || litmoscope::is_of_choice(&tokens, at, text)
                {
                    TokenClass::Keyword
                } else if outline.names.structures.has_empty && name == "empty" && !next_is(":") && !prefixed {
                    TokenClass::Number
                } else if litmoscope::is_of_post(&tokens, at, text) {
                    let keyword = token.kind == Kind::Name && name == "post" && !next_is(".");
                    let behind_point = at > 0 && tokens[at - 1].is(".");
                    if keyword && !behind_point { TokenClass::Keyword } else { TokenClass::Label }
                } else if next_is("(") && token.kind == Kind::Name {
                    TokenClass::Keyword
                } else if next_is(":") {
                    TokenClass::Label
                } else if matches!(meaning, Some(Meaning::Object(_)))
                    || !register && !prefixed && outline.names.object(name).is_some()
                {
                    TokenClass::Shared
                } else {
                    TokenClass::Register
                }
            }
        };
        classes.push((range, class));
    }
    classes
}

/// How the words of one of herd's notations are told apart.
struct Herd {
    keywords: &'static [&'static str],
    /// Beginnings of keywords.
    prefixes: &'static [&'static str],
    /// Instructions and registers may be in either case, and threads are columns.
    assembly: bool,
}

const C: Herd = Herd {
    keywords: &[
        "C",
        "if",
        "else",
        "while",
        "do",
        "for",
        "break",
        "continue",
        "return",
        "int",
        "long",
        "unsigned",
        "signed",
        "char",
        "short",
        "void",
        "volatile",
        "const",
        "static",
        "struct",
        "exists",
        "forall",
        "filter",
        "locations",
        "true",
        "false",
        "not",
        "int8_t",
        "int16_t",
        "int32_t",
        "int64_t",
        "uint8_t",
        "uint16_t",
        "uint32_t",
        "uint64_t",
        "intptr_t",
        "uintptr_t",
        "READ_ONCE",
        "WRITE_ONCE",
        "assert",
        "assume",
        "mtx_lock",
        "mtx_unlock",
        "mtx_t",
        "mutex_lock",
        "mutex_unlock",
        "mutex_t",
        "pthread_mutex_lock",
        "pthread_mutex_unlock",
        "pthread_mutex_t",
        "spin_lock",
        "spin_unlock",
        "spinlock_t",
        "bool",
        "_Bool",
        "_Atomic",
        "size_t",
        "NULL",
        "lock",
        "unlock",
        "xchg",
        "cmpxchg",
        "fai",
        "cas",
    ],
    prefixes: &["atomic", "ATOMIC_", "__atomic", "__VERIFIER", "smp_"],
    assembly: false,
};

const ASSEMBLY: Herd = Herd {
    keywords: &[
        "exists",
        "forall",
        "filter",
        "locations",
        "true",
        "false",
        "not",
        "ptr",
        "byte",
        "word",
        "dword",
        "qword",
    ],
    prefixes: &[],
    assembly: true,
};

/// x86's registers, without their size letters: `%eax`, `RAX` and `AX` end in `AX`.
const REGISTERS: &[&str] =
    &["AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP", "AL", "BL", "CL", "DL", "AH", "BH", "CH", "DH", "IP"];

fn is_x86_register(word: &str) -> bool {
    let upper = word.to_ascii_uppercase();
    let bare = upper.strip_prefix(['E', 'R']).filter(|bare| bare.len() == 2).unwrap_or(&upper);
    let numbered = upper.strip_prefix("XMM").or_else(|| upper.strip_prefix('R')).is_some_and(|number| {
        let number = number.strip_suffix(['D', 'W', 'B']).unwrap_or(number);
        number.parse::<u8>().is_ok()
    });
    REGISTERS.contains(&bare) || numbered
}

/// A piece of a herd text, before it is known what its words are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    Comment,
    Word,
    Number,
    Sign(char),
    Unknown,
}

fn pieces(text: &str, assembly: bool) -> Vec<(Range<usize>, Piece)> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let run = |matches: fn(char) -> bool| rest.find(|c| !matches(c)).unwrap_or(rest.len());
        let until = |end: &str| rest[2..].find(end).map_or(rest.len(), |length| 2 + length + end.len());
        let (piece, length) = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if rest.starts_with("(*") && !(rest.starts_with("(*)") || (!assembly && is_dereference(&rest[2..]))) {
            (Piece::Comment, until("*)"))
        } else if rest.starts_with("/*") {
            (Piece::Comment, until("*/"))
        } else if rest.starts_with("//") || (first == '#' && !assembly) {
            (Piece::Comment, run(|c| c != '\n'))
        } else if first.is_alphabetic()
            || first == '_'
            || matches!(first, '.' | '%') && rest[1..].starts_with(char::is_alphabetic)
        {
            let tail = run(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '%' | '\''));
            (Piece::Word, tail)
        } else if first.is_ascii_digit() {
            (Piece::Number, run(|c| c.is_ascii_alphanumeric() || c == '_'))
        } else if first.is_ascii_punctuation() || "∧∨¬≠≤≥".contains(first) {
            (Piece::Sign(first), first.len_utf8())
        } else {
            (Piece::Unknown, first.len_utf8())
        };
        pieces.push((at..at + length, piece));
        at += length;
    }
    pieces
}

/// Whether what follows `(*` is a C expression rather than one of herd's comments: `(*x)`.
fn is_dereference(behind: &str) -> bool {
    let name = behind.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(behind.len());
    name > 0 && behind[name..].starts_with(')')
}

fn is_thread(word: &str) -> bool {
    litmoscope::thread_index(word).is_some() && word.len() > 1
}

fn highlight_herd(text: &str, herd: &Herd) -> Classes {
    let pieces = pieces(text, herd.assembly);
    let shared = herd_shared(text, &pieces, herd.assembly);
    let sign = |at: Option<usize>, sign: char| {
        at.and_then(|at| pieces.get(at)).is_some_and(|(_, piece)| *piece == Piece::Sign(sign))
    };
    let mut classes = Classes::new();
    // An instruction is the first word of a cell.
    let mut cell_start = true;
    for (at, (range, piece)) in pieces.iter().enumerate() {
        let word = &text[range.clone()];
        let (before, after) = (at.checked_sub(1), Some(at + 1));
        let class = match piece {
            Piece::Comment => TokenClass::Comment,
            Piece::Unknown => TokenClass::Unknown,
            Piece::Number if sign(after, ':') => TokenClass::Label,
            Piece::Number => TokenClass::Number,
            // `||` and `|` in C are operators; in assembly, `|` stands between the threads.
            Piece::Sign('|') if herd.assembly => TokenClass::Separator,
            Piece::Sign(_) => TokenClass::Operator,
            // The first line: `C name`.
            Piece::Word if at == 0 => TokenClass::Keyword,
            Piece::Word if at == 1 && !text[pieces[0].0.end..range.start].contains('\n') => TokenClass::Label,
            Piece::Word if word.starts_with("memory_order") => TokenClass::Mode,
            Piece::Word if is_thread(word) => TokenClass::Label,
            Piece::Word if herd.keywords.contains(&word) => TokenClass::Keyword,
            Piece::Word if herd.prefixes.iter().any(|prefix| word.starts_with(prefix)) => TokenClass::Keyword,
            Piece::Word if herd.assembly && sign(after, ':') => TokenClass::Label,
            Piece::Word if herd.assembly && is_x86_register(word.trim_start_matches('%')) => TokenClass::Register,
            Piece::Word if sign(before, ':') => TokenClass::Register,
            Piece::Word if shared.contains(word) => TokenClass::Shared,
            Piece::Word if herd.assembly && cell_start => TokenClass::Keyword,
            Piece::Word if herd.assembly => TokenClass::Label,
            Piece::Word => TokenClass::Register,
        };
        if *piece != Piece::Comment {
            // Behind `LOCK` and labels stands another instruction.
            let prefix = word.eq_ignore_ascii_case("lock");
            cell_start = prefix || matches!(piece, Piece::Sign('|' | ';' | ':' | '{' | '}'));
        }
        classes.push((range.clone(), class));
    }
    classes
}

/// The shared names of a herd text: parameters of C threads, what is in brackets in assembly, and what has an initial
/// value without a thread.
fn herd_shared<'t>(text: &'t str, pieces: &[(Range<usize>, Piece)], assembly: bool) -> HashSet<&'t str> {
    let mut shared = HashSet::new();
    let sign = |at: Option<usize>, signs: &[char]| {
        let piece = at.and_then(|at| pieces.get(at)).map(|(_, piece)| *piece);
        matches!(piece, Some(Piece::Sign(c)) if signs.contains(&c))
    };
    let mut parameters = false;
    let mut braces = 0;
    let mut init = true;
    for (at, (range, piece)) in pieces.iter().enumerate() {
        let word = &text[range.clone()];
        let (before, after) = (at.checked_sub(1), Some(at + 1));
        match piece {
            Piece::Sign('{') => braces += 1,
            Piece::Sign('}') => {
                braces -= 1;
                init = false;
            }
            Piece::Sign(')') => parameters = false,
            Piece::Word if is_thread(word) && sign(after, &['(']) => parameters = true,
            Piece::Word if is_thread(word) => {}
            Piece::Word => {
                let parameter = !assembly && parameters && sign(after, &[',', ')']);
                let bracketed = sign(before, &['[', '(']) && sign(after, &[']', ')', '+', '[']);
                let initialised =
                    init && braces == 1 && !sign(before, &[':', '=']) && sign(after, &['=', ';', '[', '}']);
                let address = init && braces == 1 && sign(before, &['=']);
                let register = is_x86_register(word.trim_start_matches('%'));
                if parameter || (assembly && bracketed && !register) || initialised || address {
                    shared.insert(word);
                }
            }
            _ => {}
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The classes as `text:class` words.
    fn shown(text: &str, notation: Notation) -> String {
        let classes = highlight(text, notation);
        let word = |(range, class): &(Range<usize>, TokenClass)| format!("{}:{class:?}", &text[range.clone()]);
        classes.iter().filter(|(_, class)| *class != TokenClass::Operator).map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn own_notation() {
        let text = "name SB\nx :=rel 1 || a := load(x, acq) # c\nexists (P1:a = 0)";
        let expected = "name:Keyword SB:Label x:Shared rel:Mode 1:Number ||:Separator a:Register load:Keyword \
                        x:Shared acq:Mode # c:Comment exists:Keyword P1:Label a:Register 0:Number";
        assert_eq!(shown(text, Notation::Litmoscope), expected);
    }

    #[test]
    fn handlers() {
        let text = "handler ui queue // c\nhandler `a b` multiset\nshared x\ninit { ui:x = 1 }\n\
                    message load(n) on ui { x := n; post `a b`.m(x) }\n\
                    message m(x) on `a b` { x := post; }\ninitial ui.load(1)\npost := x || post ui.load(post)\n\
                    exists (ui:n = 1)";
        let expected = "handler:Keyword ui:Label queue:Keyword // c:Comment handler:Keyword `a b`:Label multiset:Keyword \
                        shared:Keyword x:Shared init:Keyword ui:Label x:Register 1:Number message:Keyword load:Label \
                        n:Register on:Keyword ui:Label x:Register n:Register post:Keyword `a b`:Label m:Label x:Register \
                        message:Keyword m:Label x:Register on:Keyword `a b`:Label x:Register post:Register \
                        initial:Keyword ui:Label load:Label 1:Number post:Register x:Shared ||:Separator post:Keyword \
                        ui:Label load:Label post:Register exists:Keyword ui:Label n:Register 1:Number";
        assert_eq!(shown(text, Notation::Litmoscope), expected);
        let broken = "handler h\nmessage k(n on h {\nmessage l(m) on h { x := m\ny := 1 || post ui. ; post 1";
        let expected = "handler:Keyword h:Label message:Keyword k:Label n:Register on:Register h:Register message:Keyword \
                        l:Label m:Register on:Keyword h:Label x:Shared m:Register y:Shared 1:Number ||:Separator \
                        post:Keyword ui:Label post:Register 1:Number";
        assert_eq!(shown(broken, Notation::Litmoscope), expected);
    }

    #[test]
    fn broken_own_notation() {
        let text = "x := := 1 || if a { y := fai(x @";
        let expected = "x:Shared 1:Number ||:Separator if:Keyword a:Register y:Shared fai:Keyword x:Shared @:Unknown";
        assert_eq!(shown(text, Notation::Litmoscope), expected);
    }

    #[test]
    fn herd_c() {
        let text = "C MP\n{ x=0; }\nP0 (atomic_int* x, atomic_int* y) {\n  // c\n  int r0 = *y;\n  \
                    atomic_store_explicit(x, 1, memory_order_release);\n}\nexists (0:r0=1 /\\ x=1)";
        let expected = "C:Keyword MP:Label x:Shared 0:Number P0:Label atomic_int:Keyword x:Shared atomic_int:Keyword \
                        y:Shared // c:Comment int:Keyword r0:Register y:Shared atomic_store_explicit:Keyword x:Shared \
                        1:Number memory_order_release:Mode exists:Keyword 0:Label r0:Register 1:Number x:Shared \
                        1:Number";
        assert_eq!(shown(text, Notation::C11), expected);
    }

    #[test]
    fn herd_c_functions() {
        let text = "C L\n{}\nP0 (atomic_flag* f, mtx_t* m) {\n  _Bool b = atomic_flag_test_and_set(f); mtx_lock(m);\n  \
                    while (1) { if (b) break; else continue; }\n  pthread_mutex_unlock(m); }";
        let expected = "C:Keyword L:Label P0:Label atomic_flag:Keyword f:Shared mtx_t:Keyword m:Shared _Bool:Keyword \
                        b:Register atomic_flag_test_and_set:Keyword f:Shared mtx_lock:Keyword m:Shared while:Keyword \
                        1:Number if:Keyword b:Register break:Keyword else:Keyword continue:Keyword \
                        pthread_mutex_unlock:Keyword m:Shared";
        assert_eq!(shown(text, Notation::C11), expected);
        let own = "shared x\na := wcas(x, 0, 1) || b := cas(x, &c, 2)";
        let expected = "shared:Keyword x:Shared a:Register wcas:Keyword x:Shared 0:Number 1:Number ||:Separator b:Register \
                        cas:Keyword x:Shared c:Register 2:Number";
        assert_eq!(shown(own, Notation::Litmoscope), expected);
    }

    #[test]
    fn herd_x86_addresses() {
        let text = "X86_64 A\n{ q[2]={1,2}; 0:rsi=q; }\n P0 ;\n lock btsl $1,4(%rsi) ;\n movl q+4(%rip),%eax ;";
        let expected = "X86_64:Keyword A:Label q:Shared 2:Number 1:Number 2:Number 0:Label rsi:Register q:Shared P0:Label \
                        lock:Keyword btsl:Keyword 1:Number 4:Number %rsi:Register movl:Keyword q:Shared 4:Number \
                        %rip:Register %eax:Register";
        assert_eq!(shown(text, Notation::X86_64), expected);
    }

    #[test]
    fn herd_x86() {
        let text = "X86 SB\n{ x=0; 0:EAX=0; }\n P0 | P1 ;\n MOV [x],$1 | LC0: ;\n MOV EAX,[y] | JMP LC0 ;\n\
                    exists (0:EAX=0)";
        let expected = "X86:Keyword SB:Label x:Shared 0:Number 0:Label EAX:Register 0:Number P0:Label |:Separator \
                        P1:Label MOV:Keyword x:Shared 1:Number |:Separator LC0:Label MOV:Keyword EAX:Register y:Shared \
                        |:Separator JMP:Keyword LC0:Label exists:Keyword 0:Label EAX:Register 0:Number";
        assert_eq!(shown(text, Notation::X86), expected);
    }

    proptest! {
        #[test]
        fn never_fails(
            text in "(\\PC|[\n\t ;|:=(){}\\[\\]%*/#`.]|x|P0|[a-z]{1,6}|é|handler h queue\n|message k\\(n\\) on h \\{|\ninitial h.k|post h.k){0,60}",
        ) {
            for notation in [Notation::Litmoscope, Notation::C11, Notation::X86, Notation::X86_64] {
                let mut end = 0;
                for (range, _) in highlight(&text, notation) {
                    prop_assert!(end <= range.start && range.start < range.end);
                    prop_assert!(text.get(range.clone()).is_some());
                    end = range.end;
                }
            }
        }
    }
}

//! Checkpoints: the parts of an exploration in a file, to go on with later.
//!
//! A checkpoint is a line, `litmoscope checkpoint`, the version, the length of what follows in bytes and its CRC-32, and
//! then a JSON object: what is explored ([`Subject`]) and its [`Parts`].

use super::{GraphError, Part, Parts, validate_moment};
use crate::explore::{Algorithm, Counts, Findings, Options};
use crate::model::Model;
use crate::program::{Code, Program};
use serde::{Deserialize, Serialize, Serializer};
use std::io::{self, BufWriter, Read, Write};

/// The version that is written, and the only one that is read: a checkpoint is for the program that wrote it.
pub const VERSION: u32 = 2;
/// What a checkpoint begins with.
pub const MAGIC: &str = "litmoscope checkpoint";
/// No first line is longer.
const MAX_LINE: u64 = 80;
/// The largest content that is read, in bytes.
const MAX_CONTENT: u64 = 1 << 32;
/// The most parts that are read: there are a few for each thread or worker, and some pieces.
pub const MAX_PARTS: usize = 1 << 20;
/// Larger counts are of no exploration; sums of those below do not overflow.
const MAX_COUNT: u64 = 1 << 46;

/// What a checkpoint is a checkpoint of. It can be gone on with only if all of it is the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// The version of Litmoscope: another one may go through the tree in another order.
    pub engine: String,
    /// The program's text.
    pub text: String,
    /// The memory model.
    pub model: Model,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// How to explore.
    pub options: Options,
}

impl Subject {
    /// What this engine explores.
    pub fn new(text: &str, model: Model, algorithm: Algorithm, options: Options) -> Self {
        Self { engine: env!("CARGO_PKG_VERSION").to_owned(), text: text.to_owned(), model, algorithm, options }
    }
}

/// Why a checkpoint can't be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file can't be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It does not begin as checkpoints do.
    #[error("it is no checkpoint: its first line is not that of one")]
    NoCheckpoint,
    /// It has another version.
    #[error("it is a checkpoint of version {0}, and this Litmoscope reads version {VERSION}: start again without it")]
    Version(u32),
    /// It ends early.
    #[error("it is cut short: of {expected} bytes, there are {found}")]
    Truncated {
        /// How many bytes the first line announces.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// There is something behind the end.
    #[error("it is damaged: there is something after its end")]
    Trailing,
    /// Its content is not what was written.
    #[error("it is damaged: its checksum is wrong")]
    Checksum,
    /// It announces more than is read.
    #[error("it is too large: {0} bytes, at most {MAX_CONTENT} are read")]
    TooLarge(u64),
    /// The JSON is not as it is written.
    #[error("it is damaged: {0}")]
    Content(String),
    /// It is of another exploration.
    #[error("it is of another exploration: the {0} is not the same")]
    Foreign(&'static str),
    /// Its numbers can't be those of an exploration.
    #[error("it is damaged: it has {0}")]
    Invalid(&'static str),
    /// A graph in it is none of the program.
    #[error("it is damaged: it has {0}")]
    Graph(#[from] GraphError),
}

#[derive(Serialize)]
struct Content<'a, P> {
    subject: &'a Subject,
    parts: &'a P,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnedContent {
    subject: Subject,
    parts: Parts,
}

/// More than a first line has.
const FIRST_LINE: usize = 128;

/// The bytes of a checkpoint, which are in memory once, as they may be many.
pub fn encode(subject: &Subject, parts: &Parts) -> Vec<u8> {
    let mut bytes = vec![0; FIRST_LINE];
    serde_json::to_writer(&mut bytes, &Content { subject, parts }).expect("plain data serialises");
    let line = first_line(&bytes[FIRST_LINE..]);
    let unused = FIRST_LINE - line.len();
    bytes[unused..FIRST_LINE].copy_from_slice(&line);
    bytes.drain(..unused);
    bytes
}

/// Writes a checkpoint whose parts are made one after the other, twice: nothing is in memory as a whole. What is written is what [`encode`] gives.
///
/// # Errors
/// Those of the output.
pub fn write<I: Iterator<Item = Part>>(
    subject: &Subject,
    parts: impl Fn() -> I,
    output: &mut dyn Write,
) -> io::Result<()> {
    struct Each<F>(F);
    impl<I: Iterator<Item = Part>, F: Fn() -> I> Serialize for Each<F> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq((self.0)())
        }
    }
    struct Sum(u64, u32);
    impl Write for Sum {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            *self = Self(self.0 + bytes.len() as u64, crc32(self.1, bytes));
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let content = Content { subject, parts: &Each(parts) };
    let mut sum = BufWriter::new(Sum(0, 0));
    serde_json::to_writer(&mut sum, &content)?;
    let Sum(length, sum) = sum.into_inner()?;
    output.write_all(line(length, sum).as_bytes())?;
    serde_json::to_writer(output, &content)?;
    Ok(())
}

fn line(length: u64, sum: u32) -> String {
    format!("{MAGIC} {VERSION} {length} {sum:08x}\n")
}

fn first_line(content: &[u8]) -> Vec<u8> {
    line(content.len() as u64, crc32(0, content)).into_bytes()
}

/// A content behind its first line.
pub fn seal(content: &[u8]) -> Vec<u8> {
    [&first_line(content), content].concat()
}

/// A checkpoint that was read, of which nothing is checked yet but that it is one.
#[derive(Debug)]
pub struct Saved {
    /// What is explored.
    pub subject: Subject,
    parts: Parts,
}

impl Saved {
    /// Reads a checkpoint.
    ///
    /// # Errors
    /// [`CheckpointError`] for anything that [`encode`] did not write.
    pub fn read(input: &mut dyn Read) -> Result<Self, CheckpointError> {
        let content = content(input)?;
        let OwnedContent { subject, parts } =
            serde_json::from_slice(&content).map_err(|error| CheckpointError::Content(error.to_string()))?;
        Ok(Self { subject, parts })
    }

    /// Whether nothing is left of it.
    pub fn is_over(&self) -> bool {
        self.parts.is_over()
    }

    /// Checks that it is of an exploration.
    ///
    /// # Errors
    /// [`CheckpointError::Foreign`] if it is of another one.
    pub fn of(self, subject: &Subject) -> Result<Self, CheckpointError> {
        let saved = &self.subject;
        for (same, what) in [
            (saved.engine == subject.engine, "version of Litmoscope"),
            (saved.text == subject.text, "program"),
            (saved.model == subject.model, "memory model"),
            (saved.algorithm == subject.algorithm, "algorithm"),
            (saved.options == subject.options, "choice of options"),
        ] {
            if !same {
                return Err(CheckpointError::Foreign(what));
            }
        }
        Ok(self)
    }

    /// The parts, which can be gone on with: `program` and `code` are those of the subject.
    ///
    /// # Errors
    /// [`CheckpointError`] if they can't be those of an exploration.
    pub fn parts(self, program: &Program, code: &Code) -> Result<Parts, CheckpointError> {
        let Self { subject, mut parts } = self;
        if parts.0.is_empty() || parts.0.len() > MAX_PARTS {
            return Err(CheckpointError::Invalid("no parts, or too many"));
        }
        for part in &mut parts.0 {
            part.found.results.bound_table(subject.options.limits);
            check(&part.found, program, code, subject.options)?;
        }
        Ok(parts)
    }
}

/// Reads a checkpoint of an exploration, and checks that it can be gone on with.
///
/// # Errors
/// [`CheckpointError`] for anything that [`encode`] did not make of the same exploration.
pub fn decode(
    input: &mut dyn Read,
    subject: &Subject,
    program: &Program,
    code: &Code,
) -> Result<Parts, CheckpointError> {
    Saved::read(input)?.of(subject)?.parts(program, code)
}

/// What stands behind the first line.
fn content(input: &mut dyn Read) -> Result<Vec<u8>, CheckpointError> {
    let mut line = Vec::new();
    loop {
        let mut byte = [0];
        match input.read(&mut byte) {
            Ok(0) => return Err(CheckpointError::NoCheckpoint),
            Ok(_) if byte[0] == b'\n' => break,
            Ok(_) if line.len() as u64 >= MAX_LINE => return Err(CheckpointError::NoCheckpoint),
            Ok(_) => line.push(byte[0]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    let line = std::str::from_utf8(&line).map_err(|_| CheckpointError::NoCheckpoint)?;
    let words: Vec<&str> = line.strip_prefix(MAGIC).unwrap_or_default().split_whitespace().collect();
    let version = words.first().and_then(|word| word.parse().ok()).ok_or(CheckpointError::NoCheckpoint)?;
    if version != VERSION {
        return Err(CheckpointError::Version(version));
    }
    let (Some(length), Some(sum)) = (
        words.get(1).and_then(|word| word.parse::<u64>().ok()),
        words.get(2).and_then(|word| u32::from_str_radix(word, 16).ok()),
    ) else {
        return Err(CheckpointError::NoCheckpoint);
    };
    if length > MAX_CONTENT {
        return Err(CheckpointError::TooLarge(length));
    }
    let mut content = Vec::new();
    // One byte more, to see whether there is one.
    let found = input.take(length + 1).read_to_end(&mut content)? as u64;
    if found < length {
        return Err(CheckpointError::Truncated { expected: length, found });
    }
    if found > length {
        return Err(CheckpointError::Trailing);
    }
    if crc32(0, &content) != sum {
        return Err(CheckpointError::Checksum);
    }
    Ok(content)
}

/// Checks what was found in a part.
fn check(found: &Findings, program: &Program, code: &Code, options: Options) -> Result<(), CheckpointError> {
    let Findings { counts, results, .. } = found;
    // Each of them, or this does not compile.
    let Counts {
        complete,
        blocked,
        stuck_for_good,
        erroneous,
        bounded,
        steps,
        revisits,
        dropped,
        duplicates,
        plain,
        beyond,
        undecided,
        left_out,
        runs,
        repeated,
        sections,
        systems,
        unsatisfiable,
        race_checks,
    } = *counts;
    let numbers = [
        complete,
        blocked,
        stuck_for_good,
        erroneous,
        bounded,
        steps,
        revisits,
        dropped,
        duplicates,
        plain,
        beyond,
        undecided,
        left_out,
        runs,
        repeated,
        sections,
        systems,
        unsatisfiable,
        race_checks,
    ];
    if numbers.into_iter().any(|number| number > MAX_COUNT) || !results.is_plausible(program, MAX_COUNT) {
        return Err(CheckpointError::Invalid("counts that no exploration has"));
    }
    for moment in [&found.first, &found.violation, &found.witness].into_iter().flatten() {
        validate_moment(code, options.limits, moment)?;
        if moment.position > MAX_COUNT {
            return Err(CheckpointError::Invalid("a position that no exploration has"));
        }
    }
    Ok(())
}

/// CRC-32 as of IEEE 802.3, that of zip and PNG, of what has one and of what comes behind it; eight bits at a time.
fn crc32(before: u32, bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut n = 0;
        while n < 256 {
            let mut sum = n as u32;
            let mut bit = 0;
            while bit < 8 {
                sum = if sum & 1 == 1 { (sum >> 1) ^ 0xEDB8_8320 } else { sum >> 1 };
                bit += 1;
            }
            table[n] = sum;
            n += 1;
        }
        table
    };
    !bytes.iter().fold(!before, |sum: u32, byte| (sum >> 8) ^ TABLE[((sum ^ u32::from(*byte)) & 0xFF) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_usual_one() {
        assert_eq!(crc32(0, b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(crc32(0, b"1234"), b"56789"), 0xCBF4_3926);
        assert_eq!(crc32(0, b""), 0);
    }
}

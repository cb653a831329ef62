//! Archives of tests: zip, tar, and tar in gzip.
//!
//! An archive may come from anybody. What it unpacks to is bounded in size and number; names are labels and never paths; what is in it
//! is not opened if it is an archive itself. What is damaged or too large is a message that says what and where.
//!
//! `zip`, `tar` and `flate2` read them, without their features that need C, clocks or files. `flate2` has `miniz_oxide` inside,
//! which links use already. On the page they are in the part of one worker.
//!
//! Nothing is unpacked to a disk. Holes and long names count as what is unpacked.

use super::Role;
use crate::words;
use flate2::read::MultiGzDecoder;
use std::cell::Cell;
use std::fmt;
use std::io::{self, Cursor, Read};
use tar::Archive;
use zip::ZipArchive;

/// The largest archive that is opened, in bytes.
pub const MAX_ARCHIVE: usize = 1 << 26;

/// How long a name may be, in characters.
const MAX_NAME: usize = 256;

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Format {
    /// `.zip`
    Zip,
    /// `.tar`
    Tar,
    /// `.tar.gz` or `.tgz`
    TarGz,
}

impl Format {
    /// That of the file with this name; `None` if it is no archive.
    pub fn of(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let is = |ending| name.ends_with(ending);
        match () {
            () if is(".zip") => Some(Self::Zip),
            () if is(".tar") => Some(Self::Tar),
            () if is(".tar.gz") || is(".tgz") => Some(Self::TarGz),
            () => None,
        }
    }
}

/// How much is unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes of all files together. Of what is compressed as a whole, those that are passed over count, too.
    pub bytes: u64,
    /// Files and folders.
    pub files: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { bytes: 1 << 28, files: 100_000 }
    }
}

/// A file of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// What it is called: a label, without what a terminal would take for commands.
    pub name: String,
    /// What is in it, cut behind the first byte that is too much for what it is there for; or why it can't be unpacked.
    pub content: Result<Vec<u8>, String>,
    /// Whether it is a file, and no link or device of that name.
    pub is_file: bool,
}

/// What a link or a device is told to be. What it leads to is never looked at.
fn special(name: String) -> File {
    File { name, content: Err("it is a link or a device, not a file".to_owned()), is_file: false }
}

/// Why an archive can't be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveError {
    /// The file up to which it could be read.
    pub behind: Option<String>,
    /// Why.
    pub why: String,
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.behind {
            Some(name) => write!(f, "{}, behind its file {name}", self.why),
            None => f.write_str(&self.why),
        }
    }
}

impl std::error::Error for ArchiveError {}

/// The files of an archive that have a [`Role`], and the archives in it, without their contents.
///
/// # Errors
/// [`ArchiveError`] for what is no such archive, is damaged, or goes beyond the bounds.
pub fn unpack(format: Format, bytes: &[u8], bounds: Bounds) -> Result<Vec<File>, ArchiveError> {
    if bytes.len() > MAX_ARCHIVE {
        let why = format!("the archive has {} bytes, more than {MAX_ARCHIVE}", bytes.len());
        return Err(ArchiveError { behind: None, why });
    }
    match format {
        Format::Zip => unzip(bytes, bounds),
        Format::Tar => untar(bytes, bounds, "tar archive"),
        Format::TarGz => untar(MultiGzDecoder::new(bytes), bounds, "tar archive in gzip"),
    }
}

/// What a name in an archive is shown as: parts of paths in one form, and nothing that is not to be seen.
fn label(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name).replace('\\', "/");
    let shown = |sign: char| if words::is_harmful(sign) || sign.is_control() { '\u{fffd}' } else { sign };
    let name = name.trim_start_matches("./");
    let length = name.chars().count();
    // The ending says what the file is.
    let (cut, rest) = if length > MAX_NAME { ("…", length - MAX_NAME) } else { ("", 0) };
    cut.chars().chain(name.chars().skip(rest).map(shown)).collect()
}

/// Whether the file is unpacked, and up to how many bytes; archives are only named.
fn most(name: &str) -> Option<u64> {
    // macOS keeps a folder with what it knows of the files.
    if name.split('/').any(|part| part == "__MACOSX") {
        return None;
    }
    Role::of(name).map(|role| role.most() as u64 + 1).or(Format::of(name).map(|_| 0))
}

fn too_large(bounds: Bounds) -> String {
    format!("it unpacks to more than {} bytes", bounds.bytes)
}

fn too_many(bounds: Bounds) -> String {
    format!("it has more than {} files", bounds.files)
}

fn unzip(bytes: &[u8], bounds: Bounds) -> Result<Vec<File>, ArchiveError> {
    /// What the entry of a file in the list at the end begins with.
    const ENTRY: &[u8] = b"PK\x01\x02";
    let fail = |why: String| ArchiveError { behind: None, why };
    // The library has the whole list in memory, where an entry takes many times its room.
    if bytes.windows(ENTRY.len()).filter(|four| *four == ENTRY).count() > bounds.files {
        return Err(fail(too_many(bounds)));
    }
    let mut archive = ZipArchive::new(Cursor::new(bytes))
        .map_err(|error| fail(format!("it is no zip archive, or damaged: {error}")))?;
    let (mut files, mut left) = (Vec::new(), bounds.bytes);
    let mut behind = None;
    for at in 0..archive.len() {
        let refuse = |behind: &Option<String>, why| ArchiveError { behind: behind.clone(), why };
        let entry = archive.by_index_raw(at);
        let entry = entry.map_err(|error| refuse(&behind, format!("it is damaged: {error}")))?;
        let name = label(entry.name_raw());
        let (is_file, is_folder) = (entry.is_file(), entry.is_dir());
        drop(entry);
        let Some(most) = most(&name).filter(|_| !is_folder) else { continue };
        if !is_file {
            files.push(special(name));
            continue;
        }
        let mut content = Vec::new();
        let read = archive.by_index(at).map_err(|error| error.to_string()).and_then(|entry| {
            entry.take(most.min(left + 1)).read_to_end(&mut content).map_err(|error| error.to_string())
        });
        let size = content.len() as u64;
        if size > left {
            return Err(refuse(&behind, too_large(bounds)));
        }
        left -= size;
        let content = read.map(|_| content).map_err(|error| format!("it can't be unpacked: {error}"));
        behind = Some(name.clone());
        files.push(File { name, content, is_file: true });
    }
    Ok(files)
}

/// Reads up to a bound, and says that there is more.
struct Bounded<'a, R> {
    inner: R,
    left: u64,
    exceeded: &'a Cell<bool>,
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(into.len());
        if most == 0 {
            // What ends here is not too large.
            let more = self.inner.read(&mut into[..1])? > 0;
            self.exceeded.set(more);
            return if more { Err(io::Error::other("too large")) } else { Ok(0) };
        }
        let read = self.inner.read(&mut into[..most])?;
        self.left -= read as u64;
        Ok(read)
    }
}

fn untar(reader: impl Read, bounds: Bounds, kind: &str) -> Result<Vec<File>, ArchiveError> {
    let exceeded = Cell::new(false);
    let mut archive = Archive::new(Bounded { inner: reader, left: bounds.bytes, exceeded: &exceeded });
    let mut behind: Option<String> = None;
    let fail = |behind: &Option<String>, error: io::Error| {
        let why = match (exceeded.get(), behind) {
            (true, _) => too_large(bounds),
            (false, None) => format!("it is no {kind}, or damaged: {error}"),
            (false, Some(_)) => format!("it is damaged: {error}"),
        };
        ArchiveError { behind: behind.clone(), why }
    };
    let (mut files, mut seen, mut left) = (Vec::new(), 0, bounds.bytes);
    for entry in archive.entries().map_err(|error| fail(&None, error))? {
        let mut entry = entry.map_err(|error| fail(&behind, error))?;
        seen += 1;
        if seen > bounds.files {
            return Err(ArchiveError { behind, why: too_many(bounds) });
        }
        let name = label(&entry.path_bytes());
        let entry_type = entry.header().entry_type();
        let is_special = entry_type.is_symlink()
            || entry_type.is_hard_link()
            || entry_type.is_character_special()
            || entry_type.is_block_special()
            || entry_type.is_fifo();
        let wanted = most(&name);
        if wanted.is_some() && is_special {
            files.push(special(name.clone()));
        }
        if let Some(most) = wanted.filter(|_| entry_type.is_file()) {
            let (mut content, size) = (Vec::new(), entry.size());
            // Holes in files take no room in the archive, so they are not bounded by what is read of that.
            let most = most.min(left + 1);
            (&mut entry).take(most).read_to_end(&mut content).map_err(|error| fail(&behind, error))?;
            if content.len() as u64 > left {
                return Err(ArchiveError { behind, why: too_large(bounds) });
            }
            left -= content.len() as u64;
            if (content.len() as u64) < size.min(most) {
                let why = format!("it is damaged: it ends within its file {name}");
                return Err(ArchiveError { behind: None, why });
            }
            files.push(File { name: name.clone(), content: Ok(content), is_file: true });
        }
        behind = Some(name);
    }
    // What is behind the last file says whether all was right.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(|error| fail(&behind, error))?;
    if seen == 0 {
        let why = format!("it is no {kind}, or there is no file in it");
        return Err(ArchiveError { behind: None, why });
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;
    use zip::write::SimpleFileOptions;
    use zip::{CompressionMethod, ZipWriter};

    type Named<'a> = (&'a str, &'a [u8]);

    fn zipped(files: &[Named]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
            writer.start_file(*name, options).expect("a file");
            writer.write_all(content).expect("its content");
        }
        writer.finish().expect("an archive").into_inner()
    }

    /// With names that the library would refuse to write.
    fn tarred(files: &[Named]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, content) in files {
            let mut header = tar::Header::new_gnu();
            header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            header.set_entry_type(tar::EntryType::Regular);
            header.set_cksum();
            builder.append(&header, *content).expect("a file");
        }
        builder.into_inner().expect("an archive")
    }

    fn gzipped(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).expect("it can be packed");
        encoder.finish().expect("it can be packed")
    }

    fn all(files: &[Named]) -> [(Format, Vec<u8>); 3] {
        [(Format::Zip, zipped(files)), (Format::Tar, tarred(files)), (Format::TarGz, gzipped(&tarred(files)))]
    }

    fn why(format: Format, bytes: &[u8], bounds: Bounds) -> String {
        unpack(format, bytes, bounds).expect_err("it is refused").to_string()
    }

    #[test]
    fn names_say_the_format() {
        let known = ["a.zip", "a.ZIP", "a.tar", "a.tar.gz", "a.tgz", "a.gz", "zip"].map(Format::of);
        let (zip, tar, gz) = (Some(Format::Zip), Some(Format::Tar), Some(Format::TarGz));
        assert_eq!(known, [zip, zip, tar, gz, gz, None, None]);
    }

    #[test]
    fn links_and_devices_are_named() {
        let mut builder = tar::Builder::new(Vec::new());
        let kinds = [tar::EntryType::Symlink, tar::EntryType::Link, tar::EntryType::Char, tar::EntryType::Fifo];
        for (at, kind) in kinds.into_iter().enumerate() {
            let mut header = tar::Header::new_gnu();
            header.set_entry_type(kind);
            header.set_size(0);
            header.set_path(format!("{at}.lit")).expect("a name");
            header.set_link_name("elsewhere.lit").expect("a name");
            header.set_cksum();
            builder.append(&header, &[][..]).expect("an entry");
        }
        let tar = builder.into_inner().expect("an archive");
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        writer.add_symlink("0.lit", "elsewhere.lit", SimpleFileOptions::default()).expect("a link");
        let zip = writer.finish().expect("an archive").into_inner();
        for (format, bytes, count) in [(Format::Tar, tar, kinds.len()), (Format::Zip, zip, 1)] {
            let files = unpack(format, &bytes, Bounds::default()).expect("it can be unpacked");
            assert_eq!(files.len(), count);
            let mut collection = super::super::Collection::default();
            collection.add_archive("a", format, &bytes).expect("it can be opened");
            let contents = collection.contents();
            assert_eq!(contents.tests, []);
            let said: Vec<String> =
                (0..count).map(|at| format!("a/{at}.lit was left out: it is a link or a device, not a file")).collect();
            assert_eq!(contents.left_out, said);
        }
    }

    #[test]
    fn files_with_a_role_are_unpacked() {
        let files: [Named; 6] = [
            ("./a/SB.litmus", b"text"),
            ("a/SB.expected", b"states"),
            ("readme.txt", b"not read"),
            ("__MACOSX/a/x.litmus", b"not read"),
            ("inner.zip", b"not opened"),
            ("empty.lit", b""),
        ];
        for (format, bytes) in all(&files) {
            let found = unpack(format, &bytes, Bounds::default()).expect("it can be unpacked");
            let found: Vec<(&str, &[u8])> = found
                .iter()
                .map(|file| (file.name.as_str(), &file.content.as_ref().expect("it is there")[..]))
                .collect();
            let expected: [Named; 4] =
                [("a/SB.litmus", b"text"), ("a/SB.expected", b"states"), ("inner.zip", b""), ("empty.lit", b"")];
            assert_eq!(found, expected, "{format:?}");
        }
    }

    #[test]
    fn names_are_labels() {
        let files: [Named; 3] = [("../../etc/x.lit", b"a"), ("/etc/y.lit", b"b"), ("a\\z\x1b[31m.lit", b"c")];
        for (format, bytes) in all(&files) {
            let found = unpack(format, &bytes, Bounds::default()).expect("it can be unpacked");
            let names: Vec<&str> = found.iter().map(|file| file.name.as_str()).collect();
            assert_eq!(names, ["../../etc/x.lit", "/etc/y.lit", "a/z\u{fffd}[31m.lit"], "{format:?}");
        }
        assert_eq!(label("a\u{202e}b".as_bytes()), "a\u{fffd}b");
        let long = label(format!("{}.lit", "x".repeat(10_000)).as_bytes());
        assert!(long.starts_with('…') && long.ends_with("x.lit") && long.chars().count() == MAX_NAME + 1);
    }

    #[test]
    fn what_is_too_large_is_refused_where_it_is() {
        // A thousandth of the size that it unpacks to.
        let zeros = vec![0; 1 << 20];
        let bombs: [Named; 3] = [("a.lit", b"x"), ("b.log", &zeros), ("c.log", &zeros)];
        let bounds = Bounds { bytes: 3 << 19, files: 3 };
        for (format, bytes) in all(&bombs) {
            assert!(format == Format::Tar || bytes.len() < 10_000, "{format:?}: {}", bytes.len());
            let behind = "it unpacks to more than 1572864 bytes, behind its file b.log";
            assert_eq!(why(format, &bytes, bounds), behind, "{format:?}");
            assert_eq!(
                why(format, &bytes, Bounds { files: 2, ..bounds }).split(',').next(),
                Some("it has more than 2 files")
            );
        }
        // What is passed over counts, too, where it has to be unpacked for that.
        let passed: [Named; 2] = [("a.bin", &zeros), ("b.bin", &zeros)];
        assert!(why(Format::TarGz, &gzipped(&tarred(&passed)), bounds).starts_with("it unpacks to more than"));
        assert_eq!(unpack(Format::Zip, &zipped(&passed), bounds), Ok(Vec::new()));
        // A test is cut behind the first byte that is too much for one.
        let long = zipped(&[("a.lit", &zeros)]);
        let file = unpack(Format::Zip, &long, Bounds::default()).expect("it can be unpacked").remove(0);
        assert_eq!(file.content.map(|content| content.len()), Ok(Role::Test.most() + 1));
        let huge = why(Format::Zip, &vec![0; MAX_ARCHIVE + 1], bounds);
        assert_eq!(huge, "the archive has 67108865 bytes, more than 67108864");
    }

    #[test]
    fn long_names_of_tar_are_bounded() {
        let name = vec![b'x'; 3 << 20];
        let mut header = tar::Header::new_gnu();
        header.set_path("././@LongLink").expect("a name");
        header.set_size(name.len() as u64);
        header.set_entry_type(tar::EntryType::GNULongName);
        header.set_cksum();
        let mut builder = tar::Builder::new(Vec::new());
        builder.append(&header, &name[..]).expect("a name");
        let bytes = gzipped(&builder.into_inner().expect("an archive"));
        assert!(bytes.len() < 20_000);
        assert!(why(Format::TarGz, &bytes, Bounds { bytes: 1 << 20, files: 9 }).starts_with("it unpacks to more than"));
    }

    #[test]
    fn what_is_cut_or_damaged_is_said() {
        let random: Vec<u8> = (0..5000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let files: [Named; 2] = [("a.lit", &random), ("b.log", &random)];
        for (format, bytes) in all(&files) {
            for end in (0..bytes.len()).step_by(97) {
                let cut = unpack(format, &bytes[..end], Bounds::default());
                // A tar archive that ends behind a file is one.
                let is_tar = format == Format::Tar && end >= 5632;
                assert!(is_tar || cut.is_err(), "{format:?} cut at {end}");
            }
            for at in (0..bytes.len()).step_by(31) {
                let mut changed = bytes.clone();
                changed[at] ^= 0x55;
                // It comes back with something.
                let _ = unpack(format, &changed, Bounds::default());
            }
            for bytes in [&b""[..], b"x", &random] {
                assert!(unpack(format, bytes, Bounds::default()).is_err(), "{format:?}");
            }
        }
        let cut = &tarred(&files)[..3000];
        assert_eq!(why(Format::Tar, cut, Bounds::default()), "it is damaged: it ends within its file a.lit");
        // A changed byte of a file in a zip is that file's trouble.
        let mut bytes = zipped(&files);
        bytes[200] ^= 0x55;
        let found = unpack(Format::Zip, &bytes, Bounds::default()).expect("the others can be read");
        assert!(found[0].content.as_ref().is_err_and(|why| why.starts_with("it can't be unpacked: ")), "{found:?}");
        assert_eq!(found[1].content, Ok(random));
    }
}

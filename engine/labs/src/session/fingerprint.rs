//! A hash that is the same on every machine.
//!
//! Links hold a program and a number of steps, so they rely on explorers that make the same steps everywhere. The fingerprint of
//! a session, a hash of all steps so far, shows it: the page and the native engine have to have the same one.

use std::fmt;
use std::hash::{Hash, Hasher};

/// 64-bit FNV-1a over everything added, integers in little-endian order and machine words as 64 bits.
#[derive(Clone, Debug)]
pub(super) struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// Goes on with a value.
    pub(super) fn add(&mut self, value: &impl Hash) {
        value.hash(self);
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Hasher for Fingerprint {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn write_u16(&mut self, n: u16) {
        self.write(&n.to_le_bytes());
    }

    fn write_u32(&mut self, n: u32) {
        self.write(&n.to_le_bytes());
    }

    fn write_u64(&mut self, n: u64) {
        self.write(&n.to_le_bytes());
    }

    // Lengths and discriminants: 32 bits wide in the browser, 64 here.
    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }

    fn write_i64(&mut self, n: i64) {
        self.write(&n.to_le_bytes());
    }

    fn write_isize(&mut self, n: isize) {
        self.write_i64(n as i64);
    }
}

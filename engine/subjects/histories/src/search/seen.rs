//! A set of rows of words.

/// The configurations that were seen.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Each has as many words: the place and the first number of what is held, the second number, the set.
    rows: Vec<u64>,
    /// By row.
    hashes: Vec<u64>,
    /// Numbers of rows, from 1 on; 0 is free. The length is a power of two, or 0, and more than twice that of the rows.
    table: Vec<u32>,
}

impl Seen {
    /// Whether there is a row with this hash of which `is_same` says that it is the one.
    ///
    /// # Errors
    /// Where it is to be put, if there is none.
    pub(super) fn find(&self, hash: u64, width: usize, is_same: impl Fn(&[u64]) -> bool) -> Result<(), usize> {
        let mask = self.table.len().wrapping_sub(1);
        let mut at = hash as usize & mask;
        while let Some(row) = self.table.get(at).and_then(|row| row.checked_sub(1)) {
            let row = row as usize;
            if self.hashes[row] == hash && is_same(&self.rows[row * width..][..width]) {
                return Ok(());
            }
            at = (at + 1) & mask;
        }
        Err(at)
    }

    /// Puts a row where it is to be put, behind [`Seen::grow`].
    pub(super) fn put(&mut self, at: usize, hash: u64, row: impl IntoIterator<Item = u64>) {
        self.rows.extend(row);
        self.hashes.push(hash);
        self.table[at] = self.hashes.len() as u32;
    }

    /// Makes the table twice as large if it is rather full.
    pub(super) fn grow(&mut self) {
        if (self.hashes.len() + 1) * 2 < self.table.len() {
            return;
        }
        self.table = vec![0; (2 * self.table.len()).max(64)];
        let mask = self.table.len() - 1;
        for (hash, row) in self.hashes.iter().zip(1..) {
            let mut at = *hash as usize & mask;
            while self.table[at] != 0 {
                at = (at + 1) & mask;
            }
            self.table[at] = row;
        }
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// How much memory it takes.
    pub(super) fn words(&self) -> u64 {
        (self.rows.len() + self.hashes.len() + self.table.len() / 2) as u64
    }
}

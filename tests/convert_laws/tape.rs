//! Decisions of a generator, read from bytes: shorter and smaller bytes give simpler texts, so that proptest can shrink.

pub struct Tape<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Tape<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        Tape { bytes, at: 0 }
    }

    fn next(&mut self) -> usize {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(byte)
    }

    /// A number below `n`; 0 when the tape is at its end.
    pub fn pick(&mut self, n: usize) -> usize {
        self.next() % n
    }

    /// True once in `n` times, never when the tape is at its end.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.next() % n == n - 1
    }

    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.pick(choices.len())]
    }
}

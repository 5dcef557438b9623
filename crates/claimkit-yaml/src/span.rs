//! A piece of a text.

/// A half-open byte range in the whole file, always on character boundaries.
///
/// ```
/// use claimkit_yaml::Span;
///
/// let text = "kind: Pod";
/// let value = Span::new(6, 9);
/// assert_eq!(&text[value.from()..value.to()], "Pod");
/// assert_eq!(value.len(), 3);
/// assert!(value.touches(9) && !value.touches(5));
/// assert_eq!(Span::new(0, 4).join(value), Span::new(0, 9));
/// assert!(Span::at(4).is_empty());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Makes the span from `start` to `end`, both bytes.
    pub fn new(start: usize, end: usize) -> Self {
        Span {
            start: u32::try_from(start).unwrap_or(u32::MAX),
            end: u32::try_from(end).unwrap_or(u32::MAX),
        }
    }

    /// Makes an empty span at byte `at`.
    pub fn at(at: usize) -> Self {
        Span::new(at, at)
    }

    /// Returns the first byte as `usize`.
    pub fn from(self) -> usize {
        self.start as usize
    }

    /// Returns one past the last byte as `usize`.
    pub fn to(self) -> usize {
        self.end as usize
    }

    /// Returns the length in bytes.
    pub fn len(self) -> usize {
        self.to().saturating_sub(self.from())
    }

    /// Returns true if the span holds no byte.
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// Returns the smallest span that holds both.
    pub fn join(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// Returns the part of a text under the span; `None` if the span does not fit.
    ///
    /// ```
    /// use claimkit_yaml::Span;
    ///
    /// assert_eq!(Span::new(3, 4).slice_of("a: 1"), Some("1"));
    /// assert_eq!(Span::new(3, 9).slice_of("a: 1"), None);
    /// ```
    pub fn slice_of(self, text: &str) -> Option<&str> {
        text.get(self.from()..self.to())
    }

    /// Returns true if `offset` is inside the span or at its end.
    pub fn touches(self, offset: usize) -> bool {
        self.from() <= offset && offset <= self.to()
    }
}

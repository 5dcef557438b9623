//! The registry of finding codes. Codes are stable; only syntax findings begin with `yaml-` or `json-`.

macro_rules! codes {
    ($($(#[$doc:meta])+ $name:ident = $text:literal,)+) => {
        /// A finding's code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $($(#[$doc])+ $name,)+ }

        impl Code {
            /// Every code.
            pub const ALL: &[Code] = &[$(Code::$name,)+];

            /// Its stable name, e.g. `unknown-field`.
            pub fn name(self) -> &'static str {
                match self { $(Code::$name => $text,)+ }
            }
        }
    };
}

codes! {
    // ---- syntax ----
    /// The YAML text cannot be read.
    YamlSyntax = "yaml-syntax",
    /// The JSON text cannot be read.
    JsonSyntax = "json-syntax",

    // ---- limits and scope ----
    /// The text is larger than the limit `bytes`.
    LimitBytes = "limit-bytes",
    /// The text has more nodes than the limit `nodes`.
    LimitNodes = "limit-nodes",
    /// More findings than the limit `findings`.
    LimitFindings = "limit-findings",
    /// No object of `resource.k8s.io` was checked.
    NothingChecked = "nothing-checked",
    /// An object of another API group was not looked into.
    OtherGroup = "other-group",

    // ---- recognising and decoding ----
    /// A document that is no Kubernetes object: kind or apiVersion missing or mistyped.
    NoKind = "no-kind",
    /// A kind the release does not have.
    UnknownKind = "unknown-kind",
    /// A field has a value of the wrong type.
    TypeMismatch = "type-mismatch",
    /// A field the schema does not have.
    UnknownField = "unknown-field",
    /// A field that stands twice in JSON.
    DuplicateField = "duplicate-field",
}

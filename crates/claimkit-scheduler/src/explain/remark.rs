//! Findings of accounts: about an object of the facts, whose place in the text is not known yet.

use claimkit_model::finding::{FieldPath, Finding};
use serde::ser::{Serialize, SerializeStruct, Serializer};

/// The object that a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemarkSubject {
    pub kind: &'static str,
    /// The name, with the namespace.
    pub name: String,
}

/// A finding about the input, and the object that it is about. The position in the text is not known yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The finding; its steps lead from the object.
    pub finding: Finding,
    /// The object, if it is about one.
    pub subject: Option<RemarkSubject>,
}

impl From<Finding> for Remark {
    fn from(finding: Finding) -> Self {
        Remark {
            finding,
            subject: None,
        }
    }
}

impl Remark {
    /// Returns a finding about an object.
    pub fn about(finding: Finding, kind: &'static str, name: String) -> Self {
        Remark {
            finding,
            subject: Some(RemarkSubject { kind, name }),
        }
    }

    /// Sets the path in the object.
    pub fn at(self, path: Option<FieldPath>) -> Self {
        let Remark { finding, subject } = self;
        let finding = match path {
            Some(path) => finding.at_field(&path),
            None => finding,
        };
        Remark { finding, subject }
    }
}

impl Serialize for Remark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Finding {
            code,
            severity,
            origin,
            message,
            path,
            ..
        } = &self.finding;
        let mut fields = serializer.serialize_struct("Remark", 7)?;
        fields.serialize_field("code", code)?;
        fields.serialize_field("severity", severity)?;
        fields.serialize_field("origin", origin)?;
        fields.serialize_field("message", message)?;
        fields.serialize_field(
            "kind",
            self.subject.as_ref().map_or("", |subject| subject.kind),
        )?;
        fields.serialize_field(
            "object",
            self.subject
                .as_ref()
                .map_or("", |subject| subject.name.as_str()),
        )?;
        fields.serialize_field("path", path)?;
        fields.end()
    }
}

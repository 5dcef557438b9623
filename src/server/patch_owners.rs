//! The owners of the fields of a patched object.

use super::patch::{PatchRequest, PatchType, Unjudged, stored_is};
use super::patch_refusal::Stop;
use super::text;
use crate::api::{Family, Release};
use crate::patch::apply;
use crate::record::{self, Record};
use crate::rules::device::variant::Variant;
use crate::text::Mode;
use serde_json::Value;

impl PatchRequest<'_, '_> {
    /// Returns an object as JSON, without the times that the server sets itself.
    pub(super) fn value(&self, record: &Record<'_>) -> Result<Value, Stop> {
        let mut value = self.encoded(record, record::encode)?;
        text::without_clock(&mut value);
        Ok(value)
    }

    /// Returns a new object as the server compares it with the stored one, with the times that it sets itself.
    fn compared(&self, record: &Record<'_>) -> Result<Value, Stop> {
        let object = self.encoded(record, record::encode)?;
        let whole = self.encoded(record, record::encode_with_empty)?;
        Ok(self.writer().as_compared(object, &whole))
    }

    fn encoded(&self, record: &Record<'_>, encode: fn(&Record<'_>, Release, &mut String)) -> Result<Value, Stop> {
        let mut text = String::new();
        encode(record, self.item.release, &mut text);
        serde_json::from_str(&text)
            .map_err(|_| Stop::Finding(Box::new(stored_is("the stored object is nested too deep".to_owned()))))
    }

    /// Returns the field manager and the operation of the patch.
    pub(super) fn writer(&self) -> apply::Writer<'_> {
        apply::Writer {
            manager: self.patch.field_manager.unwrap_or(""),
            api_version: self.api.version.api_version,
            schema: self.api.kind.schema,
            release: self.item.release,
            status: self.patch.status,
            has_status: self.api.kind.status_in(self.item.release),
            status_owns_no_metadata: self.api.version.family == Family::Device
                && Variant::of(self.item.release).status_owns_no_metadata,
            time: self.patch.time,
            force: self.patch.force,
        }
    }

    /// Updates the field owners after a patch other than apply. The server does so once it has decoded the object, without unknown
    /// fields.
    pub(super) fn owned(&self, live: &Value, mut patched: Unjudged) -> Result<Unjudged, Stop> {
        if self.patch.kind == PatchType::Apply || self.patch.field_manager.is_none() || !patched.value.is_object() {
            return Ok(patched);
        }
        let text = patched.value.to_string();
        let file = crate::text::read(&text, &self.options.limits);
        let document = file.documents.first().and_then(|document| document.root.map(|root| (document, root)));
        let Some((document, root)) = document else { return Ok(patched) };
        let new = self.read(&document.tree, root, Mode::Json);
        self.decodes(&new, &patched)?;
        let written = apply::update(live, &self.compared(new.record())?, &self.writer())?;
        let managers = written.pointer("/metadata/managedFields").cloned();
        if let Some(metadata) = patched.value.get_mut("metadata").and_then(Value::as_object_mut) {
            match managers {
                Some(managers) => metadata.insert("managedFields".to_owned(), managers),
                None => metadata.shift_remove("managedFields"),
            };
        }
        Ok(patched)
    }
}

//! The owners of the fields of a patched object.

use super::patch::{PatchRequest, PatchType, Unjudged, stored_is};
use super::patch_refusal::PatchStop;
use super::text;
use crate::apiserver::body::Body;
use crate::apiserver::device::defaults::CLOCK;
use crate::patch::apply;
use crate::validation::device::variant::Variant;
use claimkit_model::message::message;
use claimkit_model::object::decode::How;
use claimkit_model::object::in_memory::ReadFrom;
use claimkit_model::object::{self, FieldValue as Slot, Record, in_memory};
use claimkit_model::schema::Family;
use claimkit_model::text::{Mode, NodeId, Tree};
use claimkit_values::time::Time;
use serde_json::Value;

impl PatchRequest<'_, '_> {
    /// Returns an object as JSON, without the times that the server sets itself.
    pub(super) fn value(&self, record: &Record<'_>) -> Result<Value, PatchStop> {
        let mut value = self.encoded(record)?;
        text::without_clock(&mut value);
        Ok(value)
    }

    fn encoded(&self, record: &Record<'_>) -> Result<Value, PatchStop> {
        let mut text = String::new();
        object::encode(record, self.item.release, &mut text);
        serde_json::from_str(&text).map_err(|_| {
            let message = message!(
                "server.stored-too-deep",
                "the stored object is nested too deep"
            );
            PatchStop::Finding(Box::new(stored_is(message)))
        })
    }

    /// Returns the stored object as the server compares it.
    pub(super) fn compared_stored(&self, stored: &Record<'_>) -> Result<Value, PatchStop> {
        let in_memory = in_memory::record(stored, self.item.release, ReadFrom::Store);
        Ok(self.writer().as_compared(self.encoded(stored)?, &in_memory))
    }

    /// Returns a new object as the server compares it, with the times that the server sets itself.
    fn compared_new(
        &self,
        tree: &Tree<'_>,
        root: NodeId,
        new: &Body<'_>,
    ) -> Result<Value, PatchStop> {
        let how = How {
            written_quantities: true,
            ..How::stored(Mode::Json, self.item.release)
        };
        let mut canonical = new.record().clone();
        let mut written = Body::read(tree, root, self.api, how).decoded.record;
        if let Some(now) = self.patch.time.and_then(|time| Time::parse(time).ok()) {
            set_clock(&mut canonical, now);
            set_clock(&mut written, now);
        }
        let in_memory = in_memory::record(&written, self.item.release, ReadFrom::Request);
        let encoded = self.encoded(&canonical)?;
        Ok(self.writer().as_compared(encoded, &in_memory))
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
    pub(super) fn owned(
        &self,
        stored: &Record<'_>,
        mut patched: Unjudged,
    ) -> Result<Unjudged, PatchStop> {
        if self.patch.kind == PatchType::Apply
            || self.patch.field_manager.is_none()
            || !patched.value.is_object()
        {
            return Ok(patched);
        }
        let text = self.written(&patched.value);
        let file = claimkit_model::text::read(&text, &self.options.limits);
        let document = file
            .documents
            .first()
            .and_then(|document| document.root.map(|root| (document, root)));
        let Some((document, root)) = document else {
            return Ok(patched);
        };
        let new = self.read(&document.tree, root, Mode::Json);
        self.decodes(&new, &patched)?;
        let written = apply::update(
            &self.compared_stored(stored)?,
            &self.compared_new(&document.tree, root, &new)?,
            &self.writer(),
        )?;
        let managers = written.pointer("/metadata/managedFields").cloned();
        if let Some(metadata) = patched
            .value
            .get_mut("metadata")
            .and_then(Value::as_object_mut)
        {
            match managers {
                Some(managers) => metadata.insert("managedFields".to_owned(), managers),
                None => metadata.shift_remove("managedFields"),
            };
        }
        Ok(patched)
    }
}

/// Replaces the times that the server sets itself. Recursion is bounded by the depth of the tables.
fn set_clock(record: &mut Record<'_>, now: Time) {
    fn set(slot: &mut Slot<'_>, now: Time) {
        match slot {
            Slot::Struct(inner) => set_clock(inner, now),
            Slot::List(items) => items.iter_mut().for_each(|item| set(item, now)),
            Slot::Entries(entries) => entries.iter_mut().for_each(|(_, entry)| set(entry, now)),
            _ => {}
        }
    }
    for (field, slot) in record.schema.fields.iter().zip(&mut record.slots) {
        match slot {
            Slot::Str(text) if field.json == "timeAdded" && text == CLOCK => {
                *slot = Slot::Time(now)
            }
            slot => set(slot, now),
        }
    }
}

//! Requests read: which fields there are and what each takes.

use super::request::{Detail, FieldValidation, Lossy, Operation, PatchType, Place, PlaceRange, Request, Via};
use crate::editor::sentences::Sentences;
use crate::json::{Error, Read, Reader};
use crate::limits::Limits;
use std::collections::BTreeMap;

type Result<T> = std::result::Result<T, Box<Error>>;

/// Reads a value into its place; compiled once for all fields of a type.
#[inline(never)]
fn fill<T: Read>(reader: &mut Reader<'_>, place: &mut T) -> Result<()> {
    *place = T::read(reader)?;
    Ok(())
}

/// Reads a struct whose other fields keep the value they have; `all` for one that must be whole.
macro_rules! fields {
    (@fill $reader:ident $place:expr) => {
        fill($reader, &mut $place)
    };
    (@fill $reader:ident $place:expr, $value:expr) => {{
        $place = $value;
        Ok(())
    }};
    ($reader:ident, $what:literal, $all:literal, $into:ident: $($name:literal => $field:ident $(: $value:expr)?),* $(,)?) => {
        $reader.fields($what, &[$($name),*], $all, &mut |$reader, index| {
            let mut at = 0usize;
            $(
                if index == at {
                    return fields!(@fill $reader $into.$field $(, $value)?);
                }
                at = at.saturating_add(1);
            )*
            let _ = at;
            Ok(())
        })
    };
}

/// Reads one of the words that an enum is written as.
macro_rules! words {
    ($($enum:ident: $($word:literal => $value:ident),*;)*) => {$(
        impl Read for $enum {
            fn read(reader: &mut Reader<'_>) -> Result<Self> {
                reader.choice(&[$($word),*], &[$($enum::$value),*])
            }
        }
    )*};
}

words! {
    Via: "kubectl" => Kubectl, "validator" => Validator;
    FieldValidation: "Strict" => Strict, "Warn" => Warn, "Ignore" => Ignore;
    Operation: "create" => Create, "update" => Update, "updateStatus" => UpdateStatus, "patch" => Patch, "patchStatus" => PatchStatus;
    PatchType: "json" => Json, "merge" => Merge, "strategic" => Strategic, "apply" => Apply;
    Detail: "full" => Full, "summary" => Summary;
    Lossy: "refuse" => Refuse, "allow" => Allow;
}

impl Read for Request {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let mut request = Request::default();
        fields! { reader, "Request", false, request:
            "verb" => verb,
            "text" => text,
            "release" => release,
            "fieldValidation" => field_validation,
            "operation" => operation,
            "old" => old,
            "via" => via,
            "namespace" => namespace,
            "patch" => patch,
            "patchType" => patch_type,
            "fieldManager" => field_manager,
            "force" => force,
            "time" => time,
            "to" => to,
            "lossy" => lossy,
            "dropServerFields" => drop_server_fields,
            // `null` is something else than nothing at all: one nil node.
            "nodes" => nodes: Some(Read::read(reader)?),
            "selector" => selector,
            "detail" => detail,
            "explain" => explain,
            "labelSelector" => label_selector,
            "fieldSelector" => field_selector,
            "raw" => raw,
            "position" => position,
            "range" => range,
            "kind" => kind,
            "locale" => locale,
            "sentences" => sentences,
            "request" => request,
            "settings" => settings,
            "limits" => limits,
        }?;
        Ok(request)
    }
}

impl Read for Limits {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let mut limits = Limits::default();
        fields! { reader, "Limits", false, limits:
            "bytes" => bytes,
            "depth" => depth,
            "nodes" => nodes,
            "findings" => findings,
            "nodeSetBytes" => node_set_bytes,
        }?;
        Ok(limits)
    }
}

impl Read for Place {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let mut place = Place::default();
        fields! { reader, "Place", false, place: "line" => line, "character" => character, "offset" => offset }?;
        Ok(place)
    }
}

impl Read for PlaceRange {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let mut range = PlaceRange { start: Place::default(), end: Place::default() };
        fields! { reader, "PlaceRange", true, range: "start" => start, "end" => end }?;
        Ok(range)
    }
}

impl Read for Sentences {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let mut groups = BTreeMap::new();
        reader.map(&mut |reader, group| {
            let mut sentences = BTreeMap::new();
            reader.map(&mut |reader, name| {
                sentences.insert(name, String::read(reader)?);
                Ok(())
            })?;
            groups.insert(group, sentences);
            Ok(())
        })?;
        Ok(Sentences(groups))
    }
}

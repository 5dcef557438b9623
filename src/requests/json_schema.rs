//! The verb `jsonSchema`: the schema of a kind as one release serves it.

use super::request::{self, JsonSchemaRequest, Verb};
use super::{Answer, Content};
use crate::editor::schema_export;
use claimkit_model::message::Words;
use claimkit_model::schema::{Gates, Release};
use serde_json::value::RawValue;

const VERB: Verb = Verb::JsonSchema;

/// Answers `jsonSchema`. The default is the latest supported release.
pub fn json_schema(request: &JsonSchemaRequest) -> Answer {
    let schema: Result<Box<RawValue>, Words> = request::release(request.release.as_deref())
        .map_err(Words::from)
        .and_then(|release| {
            request::locale(request.locale.as_deref())?;
            let release = release.unwrap_or(Release::latest());
            let gates =
                request::gates_in(&request.gates, release)?.unwrap_or(Gates::defaults(release));
            let text = schema_export::json_schema(
                release,
                gates,
                request.kind.as_deref(),
                request.sentences.as_ref(),
            )?;
            RawValue::from_string(text).map_err(|error| Words::english(error.to_string()))
        });
    match schema {
        Ok(schema) => Answer::with(VERB, Content::Schema { schema }),
        Err(error) => Answer::unusable(VERB, error),
    }
}

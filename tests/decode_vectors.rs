//! Whole manifests through the server's decoder: the object, or the refusal, and what strict decoding says.

use claimkit::manifest::{Input, What};
use claimkit_model::finding::Severity;
use claimkit_model::limits::Limits;
use claimkit_model::object;
use claimkit_model::object::decode::{self, Decoded, How, Via};
use claimkit_model::schema::{self, Field, FieldType, Package, Release, Struct};
use claimkit_model::text::{Mode, yaml};
use serde_json::Value;

/// A list as one body: claimkit splits lists, but their decoder is the same.
fn list_schema(kind: &str, release: Release) -> Option<&'static Struct> {
    let leak = |ty: FieldType| -> &'static FieldType { Box::leak(Box::new(ty)) };
    let meta: &'static Struct = Box::leak(Box::new(Struct {
        go: "ListMeta",
        package: Package::Meta,
        fields: Box::leak(Box::new([
            Field::new("selfLink", "SelfLink", FieldType::String).omit(),
            Field::new("resourceVersion", "ResourceVersion", FieldType::String).omit(),
            Field::new("continue", "Continue", FieldType::String).omit(),
        ])),
    }));
    let (item, package, go) = match kind.strip_suffix("List")? {
        "" => (FieldType::Raw, Package::Core, "List"),
        kind => {
            let kind = schema::version("resource.k8s.io/v1alpha2")?.kind(kind, release)?;
            (
                FieldType::Struct(kind.schema),
                Package::Resource,
                Box::leak(format!("{}List", kind.kind).into_boxed_str()) as &str,
            )
        }
    };
    let fields = [
        Field::new("kind", "Kind", FieldType::String).omit(),
        Field::new("apiVersion", "APIVersion", FieldType::String).omit(),
        Field::new("metadata", "ListMeta", FieldType::Struct(meta)),
        Field::new("items", "Items", FieldType::List(leak(item))),
    ];
    Some(Box::leak(Box::new(Struct {
        go,
        package,
        fields: Box::leak(Box::new(fields)),
    })))
}

struct Answer {
    /// The objects, or the refusal.
    objects: Result<Vec<Value>, String>,
    strict: Vec<String>,
}

fn answer(text: &str) -> Answer {
    let release = Release::last_of(30);
    let input = Input::read_via(text, Via::Validator, Some(release), &Limits::default());
    if let Some(error) = input
        .file
        .findings
        .iter()
        .find(|finding| finding.severity == Severity::Error)
    {
        return Answer {
            objects: Err(error.message.to_string()),
            strict: Vec::new(),
        };
    }
    let mut answer = Answer {
        objects: Ok(Vec::new()),
        strict: Vec::new(),
    };
    let mut duplicates = yaml::read(text, yaml::Bounds::default());
    if input
        .items
        .first()
        .is_some_and(|item| input.mode(item) == Mode::Yaml)
    {
        let errors: Vec<String> = duplicates
            .strict_errors()
            .into_iter()
            .map(|error| error.message)
            .collect();
        if !errors.is_empty() {
            answer.strict.push(format!(
                "yaml: unmarshal errors:\n  {}",
                errors.join("\n  ")
            ));
        }
    }
    let root = input
        .file
        .documents
        .first()
        .and_then(|document| Some((document, document.root?)));
    if let Some((document, root)) = root
        && let Some(schema) = document
            .tree
            .get(root, "kind")
            .and_then(|kind| document.tree.str(kind))
            .and_then(|kind| list_schema(kind, release))
    {
        let decoded = decode::decode(
            &document.tree,
            root,
            schema,
            "v1alpha2",
            How::reaching(document.mode, Via::Validator, release),
        );
        return finish(answer, &decoded, release);
    }
    for item in &input.items {
        let api = match &item.what {
            What::Ours(api) => api,
            What::Refused(finding) => {
                return Answer {
                    objects: Err(finding.message.to_string()),
                    strict: Vec::new(),
                };
            }
            _ => panic!("{text:?} has an object of another group"),
        };
        let how = How::reaching(input.mode(item), Via::Validator, item.release);
        let decoded = decode::decode(
            input.tree(item).unwrap(),
            item.node,
            api.kind.schema,
            api.version.name,
            how,
        );
        answer = finish(answer, &decoded, item.release);
    }
    answer
}

/// Adds the decoded object to the answer.
fn finish(mut answer: Answer, decoded: &Decoded<'_>, release: Release) -> Answer {
    if let Some(at) = decoded.answer {
        return Answer {
            objects: Err(decoded.mismatches[at].message.clone()),
            strict: Vec::new(),
        };
    }
    answer
        .strict
        .extend(decoded.strict.iter().map(|strict| strict.message.clone()));
    let mut json = String::new();
    object::encode(&decoded.record, release, &mut json);
    if let Ok(objects) = &mut answer.objects {
        objects.push(serde_json::from_str(&json).unwrap());
    }
    answer
}

/// The name of the recording program's scheme is not the server's.
fn without_scheme(message: &str) -> &str {
    message.split(" in scheme ").next().unwrap_or(message)
}

/// Takes kind and apiVersion from the document; a decoder of one kind writes them or leaves them out.
fn without_type(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(fields) = object.as_object_mut() {
        fields.remove("kind");
        fields.remove("apiVersion");
    }
    object
}

#[test]
fn manifests_are_decoded_as_by_the_server() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/vectors/decode_v1alpha2.jsonl"
    );
    let mut wrong = Vec::new();
    let (mut count, mut lists) = (0, 0);
    for line in std::fs::read_to_string(path)
        .unwrap()
        .split('\n')
        .filter(|line| !line.is_empty())
    {
        let vector: Value = serde_json::from_str(line).unwrap();
        let text = vector["in"].as_str().unwrap();
        count += 1;
        let found = answer(text);
        lists += usize::from(
            vector["goType"]
                .as_str()
                .is_some_and(|name| name.ends_with("List")),
        );
        let same = match (&found.objects, vector.get("err").and_then(Value::as_str)) {
            (Err(message), Some(expected)) => without_scheme(message) == without_scheme(expected),
            (Ok(objects), None) => {
                objects.len() == 1 && without_type(&objects[0]) == without_type(&vector["ok"])
            }
            _ => false,
        };
        let strict = match vector.get("strict").and_then(Value::as_str) {
            Some(expected) => {
                format!("strict decoding error: {}", found.strict.join(", ")) == expected
            }
            None => found.strict.is_empty(),
        };
        if !same || !strict {
            wrong.push(format!(
                "{vector}\n  here: {:?} {:?}",
                found.objects, found.strict
            ));
        }
    }
    println!(
        "{count} manifests, {lists} of them lists, {} differ",
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

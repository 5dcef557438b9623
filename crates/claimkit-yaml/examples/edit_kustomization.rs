//! Changes a kustomization.yaml: the tag of an image and a resource, and keeps every comment.
//!
//! ```sh
//! cargo run -p claimkit-yaml --example edit_kustomization
//! ```

use claimkit_yaml::edit::{EditError, Step, insert, set};
use claimkit_yaml::yaml::{Bounds, read};

const KUSTOMIZATION: &str = "\
# Everything of team-a
resources:
- ../base # shared
- claim.yaml
images:
- name: registry.example.com/trainer
  newTag: \"1.4\" # see the release notes
";

fn main() {
    match with_tag(KUSTOMIZATION, "registry.example.com/trainer", "1.5")
        .and_then(|text| with_resource(&text, "class.yaml"))
    {
        Ok(text) => print!("{text}"),
        Err(error) => eprintln!("{error}"),
    }
}

/// Sets the tag of an image.
fn with_tag(text: &str, image: &str, tag: &str) -> Result<String, EditError> {
    let document = read(text, Bounds::default());
    let tree = &document.tree;
    let images = document
        .root
        .and_then(|root| tree.get(root, "images"))
        .ok_or(EditError::NoSuchPlace)?;
    let is_named = |item: &_| {
        let name = tree.get(*item, "name");
        name.and_then(|name| tree.str(name)) == Some(image)
    };
    let at = tree
        .items(images)
        .iter()
        .position(is_named)
        .ok_or(EditError::NoSuchPlace)?;
    let path = [Step::Key("images"), Step::Item(at), Step::Key("newTag")];
    set(text, &path, &format!("{tag:?}"))
}

/// Adds a resource at the end, if it is not there.
fn with_resource(text: &str, file: &str) -> Result<String, EditError> {
    let document = read(text, Bounds::default());
    let tree = &document.tree;
    let resources = document
        .root
        .and_then(|root| tree.get(root, "resources"))
        .ok_or(EditError::NoSuchPlace)?;
    let items = tree.items(resources);
    if items.iter().any(|item| tree.str(*item) == Some(file)) {
        return Ok(text.to_owned());
    }
    insert(text, &[Step::Key("resources")], items.len(), file)
}

#[test]
fn comments_stay() {
    let text = with_tag(KUSTOMIZATION, "registry.example.com/trainer", "1.5").unwrap();
    let text = with_resource(&text, "class.yaml").unwrap();
    let expected = KUSTOMIZATION
        .replace("\"1.4\"", "\"1.5\"")
        .replace("- claim.yaml\n", "- claim.yaml\n- class.yaml\n");
    assert_eq!(text, expected);
    assert_eq!(with_resource(&text, "class.yaml").unwrap(), text);
}

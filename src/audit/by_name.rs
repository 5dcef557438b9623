//! Objects of a namespace by their names.

use claimkit_scheduler::allocator::objects::{Facts, Meta, ObjectName};
use claimkit_values::order;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The objects of a kind by namespace and name.
pub type ByName<'f, T> = BTreeMap<(&'f str, &'f str), &'f T>;

/// Sorts the objects of a kind by namespace and name.
pub fn by_name<T>(objects: &[Rc<T>], metadata: impl Fn(&T) -> &Meta) -> ByName<'_, T> {
    order::map(objects.iter().map(|object| {
        let Meta {
            namespace, name, ..
        } = metadata(object);
        ((namespace.as_str(), name.as_str()), &**object)
    }))
}

/// Returns the names in a namespace.
pub fn names_in<'n, T>(
    objects: &'n ByName<'_, T>,
    namespace: &'n str,
) -> impl Iterator<Item = &'n str> {
    let after = objects.range((namespace, "")..);
    let here = after.take_while(move |((of, _), _)| *of == namespace);
    here.map(|((_, name), _)| *name)
}

/// The namespace that has pods in every cluster: with them those of all namespaces are given.
pub const SYSTEM: &str = "kube-system";

/// Returns true if an object is known to be absent: all of its kind are given, or others of its namespace, or those of all namespaces, and
/// it is not one of those that cannot be used.
pub fn is_absent<T>(objects: &ByName<'_, T>, facts: &Facts, object: &ObjectName) -> bool {
    let ObjectName {
        kind,
        namespace,
        name,
    } = object;
    (facts.is_whole(kind) || has_names(objects, namespace) || has_names(objects, SYSTEM))
        && !objects.contains_key(&(namespace.as_str(), name.as_str()))
        && !facts.unusable.contains(object)
}

fn has_names<T>(objects: &ByName<'_, T>, namespace: &str) -> bool {
    names_in(objects, namespace).next().is_some()
}

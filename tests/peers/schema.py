"""Prints one JSON Schema for all kinds of resource.k8s.io/v1alpha2 in Kubernetes 1.30: the strict schemas that
kubernetes-validate brings (no unknown fields), as `{kind: schema}` with common `$defs`. Every peer gets the same ones."""
import json
import pathlib
import kubernetes_validate

folder = pathlib.Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema" / "v1.30.0-local-strict"
MARK = "#/$defs/"


def refs(value):
    """The definitions a value names, its references made local on the way."""
    if isinstance(value, dict):
        if MARK in str(value.get("$ref", "")):
            name = value["$ref"].split(MARK, 1)[1]
            value["$ref"] = MARK + name
            yield name
        for part in value.values():
            yield from refs(part)
    elif isinstance(value, list):
        for part in value:
            yield from refs(part)


everything = json.loads((folder / "_definitions.json").read_text())["$defs"]
kinds, definitions = {}, {}
for kind in ("ResourceClaim", "ResourceClaimTemplate", "ResourceClass", "PodSchedulingContext", "ResourceClaimParameters"):
    schema = json.loads((folder / f"{kind.lower()}-resource-v1alpha2.json").read_text())
    schema.pop("$id", None)
    waiting = list(refs(schema))
    kinds[kind] = schema
    while waiting:
        name = waiting.pop()
        if name not in definitions:
            definitions[name] = everything[name]
            waiting += list(refs(definitions[name]))
print(json.dumps({kind: {**schema, "$defs": definitions} for kind, schema in kinds.items()}))

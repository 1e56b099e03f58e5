"""
Random patches, and what they make of a resource by scim2-models. Four cases, in which the service and scim2-models differ, are left out:

- A `replace` of a custom field that is an object replaces all of it: custom fields can have any JSON.
- A `replace` of values that match a filter creates one only for `primary` and the types that /Schemas names, else it is `noTarget`.
- An email without an address is not kept.
- Values with the same `type` and `value` are kept once.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

from resources import AnyResource
from scim2_models import Attribute, PatchOp, PatchOperation, SCIMException, ScimPolicy
from values import Values, is_required, is_writable, name_of, without_repetitions

POLICY = ScimPolicy(unmatched_path_filter=ScimPolicy.UnmatchedPathFilter.create)
"""A filter that matches nothing creates the entry that it describes, as Entra expects."""

GENERICS: tuple[Any, Any] = (PatchOp, PatchOperation)

Operation = dict[str, Any]


class Patches:
    def __init__(self, values: Values, schemas: dict[str, Sequence[Attribute]], core: str) -> None:
        self.values = values
        self.random: Random = values.random
        self.schemas = schemas
        self.core = core
        self.counts: dict[str, int] = {}

    def patch(self, resource: AnyResource) -> tuple[Any, AnyResource]:
        """A patch, and the resource after it. Operations that scim2-models refuses are left out."""
        after = resource.model_copy(deep=True)
        operations: list[Any] = []
        patch_of, operation_of = (generic[type(resource)] for generic in GENERICS)
        wanted = self.random.randint(1, 6)
        while len(operations) < wanted:
            kind, operation = self.operation()
            try:
                single = patch_of(operations=[operation_of.model_validate(operation)])
                changed = after.model_copy(deep=True)
                single.patch(changed, POLICY)
            except SCIMException:
                continue
            if has_email_without_address(changed) or has_repetition(changed):
                continue
            after = changed
            operations.extend(single.operations or ())
            self.counts[kind] = self.counts.get(kind, 0) + 1
        return patch_of(operations=operations), after

    def operation(self) -> tuple[str, Operation]:
        if self.random.random() < 0.15:
            return "without a path", self.without_path()
        schema = self.random.choice(list(self.schemas))
        attribute = self.random.choice([each for each in self.schemas[schema] if is_writable(each)])
        name = f"{schema}:{attribute.name}"
        path = name_of(attribute) if schema == self.core and self.random.random() < 0.7 else name
        if attribute.type == Attribute.Type.complex and self.random.random() < 0.6:
            return self.inside(attribute, path, name)
        return self.whole(attribute, path, name)

    def without_path(self) -> Operation:
        value: dict[str, Any] = {}
        for schema, attributes in self.schemas.items():
            part = self.values.resource(schema, [each for each in attributes if not is_required(each)], 0.15)
            if schema == self.core:
                value.update(part)
            elif part:
                value[schema] = part
        custom = (each for schema in self.schemas if schema != self.core for each in value.get(schema, {}).values())
        has_object = any(isinstance(each, dict) for each in custom)
        return {"op": "add" if has_object else self.write(), "value": value}

    def whole(self, attribute: Attribute, path: str, name: str) -> tuple[str, Operation]:
        if not is_required(attribute) and self.random.random() < 0.25:
            return "remove an attribute", {"op": "remove", "path": path}
        is_object = attribute.type == Attribute.Type.complex and not attribute.multi_valued
        op = "add" if is_object and not name.startswith(self.core) else self.write()
        what = "values" if attribute.multi_valued else "a value"
        return f"{op} {what}", {"op": op, "path": path, "value": self.values.value(attribute, name)}

    def inside(self, attribute: Attribute, path: str, name: str) -> tuple[str, Operation]:
        parts = [each for each in attribute.sub_attributes or () if is_writable(each) and each.name != "$ref"]
        part = self.random.choice(parts)
        if not attribute.multi_valued:
            return self.part(part, f"{path}.{part.name}", f"{name}.{part.name}", "a sub-attribute")
        selected = f"{path}[{self.condition(parts)}]"
        if self.random.random() < 0.3:
            return "remove matching values", {"op": "remove", "path": selected}
        is_usual = "primary eq" in selected or any(each.name == "type" and each.canonical_values for each in parts)
        op = self.write() if is_usual else "add"
        return self.part(part, f"{selected}.{part.name}", f"{name}.{part.name}", "a part of matching values", op)

    def part(self, part: Attribute, path: str, name: str, what: str, op: str | None = None) -> tuple[str, Operation]:
        if self.random.random() < 0.25:
            return f"remove {what}", {"op": "remove", "path": path}
        op = op or self.write()
        return f"{op} {what}", {"op": op, "path": path, "value": self.values.value(part, name)}

    def condition(self, parts: Sequence[Attribute]) -> str:
        names = {each.name: each for each in parts}
        if "primary" in names and self.random.random() < 0.2:
            return "primary eq true"
        if "type" in names:
            types = names["type"].canonical_values or ["work"]
            return f'type eq "{self.random.choice(types)}"'
        return f"{self.random.choice(list(names))} pr"

    def write(self) -> str:
        return self.random.choice(("add", "replace"))


def has_email_without_address(resource: AnyResource) -> bool:
    return any("value" not in each for each in resource.model_dump().get("emails", []))


def has_repetition(resource: AnyResource) -> bool:
    lists = (each for each in resource.model_dump().values() if isinstance(each, list))
    return any(without_repetitions(each) != each for each in lists)

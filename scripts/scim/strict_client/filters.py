"""Random filters, by the schemas of the service and the values that its resources have."""

from collections.abc import Sequence
from random import Random
from typing import Any
from unicodedata import normalize

from resources import Json
from scim2_models import Attribute, ScimFilter, ScimPolicy
from values import name_of

TEXT = ("eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le")
NUMBERS = ("eq", "ne", "gt", "ge", "lt", "le")
FLAGS = ("eq", "ne")
NOT_COMPARED = (
    # The service compares these in conjunctions only, and users have no groups unless a client asks for them.
    "groups",
    "members",
)


def comparison_key(binding: Any, text: str) -> str:
    """Texts compare in any case: docs/api.md says how."""
    if binding.case_exact:
        return text
    normal = normalize("NFC", text)
    if binding.urn.endswith((":userName", ":emails.value")):
        return normalize("NFC", "".join(map(fold_character, normal)))
    return normalize("NFC", normal.lower().upper().lower().replace("ς", "σ"))


def fold_character(character: str) -> str:
    """Simple case folding: one character stays one."""
    if character in "ıİ":
        return character
    upper = character.upper()
    unified = upper if len(upper) == 1 else character
    lower = unified.lower()
    return lower if len(lower) == 1 else unified


POLICY = ScimPolicy(comparison_key=comparison_key)


class Filters:
    def __init__(self, random: Random, schemas: dict[str, Sequence[Attribute]], core: str) -> None:
        self.random = random
        self.schemas = schemas
        self.core = core

    def filter(self, resources: Sequence[Json], depth: int = 2) -> str:
        """A filter with values of some of these resources, as JSON."""
        if depth == 0 or self.random.random() < 0.5:
            return self.test(self.random.choice(resources))
        left, right = (self.filter(resources, depth - 1) for _ in range(2))
        return self.random.choice(
            (
                f"{left} and {right}",
                f"{left} or {right}",
                f"not ({left})",
                f"({left}) and not ({right})",
                f"({left} or {right})",
            )
        )

    def test(self, resource: Json) -> str:
        if self.random.random() < 0.15:
            return self.common(resource)
        schema = self.random.choice(list(self.schemas))
        attribute = self.random.choice([each for each in self.schemas[schema] if is_compared(schema, each)])
        known = resource if schema == self.core else resource.get(schema, {})
        prefix = "" if schema == self.core and self.random.random() < 0.7 else f"{schema}:"
        path, value = f"{prefix}{attribute.name}", known.get(name_of(attribute))
        if attribute.type != Attribute.Type.complex:
            return self.comparison(path, attribute, value)
        parts = [each for each in attribute.sub_attributes or () if each.name != "$ref"]
        part = self.random.choice(parts)
        entry = self.random.choice(value) if isinstance(value, list) else value or {}
        if not attribute.multi_valued or self.random.random() < 0.4:
            return self.comparison(f"{path}.{part.name}", part, entry.get(name_of(part)))
        other = self.random.choice(parts)
        inner = self.comparison(name_of(part), part, entry.get(name_of(part)))
        more = self.comparison(name_of(other), other, entry.get(name_of(other)))
        return f"{path}[{self.random.choice((inner, f'{inner} and {more}', f'{inner} or {more}'))}]"

    def common(self, resource: Json) -> str:
        """By what all resources have."""
        quoted = ScimFilter.quote
        created, operator = quoted(resource["meta"]["created"]), self.random.choice(("ge", "lt", "eq"))
        return self.random.choice(
            (
                f"id eq {quoted(resource['id'])}",
                f"externalId eq {quoted(resource.get('externalId', 'none'))}",
                f"meta.created {operator} {created}",
                f"meta.lastModified {operator} {created}",
            )
        )

    def comparison(self, path: str, attribute: Attribute, value: Any) -> str:
        if self.random.random() < 0.15:
            return f"{path} pr"
        if attribute.multi_valued and isinstance(value, list):
            value = self.random.choice(value)
        match attribute.type:
            case Attribute.Type.boolean:
                return f"{path} {self.random.choice(FLAGS)} {self.random.choice(('true', 'false'))}"
            case Attribute.Type.integer | Attribute.Type.decimal:
                return f"{path} {self.random.choice(NUMBERS)} {1 if value is None else value}"
            case Attribute.Type.date_time:
                return f'{path} {self.random.choice(NUMBERS)} "{value or "2024-02-29T12:30:45.123Z"}"'
            case Attribute.Type.reference:
                return self.text_comparison(path, value or "https://example.com/1", whole=True)
            case _:
                return self.text_comparison(path, "none" if value is None else value)

    def text_comparison(self, path: str, value: str, whole: bool = False) -> str:
        operator = self.random.choice(TEXT)
        if whole:
            return f"{path} {operator} {ScimFilter.quote(value)}"
        end = self.random.randint(1, len(value))
        pieces = {"co": value[end // 2 : end], "sw": value[:end], "ew": value[end - 1 :]}
        piece = pieces.get(operator, value)
        return f"{path} {operator} {ScimFilter.quote(piece.upper() if self.random.random() < 0.3 else piece)}"


def is_compared(schema: str, attribute: Attribute) -> bool:
    """A comparison of `displayName` also finds users who have a name that SCIM does not show."""
    if attribute.name == "displayName" and schema.endswith(":User"):
        return False
    return attribute.name not in NOT_COMPARED

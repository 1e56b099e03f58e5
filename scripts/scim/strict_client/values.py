"""Random values for the attributes of schemas."""

from collections.abc import Sequence
from random import Random
from typing import Any

from scim2_models import Attribute, Mutability, Required

WORDS = (
    "Ada",
    "Byron",
    "sales",
    "R&D",
    "O'Malley",
    'Quo"te',
    "back\\slash",
    "<b>",
    "100%",
    "a,b;c",
    "{x: [1]}",
    "(y)",
    "../..",
    "Zoë",
    "Jose\u0301",
    "Ελένη",
    "Анна",
    "李小龍",
    "ひらがな",
    "김민준",
    "محمد",
    "שָׁלוֹם",
    "สมชาย",
    "हिन्दी",
    "İstanbul",
    "Straße",
    "\U0001f469\u200d\U0001f680",
    "\U0001d518nicode",
    "\U00020bb7",
    "ﬁ",
    "ǅ",
    "ΣΊΣΥΦΟΣ",
    "null",
    "true",
    "42",
)
DEPARTMENTS = ("Sales", "Engineering", "Öffentlichkeitsarbeit", "人事部", "R&D")
DATES = ("2024-02-29T12:30:45.123Z", "1999-12-31T23:59:59+05:30", "2030-01-01T00:00:00Z")


class Values:
    """What a client sends, by the schemas of the service. No two users get the same value of a unique attribute."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = 0
        self.user_ids: list[str] = []
        self.sent: set[str] = set()
        """The paths of all attributes that have been sent."""

    def text(self) -> str:
        return " ".join(self.random.choices(WORDS, k=self.random.randint(1, 3)))

    def unique_text(self) -> str:
        self.count += 1
        return f"{self.random.choice(WORDS)}.{self.count}"

    def resource(self, schema: str, attributes: Sequence[Attribute], share: float) -> dict[str, Any]:
        """The required attributes of a schema, and this share of the others."""
        chosen = (each for each in attributes if is_writable(each))
        return {
            name_of(each): self.value(each, f"{schema}:{each.name}", share)
            for each in chosen
            if is_required(each) or self.random.random() < share
        }

    def value(self, attribute: Attribute, path: str, share: float = 0.5) -> Any:
        self.sent.add(path)
        if not attribute.multi_valued:
            return self.single(attribute, path, share)
        entries = [self.single(attribute, path, share) for _ in range(self.random.randint(1, 3))]
        return only_one_primary(without_repetitions(entries))

    def single(self, attribute: Attribute, path: str, share: float) -> Any:
        match attribute.type:
            case Attribute.Type.complex:
                return self.complex(attribute, path, share)
            case Attribute.Type.boolean:
                return self.random.random() < 0.5
            case Attribute.Type.integer:
                return self.random.choice((0, 1, -7, 2**53 - 1, self.random.randint(-1000, 1000)))
            case Attribute.Type.decimal:
                return self.random.choice((0.5, -1.25, 3.0, 1e-7, self.random.randint(-1000, 1000) / 8))
            case Attribute.Type.date_time:
                return self.random.choice(DATES)
            case Attribute.Type.reference:
                return f"https://example.com/{self.random.randint(1, 999)}?a=b&c=%20#d"
            case _:
                return self.string(attribute, path)

    def string(self, attribute: Attribute, path: str) -> str:
        if attribute.uniqueness == "server":
            return self.unique_text()
        if path.endswith(":manager.value"):
            return self.random.choice(self.user_ids)
        if path.endswith(":emails.value"):
            return self.email()
        if path.endswith(":department"):
            return self.random.choice(DEPARTMENTS)
        if attribute.canonical_values and (path.endswith(":team") or self.random.random() < 0.8):
            return self.random.choice(attribute.canonical_values)
        lines = "\n" if path.endswith(("addresses.formatted", "streetAddress")) else " "
        return lines.join(self.text() for _ in range(self.random.randint(1, 2)))

    def email(self) -> str:
        """Often one of its own, sometimes a shared mailbox, and sometimes no valid address."""
        if self.random.random() < 0.1:
            return self.random.choice(("team@example.com", "Team@Example.com", "no address", "李@例え.jp"))
        self.count += 1
        return f"{self.random.choice(('user', 'User', 'üser'))}{self.count}@example.com"

    def complex(self, attribute: Attribute, path: str, share: float) -> dict[str, Any]:
        """At least one sub-attribute, and the value if there is one."""
        parts = [each for each in attribute.sub_attributes or () if is_writable(each) and each.name != "$ref"]
        first = next((each for each in parts if each.name == "value"), None) or self.random.choice(parts)
        return {
            name_of(each): self.value(each, f"{path}.{each.name}", share)
            for each in parts
            if each is first or is_required(each) or self.random.random() < share
        }


def name_of(attribute: Attribute) -> str:
    return attribute.name or ""


def is_writable(attribute: Attribute) -> bool:
    return attribute.mutability != Mutability.read_only


def is_required(attribute: Attribute) -> bool:
    return attribute.required == Required.true


def writable_paths(schema: str, attributes: Sequence[Attribute]) -> set[str]:
    """The paths of all attributes that a client can send. The service makes each `$ref`."""
    paths: set[str] = set()
    for attribute in filter(is_writable, attributes):
        path = f"{schema}:{attribute.name}"
        paths.add(path)
        parts = filter(is_writable, attribute.sub_attributes or ())
        paths.update(f"{path}.{part.name}" for part in parts if part.name != "$ref")
    return paths


def without_repetitions(entries: list[Any]) -> list[Any]:
    """The service keeps entries with the same type and value once."""
    found: dict[Any, Any] = {}
    for entry in entries:
        key = (entry.get("type"), str(entry.get("value")).lower()) if isinstance(entry, dict) else entry
        found.setdefault(key, entry)
    return list(found.values())


def only_one_primary(entries: list[Any]) -> list[Any]:
    primary = [entry for entry in entries if isinstance(entry, dict) and entry.get("primary")]
    for entry in primary[1:]:
        entry["primary"] = False
    return entries

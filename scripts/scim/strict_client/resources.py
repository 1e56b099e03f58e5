"""Resources as JSON, and what is different in them."""

from typing import Any

from scim2_models import Resource

USER = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"
ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
CUSTOM = "urn:ietf:params:scim:schemas:extension:roster:2.0:User"

AnyResource = Resource[Any]
Json = dict[str, Any]


def differences(shown: Any, wanted: Any, path: str = "") -> str:
    """The values that are not the same, with their paths."""
    if isinstance(shown, dict) and isinstance(wanted, dict):
        names = [name for name in wanted | shown if wanted.get(name) != shown.get(name)]
        parts = (differences(shown.get(name), wanted.get(name), f"{path}/{name}") for name in names)
        return "; ".join(parts)
    if isinstance(shown, list) and isinstance(wanted, list):
        more, missing = (
            [each for each in left if each not in right] for left, right in ((shown, wanted), (wanted, shown))
        )
        return f"{path} has {more} more, and {missing} is missing"
    return f"{path} is {shown!r} instead of {wanted!r}"


def compared(expression: str, json: Json) -> Json:
    """What a filter compares."""
    return {
        name: compared(expression, value) if name.startswith("urn:") else value
        for name, value in json.items()
        if name.lower() in expression.lower() or name == "id"
    }


def content(resource: AnyResource) -> Json:
    """What clients write. The service makes each `$ref`, and decides the order of members."""
    json = {
        name: value for name, value in resource.model_dump().items() if name not in ("id", "meta", "schemas", "groups")
    }
    manager = json.get(ENTERPRISE, {}).get("manager", {})
    manager.pop("$ref", None)
    if "members" in json:
        members = ({"value": each["value"], "type": each.get("type", "User")} for each in json["members"])
        json["members"] = sorted(members, key=lambda each: each["value"])
    return json

"""
Discovers a service, and creates, reads, lists, replaces, patches and deletes users and groups with scim2-client, which refuses what does
not fit the specification or the schemas of the service: strict_client URL SEED USERS GROUPS

Compares each resource with what was sent, patches and filters with what scim2-models makes of them. A line that begins with FAILED is a
failure. The environment variable SCIM_KEY is the key.
"""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any

from filters import POLICY as FILTER_POLICY
from filters import Filters
from httpx2 import Client
from patches import Patches
from resources import CUSTOM, ENTERPRISE, GROUP, USER, AnyResource, Json, compared, content, differences
from scim2_client import SCIMClientException
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_models import (
    Attribute,
    BulkOperation,
    BulkRequest,
    ListResponse,
    PatchOp,
    PatchOperation,
    Schema,
    SCIMException,
    ScimFilter,
    SearchRequest,
)
from values import Values, writable_paths

Model = Any
"""A class that scim2-models makes of a schema."""
BULK = 100
FILTERS = 150
MEMBERS = 40
MEMBERSHIP_FILTERS = 30


class Program:
    def __init__(self, url: str, key: str, seed: str, users: int, groups: int) -> None:
        self.random = Random(seed)
        self.values = Values(self.random)
        # Its models come from the service: types cannot say what it returns.
        self.client: Any = SyncSCIMClient(Client(base_url=url, headers={"Authorization": f"Bearer {key}"}))
        self.url = url
        self.wanted = {USER: users, GROUP: groups}
        self.known: dict[str, dict[str, AnyResource]] = {USER: {}, GROUP: {}}
        """The resources as the service has shown them last, by schema and id."""
        self.counts: Counter[str] = Counter()

    def run(self) -> None:
        self.attempt("discovery", self.discover)
        for number in range(self.wanted[USER] - BULK):
            self.attempt(f"create user {number}", self.create_user)
        self.attempt("create users in bulk", self.create_in_bulk)
        self.values.user_ids = list(self.known[USER])
        for number in range(self.wanted[GROUP]):
            self.attempt(f"create group {number}", self.create_group)
        print(f"{len(self.known[USER])} users and {len(self.known[GROUP])} groups created", flush=True)
        self.check_all(USER)
        self.check_all(GROUP)
        print("read, listed and filtered", flush=True)
        for user in self.each(USER):
            self.attempt(f"replace user {user.id}", self.replace_user, user)
        for user in self.each(USER):
            self.attempt(f"patch user {user.id}", self.patch_user, user)
        for group in self.each(GROUP):
            self.attempt(f"replace group {group.id}", self.replace_group, group)
        for group in self.each(GROUP):
            self.attempt(f"patch group {group.id}", self.patch_group, group)
        print("replaced and patched", flush=True)
        self.check_all(USER)
        self.check_all(GROUP)
        self.attempt("groups of users", self.check_groups_of_users)
        self.attempt("delete groups in bulk", self.delete_in_bulk)
        for resource in [*self.each(GROUP), *self.each(USER)]:
            self.attempt(f"delete {resource.id}", self.delete, resource)
        print("deleted", flush=True)
        self.check_all(USER)
        self.check_all(GROUP)
        for path in sorted(self.writable - self.values.sent):
            self.fail("attributes", f"{path} was never sent")
        print(", ".join(f"{what}: {count}" for what, count in sorted(self.counts.items())))
        operations = self.patches.counts
        print("operations of patches: " + ", ".join(f"{kind}: {operations[kind]}" for kind in sorted(operations)))

    def attempt(self, step: str, action: Callable[..., None], *arguments: Any) -> None:
        self.counts[step.split()[0]] += 1
        try:
            action(*arguments)
        except (SCIMException, SCIMClientException) as error:
            self.fail(step, " ".join(f"{type(error).__name__} {error} {error.__cause__ or ''}".split())[:1000])

    def fail(self, step: str, what: str) -> None:
        print(f"FAILED {step}: {what}", flush=True)

    def discover(self) -> None:
        self.client.discover()
        provider = self.client.provider
        self.models: dict[str, Model] = {
            USER: provider.model_for("User"),
            GROUP: provider.model_for("Group"),
        }
        answer: ListResponse[Schema] = self.client.query(Schema)
        schemas: dict[str, Sequence[Attribute]] = {
            str(schema.id): schema.attributes or () for schema in answer.resources or ()
        }
        if set(schemas) != {USER, ENTERPRISE, CUSTOM, GROUP}:
            self.fail("discovery", f"the schemas are {', '.join(sorted(schemas))}")
        self.group_attributes = {GROUP: schemas.pop(GROUP)}
        self.user_attributes = schemas
        self.patches = Patches(self.values, schemas, USER)
        self.filters = {
            USER: Filters(self.random, schemas, USER),
            GROUP: Filters(self.random, self.group_attributes, GROUP),
        }
        self.writable = {
            path
            for schema, attributes in (schemas | self.group_attributes).items()
            for path in writable_paths(schema, attributes)
            # Programs may leave out the type of a member and its name, which the service does not store.
            if not path.startswith(f"{GROUP}:members.") or path.endswith(".value")
        }

    def each(self, schema: str) -> list[AnyResource]:
        return list(self.known[schema].values())

    # What is sent

    def new_user(self) -> Json:
        share = self.random.choice((0.05, 0.4, 0.9))
        user = self.values.resource(USER, self.user_attributes[USER], share)
        for schema in (ENTERPRISE, CUSTOM):
            attributes = self.user_attributes[schema]
            # The first users have nobody who could be their manager.
            usable = [each for each in attributes if self.values.user_ids or each.name != "manager"]
            if part := self.values.resource(schema, usable, share):
                user[schema] = part
        if self.random.random() < 0.5:
            user["externalId"] = self.values.text()
        return user

    def new_group(self) -> Json:
        members = self.random.sample(self.values.user_ids, self.random.randint(0, MEMBERS))
        self.values.sent |= {f"{GROUP}:displayName", f"{GROUP}:members", f"{GROUP}:members.value"}
        group: Json = {"displayName": self.values.unique_text()}
        if members:
            group["members"] = [{"value": each, "type": "User"} for each in members]
        if self.random.random() < 0.5:
            group["externalId"] = self.values.text()
        return group

    def model_of(self, schema: str, json: Json) -> AnyResource:
        schemas = [schema, *(key for key in json if key.startswith("urn:"))]
        resource: AnyResource = self.models[schema].model_validate({"schemas": schemas, **json})
        return resource

    # Writing

    def create_user(self) -> None:
        sent = self.new_user()
        created = self.client.create(self.model_of(USER, sent))
        self.values.user_ids.append(str(created.id))
        self.accept(USER, created, {"active": True, **sent})

    def create_group(self) -> None:
        sent = self.new_group()
        self.accept(GROUP, self.client.create(self.model_of(GROUP, sent)), sent)

    def create_in_bulk(self) -> None:
        model = self.models[USER]
        sent = [self.new_user() for _ in range(BULK)]
        operations = [
            of(BulkOperation, model)(method="POST", path="/Users", bulk_id=str(number), data=self.model_of(USER, json))
            for number, json in enumerate(sent)
        ]
        answer = self.client.bulk(of(BulkRequest, model)(operations=operations))
        results = answer.operations or []
        if [(each.bulk_id, each.status) for each in results] != [(str(number), 201) for number in range(BULK)]:
            self.fail("bulk", f"the results are {[(each.bulk_id, each.status) for each in results]}")
        for result, json in zip(results, sent, strict=True):
            user_id = str(result.location).rsplit("/", 1)[-1]
            self.accept(USER, self.client.query(model, user_id), {"active": True, **json})

    def replace_user(self, user: AnyResource) -> None:
        sent, before = self.new_user(), content(user)
        kept = {name: before[name] for name in ("active", CUSTOM) if name in before}
        wanted = self.model_of(USER, sent)
        wanted.id, wanted.meta = user.id, user.meta
        self.accept(USER, self.client.replace(wanted), kept | sent)

    def replace_group(self, group: AnyResource) -> None:
        sent, before = self.new_group(), content(group)
        # Without members, the group keeps those that it has.
        kept = {name: before[name] for name in ("members",) if name in before}
        wanted = self.model_of(GROUP, sent)
        wanted.id, wanted.meta = group.id, group.meta
        self.accept(GROUP, self.client.replace(wanted), kept | sent)

    def patch_user(self, user: AnyResource) -> None:
        patch, after = self.patches.patch(user)
        self.accept(USER, self.client.modify(user, patch_op=patch), content(after), patch.model_dump())

    def patch_group(self, group: AnyResource) -> None:
        members = [each["value"] for each in content(group).get("members", [])]
        gone = self.random.sample(members, min(len(members), 2))
        new = self.random.sample(self.values.user_ids, 3)
        name = self.values.unique_text()
        model = self.models[GROUP]
        operations = [
            *({"op": "remove", "path": f'members[value eq "{each}"]'} for each in gone),
            {"op": "add", "path": "members", "value": [{"value": each} for each in new]},
            {"op": "replace", "path": "displayName", "value": name},
        ]
        patch = of(PatchOp, model)(operations=[of(PatchOperation, model).model_validate(each) for each in operations])
        self.client.modify(group, patch_op=patch)
        left = [each for each in members if each not in gone]
        expected = {**content(group), "displayName": name}
        expected["members"] = [{"value": each, "type": "User"} for each in dict.fromkeys([*left, *new])]
        self.accept(GROUP, self.client.query(model, str(group.id)), expected, patch.model_dump())

    def delete(self, resource: AnyResource) -> None:
        schema = str(type(resource).__schema__)
        self.client.delete(resource)
        del self.known[schema][str(resource.id)]
        try:
            self.client.query(type(resource), str(resource.id))
        except SCIMException as error:
            if error.status != 404:
                self.fail(f"read deleted {resource.id}", str(error))
        else:
            self.fail(f"read deleted {resource.id}", "it is still there")

    def delete_in_bulk(self) -> None:
        model = self.models[GROUP]
        groups = self.each(GROUP)[:BULK]
        operations = [of(BulkOperation, model)(method="DELETE", path=f"/Groups/{each.id}") for each in groups]
        answer = self.client.bulk(of(BulkRequest, model)(operations=operations))
        statuses = Counter(each.status for each in answer.operations or ())
        if statuses != {204: len(groups)}:
            self.fail("bulk", f"the results of deleting are {statuses}")
        for group in groups:
            del self.known[GROUP][str(group.id)]

    def accept(self, schema: str, received: AnyResource, expected: Json, cause: object = "") -> None:
        """Remembers a resource, and compares it with what was sent."""
        self.known[schema][str(received.id)] = received
        wanted = content(self.model_of(schema, expected))
        if (shown := content(received)) != wanted:
            self.fail(f"{received.id}", differences(shown, wanted) + (f" after {cause}" if cause else ""))
        location = f"{self.url}/{'Users' if schema == USER else 'Groups'}/{received.id}"
        if received.meta is None or received.meta.location != location:
            self.fail(f"{received.id}", f"the location is not {location}")

    # Reading

    def check_all(self, schema: str) -> None:
        for resource in self.each(schema):
            self.attempt(f"read {resource.id}", self.read, schema, resource)
        self.attempt("list by index", self.expect_all, schema, self.pages_by_index(schema, 100))
        self.attempt("list by index, in small pages", self.expect_all, schema, self.pages_by_index(schema, 37))
        self.attempt("list by cursor", self.expect_all, schema, self.pages_by_cursor(schema))
        self.attempt("search", self.search, schema)
        if not self.known[schema]:
            return
        resources = [each.model_dump() for each in self.each(schema)]
        for _ in range(FILTERS):
            expression = self.filters[schema].filter(resources)
            self.attempt(f"filter by {expression}", self.filter, schema, expression)
        for order in ("ascending", "descending"):
            self.attempt(f"sort {order}", self.sort, schema, order)

    def read(self, schema: str, resource: AnyResource) -> None:
        self.expect(schema, self.client.query(self.models[schema], str(resource.id)))
        # With the version of the resource, so that the service answers 304.
        if self.client.query(resource) is not resource:
            self.fail(f"read {resource.id}", "the service does not answer 304")

    def expect(self, schema: str, received: AnyResource) -> None:
        known = self.known[schema].get(str(received.id))
        if known is None:
            self.fail(f"read {received.id}", "nobody has created it")
        elif (wanted := known.model_dump()) != (shown := received.model_dump()):
            self.fail(f"read {received.id}", differences(shown, wanted))

    def expect_all(self, schema: str, received: Iterable[AnyResource]) -> None:
        ids: list[str] = []
        for resource in received:
            ids.append(str(resource.id))
            self.expect(schema, resource)
        if sorted(ids) != sorted(self.known[schema]):
            self.fail(
                "list", f"it has {len(ids)} of {len(self.known[schema])} resources, {len(set(ids))} different ones"
            )

    def pages_by_index(self, schema: str, count: int, expression: str | None = None) -> Iterable[AnyResource]:
        start = 1
        while True:
            attributes = None if expression is None else ["id"]
            request = search_for(filter=expression, startIndex=start, count=count, attributes=attributes)
            page: ListResponse[AnyResource] = self.client.query(self.models[schema], query_parameters=request)
            resources = page.resources or []
            yield from resources
            start += count
            if start > (page.total_results or 0):
                return
            if len(resources) != count:
                self.fail("list", f"a page has {len(resources)} resources instead of {count}")

    def pages_by_cursor(self, schema: str) -> Iterable[AnyResource]:
        cursor: str | None = ""
        while cursor is not None:
            request = search_for(cursor=cursor, count=100)
            page: ListResponse[AnyResource] = self.client.query(self.models[schema], query_parameters=request)
            yield from page.resources or []
            cursor = page.next_cursor

    def search(self, schema: str) -> None:
        answer = self.client.search(self.models[schema], search_for(count=1000))
        self.expect_all(schema, answer.resources or [])

    def filter(self, schema: str, expression: str) -> None:
        model = self.models[schema]
        with FILTER_POLICY:
            matches = of(ScimFilter, model)(expression).match
            wanted = {str(each.id) for each in self.each(schema) if matches(each)}
        found = {str(each.id) for each in self.pages_by_index(schema, 1000, expression)}
        self.counts["found by filters"] += len(wanted)
        if found != wanted:
            wrong = sorted(found ^ wanted)[0]
            example = compared(expression, self.known[schema][wrong].model_dump())
            self.fail(
                f"filter by {expression}",
                f"{len(found)} found, {len(wanted)} wanted; {'found' if wrong in found else 'not found'}: {example}",
            )

    def sort(self, schema: str, order: str) -> None:
        by = {USER: "userName", GROUP: "meta.created"}[schema]
        request = search_for(sortBy=by, sortOrder=order, count=1000)
        answer: ListResponse[AnyResource] = self.client.query(self.models[schema], query_parameters=request)
        received = answer.resources or []
        with FILTER_POLICY:
            values = [request.sort_value(each) for each in received]
        if len(values) != len(self.known[schema]) or values != sorted(values, reverse=order == "descending"):
            self.fail(f"sort {order}", f"by {by}, the list has {values}")

    def check_groups_of_users(self) -> None:
        groups: dict[str, list[str]] = {}
        for group in self.each(GROUP):
            for entry in content(group).get("members", []):
                groups.setdefault(entry["value"], []).append(str(group.id))
        request = search_for(attributes=["groups"], count=1000)
        answer: ListResponse[AnyResource] = self.client.query(self.models[USER], query_parameters=request)
        for user in answer.resources or ():
            shown = [each["value"] for each in user.model_dump().get("groups", [])]
            if sorted(shown) != sorted(groups.get(str(user.id), [])):
                self.fail(f"groups of {user.id}", f"{shown} instead of {groups.get(str(user.id))}")
        for member in self.random.sample(sorted(groups), min(MEMBERSHIP_FILTERS, len(groups))):
            self.expect_ids(GROUP, f'members.value eq "{member}"', groups[member])
        for group in self.random.sample(self.each(GROUP), min(MEMBERSHIP_FILTERS, len(self.each(GROUP)))):
            members = [each["value"] for each in content(group).get("members", [])]
            self.expect_ids(USER, f'groups.value eq "{group.id}"', members)
        self.counts["memberships"] = sum(map(len, groups.values()))

    def expect_ids(self, schema: str, expression: str, wanted: Sequence[str]) -> None:
        found = [str(each.id) for each in self.pages_by_index(schema, 1000, expression)]
        if sorted(found) != sorted(wanted):
            self.fail(f"filter by {expression}", f"{sorted(found)} instead of {sorted(wanted)}")


def of(generic: Any, model: Model) -> Any:
    return generic[model]


def search_for(**parameters: Any) -> Any:
    return SearchRequest.model_validate(parameters)


url, seed, users, groups = sys.argv[1:]
Program(url, os.environ["SCIM_KEY"], seed, int(users), int(groups)).run()

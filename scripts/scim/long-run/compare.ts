import { isObject, type Json, type JsonObject } from "../../../src/contract/json.ts";
import { SCIM_PREFIX } from "../../../src/contract/scim/scim.ts";
import type { Organization, Person } from "../../../test/api/scim/clients/support/organization.ts";
import type { Callable } from "../../../test/support/call.ts";
import { checkSubjects, type FollowedEvent } from "../../../test/support/consistency/check-events.ts";
import { readFeed } from "../../../test/support/consistency/event-followers.ts";
import type { RepeatedRequest } from "./repeated-request.ts";

/** The X-Request-Id of requests that create fixtures. */
export const FIXTURES = "fixtures";

/** What the directory has beside the organization: by id, what SCIM shows. */
export type Fixtures = ReadonlyMap<string, object>;

interface Compared {
  readonly service: Callable;
  readonly organization: Organization;
  readonly fixtures: Fixtures;
  readonly requests: readonly RepeatedRequest[];
}

export interface Comparison {
  readonly differences: readonly string[];
  readonly users: number;
  readonly groups: number;
  readonly memberships: number;
  readonly events: number;
}

/** Compares everything that the service shows, by SCIM and by the API, with what it has acknowledged. */
export async function compare({ service, organization, fixtures, requests }: Compared): Promise<Comparison> {
  const expected = expectedResources(organization, fixtures);
  const differences: string[] = [];
  for (const endpoint of ["/Users", "/Groups"] as const) {
    const wanted = new Map([...expected].filter(([id]) => id.startsWith("g") === (endpoint === "/Groups")));
    for (const paging of ["startIndex", "cursor"] as const) {
      const shown = await readScimList(service, endpoint, paging);
      differences.push(...compareMaps(`${endpoint} by ${paging}`, shown, wanted));
    }
  }
  const users = await readRecords(service, "/api/users");
  const groups = await readRecords(service, "/api/groups");
  const own = (records: readonly StoredRecord[], prefix: string) =>
    new Map(
      records
        .filter(({ id }) => !fixtures.has(`${prefix}${id}`))
        .map((record) => [`${prefix}${record.id}`, withoutServiceFields(record)]),
    );
  differences.push(...compareMaps("/api/users", own(users, ""), expectedUsers(organization)));
  differences.push(...compareMaps("/api/groups", own(groups, "g"), expectedGroups(organization)));
  const memberships = await readMemberships(service, fixtures);
  differences.push(...compareMaps("memberships", memberships, expectedMemberships(organization)));
  const feed = await readFeed(service);
  differences.push(
    ...checkSubjects("user", feed, users),
    ...checkSubjects("group", feed, groups),
    ...checkRequests(requests, feed),
  );
  return {
    differences,
    users: users.length,
    groups: groups.length,
    memberships: [...memberships.values()].reduce((sum, members) => sum + members.length, 0),
    events: feed.length,
  };
}

/** Reads what SCIM shows of the resources with these ids. */
export async function readFixtures(service: Callable): Promise<Fixtures> {
  const users = await readScimList(service, "/Users", "startIndex");
  const groups = await readScimList(service, "/Groups", "startIndex");
  return new Map([...users, ...groups]);
}

function expectedResources(organization: Organization, fixtures: Fixtures): Map<string, object> {
  const expected = new Map(fixtures);
  for (const [key, person] of organization.users)
    expected.set(organization.idOf(`user ${key}`), organization.shownUser(person));
  for (const [key, team] of organization.groups)
    expected.set(organization.idOf(`group ${key}`), {
      displayName: team.displayName,
      members: organization.memberIds(team).sort(),
    });
  return expected;
}

function expectedUsers(organization: Organization): Map<string, object> {
  return new Map(
    [...organization.users].map(([key, person]) => [organization.idOf(`user ${key}`), userRecord(person)]),
  );
}

/** The record of a user, as the API shows it. */
function userRecord(person: Person): object {
  const { givenName, familyName, userName, externalId, active, title, department, mobile } = person;
  return {
    ...{ name: `${givenName} ${familyName}`, email: userName },
    ...{ userName, externalId, active, givenName, familyName },
    ...(title !== "" && { title }),
    ...(department !== "" && { department }),
    ...(mobile !== "" && { phoneNumbers: [{ type: "mobile", value: mobile }] }),
  };
}

function expectedGroups(organization: Organization): Map<string, object> {
  return new Map(
    [...organization.groups].map(([key, { displayName, members }]) => [
      organization.idOf(`group ${key}`),
      { name: displayName, memberCount: members.size },
    ]),
  );
}

function expectedMemberships(organization: Organization): Map<string, string[]> {
  return new Map(
    [...organization.groups.entries()]
      .filter(([, { members }]) => members.size > 0)
      .map(([key, team]) => [organization.idOf(`group ${key}`), organization.memberIds(team).sort()]),
  );
}

function compareMaps(
  where: string,
  actual: ReadonlyMap<string, object>,
  expected: ReadonlyMap<string, object>,
): string[] {
  const ids = new Set([...actual.keys(), ...expected.keys()]);
  return [...ids].flatMap((id) => {
    const [found, wanted] = [actual.get(id), expected.get(id)];
    return Bun.deepEquals(found, wanted)
      ? []
      : [`${where}: ${id} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}.`];
  });
}

const PAGE = 100;

/** Every resource of an endpoint, by id, without what the service sets. */
async function readScimList(
  service: Callable,
  endpoint: string,
  paging: "startIndex" | "cursor",
): Promise<Map<string, object>> {
  const found = new Map<string, object>();
  let read = 0;
  let cursor: Json | undefined = "";
  for (;;) {
    const position = paging === "cursor" ? `cursor=${cursor}` : `startIndex=${1 + read}`;
    const page = await readJson(service, `${SCIM_PREFIX}${endpoint}?count=${PAGE}&${position}`);
    if (!isObject(page) || !Array.isArray(page.Resources)) throw new Error(`${endpoint} is no list.`);
    for (const resource of page.Resources.filter(isObject)) {
      const { schemas: _schemas, meta: _meta, id, ...shown } = resource;
      if (found.has(String(id))) throw new Error(`${endpoint} by ${paging} has ${id} twice.`);
      found.set(String(id), withSortedMembers(shown));
    }
    read += page.Resources.length;
    cursor = page.nextCursor;
    if (paging === "cursor" ? cursor === undefined : page.Resources.length === 0) {
      if (page.totalResults !== read)
        throw new Error(`${endpoint} by ${paging} has ${read} resources, not ${page.totalResults}.`);
      return found;
    }
  }
}

/** The ids of members instead of the members. */
function withSortedMembers(resource: JsonObject): object {
  const { members } = resource;
  if (!Array.isArray(members)) return resource;
  return { ...resource, members: members.map((member) => String(isObject(member) && member.value)).sort() };
}

type StoredRecord = JsonObject & { readonly id: number };

/** All records, page by page. */
async function readRecords(service: Callable, path: string): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for (let after = ""; ; ) {
    const page = await readJson(service, `${path}?limit=${PAGE}${after}`);
    if (!Array.isArray(page)) throw new Error(`${path} is no list.`);
    records.push(...page.filter(isStored));
    const last = records.at(-1);
    if (page.length < PAGE || !last) return records;
    after = `&offset=${records.length}`;
  }
}

function isStored(record: Json): record is StoredRecord {
  return isObject(record) && typeof record.id === "number";
}

function withoutServiceFields(record: JsonObject): object {
  const { id: _id, version: _version, createdAt: _createdAt, updatedAt: _updatedAt, ...own } = record;
  return own;
}

/** The ids of the members of each group that has members. */
async function readMemberships(service: Callable, fixtures: Fixtures): Promise<Map<string, string[]>> {
  const headers = { accept: "application/x-ndjson" };
  const text = await (await service.call("/api/memberships/export", { headers })).text();
  const members = new Map<string, string[]>();
  for (const line of text.split("\n").slice(0, -1)) {
    const { group, user }: { group: number; user: number } = JSON.parse(line);
    const id = `g${group}`;
    if (!fixtures.has(id)) members.set(id, [...(members.get(id) ?? []), String(user)].sort());
  }
  return members;
}

async function readJson(service: Callable, path: string): Promise<Json> {
  const response = await service.call(path);
  const text = await response.text();
  if (!response.ok) throw new Error(`GET ${path} is answered with ${response.status} ${text}`);
  return JSON.parse(text);
}

/** Each change has its events, a refused request has none, and nobody else has made a change. */
function checkRequests(requests: readonly RepeatedRequest[], feed: readonly FollowedEvent[]): string[] {
  const byRequest = new Map<string, string[]>();
  for (const { requestId, type, subject } of feed) {
    if (requestId === null || requestId === FIXTURES || !["user", "group"].includes(subject.type)) continue;
    byRequest.set(requestId, [...(byRequest.get(requestId) ?? []), type]);
  }
  const errors: string[] = [];
  for (const { line, attempts, events } of requests) {
    const counts: Record<string, number> = {};
    for (const { requestId, outcome } of attempts) {
      const types = byRequest.get(requestId) ?? [];
      if (outcome === "failed" && types.length > 0)
        errors.push(`${line} has failed, and has the events ${types} of ${requestId}.`);
      for (const type of types) counts[type] = (counts[type] ?? 0) + 1;
      byRequest.delete(requestId);
    }
    if (!Bun.deepEquals(counts, events))
      errors.push(`${line} has the events ${JSON.stringify(counts)}, not ${JSON.stringify(events)}.`);
  }
  for (const [requestId, types] of byRequest) errors.push(`Nobody has sent ${requestId}: ${types}.`);
  return errors;
}

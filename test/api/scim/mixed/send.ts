import type { Json, JsonObject } from "../../../../src/contract/json.ts";
import { urns } from "../../../../src/scim/attributes.ts";
import { patchOf, type ScimCaller, type ScimService } from "../support/scim-caller.ts";
import type {
  Match,
  MixedChange,
  MixedRequest,
  ScimGroupBody,
  ScimUserBody,
  UserOperation,
} from "./changes.ts";

/** The outcome of one change. */
export interface Outcome {
  readonly status: number;
  /** Of each user of a bulk change of the API. */
  readonly statuses?: readonly number[];
  /** Of what the change has created; else 0. */
  readonly createdId: number;
}

interface ScimRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly match?: Match;
}

/** Sends the changes, and returns the outcome of each. */
export async function send(
  { service, scim }: { readonly service: ScimService; readonly scim: ScimCaller },
  { isBulk, changes }: MixedRequest,
  requestId: string,
): Promise<readonly Outcome[]> {
  const headers = { "x-request-id": requestId };
  if (isBulk) return sendBulk(scim, changes, headers);
  return Promise.all(
    changes.map(async (change) => {
      const request = scimRequestOf(change);
      if (!request) return sendToApi(service, change, headers);
      const { method, path, body, match } = request;
      const { status, body: shown } = await scim.send(`${method} ${path}`, body, {
        ...headers,
        ...ifMatch(match, "W/"),
      });
      return { status, createdId: method === "POST" ? numberOf(shown.id) : 0 };
    }),
  );
}

async function sendBulk(
  scim: ScimCaller,
  changes: readonly MixedChange[],
  headers: Record<string, string>,
): Promise<Outcome[]> {
  const Operations = changes.map((change) => {
    const { match, body, ...request } = scimRequestOf(change) ?? fail(change);
    const version = match === undefined || match === "any" ? {} : { version: `W/"${match}"` };
    return { ...request, ...version, ...(body && { data: body }) };
  });
  const { body } = await scim.expect("POST /Bulk", { Operations }, headers);
  const outcomes = Array.isArray(body.Operations) ? body.Operations : [];
  return outcomes.map((outcome, index) => {
    const { status, location } = Object(outcome);
    const isPost = Operations[index]?.method === "POST";
    return { status: Number(status), createdId: isPost ? numberOf(String(location).split("/").at(-1)) : 0 };
  });
}

async function sendToApi(
  { api }: ScimService,
  change: MixedChange,
  headers: Record<string, string>,
): Promise<Outcome> {
  const { method, path, json, match } = apiRequestOf(change);
  const response = await api(path, { method, json, headers: { ...headers, ...ifMatch(match, "") } });
  const text = await response.text();
  const { status } = response;
  if (path !== "/api/users/bulk" || status !== 200) {
    return { status, createdId: status === 201 ? JSON.parse(text).id : 0 };
  }
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return { status, statuses: lines.map((line) => JSON.parse(line).status), createdId: 0 };
}

function apiRequestOf(change: MixedChange): {
  readonly method: string;
  readonly path: string;
  readonly json?: object;
  readonly match?: Match;
} {
  switch (change.kind) {
    case "api-create-user":
      return { method: "POST", path: "/api/users", json: change.record };
    case "api-patch-user":
      return { method: "PATCH", path: `/api/users/${change.id}`, json: change.patch, match: change.match };
    case "api-put-user":
      return { method: "PUT", path: `/api/users/${change.id}`, json: change.record, match: change.match };
    case "api-delete-user":
      return { method: "DELETE", path: `/api/users/${change.id}`, match: change.match };
    case "restore-user":
      return { method: "POST", path: `/api/deleted-users/${change.id}/restore`, json: change.changes };
    case "bulk-patch":
      return bulkRequest({ ids: change.ids, patch: change.patch });
    case "bulk-delete":
      return bulkRequest({ ids: change.ids, delete: true });
    case "bulk-members": {
      const { ids, id } = change;
      return bulkRequest(change.isMember ? { ids, addToGroup: id } : { ids, removeFromGroup: id });
    }
    case "api-create-group":
      return { method: "POST", path: "/api/groups", json: change.record };
    case "api-patch-group":
      return { method: "PATCH", path: `/api/groups/${change.id}`, json: change.patch, match: change.match };
    case "api-delete-group":
      return { method: "DELETE", path: `/api/groups/${change.id}`, match: change.match };
    case "api-patch-members": {
      const { id, match, add, remove } = change;
      return { method: "PATCH", path: `/api/groups/${id}/members`, json: { add, remove }, match };
    }
    case "api-set-member": {
      const { id, match, userId, isMember } = change;
      return { method: isMember ? "PUT" : "DELETE", path: `/api/groups/${id}/members/${userId}`, match };
    }
    default:
      return fail(change);
  }
}

const bulkRequest = (json: object) => ({ method: "POST", path: "/api/users/bulk", json });

/** Undefined for changes through the API. */
function scimRequestOf(change: MixedChange): ScimRequest | undefined {
  const onUser = (method: string, { id, match }: { id: number; match: Match }, body?: object) => ({
    ...{ method, path: `/Users/${id}`, match },
    ...(body && { body }),
  });
  const onGroup = (method: string, { id, match }: { id: number; match: Match }, body?: object) => ({
    ...{ method, path: `/Groups/g${id}`, match },
    ...(body && { body }),
  });
  switch (change.kind) {
    case "scim-post-user":
      return { method: "POST", path: "/Users", body: userBody(change.body) };
    case "scim-put-user":
      return onUser("PUT", change, userBody(change.body));
    case "scim-patch-user":
      return onUser("PATCH", change, patchOf(...change.operations.map(userOperation)));
    case "scim-delete-user":
      return onUser("DELETE", change);
    case "scim-post-group":
      return { method: "POST", path: "/Groups", body: groupBody(change.body) };
    case "scim-put-group":
      return onGroup("PUT", change, groupBody(change.body));
    case "scim-patch-group": {
      const { patch, add, remove } = change;
      const removed = remove.map((id) => ({ op: "remove", path: `members[value eq "${id}"]` }));
      const added = { op: "add", path: "members", value: membersOf(add) };
      return onGroup("PATCH", change, patchOf(...groupOperations(patch), added, ...removed));
    }
    case "scim-replace-members": {
      const { patch, members } = change;
      const replaced = { op: "replace", path: "members", value: membersOf(members) };
      return onGroup("PATCH", change, patchOf(replaced, ...groupOperations(patch)));
    }
    case "scim-refused": {
      const renamed = { op: "replace", path: "displayName", value: change.value };
      return onGroup("PATCH", change, patchOf(renamed, { op: "add", path: "members", value: "g1" }));
    }
    case "scim-delete-group":
      return onGroup("DELETE", change);
    default:
      return undefined;
  }
}

function userBody({ level, ...body }: ScimUserBody): object {
  return level === undefined ? body : { ...body, [urns.rosterUser]: { level } };
}

function groupBody({ level, members, ...body }: ScimGroupBody): object {
  return {
    ...body,
    ...(members && { members: membersOf(members) }),
    ...(level !== undefined && { [urns.rosterGroup]: { level } }),
  };
}

const membersOf = (ids: readonly number[]) => ids.map((id) => ({ value: String(id) }));

const userPaths: Readonly<Record<string, string>> = {
  givenName: "name.givenName",
  familyName: "name.familyName",
  level: `${urns.rosterUser}:level`,
  work: 'emails[type eq "work"].value',
};

function userOperation({ op, attribute, value }: UserOperation): object {
  const path = userPaths[attribute] ?? attribute;
  return op === "remove" ? { op, path } : { op, path, value };
}

function groupOperations(patch: JsonObject): object[] {
  const paths: Readonly<Record<string, string>> = { name: "displayName", level: `${urns.rosterGroup}:level` };
  return Object.entries(patch).map(([name, value]) => {
    const path = paths[name] ?? name;
    return value === null ? { op: "remove", path } : { op: "replace", path, value };
  });
}

function ifMatch(match: Match | undefined, prefix: string): Record<string, string> {
  return match === undefined || match === "any" ? {} : { "if-match": `${prefix}"${match}"` };
}

/** The id in the API. */
function numberOf(id: Json | undefined): number {
  return Number(String(id).replace(/^g/, "")) || 0;
}

function fail(change: MixedChange): never {
  throw new Error(`${change.kind} is not sent in this way.`);
}

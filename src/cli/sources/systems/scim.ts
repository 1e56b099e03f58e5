import type { JsonObject } from "../../../contract/json.ts";
import { formatFieldPath } from "../../../domain/field-path.ts";
import { groupKind, type ResourceKind, urns, userKind } from "../../../scim/attributes.ts";
import { groupDocument, groupRecord } from "../../../scim/group-document.ts";
import { mappingRows } from "../../../scim/mapping-rows.ts";
import { normalizeDocument } from "../../../scim/normalize.ts";
import { userDocument, userRecord } from "../../../scim/user-document.ts";
import { isEmpty, isObject, toText } from "../conversions.ts";
import {
  allFor,
  type ConvertedRecord,
  CREDENTIAL,
  type GroupSource,
  onlyUsedBy,
  type RecordConverter,
  type Source,
  type SourceGroups,
  type SourceRecord,
} from "../source.ts";

const RESOURCES = "Resources";
const LIST_RESPONSE = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
/** The URL of a user or a group. */
const RESOURCE_URL = /\/(user|group)s\/[^/]+$/i;

const common: Pick<Source, "rules" | "spread" | "leftOut"> = {
  rules: [
    { to: "scimId", from: ["id"] },
    { to: "originalCreatedAt", from: ["meta.created"] },
  ],
  spread: [],
  leftOut: allFor(onlyUsedBy("SCIM"), [
    "schemas",
    "meta.resourceType",
    "meta.lastModified",
    "meta.location",
    "meta.version",
  ]),
};

/** SCIM 2.0 (RFC 7643): list responses of `GET /Users`, one after the other, or single users. */
export const scim: Source = {
  ...common,
  title: "SCIM",
  formats: ["json"],
  collection: RESOURCES,
  id: "scimId",
  match: "userName",
  expected: ["userName", "schemas"],
  converter: {
    ...createConverter({
      kind: userKind,
      nameAttribute: "userName",
      nameField: "userName",
      toRecord: (document) => userRecord(document, undefined),
      toDocument: userDocument,
    }),
    toPatch: keepDisplayName,
  },
  leftOut: {
    ...common.leftOut,
    ...allFor(CREDENTIAL, ["password", "x509Certificates"]),
    [formatFieldPath([urns.enterpriseUser, "manager", "displayName"])]: "It is the name of another user.",
    groups: "To import groups with their members, use roster groups import.",
  },
  skip: (record) => (isGroup(record) ? "groups: import them with roster groups import" : skipOthers(record)),
};

const groups: SourceGroups = {
  ...common,
  collection: RESOURCES,
  converter: createConverter({
    kind: groupKind,
    nameAttribute: "displayName",
    nameField: "name",
    toRecord: (document) => ({ record: groupRecord(document, undefined) }),
    toDocument: groupDocument,
  }),
  memberships: ["members"],
  read(record) {
    if (!isGroup(record)) return undefined;
    const id = toText(record.id);
    const name = toText(record.displayName) ?? "";
    const members = [record.members].flat().flatMap(keyOfMember);
    const keys = id === undefined ? { key: `name:${name}` } : { key: `group:${id}`, otherKeys: [`id:${id}`] };
    return [{ ...keys, sourceId: id ?? name, record, members }];
  },
  keysOf(user) {
    const id = toText(user.id);
    return id === undefined ? [] : [`user:${id}`, `id:${id}`];
  },
  groupsOf: () => [],
  groupOf: () => undefined,
};

/** List responses of `GET /Groups`, or single groups. */
export const scimGroups: GroupSource = {
  ...scim,
  noun: "group",
  expected: ["displayName"],
  groups,
  skip: (record) =>
    record.userName === undefined ? skipOthers(record) : "users: import them with roster users import",
};

interface ConverterParts {
  readonly kind: ResourceKind;
  /** The attribute without which there is no record, and its field. */
  readonly nameAttribute: string;
  readonly nameField: string;
  toRecord(document: JsonObject): Omit<ConvertedRecord, "unused">;
  toDocument(record: JsonObject, locate: (path: string) => string): JsonObject;
}

/** Converts resources as the service does when it receives them. */
function createConverter(parts: ConverterParts): RecordConverter {
  const { kind, nameAttribute, nameField, toRecord, toDocument } = parts;
  const rows = mappingRows(kind).map(({ urn, names, record, note }) => {
    const path = formatFieldPath(urn === undefined ? names : [urn, ...names]);
    return [path, [record].flat().join(", "), note] as const;
  });
  return {
    rows: [...rows, ["any other extension", "scim.extensions", "as it is"]],
    convert(rest, source) {
      // Other fields come from this attribute, also if --map has moved it.
      const isMoved = rest[nameAttribute] === undefined && source[nameAttribute] !== undefined;
      const sent = isMoved ? { ...rest, [nameAttribute]: source[nameAttribute] } : rest;
      const { record, withoutEmail } = toRecord(normalizeDocument(kind, sent));
      const toFields = (fields: JsonObject) => (isMoved ? without(fields, nameField) : fields);
      const stored = { ...record, id: 1, version: 1, createdAt: "", updatedAt: "" };
      return {
        record: toFields(record),
        withoutEmail: withoutEmail && toFields(withoutEmail),
        unused: unusedPaths(
          rest,
          toDocument(stored, (path) => path),
        ),
      };
    },
  };
}

function without(object: JsonObject, field: string): JsonObject {
  const { [field]: _, ...fields } = object;
  return fields;
}

/** The attributes, and the members of attributes, that the document does not show. Their names match in any case. */
function unusedPaths(sent: SourceRecord, shown: JsonObject): string[][] {
  const shownNames = namesOf(shown);
  return Object.entries(sent).flatMap(([name, value]) => {
    const inside = shownNames.get(name.toLowerCase());
    if (inside === undefined) return [[name]];
    if (!isObject(value) || !isObject(inside)) return [];
    const insideNames = namesOf(inside);
    return Object.keys(value).flatMap((sub) => (insideNames.has(sub.toLowerCase()) ? [] : [[name, sub]]));
  });
}

function namesOf(object: SourceRecord): Map<string, unknown> {
  return new Map(Object.entries(object).map(([name, value]) => [name.toLowerCase(), value]));
}

/** A merge patch would remove what null says of a new user: that its name is no display name. */
function keepDisplayName({ scim, ...fields }: JsonObject): JsonObject {
  if (!isObject(scim)) return fields;
  const { displayName, ...others } = scim;
  const kept = displayName === null ? others : scim;
  return isEmpty(kept) ? fields : { ...fields, scim: kept };
}

/** Servers may omit the type of a resource. No user is without a user name. */
function isGroup(record: SourceRecord): boolean {
  const type = typeOf(record);
  if (type !== undefined) return isKind(type, groupKind);
  const { userName, displayName, schemas, members } = record;
  if (userName !== undefined || isListResponse(record)) return false;
  return Array.isArray(members) || (Array.isArray(schemas) && !isEmpty(displayName));
}

function skipOthers(record: SourceRecord): string | undefined {
  if (isListResponse(record)) return "list responses without resources";
  const type = typeOf(record);
  return type === undefined || isKind(type, userKind) ? undefined : `resources of the type ${type}`;
}

function isKind(type: string, { name }: ResourceKind): boolean {
  return type.toLowerCase() === name.toLowerCase();
}

function typeOf({ meta }: SourceRecord): string | undefined {
  return isObject(meta) ? toText(meta.resourceType) : undefined;
}

function isListResponse({ schemas }: SourceRecord): boolean {
  return Array.isArray(schemas) && schemas.includes(LIST_RESPONSE);
}

/** A user and a group can have the same id: the key says which of them is meant, if the member says it. */
function keyOfMember(member: unknown): string[] {
  const { value, type, $ref } = isObject(member) ? member : { value: member };
  const id = toText(value);
  if (id === undefined) return [];
  const kind = (toText(type) ?? RESOURCE_URL.exec(toText($ref) ?? "")?.[1])?.toLowerCase();
  return [kind === "user" || kind === "group" ? `${kind}:${id}` : `id:${id}`];
}

import fc from "fast-check";
import type { Json, JsonObject } from "../../../../src/contract/json.ts";

/** The version that the change applies to. */
export type Match = number | "any";

interface Target {
  readonly id: number;
  readonly match: Match;
}

export interface ScimUserBody {
  readonly userName: string;
  readonly displayName?: string;
  readonly name?: { readonly givenName?: string; readonly familyName?: string };
  readonly title?: string;
  readonly active?: boolean;
  readonly emails?: JsonObject[];
  /** A custom field. */
  readonly level?: number;
}

/** `work` is the address of type work. */
export interface UserOperation {
  readonly op: "add" | "replace" | "remove";
  readonly attribute: string;
  readonly value: Json;
}

export interface ScimGroupBody {
  readonly displayName: string;
  readonly externalId?: string;
  readonly level?: number;
  readonly members?: readonly number[];
}

type UserChange =
  | { readonly kind: "api-create-user"; readonly record: JsonObject }
  | ({ readonly kind: "api-patch-user"; readonly patch: JsonObject } & Target)
  | ({ readonly kind: "api-put-user"; readonly record: JsonObject } & Target)
  | ({ readonly kind: "api-delete-user" | "scim-delete-user" } & Target)
  | { readonly kind: "restore-user"; readonly id: number; readonly changes: JsonObject }
  | { readonly kind: "bulk-patch"; readonly ids: readonly number[]; readonly patch: JsonObject }
  | { readonly kind: "bulk-delete"; readonly ids: readonly number[] }
  | { readonly kind: "scim-post-user"; readonly body: ScimUserBody }
  | ({ readonly kind: "scim-put-user"; readonly body: ScimUserBody } & Target)
  | ({ readonly kind: "scim-patch-user"; readonly operations: readonly UserOperation[] } & Target);

interface MemberPatch {
  readonly add: readonly number[];
  readonly remove: readonly number[];
}

export type GroupChange =
  | { readonly kind: "api-create-group"; readonly record: JsonObject }
  | ({ readonly kind: "api-patch-group"; readonly patch: JsonObject } & Target)
  | ({ readonly kind: "api-delete-group" | "scim-delete-group" } & Target)
  | ({ readonly kind: "api-patch-members" } & MemberPatch & Target)
  | ({ readonly kind: "api-set-member"; readonly userId: number; readonly isMember: boolean } & Target)
  | ({ readonly kind: "bulk-members"; readonly ids: readonly number[]; readonly isMember: boolean } & Target)
  | { readonly kind: "scim-post-group"; readonly body: ScimGroupBody }
  | ({ readonly kind: "scim-put-group"; readonly body: ScimGroupBody } & Target)
  | ({ readonly kind: "scim-patch-group"; readonly patch: JsonObject } & MemberPatch & Target)
  | ({
      readonly kind: "scim-replace-members";
      readonly patch: JsonObject;
      readonly members: readonly number[];
    } & Target)
  /** A patch whose second operation is refused. */
  | ({ readonly kind: "scim-refused"; readonly value: string } & Target);

/** A change of one user, or of one group. */
export type MixedChange = UserChange | GroupChange;

/** A request with one change, or a bulk request of SCIM with several. */
export interface MixedRequest {
  readonly isBulk: boolean;
  readonly changes: readonly MixedChange[];
}

const login = fc.constantFrom("ada", "Ada", "grace", "m0@x.example", "M1@x.example");
const address = fc.constantFrom("m0@x.example", "M0@x.example", "m1@x.example", "m2@x.example");
const word = fc.constantFrom("Ada", "Grace", "King");
const title = fc.constantFrom("Analyst", "Engineer");
const level = fc.nat(2);
const flag = fc.boolean();
const orNull = (values: fc.Arbitrary<Json>) => fc.option(values, { nil: null });
const partial = (members: Readonly<Record<string, fc.Arbitrary<Json>>>): fc.Arbitrary<JsonObject> =>
  fc.record(members, { requiredKeys: [] }).map((sent) => {
    const some: JsonObject = {};
    for (const [name, value] of Object.entries(sent)) if (value !== undefined) some[name] = value;
    return some;
  });
const entry = fc.record({ value: address, type: fc.constantFrom("work", "home") }, { noNullPrototype: true });
const emails = fc
  .tuple(fc.uniqueArray(entry, { selector: ({ type }) => type, maxLength: 2 }), fc.nat(2))
  .map(([entries, main]) =>
    entries.map((each, i): JsonObject => (i === main ? { ...each, primary: true } : each)),
  );

const fields = {
  userName: login,
  email: address,
  title,
  givenName: word,
  familyName: word,
  active: flag,
  level,
};
const patch = partial({
  name: word,
  ...Object.fromEntries(Object.entries(fields).map(([name, values]) => [name, orNull(values)])),
});
const record = fc.tuple(partial(fields), word).map(([others, name]): JsonObject => ({ name, ...others }));
const body: fc.Arbitrary<ScimUserBody> = fc.record(
  {
    userName: login,
    displayName: word,
    name: fc.record({ givenName: word, familyName: word }, { requiredKeys: [] }),
    title,
    active: flag,
    emails: emails.filter(({ length }) => length > 0),
    level,
  },
  { requiredKeys: ["userName"] },
);

const setting = (attribute: string, value: fc.Arbitrary<Json>) =>
  fc.record({
    op: fc.constantFrom("add" as const, "replace" as const),
    attribute: fc.constant(attribute),
    value,
  });
const operation: fc.Arbitrary<UserOperation> = fc.oneof(
  setting("userName", login),
  setting("active", flag),
  setting("title", title),
  setting("displayName", word),
  setting("givenName", word),
  setting("familyName", word),
  setting("level", level),
  setting("work", address),
  fc.record({ op: fc.constant("replace" as const), attribute: fc.constant("emails"), value: emails }),
  fc.record({
    op: fc.constant("add" as const),
    attribute: fc.constant("emails"),
    value: fc
      .tuple(entry, flag)
      .map(([each, primary]): JsonObject => (primary ? { ...each, primary } : each)),
  }),
  fc.record({
    op: fc.constant("remove" as const),
    attribute: fc.constantFrom("title", "displayName", "givenName", "familyName", "level", "emails"),
    value: fc.constant(null),
  }),
);

const groupName = fc.constantFrom("Sales", "SALES", "Board", "Staff");
const groupPatch = partial({ name: groupName, externalId: orNull(title), level: orNull(level) });
const groupBody: fc.Arbitrary<ScimGroupBody> = fc.record(
  { displayName: groupName, externalId: title, level, members: fc.array(fc.nat(1000), { maxLength: 4 }) },
  { requiredKeys: ["displayName"] },
);

/** Of drafts, ids are positions among those of the model, and versions come after the one that the model has. */
const id = fc.nat(1000);
const ids = fc.array(id, { minLength: 1, maxLength: 3 });
const match: fc.Arbitrary<Match> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Match>("any") },
  { weight: 1, arbitrary: fc.constantFrom<Match>(0, 100) },
);
const kinds = <Kind extends string>(...names: readonly Kind[]) => fc.constantFrom(...names);

const inScim: fc.Arbitrary<MixedChange> = fc.oneof(
  fc.record({ kind: kinds("scim-post-user"), body }),
  fc.record({ kind: kinds("scim-put-user"), body, id, match }),
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kinds("scim-patch-user"),
      operations: fc.array(operation, { maxLength: 3 }),
      id,
      match,
    }),
  },
  fc.record({ kind: kinds("scim-delete-user"), id, match }),
  fc.record({ kind: kinds("scim-post-group"), body: groupBody }),
  fc.record({ kind: kinds("scim-put-group"), body: groupBody, id, match }),
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kinds("scim-patch-group"),
      patch: groupPatch,
      add: ids,
      remove: ids,
      id,
      match,
    }),
  },
  fc.record({ kind: kinds("scim-replace-members"), patch: groupPatch, members: ids, id, match }),
  fc.record({ kind: kinds("scim-delete-group"), id, match }),
  fc.record({ kind: kinds("scim-refused"), value: word, id, match }),
);
const inApi: fc.Arbitrary<MixedChange> = fc.oneof(
  fc.record({ kind: kinds("api-create-user"), record }),
  { weight: 3, arbitrary: fc.record({ kind: kinds("api-patch-user"), patch, id, match }) },
  fc.record({ kind: kinds("api-put-user"), record, id, match }),
  fc.record({ kind: kinds("api-delete-user"), id, match }),
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kinds("restore-user"),
      id,
      changes: partial({ userName: orNull(login), email: orNull(address) }),
    }),
  },
  fc.record({ kind: kinds("bulk-patch"), ids, patch }),
  fc.record({ kind: kinds("bulk-delete"), ids }),
  fc.record({ kind: kinds("bulk-members"), ids, isMember: flag, id, match: fc.constant<Match>("any") }),
  fc.record({ kind: kinds("api-create-group"), record: fc.record({ name: groupName, level }) }),
  fc.record({ kind: kinds("api-patch-group"), patch: groupPatch, id, match }),
  fc.record({ kind: kinds("api-delete-group"), id, match }),
  fc.record({ kind: kinds("api-patch-members"), add: ids, remove: ids, id, match }),
  {
    weight: 2,
    arbitrary: fc.record({ kind: kinds("api-set-member"), userId: id, isMember: flag, id, match }),
  },
);

const one = fc.oneof(inScim, inApi).map((change): MixedRequest => ({ isBulk: false, changes: [change] }));
const bulk = fc
  .array(inScim, { minLength: 1, maxLength: 3 })
  .map((changes): MixedRequest => ({ isBulk: true, changes }));
const request = fc.oneof({ weight: 8, arbitrary: one }, { weight: 1, arbitrary: bulk });

/** Requests that are sent at the same time. Their objects are as JSON has them. */
export const arbitraryStep: fc.Arbitrary<readonly MixedRequest[]> = fc
  .oneof(
    { weight: 2, arbitrary: request.map((each) => [each]) },
    { weight: 1, arbitrary: fc.array(request, { minLength: 2, maxLength: 4 }) },
  )
  .map((step) => structuredClone(step));

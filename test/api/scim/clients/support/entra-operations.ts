import type { Person } from "./organization.ts";
import { enterprise } from "./provisioning-client.ts";

/**
 * The operations of a PATCH with which Entra gives a user these attributes. Style 0 has an operation for each attribute, style 1 is
 * that of the flag `aadOptscim062020`, with one operation without a path, and style 2 adds what it would replace.
 */
export function entraUserOperations(person: Person, style: number): readonly object[] {
  const { userName, givenName, familyName, title, department, active, mobile } = person;
  const withFlag = style === 1;
  const op = withFlag ? "replace" : "Replace";
  const setOrRemove = (path: string, value: string) =>
    value === "" ? { op: "Remove", path } : { op: style === 2 ? "Add" : op, path, value };
  const attributes = {
    userName,
    displayName: `${givenName} ${familyName}`,
    "name.givenName": givenName,
    "name.familyName": familyName,
    active: withFlag ? active : active ? "True" : "False",
  };
  return [
    ...(withFlag
      ? [{ op, value: attributes }]
      : Object.entries(attributes).map(([path, value]) => ({ op, path, value }))),
    { op, path: 'emails[type eq "work"].value', value: userName },
    setOrRemove("title", title),
    setOrRemove(`${enterprise}:department`, department),
    mobile === ""
      ? { op: "Remove", path: 'phoneNumbers[type eq "mobile"]' }
      : { op, path: 'phoneNumbers[type eq "mobile"].value', value: mobile },
  ];
}

interface MemberChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly style: number;
}

/** The operations of a PATCH with which Entra adds and removes members, in one of three forms. */
export function entraMemberOperations({ added, removed, style }: MemberChange): readonly object[] {
  const references = (ids: readonly string[]) => ids.map((value) => ({ $ref: null, value }));
  const removals =
    style === 1
      ? removed.map((value) => ({ op: "remove", path: `members[value eq "${value}"]` }))
      : [{ op: "Remove", path: "members", value: references(removed) }];
  const addition =
    style === 2
      ? { op: "add", value: { members: references(added) } }
      : { op: "Add", path: "members", value: references(added) };
  return [...(removed.length > 0 ? removals : []), ...(added.length > 0 ? [addition] : [])];
}

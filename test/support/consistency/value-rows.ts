import { groupTerms, parseGroup } from "../../../src/domain/groups/group.ts";
import { indexTerms, parseUser } from "../../../src/domain/users/user.ts";

type Rows = readonly (readonly unknown[])[];

const termsOf = {
  user: (json: string) => indexTerms(parseUser(json).record),
  group: (json: string) => groupTerms(parseGroup(json).record),
};

/** Compares the index of custom fields (id of a record, field, value, exact) with the records (id, JSON). Returns what is wrong. */
export function findValueErrors(kind: keyof typeof termsOf, records: Rows, values: Rows): string[] {
  const toKey = (row: readonly unknown[]) => JSON.stringify(row.map(String));
  const expected = new Set(
    records.flatMap(([id, json]) =>
      termsOf[kind](String(json)).values.map(({ field, value, exact }) => toKey([id, field, value, exact])),
    ),
  );
  const found = new Set(values.map(toKey));
  return [
    ...[...expected].filter((key) => !found.has(key)).map((key) => `${kind}_values has no row ${key}`),
    ...[...found].filter((key) => !expected.has(key)).map((key) => `${kind}_values has an extra row ${key}`),
  ];
}

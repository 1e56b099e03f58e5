import { indexTerms, parseUser } from "../../../src/domain/users/user.ts";

/** Compares the index of custom fields (user id, field, value, exact) with the users (id, JSON). Returns what is wrong. */
export function findValueErrors(
  users: readonly (readonly unknown[])[],
  values: readonly (readonly unknown[])[],
): string[] {
  const toKey = (row: readonly unknown[]) => JSON.stringify(row.map(String));
  const expected = new Set(
    users.flatMap(([id, json]) =>
      indexTerms(parseUser(String(json)).record).values.map(({ field, value, exact }) =>
        toKey([id, field, value, exact]),
      ),
    ),
  );
  const found = new Set(values.map(toKey));
  return [
    ...[...expected].filter((key) => !found.has(key)).map((key) => `user_values has no row ${key}`),
    ...[...found].filter((key) => !expected.has(key)).map((key) => `user_values has an extra row ${key}`),
  ];
}

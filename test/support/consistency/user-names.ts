import { parseUser, userNameKey } from "../../../src/domain/users/user.ts";
import type { Engine } from "../engines.ts";

const errors = (schema: string) => `
  SELECT 'user_names has an extra row ' || name || ' of user ' || user_id FROM ${schema}user_names n
  WHERE NOT EXISTS (SELECT 1 FROM ${schema}users u WHERE u.id = n.user_id AND coalesce(user_name_key, email_key) = n.name)
  UNION ALL
  SELECT 'user_names has no row of user ' || id FROM ${schema}users
  WHERE user_name_key IS NOT NULL AND id NOT IN (SELECT user_id FROM ${schema}user_names)
  UNION ALL
  SELECT 'Several users have the user name ' || coalesce(user_name_key, email_key) FROM ${schema}users
  WHERE coalesce(user_name_key, email_key) IS NOT NULL GROUP BY coalesce(user_name_key, email_key) HAVING count(*) > 1`;

/**
 * Queries that return what is wrong with the names in `user_names`, as texts. A user without a userName needs no row there: it may not
 * have changed since there are user names.
 */
export const USER_NAME_ERRORS: Record<Engine, string> = { sqlite: errors(""), postgres: errors("roster.") };

/** Compares the column `user_name_key` with the users (id, JSON, key). Returns what is wrong. */
export function findUserNameKeyErrors(users: readonly (readonly unknown[])[]): string[] {
  return users.flatMap(([id, json, key]) => {
    const expected = userNameKey(parseUser(String(json)).record);
    return key === expected ? [] : [`User ${id} has the user_name_key ${key}, expected ${expected}`];
  });
}

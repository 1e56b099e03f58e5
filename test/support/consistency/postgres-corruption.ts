import { SQL } from "bun";
import { EVENT_BYTES_ERROR } from "./event-bytes.ts";
import { findGroupErrors, GROUP_DIFFERENCES, GROUP_VALUES, GROUPS } from "./groups.ts";
import { findUserNameKeyErrors, USER_NAME_ERRORS } from "./user-names.ts";
import { findValueErrors } from "./value-rows.ts";

/** Checks that the indexes and counts in a PostgreSQL database match its users and groups. Returns what is wrong. */
export async function findPostgresCorruption(url: string, users: number): Promise<string[]> {
  const sql = new SQL(url, { max: 1 });
  const errors: string[] = [];
  const expectNumber = async (query: string, expected: number) => {
    const [row] = await sql.unsafe(query).values();
    if (Number(row?.[0]) !== expected) errors.push(`${query}: ${row?.[0]}, expected ${expected}`);
  };
  try {
    await expectNumber("SELECT count(*) FROM roster.users", users);
    await expectNumber("SELECT sum(users) FROM roster.user_counts", users);
    await expectNumber("SELECT count(*) FROM roster.user_search", users);
    await expectNumber(
      "SELECT count(*) FROM roster.user_search WHERE user_id NOT IN (SELECT id FROM roster.users)",
      0,
    );
    await expectNumber(
      "SELECT count(*) FROM roster.users WHERE id > (SELECT last_value FROM roster.user_ids)",
      0,
    );
    await expectNumber(EVENT_BYTES_ERROR.postgres, 0);
    const values = await sql.unsafe("SELECT user_id, field, value, exact FROM roster.user_values").values();
    const rows = await sql.unsafe("SELECT id, json, user_name_key FROM roster.users").values();
    errors.push(...findValueErrors("user", rows, values), ...findUserNameKeyErrors(rows));
    for (const difference of GROUP_DIFFERENCES.postgres) await expectNumber(difference, 0);
    const groups = await sql.unsafe(`${GROUPS} roster.groups`).values();
    errors.push(...findGroupErrors(groups, await sql.unsafe(`${GROUP_VALUES} roster.group_values`).values()));
    errors.push(...(await sql.unsafe(USER_NAME_ERRORS.postgres).values()).flat());
    return errors;
  } finally {
    await sql.close();
  }
}

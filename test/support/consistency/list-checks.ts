import { Database } from "bun:sqlite";
import { foldText } from "../../../src/domain/fold.ts";
import type { Callable } from "../call.ts";
import { EVENT_BYTES_ERROR } from "./event-bytes.ts";
import { findGroupErrors, GROUP_DIFFERENCES, GROUP_VALUES, GROUPS } from "./groups.ts";
import type { User } from "./operation.ts";
import { findUserNameKeyErrors, USER_NAME_ERRORS } from "./user-names.ts";
import { findValueErrors } from "./value-rows.ts";

/** Names and teams of the users that workloads create. */
export const words = ["Ada", "José", "Zoë", "Åsa", "Grace", "Müller"] as const;
export const teams = ["red", "green", "blue", "grey"] as const;

/** Reads all pages of a list. */
export async function listAllUsers(roster: Callable, query = ""): Promise<{ users: User[]; total: number }> {
  const users: User[] = [];
  let total = Number.NaN;
  let path: string | undefined = `/api/users?limit=150&count=true${query && `&${query}`}`;
  while (path !== undefined) {
    const response: Response = await roster.call(path);
    if (response.status !== 200) throw new Error(`${path}: status ${response.status}`);
    const page: User[] = await response.json();
    users.push(...page);
    total = Number(response.headers.get("x-total-count"));
    path = /<(?:https?:\/\/[^/>]+)?([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  }
  return { users, total };
}

/** Compares filters, searches and sorts with the plain list. A difference means that an index is incomplete. */
export async function findListInconsistencies(roster: Callable, all: readonly User[]): Promise<string[]> {
  const errors: string[] = [];
  const expectSame = async (query: string, matches: (user: User) => boolean) => {
    const { users, total } = await listAllUsers(roster, query);
    const expected = sorted(all.filter(matches));
    if (sorted(users) !== expected) errors.push(`?${query} found ${sorted(users)}, expected ${expected}`);
    if (total !== users.length) errors.push(`?${query} counted ${total}, found ${users.length}`);
  };
  const emailOf = ({ email }: User) => (typeof email === "string" ? email.toLowerCase() : "");
  await expectSame("", () => true);
  for (const team of [...teams, "all"]) await expectSame(`team=${team}`, (user) => user.team === team);
  for (const word of words) {
    const folded = foldText(word);
    const named = ({ name }: User) => foldText(name).startsWith(folded);
    await expectSame(`q=${encodeURIComponent(word)}`, named);
    await expectSame(`q=${encodeURIComponent(folded.slice(0, 2))}`, named);
  }
  await expectSame("q=@example.com", (user) => emailOf(user) !== "");
  for (const version of new Set(all.map((user) => user.version))) {
    await expectSame(`version=${version}`, (user) => user.version === version);
  }
  for (const sort of ["name", "-email", "createdAt", "-updatedAt"])
    await expectSame(`sort=${sort}`, () => true);
  for (const user of all.slice(-25)) {
    await expectSame(`name=${encodeURIComponent(user.name)}`, (other) => other.name === user.name);
    await expectSame(`updatedAt=${user.updatedAt}`, (other) => other.updatedAt === user.updatedAt);
    if (emailOf(user)) {
      await expectSame(`email=${emailOf(user)}`, (other) => emailOf(other) === emailOf(user));
    }
  }
  return errors;
}

/** Checks an SQLite file: its pages, its search indexes, its counts. Returns what is wrong. */
export function findSqliteCorruption(path: string, users: number): string[] {
  const db = new Database(path, { readwrite: true, create: false });
  try {
    db.run("PRAGMA busy_timeout = 5000");
    const readNumber = (sql: string) => Number(db.query<Record<string, unknown>, []>(sql).values()[0]?.[0]);
    const errors: string[] = [];
    const expectNumber = (sql: string, expected: number) => {
      if (readNumber(sql) !== expected) errors.push(`${sql}: ${readNumber(sql)}, expected ${expected}`);
    };
    const integrity = db.query("PRAGMA integrity_check").values();
    if (String(integrity) !== "ok") errors.push(`integrity_check: ${String(integrity)}`);
    db.run("INSERT INTO user_search (user_search) VALUES ('integrity-check')");
    expectNumber("SELECT count(*) FROM users", users);
    expectNumber("SELECT users FROM directory", users);
    expectNumber("SELECT count(*) FROM user_search_docsize", users);
    expectNumber("SELECT count(*) FROM user_search_docsize WHERE id NOT IN (SELECT id FROM users)", 0);
    expectNumber("SELECT count(*) FROM users WHERE id > (SELECT last_id FROM directory)", 0);
    expectNumber(EVENT_BYTES_ERROR.sqlite, 0);
    const values = db.query("SELECT user_id, field, value, exact FROM user_values").values();
    const rows = db.query("SELECT id, json, user_name_key FROM users").values();
    errors.push(...findValueErrors("user", rows, values), ...findUserNameKeyErrors(rows));
    db.run("INSERT INTO group_search (group_search) VALUES ('integrity-check')");
    for (const difference of GROUP_DIFFERENCES.sqlite) expectNumber(difference, 0);
    const groups = db.query(`${GROUPS} groups`).values();
    errors.push(...findGroupErrors(groups, db.query(`${GROUP_VALUES} group_values`).values()));
    errors.push(...db.query(USER_NAME_ERRORS.sqlite).values().flat().map(String));
    return errors;
  } catch (error) {
    return [String(error)];
  } finally {
    db.close();
  }
}

function sorted(users: readonly User[]): string {
  return users
    .map(({ id }) => id)
    .sort((a, b) => a - b)
    .join(" ");
}

import { copyFileSync } from "node:fs";
import { formatFoundPage, type Page } from "../../src/domain/lists/listing.ts";
import type { UserListQuery } from "../../src/domain/users/user-list-fields.ts";
import { fillPage } from "../../src/store/lists/fill-page.ts";
import { countInRounds, isUnfiltered } from "../../src/store/lists/plans/count.ts";
import { connect } from "../../src/store/sqlite/database.ts";
import { Reader } from "../../src/store/sqlite/reader.ts";
import type { ScratchFolder } from "../support/scratch-folder.ts";
import { type BareDialect, markedStart, quote } from "./bare-list.ts";
import type { PlanEngine } from "./measure-plans.ts";

const WAIT_MS = 60_000;
/** The custom fields of the sample users. */
const indexedFields = ["department", "level"];

const sortKeys: Readonly<Record<string, readonly [column: string, index: string]>> = {
  name: ["name_fold", "users_by_name"],
  email: ["email_fold", "users_by_email"],
  createdAt: ["created_at", "users_by_creation"],
  updatedAt: ["updated_at", "users_by_update"],
};

const fieldValue = (field: string) => `json_extract(json, '$.${field}')`;

const dialect: BareDialect = {
  json: "CAST(u.json AS BLOB)",
  countAll: "SELECT users FROM directory",
  from: "users u",
  order(field) {
    if (field === "id") return { columns: ["u.id"], from: "users u NOT INDEXED" };
    if (indexedFields.includes(field))
      return { columns: [fieldValue(field), "u.id"], from: `users u INDEXED BY bare_${field}` };
    const found = sortKeys[field];
    return found && { columns: [`u.${found[0]}`, "u.id"], from: `users u INDEXED BY ${found[1]}` };
  },
  compare(field, comparison) {
    const test = `${fieldValue(field)} ${comparison}`;
    return indexedFields.includes(field)
      ? { test, index: { from: `users u INDEXED BY bare_${field}`, test } }
      : { test };
  },
  contains(words) {
    const tests = words.map((word) => {
      const start = markedStart(word);
      if (start !== undefined) return `instr(u.word_starts, ${quote(start)})`;
      return `(instr(u.name_fold, ${quote(word)}) OR instr(u.email_fold, ${quote(word)}))`;
    });
    const trigrams = words.flatMap((word) => {
      const characters = [...(markedStart(word) ?? word)];
      return characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(""));
    });
    const match = trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(" AND ");
    const test = tests.join(" AND ");
    return {
      test,
      index: {
        from: "user_search s CROSS JOIN users u ON u.id = s.rowid",
        test: `user_search MATCH ${quote(match)} AND ${test}`,
      },
    };
  },
};

/** Opens a copy of the database, with an index on each custom field of the sample users. */
export function openSqliteEngine(folder: ScratchFolder, seeded: string): PlanEngine & Disposable {
  const path = folder.file("plans.db");
  copyFileSync(seeded, path);
  const db = connect(path, WAIT_MS);
  for (const field of indexedFields) db.run(`CREATE INDEX bare_${field} ON users (${fieldValue(field)})`);
  const reader = new Reader(db);
  const total = (query: UserListQuery) =>
    isUnfiltered(query)
      ? { count: reader.stats().users, capped: false }
      : countInRounds(async (after) => reader.lists.users.countRound(query, after));
  const statements = new Map<string, ReturnType<typeof db.prepare>>();
  const rows = (text: string) => {
    const statement = statements.get(text) ?? db.prepare(text);
    statements.set(text, statement);
    return statement.values();
  };
  return {
    dialect,
    list(query) {
      const page = fillPage(query, (part) => reader.lists.users.page(part));
      return query.count ? withTotal(page, total(query)) : page;
    },
    run({ page, count }, limit) {
      const items = rows(page)
        .slice(0, limit)
        .map(([json]) => (json instanceof Uint8Array ? json : new Uint8Array()));
      const found = formatFoundPage({ items, next: undefined }, {});
      return count === undefined
        ? found
        : { ...found, total: { count: Number(rows(count)[0]?.[0]), capped: false } };
    },
    cpuMicros() {
      const { user, system } = process.cpuUsage();
      return user + system;
    },
    [Symbol.dispose]: () => db.close(),
  };
}

async function withTotal(
  page: Page | Promise<Page>,
  total: Page["total"] | Promise<Page["total"]>,
): Promise<Page> {
  return { ...(await page), total: await total };
}

import { copyFileSync } from "node:fs";
import { userRecordFields } from "../../src/contract/users/user-fields.ts";
import { formatFoundPage, type Page } from "../../src/domain/lists/listing.ts";
import type { UserListQuery } from "../../src/domain/users/user-list-fields.ts";
import { fillPage } from "../../src/store/lists/fill-page.ts";
import { countInRounds, isUnfiltered } from "../../src/store/lists/plans/count.ts";
import { allOf, type Sql, sql } from "../../src/store/sql/sql.ts";
import { connect } from "../../src/store/sqlite/database.ts";
import { Reader } from "../../src/store/sqlite/reader.ts";
import { startOwnCpuMeter } from "../support/cpu-meter.ts";
import type { ScratchFolder } from "../support/scratch-folder.ts";
import { type BareDialect, type IndexedFields, markedStart, memberTest } from "./bare-list.ts";
import type { PlanEngine } from "./measure-plans.ts";
import { sqlitePlanFinder } from "./plan-finder.ts";

const WAIT_MS = 60_000;

const sortKeys: Readonly<Record<string, readonly [column: string, index: string]>> = {
  name: ["name_fold", "users_by_name"],
  email: ["email_fold", "users_by_email"],
  createdAt: ["created_at", "users_by_creation"],
  updatedAt: ["updated_at", "users_by_update"],
};

const fieldValue = (field: string) => `json_extract(json, '$.${field}')`;

function bareDialect(fields: IndexedFields): BareDialect {
  return {
    json: "CAST(u.json AS BLOB)",
    countAll: "SELECT users FROM directory",
    order(field) {
      if (field === "id") return { id: "u.id", from: "users u NOT INDEXED" };
      if (field in fields)
        return { key: fieldValue(field), id: "u.id", from: `users u INDEXED BY bare_${field}` };
      const found = sortKeys[field];
      return found && { key: `u.${found[0]}`, id: "u.id", from: `users u INDEXED BY ${found[1]}` };
    },
    // INDEXED BY chooses the index.
    unindexed: (key) => key,
    compare(field, comparison, ...values) {
      const test = sql(`${fieldValue(field)} ${comparison}`, ...values);
      const index = { from: `users u INDEXED BY bare_${field}`, test, id: "u.id" };
      return { test, indexes: field in fields ? [index] : [] };
    },
    contains(words) {
      const tests = words.map((word) => {
        const start = markedStart(word);
        if (start !== undefined) return sql("instr(u.word_starts, ?)", start);
        return sql("(instr(u.name_fold, ?) OR instr(u.email_fold, ?))", word, word);
      });
      const trigrams = words.flatMap((word) => {
        const characters = [...(markedStart(word) ?? word)];
        return characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(""));
      });
      const match = trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(" AND ");
      const index = {
        from: "user_search s CROSS JOIN users u ON u.id = s.rowid",
        test: allOf([sql("user_search MATCH ?", match), ...tests]),
        id: "s.rowid",
      };
      return { test: allOf(tests), indexes: [index] };
    },
    belongsTo: (group) =>
      memberTest(
        {
          memberships: "memberships",
          from: "memberships m CROSS JOIN users u ON u.id = m.user_id",
        },
        group,
      ),
  };
}

/** Opens a copy of the database, with an index on each of these custom fields. */
export function openSqliteEngine(
  folder: ScratchFolder,
  seeded: string,
  fields: IndexedFields,
): PlanEngine & Disposable {
  const path = folder.file("plans.db");
  copyFileSync(seeded, path);
  const db = connect(path, WAIT_MS);
  for (const field in fields) db.run(`CREATE INDEX bare_${field} ON users (${fieldValue(field)})`);
  const reader = new Reader(db);
  const total = (query: UserListQuery) =>
    isUnfiltered(query)
      ? { count: reader.stats().users, capped: false }
      : countInRounds(async (after) => reader.lists.users.countRound(query, after));
  const prepare = ({ text, values }: Sql) => {
    const statement = db.prepare(text);
    return () => statement.values(...values);
  };
  return {
    dialect: bareDialect(fields),
    list(query) {
      const page = fillPage(query, (part) => reader.lists.users.page(part));
      return query.count ? withTotal(page, total(query)) : page;
    },
    ...sqlitePlanFinder(db, reader),
    prepare({ page, count }, limit) {
      const selectPage = prepare(page);
      const selectCount = count && prepare(count);
      return () => {
        const items = selectPage()
          .slice(0, limit)
          .map(([json]) => (json instanceof Uint8Array ? json : new Uint8Array()));
        const found = formatFoundPage({ items, next: undefined }, {}, userRecordFields);
        return selectCount
          ? { ...found, total: { count: Number(selectCount()[0]?.[0]), capped: false } }
          : found;
      };
    },
    startCpuMeter: startOwnCpuMeter,
    [Symbol.dispose]: () => db.close(),
  };
}

async function withTotal(
  page: Page | Promise<Page>,
  total: Page["total"] | Promise<Page["total"]>,
): Promise<Page> {
  return { ...(await page), total: await total };
}

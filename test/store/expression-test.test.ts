import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import fc from "fast-check";
import type { UserRecord } from "../../src/contract/users/user.ts";
import { compileExpression } from "../../src/domain/filter/compile-expression.ts";
import type { Expression } from "../../src/domain/filter/expression.ts";
import { formatExpression } from "../../src/domain/filter/format-expression.ts";
import { userListFields } from "../../src/domain/users/user-list-fields.ts";
import { expressionTest } from "../../src/store/lists/conditions/expression-test.ts";
import { IndexUse, KnownEntries } from "../../src/store/lists/conditions/known-entries.ts";
import { postgresDialect } from "../../src/store/postgres/dialect.ts";
import { joinSql, type Sql } from "../../src/store/sql/sql.ts";
import { sqliteDialect } from "../../src/store/sqlite/dialect.ts";
import { userList } from "../../src/store/users/user-list.ts";
import { type Engine, onEachEngine } from "../support/engines.ts";
import { arbitraryRecord, arbitraryRewritten, takeUnique } from "../support/filter/arbitraries.ts";
import { pooler } from "../support/postgres/fresh-database.ts";
import { allUsers, rowsOf, type StoreUnderTest, storeOpener } from "./support/store-under-test.ts";

const USERS = 12;
/** More values than the index has of one user. */
const crowd = Array.from({ length: 300 }, (_, element) => element);

/** Expressions as they come, and the same ones with what SQL can test in place of what it cannot. */
const expressions = fc.array(fc.tuple(arbitraryRewritten, fc.boolean()), { minLength: 60, maxLength: 60 });
const records = fc.array(arbitraryRecord, { minLength: USERS, maxLength: USERS });

onEachEngine((engine) => {
  const dialect = engine === "sqlite" ? sqliteDialect(100) : postgresDialect(100);
  let opened: StoreUnderTest;
  let connection: RawConnection;
  beforeAll(async () => {
    opened = await storeOpener(engine)();
    connection = connect(engine, opened.url);
    for (let i = 0; i < USERS; i++) await opened.store.users.create({ record: { name: `User ${i}` } });
  });
  afterAll(async () => {
    await connection.close();
    await opened.destroy();
  });

  const replaceUsers = async (replacements: readonly UserRecord[], extra: object) => {
    const { users } = opened.store;
    for (const [index, { email, userName, ...record }] of replacements.entries()) {
      await users.edit(index + 1, { replace: { ...record, ...extra } });
    }
    // The first user that has an email or a user name keeps it.
    const taken = new Set<string>();
    for (const [index, { email, userName, ...record }] of replacements.entries()) {
      const unique = takeUnique({ email, userName }, taken);
      await users.edit(index + 1, { replace: { ...record, ...unique, ...extra } });
    }
    return rowsOf(await users.list(allUsers));
  };

  /** Builds the test, and again if the index has what the test takes to be absent. */
  const testWith = async (
    known: KnownEntries,
    expression: Expression,
  ): Promise<ReturnType<typeof expressionTest>> => {
    const use = new IndexUse(known);
    const tested = expressionTest({ dialect, resource: userList, use }, expression);
    const { absent } = use;
    if (absent.length === 0) return tested;
    const [row = []] = await connection.run(joinSql("SELECT", ...listed(known.checks(absent))));
    const found = absent.filter((_, index) => Number(row[index]) === 1);
    known.add(found);
    return found.length === 0 ? tested : testWith(known, expression);
  };

  /** The ids that the SQL of an expression finds; undefined without SQL. */
  const findBySql = async (expression: Expression) => {
    const tested = await testWith(new KnownEntries(dialect, userList.customValues), expression);
    if (!tested) return undefined;
    const { text, values } = tested.test;
    const rows = await connection.run({
      text: `SELECT u.id FROM ${dialect.table("users")} u WHERE ${text} ORDER BY u.id`,
      values,
    });
    if (tested.testsIdOnly) expect(text).not.toMatch(/\bu\.(?!id\b)/);
    return rows.map(([id]) => Number(id));
  };

  describe.each([
    ["indexes all values", false],
    ["leaves out the values of some users", true],
  ] as const)("where the index %s", (_, hasOverflow) => {
    test("the SQL of a random expression finds the users that the evaluator finds", async () => {
      const tally = { decided: 0, found: 0, missed: 0 };
      await fc.assert(
        fc.asyncProperty(records, expressions, async (replacements, chosen) => {
          const users = await replaceUsers(replacements, hasOverflow ? { crowd } : {});
          for (const [random, isSimple] of chosen) {
            const expression = isSimple ? simplify(random) : random;
            const found = await findBySql(expression);
            if (!found) continue;
            const matches = compileExpression(expression);
            const expected = users.filter((user) => matches(JSON.parse(JSON.stringify(user))));
            const label = formatExpression(expression);
            expect([label, ...found]).toEqual([label, ...expected.map(({ id }) => id)]);
            tally.decided += 1;
            tally.found += found.length;
            tally.missed += users.length - found.length;
          }
        }),
        { numRuns: 8, endOnFailure: true },
      );
      // Otherwise the random values prove little.
      expect(tally.decided).toBeGreaterThan(hasOverflow ? 10 : 50);
      expect(Math.min(tally.found, tally.missed)).toBeGreaterThan(tally.decided);
    }, 60_000);
  });
});

function listed(columns: readonly Sql[]): (string | Sql)[] {
  return columns.flatMap((column, index) => (index === 0 ? [column] : [",", column]));
}

/** Compares custom fields only with `eq` and `ne`, and has no brackets. */
function simplify(expression: Expression): Expression {
  switch (expression.kind) {
    case "and":
    case "or":
      return { ...expression, operands: expression.operands.map(simplify) };
    case "not":
      return { kind: "not", operand: simplify(expression.operand) };
    case "fits":
    case "same":
      return { kind: "compare", path: [{ name: expression.field }], operator: "ne", value: 3 };
    default: {
      const path = expression.path.map(({ name }) => ({ name }));
      if (path.length === 1 && Object.hasOwn(userListFields, path[0]?.name ?? ""))
        return expression.kind === "element" ? { kind: "present", path } : { ...expression, path };
      if (expression.kind !== "compare") return { kind: "compare", path, operator: "ne", value: 3 };
      return { ...expression, path, operator: expression.operator === "eq" ? "eq" : "ne" };
    }
  }
}

interface RawConnection {
  run(sql: Sql): Promise<unknown[][]>;
  close(): Promise<void>;
}

/** A connection to the database of a store, beside the store. */
function connect(engine: Engine, url: string): RawConnection {
  if (engine === "sqlite") {
    const db = new Database(url, { readonly: true });
    return {
      run: async ({ text, values }) => db.prepare(text).values(...values),
      close: async () => db.close(),
    };
  }
  const sql = new SQL(url, { max: 1, prepare: pooler === "none" });
  return {
    run({ text, values }) {
      const numbered = text.split("?").reduce((start, rest, index) => `${start}$${index}${rest}`);
      return sql
        .unsafe(
          numbered,
          values.map((value) => (value === null ? null : String(value))),
        )
        .values();
    },
    close: () => sql.close(),
  };
}

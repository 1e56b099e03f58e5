import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { findSqliteCorruption } from "../../support/consistency/list-checks.ts";
import { startPostgresBeforeTests } from "../../support/postgres/fresh-database.ts";
import { cleanUp, createDatabase, expectError } from "../support/commands.ts";
import {
  changeSource,
  expectMoved,
  expectSame,
  expectUnserved,
  file,
  fillFile,
  interruptIntoFile,
  MANY,
  move,
  serve,
} from "../support/moves.ts";

setDefaultTimeout(120_000);
startPostgresBeforeTests();
afterEach(cleanUp);

test("a move that is killed continues from PostgreSQL to SQLite", async () => {
  const [one, from] = [file("one.db"), await createDatabase("postgres")];
  await fillFile(one, MANY);
  await expectMoved(one, from);
  const { to, exited } = await interruptIntoFile(from, "SIGKILL");
  expect(exited).toMatchObject({ signal: "SIGKILL" });
  await expectUnserved(to);
  expect(await expectMoved(from, to)).toMatch(/ users +10,000\n/);
  expect(findSqliteCorruption(to, MANY)).toEqual([]);
  await expectSame(await serve(to), await serve(one));
});

test("a source that changes during a move into SQLite is detected, and the next move succeeds", async () => {
  const from = file();
  await fillFile(from, MANY);
  const { to, exited } = await interruptIntoFile(from, "SIGKILL");
  expect(exited).toMatchObject({ signal: "SIGKILL" });
  await changeSource(from);
  expectError(await move(from, to), 1, "stop every program that writes to it, then run this command again");
  await expectUnserved(to);
  await expectMoved(from, to);
  expect(findSqliteCorruption(to, MANY)).toEqual([]);
  await expectSame(await serve(to), await serve(from));
});

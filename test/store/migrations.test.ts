import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { defineMigration, type Migration } from "../../src/store/migration.ts";
import { migrations as onPostgres } from "../../src/store/postgres/migrations/index.ts";
import partsOfPostgres from "../../src/store/postgres/migrations/parts.json" with { type: "json" };
import { migrations as onSqlite } from "../../src/store/sqlite/migrations/index.ts";
import partsOfSqlite from "../../src/store/sqlite/migrations/parts.json" with { type: "json" };
import { startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { partsOnPostgres, partsOnSqlite } from "./support/migrated-parts.ts";

/** A migration that has landed is final: databases have recorded its digest. A new migration gets a line here. */
const digests = {
  sqlite: {
    "0001_initial": "6258ba3fe05458dded9c6608357b38a6e524572f5907c94573de6e571f5768ba",
    "0002_last_backup": "551fc619360eebf0c2cfb23e780e2feed8ecb561989c74b6dae833a839ffbb08",
    "0003_limits": "80b4af42ceb186ee2f002db0c3b3debaf4bbc79b63c2fc96554574f751c2e517",
    "0004_new_events": "22ed289a25f8110f9f9dbafc227826eb556733e0a3208424c107be0d6276e2a5",
    "0005_delivery_details": "0b070f2f3a99368408f3033b06dcca9acce1bc745f63ac30b09d45db07d3effa",
    "0006_user_names": "a2a899b81309cf24b106d968a842e9babac99a9869415e96ffcc028ac729d014",
    "0007_groups": "dc930d63e01cfa637a5d18335f389b9536ad3af28a0285d597c3b85f7bb4e119",
    "0008_memberships": "445d296ed43b99c38bd46bfc7ede5180b7eeff543961749484422ed853cd5789",
    "0009_member_events": "c872c2c013fd52488aff92c93eca08c5ca12f6c514479fab772ff4567a8d8c35",
  },
  postgres: {
    "0001_initial": "0b72dcde1721e33cf168ff9ce2ef8c694c13d38d589d8f516d4499f7da2e4c46",
    "0002_last_backup": "56b67e6db72c23c2a69f9f4f27e41b4a17cd58906dc7c504ffb73bbff8481ae6",
    "0003_limits": "980ec195aed6c1178ed2284462c6a7bbde1c7e09fefbedcf79140689cdd641ff",
    "0004_new_events": "e377c9687f0c776560c76aadc40b224ee2596dba11c10a9ac4cb6d501ac0a6a3",
    "0005_delivery_details": "74362e8224ca37a0f2b5a934fe153a556e96a59f4c9a20566ed60ec5471a6121",
    "0006_user_names": "fb95a7d868ff2d13ed59a693aafe4f2a4a9970eaa92e9f4a3c3051a2972888c0",
    "0007_groups": "ba1f59fb6786817d79c3e806b132b10cc79014ac23a5cafcaacf3ac00b6a34d4",
    "0008_memberships": "9c8cc7655168567a6d74484d7b26725f8a9a19659dea7946d05ca4840c38cc1c",
    "0009_member_events": "ee8dc394cfbf01400ad433a385f45c80165861d9b8dee8df67167e913bb2c740",
  },
} as const;

const engines = [
  ["sqlite", onSqlite],
  ["postgres", onPostgres],
] as const;

describe.each(engines)("the migrations of %s", (engine, migrations) => {
  test("are final", () => {
    expect(Object.fromEntries(migrations.map(({ name, digest }) => [name, digest]))).toEqual(digests[engine]);
  });

  test("are the files of their folder, in order", () => {
    const folder = join(import.meta.dir, `../../src/store/${engine}/migrations`);
    const files = readdirSync(folder).filter((name) => name.endsWith(".sql"));
    expect(migrations.map(({ name }: Migration) => `${name}.sql`)).toEqual(files.sort());
  });
});

test("both engines have the same migrations", () => {
  const names = (migrations: readonly Migration[]) => migrations.map(({ name }) => name);
  expect(names(onPostgres)).toEqual(names(onSqlite));
});

test("the digest of a migration does not depend on the ends of lines", () => {
  expect(defineMigration("0001_a", "one\r\ntwo\r\n")).toEqual(defineMigration("0001_a", "one\ntwo\n"));
});

describe("the tables after each migration are known", () => {
  startPostgresBeforeTests();

  test("on SQLite", () => {
    expect(partsOfSqlite).toMatchObject(partsOnSqlite());
  });

  test("on PostgreSQL", async () => {
    expect(partsOfPostgres).toMatchObject(await partsOnPostgres());
  });
});

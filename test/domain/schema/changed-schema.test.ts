import { beforeEach, describe, expect, test } from "bun:test";
import { anonymousOrigin } from "../../../src/domain/caller.ts";
import { DatabaseUnavailable } from "../../../src/domain/database-unavailable.ts";
import { noSchema, type SchemaStore, type StoredSchema } from "../../../src/domain/schema/schema-store.ts";
import { checkSchema, Schemas } from "../../../src/domain/schema/schemas.ts";

const unavailable = new DatabaseUnavailable("The database does not respond.");
const noValues = { duplicates: [], next: undefined };

/** A store of schemas in memory, without users. */
class MemorySchemaStore implements SchemaStore {
  stored: StoredSchema = noSchema;
  /** What `removeValues` does. */
  remove: () => number = () => 0;

  current = () => this.stored;
  versions = () => [];
  checkUsers = async () => ({ checked: 0, violations: [], next: undefined });
  put = async (json: string) => {
    this.stored = { version: this.stored.version + 1, json, createdAt: 0 };
    return this.stored;
  };
  compareValues = async () => noValues;
  beginUnique = async () => undefined;
  collectValues = async () => noValues;
  cancelUnique = async () => undefined;
  removeValues = async () => this.remove();
}

let store: MemorySchemaStore;
let schemas: Schemas;
beforeEach(() => {
  store = new MemorySchemaStore();
  schemas = new Schemas(store, async () => 0);
});

const put = async (schema: object) =>
  schemas.put(anonymousOrigin, await checkSchema(schema, "test"), undefined, true);
const failWith = (error: Error) => () => {
  throw error;
};
const unique = { properties: { badge: { type: "string", "x-unique": true } } };

describe("a change of the schema after which old values cannot be removed", () => {
  test("returns the new schema if the database is unavailable", async () => {
    store.remove = failWith(unavailable);
    expect(await put({ properties: {} })).toEqual({ version: 1, json: '{"properties":{}}', createdAt: 0 });
  });

  test("returns the new schema if the database becomes unavailable after a field has become unique", async () => {
    store.remove = () => (store.stored === noSchema ? 0 : failWith(unavailable)());
    expect(await put(unique)).toMatchObject({ version: 1, json: JSON.stringify(unique) });
  });

  test("removes the schema if the database is unavailable", async () => {
    await put(unique);
    store.remove = failWith(unavailable);
    await schemas.remove(anonymousOrigin, undefined);
    expect(store.stored).toMatchObject({ version: 2, json: "{}" });
  });

  test("fails with any other error", async () => {
    store.remove = failWith(new Error("The table is gone."));
    await expect(put({ properties: {} })).rejects.toThrow("The table is gone.");
  });
});

test("a schema is not stored if the database is unavailable before", async () => {
  store.remove = failWith(unavailable);
  await expect(put(unique)).rejects.toBe(unavailable);
  expect(store.stored).toBe(noSchema);
});

test("the next change removes the values that could not be removed", async () => {
  store.remove = failWith(unavailable);
  await put({ properties: {} });
  let left = 3;
  store.remove = () => (left > 0 ? left-- : 0);
  await put({ properties: { level: { type: "string" } } });
  expect(left).toBe(0);
});

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { importBody, NDJSON, toNdjson } from "../support/bulk-requests.ts";
import { onEachEngine } from "../support/engines.ts";
import { outcome, startService, type TestService } from "../support/service.ts";

setDefaultTimeout(60_000);

const fields = (count: number, prefix = "f") =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, i]));

onEachEngine((engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({}, engine);
  });
  afterAll(() => service.stop());

  const rejected = (detail: string) => ({
    status: 422,
    type: "invalid-user",
    problem: { errors: [{ pointer: "", detail }] },
  });
  const tooMany = (count: number, limit = 256) =>
    rejected(`The record has ${count} fields. The limit is ${limit} fields.`);

  test("a record can have 256 fields, and each can be filtered by", async () => {
    const { users } = service.roster;
    const user = await users.create({ name: "Full", ...fields(255) });
    expect((await users.list({ where: { f254: 254 } }).all()).map(({ id }) => id)).toEqual([user.id]);
    // The fields that the service adds do not count.
    expect(await users.replace(user.id, user)).toEqual(user);
  });

  test("422 invalid-user: a create, a PUT or a PATCH that gives a record more fields", async () => {
    const { users } = service.roster;
    await expect(users.create({ name: "Over", ...fields(256) })).rejects.toMatchObject(tooMany(257));
    await expect(users.create({ name: "Far", ...fields(2300) })).rejects.toMatchObject(tooMany(2301));
    const { id } = await users.create({ name: "Grows", ...fields(200) });
    await expect(users.replace(id, { name: "Put", ...fields(256) })).rejects.toMatchObject(tooMany(257));
    await expect(users.update(id, fields(60, "g"))).rejects.toMatchObject(
      rejected("The record would have more than 256 fields."),
    );
    expect(await users.update(id, { ...fields(55, "g"), f0: null })).toMatchObject({ g54: 54, version: 2 });
  });

  test("a line of an import with more fields is rejected alone", async () => {
    const body = toNdjson([
      { name: "Over", ...fields(256) },
      { name: "Fits", ...fields(255) },
    ]);
    const { lines } = await importBody(service, NDJSON, body);
    expect(lines.map(({ status }) => status)).toEqual([422, 201]);
  });

  test("the limit is a setting", async () => {
    const strict = await startService({ fieldLimit: 16 }, engine);
    try {
      expect(await outcome(strict.roster.users.create({ name: "Fits", ...fields(15) }))).toBe("done");
      const create = strict.roster.users.create({ name: "Over", ...fields(16) });
      await expect(create).rejects.toMatchObject(tooMany(17, 16));
    } finally {
      await strict.stop();
    }
  });
});

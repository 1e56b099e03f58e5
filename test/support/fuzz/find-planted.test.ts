import { expect, test } from "bun:test";
import { databaseOn, onEachEngine } from "../engines.ts";
import { startServiceOn } from "../service.ts";
import { findPlanted } from "./find-planted.ts";
import { PLANTED_SECRET } from "./planted-secret.ts";

onEachEngine((engine) => {
  test("a password is found wherever a database has it, and nowhere else", async () => {
    const database = await databaseOn(engine);
    const service = await startServiceOn(database.url);
    await service.roster.users.create({ name: "Ada" });
    expect(await findPlanted(engine, database.url)).toEqual([]);
    await service.roster.users.create({ name: "Grace", note: PLANTED_SECRET });
    expect(await findPlanted(engine, database.url)).not.toEqual([]);
    await service.stop();
    await database.drop();
  });
});

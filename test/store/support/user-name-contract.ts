import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ImportOptions } from "../../../src/contract/bulk/bulk.ts";
import type { Json } from "../../../src/contract/json.ts";
import type { ProblemData } from "../../../src/domain/problem-error.ts";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import type { Store } from "../../../src/domain/store.ts";
import type { OpenStore, StoreUnderTest } from "./store-under-test.ts";

type Fields = { [field: string]: Json };

/** What every engine must do with user names, between nodes too. */
export function userNameContract(engine: string, open: OpenStore): void {
  describe(`${engine}: user names`, () => {
    let opened: StoreUnderTest;
    let store: Store;
    /** Another node. */
    let other: Store;
    beforeAll(async () => {
      opened = await open();
      [store, other] = [opened.store, await opened.openAnother()];
    });
    afterAll(async () => {
      await other.close();
      await opened.destroy();
    });

    /** Returns the id, or the problem with its pointer. */
    const create = async (node: Store, fields: Fields) =>
      describeOutcome(async () => {
        const { outcome } = await node.users.create({ record: { name: "Ada", ...fields } });
        if ("problem" in outcome) throw ProblemError.of(outcome.problem);
        return outcome.user.id;
      });
    const createdId = async (fields: Fields) => Number(await create(store, fields));
    const edit = (node: Store, id: number, merge: Fields) =>
      describeOutcome(async () => (await node.users.edit(id, { merge })).version);
    const find = async (name: string) => (await store.users.find([], [name])).map(({ id }) => id);
    const importLines = async (lines: readonly Fields[], options: ImportOptions, isDryRun = false) => {
      const json = lines.map((line) => ({ json: JSON.stringify(line) }));
      const { results } = isDryRun
        ? await store.users.startDryRun().import(json, undefined, undefined, options)
        : await store.users.import(json, undefined, undefined, options);
      return results.map((user) => ("problem" in user ? describeProblem(user.problem) : user));
    };

    test("compete with the emails of users without one, in any case", async () => {
      const ada = await createdId({ email: "ada@names.org" });
      const bo = await createdId({ email: "bo@names.org", userName: "Bo@Names" });
      expect(await create(other, { email: "ADA@names.org", userName: "Other" })).toBe("email-taken /email");
      expect(await create(other, { userName: "ADA@names.org" })).toBe("value-taken /userName");
      expect(await create(other, { email: "new@names.org", userName: "BO@names" })).toBe(
        "value-taken /userName",
      );
      expect(await create(other, { email: "bo@names" })).toBe("value-taken /email");
      // Nobody has this email as a user name.
      const named = await createdId({ userName: "bo@names.org" });
      expect(await edit(other, bo, { userName: null })).toBe("value-taken /email");
      expect(await edit(other, named, { userName: "ada@NAMES.org" })).toBe("value-taken /userName");
      expect(await edit(other, ada, { email: "Bo@names" })).toBe("value-taken /email");
      expect(await edit(other, named, { userName: "Ada" })).toBe(2);
      expect(await edit(other, bo, { userName: null })).toBe(2);
      expect([await find("ada"), await find("bo@names"), await find("bo@names.org")]).toEqual([
        [named],
        [],
        [bo],
      ]);
    });

    test("compete in every script", async () => {
      await createdId({ userName: "Straße" });
      expect(await create(other, { userName: "STRASSE" })).toBeNumber();
      expect(await create(other, { userName: "STRAßE" })).toBe("value-taken /userName");
      await createdId({ userName: "\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2" });
      expect(await create(other, { userName: "\u03c3\u03af\u03c3\u03c5\u03c6\u03bf\u03c3" })).toBe(
        "value-taken /userName",
      );
      await createdId({ userName: "Ange\u0301la" });
      expect(await create(other, { userName: "ang\u00c9la" })).toBe("value-taken /userName");
    });

    test("go to one of many concurrent creates and changes on two nodes", async () => {
      const nodes = [store, other];
      const ids = await Promise.all(Array.from({ length: 10 }, () => createdId({})));
      const creates = Array.from({ length: 20 }, (_, index) =>
        create(nodes[index % 2] ?? store, index % 3 === 0 ? { email: "race" } : { userName: "Race" }),
      );
      const edits = ids.map((id, index) => edit(nodes[index % 2] ?? store, id, { userName: "RACE" }));
      const outcomes = await Promise.all([...creates, ...edits]);
      expect(outcomes.filter((outcome) => typeof outcome === "number")).toHaveLength(1);
      const allowed = ["email-taken /email", "value-taken /email", "value-taken /userName"];
      expect(allowed).toEqual(expect.arrayContaining(outcomes.filter((each) => typeof each === "string")));
      expect(await find("race")).toHaveLength(1);
    });

    test("are free when their user is deleted, renamed or gets another email", async () => {
      const first = await createdId({ userName: "Free" });
      await store.users.remove(first);
      const second = await createdId({ userName: "Free" });
      expect(await describeOutcome(() => store.deletedUsers.restore(first))).toBe("value-taken /userName");
      expect(await describeOutcome(() => store.deletedUsers.restore(first, { userName: "FREE" }))).toBe(
        "value-taken /userName",
      );
      const restored = await store.deletedUsers.restore(first, { userName: null });
      expect(JSON.parse(restored.json)).not.toHaveProperty("userName");
      expect(await edit(store, second, { userName: "Renamed" })).toBe(2);
      expect(await edit(store, first, { userName: "free" })).toBe(3);
      const third = await createdId({ email: "third@names.org" });
      expect(await edit(store, third, { email: "fourth@names.org" })).toBe(2);
      expect(await create(store, { userName: "third@names.org" })).toBeNumber();
    });

    test("change places in one import, and in one batch with other writes", async () => {
      const [a, b] = [await createdId({ userName: "Left" }), await createdId({ userName: "Right" })];
      const swap = [
        { id: a, userName: "Between" },
        { id: b, userName: "Left" },
        { id: a, userName: "Right" },
      ];
      expect(await importLines(swap, { onConflict: "update", match: "id" }, true)).toEqual(
        await importLines(swap, { onConflict: "update", match: "id" }),
      );
      expect([await find("left"), await find("right"), await find("between")]).toEqual([[b], [a], []]);
      const [removed, created] = await Promise.all([
        store.users.remove(a),
        create(store, { email: "right" }),
        edit(store, b, { userName: "Middle" }),
        create(store, { userName: "LEFT" }),
      ]);
      expect([removed, typeof created]).toEqual([undefined, "number"]);
      expect(await find("left")).toHaveLength(1);
    });

    test("find the users of an import, whether they come from the email or not", async () => {
      const byEmail = await createdId({ email: "found@names.org" });
      const byName = await createdId({ email: "hidden@names.org", userName: "Found" });
      const lines = [
        { userName: "FOUND@names.org", title: "1" },
        { userName: "found", email: "hidden2@names.org", title: "2" },
        { email: "Found@names.org", title: "3" },
        // The email of a user who has another user name does not find it.
        { name: "New", email: "hidden@names.org" },
        { name: "Newer", userName: "hidden@names.org" },
        { name: "Nameless" },
        { name: "Taken", email: "hidden2@names.org", userName: "not-taken" },
      ];
      const options: ImportOptions = { onConflict: "update", match: "userName" };
      const dry = await importLines(lines, options, true);
      const outcomes = await importLines(lines, options);
      const known = (list: typeof dry) =>
        list.map((each) => {
          if (typeof each === "string") return each;
          if (each.created) return "created";
          return each.id === byEmail || each.id === byName ? each.id : "existing";
        });
      expect(known(outcomes)).toEqual([
        ...[byEmail, byName, byEmail],
        ...["created", "existing", "created", "email-taken /email"],
      ]);
      expect(known(dry)).toEqual(known(outcomes));
      expect(JSON.parse((await store.users.find([byEmail], []))[0]?.json ?? "")).toMatchObject({
        title: "3",
      });
      const skipped = await importLines([{ name: "Skip", userName: "fOuNd" }], {
        onConflict: "skip",
        match: "userName",
      });
      expect(skipped).toEqual([{ created: false, id: byName }]);
      const failed = await importLines([{ name: "Fail", userName: "fOuNd" }], {
        onConflict: "fail",
        match: "userName",
      });
      expect(failed).toEqual(["value-taken /userName"]);
    });

    test("of a replaced user go with the replacement", async () => {
      const id = await createdId({ email: "put@names.org", userName: "Put" });
      await createdId({ userName: "PUT@names.org" });
      const replace = (fields: Fields) =>
        describeOutcome(
          async () => (await store.users.edit(id, { replace: { name: "Put", ...fields } })).version,
        );
      expect(await replace({ email: "put@names.org" })).toBe("value-taken /email");
      expect(await replace({})).toBe(2);
      expect(await create(store, { userName: "put" })).toBeNumber();
    });
  });
}

/** The result, or the type of the problem with the pointer of its error. */
async function describeOutcome<T>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProblemError) return describeProblem(error.data);
    throw error;
  }
}

function describeProblem({ type, errors = [] }: ProblemData): string {
  return [type, ...errors.map((error) => ("pointer" in error ? error.pointer : ""))].join(" ");
}

import { expect, test } from "bun:test";
import { readFields } from "../../src/cli/flags/record-flags.ts";
import { toUserInput } from "../../src/cli/flags/user-flags.ts";
import { userKind } from "../../src/cli/records/record-kind.ts";

test("names, emails and user names are text, and other values are JSON if they can be", async () => {
  const words = ["name=7", "email=1@x", "userName=007", "level=3", "tags=[1]", "scim={}", "note=null"];
  expect(await readFields(userKind, words, process)).toEqual({
    ...{ name: "7", email: "1@x", userName: "007", level: 3, tags: [1], scim: {}, note: null },
  });
  expect(await readFields(userKind, ["userName=true"], process)).toEqual({ userName: "true" });
});

test("null is no email and no user name", async () => {
  const fields = await readFields(userKind, ["name=null", "email=null", "userName=null"], process);
  expect(toUserInput(fields)).toEqual({ name: "null", email: null, userName: null });
});

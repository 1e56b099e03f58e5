import { expect, test } from "bun:test";
import { mountConsole } from "./support/dom/mount-console.ts";

/** The globals of the process with their values. */
const globals = () =>
  new Map(
    Reflect.ownKeys(globalThis).map((name) => [name, Reflect.getOwnPropertyDescriptor(globalThis, name)]),
  );

test("the console without a browser shows a view, and leaves the globals of the process as they are", async () => {
  const before = globals();
  {
    await using mounted = await mountConsole();
    await mounted.page.getByRole("heading", { name: "No users yet" }).waitFor();
    expect(mounted.errors).toEqual([]);
  }
  expect(globals()).toEqual(before);
  expect("document" in globalThis).toBe(false);
});

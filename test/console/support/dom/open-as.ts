import type { Scope } from "../../../../src/client/index.ts";
import type { ServiceWithKeys } from "../service-with-keys.ts";
import { mountConsole } from "./mount-console.ts";

/** Opens the console and signs in with a new key that has these scopes. */
export async function openAs({ roster, service }: ServiceWithKeys, scopes: readonly Scope[], path: string) {
  const { key } = await roster.keys.create({ name: scopes.join(" "), scopes: [...scopes] });
  const opened = await mountConsole({ service, path });
  await opened.page.getByLabel("Key", { exact: true }).fill(key);
  await opened.page.getByRole("button", { name: "Sign in", exact: true }).click();
  await opened.page.getByRole("navigation", { name: "Views" }).waitFor();
  return { ...opened, key, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

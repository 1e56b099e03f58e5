import { createReadStream } from "node:fs";
import { join } from "node:path";
import { SourceImport } from "../../../../src/cli/sources/source-import.ts";
import { type SourceName, sources } from "../../../../src/cli/sources/sources.ts";
import { root } from "../../../support/paths.ts";
import { fakeScreen } from "../../support/fake-screen.ts";

export async function openSource(
  from: SourceName,
  names: Record<string, string> = {},
): Promise<SourceImport> {
  return new SourceImport(await sources[from](), new Map(Object.entries(names)));
}

/** The users that the import would send. */
export async function readUsers(source: SourceImport, bytes: AsyncIterable<Uint8Array>) {
  const text = (await Array.fromAsync(source.read(bytes))).join("");
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}

export async function* once(text: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof text === "string" ? Buffer.from(text) : text;
}

export const fixture = (name: string) => createReadStream(join(root, "test/commands/exports", name));

/** The lines of the report. */
export function printReport(source: SourceImport): string[] {
  const { screen, written } = fakeScreen(false);
  source.leftOut.print(screen);
  return written.join("").split("\n");
}

import { createReadStream } from "node:fs";
import { join } from "node:path";
import type { ExportedGroups } from "../../../../src/cli/sources/exported-groups.ts";
import { SourceImport } from "../../../../src/cli/sources/source-import.ts";
import { type SourceName, sources } from "../../../../src/cli/sources/sources.ts";
import { root } from "../../../support/paths.ts";
import { fakeScreen } from "../../support/fake-screen.ts";

export async function openSource(
  from: SourceName,
  names: Record<string, string> = {},
  options: { readonly withGroups?: boolean } = {},
): Promise<SourceImport> {
  return new SourceImport(await sources[from](), new Map(Object.entries(names)), options);
}

/** The users that the import would send. */
export async function readUsers(source: SourceImport, bytes: AsyncIterable<Uint8Array>) {
  const text = (await Array.fromAsync(source.read(bytes))).join("");
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}

/** The groups that the import would send, each with the lines of its users. */
export function membersOf(groups: ExportedGroups, { flatten = false } = {}): Record<string, number[]> {
  return Object.fromEntries(
    groups.select({ flatten }).selected.map((index) => {
      const lines = [...groups.graph.membersOf(index, { nested: flatten })];
      return [groups.all[index]?.name ?? "", lines.sort((one, other) => one - other)];
    }),
  );
}

/** The groups in a text. */
export async function readGroups(from: SourceName, text: string): Promise<ExportedGroups> {
  const source = await openSource(from);
  await readUsers(source, once(text));
  if (!source.groups) throw new Error(`Exports of ${from} have no groups.`);
  return source.groups;
}

export async function* once(text: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof text === "string" ? Buffer.from(text) : text;
}

export const fixture = (name: string) => createReadStream(join(root, "test/commands/exports", name));

/** The lines of the report. */
export function printReport(source: Pick<SourceImport, "leftOut">): string[] {
  const { screen, written } = fakeScreen(false);
  source.leftOut.print(screen);
  return written.join("").split("\n");
}

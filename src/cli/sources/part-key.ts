import { createHash } from "node:crypto";

/** The key of one import of these lines, in a command with this key. Other lines are another import. */
export function keyOfPart(part: "groups" | "emails", key: string, lines: readonly string[]): string {
  const hash = createHash("sha256").update(`${key}\n`);
  for (const line of lines) hash.update(line);
  return `${part}-${hash.digest("hex")}`;
}

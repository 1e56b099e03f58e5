import { redactSecrets } from "../../../src/contract/keys/key-secret.ts";
import { PLANTED_SECRET } from "./planted-secret.ts";

/** Finds errors and secrets in the lines of a log. */
export function judgeLog(lines: readonly string[]): string[] {
  return lines.flatMap((line) => [
    ...(line.includes('"level":"error"') ? [`logged: ${line}`] : []),
    ...(line.includes(PLANTED_SECRET) || redactSecrets(line) !== line ? [`logged a secret: ${line}`] : []),
  ]);
}

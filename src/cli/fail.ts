import { paint } from "./output/colour.ts";
import { printable } from "./output/printable.ts";

/** Ends the process with an error message, on one line even if it quotes a value with line breaks. */
export function fail(message: string, code: number): never {
  const line = printable(message.replace(/[\r\n]+/g, " "));
  process.stderr.write(`${paint(process.stderr, "red", "roster:")} ${line}\n`);
  process.exit(code);
}

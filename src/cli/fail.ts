import { paint } from "./output/colour.ts";
import { printable } from "./output/printable.ts";

/** Ends the process with one line, whatever the value was that it quotes. */
export function fail(message: string, code: number): never {
  const line = printable(message.replace(/[\r\n]+/g, " "));
  process.stderr.write(`${paint(process.stderr, "red", "roster:")} ${line}\n`);
  process.exit(code);
}

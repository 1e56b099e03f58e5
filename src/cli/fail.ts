import { paint } from "./output/colour.ts";
import { print } from "./output/print.ts";
import { printable } from "./output/printable.ts";
import { stderr } from "./output/screen.ts";

/**
 * Ends the process with an error message. In a pipe it is one line, even if it quotes a value with line breaks. `excerpt`
 * has further lines.
 */
export function fail(message: string, code: number, excerpt = ""): never {
  const line = printable(message.replace(/[\r\n]+/g, " "));
  print(stderr, `${paint(stderr, "red", "roster:")} ${line}`);
  stderr.write(excerpt);
  process.exit(code);
}

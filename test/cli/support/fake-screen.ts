import type { Screen } from "../../../src/cli/command.ts";

/** A screen without colours that records everything it shows. */
export function fakeScreen(isTTY: boolean, columns?: number): { screen: Screen; written: string[] } {
  const written: string[] = [];
  const screen = {
    write: (text: string | Uint8Array) =>
      written.push(typeof text === "string" ? text : new TextDecoder().decode(text)) > 0,
    rewriteLine: (text: string) => written.push(`\r${text}\u001b[K`),
    drained: () => Promise.resolve(),
    hasColors: () => false,
    isTTY,
    columns,
  };
  return { screen, written };
}

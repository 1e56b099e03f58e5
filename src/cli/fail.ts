/** Ends the process with one line, whatever the value was that it quotes. */
export function fail(message: string, code: number): never {
  process.stderr.write(`roster: ${message.replace(/[\r\n]+/g, " ")}\n`);
  process.exit(code);
}

import { switchFlag } from "./switch-flag.ts";

/** The positional argument FILE of a command. */
export function fileFlag(about: string) {
  return { flag: "file", form: "word", takes: "the path of a file", about, parse: parsePath } as const;
}

/** For commands that write FILE. */
export const forceFlag = switchFlag(
  "force",
  "Overwrite an existing file. Without this option, the exit code is 4 if the file exists.",
);

function parsePath(text: string): string {
  if (text === "" || text.includes("\u0000") || /^[a-z]{2,}:/i.test(text)) throw new RangeError(text);
  return text;
}

import { forceFlag } from "./file-flag.ts";
import { formatFlag } from "./format-flag.ts";

/** Flags that say what an export writes to. */
export const exportFlags = {
  file: {
    flag: "file",
    form: "word",
    default: "-",
    takes: "the path of a file, or -",
    about: "The file to write. Default: stdout.",
    parse: (text: string) => text,
  },
  format: formatFlag,
  force: forceFlag,
} as const;

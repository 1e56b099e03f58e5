import type { Flag } from "../../config/flag.ts";
import { forceFlag } from "./file-flag.ts";
import { formatFlag } from "./format-flag.ts";

export const exportFileFlag = {
  flag: "file",
  form: "word",
  default: "-",
  takes: "the path of a file, or -",
  about: "The file to write. Default: stdout.",
  parse: (text) => text,
} as const satisfies Flag<string>;

/** Flags that say how an export writes its file. */
export const exportFlags = { format: formatFlag, force: forceFlag } as const;

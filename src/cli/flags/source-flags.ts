import type { Flag } from "../../config/flag.ts";
import { isSourceName, type SourceName, sourceNames } from "../sources/sources.ts";
import { switchFlag } from "./switch-flag.ts";

/** Flags of an import from another system. */
export const sourceFlags = {
  from: {
    flag: "from",
    default: "",
    choices: sourceNames,
    takes: sourceNames.join(", "),
    about: "Read the export of another system. See docs/migrating.md.",
    parse: parseSource,
  },
  collection: {
    flag: "collection",
    default: "",
    takes: "the name of an array in the export",
    about: "With --from: the array with the users, if it does not have its usual name.",
    parse: (text: string) => text,
  },
  flatten: switchFlag(
    "flatten",
    "With --from: import groups in groups, too. The users in such a group become members of the groups around it.",
  ),
  noGroups: switchFlag("no-groups", "With --from: import users only, and no groups and memberships."),
  showMapping: switchFlag("show-mapping", "With --from: show what becomes what, and import nothing."),
} as const satisfies Record<string, Flag<unknown>>;

function parseSource(text: string): SourceName | undefined {
  if (text === "") return undefined;
  if (!isSourceName(text)) throw new RangeError(text);
  return text;
}

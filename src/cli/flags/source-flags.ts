import type { Flag } from "../../config/flag.ts";
import {
  type GroupSourceName,
  groupSourceNames,
  isGroupSourceName,
  isSourceName,
  type SourceName,
  sourceNames,
} from "../sources/sources.ts";
import { switchFlag } from "./switch-flag.ts";

const flatten = switchFlag(
  "flatten",
  "With --from: import groups in groups, too. The users in such a group become members of the groups around it.",
);
const showMapping = switchFlag("show-mapping", "With --from: show what becomes what, and import nothing.");

/** Flags of an import from another system. */
export const sourceFlags = {
  from: {
    flag: "from",
    default: "",
    choices: sourceNames,
    takes: sourceNames.join(", "),
    about: "Read the export of another system. See docs/migrating.md.",
    parse: (text: string) => parseOptional<SourceName>(text, isSourceName),
  },
  collection: {
    flag: "collection",
    default: "",
    takes: "the name of an array in the export",
    about: "With --from: the array with the users, if it does not have its usual name.",
    parse: (text: string) => text,
  },
  flatten,
  noGroups: switchFlag("no-groups", "With --from: import users only, and no groups and memberships."),
  showMapping,
} as const satisfies Record<string, Flag<unknown>>;

/** Flags of an import of groups from another system. */
export const groupSourceFlags = {
  from: {
    flag: "from",
    default: "",
    choices: groupSourceNames,
    takes: groupSourceNames.join(", "),
    about: "Read the groups in an export of another system, after its users. See docs/migrating.md.",
    parse: (text: string) => parseOptional<GroupSourceName>(text, isGroupSourceName),
  },
  flatten,
  showMapping,
} as const satisfies Record<string, Flag<unknown>>;

function parseOptional<Name extends string>(
  text: string,
  isName: (candidate: string) => candidate is Name & string,
): Name | undefined {
  if (text === "") return undefined;
  if (!isName(text)) throw new RangeError(text);
  return text;
}

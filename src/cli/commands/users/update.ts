import { ConfigError, readFlags } from "../../../config/config.ts";
import { changeMany, changeMatches } from "../../bulk-change.ts";
import type { Command } from "../../command.ts";
import { userOutputFlags } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { switchFlag } from "../../flags/switch-flag.ts";
import { readTarget, targetFlags } from "../../flags/target-flags.ts";
import {
  fieldsFlag,
  idsFlag,
  parseIds,
  readFields,
  toUserPatch,
  versionFlag,
} from "../../flags/user-flags.ts";
import { printChangedUser } from "../../output/print-users.ts";

const flags = {
  // The arguments before the first field. Without ids, this is the first field.
  id: { ...idsFlag, form: "word", default: "", parse: (text: string) => text },
  fields: fieldsFlag,
  ...targetFlags,
  yes: switchFlag("yes", "Do not ask for confirmation of --where and --filter. Required without a terminal."),
  version: versionFlag,
  ...userOutputFlags,
  ...serviceFlags,
} as const;

export const update: Command = {
  flags,
  description: `FIELD=null removes a field. Values are parsed as in roster users create.

With several ids, or with --where or --filter, one call changes all users, and prints those that could not be changed. With
--where or --filter, the command counts the users that match both, and asks for confirmation. --where finds the same users as
in roster users list, or the command changes nothing.`,
  examples: [
    "roster users update 7 department=research level=4",
    "roster users update 7 email=null --if-version 3",
    "roster users update 7 8 9 plan=pro",
    "roster users update --where department=sales plan=pro",
    `roster users update --filter 'level lt 3 and not (plan pr)' plan=free --yes`,
    `echo '{"address": {"city": "London"}}' | roster users update 7 -`,
  ],

  async run(args, context) {
    const { id, fields, where, filter, yes, version, output, columns, ...service } = readFlags(
      flags,
      args,
      context.env,
      "roster users update --help",
    );
    const { ids, rest } = splitIds([id, ...fields].filter((word) => word !== ""));
    const [only, ...more] = ids;
    const target = readTarget(ids, { where, filter });
    const isBulk = target !== undefined || more.length > 0;
    if (isBulk && (output ?? columns ?? version) !== undefined) {
      throw new ConfigError("--output, --columns and --if-version are for a single user.");
    }
    const patch = toUserPatch(await readFields(rest, context));
    const { users } = openClient(service, context.env);
    if (target) return await changeMatches(users, target, { patch }, yes, context);
    if (only === undefined || isBulk) return await changeMany(users, { ids, patch }, ids.length, context);
    const options = version === undefined ? {} : { ifMatch: version };
    const user = await users.update(only, patch, options);
    await printChangedUser(context.stdout, only, user, { output, columns });
  },
};

/** The words before the first field are ids. */
function splitIds(words: readonly string[]): { ids: readonly number[]; rest: readonly string[] } {
  const firstField = words.findIndex((word) => word === "-" || word.includes("="));
  const count = firstField < 0 ? words.length : firstField;
  return { ids: parseIds(words.slice(0, count)), rest: words.slice(count) };
}

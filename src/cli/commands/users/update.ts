import { ConfigError, readFlags } from "../../../config/config.ts";
import { changeIds, changeMatches, joining, patching, type UserChange } from "../../bulk-change.ts";
import type { Command } from "../../command.ts";
import { findGroupId } from "../../find-group.ts";
import { optionalGroupFlag } from "../../flags/group-flags.ts";
import { oneRecordOutputFlags } from "../../flags/output-flag.ts";
import { fieldsFlag, readFields, versionFlag } from "../../flags/record-flags.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { switchFlag } from "../../flags/switch-flag.ts";
import { readTarget, targetFlags } from "../../flags/target-flags.ts";
import { idsFlag, parseIds, toUserPatch } from "../../flags/user-flags.ts";
import { printChangedRecord } from "../../output/print-records.ts";
import { userKind } from "../../records/record-kind.ts";

const flags = {
  // The arguments before the first field. Without ids, this is the first field.
  id: { ...idsFlag, form: "word", default: "", parse: (text: string) => text },
  fields: fieldsFlag,
  ...targetFlags,
  yes: switchFlag("yes", "Do not ask for confirmation of --where and --filter. Required without a terminal."),
  addToGroup: optionalGroupFlag(
    "add-to-group",
    "Instead of fields: make the users members of this group, by its id or its name.",
  ),
  removeFromGroup: optionalGroupFlag(
    "remove-from-group",
    "Instead of fields: end the memberships of the users in this group.",
  ),
  version: versionFlag(userKind),
  ...oneRecordOutputFlags,
  ...serviceFlags,
} as const;

export const update: Command = {
  flags,
  description: `FIELD=null removes a field. Values are parsed as in roster users create.

With several ids, or with --where or --filter, one call changes all users, and prints those that could not be changed. With
--where or --filter, the command counts the users that match both, and asks for confirmation. --where finds the same users as
in roster users list, or the command changes nothing.

--add-to-group and --remove-from-group change members of a group instead of fields. A user that is a member already, or was not,
is not an error.`,
  examples: [
    "roster users update 7 department=research level=4",
    "roster users update 7 email=null --if-version 3",
    "roster users update 7 8 9 plan=pro",
    "roster users update --where department=sales plan=pro",
    "roster users update --where department=sales --add-to-group sales",
    `roster users update --filter 'level lt 3 and not (plan pr)' plan=free --yes`,
    `echo '{"address": {"city": "London"}}' | roster users update 7 -`,
  ],

  async run(args, context) {
    const {
      id,
      fields,
      where,
      filter,
      yes,
      addToGroup,
      removeFromGroup,
      version,
      output,
      columns,
      ...service
    } = readFlags(flags, args, context.env, "roster users update --help");
    const { ids, rest } = splitIds([id, ...fields].filter((word) => word !== ""));
    const [only, ...more] = ids;
    const target = readTarget(ids, { where, filter });
    const group = addToGroup ?? removeFromGroup;
    const isBulk = target !== undefined || group !== undefined || more.length > 0;
    if (isBulk && (output ?? columns ?? version) !== undefined) {
      throw new ConfigError("--output, --columns and --if-version are for the fields of a single user.");
    }
    if (group !== undefined && (rest.length > 0 || (addToGroup && removeFromGroup))) {
      throw new ConfigError("Use fields, --add-to-group or --remove-from-group: one of them.");
    }
    const client = openClient(service, context.env);
    const { users } = client;
    const apply = (change: UserChange) =>
      target
        ? changeMatches(users, { target, change, yes }, context)
        : changeIds(users, ids, change, context);
    if (group) {
      const kind = addToGroup ? "addToGroup" : "removeFromGroup";
      return await apply(joining(kind, await findGroupId(client, group), group.text));
    }
    const patch = toUserPatch(await readFields(userKind, rest, context));
    if (only === undefined || isBulk) return await apply(patching(patch));
    const record = await users.update(only, patch, version === undefined ? {} : { ifMatch: version });
    await printChangedRecord(context.stdout, { kind: userKind, id: only, record }, { output, columns });
  },
};

/** The words before the first field are ids. */
function splitIds(words: readonly string[]): { ids: readonly number[]; rest: readonly string[] } {
  const firstField = words.findIndex((word) => word === "-" || word.includes("="));
  const count = firstField < 0 ? words.length : firstField;
  return { ids: parseIds(words.slice(0, count)), rest: words.slice(count) };
}

import { ApiError, type Client, type User } from "../../../client/index.ts";
import { ConfigError, readFlags } from "../../../config/config.ts";
import { changeMany, changeMatches } from "../../bulk-change.ts";
import type { Command, CommandContext } from "../../command.ts";
import { describeError } from "../../describe-error.ts";
import { exitCodes } from "../../exit-codes.ts";
import { fail } from "../../fail.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { switchFlag } from "../../flags/switch-flag.ts";
import { readTarget, targetFlags } from "../../flags/target-flags.ts";
import { idsFlag, versionFlag } from "../../flags/user-flags.ts";
import { formatCount } from "../../output/format-count.ts";
import { print, printSuccess } from "../../output/print.ts";
import { describeUser } from "../../output/print-users.ts";
import { printable } from "../../output/printable.ts";
import { confirm } from "../../prompt.ts";

const flags = {
  ids: idsFlag,
  ...targetFlags,
  version: versionFlag,
  yes: switchFlag("yes", "Do not ask for confirmation. Required without a terminal."),
  ...serviceFlags,
} as const;

/** A user to delete, if it still has this version. */
interface VersionedUser {
  readonly id: number;
  readonly version: number | undefined;
}

export const remove: Command = {
  flags,
  description: `Asks for confirmation, and deletes each user only if it has not changed since. Ids are never reused. The exit code is
3 if a single user does not exist, and 1 if you answer no, or if only some of several users could be deleted.

With --where or --filter, the command counts the users that match both, asks for confirmation, and deletes all of them in
one call. --where finds the same users as in roster users list, or the command deletes nothing.`,
  examples: [
    "roster users delete 7",
    "roster users delete 7 8 9 --yes",
    "roster users delete 7 --yes --if-version 3",
    "roster users delete --where plan=trial",
    `roster users delete --filter 'plan eq "trial" and not (email pr)' --yes`,
  ],

  async run(args, context) {
    const { ids, where, filter, version, yes, ...service } = readFlags(
      flags,
      args,
      context.env,
      "roster users delete --help",
    );
    const target = readTarget(ids, { where, filter });
    if (version !== undefined && ids.length !== 1) throw new ConfigError("--if-version takes only one ID.");
    const { users } = openClient(service, context.env);
    if (target) return await changeMatches(users, target, { delete: true }, yes, context);
    if (yes && ids.length > 1) {
      return await changeMany(users, { ids, delete: true }, ids.length, context);
    }
    const targets = ids.map((id): VersionedUser => ({ id, version }));
    const confirmed = yes ? targets : await confirmVersions(users, targets, context);
    const failed = await deleteAll(users, confirmed, context);
    if (failed > 0) {
      fail(`Deleted ${ids.length - failed} of ${formatCount(ids.length, "user")}.`, exitCodes.failed.code);
    }
    const what = ids.length === 1 ? `user ${ids[0]}` : formatCount(ids.length, "user");
    printSuccess(context.stderr, `Deleted ${what}.`);
  },
};

/** Asks for confirmation, and returns the users in the versions that the prompt showed. */
async function confirmVersions(
  users: Client["users"],
  targets: readonly VersionedUser[],
  context: CommandContext,
): Promise<VersionedUser[]> {
  const shown: User[] = [];
  for (const { id } of targets) shown.push(await users.get(id));
  const [only, ...more] = shown;
  if (only && more.length === 0) await confirm(context, `Delete ${describeUser(only)}?`);
  else {
    if (context.stderr.isTTY) for (const user of shown) print(context.stderr, `  ${describeUser(user)}`);
    await confirm(context, `Delete these ${shown.length} users?`);
  }
  return shown.map((user, index) => ({ id: user.id, version: targets[index]?.version ?? user.version }));
}

/** Deletes users and prints those that could not be deleted. Returns their number. With a single user, throws its error. */
async function deleteAll(
  users: Client["users"],
  targets: readonly VersionedUser[],
  { stderr }: CommandContext,
): Promise<number> {
  let failed = 0;
  for (const { id, version } of targets) {
    try {
      await users.delete(id, version === undefined ? {} : { ifMatch: version });
    } catch (error) {
      const onlyThisUser = error instanceof ApiError && [404, 409, 412].includes(error.status);
      if (targets.length === 1 || !onlyThisUser) throw error;
      failed++;
      print(stderr, printable(describeError(error)));
    }
  }
  return failed;
}

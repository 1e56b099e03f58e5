import { text as readAll } from "node:stream/consumers";
import { ConfigError, readFlags } from "../config/config.ts";
import { membershipLimits } from "../contract/groups/group.ts";
import type { Command } from "./command.ts";
import { findGroupId } from "./find-group.ts";
import { groupFlag } from "./flags/group-flags.ts";
import { versionFlag } from "./flags/record-flags.ts";
import { openClient, serviceFlags } from "./flags/service-flags.ts";
import { idsFlag, parseIds } from "./flags/user-flags.ts";
import { formatCount } from "./output/format-count.ts";
import { print, printSuccess } from "./output/print.ts";
import { Progress } from "./output/progress.ts";
import { parseId } from "./parse-id.ts";
import { groupKind } from "./records/record-kind.ts";

const flags = {
  group: groupFlag,
  ids: {
    ...idsFlag,
    takes: `${idsFlag.takes}; or - to read one id per line from stdin`,
    about: "The ids of the users; or - to read one id per line from stdin.",
    parse: (text: string) => text.split("\u0000").filter((word) => word !== ""),
  },
  version: versionFlag(groupKind),
  ...serviceFlags,
} as const;

const words = {
  add: { step: "adding", done: "Added", place: "to" },
  remove: { step: "removing", done: "Removed", place: "from" },
} as const;

/** Adds users to a group by their ids, or removes them. */
export function changeMembersCommand(
  change: "add" | "remove",
  help: Pick<Command, "description" | "examples">,
): Command {
  const { step, done, place } = words[change];
  return {
    flags,
    ...help,
    async run(args, { env, stdin, stderr }) {
      const {
        group,
        ids: given,
        version,
        ...service
      } = readFlags(flags, args, env, `roster groups ${change} --help`);
      if (given.length === 0) throw new ConfigError(`ID is required. Use ${flags.ids.takes}.`);
      const isList = given.length === 1 && given[0] === "-";
      const ids = isList ? readLines(await readAll(stdin)) : parseIds(given);
      const size = membershipLimits.patchIds;
      if (version !== undefined && ids.length > size) {
        throw new ConfigError(`--if-version takes at most ${size.toLocaleString("en")} ids.`);
      }
      const client = openClient(service, env);
      const id = await findGroupId(client, group);
      const options = version === undefined ? {} : { ifMatch: version };
      const progress = new Progress(stderr);
      let changed = 0;
      let sent = 0;
      try {
        do {
          const part = ids.slice(sent, sent + size);
          const counts =
            change === "add"
              ? await client.groups.add(id, part, options)
              : await client.groups.remove(id, part, options);
          changed += "added" in counts ? counts.added : counts.removed;
          sent += part.length;
          if (ids.length > size) progress.show({ step, done: sent, total: ids.length, unit: "users" });
        } while (sent < ids.length);
      } catch (error) {
        progress.end();
        if (sent > 0) {
          const first = `The first ${sent.toLocaleString("en")} ids are done.`;
          print(stderr, `${first} To continue, run the same command again.`);
        }
        throw error;
      }
      progress.end();
      const unchanged = ids.length - changed;
      const rest = unchanged === 0 ? "" : ` ${unchanged.toLocaleString("en")} unchanged.`;
      printSuccess(stderr, `${done} ${formatCount(changed, "member")} ${place} group ${group.text}.${rest}`);
    },
  };
}

/** One id per line, as jq prints them. Empty lines do not count. Throws a `ConfigError`. */
function readLines(text: string): number[] {
  const ids = new Set<number>();
  for (const [index, line] of text.split("\n").entries()) {
    const word = line.trim();
    if (word === "") continue;
    try {
      ids.add(parseId(word));
    } catch {
      throw new ConfigError(
        `Line ${index + 1} of stdin is not the id of a user. Write one id per line, such as 7.`,
      );
    }
  }
  return [...ids];
}

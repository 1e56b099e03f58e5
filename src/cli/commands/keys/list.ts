import { readFlags } from "../../../config/config.ts";
import type { Key } from "../../../contract/key-schemas.ts";
import type { Keys } from "../../../domain/keys.ts";
import { type Command, describeFlags } from "../../command.ts";
import { existingDatabaseFlags } from "../../flags/database-flags.ts";
import { withExistingKeys } from "../../open-keys.ts";
import { formatKeys } from "../../output/format-keys.ts";
import { print } from "../../output/print.ts";

const PAGE = 1000;

const flags = {
  json: {
    flag: "json",
    form: "switch",
    default: "",
    takes: "no value",
    about: "One JSON object a line, as GET /api/keys has it; so it is in a pipe.",
    parse: (text: string) => text === "true",
  },
  ...existingDatabaseFlags,
} as const;

export const list: Command = {
  flags,
  help: `A table on a terminal; in a pipe, or with --json, one JSON object a line. No key is shown whole.

Options:
${describeFlags(flags)}
Examples:
  roster keys list
  roster keys list --json | jq -r 'select(.lastUsedAt == null) | .id'
`,

  async run(args, { env, stdout, stderr }) {
    const { json, ...where } = readFlags(flags, args, env, "roster keys list --help");
    await withExistingKeys(where, async (keys) => {
      const all = await listAll(keys);
      if (all.length === 0) {
        print(
          stderr,
          "There are no keys. Make one with: roster keys create --name my-program --scope users:read",
        );
      } else if (stdout.isTTY && !json) {
        stdout.write(formatKeys(all, Date.now(), stdout.columns || 80));
      } else {
        stdout.write(all.map((key) => `${JSON.stringify(key)}\n`).join(""));
      }
    });
  },
};

async function listAll(keys: Keys): Promise<Key[]> {
  const all: Key[] = [];
  for (;;) {
    const page = await keys.list(all.at(-1)?.id ?? 0, PAGE);
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

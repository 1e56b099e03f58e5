import { readFlags } from "../../../config/config.ts";
import type { Key } from "../../../contract/key-schemas.ts";
import type { Keys } from "../../../domain/keys.ts";
import type { Command } from "../../command.ts";
import { existingDatabaseFlags } from "../../flags/database-flags.ts";
import { switchFlag } from "../../flags/switch-flag.ts";
import { withExistingKeys } from "../../open-keys.ts";
import { formatKeys } from "../../output/format-keys.ts";
import { print } from "../../output/print.ts";

const PAGE = 1000;

const flags = {
  json: switchFlag("json", "Print one JSON object per line, like GET /api/keys. Default in a pipe."),
  ...existingDatabaseFlags,
} as const;

export const list: Command = {
  flags,
  description: `Prints a table on a terminal. In a pipe, or with --json, prints one JSON object per line. Secrets are not shown.`,
  examples: ["roster keys list", "roster keys list --json | jq -r 'select(.lastUsedAt == null) | .id'"],

  async run(args, { env, stdout, stderr }) {
    const { json, ...databaseOptions } = readFlags(flags, args, env, "roster keys list --help");
    await withExistingKeys(databaseOptions, async (keys) => {
      const records = await listAll(keys);
      if (records.length === 0) {
        print(stderr, "No keys yet. Create one: roster keys create --name my-program --scope users:read");
      } else if (stdout.isTTY && !json) {
        stdout.write(formatKeys(records, Date.now(), stdout.columns || 80));
      } else {
        stdout.write(records.map((key) => `${JSON.stringify(key)}\n`).join(""));
      }
    });
  },
};

async function listAll(keys: Keys): Promise<Key[]> {
  const records: Key[] = [];
  for (;;) {
    const page = await keys.list(records.at(-1)?.id ?? 0, PAGE);
    records.push(...page);
    if (page.length < PAGE) return records;
  }
}

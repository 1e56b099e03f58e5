import { readFlags } from "../../../config/config.ts";
import type { Key } from "../../../contract/keys/key-schemas.ts";
import type { Keys } from "../../../domain/keys/keys.ts";
import type { Command } from "../../command.ts";
import { existingDatabaseFlags } from "../../flags/database-flags.ts";
import { listOutputFlag } from "../../flags/output-flag.ts";
import { withExistingKeys } from "../../open-keys.ts";
import { formatKeys } from "../../output/format-keys.ts";
import { formatJsonList } from "../../output/json-list.ts";
import { print } from "../../output/print.ts";
import { terminalWidth } from "../../output/screen-width.ts";

const PAGE = 1000;

const flags = {
  output: listOutputFlag,
  ...existingDatabaseFlags,
} as const;

export const list: Command = {
  flags,
  description: `JSON has the same fields as GET /api/keys. Secrets are not shown.`,
  examples: ["roster keys list", "roster keys list | jq -r 'select(.lastUsedAt == null) | .id'"],

  async run(args, { env, stdout, stderr }) {
    const { output, ...databaseOptions } = readFlags(flags, args, env, "roster keys list --help");
    await withExistingKeys(databaseOptions, env, async (keys) => {
      const records = await listAll(keys);
      if (records.length === 0) {
        print(stderr, "No keys yet. Create one: roster keys create --name my-program --scope users:read");
      } else if ((output ?? (stdout.isTTY ? "table" : "ndjson")) === "table") {
        stdout.write(formatKeys(records, Date.now(), terminalWidth(stdout)));
      } else {
        stdout.write(formatJsonList(records, output === "json"));
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

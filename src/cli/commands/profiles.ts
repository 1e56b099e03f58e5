import { readFlags } from "../../config/config.ts";
import { secretPrefix } from "../../contract/key-secret.ts";
import type { Command } from "../command.ts";
import { listOutputFlag } from "../flags/output-flag.ts";
import { loginFlags } from "../flags/service-flags.ts";
import { paint } from "../output/colour.ts";
import { formatJsonList } from "../output/json-list.ts";
import { print } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { terminalWidth } from "../output/screen-width.ts";
import { formatTable } from "../output/table.ts";
import { readProfiles } from "../profiles.ts";

const { profile } = loginFlags;
const flags = { output: listOutputFlag } as const;

export const profiles: Command = {
  flags,
  description:
    "Shows the first characters of keys only. The current profile is the one in ROSTER_PROFILE, or default.",
  examples: ["roster profiles", "roster profiles --output json"],

  async run(args, { env, stdout, stderr }) {
    const { output = stdout.isTTY ? "table" : "ndjson" } = readFlags(
      flags,
      args,
      env,
      "roster profiles --help",
    );
    const current = env[profile.env] || profile.default;
    const records = [...readProfiles(env)].map(([name, { url, key }]) => ({
      name,
      url,
      keyPrefix: key === undefined ? null : secretPrefix(key),
      current: name === current,
    }));
    if (records.length === 0 && output !== "json") {
      print(stderr, "No profiles yet. Create one: roster login");
    } else if (output === "table") {
      const rows = records.map(({ name, url, keyPrefix, current }) => [
        name,
        printable(url),
        keyPrefix === null ? "none" : `${keyPrefix}…`,
        current ? "yes" : "",
      ]);
      const head = ["NAME", "URL", "KEY", "CURRENT"];
      stdout.write(formatTable(head, rows, terminalWidth(stdout), [], (line) => paint(stdout, "dim", line)));
    } else {
      stdout.write(formatJsonList(records, output === "json"));
    }
  },
};

import { readConfig, readFlags } from "../../config/config.ts";
import { settings } from "../../config/settings.ts";
import type { Command } from "../command.ts";
import { effectiveSettings } from "../effective-settings.ts";
import { outputFlag } from "../flags/output-flag.ts";
import { splitFlags } from "../flags/split-flags.ts";
import { paint } from "../output/colour.ts";
import { terminalWidth } from "../output/screen-width.ts";
import { formatTable } from "../output/table.ts";

const HELP = "roster config --help";
const ownFlags = {
  output: outputFlag(
    ["table", "json"],
    "Print a table, or one JSON object (json). Default: table on a terminal, json in a pipe.",
  ),
} as const;

export const config: Command = {
  flags: { ...settings, ...ownFlags },
  ownFlags,
  description: `Checks the settings like roster serve, without starting anything. The exit code is 2 if they are invalid. Secrets are
not shown.`,
  examples: ["roster config", "HOST=0.0.0.0 roster config | jq .HOST"],

  async run(args, { env, stdout }) {
    const { own, others } = splitFlags(ownFlags, args);
    const { output = stdout.isTTY ? "table" : "json" } = readFlags(ownFlags, own, env, HELP);
    const effective = effectiveSettings(others, env, HELP);
    readConfig(others, env);
    if (output === "json") {
      const entries = effective.map(({ variable, shown, from }) => [variable, { value: shown, from }]);
      stdout.write(`${JSON.stringify(Object.fromEntries(entries))}\n`);
      return;
    }
    const rows = effective.map(({ variable, shown, from }) => [variable, shown || "none", from]);
    const head = ["SETTING", "VALUE", "FROM"];
    stdout.write(formatTable(head, rows, terminalWidth(stdout), [], (line) => paint(stdout, "dim", line)));
  },
};

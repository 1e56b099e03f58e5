import { readConfig } from "../../config/config.ts";
import { settings } from "../../config/settings.ts";
import type { Command } from "../command.ts";
import { effectiveSettings } from "../effective-settings.ts";
import { jsonFlag } from "../flags/switch-flag.ts";
import { paint } from "../output/colour.ts";
import { formatTable } from "../output/table.ts";

const HELP = "roster config --help";
const flags = {
  ...settings,
  json: { ...jsonFlag, about: "Print one JSON object. Default in a pipe." },
} as const;

export const config: Command = {
  flags,
  ownFlags: { json: flags.json },
  description: `Checks the settings like roster serve, without starting anything. The exit code is 2 if they are invalid. Secrets are
not shown.`,
  examples: ["roster config", "HOST=0.0.0.0 roster config --json | jq .HOST"],

  async run(args, { env, stdout }) {
    const rest = args.filter((arg) => arg !== "--json");
    const effective = effectiveSettings(rest, env, HELP);
    readConfig(rest, env);
    if (rest.length < args.length || !stdout.isTTY) {
      const entries = effective.map(({ variable, shown, from }) => [variable, { value: shown, from }]);
      stdout.write(`${JSON.stringify(Object.fromEntries(entries))}\n`);
      return;
    }
    const rows = effective.map(({ variable, shown, from }) => [variable, shown || "none", from]);
    const head = ["SETTING", "VALUE", "FROM"];
    stdout.write(formatTable(head, rows, stdout.columns || 80, [], (line) => paint(stdout, "dim", line)));
  },
};

import { readConfig } from "../../config/config.ts";
import { settings } from "../../config/settings.ts";
import { type Command, describeFlags } from "../command.ts";
import { effectiveSettings } from "../effective-settings.ts";
import { jsonFlag } from "../flags/user-flags.ts";
import { paint } from "../output/colour.ts";
import { formatTable } from "../output/table.ts";

const HELP = "roster config --help";
const flags = { ...settings, json: { ...jsonFlag, about: "One JSON object; so it is in a pipe." } } as const;

export const config: Command = {
  flags,
  help: `Checks them as roster serve does, and starts nothing: the exit code is 2 where they cannot be used. Secrets are not
shown.

Options, those of roster serve and this:
${describeFlags({ json: flags.json })}
Examples:
  roster config
  HOST=0.0.0.0 roster config --json | jq .HOST
`,

  async run(args, { env, stdout }) {
    const rest = args.filter((arg) => arg !== "--json");
    const given = effectiveSettings(rest, env, HELP);
    readConfig(rest, env);
    if (rest.length < args.length || !stdout.isTTY) {
      const entries = given.map(({ variable, shown, from }) => [variable, { value: shown, from }]);
      stdout.write(`${JSON.stringify(Object.fromEntries(entries))}\n`);
      return;
    }
    const rows = given.map(({ variable, shown, from }) => [variable, shown || "none", from]);
    const head = ["SETTING", "VALUE", "FROM"];
    stdout.write(formatTable(head, rows, stdout.columns || 80, [], (line) => paint(stdout, "dim", line)));
  },
};

import { flagName, readConfig, readFlags, withoutPassword } from "../../config.ts";
import { eachSetting, settings } from "../../settings.ts";
import { type Command, describeFlags } from "../command.ts";
import { formatTable } from "../table.ts";
import { jsonFlag } from "../user-flags.ts";

const flags = { ...settings, json: { ...jsonFlag, about: "One JSON object; so it is in a pipe." } } as const;

export const config: Command = {
  usage: "roster config [options]",
  about: "Show every setting as a service would have it, and where it comes from.",
  flags,
  help: `Checks them as roster serve does, and starts nothing: the exit code is 2 where they cannot be used. Secrets are not
shown.

Options:
${describeFlags(flags)}
Examples:
  roster config
  HOST=0.0.0.0 roster config --json | jq .HOST
`,

  async run(args, { env, stdout }) {
    const { json } = readFlags(flags, args, env, "roster config --help");
    readConfig(
      args.filter((arg) => arg !== "--json"),
      env,
    );
    const shown = eachSetting().map(([, setting]) => {
      const { env: variable, flag, default: standard } = setting;
      const byFlag = flag === undefined ? undefined : givenFor(args, flagName(setting));
      const value = byFlag ?? (env[variable] || standard);
      const from = byFlag !== undefined ? `--${flag}` : env[variable] ? variable : "default";
      return {
        variable,
        value: flag === undefined && value !== "" ? "(secret)" : withoutPassword(value),
        from,
      };
    });
    if (json || !stdout.isTTY) {
      const entries = shown.map(({ variable, value, from }) => [variable, { value, from }]);
      stdout.write(`${JSON.stringify(Object.fromEntries(entries))}\n`);
      return;
    }
    const rows = shown.map(({ variable, value, from }) => [variable, value || "none", from]);
    stdout.write(formatTable(["SETTING", "VALUE", "FROM"], rows, stdout.columns || 80, []));
  },
};

/** Of `--name value` or `--name=value`; the last one counts. */
function givenFor(args: readonly string[], name: string): string | undefined {
  let value: string | undefined;
  args.forEach((arg, place) => {
    if (arg === name) value = args[place + 1];
    else if (arg.startsWith(`${name}=`)) value = arg.slice(name.length + 1);
  });
  return value;
}

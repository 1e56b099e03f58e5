import { settings } from "../../config/settings.ts";
import { type Command, describeFlags, type Screen } from "../command.ts";
import type { Finding, Level } from "../doctor/finding.ts";
import { runChecks } from "../doctor/run-checks.ts";
import { exitCodes } from "../exit-codes.ts";
import { jsonFlag, switchFlag } from "../flags/user-flags.ts";
import { type Colour, paint } from "../output/colour.ts";
import { formatTable } from "../output/table.ts";

const THOROUGH = "thorough";
const flags = {
  json: { ...jsonFlag, about: "One JSON object a line: check, level (ok, warning, problem), says." },
  thorough: switchFlag(THOROUGH, "SQLite: look for damage in all of a large file, however long that takes."),
  ...settings,
} as const;

const colours: Record<Level, Colour> = { ok: "green", warning: "yellow", problem: "red" };
const HELP = "roster doctor --help";

export const doctor: Command = {
  flags,
  help: `Looks at the settings, the database and its disk, the clock, the port, keys, TLS and the limits of the machine. Changes
nothing, and shows no secret. Run it as the user that the service runs as, and with its environment. The exit code is 1
where there is a problem; warnings alone leave it 0.

Options, those of roster serve and these:
${describeFlags({ json: flags.json, thorough: flags.thorough })}
Examples:
  roster doctor
  DATABASE_URL=postgres://roster@db.example/roster HOST=0.0.0.0 roster doctor
  roster doctor --json | jq -r 'select(.level != "ok") | .says'
`,

  async run(args, { env, stdout }) {
    const own = [`--${flags.json.flag}`, `--${THOROUGH}`];
    const json = args.includes(`--${flags.json.flag}`);
    const thorough = args.includes(`--${THOROUGH}`);
    const rest = args.filter((arg) => !own.includes(arg));
    const findings = await runChecks(rest, env, thorough, HELP);
    if (json) stdout.write(findings.map((finding) => `${JSON.stringify(finding)}\n`).join(""));
    else stdout.write(`${describe(findings, stdout)}\n${summary(findings)}\n`);
    if (count(findings, "problem") > 0) process.exitCode = exitCodes.failed.code;
  },
};

/** A line for each, for people: on a terminal, what is too long goes on below. */
function describe(findings: readonly Finding[], stdout: Screen): string {
  const rows = findings.map(({ level, check, says }) => [paint(stdout, colours[level], level), check, says]);
  const head = ["STATE", "CHECK", "FOUND"];
  const width = stdout.isTTY ? stdout.columns || 80 : Number.POSITIVE_INFINITY;
  return formatTable(head, rows, width, [], (line) => paint(stdout, "dim", line));
}

function summary(findings: readonly Finding[]): string {
  const [problems, warnings] = [count(findings, "problem"), count(findings, "warning")];
  if (problems + warnings === 0) return "Nothing is wrong.";
  const parts = [
    ...(problems > 0 ? [`${problems} problem${problems === 1 ? "" : "s"}`] : []),
    ...(warnings > 0 ? [`${warnings} warning${warnings === 1 ? "" : "s"}`] : []),
  ];
  return `${parts.join(", ")}.`;
}

function count(findings: readonly Finding[], level: Level): number {
  return findings.filter((finding) => finding.level === level).length;
}

import { settings } from "../../config/settings.ts";
import type { Command, Screen } from "../command.ts";
import type { Finding, Level } from "../doctor/finding.ts";
import { runChecks } from "../doctor/run-checks.ts";
import { exitCodes } from "../exit-codes.ts";
import { jsonFlag, switchFlag } from "../flags/switch-flag.ts";
import { type Colour, paint } from "../output/colour.ts";
import { formatCount } from "../output/format-count.ts";
import { formatTable } from "../output/table.ts";

const THOROUGH = "thorough";
const flags = {
  json: { ...jsonFlag, about: "Print one JSON object per line: check, level (ok, warning, problem), says." },
  thorough: switchFlag(THOROUGH, "SQLite: check all of a large file for damage, which may take long."),
  ...settings,
} as const;

const colours: Record<Level, Colour> = { ok: "green", warning: "yellow", problem: "red" };
const HELP = "roster doctor --help";

export const doctor: Command = {
  flags,
  ownFlags: { json: flags.json, thorough: flags.thorough },
  description: `Checks the settings, the database and its disk, the clock, the port, keys, TLS and the limits of the machine. Changes
nothing, and shows no secrets. Run it as the user of the service, with the same environment. The exit code is 1 if
there is a problem; with warnings only, it is 0.`,
  examples: [
    "roster doctor",
    "DATABASE_URL=postgres://roster@db.example/roster HOST=0.0.0.0 roster doctor",
    `roster doctor --json | jq -r 'select(.level != "ok") | .says'`,
  ],

  async run(args, { env, stdout }) {
    const doctorFlags = [`--${flags.json.flag}`, `--${THOROUGH}`];
    const json = args.includes(`--${flags.json.flag}`);
    const thorough = args.includes(`--${THOROUGH}`);
    const rest = args.filter((arg) => !doctorFlags.includes(arg));
    const findings = await runChecks(rest, env, thorough, HELP);
    if (json) stdout.write(findings.map((finding) => `${JSON.stringify(finding)}\n`).join(""));
    else stdout.write(`${formatFindings(findings, stdout)}\n${summary(findings)}\n`);
    if (count(findings, "problem") > 0) process.exitCode = exitCodes.failed.code;
  },
};

/** A table of the findings. Only a terminal wraps it. */
function formatFindings(findings: readonly Finding[], stdout: Screen): string {
  const rows = findings.map(({ level, check, says }) => [paint(stdout, colours[level], level), check, says]);
  const head = ["STATE", "CHECK", "FOUND"];
  const width = stdout.isTTY ? stdout.columns || 80 : Number.POSITIVE_INFINITY;
  return formatTable(head, rows, width, [], (line) => paint(stdout, "dim", line));
}

function summary(findings: readonly Finding[]): string {
  const [problems, warnings] = [count(findings, "problem"), count(findings, "warning")];
  if (problems + warnings === 0) return "No problems found.";
  const parts = [
    ...(problems > 0 ? [formatCount(problems, "problem")] : []),
    ...(warnings > 0 ? [formatCount(warnings, "warning")] : []),
  ];
  return `${parts.join(", ")}.`;
}

function count(findings: readonly Finding[], level: Level): number {
  return findings.filter((finding) => finding.level === level).length;
}

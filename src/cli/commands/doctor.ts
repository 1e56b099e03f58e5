import { readFlags } from "../../config/config.ts";
import { settings } from "../../config/settings.ts";
import type { Command, Screen } from "../command.ts";
import type { Finding, Level } from "../doctor/finding.ts";
import { runChecks } from "../doctor/run-checks.ts";
import { exitCodes } from "../exit-codes.ts";
import { outputFlag } from "../flags/output-flag.ts";
import { chosenProfileFlag, requireProfile } from "../flags/service-flags.ts";
import { splitFlags } from "../flags/split-flags.ts";
import { switchFlag } from "../flags/switch-flag.ts";
import { type Colour, paint } from "../output/colour.ts";
import { formatCount } from "../output/format-count.ts";
import { formatJsonList } from "../output/json-list.ts";
import { terminalWidth } from "../output/screen-width.ts";
import { formatTable } from "../output/table.ts";

const ownFlags = {
  output: outputFlag(
    ["table", "json", "ndjson"],
    "Print a table (default), one JSON array (json), or one JSON object per line (ndjson): check, level (ok, warning, problem), says.",
  ),
  thorough: switchFlag("thorough", "SQLite: check all of a large file for damage, which may take long."),
  profile: chosenProfileFlag(
    "Check SCIM with the URL and the key of this profile, which roster login has stored.",
  ),
} as const;

const colours: Record<Level, Colour> = { ok: "green", warning: "yellow", problem: "red" };
const HELP = "roster doctor --help";

export const doctor: Command = {
  flags: { ...settings, ...ownFlags },
  ownFlags,
  description: `Checks the settings, the database and its disk, the custom fields that an upgrade moves, the clock, the port, keys, TLS,
SCIM and the limits of the machine. Changes nothing, and shows no secrets. Run it as the user of the service, with the same environment. The exit code is 1 if
there is a problem; with warnings only, it is 0.`,
  examples: [
    "roster doctor",
    "DATABASE_URL=postgres://roster@db.example/roster HOST=0.0.0.0 roster doctor",
    "roster doctor --profile production",
    `roster doctor --output ndjson | jq -r 'select(.level != "ok") | .says'`,
  ],

  async run(args, { env, stdout }) {
    const { own, others } = splitFlags(ownFlags, args);
    const { output = "table", thorough, profile: name } = readFlags(ownFlags, own, env, HELP);
    const profile = name === undefined ? undefined : requireProfile(name, env);
    const findings = await runChecks(others, env, { thorough, profile, help: HELP });
    if (output !== "table") stdout.write(formatJsonList(findings, output === "json"));
    else stdout.write(`${formatFindings(findings, stdout)}\n${summary(findings)}\n`);
    if (count(findings, "problem") > 0) process.exitCode = exitCodes.failed.code;
  },
};

/** A table of the findings. Only a terminal wraps it. */
function formatFindings(findings: readonly Finding[], stdout: Screen): string {
  const rows = findings.map(({ level, check, says }) => [paint(stdout, colours[level], level), check, says]);
  const head = ["STATE", "CHECK", "FOUND"];
  return formatTable(head, rows, terminalWidth(stdout), [], (line) => paint(stdout, "dim", line));
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

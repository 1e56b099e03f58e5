import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import type { Commands } from "../../src/cli/command.ts";
import { commands } from "../../src/cli/commands.ts";
import { root } from "../support/paths.ts";
import {
  runCommand,
  shellCommand,
  startRoster,
  stopAll,
  temporaryFolder,
} from "../support/process/roster.ts";
import { runInTerminal } from "../support/process/terminal.ts";
import { requireProgram } from "../support/requirements.ts";

setDefaultTimeout(300_000);
afterAll(stopAll);

/** Commands that need others to run before or after them, in this order; all others run in between. */
const first = [
  / seed /,
  / keys create /,
  / keys replace /,
  / users export users\.csv /,
  / webhooks create /,
  / schema set /,
];
const last = [
  / users edit /,
  / groups edit /,
  / groups delete /,
  / users delete /,
  / users restore /,
  / users purge /,
  / webhooks delete /,
  / move /,
  / restore /,
  / profiles/,
  / login/,
  / profiles/,
  / logout/,
];

/** The exit codes of examples that do not succeed here, on a terminal and in a pipe. */
const exitCodes: Record<string, { terminal?: number; pipe?: number }> = {
  // test/commands/health.full.ts tests it with a service. PORT is 0 here, and no service uses 8080.
  "roster health": { terminal: 2, pipe: 2 },
  "roster health --live --port 8080": { terminal: 6, pipe: 6 },
  // There is no terminal to ask.
  "roster users delete 7": { pipe: 2 },
  "roster groups delete sales": { pipe: 2 },
  // Deleted by the example before.
  "roster groups delete 7 --yes --if-version 3": { terminal: 3, pipe: 3 },
  "roster users delete 7 8 9 --yes": { terminal: 1 },
  "roster users delete 7 --yes --if-version 3": { terminal: 3, pipe: 3 },
  "roster users update 7 email=null --if-version 3": { terminal: 4, pipe: 4 },
  // Restored by the example before.
  "roster users restore 7 --email ada@example.org": { terminal: 3, pipe: 3 },
  "roster users purge 7": { pipe: 2 },
  "roster users purge 7 --yes": { terminal: 3 },
  "roster webhooks delete 3": { pipe: 2 },
  "roster webhooks delete 3 --yes": { terminal: 3 },
  // Nobody receives the sample, and an example before has made the webhook inactive.
  "roster webhooks test 3": { terminal: 1, pipe: 1 },
  // An inactive webhook has no deliveries.
  "roster webhooks delivery 3 0ho78yaryg6": { terminal: 3, pipe: 3 },
  "roster webhooks delivery 3 0ho78yaryg6 | jq -r .request.body": { terminal: 3, pipe: 3 },
  "roster webhooks resend 3 0ho78yaryg6": { terminal: 4, pipe: 4 },
  "roster webhooks replay 3 --from 2026-11-02T08:00:00Z": { terminal: 4, pipe: 4 },
  "roster groups update sales region=south --if-version 12": { terminal: 4, pipe: 4 },
  "roster groups create name=Sales region=north": { terminal: 4, pipe: 4 },
  // An example before has created the user.
  'roster users create name="Ada Lovelace" email=ada@example.com level=3': { terminal: 4, pipe: 4 },
  'roster users replace 7 name="Ada King" email=ada@example.com': { terminal: 4, pipe: 4 },
};

/** They run until they are interrupted. Tests of their own run them. */
const endless = /^roster (events follow|webhooks listen|mcp)\b/;

/** What a person types on the terminal, by the text that asks for it. */
const answers: [command: RegExp, ...(readonly [shown: string, keys: string])[]][] = [
  [/^roster (users delete 7|users purge 7|groups delete sales|webhooks delete 3)$/, ["[y/N] ", "y\r"]],
  [/^roster login$/, ["none): ", "\r"]],
  [/^roster login \S+ --profile/, ["none): ", "\r"]],
];

async function listExamples(table: Commands): Promise<string[]> {
  const lists = Object.values(table).map(async ({ commands: subcommands = {}, load }) => [
    ...(await load()).examples,
    ...(await listExamples(subcommands)),
  ]);
  return (await Promise.all(lists)).flat();
}

/** The commands in the code blocks of the documentation. */
function listDocumented(): string[] {
  const pages = ["README.md", ...new Glob("docs/*.md").scanSync(root)].filter(
    (page) => page !== "docs/cli.md",
  );
  return pages.flatMap((page) => {
    const blocks = readFileSync(join(root, page), "utf8").matchAll(/^```sh\n(.*?)^```/gms);
    return [...blocks].flatMap(([, block = ""]) =>
      [...block.matchAll(/^(?:[A-Z_]+=\S+ )*(?:npx rosterd|roster) .*$/gm)].map(([line]) =>
        line.replace("npx rosterd", "roster"),
      ),
    );
  });
}

const position = (example: string) => {
  const [early, late] = [first, last].map((list) =>
    list.findIndex((pattern) => pattern.test(` ${example} `)),
  );
  if (early !== undefined && early >= 0) return early - first.length;
  return (late ?? -1) + 1;
};

/** A folder in which every example can run. */
function makeFolder(): string {
  const folder = temporaryFolder();
  for (const name of [
    "data",
    "backup",
    "bin",
    ".local/share/bash-completion/completions",
    ".config/fish/completions",
  ])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "people.csv"), "name,email\nGrace,grace@example.com\n");
  writeFileSync(join(folder, "crm.csv"), "name,Mail,zip\nHedy,hedy@example.com,01234\n");
  writeFileSync(join(folder, "people.ndjson"), '{"name":"Alan"}\n');
  writeFileSync(join(folder, "people.json"), '[{"name":"Edsger"}]\n');
  writeFileSync(join(folder, "teams.csv"), "name,region\nWeavers,north\n");
  writeFileSync(join(folder, "teams.ndjson"), '{"name":"Looms"}\n');
  writeFileSync(join(folder, "crm-teams.csv"), "title\nBridges\n");
  writeFileSync(join(folder, "members.csv"), "group,user\nSales,1\n2,a2@example.com\n");
  copyFileSync(join(root, "test/commands/exports/keycloak.json"), join(folder, "acme-realm.json"));
  copyFileSync(join(root, "test/commands/exports/directory.ldif"), join(folder, "directory.ldif"));
  copyFileSync(join(root, "test/commands/exports/scim.pages"), join(folder, "users.json"));
  writeFileSync(
    join(folder, "groups.json"),
    '{"Resources":[{"id":"g1","displayName":"Reed","members":["3"]}]}\n',
  );
  writeFileSync(join(folder, "schema.json"), '{"properties":{"level":{"type":"number"}}}\n');
  writeFileSync(join(folder, "roster-key"), "\n");
  writeFileSync(join(folder, "bin", "code"), "#!/bin/sh\n");
  chmodSync(join(folder, "bin", "code"), 0o700);
  return folder;
}

/** The example with paths and addresses of this machine, and with few users. */
function localize(example: string, folder: string, url: string, index: number): string {
  const target = join(folder, `target-${index}.db`);
  const isRestore = example.startsWith("roster restore ");
  const local = example
    .replace(/(?<=--to )\S+/, target)
    .replace(/(?<=compact --database )\S+/, "data/roster.db")
    .replace(/(?<=adopt )\S+/, "server.db")
    .replaceAll(/postgres:\/\/\S+/g, isRestore ? target : join(folder, "server.db"))
    .replaceAll(/\/var\/lib(?:\/roster)?\/roster\.db/g, target)
    .replaceAll(/\/(?:run\/secrets|etc\/prometheus)\//g, `${folder}/`)
    .replaceAll("/backup/", `${folder}/backup/`)
    .replace("$(date +%F)", "2026-11-15")
    .replace(/ seed \d+/, " seed 20")
    .replaceAll("https://users.example", url);
  return isRestore && !local.includes("--database") ? `DATABASE_URL=${target} ${local}` : local;
}

/** A script that runs the examples one after the other, each between two marks. */
function buildScript(
  examples: readonly string[],
  folder: string,
  url: string,
  before: string,
  after: string,
) {
  const lines = examples.map((example, index) => {
    const local = localize(example, folder, url, index);
    const prepare = position(example) < 0 ? "" : "[ -e server.db ] || cp data/roster.db server.db; ";
    return `${prepare}echo '@@ ${index}'; (set -o pipefail; ${before}${local}${after}); echo "@@ code $?"`;
  });
  return `cd '${folder}'
export HOME='${folder}' XDG_CONFIG_HOME='${folder}/.config' EDITOR=true PORT=0
export PATH="$PWD/bin:$PATH"
fpath=("" "$HOME")
serve() {
  rm -f serve.log
  ${shellCommand([])} "$@" > serve.log & local pid=$!
  until grep -qs "is ready" serve.log || ! kill -0 $pid; do sleep 0.05; done
  kill -INT $pid; wait $pid
}
roster() {
  case "$1" in serve | "") serve "$@" ;; *) ${shellCommand([])} "$@" ;; esac
}
npx() { cat "$2" > /dev/null; }
command -v jq > /dev/null || jq() { cat > /dev/null; }
${lines.join("\n")}
`;
}

interface Ran {
  readonly code: number;
  readonly output: string;
}

/** What each example printed. */
function split(text: string, count: number): Ran[] {
  return Array.from({ length: count }, (_, index) => {
    const [, output = text, code = "-1"] =
      new RegExp(`@@ ${index}\\n(.*?)@@ code (\\d+)\\n`, "s").exec(text) ?? [];
    // 141: the reader of the pipe ended first, as head does.
    return { code: code === "141" ? 0 : Number(code), output };
  });
}

async function startWorld() {
  const folder = makeFolder();
  const roster = await startRoster(join(folder, "service.db"));
  mkdirSync(join(folder, ".config/roster"));
  writeFileSync(join(folder, ".config/roster/profiles.json"), `{"production":{"url":"${roster.url}"}}`);
  const lines = Array.from(
    { length: 12 },
    (_, i) => `{"name":"Ada ${i}","email":"a${i}@example.com","level":1}\n`,
  );
  const headers = { "content-type": "application/x-ndjson" };
  const body = `${lines.join("")}{"name":"Zoë"}\n`;
  await (await roster.call("/api/users/import", { method: "POST", body, headers })).text();
  for (const name of ["Sales", "Support", ...[3, 4, 5, 6, 7, 8, 9].map((number) => `Group ${number}`)]) {
    await roster.call("/api/groups", { method: "POST", json: { name, region: "north" } });
  }
  return { folder, url: roster.url };
}

requireProgram("bash").describe("every documented command", () => {
  let examples: string[];
  let onTerminal: Ran[];
  let inPipe: Ran[];

  beforeAll(async () => {
    const all = [...new Set([...(await listExamples(commands)), ...listDocumented()])];
    examples = all.filter((example) => !endless.test(example)).sort((a, b) => position(a) - position(b));
    [onTerminal, inPipe] = await Promise.all([runAllOnTerminal(), runAllInPipe()]);
  });

  async function runAllOnTerminal(): Promise<Ran[]> {
    const { folder, url } = await startWorld();
    const script = join(folder, "script.sh");
    writeFileSync(script, buildScript(examples, folder, url, "", ""));
    const typing = examples.flatMap((example) => {
      const [, ...steps] = answers.find(([command]) => command.test(example)) ?? [];
      return steps;
    });
    const env = { ROSTER_URL: url, NO_COLOR: "1" };
    const { screen } = await runInTerminal(["bash", script], {
      env,
      columns: 80,
      typing,
      timeoutMs: 280_000,
    });

    return split(screen, examples.length);
  }

  async function runAllInPipe(): Promise<Ran[]> {
    const { folder, url } = await startWorld();
    const script = buildScript(examples, folder, url, "{ ", "; } < /dev/null 2>&1 | cat");
    const { stdout } = await runCommand(["bash", "-c", script], {
      env: { ROSTER_URL: url },
      timeoutMs: 280_000,
    });

    return split(stdout, examples.length);
  }

  test("is found", () => {
    expect(examples.length).toBeGreaterThan(60);
    expect(examples.filter((example) => !/\broster\b/.test(example))).toEqual([]);
  });

  test("runs on a terminal of 80 columns", () => {
    expect(unexpected(onTerminal, "terminal")).toEqual([]);
    // JSON, CSV, commands to copy, checksums and long paths are not wrapped.
    const wrapped = examples.flatMap((example, index) =>
      /export|openapi|completion/.test(example) ? [] : [onTerminal[index]?.output ?? ""],
    );
    const lines = wrapped
      .flatMap((output) => output.split("\n"))
      .map((line) => line.split("\r").at(-1) ?? "");
    expect(
      lines.filter(
        (line) => Bun.stringWidth(line) > 80 && !/^\s*[{"]|^ {2}(roster|sha256|\w+=)|^\S+$/.test(line),
      ),
    ).toEqual([]);
  });

  test("runs in a pipe, where it prints no control characters", () => {
    expect(unexpected(inPipe, "pipe")).toEqual([]);
    expect(inPipe.filter(({ output }) => output.includes("\u001b"))).toEqual([]);
  });

  /** The examples that ended with another exit code than expected. */
  function unexpected(ran: readonly Ran[], where: "terminal" | "pipe") {
    return examples
      .map((example, index) => ({ example, ...ran[index] }))
      .filter(({ example, code }) => code !== (exitCodes[example]?.[where] ?? 0));
  }
});

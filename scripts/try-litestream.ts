/**
 * Tests Roster with a real Litestream: destroys a machine under load, restores its copy on another machine, adopts it, and serves it.
 * Then the same happens to that machine. Run `npx bun scripts/try-litestream.ts`. Requires `litestream`, or Go to build it.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "../src/client/index.ts";
import {
  type Roster,
  runCommand,
  runRoster,
  startRoster,
  stopAll,
  temporaryFolder,
} from "../test/support/process/roster.ts";
import { describeResponse } from "../test/support/responses.ts";
import { Creates } from "./trial/creates.ts";
import { freePort, Program } from "./trial/program.ts";

const VERSION = "v0.5.17";
/** Litestream needs some before and after its failure. */
const SECONDS = Math.max(8, Number(process.env.SECONDS ?? 15));
const CALLERS = 32;
/** Each is lost, except the last. */
const MACHINES = 3;

interface Settings {
  readonly name: string;
  readonly monitor: string;
  readonly sync: string;
}

const trials: readonly Settings[] = [
  { name: "Litestream's own settings", monitor: "1s", sync: "1s" },
  { name: "the settings of docs/operations.md", monitor: "200ms", sync: "200ms" },
];

/** Its disk is the folder of Litestream, which `litestream.end` removes. */
interface Machine {
  readonly litestream: Program;
  readonly database: string;
  readonly config: string;
  startLitestream(): Promise<void>;
}

/** What callers of a lost machine know. */
interface Known {
  readonly users: Creates["acknowledged"];
  /** The id of an event of the last moment. */
  readonly event: string;
}

try {
  const program = await findLitestream();
  if (program === undefined) console.log("Skipped: neither litestream nor go is installed.");
  else {
    console.log(`Litestream ${(await runCommand([program, "version"])).stdout.trim()}`);
    for (const settings of trials) await tryLitestream(program, settings);
  }
} finally {
  await stopAll();
}

async function findLitestream(): Promise<string | undefined> {
  const installed = Bun.which("litestream");
  if (installed !== null) return installed;
  const go = Bun.which("go");
  if (go === null) return undefined;
  const folder = temporaryFolder();
  const source = `github.com/benbjohnson/litestream/cmd/litestream@${VERSION}`;
  const env = { ...process.env, GOBIN: folder };
  const build = Bun.spawn([go, "install", source], { env, stdout: "ignore", stderr: "ignore" });
  if ((await build.exited) !== 0) throw new Error("Go cannot build Litestream.");
  return join(folder, "litestream");
}

async function tryLitestream(program: string, settings: Settings): Promise<void> {
  console.log(`\n${settings.name}: ${CALLERS} callers create users for ${SECONDS} s on each machine`);
  const replica = join(temporaryFolder(), "replica");
  let deliveries = 0;
  const receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch() {
      deliveries++;
      return new Response();
    },
  });
  let known: Known | undefined;
  for (let number = 1; number <= MACHINES; number++) {
    const machine = await buildMachine(program, replica, settings);
    const { litestream, database } = machine;
    try {
      if (known) await restoreAndAdopt(program, machine);
      const before = deliveries;
      const roster = await startRoster(database, { flags: ["--webhook-private=allow"] });
      await machine.startLitestream();
      if (known) {
        await checkAdopted(roster, known);
        check(deliveries === before, "no webhook is sent");
      } else await createWebhook(roster, receiver.url.href);
      if (number < MACHINES) known = await loadAndKill(roster, machine);
      else await stop(roster);
    } finally {
      litestream.signal("SIGKILL");
      await litestream.end();
    }
  }
  await receiver.stop(true);
}

async function buildMachine(program: string, replica: string, settings: Settings): Promise<Machine> {
  const litestream = new Program();
  const database = join(litestream.folder, "roster.db");
  const port = await freePort();
  const config = litestream.write(
    "litestream.yml",
    `addr: 127.0.0.1:${port}
dbs:
  - path: ${database}
    monitor-interval: ${settings.monitor}
    replica:
      type: file
      path: ${replica}
      sync-interval: ${settings.sync}
`,
  );
  const startLitestream = () => litestream.start([program, "replicate", "-config", config], port);
  return { litestream, database, config, startLitestream };
}

async function createWebhook(roster: Roster, url: string): Promise<void> {
  await createClient({ baseUrl: roster.url }).webhooks.create({ url, types: ["user.created"] });
}

/** Ends both programs under load. Litestream also fails once before, and is away for some seconds. */
async function loadAndKill(
  roster: Roster,
  { litestream, database, startLitestream }: Machine,
): Promise<Known> {
  const creates = new Creates(roster.url);
  creates.start(CALLERS);
  const megabytes: number[] = [];
  const failure = Math.floor(SECONDS / 2);
  for (let second = 0; second < SECONDS; second++) {
    if (second === failure) litestream.signal("SIGKILL");
    if (second === failure + 2) await startLitestream();
    await Bun.sleep(1000);
    megabytes.push(Math.round(statSync(`${database}-wal`).size / 1e6));
  }
  const event = await createClient({ baseUrl: roster.url }).events.last();
  roster.kill("SIGKILL");
  litestream.signal("SIGKILL");
  await roster.exited;
  await creates.stop();
  const perSecond = Math.round(creates.acknowledged.length / SECONDS);
  console.log(
    `  ${perSecond} creates per second; megabytes of the log, every second: ${megabytes.join(" ")}`,
  );
  const complaints = litestream.log().match(/level=(?:WARN|ERROR).*/g) ?? [];
  console.log(`  warnings and errors of Litestream: ${complaints.join("; ") || "none"}`);
  return { users: creates.acknowledged, event };
}

async function restoreAndAdopt(program: string, { config, database }: Machine): Promise<void> {
  const begin = performance.now();
  const restored = await runCommand([program, "restore", "-config", config, database]);
  if (restored.code !== 0) throw new Error(restored.stderr);
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  const { size, mode } = statSync(database);
  console.log(
    `  restored ${(size / 1e6).toFixed(1)} MB in ${seconds} s, with mode ${(mode & 0o777).toString(8)}`,
  );
  const adopted = await runRoster(["adopt", database]);
  console.log(adopted.stdout.trimEnd().replaceAll(/^/gm, "  "));
  const doctor = await runRoster(["doctor", `--database=${database}`, "--port=0"]);
  check(doctor.code === 0, `doctor: ${doctor.stdout.trimEnd().split("\n").at(-1)}`);
}

async function checkAdopted(roster: Roster, known: Known): Promise<void> {
  const client = createClient({ baseUrl: roster.url });
  const kept = new Set<number>();
  for await (const { id } of client.users.export({ fields: ["id"] })) kept.add(id);
  const lost = known.users.filter(({ id }) => !kept.has(id));
  const end = known.users.at(-1)?.at ?? 0;
  const seconds = (end - (lost[0]?.at ?? end)) / 1000;
  console.log(`  lost: ${lost.length} of ${known.users.length} creates, the last ${seconds.toFixed(2)} s`);
  const firstLost = lost.reduce((first, { id }) => Math.min(first, id), Number.POSITIVE_INFINITY);
  const lastKnown = known.users.reduce((last, { id }) => Math.max(last, id), 0);
  check(
    known.users.every(({ id }) => id < firstLost === kept.has(id)),
    "no create is lost before one that is kept",
  );
  const follow = () => roster.call(`/api/events?after=${known.event}`);
  const told = await describeResponse(await follow());
  check(
    told === (lost.length > 0 ? "410 events-expired" : "200"),
    `a follower from the lost part gets ${told}`,
  );
  const { id } = await client.users.create({ name: "Grace Hopper" });
  const event = await client.events.last();
  check(id > lastKnown, `the next user has id ${id}`);
  check(event > known.event, "the next event has a higher id than all before");
  check((await describeResponse(await follow())) === told, `afterwards, the follower gets ${told}`);
  for await (const { active, disabledReason } of client.webhooks.list())
    check(!active && disabledReason === "restored", `the webhook is inactive: ${disabledReason}`);
}

async function stop(roster: Roster): Promise<void> {
  const begin = performance.now();
  roster.kill("SIGTERM");
  await roster.exited;
  console.log(`  Roster stops in ${((performance.now() - begin) / 1000).toFixed(1)} s`);
}

function check(isTrue: boolean, what: string): void {
  console.log(`  ${isTrue ? "ok" : "FAILED"}: ${what}`);
  if (!isTrue) process.exitCode = 1;
}

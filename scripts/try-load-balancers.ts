/**
 * Tries docs/examples/nginx.conf and docs/examples/haproxy.cfg with the real programs: two nodes on one PostgreSQL, one
 * of them killed, stopped and started again under load. By hand: `npx bun scripts/try-load-balancers.ts [nginx] [haproxy]`.
 * ROUNDS says how often.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "../test/support/postgres/server.ts";
import { type Roster, startWith, stopAll } from "../test/support/process/roster.ts";
import { Callers } from "./trial/callers.ts";
import { formatSummary } from "./trial/ledger.ts";
import { freePort, Program } from "./trial/program.ts";

const ROUNDS = Number(process.env.ROUNDS ?? 3);
const CALLERS = 24;
const examples = join(import.meta.dir, "..", "docs", "examples");

interface Balancer {
  readonly name: "nginx" | "haproxy";
  readonly example: string;
  /** How it is run in the foreground with the example, its ports being others. */
  command(program: Program, path: string, text: string): string[];
  /** The example without the node at this port, for a program that does not ask nodes whether they are ready. */
  without?(text: string, port: number): string;
}

const balancers: readonly Balancer[] = [
  {
    name: "nginx",
    example: "nginx.conf",
    command(program, path, text) {
      const example = program.write(this.example, text);
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
        (kind) => `${kind}_temp_path ${program.folder}/${kind};`,
      );
      const main = program.write(
        "main.conf",
        `daemon off; pid nginx.pid; error_log stderr warn; worker_processes 2; events {}
         http { access_log off; ${temporary.join(" ")} include ${example}; }`,
      );
      return [path, "-p", program.folder, "-e", "stderr", "-c", main];
    },
    without: (text, port) => text.replace(new RegExp(`(server 127.0.0.1:${port}) [^;]+`), "$1 down"),
  },
  {
    name: "haproxy",
    example: "haproxy.cfg",
    command(program, path, text) {
      return [path, "-db", "-f", program.write(this.example, text)];
    },
  },
];

const wanted = Bun.argv.slice(2);
for (const balancer of balancers) {
  if (wanted.length > 0 && !wanted.includes(balancer.name)) continue;
  const path = Bun.which(balancer.name, { PATH: `${process.env.PATH}:/usr/sbin` });
  if (path === null) console.log(`Skipped ${balancer.name}: it is not installed.`);
  else await tryBalancer(balancer, path);
}

async function tryBalancer(balancer: Balancer, path: string): Promise<void> {
  const postgres = await startPostgres();
  const program = new Program();
  try {
    const port = await freePort();
    const ports = [await freePort(), await freePort()] as const;
    const flags = [`--database=${postgres.url()}`, "--auth=off", "--rate-limit=0", "--shutdown-delay=2"];
    const startNode = (nodePort: number) => startWith(["serve", `--port=${nodePort}`, ...flags]);
    const nodes: [Roster, Roster] = [await startNode(ports[0]), await startNode(ports[1])];
    const text = readFileSync(join(examples, balancer.example), "utf8")
      .replace("127.0.0.1:3001", `127.0.0.1:${ports[0]}`)
      .replace("127.0.0.1:3002", `127.0.0.1:${ports[1]}`)
      .replace(/(listen|bind :)( ?)8080/, (_, word, space) => `${word}${space}${port}`);
    program.openToAll();
    await program.start(balancer.command(program, path, text), port);
    const url = `http://127.0.0.1:${port}`;
    console.log(`${balancer.name}: ${await requestIds(url)}`);

    const callers = new Callers([url]);
    callers.start(CALLERS);
    const say = (what: string) =>
      console.log(`${balancer.name}, ${what}: ${formatSummary(callers.ledger.takeSummary())}`);
    const restart = async (which: 0 | 1, signal: NodeJS.Signals) => {
      nodes[which].kill(signal);
      await nodes[which].exited;
      await Bun.sleep(1000);
      nodes[which] = await startNode(ports[which]);
      await Bun.sleep(2500);
    };
    const reload = async (configuration: string) => {
      program.write(balancer.example, configuration);
      program.signal("SIGHUP");
      await Bun.sleep(1000);
    };
    await Bun.sleep(2000);
    say("both nodes well");
    for (let round = 0; round < ROUNDS; round++) {
      const which = round % 2 === 0 ? 0 : 1;
      await restart(which, "SIGKILL");
      say("kill -9 and a new start");
      await restart(which, "SIGTERM");
      say("SIGTERM and a new start");
      if (!balancer.without) continue;
      await reload(balancer.without(text, ports[which]));
      await restart(which, "SIGTERM");
      await reload(text);
      say("taken out, SIGTERM, a new start, put back");
    }
    await callers.stop();
    const { users, differences } = await callers.differences();
    console.log(`${balancer.name}: ${users} users; lost, doubled or not deleted: ${differences.length}`);
    for (const difference of differences.slice(0, 5)) console.log(`  ${difference}`);
  } catch (error) {
    console.error(program.log());
    throw error;
  } finally {
    await stopAll();
    await program.end();
    await postgres.destroy();
  }
}

/** Whether an id of the caller's comes back, and another where there is none. */
async function requestIds(url: string): Promise<string> {
  const own = await fetch(`${url}/healthz`, { headers: { "x-request-id": "my-own-id" } });
  const none = await fetch(`${url}/healthz`);
  const ids = [own, none].map(({ headers }) => headers.get("x-request-id"));
  return `X-Request-Id ${ids[0] === "my-own-id" ? "is passed on" : "is LOST"}, and made where there is none: ${ids[1]}`;
}

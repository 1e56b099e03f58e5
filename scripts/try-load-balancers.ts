/**
 * Tests docs/examples/nginx.conf and docs/examples/haproxy.cfg with the real programs: two nodes on one PostgreSQL. One
 * node is killed, stopped and restarted under load. Run `npx bun scripts/try-load-balancers.ts [nginx] [haproxy]`. ROUNDS
 * sets the number of rounds.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "../test/support/postgres/server.ts";
import { type Roster, startWith, stopAll } from "../test/support/process/roster.ts";
import { Callers } from "./trial/callers.ts";
import { formatSummary } from "./trial/ledger.ts";
import { freePort, Program } from "./trial/program.ts";
import { tryStreams } from "./trial/streams.ts";

const ROUNDS = Number(process.env.ROUNDS ?? 3);
const CALLERS = 24;
const examples = join(import.meta.dir, "..", "docs", "examples");

interface Balancer {
  readonly name: "nginx" | "haproxy";
  readonly example: string;
  /** The command that runs the load balancer in the foreground. `text` is the example with other ports. */
  command(program: Program, path: string, text: string): string[];
  /** The example without the node at this port. Only for a load balancer that does not check readiness. */
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

const selected = Bun.argv.slice(2);
for (const balancer of balancers) {
  if (selected.length > 0 && !selected.includes(balancer.name)) continue;
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
    program.makeFolderReadable();
    await program.start(balancer.command(program, path, text), port);
    const url = `http://127.0.0.1:${port}`;
    console.log(`${balancer.name}: ${await requestIds(url)}`);

    console.log(`${balancer.name}: ${await tryStreams(url)}`);

    const callers = new Callers([url]);
    callers.start(CALLERS);
    const report = (step: string) =>
      console.log(`${balancer.name}, ${step}: ${formatSummary(callers.ledger.takeSummary())}`);
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
    report("both nodes running");
    for (let round = 0; round < ROUNDS; round++) {
      const which = round % 2 === 0 ? 0 : 1;
      await restart(which, "SIGKILL");
      report("kill -9 and restart");
      await restart(which, "SIGTERM");
      report("SIGTERM and restart");
      if (!balancer.without) continue;
      await reload(balancer.without(text, ports[which]));
      await restart(which, "SIGTERM");
      await reload(text);
      report("removed, SIGTERM, restart, added again");
    }
    await callers.stop();
    const { users, differences } = await callers.differences();
    console.log(`${balancer.name}: ${users} users; lost, duplicated or not deleted: ${differences.length}`);
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

/** Whether the caller's request id comes back, and whether a request without one gets an id. */
async function requestIds(url: string): Promise<string> {
  const withId = await fetch(`${url}/healthz`, { headers: { "x-request-id": "my-own-id" } });
  const withoutId = await fetch(`${url}/healthz`);
  const ids = [withId, withoutId].map(({ headers }) => headers.get("x-request-id"));
  return `X-Request-Id ${ids[0] === "my-own-id" ? "is forwarded" : "is LOST"}, and added if missing: ${ids[1]}`;
}

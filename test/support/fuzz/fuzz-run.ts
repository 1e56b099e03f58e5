import { createSecret } from "../../../src/contract/keys/key-secret.ts";
import { bearer } from "../credentials.ts";
import { databaseOn, type Engine } from "../engines.ts";
import { brief, type Usage, UsageProbe } from "../leaks/process-usage.ts";
import { type Roster, startRoster } from "../process/roster.ts";
import { checkStoredUsers } from "./check-stored-users.ts";
import { play } from "./exchange.ts";
import { createCase, type FuzzCase } from "./fuzz-case.ts";
import { judge } from "./judge.ts";
import { departments } from "./odd-text.ts";
import type { FuzzTarget } from "./requests.ts";

export interface FuzzOptions {
  readonly engine: Engine;
  /** Whether the service requires a key. */
  readonly access: "off" | "key";
  readonly seed: string;
  /** How long to send cases, unless `cases` says which. */
  readonly seconds: number;
  readonly clients: number;
  /** The numbers of the cases to play. Default: all from 0 on, until the time is over. */
  readonly cases?: { readonly first: number; readonly last: number };
}

interface Finding {
  /** The cases that were running, with the bytes that they sent. */
  readonly cases: readonly FuzzCase[];
  readonly what: string;
}

export interface FuzzReport {
  readonly cases: number;
  readonly responses: number;
  readonly byStatus: Readonly<Record<string, number>>;
  readonly slowestMs: number;
  readonly users: number;
  readonly findings: readonly Finding[];
  readonly before: ReturnType<typeof brief> | undefined;
  readonly after: ReturnType<typeof brief> | undefined;
}

const MAX_FINDINGS = 20;
/** Shorter runs end before caches and compiled code have reached their size: they measure no memory and no descriptors. */
const MIN_SECONDS_FOR_USAGE = 30;
const IDLE_SECONDS = 3;

/** Sends random requests to a service that this function starts, and collects everything that goes wrong. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const database = await databaseOn(options.engine);
  try {
    return await new FuzzRun(options).run(database.url);
  } finally {
    await database.drop();
  }
}

class FuzzRun {
  readonly #findings: Finding[] = [];
  readonly #byStatus: Record<string, number> = {};
  readonly #running = new Map<number, FuzzCase>();
  readonly #probe = new UsageProbe();
  #next = 0;
  #cases = 0;
  #responses = 0;
  #slowestMs = 0;

  constructor(readonly options: FuzzOptions) {}

  async run(database: string): Promise<FuzzReport> {
    const { access, seconds, cases } = this.options;
    this.#next = cases?.first ?? 0;
    const key = createSecret();
    const roster = await startRoster(database, {
      flags: [
        `--idle-timeout=${IDLE_SECONDS}`,
        "--log-format=json",
        "--rate-limit=1000000/1",
        // Longer than the default: a busy machine is no finding.
        "--database-wait=60000",
        // The value `auto` would start to require a key as soon as a request creates one.
        ...(access === "off"
          ? ["--auth=off"]
          : ["--trusted-proxies=127.0.0.0/8", "--cors-origins=https://app.example"]),
      ],
      env: { ...this.#probe.env, ...(access === "key" && { ROSTER_API_KEY: key }) },
    });
    let isOver = false;
    void roster.exited.then(({ code, signal }) => {
      if (!isOver) this.#report(`the service ended with ${code ?? signal}: ${roster.stderr.join("\n")}`);
    });
    const target: FuzzTarget = {
      host: `127.0.0.1:${roster.port}`,
      keys: access === "key" ? await createKeys(roster, key) : [],
    };
    let before: Usage | undefined;
    let after: Usage | undefined;
    let users = 0;
    try {
      const headers = access === "key" ? bearer(key) : {};
      await createUsers(roster, headers);
      if (!cases && seconds >= MIN_SECONDS_FOR_USAGE && process.platform === "linux") {
        await this.#load(roster, target, seconds / 3);
        await checkStoredUsers(roster, headers);
        before = await this.#probe.measureIdle(roster);
      }
      await this.#load(roster, target, before ? (seconds * 2) / 3 : seconds);
      users = await checkStoredUsers(roster, headers);
      if (before) after = await this.#probe.expectBack(roster, before);
      isOver = true;
      roster.kill("SIGTERM");
      const { code } = await roster.exited;
      if (code !== 0) this.#report(`the service ended with ${code} after SIGTERM`);
    } catch (error) {
      this.#report(String(error));
    } finally {
      isOver = true;
      roster.kill("SIGKILL");
      await roster.exited;
    }
    for (const line of roster.stdout) if (line.includes('"level":"error"')) this.#report(`logged: ${line}`);
    if (roster.stderr.length > 0) this.#report(`stderr: ${roster.stderr.join("\n").slice(0, 2000)}`);
    return {
      cases: this.#cases,
      responses: this.#responses,
      byStatus: this.#byStatus,
      slowestMs: Math.round(this.#slowestMs),
      users,
      findings: this.#findings,
      before: before && brief(before),
      after: after && brief(after),
    };
  }

  /** Sends cases for some seconds, or until there are too many findings. */
  async #load(roster: Roster, target: FuzzTarget, seconds: number): Promise<void> {
    const { cases } = this.options;
    const deadline = cases ? Number.POSITIVE_INFINITY : performance.now() + seconds * 1000;
    const last = cases?.last ?? Number.POSITIVE_INFINITY;
    const send = async () => {
      while (performance.now() < deadline && this.#next <= last && this.#findings.length < MAX_FINDINGS) {
        await this.#play(roster, this.#next++, target);
      }
    };
    await Promise.all(Array.from({ length: this.options.clients }, send));
  }

  async #play({ port }: Roster, number: number, target: FuzzTarget): Promise<void> {
    const fuzzCase = createCase(this.options.seed, number, target);
    this.#running.set(number, fuzzCase);
    this.#cases += 1;
    try {
      const exchange = await play(port, fuzzCase);
      for (const what of await judge(fuzzCase, exchange)) this.#report(what, [fuzzCase]);
      for (const { status } of exchange.responses) this.#byStatus[status] = (this.#byStatus[status] ?? 0) + 1;
      this.#responses += exchange.responses.length;
      this.#slowestMs = Math.max(this.#slowestMs, exchange.firstByteMs ?? 0);
    } catch (error) {
      this.#report(`no connection: ${String(error)}`, [fuzzCase]);
    } finally {
      this.#running.delete(number);
    }
  }

  #report(what: string, cases: readonly FuzzCase[] = [...this.#running.values()]): void {
    if (this.#findings.length < MAX_FINDINGS) this.#findings.push({ what, cases });
  }
}

const USERS_PER_DEPARTMENT = 10;

async function createUsers(roster: Roster, headers: Record<string, string>): Promise<void> {
  for (const department of departments) {
    for (let count = 0; count < USERS_PER_DEPARTMENT; count++) {
      const { status } = await roster.call("/api/users", {
        method: "POST",
        json: { name: "User", department },
        headers,
      });
      if (status !== 201) throw new Error(`POST /api/users: status ${status}`);
    }
  }
}

/** A key with every scope, one that can only read, and one that soon reaches its rate limit. */
async function createKeys(roster: Roster, key: string): Promise<string[]> {
  const create = async (settings: object): Promise<string> => {
    const response = await roster.call("/api/keys", { method: "POST", json: settings, headers: bearer(key) });
    const created: { key: string } = await response.json();
    return created.key;
  };
  return [
    key,
    key,
    key,
    key,
    key,
    await create({ name: "read", scopes: ["users:read"] }),
    await create({ name: "write", scopes: ["users:write"] }),
    await create({
      name: "limited",
      scopes: ["users:read", "users:write"],
      rateLimit: { requests: 5, seconds: 1 },
      quota: 1000,
    }),
  ];
}

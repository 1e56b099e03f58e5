import type { JsonObject } from "../../../src/contract/json.ts";
import { createSecret } from "../../../src/contract/keys/key-secret.ts";
import { mediaTypes } from "../../../src/contract/operation.ts";
import { SCIM_PREFIX } from "../../../src/contract/scim/scim.ts";
import { bearer } from "../credentials.ts";
import { databaseOn, type Engine } from "../engines.ts";
import { brief, type Usage, UsageProbe } from "../leaks/process-usage.ts";
import { type Roster, startRoster } from "../process/roster.ts";
import { checkStoredUsers } from "./check-stored-users.ts";
import { type Exchange, play } from "./exchange.ts";
import { FeedCheck, type FeedEvent, type RequestOutcome } from "./feed-check.ts";
import { findPlanted } from "./find-planted.ts";
import { createCase, type FuzzCase } from "./fuzz-case.ts";
import { FuzzKeys } from "./fuzz-keys.ts";
import { judge } from "./judge.ts";
import { expectedVersions } from "./judge-access.ts";
import { judgeLog } from "./judge-log.ts";
import { departments } from "./odd-text.ts";
import { headerValue } from "./parse-response.ts";
import { PLANTED_SECRET } from "./planted-secret.ts";
import { checkFaces } from "./scim/check-faces.ts";

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
  readonly groups: number;
  readonly events: number;
  readonly findings: readonly Finding[];
  readonly before: ReturnType<typeof brief> | undefined;
  readonly after: ReturnType<typeof brief> | undefined;
}

const MAX_FINDINGS = 20;
/** Shorter runs end before caches and compiled code have reached their size: they measure no memory and no descriptors. */
const MIN_SECONDS_FOR_USAGE = 30;
/** So many cases are sent before the first measurement, on a busy machine too. */
const MIN_CASES_BEFORE_USAGE = 4000;
const IDLE_SECONDS = 3;
/** After so many cases, a key is revoked while requests use it, and another one takes its place. */
const CASES_PER_KEY = 100;

/** Sends random requests to a service that this function starts, and collects everything that goes wrong. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const database = await databaseOn(options.engine);
  try {
    return await new FuzzRun(options).run(database.url);
  } finally {
    await database.drop();
  }
}

interface RunTarget {
  readonly host: string;
  /** Undefined if the service requires none. */
  readonly keys: FuzzKeys | undefined;
}

class FuzzRun {
  readonly #findings: Finding[] = [];
  readonly #byStatus: Record<string, number> = {};
  readonly #running = new Map<number, FuzzCase>();
  readonly #probe = new UsageProbe();
  /** What is known of requests, by their ids. */
  readonly #outcomes = new Map<string, RequestOutcome>();
  /** In front of the ids that the service gives to requests. */
  #idPrefix = "";
  #next = 0;
  #cases = 0;
  #responses = 0;
  #slowestMs = 0;

  constructor(readonly options: FuzzOptions) {}

  async run(database: string): Promise<FuzzReport> {
    const { engine, access, seconds, cases } = this.options;
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
    const target = {
      host: `127.0.0.1:${roster.port}`,
      keys: access === "key" ? await FuzzKeys.create(roster, key) : undefined,
    };
    let before: Usage | undefined;
    let after: Usage | undefined;
    let [users, groups, events] = [0, 0, 0];
    try {
      const headers = access === "key" ? bearer(key) : {};
      this.#idPrefix = await readIdPrefix(roster);
      await createRecords(roster, headers);
      // Run from source, the service bundles a page for the first caller, which can take longer than the idle timeout.
      if (!cases) for (const path of ["/", "/docs"]) await (await roster.call(path)).text();
      if (!cases && seconds >= MIN_SECONDS_FOR_USAGE && process.platform === "linux") {
        await this.#load(roster, target, { seconds: seconds / 3, leastCases: MIN_CASES_BEFORE_USAGE });
        await checkStoredUsers(roster, headers);
        await checkFaces(roster, headers);
        before = await this.#probe.measureIdle(roster);
      }
      await this.#load(roster, target, { seconds: before ? (seconds * 2) / 3 : seconds });
      users = await checkStoredUsers(roster, headers);
      const records = await checkFaces(roster, headers);
      groups = records.size - users;
      events = await this.#checkEvents(roster, headers, records);
      if (before) after = await this.#probe.expectBack(roster, before);
      isOver = true;
      roster.kill("SIGTERM");
      const { code } = await roster.exited;
      if (code !== 0) this.#report(`the service ended with ${code} after SIGTERM`);
      const places = await findPlanted(engine, database);
      if (places.length > 0) this.#report(`a password of a request is in ${places}`, []);
    } catch (error) {
      this.#report(String(error));
    } finally {
      isOver = true;
      roster.kill("SIGKILL");
      await roster.exited;
    }
    for (const what of judgeLog(roster.stdout)) this.#report(what);
    if (roster.stderr.length > 0) this.#report(`stderr: ${roster.stderr.join("\n").slice(0, 2000)}`);
    return {
      cases: this.#cases,
      responses: this.#responses,
      byStatus: this.#byStatus,
      slowestMs: Math.round(this.#slowestMs),
      users,
      groups,
      events,
      findings: this.#findings,
      before: before && brief(before),
      after: after && brief(after),
    };
  }

  /** Sends cases for some seconds and at least so many, or until there are too many findings. */
  async #load(
    roster: Roster,
    target: RunTarget,
    { seconds, leastCases = 0 }: { readonly seconds: number; readonly leastCases?: number },
  ): Promise<void> {
    const { cases } = this.options;
    const deadline = cases ? Number.POSITIVE_INFINITY : performance.now() + seconds * 1000;
    const last = cases?.last ?? Number.POSITIVE_INFINITY;
    const goesOn = () => performance.now() < deadline || this.#next < leastCases;
    const send = async () => {
      while (goesOn() && this.#next <= last && this.#findings.length < MAX_FINDINGS) {
        await this.#play(roster, this.#next++, target);
      }
    };
    await Promise.all(Array.from({ length: this.options.clients }, send));
  }

  async #play({ port }: Roster, number: number, { host, keys }: RunTarget): Promise<void> {
    if (number % CASES_PER_KEY === CASES_PER_KEY - 1) await keys?.renew();
    const credentials = keys?.credentials ?? [];
    const fuzzCase = createCase(this.options.seed, number, { host, credentials });
    this.#running.set(number, fuzzCase);
    this.#cases += 1;
    try {
      const exchange = await play(port, fuzzCase);
      for (const what of await judge(fuzzCase, exchange)) this.#report(what, [fuzzCase]);
      this.#remember(fuzzCase, exchange);
      for (const { status } of exchange.responses) this.#byStatus[status] = (this.#byStatus[status] ?? 0) + 1;
      this.#responses += exchange.responses.length;
      this.#slowestMs = Math.max(this.#slowestMs, exchange.firstByteMs ?? 0);
    } catch (error) {
      this.#report(`no connection: ${String(error)}`, [fuzzCase]);
    } finally {
      this.#running.delete(number);
    }
  }

  /** Remembers which requests failed, and which had a precondition. */
  #remember({ requests }: FuzzCase, { responses }: Exchange): void {
    const finals = responses.filter(({ status }) => status >= 200);
    for (const [index, response] of finals.entries()) {
      const { status } = response;
      const id = headerValue(response, "x-request-id") ?? "";
      const request = requests?.[index];
      const versions = request && expectedVersions(request);
      const isFailure = status >= 400 && status < 500;
      if (id.startsWith(this.#idPrefix) && (isFailure || versions))
        this.#outcomes.set(id, { status, versions });
    }
  }

  /** Reads all events, and returns their number. */
  async #checkEvents(
    roster: Roster,
    headers: Record<string, string>,
    records: ReadonlyMap<string, JsonObject>,
  ): Promise<number> {
    const check = new FeedCheck({ outcomes: this.#outcomes, records });
    const { body } = await roster.call("/api/events", { headers: { ...headers, accept: mediaTypes.ndjson } });
    let count = 0;
    for await (const line of linesOf(body)) {
      if (line.includes(PLANTED_SECRET)) this.#report(`an event has a password of a request: ${line}`, []);
      const event: FeedEvent = JSON.parse(line);
      check.observe(event);
      count += 1;
    }
    for (const what of check.finish()) this.#report(what, []);
    return count;
  }

  #report(what: string, cases: readonly FuzzCase[] = [...this.#running.values()]): void {
    if (this.#findings.length < MAX_FINDINGS) this.#findings.push({ what, cases });
  }
}

const USERS_PER_DEPARTMENT = 10;
const GROUPS = 6;

/** Users of each department, and groups with some of them. */
async function createRecords(roster: Roster, headers: Record<string, string>): Promise<void> {
  const create = async (path: string, json: object) => {
    const { status } = await roster.call(path, { method: "POST", json, headers });
    if (status !== 201) throw new Error(`POST ${path}: status ${status}`);
  };
  for (const department of departments) {
    for (let count = 0; count < USERS_PER_DEPARTMENT; count++)
      await create("/api/users", { name: "User", department });
  }
  for (let id = 1; id <= GROUPS; id++) {
    const members = Array.from({ length: id }, (_, index) => ({ value: String(index + 1) }));
    await create(`${SCIM_PREFIX}/Groups`, { displayName: `Team ${id}`, members });
  }
}

/** The beginning of the ids that the service gives to requests which have none. */
async function readIdPrefix(roster: Roster): Promise<string> {
  const id = (await roster.call("/healthz")).headers.get("x-request-id") ?? "";
  return id.slice(0, id.indexOf("-") + 1);
}

async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body ?? []) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
  if (rest !== "") throw new Error("The last line of the events has no end.");
}

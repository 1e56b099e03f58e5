import { ApiError, type Client, createClient } from "../../src/client/index.ts";
import { readConfig } from "../../src/config/config.ts";
import { listSettings, type settings } from "../../src/config/settings.ts";
import { startService as start } from "../../src/serve.ts";
import { conforming } from "./conformance.ts";
import { databaseOn, type Engine } from "./engines.ts";
import { pooler } from "./postgres/fresh-database.ts";
import { TestClock } from "./test-clock.ts";

export type Settings = Partial<Record<keyof typeof settings, string | number>>;

export interface TestService {
  readonly url: string;
  /** The log lines so far. */
  readonly log: string[];
  /** The clock of the service. */
  readonly clock: TestClock;
  /** The client library on the service's socket. Every response is checked against the OpenAPI description. */
  readonly roster: Client;
  /** Sends an HTTP request to a path or URL of the service. The response is checked against the OpenAPI description. */
  call(path: string, init?: RequestInit): Promise<Response>;
  /** Sends a request with a JSON body. */
  send(method: string, path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  stop(): Promise<void>;
}

/** Starts the real service on a free port, with a database that `stop` removes. */
export async function startService(
  overrides: Settings = {},
  engine: Engine = "sqlite",
): Promise<TestService> {
  const database = await databaseOn(engine);
  const service = await startServiceOn(database.url, overrides);
  return {
    ...service,
    async stop() {
      await service.stop();
      await database.drop();
    },
  };
}

/** Starts the real service on a free port, with this database. */
export async function startServiceOn(databaseUrl: string, overrides: Settings = {}): Promise<TestService> {
  const log: string[] = [];
  const output = { write: (line: string) => log.push(line), terminal: false };
  const clock = new TestClock();
  const service = await start(readConfig(serviceFlags(databaseUrl, overrides), {}), output, [], clock);
  const stop = () => {
    clock.resume();
    return service.stop();
  };
  return { ...connectTo(service.url), log, clock, stop };
}

/** The flags of a service for tests. */
export function serviceFlags(database: string, overrides: Settings): string[] {
  return Object.entries({
    port: 0,
    database,
    logFormat: "json",
    databasePooler: pooler,
    // Longer than the default: on a busy machine, PostgreSQL may need more than 5 s.
    databaseWait: 60_000,
    ...overrides,
  }).map(([name, value]) => `--${flagOf(name)}=${value}`);
}

/** Calls a service. Every response is checked against the OpenAPI description. */
export function connectTo(url: string): Pick<TestService, "url" | "roster" | "call" | "send"> {
  const call = async (target: string, init: RequestInit = {}) => {
    const path = target.startsWith(url) ? target.slice(url.length) : target;
    return conforming(init.method ?? "GET", path, await fetch(url + path, { redirect: "manual", ...init }));
  };
  return {
    url,
    roster: createClient({
      baseUrl: url,
      retries: 0,
      fetch: async (request) => {
        const response = await fetch(request, { redirect: "manual" });
        return conforming(request.method, request.url.slice(url.length), response);
      },
    }),
    call,
    send: (method, path, body, headers = {}) =>
      call(path, {
        method,
        body: JSON.stringify(body),
        headers: { "content-type": "application/json", ...headers },
      }),
  };
}

/** The outcome of a client call: "done", or the problem, such as "409 email-taken". */
export async function outcome(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "done";
  } catch (error) {
    if (!(error instanceof ApiError) || error.problem?.type !== `/problems/${error.type}`) throw error;
    return `${error.status} ${error.type}`;
  }
}

function flagOf(name: string): string {
  const flag = listSettings().find(([each]) => each === name)?.[1].flag;
  if (!flag) throw new Error(`No setting with a flag is called ${name}.`);
  return flag;
}

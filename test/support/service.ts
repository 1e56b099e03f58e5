import { ApiError, type Client, createClient } from "../../src/client/index.ts";
import { readConfig } from "../../src/config/config.ts";
import { listSettings, type settings } from "../../src/config/settings.ts";
import { startService as start } from "../../src/serve.ts";
import { type Call, type Callable, callAt } from "./call.ts";
import { conforming } from "./conformance.ts";
import { databaseOn, type Engine } from "./engines.ts";
import { pooler } from "./postgres/fresh-database.ts";
import { TestClock } from "./test-clock.ts";

export type Settings = Partial<Record<keyof typeof settings, string | number>>;

export interface TestService extends Callable {
  readonly url: string;
  /** The log lines so far. */
  readonly log: string[];
  /** The clock of the service. */
  readonly clock: TestClock;
  /** The client library on the service's socket. Every response is checked against the OpenAPI description. */
  readonly roster: Client;
  /** Sends a request. The response is checked against the OpenAPI description. */
  readonly call: Call;
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
  const { flags, env } = serviceSettings(databaseUrl, overrides);
  const service = await start(readConfig(flags, env), output, [], clock);
  const stop = () => {
    clock.resume();
    return service.stop();
  };
  const url = service.url.replace("//0.0.0.0:", "//127.0.0.1:");
  return { ...connectTo(url), log, clock, stop };
}

/** The settings of a service for tests: flags, and variables for settings that have no flag. */
export function serviceSettings(
  database: string,
  overrides: Settings,
): { readonly flags: string[]; readonly env: Record<string, string> } {
  const values = Object.entries({
    port: 0,
    database,
    logFormat: "json",
    databasePooler: pooler,
    // Longer than the default: on a busy machine, PostgreSQL may need more than 5 s.
    databaseWait: 60_000,
    ...overrides,
  }).map(([name, value]) => ({ setting: findSetting(name), value }));
  return {
    flags: values.flatMap(({ setting: { flag }, value }) => (flag ? [`--${flag}=${value}`] : [])),
    env: Object.fromEntries(
      values.flatMap(({ setting: { flag, env }, value }) => (flag ? [] : [[env, String(value)]])),
    ),
  };
}

/** Calls a service. Every response is checked against the OpenAPI description. */
export function connectTo(url: string): Pick<TestService, "url" | "roster" | "call"> {
  const send = callAt(url, { redirect: "manual" });
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
    call: async (target, request = {}) => {
      const path = target.startsWith(url) ? target.slice(url.length) : target;
      return conforming(request.method ?? "GET", path, await send(path, request));
    },
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

function findSetting(name: string) {
  const [, setting] = listSettings().find(([each]) => each === name) ?? [];
  if (!setting) throw new Error(`No setting is called ${name}.`);
  return setting;
}

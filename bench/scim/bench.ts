import { createSecret } from "../../src/contract/keys/key-secret.ts";
import type { CompareEngine } from "../compare/engines.ts";
import { JsonCaller } from "../request-costs/json-caller.ts";
import { runSeed, startService } from "../support/child-server.ts";
import { startCpuMeter } from "../support/cpu-meter.ts";
import { ScratchFolder } from "../support/scratch-folder.ts";
import type { Row } from "../support/table.ts";
import { startWatchedService } from "../support/watched-service.ts";

/** One part of the benchmark. */
export type ScimBench = (setting: Setting) => Promise<Result>;

export interface Result {
  readonly figures: object;
  /** Under the heading of comparisons. */
  readonly rows: readonly Row[];
}

export interface Numbers {
  readonly users: number;
  readonly members: number;
  readonly putMembers: number;
  readonly patchMembers: number;
  readonly rounds: number;
  readonly requests: number;
}

export interface Setting {
  readonly numbers: Numbers;
  /** Starts a service on a new database with the first users of `roster seed`. */
  start(users: number): Promise<MeasuredService>;
  /** The same, with a watch on its event loop, which takes CPU time too. */
  startWatched(users: number): Promise<MeasuredService & { takeLongestTurn(): Promise<number> }>;
}

/** A service in its own process. Disposing of it stops it. */
export interface MeasuredService extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  readonly key: string;
  readonly caller: JsonCaller;
  /** Starts to measure the CPU time of the service and the database server, in µs. */
  startMeter(): () => number;
}

const FLAGS = ["--rate-limit=0", "--database-wait=60000"];

export function createSetting(engine: CompareEngine, numbers: Numbers): Setting {
  let databases = 0;
  const createDatabase = async (users: number) => {
    const database = await engine.create(`scim_${++databases}`);
    if (users > 0) await runSeed(users, database);
    return database;
  };
  const measure = (url: string, pid: number, key: string) => ({
    ...{ url, pid, key },
    caller: new JsonCaller(url, key),
    startMeter() {
      const [service, server] = [startCpuMeter(pid), engine.startCpuMeter()];
      return () => service() + server();
    },
  });
  return {
    numbers,
    async start(users) {
      const key = createSecret();
      const service = await startService(await createDatabase(users), FLAGS, { ROSTER_API_KEY: key });
      return {
        ...measure(service.url, service.pid, key),
        [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
      };
    },
    async startWatched(users) {
      const [key, folder] = [createSecret(), new ScratchFolder()];
      const database = await createDatabase(users);
      const service = await startWatchedService(database, folder, FLAGS, { ROSTER_API_KEY: key });
      return {
        ...measure(service.url, service.pid, key),
        takeLongestTurn: () => service.takeLongestTurn(),
        async [Symbol.asyncDispose]() {
          await service[Symbol.asyncDispose]();
          folder[Symbol.dispose]();
        },
      };
    },
  };
}

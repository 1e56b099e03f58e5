import { createSecret } from "../../../src/contract/keys/key-secret.ts";
import type { TestRequest } from "../../../test/support/call.ts";
import { bearer } from "../../../test/support/credentials.ts";
import { databaseOn, type Engine } from "../../../test/support/engines.ts";
import type { FreshDatabase } from "../../../test/support/postgres/fresh-database.ts";
import { type Roster, startRoster } from "../../../test/support/process/roster.ts";

export type StopSignal = "SIGTERM" | "SIGKILL";

/** A service that ends and starts again on the same database. Disposing of it deletes the database. */
export class RestartingService implements AsyncDisposable {
  /** What is wrong with its processes. */
  readonly failures: string[] = [];
  readonly restarts: Record<StopSignal, number> = { SIGTERM: 0, SIGKILL: 0 };
  /** A key with every scope. */
  readonly key: string;
  readonly #database: FreshDatabase;
  #roster: Roster;
  #isRestarting = false;

  private constructor(database: FreshDatabase, key: string, roster: Roster) {
    this.#database = database;
    this.key = key;
    this.#roster = roster;
  }

  static async start(engine: Engine): Promise<RestartingService> {
    const [database, key] = [await databaseOn(engine), createSecret()];
    return new RestartingService(database, key, await startOn(database, key));
  }

  /** Each start has a port of its own. */
  get port(): number {
    return this.#roster.port;
  }

  get url(): string {
    return this.#roster.url;
  }

  /** Changes when a restart begins and when it ends, and is even while the service runs. */
  get phase(): number {
    return 2 * (this.restarts.SIGTERM + this.restarts.SIGKILL) + (this.#isRestarting ? 1 : 0);
  }

  /** Sends a request of an administrator. */
  readonly call = (path: string, request?: TestRequest) =>
    this.#roster.call(path, { ...request, headers: { ...request?.headers, ...bearer(this.key) } });

  async restart(signal: StopSignal): Promise<void> {
    this.#isRestarting = true;
    await this.#end(signal);
    this.#roster = await startOn(this.#database, this.key);
    this.restarts[signal]++;
    this.#isRestarting = false;
  }

  /** Ends the service. Its failures are complete then. */
  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#roster.kill("SIGKILL");
    await this.#roster.exited;
    await this.#database.drop();
  }

  async #end(signal: StopSignal): Promise<void> {
    const { kill, exited, stdout, stderr } = this.#roster;
    kill(signal);
    const { code } = await exited;
    if (signal === "SIGTERM" && code !== 0)
      this.failures.push(`The service ends with ${code} after SIGTERM.`);
    for (const line of stdout)
      if (line.includes('"level":"error"')) this.failures.push(`The service logs ${line}`);
    if (stderr.length > 0) this.failures.push(`The service writes to stderr: ${stderr.join("\n")}`);
  }
}

function startOn({ url }: FreshDatabase, key: string): Promise<Roster> {
  // A database that a busy machine makes slow is no failure.
  const flags = ["--log-format=json", "--database-wait=60000"];
  return startRoster(url, { flags, env: { ROSTER_API_KEY: key } });
}

import type { Roster } from "../process/roster.ts";
import { Callers } from "./callers.ts";
import { Ledger } from "./ledger.ts";
import { findListInconsistencies, listAllUsers } from "./list-checks.ts";
import { findPostgresCorruption } from "./postgres-corruption.ts";
import { type ClientOptions, RetryingClient, readAndCheck } from "./retrying-client.ts";

const WRITERS = 16;
const READERS = 8;

/** Concurrent writers and readers on a service whose database or nodes fail from time to time. */
export class Load {
  readonly ledger = new Ledger();
  readonly writes: RetryingClient;
  readonly reads: RetryingClient;
  readonly #service: Pick<Roster, "call" | "send">;
  readonly #callers: Callers;
  #reading = false;
  #work: Promise<unknown> = Promise.resolve();

  constructor(
    options: Omit<ClientOptions, "errors" | "service"> & { service: Pick<Roster, "call" | "send"> },
  ) {
    const { errors } = this.ledger;
    this.#service = options.service;
    this.writes = new RetryingClient({ ...options, errors });
    this.reads = new RetryingClient({ ...options, errors });
    this.#callers = new Callers(this.ledger, WRITERS, options.repeatsAll ? 1 : 0.5);
  }

  async prepare(): Promise<void> {
    await this.#callers.createSharedUsers(this.#service, 3);
  }

  start(): void {
    this.ledger.beginRound();
    this.#reading = true;
    const read = async (owner: string) => {
      while (this.#reading) await readAndCheck(this.reads, this.ledger, owner);
    };
    const readers = Array.from({ length: READERS }, (_, index) => read(`c${index}`));
    this.#work = Promise.all([this.#callers.work(this.writes.write), ...readers]);
  }

  /** Waits for the last responses, and compares the users with what was acknowledged. */
  async stop(): Promise<void> {
    this.#reading = false;
    this.#callers.stop();
    await this.#work;
    this.ledger.settle((await listAllUsers(this.#service)).users);
  }

  /** Everything that went wrong so far, in responses and inside the database. */
  async findErrors(databaseUrl: string): Promise<string[]> {
    const { users } = await listAllUsers(this.#service);
    return [
      ...this.ledger.errors,
      ...(await findListInconsistencies(this.#service, users)),
      ...(await findPostgresCorruption(databaseUrl, users.length)),
    ];
  }

  get counts() {
    return { ...this.ledger.counts, writes: this.writes.counts, reads: this.reads.counts };
  }
}

/** Milliseconds until the service has created, read and deleted a user. */
export async function timeToServe({ service, withinMs }: Pick<ClientOptions, "service" | "withinMs">) {
  const errors: string[] = [];
  const client = new RetryingClient({ service, withinMs, errors, repeatsAll: true, mayBreak: true });
  const begin = performance.now();
  const body = JSON.stringify({ name: "Probe" });
  const key = crypto.randomUUID();
  const created = await client.write({ method: "POST", path: "/api/users", expected: 201, body, key });
  const path = `/api/users/${JSON.parse(created ?? "{}").id}`;
  while ((await client.read(path))?.status !== 200 && errors.length === 0);
  await client.write({ method: "DELETE", path, expected: 204 });
  if (errors.length > 0) throw new Error(errors.join("\n"));
  return Math.round(performance.now() - begin);
}

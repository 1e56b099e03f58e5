import type { Roster } from "../process/roster.ts";
import { disagreements, everyUser } from "./agreement.ts";
import { Callers } from "./callers.ts";
import { Client, type ClientOptions, readSomething } from "./client.ts";
import { Ledger } from "./ledger.ts";
import { postgresDamage } from "./postgres-damage.ts";

const WRITERS = 16;
const READERS = 8;

/** Callers that write and callers that read, on a service whose database or nodes fail it now and then. */
export class Load {
  readonly ledger = new Ledger();
  readonly writes: Client;
  readonly reads: Client;
  readonly #service: Pick<Roster, "call" | "send">;
  readonly #callers: Callers;
  #reading = false;
  #work: Promise<unknown> = Promise.resolve();

  constructor(
    options: Omit<ClientOptions, "faults" | "service"> & { service: Pick<Roster, "call" | "send"> },
  ) {
    const { faults } = this.ledger;
    this.#service = options.service;
    this.writes = new Client({ ...options, faults });
    this.reads = new Client({ ...options, faults });
    this.#callers = new Callers(this.ledger, WRITERS, options.repeatsAll ? 1 : 0.5);
  }

  async prepare(): Promise<void> {
    await this.#callers.makeShared(this.#service, 3);
  }

  start(): void {
    this.ledger.beginRound();
    this.#reading = true;
    const read = async (owner: string) => {
      while (this.#reading) await readSomething(this.reads, this.ledger, owner);
    };
    const readers = Array.from({ length: READERS }, (_, index) => read(`c${index}`));
    this.#work = Promise.all([this.#callers.work(this.writes.ask), ...readers]);
  }

  /** Lets every caller get its last answer, and holds what is there against what was acknowledged. */
  async stop(): Promise<void> {
    this.#reading = false;
    this.#callers.stop();
    await this.#work;
    this.ledger.settle((await everyUser(this.#service)).users);
  }

  /** Everything that went wrong so far, in the answers and inside the database. */
  async faults(databaseUrl: string): Promise<string[]> {
    const { users } = await everyUser(this.#service);
    return [
      ...this.ledger.faults,
      ...(await disagreements(this.#service, users)),
      ...(await postgresDamage(databaseUrl, users.length)),
    ];
  }

  get figures() {
    return { ...this.ledger.figures, writes: this.writes.figures, reads: this.reads.figures };
  }
}

/** Asks until the service takes a write, reads it again and takes it back; how many milliseconds that took. */
export async function timeToServe({ service, withinMs }: Pick<ClientOptions, "service" | "withinMs">) {
  const faults: string[] = [];
  const client = new Client({ service, withinMs, faults, repeatsAll: true, mayBreak: true });
  const begin = performance.now();
  const body = JSON.stringify({ name: "Probe" });
  const key = crypto.randomUUID();
  const created = await client.ask({ method: "POST", path: "/api/users", expected: 201, body, key });
  const path = `/api/users/${JSON.parse(created ?? "{}").id}`;
  while ((await client.read(path))?.status !== 200 && faults.length === 0);
  await client.ask({ method: "DELETE", path, expected: 204 });
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return Math.round(performance.now() - begin);
}

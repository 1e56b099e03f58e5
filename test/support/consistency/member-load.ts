import type { Callable } from "../call.ts";
import { type ClientOptions, type History, pick } from "./recording-client.ts";

const GROUPS = 3;
const CLIENTS = 3;
/** Users of each client: no other client changes their memberships, so that each acknowledged change is the last one. */
const USERS_PER_CLIENT = 6;
export const MEMBER_USERS = CLIENTS * USERS_PER_CLIENT;
const RETRY_MS = 20;

/** Clients that add and remove members of a few groups, and what was acknowledged. */
export class MemberLoad {
  readonly #options: ClientOptions;
  readonly #history: Pick<History, "errors">;
  readonly #counts: { members: number };
  readonly #groups: number[] = [];
  /** The users of each client. */
  readonly #users: (readonly number[])[] = [];
  /** The acknowledged members of each group. */
  readonly #members = new Map<number, Set<number>>();
  #isRunning = false;
  #work: Promise<unknown> = Promise.resolve();

  /** `counts` has the number of acknowledged changes. */
  constructor(history: Pick<History, "errors">, options: ClientOptions, counts: { members: number }) {
    this.#history = history;
    this.#counts = counts;
    this.#options = options;
  }

  /** Creates the groups. Nobody else deletes these users. */
  async prepare(users: readonly number[]): Promise<void> {
    for (let first = 0; first < users.length; first += USERS_PER_CLIENT)
      this.#users.push(users.slice(first, first + USERS_PER_CLIENT));
    while (this.#groups.length < GROUPS) {
      const name = `Group ${this.#groups.length + 1}`;
      const text = await this.#send("/api/groups", "POST", { name }, { "idempotency-key": name });
      const { id } = JSON.parse(text);
      this.#groups.push(id);
      this.#members.set(id, new Set());
    }
  }

  start(): void {
    this.#isRunning = true;
    this.#work = Promise.all(this.#users.map((users) => this.#runClient(users)));
  }

  /** Waits until each change that was sent is acknowledged. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#work;
  }

  async #runClient(users: readonly number[]): Promise<void> {
    while (this.#isRunning) {
      const group = pick(this.#groups) ?? 0;
      if (Math.random() < 0.6) await this.#changeOne(group, pick(users) ?? 0);
      else await this.#changeSome(group, users);
      this.#counts.members++;
      await Bun.sleep(RETRY_MS);
    }
  }

  async #changeOne(group: number, user: number): Promise<void> {
    const members = this.#membersOf(group);
    const adds = !members.has(user);
    await this.#send(`/api/groups/${group}/members/${user}`, adds ? "PUT" : "DELETE");
    if (adds) members.add(user);
    else members.delete(user);
  }

  /** Adds those of some users that are not members, and removes the others, all or none. */
  async #changeSome(group: number, users: readonly number[]): Promise<void> {
    const members = this.#membersOf(group);
    const chosen = users.filter(() => Math.random() < 0.5);
    const add = chosen.filter((user) => !members.has(user));
    const remove = chosen.filter((user) => members.has(user));
    await this.#send(`/api/groups/${group}/members`, "PATCH", { add, remove });
    for (const user of add) members.add(user);
    for (const user of remove) members.delete(user);
  }

  /** Repeats the request until it succeeds: it asks for a state, so that it can be repeated. */
  async #send(
    path: string,
    method: string,
    json?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    for (;;) {
      const port = pick(this.#options.ports()) ?? 0;
      try {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, {
          method,
          headers: { ...headers, ...(json && { "content-type": "application/json" }) },
          ...(json && { body: JSON.stringify(json) }),
        });
        const text = await response.text();
        if (response.ok) return text;
        if (response.status !== 503 && !text.includes("/problems/idempotency-in-flight")) {
          this.#history.errors.push(`${method} ${path} got ${response.status}: ${text}`);
          return text;
        }
      } catch (error) {
        if (!this.#options.mayBreak) this.#history.errors.push(`${method} ${path} failed: ${String(error)}`);
      }
      await Bun.sleep(RETRY_MS);
    }
  }

  /** Compares each group with what was acknowledged: its members, their number, and what its events say. */
  async findErrors(node: Callable): Promise<string[]> {
    const errors: string[] = [];
    for (const group of this.#groups) {
      const expected = JSON.stringify([...this.#membersOf(group)].sort((a, b) => a - b));
      const compare = (what: string, actual: readonly number[]) => {
        const found = JSON.stringify([...actual].sort((a, b) => a - b));
        if (found !== expected) errors.push(`group ${group}: ${what} ${found}, expected ${expected}`);
      };
      const listed: { id: number }[] = await (
        await node.call(`/api/groups/${group}/members?limit=1000`)
      ).json();
      compare(
        "the list has",
        listed.map(({ id }) => id),
      );
      const { memberCount, version } = await (await node.call(`/api/groups/${group}`)).json();
      if (memberCount !== this.#membersOf(group).size)
        errors.push(`group ${group}: memberCount is ${memberCount}`);
      const events = await readEvents(node, group);
      const replayed = new Set<number>();
      for (const { changes } of events) {
        for (const id of changes.members?.added ?? []) replayed.add(id);
        for (const id of changes.members?.removed ?? []) replayed.delete(id);
      }
      compare("the events say", [...replayed]);
      const gap = events.findIndex((event, index) => event.version !== index + 1);
      if (gap >= 0 || events.at(-1)?.version !== version)
        errors.push(`group ${group}: the events have no version ${gap + 1}, or end before ${version}`);
    }
    return errors;
  }

  #membersOf(group: number): Set<number> {
    const members = this.#members.get(group);
    if (!members) throw new Error(`There is no group ${group} in this load.`);
    return members;
  }
}

interface GroupEvent {
  readonly version: number;
  readonly changes: { readonly members?: { readonly added: number[]; readonly removed: number[] } };
}

/** All events of a group, oldest first. On PostgreSQL, the last ones take a moment until they are part of the feed. */
async function readEvents(node: Callable, group: number): Promise<GroupEvent[]> {
  const { version } = await (await node.call(`/api/groups/${group}`)).json();
  for (;;) {
    const response = await node.call(`/api/events?subject=group:${group}`, {
      headers: { accept: "application/x-ndjson" },
    });
    const lines = (await response.text()).split("\n").filter((line) => line !== "");
    const events = lines.map((line): GroupEvent => JSON.parse(line));
    if (events.at(-1)?.version === version) return events;
    await Bun.sleep(RETRY_MS);
  }
}

import type { Callable, TestRequest } from "../call.ts";
import { until } from "../until.ts";
import { findAnomalies } from "./check-history.ts";
import { findListInconsistencies, listAllUsers, teams, words } from "./list-checks.ts";
import { MEMBER_USERS, MemberLoad } from "./member-load.ts";
import type { Change, Create, Fields, ResponseData, User, UserRequest } from "./operation.ts";
import { type ClientOptions, History, pick, RecordingClient } from "./recording-client.ts";

export interface WorkloadOptions extends ClientOptions {
  readonly clients?: number;
  /** The share of requests without a response that are repeated until they get one. Default: half of them. */
  readonly repeated?: number;
  /** The pause of a client between two requests. Default: leaves the processor to other tests. */
  readonly pauseMs?: number;
  /** A request that fails for this long is an error. */
  readonly retryLimitMs?: number;
}

const CLIENTS = 40;
const PAUSE_MS = 20;
const SHARED_USERS = 6;
/** Above this number, clients delete users instead of creating more. */
const MAX_USERS = 150;
const MAX_KEYED = 50;
const RETRY_LIMIT_MS = 30_000;
/** Emails that many clients want. */
const LOCKS = ["lock-1@example.com", "Lock-2@Example.com", "lock-3@example.com"];

let workloads = 0;

/**
 * Concurrent clients that create, change, read and delete users, and the history of all their requests. Other clients change members of
 * groups.
 */
export class Workload {
  readonly history = new History();
  /** `members` are acknowledged changes of members, which the other counts leave out. */
  readonly counts = { acknowledged: 0, repeated: 0, members: 0 };
  readonly #name = `w${++workloads}`;
  /** Users that all clients change and nobody deletes. */
  readonly #shared: number[] = [];
  /** Users that are not deleted yet. */
  readonly #users = new Set<number>();
  /** The last creates with an Idempotency-Key, to repeat later. */
  readonly #keyed: Create[] = [];
  readonly #members: MemberLoad;
  #writes = 0;
  #isRunning = false;
  #work: Promise<unknown> = Promise.resolve();

  constructor(readonly options: WorkloadOptions) {
    this.#members = new MemberLoad(this.history, options, this.counts);
  }

  /** Creates the users that all clients change. Call it before the first fault. */
  async prepare(): Promise<void> {
    const client = new RecordingClient(this.history, this.options);
    const members: number[] = [];
    while (this.#shared.length < SHARED_USERS || members.length < MEMBER_USERS) {
      const response = await client.send({ method: "POST", body: this.#record(null) });
      // A busy machine may be too slow for a short --database-wait.
      if (response?.status === 503) continue;
      if (response?.status !== 201) throw new Error(`POST: ${response?.status} ${response?.text}`);
      const { id } = JSON.parse(response.text);
      if (this.#shared.length < SHARED_USERS) this.#shared.push(id);
      else members.push(id);
    }
    client.close();
    await this.#members.prepare(members);
  }

  start(): void {
    this.#isRunning = true;
    const clients = Array.from({ length: this.options.clients ?? CLIENTS }, () => this.#runClient());
    this.#members.start();
    this.#work = Promise.all(clients);
  }

  /** A condition to wait for: this many more writes have been acknowledged. */
  moreWrites(count: number): () => boolean {
    const goal = this.counts.acknowledged + count;
    return () => this.counts.acknowledged >= goal;
  }

  /** Waits for the last responses. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#work;
    await this.#members.stop();
  }

  /**
   * Reads all users through each node, and returns everything that is wrong with the history, the lists and the database.
   * Call it while no client is running.
   */
  async findErrors(
    nodes: readonly Callable[],
    findCorruption: (users: number) => string[] | Promise<string[]>,
  ): Promise<string[]> {
    const found: string[] = [];
    for (const node of nodes.map(retrying)) {
      const users = await this.#readAll(node);
      found.push(...(await findListInconsistencies(node, users)), ...(await findCorruption(users.length)));
      found.push(...(await this.#members.findErrors(node)));
    }
    return [...this.history.errors, ...findAnomalies(this.history.operations), ...found];
  }

  /** Records a list of all users, and that the users that are not listed do not exist. */
  async #readAll(node: Callable): Promise<User[]> {
    const invoked = performance.now();
    const { users } = await listAllUsers(node);
    const completed = performance.now();
    const record = (request: UserRequest, response: ResponseData) =>
      this.history.operations.push({ request, invoked, completed, response });
    record({ method: "GET" }, { status: 200, text: JSON.stringify(users), replayed: false });
    const listed = new Set(users.map(({ id }) => id));
    const missing = { status: 404, text: '{"type":"/problems/user-not-found"}', replayed: false };
    for (const id of new Set([...this.#users, ...this.#shared]))
      if (!listed.has(id)) record({ method: "GET", id }, missing);
    return users;
  }

  async #runClient(): Promise<void> {
    const { pauseMs = PAUSE_MS } = this.options;
    const client = new RecordingClient(this.history, this.options);
    while (this.#isRunning) {
      await this.#step(client);
      if (pauseMs > 0) await Bun.sleep(pauseMs);
    }
    client.close();
  }

  #step(client: RecordingClient): Promise<unknown> {
    const user = this.#pickUser();
    const shared = pick(this.#shared) ?? 0;
    const id = Math.random() < 0.3 ? shared : (user ?? shared);
    const dice = Math.random();
    if (dice < 0.3) return this.#read(client, id);
    if (dice < 0.35) return this.#list(client);
    if (dice < 0.5) return this.#users.size < MAX_USERS ? this.#create(client) : this.#delete(client, user);
    if (dice < 0.7) return this.#change(client, id);
    if (dice < 0.85) return this.#changeIfUnchanged(client, id, id !== shared);
    if (dice < 0.9) return this.#delete(client, user);
    return this.#lock(client, user);
  }

  async #read(client: RecordingClient, id: number): Promise<User | undefined> {
    const response = await this.#send(client, () => ({ method: "GET", id }));
    return response?.status === 200 ? JSON.parse(response.text) : undefined;
  }

  async #list(client: RecordingClient): Promise<void> {
    const queries = [
      "sort=-id",
      `team=${pick(teams)}`,
      `q=${encodeURIComponent(pick(words) ?? "")}`,
      "sort=-updatedAt",
    ];
    const query = `${pick(queries)}&limit=20`;
    await this.#send(client, () => ({ method: "GET", query }));
  }

  async #create(client: RecordingClient): Promise<void> {
    const body = this.#record(Math.random() < 0.5 ? `${this.#name}.${this.#writes}@Example.com` : null);
    await this.#post(client, body);
  }

  /** Creates a user, with an Idempotency-Key more often than not. Sometimes repeats an earlier create. */
  async #post(client: RecordingClient, body: Fields): Promise<number | undefined> {
    const isKeyed = Math.random() < 0.6;
    const request: Create = { method: "POST", body, ...(isKeyed && { key: `key-${body.mark}` }) };
    const response = isKeyed
      ? await this.#send(client, () => request)
      : await this.#sendOnce(client, request);
    if (isKeyed && this.#keyed.push(request) > MAX_KEYED) this.#keyed.shift();
    const earlier = Math.random() < 0.2 ? pick(this.#keyed) : undefined;
    if (earlier) await this.#sendOnce(client, earlier);
    return response?.status === 201 ? JSON.parse(response.text).id : undefined;
  }

  /** Changes a user, and often reads it at once, on any node. */
  async #change(client: RecordingClient, id: number): Promise<void> {
    const isPut = Math.random() < 0.3;
    await this.#send(client, () =>
      isPut ? { method: "PUT", id, body: this.#record(null) } : this.#patch(id),
    );
    if (Math.random() < 0.7) await this.#read(client, id);
  }

  async #changeIfUnchanged(client: RecordingClient, id: number, mayDelete: boolean): Promise<void> {
    const ifMatch = (await this.#read(client, id))?.version;
    if (ifMatch === undefined) return;
    const dice = Math.random();
    if (mayDelete && dice < 0.2) await this.#sendOnce(client, { method: "DELETE", id, ifMatch });
    else if (dice < 0.5)
      await this.#sendOnce(client, { method: "PUT", id, body: this.#record(null), ifMatch });
    else await this.#sendOnce(client, { ...this.#patch(id), ifMatch });
  }

  async #delete(client: RecordingClient, id: number | undefined): Promise<void> {
    if (id !== undefined) await this.#send(client, () => ({ method: "DELETE", id }));
  }

  /** Acquires an email that other clients want, too, and releases it. Sometimes releases an email that another client has. */
  async #lock(client: RecordingClient, user: number | undefined): Promise<void> {
    const email = pick(LOCKS) ?? "";
    const acquired =
      user !== undefined && Math.random() < 0.3
        ? await this.#send(client, () => this.#patch(user, { email })).then((response) =>
            response?.status === 200 ? user : undefined,
          )
        : await this.#post(client, this.#record(email));
    if (acquired !== undefined) await this.#read(client, acquired);
    const holder = acquired ?? (Math.random() < 0.3 ? await this.#findHolder(client, email) : undefined);
    if (holder === undefined) return;
    const dice = Math.random();
    if (dice < 0.4) await this.#delete(client, holder);
    else if (dice < 0.7) await this.#send(client, () => this.#patch(holder, { email: null }));
    else await this.#send(client, () => ({ method: "PUT", id: holder, body: this.#record(null) }));
  }

  async #findHolder(client: RecordingClient, email: string): Promise<number | undefined> {
    const response = await this.#sendOnce(client, { method: "GET", query: `email=${email}` });
    const users: User[] = response?.status === 200 ? JSON.parse(response.text) : [];
    return users[0]?.id;
  }

  /** Sends a request, and sometimes repeats it until a response arrives. A change gets a new mark for each attempt. */
  async #send(client: RecordingClient, build: () => UserRequest): Promise<ResponseData | undefined> {
    const { retryLimitMs = RETRY_LIMIT_MS } = this.options;
    const deadline = performance.now() + retryLimitMs;
    for (;;) {
      const response = await this.#sendOnce(client, build());
      const isFinal =
        response && response.status !== 503 && !response.text.includes("/problems/idempotency-in-flight");
      if (isFinal || Math.random() > (this.options.repeated ?? 0.5)) return response;
      if (performance.now() > deadline) {
        this.history.errors.push(`${build().method} did not succeed within ${retryLimitMs} ms`);
        return undefined;
      }
      this.counts.repeated++;
      await Bun.sleep(10 + Math.random() * 50);
    }
  }

  async #sendOnce(client: RecordingClient, request: UserRequest): Promise<ResponseData | undefined> {
    const response = await client.send(request);
    if (!response || response.status === 503) {
      // A kept-alive client must not spin while a node is down.
      await Bun.sleep(20 + Math.random() * 50);
      return response;
    }
    if (request.method === "GET") return response;
    if (response.status < 300) this.counts.acknowledged++;
    if (request.method === "DELETE" && response.status !== 412) this.#users.delete(request.id);
    if (request.method === "POST" && response.status === 201 && !response.replayed)
      this.#users.add(JSON.parse(response.text).id);
    return response;
  }

  #pickUser(): number | undefined {
    return pick([...this.#users]);
  }

  /** A record whose every part names its write. Some records are larger than a database page. */
  #record(email: string | null): Fields {
    const mark = this.#mark();
    return {
      name: `${pick(words)} ${mark}`,
      ...(email !== null && { email }),
      mark,
      team: pick(teams) ?? "",
      deep: { mark, tags: [mark] },
      ...(Math.random() < 0.1 && { note: `${mark} `.repeat(400) }),
    };
  }

  /** Sets one of a few fields, so that a later version shows which patches came before it. */
  #patch(id: number, fields: Fields = {}): Change {
    const mark = this.#mark();
    const field = pick(["red", "green", "blue"]) ?? "";
    return {
      method: "PATCH",
      id,
      body: { mark, [field]: mark, ...(Math.random() < 0.2 && { note: null }), ...fields },
    };
  }

  #mark(): string {
    return `${this.#name}-${++this.#writes}`;
  }
}

/** A caller that repeats requests with status 503. */
function retrying(node: Callable): Callable {
  const attempt = async (path: string, request?: TestRequest) => {
    const response = await node.call(path, request);
    return response.status === 503 ? undefined : response;
  };
  return { call: (path, request) => until(() => attempt(path, request)) };
}

import { toEventId } from "../../src/domain/events/event.ts";
import { type Credential, describeCredential } from "./credential.ts";
import { findNext } from "./find-next.ts";
import { ConnectionLost, type SimulatedNode } from "./node.ts";
import type { ReceivedEvent } from "./observation.ts";
import type { Random } from "./random.ts";
import { toInit, type World } from "./world.ts";

/** How a caller follows the events. */
export interface FollowPlan {
  /** By an event stream, or by requests that wait. */
  readonly kind: "stream" | "poll";
  /** The event to begin after. Undefined for the beginning of the feed. */
  readonly after: string | undefined;
  /** Only events of this type; undefined for all. */
  readonly type: string | undefined;
  /** The caller leaves after this long; undefined if it stays. */
  readonly leavesAfterMs: number | undefined;
}

const BEGINNING = toEventId(0);
/** How long a caller waits before it connects again. */
const RETRY_MS = 300;

/** A caller that follows the events: whenever it loses its connection, it continues on any node after the last id it knows. */
export class SimulatedFollower {
  readonly number: number;
  readonly plan: FollowPlan;
  /** The last id that the caller knows. It has seen everything up to there. */
  cursor: string;
  readonly received = new Map<string, ReceivedEvent>();
  /** Where the caller is connected, and since when; undefined if it is not, or does not read now. */
  connected:
    | { readonly node: SimulatedNode; readonly since: number; readonly credential: Credential }
    | undefined;
  /** Whether the caller sometimes pauses and disconnects. */
  isUnsteady = true;
  readonly #world: World;
  readonly #random: Random;
  #isEnded = false;
  /** Fails when the caller leaves. */
  readonly #left = Promise.withResolvers<never>();

  constructor(world: World, plan: FollowPlan, random: Random) {
    this.#world = world;
    this.plan = plan;
    this.#random = random;
    this.cursor = plan.after ?? BEGINNING;
    this.#left.promise.catch(() => undefined);
    this.number = world.followers.push(this);
  }

  /** The caller has left. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  async run(): Promise<void> {
    const { leavesAfterMs } = this.plan;
    if (leavesAfterMs !== undefined) this.#world.machine.after(leavesAfterMs, () => this.#end());
    while (!this.#isEnded) {
      const node = this.#world.pickNode(this.#random);
      if (node) await (this.plan.kind === "stream" ? this.#stream(node) : this.#poll(node)).catch(ignoreLost);
      this.connected = undefined;
      if (!this.#isEnded) await this.#world.machine.sleep(this.#random.between(1, RETRY_MS));
    }
  }

  #end(): void {
    this.#isEnded = true;
    this.connected = undefined;
    this.#left.reject(new ConnectionLost());
  }

  #describe(credential: Credential): string {
    const kind = this.plan.kind === "stream" ? `, a stream after ${this.cursor},` : "";
    return `follower ${this.number}${kind} with ${describeCredential(credential)}`;
  }

  matches(type: string): boolean {
    return this.plan.type === undefined || this.plan.type === type;
  }

  async #poll(node: SimulatedNode): Promise<void> {
    const type = this.plan.type === undefined ? "" : `&type=${this.plan.type}`;
    const path = `/api/events?after=${this.cursor}&limit=${1 + this.#random.integer(100)}&wait=${1 + this.#random.integer(5)}${type}`;
    const credential = this.#world.pickCredential(this.#random);
    this.connected = { node, since: this.#world.nowMs, credential };
    const answer = await this.#world.call(node, { path, credential, caller: this.#describe(credential) });
    if (answer?.status !== 200 || this.#isEnded) return;
    const events: ReceivedEvent[] = JSON.parse(answer.text);
    for (const event of events) this.#receive(event);
    // A page can be short, or empty, and still have a next one.
    this.cursor = findNext(answer) ?? this.cursor;
  }

  async #stream(node: SimulatedNode): Promise<void> {
    const world = this.#world;
    const type = this.plan.type === undefined ? "" : `?type=${this.plan.type}`;
    const credential = world.pickCredential(this.#random);
    const request = {
      path: `/api/events${type}`,
      credential,
      headers: { accept: "text/event-stream", "last-event-id": this.cursor },
      caller: this.#describe(credential),
    };
    const call = world.begin(node, request);
    const { response, connection } = await node
      .send(request.path, toInit(request, call))
      .catch((error: unknown) => {
        world.end(call, undefined);
        throw error;
      });
    const { status, headers } = response;
    const isStream = status === 200 && response.body !== null;
    world.end(call, { status, headers, text: isStream ? "" : await response.text(), at: world.nowMs });
    connection.keepOpen();
    const reader = isStream ? response.body?.getReader() : undefined;
    try {
      if (reader) await this.#read(reader, { node, credential }, connection.race);
    } finally {
      connection.close();
      reader?.cancel().catch(() => undefined);
    }
  }

  async #read(
    reader: { read(): Promise<{ value?: Uint8Array | undefined; done: boolean }> },
    server: { readonly node: SimulatedNode; readonly credential: Credential },
    race: <T>(work: Promise<T>) => Promise<T>,
  ): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    while (!this.#isEnded) {
      this.connected ??= { ...server, since: this.#world.nowMs };
      const { value, done } = await race(Promise.race([reader.read(), this.#left.promise])).catch(throwLost);
      if (done || this.#isEnded) return;
      const messages = (rest + decoder.decode(value, { stream: true })).split("\n\n");
      rest = messages.pop() ?? "";
      for (const message of messages) this.#take(message);
      if (!this.isUnsteady) continue;
      if (this.#random.chance(0.1)) return;
      if (this.#random.chance(0.2)) {
        this.connected = undefined;
        await race(this.#world.machine.sleep(this.#random.between(0, 3000)));
      }
    }
  }

  #take(message: string): void {
    const lines = message.split("\n");
    const data = lines.find((line) => line.startsWith("data: "));
    const id = lines.find((line) => line.startsWith("id: "));
    if (data) this.#receive(JSON.parse(data.slice("data: ".length)));
    if (id) this.cursor = id.slice("id: ".length);
  }

  #receive(event: ReceivedEvent): void {
    this.#world.trace(
      () =>
        `follower ${this.number} gets ${event.id} ${event.type} of ${event.subject.type} ${event.subject.id}`,
    );
    this.#world.observe({ kind: "followed", follower: this, event });
    this.received.set(event.id, event);
    this.cursor = event.id;
  }
}

/** A stream fails without a reason if the service ends it. */
function throwLost(): never {
  throw new ConnectionLost();
}

function ignoreLost(error: unknown): void {
  if (!(error instanceof ConnectionLost)) throw error;
}

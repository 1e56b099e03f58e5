import type { Fields } from "../support/consistency/operation.ts";
import { ActivePeriods } from "./active-periods.ts";
import {
  type Credential,
  describeCredential,
  isValid,
  type KnownKey,
  type KnownSession,
  NOBODY,
  toHeaders,
} from "./credential.ts";
import type { SimulatedFollower } from "./follower.ts";
import { History } from "./history.ts";
import type { Invariant } from "./invariant.ts";
import { createInvariants } from "./invariants/index.ts";
import type { Machine } from "./machine.ts";
import { ConnectionLost, SimulatedNode } from "./node.ts";
import type { Answer, Call, Observation } from "./observation.ts";
import type { Plan } from "./plan.ts";
import type { Random } from "./random.ts";
import { Receivers } from "./receivers.ts";
import type { SimulatedDatabase } from "./simulated-database.ts";
import { hasSmallLimits } from "./small-limits.ts";

/** An invariant that does not hold. */
export interface Violation {
  readonly invariant: string;
  readonly detail: string;
  readonly atMs: number;
}

/** What callers know, and everything that the simulation consists of. */
export class World {
  readonly history: History;
  readonly activePeriods: ActivePeriods;
  readonly nodes: readonly SimulatedNode[];
  readonly receivers: Receivers;
  readonly followers: SimulatedFollower[] = [];
  readonly keys: KnownKey[] = [];
  readonly sessions: KnownSession[] = [];
  /** The ids of users that were created, deleted ones included. */
  readonly userIds: number[] = [];
  /** The ids of groups that were created, removed ones included. */
  readonly groupIds: number[] = [];
  readonly hasSmallLimits: boolean;
  /** The service requires keys, or may require them: somebody has asked for the first one. */
  isFirstKeyRequested = false;
  violation: Violation | undefined;
  /** The lines of the trace; undefined if nobody reads them. */
  readonly #lines: string[] | undefined;
  /** Until when each node may know less than the database, because it is disturbed. */
  readonly #disturbedUntil = new Map<SimulatedNode, number>();
  readonly #invariants: readonly Invariant[];
  #requests = 0;
  #marks = 0;

  constructor(
    readonly machine: Machine,
    readonly database: SimulatedDatabase,
    { nodes, seed }: Pick<Plan, "nodes" | "seed">,
    lines?: string[],
  ) {
    this.#lines = lines;
    this.hasSmallLimits = hasSmallLimits(seed);
    this.history = new History(database.query);
    this.activePeriods = new ActivePeriods(database.query);
    this.receivers = new Receivers(this);
    this.#invariants = createInvariants(this);
    this.nodes = Array.from({ length: nodes }, (_, index) => this.#createNode(index + 1));
    database.onCommit = () => {
      const { changes, events } = this.history.read(machine.elapsedMs);
      for (const change of changes) {
        const { type, subject } = change;
        this.trace(() => `${type} of ${subject.type} ${subject.id} is committed`);
        this.observe({ kind: "committed", change });
      }
      for (const event of events) {
        const { id, type, subject } = event;
        this.trace(() => `${id} ${type} of ${subject.type} ${subject.id} is part of the feed`);
        this.activePeriods.record(event);
        this.observe({ kind: "published", event });
      }
    };
  }

  #createNode(number: number): SimulatedNode {
    return new SimulatedNode({
      number,
      machine: this.machine,
      database: this.database,
      log: {
        enabled: (level) => level === "error",
        write: (level, message, fields) => {
          if (level === "error")
            this.trace(() => `node ${number} logs: ${message} ${JSON.stringify(fields ?? {})}`);
        },
      },
      createSender: (process) => this.receivers.createSender(process, () => this.nodes[number - 1]),
    });
  }

  get nowMs(): number {
    return this.machine.elapsedMs;
  }

  /** Writes a line of the trace. */
  trace(line: () => string): void {
    this.#lines?.push(`${(this.nowMs / 1000).toFixed(4).padStart(9)} s  ${line()}`);
  }

  observe(observation: Observation): void {
    for (const invariant of this.#invariants) this.#judge(invariant, invariant.observe?.(observation));
  }

  /** The last line of the trace of a simulation that broke an invariant. */
  traceViolation(): void {
    const { violation } = this;
    if (violation) this.trace(() => `BROKEN: ${violation.invariant}: ${violation.detail}`);
  }

  /** Runs after every turn of the event loop. */
  check(): void {
    for (const invariant of this.#invariants) {
      if (invariant.check) this.#judge(invariant, invariant.check());
    }
  }

  /** Whether something is still to be done. */
  isUnfinished(): boolean {
    return this.#invariants.some((invariant) => invariant.checkEnd?.() !== undefined);
  }

  /** Runs when nothing has been disturbed for a while, and everything had time to finish. */
  checkEnd(): void {
    for (const invariant of this.#invariants) this.#judge(invariant, invariant.checkEnd?.());
  }

  #judge({ name }: Invariant, detail: string | undefined): void {
    if (detail === undefined || this.violation) return;
    this.violation = { invariant: name, detail, atMs: this.nowMs };
  }

  /** A fault affects these nodes until then. */
  disturb(nodes: readonly SimulatedNode[], untilMs: number): void {
    for (const node of nodes) {
      this.#disturbedUntil.set(node, Math.max(this.#disturbedUntil.get(node) ?? 0, untilMs));
    }
  }

  /** Since when nothing has kept a node from knowing what the database knows. */
  undisturbedSince(node: SimulatedNode): number {
    return this.#disturbedUntil.get(node) ?? 0;
  }

  /** A node that runs; undefined if none does. */
  pickNode(random: Random): SimulatedNode | undefined {
    const running = this.nodes.filter(({ isRunning }) => isRunning);
    return running[random.integer(running.length)];
  }

  /** A text of its own for each write of a user. */
  nextMark(): string {
    return `mark-${++this.#marks}`;
  }

  /** What a caller uses that wants its request to succeed. */
  pickCredential(random: Random): Credential {
    const keys = this.keys.filter((key) => !key.isEnding);
    const sessions = this.sessions.filter((session) => isValid({ kind: "session", session }));
    if (sessions.length > 0 && random.chance(0.3)) return { kind: "session", session: random.pick(sessions) };
    return keys.length > 0 ? { kind: "key", key: random.pick(keys) } : NOBODY;
  }

  /** Sends a request and reads the response. Undefined if there is none. */
  async call(node: SimulatedNode, request: CallRequest): Promise<Answer | undefined> {
    const call = this.begin(node, request);
    let answer: Answer | undefined;
    try {
      const { response, connection } = await node.send(request.path, toInit(request, call));
      try {
        const text = await connection.race(response.text());
        answer = { status: response.status, text, at: this.nowMs, headers: response.headers };
      } finally {
        connection.close();
      }
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
    }
    this.end(call, answer);
    return answer;
  }

  begin(node: SimulatedNode, request: CallRequest): Call {
    const call: Call = {
      requestId: `request-${++this.#requests}`,
      node,
      method: request.method ?? "GET",
      path: request.path,
      json: request.json,
      idempotencyKey: request.headers?.["idempotency-key"],
      credential: request.credential,
      sentAt: this.nowMs,
    };
    this.trace(
      () =>
        `${call.requestId} to node ${node.number}: ${call.method} ${call.path}${describeBody(call)} by ${request.caller ?? describeCredential(call.credential)}`,
    );
    this.observe({ kind: "called", call });
    return call;
  }

  end(call: Call, answer: Answer | undefined): void {
    this.trace(() => `${call.requestId} gets ${answer ? describeAnswer(answer) : "no answer"}`);
    this.observe({ kind: "answered", call, answer });
  }
}

/** Bodies of keys and sessions have a secret, or nothing to see. */
function describeBody({ json, path }: Call): string {
  return json === undefined || path === "/api/session" || path === "/api/keys"
    ? ""
    : ` ${JSON.stringify(json)}`;
}

/** The status and, for a problem, its type and its reason. */
function describeAnswer({ status, text }: Answer): string {
  if (status < 400) return String(status);
  const { type, detail } = JSON.parse(text);
  return `${status} ${type.replace("/problems/", "")}${status >= 500 ? `: ${detail}` : ""}`;
}

export interface CallRequest {
  readonly method?: string;
  readonly path: string;
  readonly json?: Fields;
  readonly headers?: Record<string, string>;
  readonly credential: Credential;
  /** Who calls, for the trace. Default: a description of the credential. */
  readonly caller?: string;
}

export function toInit({ json, headers, credential }: CallRequest, { method, requestId }: Call) {
  return {
    method,
    headers: {
      "x-request-id": requestId,
      ...(json !== undefined && {
        "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
      }),
      ...toHeaders(credential),
      ...headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  };
}

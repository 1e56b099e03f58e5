import type { EventSender, SendOutcome } from "../../src/webhooks/sender.ts";
import type { SimulatedNode } from "./node.ts";
import type { ReceivedEvent } from "./observation.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import type { World } from "./world.ts";

/** How a receiver treats what it gets. `stalling` takes long, and sometimes longer than the sender waits. */
export const receiverBehaviors = ["accepting", "failing", "stalling", "unreachable", "gone"] as const;
type ReceiverBehavior = (typeof receiverBehaviors)[number];

/** A webhook that a caller created, and its receiver. */
export interface SimulatedWebhook {
  readonly number: number;
  readonly url: string;
  /** Known after the response to its creation. */
  id: number | undefined;
  behavior: ReceiverBehavior;
  /** The ids of deliveries that a caller has asked to send again. */
  readonly requested: Set<string>;
  /** The receiver has answered 410: the service may disable the webhook. */
  hasAnswered410: boolean;
}

/** As the real sender does. */
const TIMEOUT_MS = 15_000;
const NETWORK_MS = 20;
const STALL_MS = 20_000;

/** The receivers of webhooks, and the network between them and the nodes. */
export class Receivers {
  readonly webhooks: SimulatedWebhook[] = [];
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  add(): SimulatedWebhook {
    const number = this.webhooks.length + 1;
    const webhook: SimulatedWebhook = {
      number,
      url: `http://receiver-${number}.test/`,
      id: undefined,
      behavior: "accepting",
      requested: new Set(),
      hasAnswered410: false,
    };
    this.webhooks.push(webhook);
    return webhook;
  }

  /** What a process of a node sends with. */
  createSender(process: SimulatedProcess, findNode: () => SimulatedNode | undefined): EventSender {
    const start: EventSender["start"] = ({ url, body }, done) => {
      const webhook = this.webhooks.find((each) => each.url === url);
      const node = findNode();
      if (process.isKilled || !webhook || !node) return;
      const event = parseEvent(body);
      this.#world.trace(() => `node ${node.number} sends ${event.id} to receiver ${webhook.number}`);
      this.#world.observe({ kind: "sent", webhook, event, node });
      this.#send(process, webhook, event, done);
    };
    return {
      userAgent: "Roster/simulated",
      busyMs: 0,
      start,
      send: (message) => new Promise((resolve) => start(message, resolve)),
      close: () => undefined,
    };
  }

  #send(
    process: SimulatedProcess,
    webhook: SimulatedWebhook,
    event: ReceivedEvent,
    done: (outcome: SendOutcome) => void,
  ): void {
    const { machine } = this.#world;
    const { random } = machine;
    let isDone = false;
    const finish = (outcome: Omit<SendOutcome, "durationMs" | "retryAfterMs">) => {
      if (isDone) return;
      isDone = true;
      done({ ...outcome, durationMs: 1, retryAfterMs: undefined });
    };
    process.deliver(TIMEOUT_MS, () =>
      finish({ code: null, error: "The receiver did not answer in time.", isReached: true }),
    );
    if (webhook.behavior === "unreachable") {
      process.deliver(random.between(0, NETWORK_MS), () =>
        finish({ code: null, error: "The receiver cannot be reached.", isReached: false }),
      );
      return;
    }
    const arrivesMs =
      random.between(0, NETWORK_MS) + (webhook.behavior === "stalling" ? random.between(0, STALL_MS) : 0);
    machine.after(arrivesMs, () => {
      const status = this.#answer(webhook);
      this.#world.trace(() => `receiver ${webhook.number} answers ${status} to ${event.id}`);
      this.#world.observe({ kind: "received", webhook, event, status });
      const error = status === 204 ? null : `The receiver answered ${status}.`;
      // Receivers repeat what they got.
      const response = { body: JSON.stringify(event.record), isCut: false };
      process.deliver(random.between(0, NETWORK_MS), () =>
        finish({ code: status, error, isReached: true, response }),
      );
    });
  }

  #answer(webhook: SimulatedWebhook): number {
    if (webhook.behavior === "gone") {
      webhook.hasAnswered410 = true;
      return 410;
    }
    return webhook.behavior === "failing" ? 500 : 204;
  }
}

function parseEvent(body: string): ReceivedEvent {
  const { data } = JSON.parse(body);
  return data;
}

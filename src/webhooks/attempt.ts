import {
  ClosedUnused,
  Connection,
  type ConnectOptions,
  type ReceivedBody,
  type ResponseHandler,
  type ResponseHead,
} from "./connection.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { addHeader, type Message, renderRequest } from "./request-text.ts";
import { MAX_RESPONSE_BYTES } from "./response-text.ts";
import { findTarget, type Resolve, resolveHost, SendError, type Target } from "./target.ts";

/** The time for one address, if the host has others. */
const CONNECT_MS = 4000;
const MAX_ADDRESSES = 4;

/** What all attempts of a sender have in common. */
export interface AttemptOptions {
  /** Whether receivers may have private addresses. */
  readonly allowPrivate: boolean;
  readonly userAgent: string;
  /** Whether the beginning of a response from this address is kept. Undefined: of none. */
  readonly keepsResponseOf?: ((address: string) => boolean) | undefined;
  /** Only tests set these: how names are resolved, and a certificate authority. */
  readonly resolve?: Resolve;
  readonly ca?: string;
}

/** What to send, and where. */
interface AttemptPlan {
  /** The parsed URL of the message. */
  readonly url: URL;
  readonly message: Message;
  readonly traceparent: string | undefined;
  readonly options: AttemptOptions;
}

/**
 * Gets the head of the response, or the reason why there is none; and the beginning of its body, if it is kept. Without a connection,
 * nothing reached the receiver.
 */
type AttemptHandler = (
  response: ResponseHead | SendError,
  isReached: boolean,
  body: ReceivedBody | undefined,
) => void;

/**
 * One attempt to send a request, on an idle connection if there is one. With an idle connection to an address in the URL, the
 * request is sent at once, without promises: there may be thousands a second.
 */
export class Attempt {
  readonly #pool: ConnectionPool;
  readonly #plan: AttemptPlan;
  readonly #onDone: AttemptHandler;
  #request = "";
  /** How many bytes of the response to keep. */
  #keptBytes = 0;
  #state: "resolving" | "connecting" | "waiting" | "done" = "resolving";
  #connecting: AbortController | undefined;
  #connection: Connection | undefined;

  /** `onDone` is called once. */
  constructor(pool: ConnectionPool, plan: AttemptPlan, onDone: AttemptHandler) {
    this.#pool = pool;
    this.#plan = plan;
    this.#onDone = onDone;
  }

  start(): void {
    try {
      const { url, options } = this.#plan;
      const target = findTarget(url, options.allowPrivate, options.resolve ?? resolveHost);
      if (target instanceof Promise)
        target.then((found) => this.#use(found)).catch((error) => this.#fail(error));
      else this.#use(target);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Gives up: the time is over, or the service stops. */
  abort(): void {
    if (this.#state === "resolving") this.#fail(new SendError("The host name was not resolved in time."));
    else if (this.#state === "connecting")
      this.#fail(new SendError("The host did not accept the connection in time."));
    else if (this.#state === "waiting")
      this.#connection?.close(new SendError("The host did not respond in time."));
    this.#connecting?.abort();
  }

  #use(target: Target): void {
    if (this.#state === "done") return;
    const { url, message, traceparent, options } = this.#plan;
    const request = renderRequest(url, message, options.userAgent);
    this.#request = traceparent === undefined ? request : addHeader(request, "traceparent", traceparent);
    const { keepsResponseOf } = options;
    this.#keptBytes = keepsResponseOf && target.addresses.every(keepsResponseOf) ? MAX_RESPONSE_BYTES : 0;
    this.#useIdle(listChoices(target, options.ca), 0);
  }

  #useIdle(choices: readonly ConnectOptions[], tried: number): void {
    for (const [index, choice] of choices.entries()) {
      const idle = index < tried ? undefined : this.#pool.take(choice);
      if (!idle) continue;
      this.#post(idle, choice, (response, body) => {
        // The receiver closed the idle connection before it saw the request.
        if (response instanceof ClosedUnused) this.#useIdle(choices, index + 1);
        else this.#finish(response, true, body);
      });
      return;
    }
    void this.#useNew(choices);
  }

  async #useNew(choices: readonly ConnectOptions[]): Promise<void> {
    this.#state = "connecting";
    const controller = new AbortController();
    this.#connecting = controller;
    try {
      const { connection, choice } = await connectToAny(choices, controller.signal);
      if (controller.signal.aborted) connection.close();
      else this.#post(connection, choice, (response, body) => this.#finish(response, true, body));
    } catch (error) {
      this.#fail(error);
    }
  }

  #post(connection: Connection, choice: ConnectOptions, onResponse: ResponseHandler): void {
    this.#state = "waiting";
    this.#connection = connection;
    const onAnswer: ResponseHandler = (response, body) => {
      this.#pool.give(choice, connection);
      onResponse(response, body);
    };
    connection.post(this.#request, onAnswer, this.#keptBytes);
  }

  #fail(error: unknown): void {
    this.#finish(error instanceof SendError ? error : new SendError("The delivery failed."), false);
  }

  #finish(response: ResponseHead | SendError, isReached: boolean, body?: ReceivedBody): void {
    if (this.#state === "done") return;
    this.#state = "done";
    this.#onDone(response, isReached, body);
  }
}

function listChoices({ tls, addresses, port, serverName }: Target, ca: string | undefined): ConnectOptions[] {
  return addresses
    .slice(0, MAX_ADDRESSES)
    .map((address) => ({ tls, address, port, serverName, ...(ca !== undefined && { ca }) }));
}

/** Tries one address after the other. Fails with the error of the last one. */
async function connectToAny(
  choices: readonly ConnectOptions[],
  signal: AbortSignal,
): Promise<{ connection: Connection; choice: ConnectOptions }> {
  let failure: unknown;
  for (const choice of choices) {
    const controller = new AbortController();
    const abort = () => controller.abort();
    signal.addEventListener("abort", abort, { once: true });
    const timer = choices.length > 1 ? setTimeout(abort, CONNECT_MS) : undefined;
    try {
      return { connection: await Connection.open(choice, controller.signal), choice };
    } catch (error) {
      failure = error;
      if (signal.aborted) break;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }
  throw failure;
}

import { isObject, type JsonObject } from "../../../src/contract/json.ts";
import { messageUrns, SCIM_PREFIX } from "../../../src/contract/scim/scim.ts";
import { isInDoubt } from "../../../test/support/consistency/operation.ts";
import { bearer } from "../../../test/support/credentials.ts";
import { type FuzzResponse, headerValue } from "../../../test/support/fuzz/parse-response.ts";
import type { Random } from "../../../test/support/fuzz/random.ts";
import type { Pace } from "./pace.ts";
import type { RepeatedRequest } from "./repeated-request.ts";
import type { Report } from "./report.ts";
import type { RestartingService } from "./restarting-service.ts";
import { type Cut, cuts, Wire } from "./wire.ts";

const CUT_PROBABILITY = 0.06;
const TWICE_PROBABILITY = 0.03;
const MOST_ATTEMPTS = 50;
/** A client that waits for as long as it is told is not refused so often in a row. */
const MOST_REFUSALS = 5;
/** A client that waits a moment after an error meets a service that has restarted. */
const LONGEST_PAUSE_MS = 500;

export interface Answer {
  readonly status: number;
  /** Empty without a body. */
  readonly body: JsonObject;
}

interface Parts {
  readonly service: RestartingService;
  readonly key: string;
  readonly pace: Pace;
  readonly random: Random;
  readonly report: Report;
}

/** What became of one attempt. Without an answer, the request is sent again, after `pauseMs` at the earliest. */
type Result =
  | { readonly answer: Answer }
  | { readonly answer?: never; readonly pauseMs: number; readonly isThrottled?: boolean };

/** Sends requests in its turns, on a bad network: connections break, and some requests arrive twice. */
export class FaultyClient {
  readonly requests: RepeatedRequest[] = [];
  readonly #parts: Parts;
  readonly #wire = new Wire();
  #written = Promise.withResolvers<void>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Sends the request until it has an answer. Undefined if nobody knows whether a change that succeeds only once has been made. Fails
   * if the answer is not the expected one.
   */
  async send(request: RepeatedRequest): Promise<Answer | undefined> {
    const { pace, random, report } = this.#parts;
    if (request.attempts.length === 0) this.requests.push(request);
    for (let refusals = 0; ; ) {
      if (request.attempts.length > 0 || request.options.isUrgent !== true) await pace.turn();
      if (request.attempts.length > 0) report.retries++;
      const isTwice = random.chance(TWICE_PROBABILITY);
      if (isTwice) report.provoke("a request sent twice");
      const cut = !isTwice && random.chance(CUT_PROBABILITY) ? random.pick(cuts) : undefined;
      if (cut) report.provoke(`a connection cut ${cut}`);
      const results = await Promise.all(
        Array.from({ length: isTwice ? 2 : 1 }, () => this.#attempt(request, cut)),
      );
      const answers = results.flatMap(({ answer }) => answer ?? []);
      if (answers.length > 0) return chooseAnswer(request, answers);
      if (request.succeedsOnce && request.options.status === 201 && request.isUncertain) return undefined;
      const pauses = results.flatMap((result) => ("pauseMs" in result ? result : []));
      refusals = pauses.some(({ isThrottled }) => isThrottled) ? refusals + 1 : 0;
      if (refusals > MOST_REFUSALS)
        throw new Error(`${request.line} is answered with 429 ${refusals} times in a row.`);
      if (request.attempts.length > MOST_ATTEMPTS) throw new Error(`${request.line} has no answer.`);
      await Bun.sleep(Math.max(...pauses.map(({ pauseMs }) => pauseMs)));
    }
  }

  /** Resolves when a write is on its way to the service. */
  untilWritten(): Promise<void> {
    this.#written = Promise.withResolvers();
    return this.#written.promise;
  }

  close(): void {
    this.#wire.close();
  }

  async #attempt(request: RepeatedRequest, cut: Cut | undefined): Promise<Result> {
    const { service, random, report } = this.#parts;
    const requestId = `entra-${++report.requests}`;
    const attempt: RepeatedRequest["attempts"][number] = { requestId, outcome: "unknown" };
    request.attempts.push(attempt);
    const phase = service.phase;
    const start = performance.now();
    const outcome = await this.#wire.send(service.port, this.#encode(request, requestId), {
      cut,
      onWritten: () => !request.line.startsWith("GET") && this.#written.resolve(),
    });
    const ms = performance.now() - start;
    const isRestarted = phase !== service.phase || phase % 2 === 1;
    const pauseMs = random.between(1, LONGEST_PAUSE_MS);
    if (outcome.kind !== "answered") {
      if (outcome.kind === "unsent") attempt.outcome = "failed";
      if (outcome.by !== "client" && isRestarted)
        report.provoke(outcome.kind === "unsent" ? "a connection refused" : "an answer lost in a restart");
      else if (outcome.by === "service") report.fail(`${request.line}: the service closes the connection.`);
      return { pauseMs };
    }
    const { response } = outcome;
    const answer = { status: response.status, body: readBody(request, requestId, response) };
    const retryMs = Number(headerValue(response, "retry-after")) * 1000;
    if (response.status === 503 || response.status === 429) {
      report.provoke(`an answer ${response.status}`);
      if (!(retryMs >= 1000)) report.fail(`${response.status} has no Retry-After.`);
      if (response.status === 503 && !isRestarted) report.fail(describe(request, answer));
      if (!isInDoubt(response.body.toString())) attempt.outcome = "failed";
      return { pauseMs: retryMs + pauseMs, isThrottled: response.status === 429 };
    }
    attempt.outcome = response.status < 300 ? "done" : "failed";
    if (!isRestarted) report.times.push(ms);
    return { answer };
  }

  /** The bytes of the request. */
  #encode({ line, options }: RepeatedRequest, requestId: string): string {
    const [method = "", ...path] = line.split(" ");
    const { pathname, search, host } = new URL(this.#parts.service.url + SCIM_PREFIX + path.join(" "));
    const { json, body = json === undefined ? undefined : JSON.stringify(json) } = options;
    const headers: Record<string, string | number> = {
      host,
      ...bearer(this.#parts.key),
      "x-request-id": requestId,
      "content-type": "application/scim+json",
      ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
      ...options.headers,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return [`${method} ${pathname}${search} HTTP/1.1`, ...lines, "", body ?? ""].join("\r\n");
  }
}

/** Of a request that was sent twice, the answer to the one that made the change. */
function chooseAnswer(request: RepeatedRequest, answers: readonly Answer[]): Answer {
  const { status, again, attempts } = request;
  const successes = answers.filter((answer) => answer.status === status);
  const isRepeated = attempts.length > 1;
  const unexpected = answers.find(
    (answer) => answer.status !== status && !(isRepeated && answer.status === again),
  );
  if (unexpected) throw new Error(describe(request, unexpected));
  if (request.succeedsOnce && successes.length > 1)
    throw new Error(`${request.line} succeeds ${successes.length} times.`);
  const [first] = successes.length > 0 ? successes : answers;
  if (!first) throw new Error(`${request.line} has no answer.`);
  if (first.status !== status && !request.mayBeDone)
    throw new Error(`No attempt can have succeeded: ${describe(request, first)}`);
  return first;
}

function describe({ line, status }: RepeatedRequest, answer: Answer): string {
  return `${line} is answered with ${answer.status} ${JSON.stringify(answer.body).slice(0, 500)}, not with ${status}.`;
}

/** Reads the body, and checks what every response of SCIM has. */
function readBody(request: RepeatedRequest, requestId: string, response: FuzzResponse): JsonObject {
  const text = response.body.toString();
  const fail = (what: string) =>
    new Error(`${request.line} is answered with ${response.status} and ${what}: ${text.slice(0, 300)}`);
  if (headerValue(response, "x-request-id") !== requestId) throw fail("another X-Request-Id");
  if (text === "") return {};
  const type = headerValue(response, "content-type")?.split(";")[0];
  if (type !== "application/scim+json") throw fail(`the media type ${type}`);
  const body: unknown = JSON.parse(text);
  if (!isObject(body)) throw fail("no object");
  if (response.status < 400) return body;
  const { schemas, status, detail } = body;
  const isError = String(schemas) === messageUrns.error && status === String(response.status);
  if (!isError || typeof detail !== "string" || detail === "") throw fail("no error document");
  return body;
}

import { toEventId } from "../../../src/domain/events/event.ts";
import { toNumber, toText } from "../../../src/store/sql/sql.ts";
import { type FollowedEvent, findEventErrors } from "../../support/consistency/check-events.ts";
import { findAnomalies } from "../../support/consistency/check-history.ts";
import {
  type Fields,
  isInDoubt,
  type Operation,
  type UserRequest,
} from "../../support/consistency/operation.ts";
import type { Invariant } from "../invariant.ts";
import type { Answer, Call, Observation, ReceivedEvent } from "../observation.ts";
import type { World } from "../world.ts";

const EVENTS = `
  SELECT position, subject_type, action, subject_id, version, request_id, record FROM events ORDER BY position`;
const PATH = /^\/api\/users(?:\/(\d+))?$/;

/**
 * What test/nodes checks on real servers, with the same code: event-order.full.ts and event-crash.slow.ts for events, history.slow.ts
 * for requests. It knows neither restored nor purged users nor groups, so it looks only at simulations without them.
 */
export class RulesOfRealServers implements Invariant {
  readonly name = "The rules hold that tests with real servers check";
  readonly #world: World;
  readonly #operations: Operation[] = [];
  readonly #writes: { readonly requestId: string; readonly status: number | undefined }[] = [];
  #isSuitable = true;

  constructor(world: World) {
    this.#world = world;
  }

  observe(observation: Observation): string | undefined {
    if (observation.kind === "called" && isUnknownToRules(observation.call)) this.#isSuitable = false;
    if (observation.kind === "answered") this.#record(observation.call, observation.answer);
    return undefined;
  }

  checkEnd(): string | undefined {
    return this.#isSuitable ? [...this.#findEventErrors(), ...findAnomalies(this.#operations)][0] : undefined;
  }

  #record(call: Call, answer: Answer | undefined): void {
    const request = toRequest(call);
    // A caller that was not admitted has done nothing.
    if (!request || answer?.status === 401) return;
    const replayed = answer?.headers.has("idempotency-replayed") ?? false;
    const response = answer && { status: answer.status, text: answer.text, replayed };
    const isOver = answer !== undefined && answer.status !== 503;
    this.#operations.push({
      request,
      invoked: call.sentAt,
      completed: isOver ? answer.at : Number.POSITIVE_INFINITY,
      response,
      ...(answer?.status === 503 && { refusedAt: this.#world.machine.now }),
    });
    if (request.method === "GET" || replayed) return;
    const status = answer && isInDoubt(answer.text) ? undefined : answer?.status;
    this.#writes.push({ requestId: call.requestId, status });
  }

  #findEventErrors(): string[] {
    const { database, followers } = this.#world;
    const feed = database.query(EVENTS).map(toFollowed);
    const users = database
      .query("SELECT json FROM users ORDER BY id")
      .map(([json]) => JSON.parse(String(json)));
    const complete = followers.filter(
      ({ plan, isEnded }) => !isEnded && plan.after === undefined && plan.type === undefined,
    );
    const seen = complete.map(({ received }) => [...received.values()].map(withoutDetails));
    return findEventErrors({ feed, followers: seen, writes: this.#writes, users });
  }
}

function toFollowed(row: unknown[]): FollowedEvent {
  const [position, subjectType, action, subjectId, version, requestId, record] = row;
  return {
    id: toEventId(Number(position)),
    type: `${subjectType}.${action}`,
    requestId: toText(requestId),
    subject: { type: String(subjectType), id: Number(subjectId) },
    version: toNumber(version),
    record: JSON.parse(String(record)),
  };
}

function withoutDetails({ id, type, requestId, subject, version, record }: ReceivedEvent): FollowedEvent {
  return { id, type, requestId, subject, version, record };
}

function isUnknownToRules({ path }: Call): boolean {
  return ["purge=true", "/api/deleted-users", "/api/groups"].some((part) => path.includes(part));
}

/** Undefined for requests that are not about users. */
function toRequest({ method, path, json, idempotencyKey }: Call): UserRequest | undefined {
  const match = PATH.exec(path);
  if (!match) return undefined;
  const id = Number(match[1]);
  const body: Fields = { ...json };
  switch (method) {
    case "POST":
      return { method, body, ...(idempotencyKey !== undefined && { key: idempotencyKey }) };
    case "PATCH":
      return { method, id, body };
    case "DELETE":
    case "GET":
      return { method, id };
    default:
      return undefined;
  }
}

import type { ChangedUser, Json, RosterEvent, UserBulk } from "../../../client/index.ts";
import { roster } from "../../lib/api.ts";
import { toRecord } from "../record.ts";
import type { EditedUser, FindEdited } from "./edited-users.ts";

/** Events per request: the most that the service returns. */
const PAGE_SIZE = 100;

/** One request, and the ids of the events before its first event and after its last one. */
interface EditRequest {
  readonly id: string;
  readonly after: string | undefined;
  readonly until: string | undefined;
}

/** The requests of an edit of many users. Their events have the values before the edit. */
export class EditRequests {
  readonly #requests: EditRequest[] = [];
  /** Undefined if there is no event yet. */
  #lastEvent: string | undefined;

  /** Call it before the first request. */
  async begin(): Promise<void> {
    this.#lastEvent = await readLastEvent();
  }

  /** Sends a request, and remembers it. */
  async *send(bulk: UserBulk): AsyncGenerator<ChangedUser, void> {
    try {
      yield* bulk;
    } finally {
      // A request that was cut off has changed some users.
      if (bulk.requestId !== undefined) {
        const after = this.#lastEvent;
        const until = await readLastEvent().catch(() => undefined);
        this.#requests.push({ id: bulk.requestId, after, until });
        this.#lastEvent = until ?? after;
      }
    }
  }

  readonly findEdited: FindEdited = async (report, signal) => {
    const edited: EditedUser[] = [];
    for (const { id: requestId, until, ...request } of this.#requests) {
      let { after } = request;
      do {
        const options = { type: "user.updated", requestId, limit: PAGE_SIZE, signal } as const;
        const page = await roster.events.list({ ...options, ...(after !== undefined && { after }) }).page();
        edited.push(...page.events.flatMap(toEditedUser));
        report(edited.length);
        after = page.next;
      } while (after !== undefined && (until === undefined || after < until));
    }
    return edited;
  };
}

/** A list has the event of every change that was acknowledged before. */
async function readLastEvent(): Promise<string | undefined> {
  const { events } = await roster.events.list({ sort: "-id", limit: 1 }).page();
  return events[0]?.id;
}

/** Nothing if the user was purged. */
function toEditedUser(event: RosterEvent): EditedUser[] {
  if (event.type !== "user.updated" || !event.record) return [];
  const before = new Map(toRecord(event.record));
  for (const [field, { from }] of Object.entries(event.changes)) {
    if (isJson(from)) before.set(field, from);
    else before.delete(field);
  }
  return [{ after: event.record, before }];
}

/** Whether a member of a JSON object exists. */
function isJson(value: unknown): value is Json {
  return value !== undefined;
}

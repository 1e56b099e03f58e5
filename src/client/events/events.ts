import type { CustomFields } from "../custom-fields.ts";
import { buildQuery, type ItemList, List } from "../list.ts";
import { type ItemPage, Resource } from "../resource.ts";
import type { ServiceTransport } from "../transport/service-transport.ts";
import type { CallOptions } from "../types.ts";
import type { EventFilters, EventListOptions, EventPage, FollowOptions, RosterEvent } from "./event-types.ts";

export type EventList<Custom = CustomFields> = ItemList<RosterEvent<Custom>, EventPage<Custom>>;

/** Before the first event. */
const BEGINNING = "00000000000";

/** The operations on events. */
export class Events<Custom = CustomFields> {
  readonly #transport: ServiceTransport;

  constructor(transport: ServiceTransport) {
    this.#transport = transport;
  }

  #resource({ user }: EventFilters): Resource<RosterEvent<Custom>> {
    const parent = user === undefined ? [] : ["users", user];
    return new Resource(this.#transport, "events", { id: "string", type: "string" }, parent);
  }

  /** The events that match, oldest first; with `sort: "-id"`, newest first. */
  list(options: EventListOptions = {}): EventList<Custom> {
    const toPage = ({ items, next }: ItemPage<RosterEvent<Custom>>) => ({ events: items, next });
    return new List(this.#resource(options), toListOptions(options), toPage);
  }

  /** The id of the last event. Read it before you list users, and follow from it: you miss no change. */
  async last(options?: CallOptions): Promise<string> {
    const { events } = await this.list({ ...options, sort: "-id", limit: 1 }).page();
    return events[0]?.id ?? BEGINNING;
  }

  /**
   * Yields each event once, as it happens, until the signal aborts. Begins after the event `after`, or with the next event. Goes
   * on after lost connections. Throws an ApiError with the type `events-expired` if events after `after` are missing.
   */
  async *follow({ after, ...options }: FollowOptions = {}): AsyncGenerator<RosterEvent<Custom>, void> {
    const { followEvents } = await import("./follow-events.ts");
    const { signal, timeout } = options;
    yield* followEvents(
      () => after ?? this.last({ signal, timeout }),
      (position) => this.#waitForPage(position, options),
      signal,
    );
  }

  #waitForPage(after: string, options: FollowOptions): Promise<ItemPage<RosterEvent<Custom>>> {
    const transport = this.#transport;
    return transport.reportErrors(() => {
      // One try must take longer than the wait.
      const wait = Math.max(1, Math.min(60, Math.floor(transport.options.tryTimeout / 1000) - 2));
      const { where, ...paging } = toListOptions({ ...options, limit: 100, after });
      const query = buildQuery({ ...paging, where: { ...where, wait } });
      if (!query) throw new RangeError("An empty list of types matches no event.");
      return this.#resource(options).requestPage(query, options);
    });
  }
}

function toListOptions({
  user: _,
  type,
  subject,
  actor,
  requestId,
  from,
  to,
  ...options
}: EventFilters & Pick<EventListOptions, "sort" | "limit" | "after">) {
  const filters = { type, subject, actor, requestId, from: toTime(from), to: toTime(to) };
  const where: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(filters)) if (value !== undefined) where[name] = value;
  return { ...options, where };
}

function toTime(time: string | Date | undefined): string | undefined {
  return time instanceof Date ? time.toISOString() : time;
}

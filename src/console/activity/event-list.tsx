import { useState } from "react";
import type { RosterEvent } from "../../client/index.ts";
import { formatDay } from "../texts/format.ts";
import { BurstItem } from "./burst-item.tsx";
import { EventItem } from "./event-item.tsx";
import { type FeedEntry, foldEvents } from "./fold-events.ts";
import { useMemberNames } from "./member.tsx";

interface EventListProps {
  readonly label: string;
  /** Newest first. */
  readonly events: readonly RosterEvent[];
  /** Whether there are older events. */
  readonly hasMore: boolean;
  /** The user, if this is the history of one. */
  readonly historyOf?: number | undefined;
  /** Whether this is the history of one record. */
  readonly isHistory?: boolean;
  /** The level of the headings. */
  readonly level?: 2 | 3 | 4;
}

/** Events with a heading for each day. Bursts of one caller are one entry, except in a history. */
export function EventList({
  label,
  events,
  hasMore,
  historyOf,
  isHistory = false,
  level = 2,
}: EventListProps) {
  const Heading = `h${level}` as const;
  const keyOf = useEntryKeys();
  useMemberNames(events);
  const last = events.at(-1);
  return (
    <section className="feed" aria-label={label}>
      {[...groupByDay(events)].map(([day, ofDay]) => (
        <section key={day} className="feed-day">
          <Heading className="feed-date">{formatDay(day)}</Heading>
          <ul className="feed-list">
            {(isHistory ? ofDay.map(toEntry) : foldEvents(ofDay)).map((entry) =>
              entry.burst ? (
                <BurstItem
                  key={keyOf(entry.events)}
                  events={entry.events}
                  hasMore={hasMore && entry.events.at(-1) === last}
                />
              ) : (
                <EventItem key={entry.event.id} event={entry.event} historyOf={historyOf} />
              ),
            )}
          </ul>
        </section>
      ))}
    </section>
  );
}

/** Each local day with its events. */
function groupByDay(events: readonly RosterEvent[]): Map<string, RosterEvent[]> {
  return Map.groupBy(events, ({ time }) => new Date(time).toDateString());
}

const toEntry = (event: RosterEvent): FeedEntry => ({ burst: false, event });

/** Gives a burst the same key when it gets more events, at either end: it stays open. */
function useEntryKeys(): (events: readonly RosterEvent[]) => string {
  const [keys] = useState(() => new Map<string, string>());
  return (events) => {
    const known = events.map(({ id }) => keys.get(id)).find((key) => key !== undefined);
    const key = known ?? `burst ${events[0]?.id}`;
    for (const { id } of events) keys.set(id, key);
    return key;
  };
}

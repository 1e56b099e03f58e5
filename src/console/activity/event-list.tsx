import type { RosterEvent } from "../../client/index.ts";
import { formatDay } from "../texts/format.ts";
import { EventItem } from "./event-item.tsx";

interface EventListProps {
  readonly label: string;
  readonly events: readonly RosterEvent[];
  readonly inHistory?: boolean;
  /** The level of the headings. */
  readonly level?: 2 | 3 | 4;
}

/** Events with a heading for each day. */
export function EventList({ label, events, inHistory = false, level = 2 }: EventListProps) {
  const Heading = `h${level}` as const;
  return (
    <section className="feed" aria-label={label}>
      {[...groupByDay(events)].map(([day, ofDay]) => (
        <section key={day} className="feed-day">
          <Heading className="feed-date">{formatDay(day)}</Heading>
          <ul className="feed-list">
            {ofDay.map((event) => (
              <EventItem key={event.id} event={event} inHistory={inHistory} />
            ))}
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

import { useId, useState } from "react";
import type { RosterEvent } from "../../client/index.ts";
import { activity } from "../texts/activity.ts";
import { formatDateTime, formatTimeRange } from "../texts/format.ts";
import { Button } from "../ui/button.tsx";
import { ChevronDown } from "../ui/icons.ts";
import { EventItem } from "./event-item.tsx";
import { EventMark } from "./event-mark.tsx";
import { BurstSentence } from "./event-sentence.tsx";

const texts = activity.burst;
/** Events that are shown at once. */
const STEP = 50;

interface BurstItemProps {
  /** Newest first. */
  readonly events: readonly [RosterEvent, ...RosterEvent[]];
  readonly hasMore: boolean;
}

/** A burst of events of one caller as one entry, which opens to its events. */
export function BurstItem({ events, hasMore }: BurstItemProps) {
  const [shown, setShown] = useState(0);
  const list = useId();
  const sentence = useId();
  const open = shown > 0;
  const [newest] = events;
  const oldest = events.at(-1) ?? newest;
  const hidden = events.length - shown;
  return (
    <li className="event burst">
      <div className="event-row">
        <EventMark type={newest.type} />
        <p id={sentence} className="event-sentence">
          <BurstSentence events={events} hasMore={hasMore} />
        </p>
        <time
          className="hint figure"
          dateTime={oldest.time}
          title={`${formatDateTime(oldest.time)} – ${formatDateTime(newest.time)}`}
        >
          {formatTimeRange(oldest.time, newest.time)}
        </time>
        <Button
          kind="quiet"
          className={open ? "event-toggle open" : "event-toggle"}
          icon={<ChevronDown aria-hidden />}
          aria-label={open ? texts.hide : texts.show(events.length)}
          aria-describedby={sentence}
          aria-expanded={open}
          aria-controls={open ? list : undefined}
          onClick={() => setShown(open ? 0 : STEP)}
        />
      </div>
      {open && (
        <div id={list} className="burst-events">
          <ul aria-label={texts.list}>
            {events.slice(0, shown).map((event) => (
              <EventItem key={event.id} event={event} historyOf={undefined} />
            ))}
          </ul>
          {hidden > 0 && (
            <Button onClick={() => setShown(shown + STEP)}>{texts.more(Math.min(hidden, STEP))}</Button>
          )}
        </div>
      )}
    </li>
  );
}

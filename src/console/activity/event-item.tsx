import { useId, useState } from "react";
import type { RosterEvent } from "../../client/index.ts";
import { activity as texts } from "../texts/activity.ts";
import { Button } from "../ui/button.tsx";
import { ChevronDown } from "../ui/icons.ts";
import { Timestamp } from "../ui/timestamp.tsx";
import { EventDetails } from "./event-details.tsx";
import { EventMark } from "./event-mark.tsx";
import { EventSentence } from "./event-sentence.tsx";

interface EventItemProps {
  readonly event: RosterEvent;
  /** In the history of one user: its name and links to other events are not repeated. */
  readonly historyOf: number | undefined;
}

/** One event as a sentence, with details that open. */
export function EventItem({ event, historyOf }: EventItemProps) {
  const [open, setOpen] = useState(false);
  const details = useId();
  const sentence = useId();
  return (
    <li className="event">
      <div className="event-row">
        <EventMark type={event.type} />
        <p id={sentence} className="event-sentence">
          <EventSentence event={event} historyOf={historyOf} />
        </p>
        <span className="hint figure">
          <Timestamp iso={event.time} form="clock" />
        </span>
        <Button
          kind="quiet"
          className={open ? "event-toggle open" : "event-toggle"}
          icon={<ChevronDown aria-hidden />}
          aria-label={open ? texts.details.hide : texts.details.show}
          aria-describedby={sentence}
          aria-expanded={open}
          aria-controls={open ? details : undefined}
          onClick={() => setOpen(!open)}
        />
      </div>
      {open && (
        <div id={details}>
          <EventDetails event={event} hasLinks={historyOf === undefined} />
        </div>
      )}
    </li>
  );
}

import { useId, useState } from "react";
import { Link } from "wouter";
import type { RosterEvent } from "../../client/index.ts";
import type { EventType } from "../../contract/events/event.ts";
import { activity as texts } from "../texts/activity.ts";
import { Button } from "../ui/button.tsx";
import {
  Braces,
  ChevronDown,
  Eraser,
  type Icon,
  KeyRound,
  UserRoundCheck,
  UserRoundMinus,
  UserRoundPen,
  UserRoundPlus,
  Webhook,
} from "../ui/icons.ts";
import { Timestamp } from "../ui/timestamp.tsx";
import { actorLabel, changedFieldsLabel, subjectLabel, verbOf } from "./describe-event.ts";
import { EventDetails } from "./event-details.tsx";

type Tone = "good" | "bad" | "calm";

const marks: Record<EventType, readonly [Icon, Tone]> = {
  "user.created": [UserRoundPlus, "good"],
  "user.updated": [UserRoundPen, "calm"],
  "user.deleted": [UserRoundMinus, "bad"],
  "user.restored": [UserRoundCheck, "good"],
  "user.purged": [Eraser, "bad"],
  "key.created": [KeyRound, "good"],
  "key.replaced": [KeyRound, "calm"],
  "key.revoked": [KeyRound, "bad"],
  "webhook.created": [Webhook, "good"],
  "webhook.updated": [Webhook, "calm"],
  "webhook.deleted": [Webhook, "bad"],
  "webhook.disabled": [Webhook, "bad"],
  "schema.updated": [Braces, "calm"],
};

interface EventItemProps {
  readonly event: RosterEvent;
  /** In the history of one user: its name and links to other events are not repeated. */
  readonly inHistory: boolean;
}

/** One event as a sentence, with details that open. */
export function EventItem({ event, inHistory }: EventItemProps) {
  const [open, setOpen] = useState(false);
  const details = useId();
  const sentence = useId();
  const [Icon, tone] = marks[event.type];
  return (
    <li className="event">
      <div className="event-row">
        <span className={`event-icon ${tone}`}>
          <Icon aria-hidden />
        </span>
        <p id={sentence} className="event-sentence">
          <EventSentence event={event} inHistory={inHistory} />
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
          <EventDetails event={event} hasLinks={!inHistory} />
        </div>
      )}
    </li>
  );
}

/** What happened, in one sentence. */
export function EventSentence({ event, inHistory }: EventItemProps) {
  const fields = changedFieldsLabel(event);
  const isUser = event.subject.type === "user";
  const label = subjectLabel(event);
  const isOpenable = isUser && event.type !== "user.deleted" && event.type !== "user.purged";
  return (
    <>
      <strong>{actorLabel(event.actor)}</strong> {verbOf(event)}{" "}
      {fields !== undefined && <span className="event-fields">{fields}</span>}
      {inHistory ? (
        fields === undefined && texts.thisUser
      ) : (
        <>
          {fields !== undefined && ` ${texts.of} `}
          {isOpenable ? (
            <Link href={`/users/${event.subject.id}`}>{label}</Link>
          ) : (
            <span className="event-subject">{label}</span>
          )}
        </>
      )}
    </>
  );
}

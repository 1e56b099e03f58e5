import { Fragment, type ReactNode } from "react";
import { Link } from "wouter";
import type { RosterEvent } from "../../client/index.ts";
import { activity as texts } from "../texts/activity.ts";
import {
  actorLabel,
  type ChangedMembers,
  changedFields,
  changedMembers,
  eventFieldLabel,
  oneKind,
  subjectLabel,
  verbOf,
} from "./describe-event.ts";
import { FieldChange } from "./field-change.tsx";
import { countSubjects, type SharedChange, sharedChanges } from "./fold-events.ts";
import { Member } from "./member.tsx";

/** A sentence shows up to two changes, and of more only the first. The details have all of them. */
const SHOWN_CHANGES = 2;

interface EventSentenceProps {
  readonly event: RosterEvent;
  /** In the history of this user: its name is not repeated. */
  readonly historyOf: number | undefined;
}

/** What happened, in one sentence. Another component loads the names of members: `useMemberNames`. */
export function EventSentence({ event, historyOf }: EventSentenceProps) {
  const changes = changedFields(event).map((change) => ({ ...change, hasManyBefore: false }));
  const members = changedMembers(event);
  const inHistory = historyOf !== undefined;
  if (inHistory && members) {
    return (
      <MembersSentence event={event} kind={members.added.includes(historyOf) ? "added" : "removed"}>
        {texts.thisUser}
      </MembersSentence>
    );
  }
  const only = members && oneKind(members);
  if (only) {
    const [first = 0, ...others] = only.ids;
    return (
      <MembersSentence event={event} kind={only.kind}>
        <Member id={first} />
        {others.length > 0 && ` ${texts.others(others.length)}`}
      </MembersSentence>
    );
  }
  return (
    <>
      <Actor event={event} /> {verbOf(event)}{" "}
      {!inHistory ? <Subject event={event} /> : changes.length === 0 ? texts.thisUser : null}
      {changes.length > 0 && (
        <>
          {!inHistory && ": "}
          <Changes event={event} changes={changes} />
        </>
      )}
      {members && `: ${texts.members(members.added.length, members.removed.length)}`}
    </>
  );
}

interface MembersSentenceProps {
  readonly event: RosterEvent;
  readonly kind: keyof typeof texts.membership;
  /** The users that became members, or are not members any more. */
  readonly children: ReactNode;
}

/** Ada and 3 others, added to a group or removed from it. */
function MembersSentence({ event, kind, children }: MembersSentenceProps) {
  const [verb, preposition] = texts.membership[kind];
  return (
    <>
      <Actor event={event} /> {verb} {children} {preposition} <Subject event={event} />
    </>
  );
}

interface BurstSentenceProps {
  readonly events: readonly [RosterEvent, ...RosterEvent[]];
  /** Whether more events of the burst may not be loaded. */
  readonly hasMore: boolean;
}

/** What the events of a burst have in common, in one sentence. */
export function BurstSentence({ events, hasMore }: BurstSentenceProps) {
  const [first] = events;
  const subjects = countSubjects(events);
  const changes = sharedChanges(events);
  const members = subjects === 1 ? sumMembers(events) : undefined;
  const only = members && oneKind(members);
  if (only) {
    return (
      <MembersSentence event={first} kind={only.kind}>
        {texts.users(only.ids.length, hasMore)}
      </MembersSentence>
    );
  }
  return (
    <>
      <Actor event={first} /> {verbOf(first)}{" "}
      {subjects === 1 && !hasMore ? (
        <>
          <Subject event={first} /> {texts.burst.times(events.length, hasMore)}
        </>
      ) : (
        <span className="event-subject">{texts.burst.subjects[first.subject.type](subjects, hasMore)}</span>
      )}
      {changes.length > 0 && (
        <>
          {": "}
          <Changes event={first} changes={changes} />
        </>
      )}
    </>
  );
}

function Actor({ event }: { readonly event: RosterEvent }) {
  return <strong dir="auto">{actorLabel(event.actor)}</strong>;
}

/** The ids of all users that some changes of members added and removed. Undefined for other events. */
function sumMembers(events: readonly RosterEvent[]): ChangedMembers | undefined {
  const changes = events.flatMap((event) => changedMembers(event) ?? []);
  if (changes.length === 0) return undefined;
  return {
    added: changes.flatMap(({ added }) => added),
    removed: changes.flatMap(({ removed }) => removed),
  };
}

/** Links to the user or the group, if it exists. */
function Subject({ event }: { readonly event: RosterEvent }) {
  const { type, subject } = event;
  const label = <bdi>{subjectLabel(event)}</bdi>;
  if (subject.type === "user" && type !== "user.deleted" && type !== "user.purged")
    return <Link href={`/users/${subject.id}`}>{label}</Link>;
  if (subject.type === "group" && type !== "group.deleted")
    return <Link href={`/groups/${subject.id}`}>{label}</Link>;
  return <span className="event-subject">{label}</span>;
}

interface ChangesProps {
  readonly event: RosterEvent;
  readonly changes: readonly SharedChange[];
}

/** level 3 → 4 and plan pro → free, or level 3 → 4 and 5 more fields. */
function Changes({ event: { subject }, changes }: ChangesProps) {
  const shown = changes.slice(0, changes.length > SHOWN_CHANGES ? 1 : SHOWN_CHANGES);
  return (
    <>
      {shown.map(({ field, ...change }, index) => (
        <Fragment key={field}>
          {index > 0 && ` ${texts.and} `}
          <FieldChange label={eventFieldLabel(subject, field)} {...change} />
        </Fragment>
      ))}
      {changes.length > shown.length && ` ${texts.moreFields(changes.length - shown.length)}`}
    </>
  );
}

import { isDeepStrictEqual } from "node:util";
import { EVENT_ID_PATTERN, type EventSubjectType, type EventType } from "../../contract/events/event.ts";
import type { Actor, Origin } from "../caller.ts";

/** A change to append to the feed, in the transaction of the change. */
export interface EventDraft {
  readonly type: EventType;
  readonly subjectId: number;
  /** The version of the subject after the change; null if the subject has no versions. */
  readonly version: number | null;
  readonly by: Origin;
  /** JSON: the changed fields, see `describeChanges`. */
  readonly changes: string;
  /** JSON: the subject after the change, or before its deletion. `null` if a purge erased it. */
  readonly record: string;
}

/** What remains of the data of an event after a purge. */
export const ERASED_EVENT = { changes: "{}", record: "null" } as const;

/** An event of the feed. `json` is the whole event, as responses contain it. */
export interface StoredEvent {
  /** The place in the feed: an event with a higher position was committed later. */
  readonly position: number;
  readonly type: string;
  readonly subjectId: number;
  readonly actor: Actor;
  readonly requestId: string | null;
  readonly json: string;
}

/** An event as stored. */
export interface EventRow {
  readonly position: number;
  readonly subjectType: string;
  readonly action: string;
  readonly subjectId: number;
  readonly version: number | null;
  readonly actor: Actor;
  /** The name of the actor's key. */
  readonly actorName: string | null;
  readonly requestId: string | null;
  readonly changes: string;
  readonly record: string;
}

/** Positions are microseconds since 1970, unless the clock is behind the last event. */
const POSITIONS_PER_MS = 1000;
const ID_CHARACTERS = 11;
const ID_PATTERN = new RegExp(EVENT_ID_PATTERN);

/** The first position that an event of this time can have. */
export function firstPositionAt(ms: number): number {
  return ms * POSITIONS_PER_MS;
}

/** The time of an event, in milliseconds since 1970. */
export function eventTime(position: number): number {
  return Math.floor(position / POSITIONS_PER_MS);
}

/** Ids sort by their bytes, in the order of positions. */
export function toEventId(position: number): string {
  return position.toString(36).padStart(ID_CHARACTERS, "0");
}

/** The position of an event id; undefined if the text is not an id. Ids that no event can have get the highest position. */
export function parseEventId(id: string): number | undefined {
  return ID_PATTERN.test(id) ? Math.min(Number.parseInt(id, 36), Number.MAX_SAFE_INTEGER) : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** JSON with the old and the new value of each top-level field that differs. A value that did not exist is left out. */
export function describeChanges(before: Fields, after: Fields): string {
  const changes: string[] = [];
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const from = Object.hasOwn(before, field) ? before[field] : undefined;
    const to = Object.hasOwn(after, field) ? after[field] : undefined;
    if (!isDeepStrictEqual(from, to))
      changes.push(`${JSON.stringify(field)}:${JSON.stringify({ from, to })}`);
  }
  return `{${changes.join()}}`;
}

export function toStoredEvent(row: EventRow): StoredEvent {
  const { position, subjectType, action, subjectId, actor, requestId } = row;
  return { position, type: `${subjectType}.${action}`, subjectId, actor, requestId, json: renderEvent(row) };
}

interface MembersChanged {
  readonly changes: { readonly members: { readonly added: number[]; readonly removed: number[] } };
}

/** The users that changes of members name. Several followers ask the same events. */
const namedUsers = new WeakMap<StoredEvent, ReadonlySet<number>>();

/** Whether the event added this user to a group, or removed it. */
export function namesMember(event: StoredEvent, userId: number): boolean {
  if (event.type !== "group.members_changed") return false;
  let users = namedUsers.get(event);
  if (!users) {
    const { changes }: MembersChanged = JSON.parse(event.json);
    users = new Set([...changes.members.added, ...changes.members.removed]);
    namedUsers.set(event, users);
  }
  return users.has(userId);
}

/** The whole event as JSON. */
export function renderEvent(row: EventRow): string {
  const { position, subjectType, action, subjectId, version, requestId, changes, record } = row;
  return `{"id":"${toEventId(position)}","type":"${subjectType}.${action}","time":"${renderTime(position)}","actor":${renderActor(row)},"requestId":${JSON.stringify(requestId)},"subject":{"type":"${subjectType}","id":${subjectId}},"version":${version},"changes":${changes},"record":${record}}`;
}

/** Neighbouring events often have the same time. */
let lastTime = { ms: 0, text: new Date(0).toISOString() };

function renderTime(position: number): string {
  const ms = Math.floor(position / POSITIONS_PER_MS);
  if (ms !== lastTime.ms) lastTime = { ms, text: new Date(ms).toISOString() };
  return lastTime.text;
}

function renderActor({ actor, actorName }: EventRow): string {
  if (!("id" in actor)) return `{"type":"${actor.type}"}`;
  const name = actor.type === "environment" ? "ROSTER_API_KEY" : actorName;
  return `{"type":"key","id":${actor.id},"name":${JSON.stringify(name)}}`;
}

/** The kind of subject, and what happened to it. */
export function splitType(type: string): readonly [subjectType: string, action: string] {
  const dot = type.indexOf(".");
  return [type.slice(0, dot), type.slice(dot + 1)];
}

export type EventSubject = { readonly type: EventSubjectType; readonly id: number };

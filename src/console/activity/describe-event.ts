import type { EventActor, RosterEvent } from "../../client/index.ts";
import { activity as texts } from "../texts/activity.ts";
import { fieldLabel } from "../users/fields.ts";
import type { Actor, Subject } from "./event-filters.ts";

/** Fields that change with every change. */
const managed = new Set(["version", "updatedAt"]);

export function actorLabel({ type, id, name }: EventActor): string {
  if (type !== "key") return texts.actors[type];
  return name || texts.keyActor(id ?? 0);
}

export function actorFilter({ type, id }: EventActor): Actor {
  return type === "key" ? `key:${id ?? 0}` : type;
}

export function subjectFilter({ subject }: RosterEvent): Subject {
  return `${subject.type}:${subject.id}`;
}

/** What an event is about: the name of a user, "the key ci". */
export function subjectLabel(event: RosterEvent): string {
  const { id } = event.subject;
  switch (event.subject.type) {
    case "user":
      return textOf(event.record, "name") ?? texts.subjects.user(id);
    case "group":
      return texts.subjects.group(textOf(event.record, "name") ?? String(id));
    case "key":
      return texts.subjects.key(textOf(event.record, "name") ?? String(id));
    case "webhook":
      return texts.subjects.webhook(hostOf(textOf(event.record, "url")) ?? String(id));
    case "schema":
      return texts.subjects.schema;
  }
}

export function verbOf({ type, record }: RosterEvent): string {
  const isRemoved = type === "schema.updated" && Object.keys(record ?? {}).length === 0;
  return isRemoved ? texts.removed : texts.verbs[type];
}

export interface ChangedField {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** The fields that an update changed. */
export function changedFields({ type, subject, changes }: RosterEvent): ChangedField[] {
  // The keywords of a schema are not fields, nor are members.
  if (subject.type === "schema" || type === "group.members_changed") return [];
  return Object.entries(changes)
    .filter(([field]) => !managed.has(field))
    .map(([field, { from, to }]) => ({ field, from, to }));
}

/** The ids of the users that a change of members added and removed. */
export interface ChangedMembers {
  readonly added: readonly number[];
  readonly removed: readonly number[];
}

/** Undefined for other changes. */
export function changedMembers({ type, changes }: RosterEvent): ChangedMembers | undefined {
  if (type !== "group.members_changed") return undefined;
  const { members: { added = [], removed = [] } = {} } = changes;
  return { added, removed };
}

/** The users of a change that only added, or only removed, members. */
export function oneKind({ added, removed }: ChangedMembers) {
  if (removed.length === 0) return { kind: "added", ids: added } as const;
  return added.length === 0 ? ({ kind: "removed", ids: removed } as const) : undefined;
}

/** The label of a field in events about this subject: users have fields that Roster defines. */
export function eventFieldLabel({ type }: RosterEvent["subject"], field: string): string {
  return type === "user" ? fieldLabel(field) : field;
}

function textOf(record: object | null, field: string): string | undefined {
  const value = record && Object.hasOwn(record, field) ? Reflect.get(record, field) : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : url;
}

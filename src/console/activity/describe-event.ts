import type { EventActor, RosterEvent } from "../../client/index.ts";
import { activity as texts } from "../texts/activity.ts";
import type { Actor, Subject } from "./event-filters.ts";

/** Changed fields that a sentence names. The details have all of them. */
const NAMED_FIELDS = 3;

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

/** The fields that an update changed, in words; undefined if the event names none. */
export function changedFieldsLabel({ subject, changes }: RosterEvent): string | undefined {
  // The keywords of a schema are not fields.
  if (subject.type === "schema") return undefined;
  const fields = Object.keys(changes).filter((field) => !managed.has(field));
  if (fields.length === 0) return undefined;
  if (fields.length === 1) return fields[0];
  const named = fields.slice(0, fields.length > NAMED_FIELDS ? NAMED_FIELDS : -1);
  const last =
    fields.length > NAMED_FIELDS ? texts.moreFields(String(fields.length - NAMED_FIELDS)) : fields.at(-1);
  return `${named.join(", ")} ${texts.and} ${last}`;
}

function textOf(record: object | null, field: string): string | undefined {
  const value = record && Object.hasOwn(record, field) ? Reflect.get(record, field) : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : url;
}

import type { RosterEvent } from "../../client/index.ts";
import { formatTime } from "./format-keys.ts";
import { printable } from "./printable.ts";

export const EVENT_HEAD = ["TIME", "EVENT", "SUBJECT", "BY", "CHANGED"];

/** The cells of an event in a table. */
export function toEventRow({ time, type, subject, version, actor, changes, record }: RosterEvent): string[] {
  const by = actor.type === "key" ? `key ${actor.id} (${actor.name ?? "?"})` : actor.type;
  const name =
    subject.type === "schema"
      ? `version ${version}`
      : record && ("name" in record ? record.name : "url" in record && record.url);
  return [
    formatTime(time),
    type,
    printable(`${subject.type} ${subject.id} (${name ?? "purged"})`),
    printable(by),
    printable(Object.keys(changes).join(", ")),
  ];
}

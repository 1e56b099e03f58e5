import { eventTypeLabels } from "../texts/activity.ts";
import { webhooks as texts } from "../texts/webhooks.ts";
import { Badges } from "../ui/badges.tsx";

interface EventTypesProps {
  readonly types: readonly string[];
}

/** The types in one line. */
export function EventTypeLine({ types }: EventTypesProps) {
  const names = types.map(typeLabel).join(", ");
  return <span title={names}>{names}</span>;
}

export function EventTypeBadges({ types }: EventTypesProps) {
  return <Badges badges={types.map((type) => ({ key: type, label: typeLabel(type), title: type }))} />;
}

/** A pattern of types in words. The service can send types that this page does not know. */
export function typeLabel(type: string): string {
  if (type === "*") return texts.allEvents;
  return new Map<string, string>(Object.entries(eventTypeLabels)).get(type) ?? type;
}

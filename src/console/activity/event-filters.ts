import { useMemo } from "react";
import { useLocation } from "wouter";
import { useSearch } from "wouter/use-browser-location";
import type { EventFilters, EventTypeFilter } from "../../client/index.ts";
import { eventPatterns, eventSubjectTypes, eventTypes } from "../../contract/events/event.ts";

export type Subject = NonNullable<EventFilters["subject"]>;
export type Actor = NonNullable<EventFilters["actor"]>;

/** Each subject's pattern, followed by its types. */
export const eventTypeFilters: readonly EventTypeFilter[] = eventSubjectTypes.flatMap(
  (subject) => [`${subject}.*`, ...eventTypes.filter((type) => type.startsWith(`${subject}.`))] as const,
);

export const periods = ["1h", "24h", "7d", "30d"] as const;
type Period = (typeof periods)[number];
const HOUR = 3_600_000;
const periodLengths: Record<Period, number> = {
  "1h": HOUR,
  "24h": 24 * HOUR,
  "7d": 168 * HOUR,
  "30d": 720 * HOUR,
};

/** The filters in the URL, or the user whose history is shown. */
export interface ActivityFilters {
  readonly historyOf?: number;
  readonly type?: EventTypeFilter | undefined;
  readonly subject?: Subject | undefined;
  readonly actor?: Actor | undefined;
  readonly within?: Period | undefined;
  /** Local days, such as 2026-01-31. Both are included. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const names = ["type", "subject", "actor", "within", "from", "to"] as const;

function parseActivityFilters(text: string): ActivityFilters {
  const parameters = new URLSearchParams(text);
  const read = <Value extends string>(name: string, isValid: (text: string) => text is Value) => {
    const value = parameters.get(name);
    return value !== null && isValid(value) ? value : undefined;
  };
  return {
    type: read("type", matches<EventTypeFilter>(eventPatterns.type)),
    subject: read("subject", matches<Subject>(eventPatterns.subject)),
    actor: read("actor", matches<Actor>(eventPatterns.actor)),
    within: periods.find((period) => period === parameters.get("within")),
    from: read("from", isDay),
    to: read("to", isDay),
  };
}

export function formatActivityFilters(filters: ActivityFilters): string {
  const parameters = new URLSearchParams();
  for (const name of names) {
    const value = filters[name];
    if (value !== undefined && value !== "") parameters.set(name, value);
  }
  const text = String(parameters);
  return text === "" ? "" : `?${text}`;
}

export function isFiltered(filters: ActivityFilters): boolean {
  return names.some((name) => filters[name] !== undefined);
}

/** The filters as options of the client library. */
export function toEventFilters(
  { historyOf, type, subject, actor, within, from, to }: ActivityFilters,
  now = Date.now(),
): EventFilters {
  const start = within === undefined ? from && startOfDay(from) : new Date(now - periodLengths[within]);
  const end = within === undefined ? to && startOfDay(to, 1) : undefined;
  return {
    ...(historyOf !== undefined && { user: historyOf }),
    ...(type && { type }),
    ...(subject && { subject }),
    ...(actor && { actor }),
    ...(start && { from: start }),
    ...(end && { to: end }),
  };
}

export function useActivityFilters(): [ActivityFilters, (change: Partial<ActivityFilters>) => void] {
  const text = useSearch();
  const [path, navigate] = useLocation();
  const filters = useMemo(() => parseActivityFilters(text), [text]);
  return [filters, (part) => navigate(path + formatActivityFilters({ ...filters, ...part }))];
}

function matches<Value extends string>(pattern: string): (text: string) => text is Value {
  const compiled = new RegExp(pattern);
  return (text): text is Value => compiled.test(text);
}

function isDay(text: string): text is string {
  return /^(19[7-9]\d|2[01]\d\d)-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** The beginning of a local day, or of a day after it. */
function startOfDay(day: string, laterDays = 0): Date {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + laterDays);
  return date;
}

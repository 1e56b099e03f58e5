import { useSyncExternalStore } from "react";
import {
  formatDateTime,
  formatDayAndMonth,
  formatRelativeDays,
  formatRelativeTime,
  formatTime,
} from "../texts/format.ts";

/** What each form shows, and its tooltip: either the other form of the time, or the exact one. */
const forms = {
  relative: [formatRelativeTime, formatDateTime],
  exact: [formatDateTime, formatRelativeTime],
  clock: [formatTime, formatDateTime],
  day: [formatDayAndMonth, formatRelativeDays],
} as const;

/** How often the times that are shown follow the clock. */
const TICK_MS = 4000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function followClock(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

interface TimestampProps {
  readonly iso: string;
  /** Default: relative. */
  readonly form?: keyof typeof forms;
}

/** A time that follows the clock, with a tooltip that says more. */
export function Timestamp({ iso, form = "relative" }: TimestampProps) {
  const [format, formatTooltip] = forms[form];
  const text = useSyncExternalStore(followClock, () => format(iso));
  return (
    <time dateTime={iso} title={formatTooltip(iso)}>
      {text}
    </time>
  );
}

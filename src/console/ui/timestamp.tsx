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

interface TimestampProps {
  readonly iso: string;
  /** Default: relative. */
  readonly form?: keyof typeof forms;
}

/** A time, with a tooltip that says more. */
export function Timestamp({ iso, form = "relative" }: TimestampProps) {
  const [format, formatTooltip] = forms[form];
  return (
    <time dateTime={iso} title={formatTooltip(iso)}>
      {format(iso)}
    </time>
  );
}

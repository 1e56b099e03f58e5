import { formatDateTime, formatRelativeTime } from "../texts/format.ts";

/** A relative time, with the exact time as a tooltip. */
export function Timestamp({ iso }: { readonly iso: string }) {
  return (
    <time dateTime={iso} title={formatDateTime(iso)}>
      {formatRelativeTime(iso)}
    </time>
  );
}

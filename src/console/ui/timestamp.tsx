import { formatDateTime, formatRelativeTime } from "../texts/format.ts";

/** How long ago, or how soon; pointed at, when exactly. */
export function Timestamp({ iso }: { readonly iso: string }) {
  return (
    <time dateTime={iso} title={formatDateTime(iso)}>
      {formatRelativeTime(iso)}
    </time>
  );
}

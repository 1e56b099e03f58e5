import { formatAgo, formatMoment } from "../app/format.ts";

/** How long ago, or how soon; pointed at, when exactly. */
export function Moment({ iso }: { readonly iso: string }) {
  return (
    <time dateTime={iso} title={formatMoment(iso)}>
      {formatAgo(iso)}
    </time>
  );
}

import { formatAgo, formatMoment } from "../texts/format.ts";

/** How long ago, or how soon; pointed at, when exactly. */
export function Moment({ iso }: { readonly iso: string }) {
  return (
    <time dateTime={iso} title={formatMoment(iso)}>
      {formatAgo(iso)}
    </time>
  );
}

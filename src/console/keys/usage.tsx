import type { Key } from "../../client/index.ts";
import { formatNumber } from "../texts/format.ts";
import { keys as texts } from "../texts/index.ts";

/** How much of its quota a key has used this month; where it has none, how often it was used. */
export function Usage({ usage, quota }: Pick<Key, "usage" | "quota">) {
  const requests = formatNumber(usage.requests);
  if (quota === null) return <span className="figure">{texts.used(requests)}</span>;
  const share = Math.min(usage.requests / quota, 1);
  const said = texts.usedOf(requests, formatNumber(quota));
  return (
    <span className="usage">
      <span className="figure">{said}</span>
      <svg
        className={`meter${share >= 0.9 ? " full" : ""}`}
        viewBox="0 0 100 1"
        preserveAspectRatio="none"
        role="img"
        aria-label={texts.meter(said)}
      >
        <rect className="meter-fill" width={share * 100} height="1" />
      </svg>
    </span>
  );
}

import type { Key } from "../../client/index.ts";
import { formatNumber } from "../texts/format.ts";
import { keys as texts } from "../texts/index.ts";

/** Requests of this month, as a share of the quota if the key has one. */
export function Usage({ usage, quota }: Pick<Key, "usage" | "quota">) {
  const requests = formatNumber(usage.requests);
  if (quota === null) return <span className="figure">{texts.used(requests)}</span>;
  const share = Math.min(usage.requests / quota, 1);
  const text = texts.usedOf(requests, formatNumber(quota));
  return (
    <span className="usage">
      <span className="figure">{text}</span>
      <svg
        className={`meter${share >= 0.9 ? " full" : ""}`}
        viewBox="0 0 100 1"
        preserveAspectRatio="none"
        role="img"
        aria-label={texts.meter(text)}
      >
        <rect className="meter-fill" width={share * 100} height="1" />
      </svg>
    </span>
  );
}

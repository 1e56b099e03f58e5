import { positionOf, scaleOf } from "./scale.ts";

/** A small chart of bars without a scale. `label` says in words what it shows. */
export function Sparkline({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  const scale = scaleOf(values, true);
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${values.length} 1`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      <path
        className="sparkline-bars"
        d={values.map((value, day) => bar(day, positionOf(scale, value))).join("")}
      />
    </svg>
  );
}

/** A day without requests has a thin line, so that it shows. */
function bar(day: number, share: number): string {
  const height = Math.max(share, 0.04);
  return `M${day + 0.14} 1v${-height}h0.72v${height}z`;
}

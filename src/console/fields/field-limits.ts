import { formatNumber } from "../texts/format.ts";
import { values as texts } from "../texts/index.ts";
import type { FieldSpec } from "./field-spec.ts";

/** The limits of a number, or the time zone of a time, in words. Undefined if there are none. */
export function describeLimits({ control, keywords, types }: FieldSpec): string | undefined {
  if (control === "date-time") return texts.localTime(Intl.DateTimeFormat().resolvedOptions().timeZone);
  if (control !== "number") return undefined;
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = keywords;
  const isWhole = types.includes("integer");
  if (typeof minimum === "number" && typeof maximum === "number") {
    return texts.limits.between(formatNumber(minimum), formatNumber(maximum), isWhole);
  }
  const limits = [
    typeof minimum === "number" && texts.limits.atLeast(formatNumber(minimum)),
    typeof above === "number" && texts.limits.moreThan(formatNumber(above)),
    typeof maximum === "number" && texts.limits.atMost(formatNumber(maximum)),
    typeof below === "number" && texts.limits.lessThan(formatNumber(below)),
  ].filter((limit) => limit !== false);
  return limits.length > 0 ? texts.limits.all(limits, isWhole) : undefined;
}

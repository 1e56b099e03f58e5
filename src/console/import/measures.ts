// Sizes and times, as the reader's own locale writes them.

const sizes = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

export function formatSize(bytes: number): string {
  const step = Math.min(Math.max(0, Math.floor(Math.log10(bytes) / 3)), sizes.length - 1);
  const amount = bytes / 1000 ** step;
  return new Intl.NumberFormat(undefined, {
    style: "unit",
    unit: sizes[step] ?? "byte",
    unitDisplay: step === 0 ? "long" : "short",
    maximumFractionDigits: amount < 10 ? 1 : 0,
  }).format(amount);
}

const times = [
  ["second", 90],
  ["minute", 90],
  ["hour", Number.POSITIVE_INFINITY],
] as const;

/** Roughly: what is left is never known better. */
export function formatTime(ms: number): string {
  let amount = ms / 1000;
  for (const [unit, most] of times) {
    if (amount < most) {
      const whole = Math.max(1, Math.round(amount));
      return new Intl.NumberFormat(undefined, { style: "unit", unit, unitDisplay: "long" }).format(whole);
    }
    amount /= 60;
  }
  return "";
}

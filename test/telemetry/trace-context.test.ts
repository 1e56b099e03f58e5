import { describe, expect, test } from "bun:test";
import { createSampler } from "../../src/telemetry/traces/sampler.ts";
import {
  createContext,
  formatTraceparent,
  parseTraceparent,
} from "../../src/telemetry/traces/trace-context.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

describe("traceparent", () => {
  test("is read and written", () => {
    for (const flags of ["00", "01"]) {
      const header = `00-${traceId}-${spanId}-${flags}`;
      const context = parseTraceparent(header, "vendor=1");
      expect(context).toEqual({ traceId, spanId, sampled: flags === "01", state: "vendor=1" });
      if (context) expect(formatTraceparent(context)).toBe(header);
    }
  });

  test("of a later version is read, with fields that version 00 does not have", () => {
    expect(parseTraceparent(`cc-${traceId}-${spanId}-01-more`, null)).toMatchObject({ traceId, spanId });
  });

  test.each([
    "",
    "00",
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${traceId}-${spanId}-0g`,
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    ` 00-${traceId}-${spanId}-01`,
  ])("is ignored if it is invalid: %p", (header) => {
    expect(parseTraceparent(header, null)).toBeUndefined();
  });

  test("is used without a tracestate that is too long or not printable", () => {
    const header = `00-${traceId}-${spanId}-01`;
    expect(parseTraceparent(header, "x".repeat(513))?.state).toBe("");
    expect(parseTraceparent(header, "é=1")?.state).toBe("");
  });
});

describe("a sampler", () => {
  const parent = (sampled: boolean) => ({ traceId, spanId, sampled, state: "" });

  test("keeps all or no traces, whatever the caller decides", () => {
    for (const caller of [undefined, parent(true), parent(false)]) {
      expect(createSampler("always_on", 0)(traceId, caller)).toBe(true);
      expect(createSampler("always_off", 1)(traceId, caller)).toBe(false);
    }
  });

  test("follows the caller, if it is parent-based", () => {
    for (const name of [
      "parentbased_always_on",
      "parentbased_always_off",
      "parentbased_traceidratio",
    ] as const) {
      expect(createSampler(name, 0.5)(traceId, parent(true))).toBe(true);
      expect(createSampler(name, 0.5)(traceId, parent(false))).toBe(false);
    }
    expect(createSampler("parentbased_always_off", 1)(traceId, undefined)).toBe(false);
  });

  test("keeps a share of traces, the same ones everywhere", () => {
    const sample = createSampler("traceidratio", 0.25);
    const ids = Array.from({ length: 4000 }, () => createContext(undefined, () => true).traceId);
    const kept = ids.filter((id) => sample(id, undefined));
    expect(kept.length).toBeGreaterThan(800);
    expect(kept.length).toBeLessThan(1200);
    expect(ids.filter((id) => createSampler("traceidratio", 0.25)(id, undefined))).toEqual(kept);
    expect(ids.some((id) => createSampler("traceidratio", 0)(id, undefined))).toBe(false);
    expect(ids.every((id) => createSampler("traceidratio", 1)(id, undefined))).toBe(true);
  });
});

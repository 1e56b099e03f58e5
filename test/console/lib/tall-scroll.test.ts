import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { TallScroll } from "../../../src/console/lib/tall-scroll.ts";

const VIEW = 800;

/** An element in a browser, which cannot scroll past its ends. */
class Element {
  scrollTop = 0;

  constructor(
    readonly scroll: TallScroll,
    height: number,
  ) {
    scroll.resize(height, VIEW);
  }

  get max(): number {
    return Math.max(0, this.scroll.height - VIEW);
  }

  scrollTo(scrollTop: number): void {
    this.scrollTop = this.scroll.scrolled(Math.max(0, Math.min(this.max, scrollTop)));
  }
}

const heights = fc.integer({ min: 0, max: 400_000_000 });
const open = (height: number) => new Element(new TallScroll(), height);

describe("content that is taller than elements can be", () => {
  test("stays in its bounds, and within the height that browsers allow", () => {
    const moves = fc.oneof(
      fc.integer({ min: -2000, max: 2000 }).map((by) => ({ by })),
      fc.double({ min: 0, max: 1, noNaN: true }).map((part) => ({ part })),
      fc.double({ min: 0, max: 1, noNaN: true }).map((place) => ({ place })),
      fc.constant("settle" as const),
    );
    fc.assert(
      fc.property(heights, fc.array(moves, { maxLength: 50 }), (height, steps) => {
        const element = open(height);
        const { scroll } = element;
        const maxTop = Math.max(0, height - VIEW);
        for (const step of steps) {
          if (step === "settle") element.scrollTop = scroll.place(scroll.top);
          else if ("by" in step) element.scrollTo(element.scrollTop + step.by);
          else if ("part" in step) element.scrollTo(step.part * element.max);
          else {
            element.scrollTop = scroll.place(step.place * maxTop);
            expect(scroll.top).toBeCloseTo(step.place * maxTop, 3);
          }
          expect(scroll.height).toBeLessThanOrEqual(17_000_000);
          expect(scroll.top).toBeGreaterThanOrEqual(0);
          expect(scroll.top).toBeLessThanOrEqual(maxTop + 1);
          expect(element.scrollTop).toBeGreaterThanOrEqual(0);
          expect(element.scrollTop).toBeLessThanOrEqual(element.max + 1);
        }
      }),
    );
  });

  test("moves by as many pixels as a wheel, wherever it is", () => {
    fc.assert(
      fc.property(
        heights,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: -VIEW, max: VIEW }),
        (height, part, by) => {
          const element = open(height);
          const maxTop = Math.max(0, height - VIEW);
          element.scrollTop = element.scroll.place(Math.round(part * maxTop));
          const before = element.scroll.top;
          element.scrollTo(element.scrollTop + by);
          expect(element.scroll.top).toBeCloseTo(Math.max(0, Math.min(maxTop, before + by)), 3);
        },
      ),
    );
  });

  test("is reached everywhere by dragging the scrollbar, and by the wheel alone", () => {
    const height = 40_000_000;
    const element = open(height);
    element.scrollTo(element.max / 2);
    expect(element.scroll.top / height).toBeCloseTo(0.5, 3);
    element.scrollTo(element.max);
    expect(element.scroll.top).toBe(height - VIEW);
    element.scrollTo(0);
    expect(element.scroll.top).toBe(0);
    for (let steps = 0; element.scroll.top < height - VIEW; steps++) {
      element.scrollTo(element.scrollTop + VIEW);
      if (steps > height / VIEW) throw new Error(`The wheel stops at ${element.scroll.top}.`);
    }
    for (let steps = 0; element.scroll.top > 0; steps++) {
      element.scrollTo(element.scrollTop - VIEW);
      if (steps > height / VIEW) throw new Error(`The wheel stops at ${element.scroll.top}.`);
    }
  });

  test("has a scrollbar that shows its place, once scrolling has ended", () => {
    const element = open(40_000_000);
    for (let step = 0; step < 20_000; step++) element.scrollTo(element.scrollTop + VIEW);
    expect(element.scroll.top).toBe(16_000_000);
    element.scrollTop = element.scroll.place(element.scroll.top);
    expect(element.scroll.top).toBe(16_000_000);
    expect(element.scrollTop / element.max).toBeCloseTo(0.4, 3);
  });
});

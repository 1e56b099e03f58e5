import { expect, test } from "bun:test";
import fc from "fast-check";
import { chooseUnambiguous, collidingFields, merge } from "../../../src/console/users/detail/merge.ts";

const record = fc
  .dictionary(fc.constantFrom("a", "b", "c", "d"), fc.integer({ min: 0, max: 2 }))
  .map((fields) => new Map(Object.entries(fields)));

test("a merge has the value of the side that changed it, for every field that does not collide", () => {
  fc.assert(
    fc.property(record, record, record, (was, mine, theirs) => {
      const versions = { was, mine, theirs };
      const merged = merge(mine, theirs, chooseUnambiguous(versions));
      const colliding = collidingFields(versions);
      for (const field of ["a", "b", "c", "d"]) {
        const [before, own, other] = [was, mine, theirs].map((version) => version.get(field));
        expect(colliding.includes(field)).toBe(own !== before && other !== before && own !== other);
        if (!colliding.includes(field)) expect(merged.get(field)).toBe(own === before ? other : own);
      }
    }),
  );
});

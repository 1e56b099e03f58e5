import { expect, test } from "bun:test";
import { anonymousOrigin, commandOrigin, environmentActor, systemOrigin } from "../../src/domain/caller.ts";
import { fromStoredActor, toStoredActor } from "../../src/store/sql/stored-actor.ts";

test.each([
  [{ type: "key", id: 7 } as const, 7],
  [environmentActor, 0],
  [anonymousOrigin.actor, null],
  [commandOrigin.actor, -1],
  [systemOrigin.actor, -2],
])("%j is stored as %p, as in databases that exist", (actor, stored) => {
  expect(toStoredActor(actor)).toBe(stored);
  expect(fromStoredActor(stored)).toEqual(actor);
});

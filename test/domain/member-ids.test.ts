import { expect, test } from "bun:test";
import fc from "fast-check";
import type { GroupStore } from "../../src/domain/groups/group-store.ts";
import { differenceOfMembers, memberIds } from "../../src/domain/groups/member-ids.ts";

/** Members in pages of three. Like a store, it reads the members that there are when a page is asked for. */
function storeOf(members: Set<number>): Pick<GroupStore, "listMemberships"> {
  return {
    async listMemberships({ after }) {
      const ids = inOrder(members).filter((id) => id > (after?.userId ?? 0));
      const last = ids[2];
      const next = last === undefined ? undefined : { groupId: 7, userId: last };
      return { rows: ids.slice(0, 3).map((id) => [7, id]), next };
    },
  };
}

function inOrder(ids: Iterable<number>): number[] {
  return [...ids].sort((a, b) => a - b);
}

const idSets = fc.uniqueArray(fc.integer({ min: 1, max: 40 }));

test("The difference makes a group have exactly the wanted members, in full patches", async () => {
  const changes = fc.integer({ min: 1, max: 6 });
  await fc.assert(
    fc.asyncProperty(
      idSets,
      fc.array(fc.integer({ min: 1, max: 40 })),
      changes,
      async (before, ids, most) => {
        const members = new Set(before);
        const sizes: number[] = [];
        const wanted = { groupId: 7, ids, patchChanges: most };
        for await (const { add, remove } of differenceOfMembers(storeOf(members), wanted)) {
          sizes.push(add.length + remove.length);
          for (const id of add) expect(members.has(id)).toBe(false);
          for (const id of remove) expect(members.delete(id)).toBe(true);
          for (const id of add) members.add(id);
        }
        expect(inOrder(members)).toEqual(inOrder(new Set(ids)));
        expect(sizes.slice(0, -1)).toEqual(sizes.slice(0, -1).map(() => most));
        expect(sizes.at(-1) ?? 1).toBeWithin(1, most + 1);
      },
    ),
  );
});

test("All members after an id are read in order, page by page", async () => {
  await fc.assert(
    fc.asyncProperty(idSets, fc.nat(40), async (ids, after) => {
      const pages: (readonly number[])[] = [];
      for await (const page of memberIds(storeOf(new Set(ids)), 7, after)) pages.push(page);
      expect(pages.flat()).toEqual(inOrder(ids).filter((id) => id > after));
      expect(pages.every(({ length }) => length > 0)).toBe(true);
    }),
  );
});

import { expect, test } from "bun:test";
import { IdList } from "../../src/domain/groups/id-list.ts";

test("A list has the ids that were added, in order", () => {
  const list = new IdList();
  const ids: number[] = [];
  for (let id = 1; id <= 5000; id++) {
    if ([1, 1025, 2048, 2049].includes(id)) expect([...list]).toEqual(ids);
    list.add(id);
    ids.push(id);
  }
  expect(list.length).toBe(5000);
  expect([...list]).toEqual(ids);
});

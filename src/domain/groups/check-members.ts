import { membershipLimits } from "../../contract/groups/group.ts";
import { appendPointer, isObject, type Json } from "../../contract/json.ts";
import { INVALID_ID, isIdValue } from "../../contract/scalars.ts";
import { FieldErrors } from "../field-errors.ts";
import type { MemberPatch } from "./group-store.ts";

const { patchIds } = membershipLimits;

/** Checks the body of a change of members. Fails with `invalid-group` and every error. Ids keep their places in the lists. */
export function checkMemberPatch(body: unknown): MemberPatch {
  const errors = new FieldErrors();
  if (!isObject(body)) errors.add("", "Send an object with add, remove or both.");
  const { add, remove, ...others } = isObject(body) ? body : {};
  for (const name of Object.keys(others)) {
    if (errors.full) break;
    errors.add(appendPointer("", name), "Unknown member. Use add and remove.");
  }
  const lists = { add: checkList("/add", add, errors), remove: checkList("/remove", remove, errors) };
  if (lists.add.length + lists.remove.length > patchIds) {
    const pointer = lists.add.length > patchIds ? "/add" : "/remove";
    errors.add(pointer, `Send at most ${patchIds} ids in add and remove together.`);
    errors.throwIfAny("invalid-group");
  }
  const patch = {
    add: checkIds("/add", lists.add, errors),
    remove: checkIds("/remove", lists.remove, errors),
  };
  const added = new Set(patch.add);
  for (const [index, id] of lists.remove.entries()) {
    if (isIdValue(id) && added.has(id)) errors.add(`/remove/${index}`, `User ${id} is in add too.`);
  }
  errors.throwIfAny("invalid-group");
  return patch;
}

function checkList(pointer: string, list: Json | undefined, errors: FieldErrors): readonly Json[] {
  if (list === undefined) return [];
  if (Array.isArray(list)) return list;
  errors.add(pointer, "Send an array of ids of users.");
  return [];
}

function checkIds(pointer: string, list: readonly Json[], errors: FieldErrors): number[] {
  const ids: number[] = [];
  for (const [index, id] of list.entries()) {
    if (isIdValue(id)) ids.push(id);
    else errors.add(`${pointer}/${index}`, INVALID_ID);
  }
  return ids;
}

import { isProblem } from "../../lib/api.ts";
import { changedFields, type EditedItem, toRecord, type UserRecord } from "../record.ts";
import type { RecordKind } from "./record-kind.ts";

export type SaveOutcome<Item> =
  | { readonly kind: "saved"; readonly item: Item }
  /** Someone else changed the record. Nothing was saved. */
  | { readonly kind: "changed"; readonly theirs: Item }
  | { readonly kind: "deleted" };

/** Saves the record, on the condition that `base` is still the current version. */
export async function saveRecord<Item extends EditedItem>(
  kind: RecordKind<Item>,
  base: Item,
  record: UserRecord,
): Promise<SaveOutcome<Item>> {
  const { missing } = kind.problems;
  try {
    return { kind: "saved", item: await kind.update(base, record) };
  } catch (error) {
    if (isProblem(error, missing)) return { kind: "deleted" };
    if (!isProblem(error, "version-mismatch")) throw error;
  }
  try {
    const theirs = await kind.read(base.id);
    // Equal records: someone made the same change, or an earlier try succeeded without a response.
    const isSame = changedFields(record, toRecord(theirs, kind.fields)).length === 0;
    return isSame ? { kind: "saved", item: theirs } : { kind: "changed", theirs };
  } catch (error) {
    if (isProblem(error, missing)) return { kind: "deleted" };
    throw error;
  }
}

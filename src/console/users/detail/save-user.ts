import { isProblem } from "../../lib/api.ts";
import { type EditedItem, isSameRecord, toRecord, type UserRecord } from "../record.ts";
import type { RecordKind } from "./record-kind.ts";

export type SaveOutcome<Item> =
  | { readonly kind: "saved"; readonly item: Item }
  /** Someone else changed the record. Nothing was saved. */
  | { readonly kind: "changed"; readonly theirs: Item }
  | { readonly kind: "deleted" };

/** How often a save begins again because others change only the members of a group. */
const MAX_ATTEMPTS = 5;

/** Saves the record, on the condition that others have not changed it since `base`. */
export async function saveRecord<Item extends EditedItem>(
  kind: RecordKind<Item>,
  base: Item,
  record: UserRecord,
): Promise<SaveOutcome<Item>> {
  const was = toRecord(base, kind.fields);
  let current = base;
  try {
    for (let attempt = 1; ; attempt++) {
      const saved = await update(kind, current, record);
      if (saved) return { kind: "saved", item: saved };
      const theirs = await kind.read(base.id);
      const now = toRecord(theirs, kind.fields);
      // Equal records: someone made the same change, or an earlier try succeeded without a response.
      if (isSameRecord(record, now)) return { kind: "saved", item: theirs };
      // The version of a group also grows with a change of its members.
      if (!isSameRecord(was, now) || attempt === MAX_ATTEMPTS) return { kind: "changed", theirs };
      current = theirs;
    }
  } catch (error) {
    if (isProblem(error, kind.problems.missing)) return { kind: "deleted" };
    throw error;
  }
}

/** Undefined if `base` is not the current version. */
async function update<Item extends EditedItem>(
  kind: RecordKind<Item>,
  base: Item,
  record: UserRecord,
): Promise<Item | undefined> {
  try {
    return await kind.update(base, record);
  } catch (error) {
    if (!isProblem(error, "version-mismatch")) throw error;
    return undefined;
  }
}

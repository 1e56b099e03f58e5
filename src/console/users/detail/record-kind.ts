import type { Scope } from "../../../client/index.ts";
import type { ProblemType } from "../../../contract/problems.ts";
import type { user } from "../../texts/index.ts";
import type { EditedItem, KnownFields, UserRecord } from "../record.ts";

/** What differs between the forms of users and those of groups. */
export interface KindFacts {
  readonly name: "user" | "group";
  readonly texts: typeof user;
  readonly fields: KnownFields;
  /** The fields of the form, besides custom fields. */
  readonly formFields: readonly string[];
  /** Whether the schema describes custom fields. */
  readonly hasSchema: boolean;
  readonly writeScope: Scope;
  readonly problems: { readonly invalid: ProblemType; readonly missing: ProblemType };
  /** The labels of fields. */
  useFieldLabel(): (field: string) => string;
}

/** How users, or groups, are written. */
export interface RecordKind<Item extends EditedItem> extends KindFacts {
  read(id: number): Promise<Item>;
  create(record: UserRecord, idempotencyKey: string): Promise<Item>;
  /** Writes the record, on the condition that `base` is still the current version. */
  update(base: Item, record: UserRecord): Promise<Item>;
  /** Shows a newer version, which someone else has written. */
  show(item: Item): void;
  /** Removes what someone else has deleted from lists. */
  remove(id: number): void;
  /** Says that the record was saved. `base` is the version before. */
  reportSaved(saved: Item, base: Item | undefined): void;
}

import type { ImportAction, ImportKind, MatchTarget } from "./import-kinds.ts";
import type { Target } from "./mapping.ts";
import type { Source } from "./source.ts";

/** A file, what its rows are, the fields for its columns, and what happens to rows whose user or group exists. */
export interface ImportPlan {
  readonly source: Source;
  readonly kind: ImportKind;
  readonly targets: readonly Target[];
  readonly action: ImportAction;
  /** The field by which rows find users. Groups are found by their names. */
  readonly match: MatchTarget;
}

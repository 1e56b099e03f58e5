import { isObject, type JsonObject } from "../../contract/json.ts";
import { queryClient } from "../lib/api.ts";
import { loadJsonPreference, savePreference } from "../lib/preferences.ts";
import { sessionQuery } from "../lib/session.ts";
import { columnTypes } from "./column-type.ts";
import { coreTargets, importActions, importKinds, matchTargets } from "./import-kinds.ts";
import type { ImportPlan } from "./import-plan.ts";
import type { Target } from "./mapping.ts";
import type { Source } from "./source.ts";

const NAME = "roster.unfinished-import";
/** The service keeps the results of requests for a day. After that, a repeated request would create records again. */
const MAX_AGE_MS = 23 * 3_600_000;

/** An import whose page was closed: all but the rows of the file. */
export interface UnfinishedImport extends Pick<ImportPlan, "kind" | "targets" | "action" | "match"> {
  /** Begins the idempotency keys of the requests. */
  readonly id: string;
  readonly startedAt: number;
  /** How many rows have a result. */
  readonly rows: number;
  readonly file: Pick<Source, "name" | "size" | "rowCount">;
}

/** So that a later page can continue the import. */
export function rememberUnfinished(
  { source, kind, targets, action, match }: ImportPlan,
  progress: Pick<UnfinishedImport, "id" | "startedAt" | "rows">,
): void {
  const { name, size, rowCount } = source;
  const file = { name, size, rowCount };
  savePreference(
    NAME,
    JSON.stringify({ ...progress, kind, targets, action, match, file, key: currentKey() }),
  );
}

export function forgetUnfinished(): void {
  savePreference(NAME, undefined);
}

/** An import that the current key can continue. */
export function findUnfinished(now = Date.now()): UnfinishedImport | undefined {
  const stored = loadJsonPreference(NAME);
  if (!isObject(stored) || stored.key !== currentKey()) return undefined;
  // Earlier versions of the console did not store the kind and the field, and called the action onConflict.
  const { kind = "users", match = "email", onConflict, action = onConflict } = stored;
  const { id, startedAt, rows, targets, file } = stored;
  const knownKind = importKinds.find((name) => name === kind);
  const knownAction = importActions.find((name) => name === action);
  const matched = matchTargets.find((name) => name === match);
  const columns = Array.isArray(targets) ? targets.map(parseTarget) : [];
  const found = isObject(file) ? parseFile(file) : undefined;
  if (typeof id !== "string" || typeof startedAt !== "number" || typeof rows !== "number") return undefined;
  if (!knownKind || !knownAction || !matched || !found) return undefined;
  if (columns.length === 0 || startedAt < now - MAX_AGE_MS) return undefined;
  const known = columns.filter((target) => target !== undefined);
  return known.length === columns.length
    ? {
        id,
        startedAt,
        rows,
        kind: knownKind,
        targets: known,
        action: knownAction,
        match: matched,
        file: found,
      }
    : undefined;
}

/** Whether this is the file of the import, as far as its name and its size tell. The service refuses other rows. */
export function isSameFile({ file, targets }: UnfinishedImport, source: Source): boolean {
  const { name, size, rowCount, columns } = source;
  return (
    file.name === name &&
    file.size === size &&
    file.rowCount === rowCount &&
    targets.length === columns.length
  );
}

/** The service keeps results by key. Null: it requires no key. */
function currentKey(): number | null {
  return queryClient.getQueryData(sessionQuery.queryKey)?.key?.id ?? null;
}

function parseFile({ name, size, rowCount }: JsonObject): UnfinishedImport["file"] | undefined {
  return typeof name === "string" && typeof size === "number" && typeof rowCount === "number"
    ? { name, size, rowCount }
    : undefined;
}

function parseTarget(stored: unknown): Target | undefined {
  if (!isObject(stored)) return undefined;
  const { to, field, type, omitsMisfits } = stored;
  const core = coreTargets.find((name) => name === to);
  if (core) return { to: core };
  if (to === "skip") return { to };
  if (to !== "custom" || typeof field !== "string") return undefined;
  return {
    to,
    field,
    type: columnTypes.find((name) => name === type),
    ...(omitsMisfits === true && { omitsMisfits }),
  };
}

import { operations } from "../contract/operations.ts";
import type { ImportedMembership } from "../domain/bulk/import-memberships.ts";
import type { RowOutcome } from "../domain/bulk/imports.ts";
import type { Memberships } from "../domain/bulk/memberships.ts";
import {
  formatOf,
  formatResultProblem,
  type ImportExportRouteParts,
  respondToImport,
  respondWithExport,
} from "./import-export.ts";
import { originOf, type RequestContext } from "./request-context.ts";
import type { Router } from "./router.ts";

/** Registers the handlers of imports and exports of memberships. */
export function serveMemberships(
  router: Router,
  memberships: Memberships,
  parts: ImportExportRouteParts,
): void {
  const { importMemberships, exportMemberships } = operations;

  router.serve(importMemberships, (context, { bodyType, idempotencyKey: key, dryRun, remove: removes }) => {
    const by = originOf(context);
    return respondToImport(context, parts, {
      readRows: memberships.createRowReader(formatOf(bodyType)),
      run: (rows, meter) => memberships.import({ by, rows, key, meter }, { removes }, dryRun),
      format: (outcome) => formatOutcome(context, outcome, removes ? 200 : 201),
    });
  });

  router.serve(exportMemberships, (context, { group: groupIds, names }) =>
    respondWithExport(context, parts, "memberships", (format, signal, meter) =>
      memberships.export(format, { groupIds, names }, signal, meter),
    ),
  );
}

/** `changedStatus` is the status of a line whose membership has changed. */
function formatOutcome(
  context: RequestContext,
  outcome: RowOutcome<ImportedMembership>,
  changedStatus: number,
): string {
  const { line } = outcome;
  return "problem" in outcome
    ? formatResultProblem(context, { line }, outcome.problem)
    : `{"line":${line},"status":${outcome.isChanged ? changedStatus : 200}}`;
}

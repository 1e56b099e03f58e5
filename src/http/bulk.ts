import { bulkLimits, type ImportOptions, INVALID_MATCH } from "../contract/bulk/bulk.ts";
import type { GroupColumn } from "../contract/groups/group-fields.ts";
import type { Scope } from "../contract/keys/key.ts";
import { operations } from "../contract/operations.ts";
import type { ColumnField } from "../contract/users/user-fields.ts";
import type { Bulk } from "../domain/bulk/bulk.ts";
import { checkBulk } from "../domain/bulk/check-bulk.ts";
import type { ImportExport } from "../domain/bulk/import-export.ts";
import type { RowOutcome } from "../domain/bulk/imports.ts";
import { parseBulk } from "../domain/bulk/parse-bulk.ts";
import type { ImportedRecord } from "../domain/import-row.ts";
import { costOfFilter } from "../domain/request-cost.ts";
import { isMembershipChange } from "../domain/users/user-store.ts";
import { hasScope, requireForMember, requireForMemberships } from "./access/require-scope.ts";
import {
  formatOf,
  formatResultProblem,
  type ImportExportRouteParts,
  respondToImport,
  respondWithExport,
  respondWithResults,
} from "./import-export.ts";
import { groupQueries } from "./query/group-queries.ts";
import type { ListQueryParser } from "./query/list-query.ts";
import { invalidQuery } from "./query/query-string.ts";
import { userQueries } from "./query/user-queries.ts";
import { originOf, type RequestContext } from "./request-context.ts";
import { jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";

interface BulkParts extends ImportExportRouteParts {
  readonly bulk: Bulk;
  readonly users: ImportExport<ColumnField>;
  readonly groups: ImportExport<GroupColumn>;
}

/** Records of one kind that callers import and export. */
interface ImportedRecords<Column extends string> {
  readonly records: ImportExport<Column | "id">;
  readonly queries: ListQueryParser<Column>;
  /** The start of the name of an exported file. */
  readonly name: string;
  /** What a caller needs to learn which records exist. */
  readonly readScope: Scope;
}

interface ImportInput extends ImportOptions {
  readonly bodyType: string;
  readonly idempotencyKey: string | undefined;
  readonly dryRun: boolean;
}

/** The handlers of imports and exports of records of one kind. */
function createImportExportHandlers<Column extends string>(
  parts: ImportExportRouteParts,
  { records, queries, name, readScope }: ImportedRecords<Column>,
) {
  return {
    export(context: RequestContext, { queryString }: { readonly queryString: string }) {
      const query = queries.parseExport(queryString);
      requireForMemberships(context, query);
      parts.limits.charge(context, costOfFilter(query.expression));
      return respondWithExport(context, parts, name, (format, signal, meter) =>
        records.export(format, query, signal, meter),
      );
    },

    async import(
      context: RequestContext,
      { bodyType, idempotencyKey: key, dryRun, onConflict, match }: ImportInput,
    ) {
      const options = { onConflict, match };
      const by = originOf(context);
      const readRows = await records.createRowReader(formatOf(bodyType), options);
      if (!readRows) throw invalidQuery([{ parameter: "match", detail: INVALID_MATCH }]);
      return respondToImport(context, parts, {
        readRows,
        run: (rows, meter) => records.import({ by, rows, key, meter }, options, dryRun),
        format: (outcome) => formatOutcome(context, outcome, readScope),
      });
    },
  };
}

/**
 * Formats an `ImportLineResult`. Callers that must not read the records get no ids of those that existed: an import that skips records
 * would find the id of any email or name. A template is faster than JSON.stringify for created records, the most frequent outcome.
 */
function formatOutcome(
  context: RequestContext,
  outcome: RowOutcome<ImportedRecord>,
  readScope: Scope,
): string {
  const { line } = outcome;
  if ("created" in outcome) {
    const { created } = outcome;
    const id = created || hasScope(context.caller, readScope) ? outcome.id : undefined;
    return `{"line":${line},"status":${created ? 201 : 200}${id === undefined ? "" : `,"id":${id}`}}`;
  }
  return formatResultProblem(context, { line }, outcome.problem);
}

/** Registers the handlers of imports, exports and bulk changes. */
export function serveBulk(router: Router, parts: BulkParts): void {
  const { bulk, streams } = parts;
  const { exportUsers, importUsers, exportGroups, importGroups, bulkUsers } = operations;
  const users = createImportExportHandlers(parts, {
    records: parts.users,
    queries: userQueries,
    name: "users",
    readScope: "users:read",
  });
  const groups = createImportExportHandlers(parts, {
    records: parts.groups,
    queries: groupQueries,
    name: "groups",
    readScope: "groups:read",
  });
  router.serve(exportGroups, groups.export);
  router.serve(importGroups, groups.import);
  router.serve(exportUsers, users.export);
  router.serve(importUsers, users.import);

  router.serve(bulkUsers, async (context, { dryRun, idempotencyKey }) => {
    const { stream, meter, request } = await openChange(context, parts);
    if (dryRun) {
      try {
        const count = await bulk.countMany(request, stream.signal, meter);
        return jsonResponse(context, 200, JSON.stringify({ count }));
      } finally {
        stream.end();
      }
    }
    const doneStatus = request.change === "remove" ? 204 : 200;
    const outcomes = bulk.changeMany(originOf(context), idempotencyKey, request, meter, stream.signal);
    return respondWithResults(context, streams, stream, outcomes, ({ id, problem }) =>
      problem ? formatResultProblem(context, { id }, problem) : `{"id":${id},"status":${doneStatus}}`,
    );
  });
}

/** Takes a place for a change of many users, and reads the body. */
async function openChange(context: RequestContext, { streams, bodyReader, limits }: BulkParts) {
  const { stream, meter } = streams.openWhileConnected(context, bulkLimits.chunkLines);
  try {
    const bytes = await bodyReader.read(context, bulkLimits.bodyBytes);
    const request = await checkBulk(await parseBulk(bytes, bodyReader.maxBytes));
    const { change } = request;
    if (isMembershipChange(change)) {
      requireForMember(context, operations.bulkUsers, change.isMember ? "addToGroup" : "removeFromGroup");
    }
    if ("filter" in request) {
      requireForMember(context, operations.bulkUsers, "filter");
      requireForMemberships(context, { filters: request.groups });
      limits.charge(context, costOfFilter(request.expression));
    }
    return { stream, meter, request };
  } catch (error) {
    stream.end();
    throw error;
  }
}

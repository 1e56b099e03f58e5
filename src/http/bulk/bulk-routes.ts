import { listRequestBodies, mediaTypes, type Operation } from "../../contract/operation.ts";
import { operations } from "../../contract/operations.ts";
import { requireContentType } from "../body-reader.ts";
import { negotiateType } from "../query/negotiation.ts";
import { parseIdempotencyKey } from "../query/preconditions.ts";
import { readQueryString } from "../query/query-string.ts";
import type { RequestContext } from "../request-context.ts";
import type { Router } from "../router.ts";
import type { Bulk } from "./bulk.ts";
import { parseExportQuery, parseImportQuery, readFormat, rejectUnknownParameters } from "./bulk-query.ts";

const { importUsers, exportUsers, bulkUsers } = operations;
const importTypes = listRequestBodies(importUsers).map(({ type }) => type);
const acceptPost = { "accept-post": importTypes.join(", ") };
const importParameters = queryParameters(importUsers);
const acceptChange = { "accept-post": bulkUsers.request.types.join(", ") };
const changeParameters = queryParameters(bulkUsers);

/** Registers the handlers of imports and exports. */
export function serveBulk(router: Router, bulk: Bulk): void {
  router.serve(
    importUsers,
    (context) => {
      const { request } = context;
      const queryString = readQueryString(context.url);
      rejectUnknownParameters(queryString, importParameters);
      const type = requireContentType(request, importTypes, acceptPost, readFormat(queryString));
      return bulk.import(context, type, parseImportQuery(queryString), parseIdempotencyKey(request));
    },
    acceptJsonToo,
  );

  router.serve(
    bulkUsers,
    (context) => {
      const { request } = context;
      const queryString = readQueryString(context.url);
      rejectUnknownParameters(queryString, changeParameters);
      requireContentType(request, bulkUsers.request.types, acceptChange);
      const { dryRun } = parseImportQuery(queryString);
      // A dry run stores no outcome, but an invalid key is an error in both cases.
      const idempotencyKey = parseIdempotencyKey(request);
      return dryRun ? bulk.countChange(context) : bulk.change(context, idempotencyKey);
    },
    acceptJsonToo,
  );

  router.serve(
    exportUsers,
    (context) => {
      const query = parseExportQuery(readQueryString(context.url));
      return bulk.export(context, query, context.responseType ?? mediaTypes.ndjson);
    },
    ({ request, url }, types) =>
      readFormat(readQueryString(url)) ?? negotiateType(request.headers.get("accept"), types),
  );

  router.setOptionsHeaders(importUsers.path, acceptPost);
  router.setOptionsHeaders(bulkUsers.path, acceptChange);
}

/** Some clients accept only JSON by default. They get NDJSON, which is JSON line by line. */
function acceptJsonToo({ request }: RequestContext, types: readonly string[]): string | undefined {
  return negotiateType(request.headers.get("accept"), [...types, mediaTypes.json]) && types[0];
}

function queryParameters({ parameters }: Operation): string[] {
  return parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
}

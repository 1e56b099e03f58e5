import type { ListExplanation } from "../../contract/users/explanation-schemas.ts";
import type { CountedFieldValue, CustomField, FieldValue } from "../../contract/users/field-schemas.ts";
import type { ListQuery, Page } from "../../domain/lists/listing.ts";
import { finishSteps } from "../../domain/scheduling/steps.ts";
import type { CheckedUsers } from "../../domain/schema/schema-store.ts";
import type { ListName } from "../list-resources.ts";
import type { CountRound } from "../lists/list-reads.ts";
import { UserChecker } from "../schema/user-checker.ts";
import { connect } from "./database.ts";
import { runTableRequest, type TableRequest, type TableResponse } from "./engine.ts";
import { Reader } from "./reader.ts";
import { sqliteTables } from "./table-dialect.ts";
import { serveRequests, type ThreadSetup } from "./thread.ts";

export interface ReaderSetup extends ThreadSetup {
  readonly maxCandidates: number | undefined;
}

/** A request to the reader of a list. */
type ListRequest = { readonly list: ListName } & (
  | { readonly kind: "page" | "explain"; readonly query: ListQuery }
  | { readonly kind: "count"; readonly query: ListQuery; readonly after: number | undefined }
  | { readonly kind: "fields" }
  | { readonly kind: "values" | "value-counts"; readonly field: string; readonly prefix: string }
);

export type ReaderRequest =
  | ListRequest
  | { readonly kind: "check-users"; readonly json: string; readonly after: number; readonly limit: number }
  | TableRequest;
export type ReaderResponse =
  | { readonly kind: "page"; readonly page: Page }
  | { readonly kind: "explain"; readonly explanation: ListExplanation }
  | { readonly kind: "count"; readonly round: CountRound }
  | { readonly kind: "check-users"; readonly checked: CheckedUsers }
  | { readonly kind: "fields"; readonly fields: CustomField[] }
  | { readonly kind: "values"; readonly values: FieldValue[] }
  | { readonly kind: "value-counts"; readonly counts: CountedFieldValue[] }
  | TableResponse;

/** Finds pages and counts that may take longer than a millisecond, off the event loop. */
serveRequests<ReaderSetup, ReaderRequest, ReaderResponse>(({ path, waitMs, maxCandidates }) => {
  const db = connect(path, waitMs);
  const reader = new Reader(db, maxCandidates);
  const { lists } = reader;
  const checker = new UserChecker();
  return {
    respond(request) {
      switch (request.kind) {
        case "page":
          return { kind: "page", page: lists[request.list].page(request.query) };
        case "explain":
          return { kind: "explain", explanation: lists[request.list].explain(request.query) };
        case "count":
          return { kind: "count", round: lists[request.list].countRound(request.query, request.after) };
        case "check-users": {
          const { json, after, limit } = request;
          const users = reader.run(sqliteTables.schema.readUsers(after, limit));
          return { kind: "check-users", checked: finishSteps(checker.check(json, users, limit)) };
        }
        case "fields":
          return { kind: "fields", fields: lists[request.list].customFields() };
        case "values":
          return { kind: "values", values: lists[request.list].fieldValues(request.field, request.prefix) };
        case "value-counts": {
          const { list, field, prefix } = request;
          return { kind: "value-counts", counts: lists[list].fieldValueCounts(field, prefix) };
        }
        default:
          return runTableRequest(request, (steps) => reader.run(steps));
      }
    },
    close: () => db.close(),
  };
});

import type { CustomField, FieldValue } from "../../contract/users/field-schemas.ts";
import type { EventLines, EventPage, EventQuery } from "../../domain/events/event-store.ts";
import type { ListQuery, Page } from "../../domain/lists/listing.ts";
import { finishSteps } from "../../domain/scheduling/steps.ts";
import type { CheckedUsers, ValuePosition, ValueStep } from "../../domain/schema/schema-store.ts";
import type { DeletedListQuery, DeletedPage } from "../../domain/users/deleted-user-store.ts";
import { sqliteEvents } from "../events/sqlite-events.ts";
import type { CountRound } from "../lists/plans/found-rows.ts";
import { UserChecker } from "../schema/user-checker.ts";
import { sqliteDeletedUsers } from "../users/deleted-user-tables.ts";
import { connect } from "./database.ts";
import { Reader } from "./reader.ts";
import { sqliteSchema } from "./schema-tables.ts";
import { serveRequests, type ThreadSetup } from "./thread.ts";

export interface ReaderSetup extends ThreadSetup {
  readonly maxCandidates: number | undefined;
}

export type ReaderRequest =
  | { readonly kind: "page"; readonly query: ListQuery }
  | { readonly kind: "count"; readonly query: ListQuery; readonly after: number | undefined }
  | { readonly kind: "events"; readonly query: EventQuery }
  | { readonly kind: "event-lines"; readonly query: EventQuery }
  | { readonly kind: "deleted-users"; readonly query: DeletedListQuery }
  | { readonly kind: "check-users"; readonly json: string; readonly after: number; readonly limit: number }
  | { readonly kind: "compare-values"; readonly field: string; readonly after: ValuePosition | undefined }
  | { readonly kind: "fields" }
  | { readonly kind: "values"; readonly field: string; readonly prefix: string };
export type ReaderResponse =
  | { readonly kind: "page"; readonly page: Page }
  | { readonly kind: "count"; readonly round: CountRound }
  | { readonly kind: "events"; readonly page: EventPage | undefined }
  | { readonly kind: "event-lines"; readonly lines: EventLines | undefined }
  | { readonly kind: "deleted-users"; readonly page: DeletedPage }
  | { readonly kind: "check-users"; readonly checked: CheckedUsers }
  | { readonly kind: "compare-values"; readonly step: ValueStep }
  | { readonly kind: "fields"; readonly fields: CustomField[] }
  | { readonly kind: "values"; readonly values: FieldValue[] };

/** Finds pages and counts that may take longer than a millisecond, off the event loop. */
serveRequests<ReaderSetup, ReaderRequest, ReaderResponse>(({ path, waitMs, maxCandidates }) => {
  const db = connect(path, waitMs);
  const reader = new Reader(db, maxCandidates);
  const checker = new UserChecker();
  return {
    respond(request) {
      switch (request.kind) {
        case "page":
          return { kind: "page", page: reader.list(request.query) };
        case "count":
          return { kind: "count", round: reader.countRound(request.query, request.after) };
        case "events":
          return { kind: "events", page: reader.runInSnapshot(sqliteEvents.read(request.query)) };
        case "event-lines":
          return { kind: "event-lines", lines: reader.runInSnapshot(sqliteEvents.readLines(request.query)) };
        case "deleted-users":
          return {
            kind: "deleted-users",
            page: reader.runInSnapshot(sqliteDeletedUsers.page(request.query)),
          };
        case "check-users": {
          const { json, after, limit } = request;
          const users = reader.runInSnapshot(sqliteSchema.readUsers(after, limit));
          return { kind: "check-users", checked: finishSteps(checker.check(json, users, limit)) };
        }
        case "compare-values": {
          const step = reader.runInSnapshot(sqliteSchema.compareValues(request.field, request.after));
          return { kind: "compare-values", step };
        }
        case "fields":
          return { kind: "fields", fields: reader.listFields() };
        case "values":
          return { kind: "values", values: reader.listFieldValues(request.field, request.prefix) };
      }
    },
    close: () => db.close(),
  };
});

import { queryOptions } from "@tanstack/react-query";
import type { CurrentSchema } from "../../client/index.ts";
import { queryClient, roster } from "../lib/api.ts";
import { Observable } from "../lib/observable.ts";
import { reloadFields } from "../users/field-info.ts";
import type { SchemaDraft } from "./schema-draft.ts";

/** The largest page of events. */
const MAX_AUTHORS = 100;

export const schemaQuery = queryOptions({
  queryKey: ["schema"],
  queryFn: ({ signal }) => roster.schema.get({ signal }),
  staleTime: 0,
});

/** Who saved the last versions, by version. */
export const schemaAuthorsQuery = (current: number) =>
  queryOptions({
    queryKey: ["schema", "authors", current],
    queryFn: async ({ signal }) => {
      const { events } = await roster.events
        .list({ type: "schema.updated", sort: "-id", limit: MAX_AUTHORS, signal })
        .page();
      return new Map(events.flatMap(({ version, actor }) => (version === null ? [] : [[version, actor]])));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

export function setCachedSchema(current: CurrentSchema): void {
  queryClient.setQueryData(schemaQuery.queryKey, current);
  void reloadFields();
}

/** A changed schema that is not saved. */
interface UnsavedSchema {
  readonly draft: SchemaDraft;
  /** The version that was changed. */
  readonly version: number;
}

/** Outside of the view: the changes are still there after a visit to another view. */
export const unsavedSchema = new Observable<UnsavedSchema | undefined>(undefined);

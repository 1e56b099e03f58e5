import { queryOptions } from "@tanstack/react-query";
import type { CurrentSchema } from "../../client/index.ts";
import { queryClient, roster } from "../lib/api.ts";
import { Observable } from "../lib/observable.ts";
import type { SchemaDraft } from "./schema-draft.ts";

export const schemaQuery = queryOptions({
  queryKey: ["schema"],
  queryFn: ({ signal }) => roster.schema.get({ signal }),
  staleTime: 0,
});

export function setCachedSchema(current: CurrentSchema): void {
  queryClient.setQueryData(schemaQuery.queryKey, current);
}

/** A changed schema that is not saved. */
interface UnsavedSchema {
  readonly draft: SchemaDraft;
  /** The version that was changed. */
  readonly version: number;
}

/** Outside of the view: the changes are still there after a visit to another view. */
export const unsavedSchema = new Observable<UnsavedSchema | undefined>(undefined);

import { useQuery } from "@tanstack/react-query";
import type { Scope } from "../../client/index.ts";
import { queryClient } from "./api.ts";
import { useHasScope } from "./session.ts";

/** Records that one request asks for: a filter has at most 50 comparisons. */
const MOST_RECORDS = 50;

/** How the names of users or of groups are read. */
interface NameSource {
  /** Begins the keys of the queries. */
  readonly key: string;
  /** The scope that reading them needs. */
  readonly scope: Scope;
  /** Reads the first page of the records with these values of their fields. */
  readonly list: (options: NameOptions) => Promise<readonly NamedRecord[]>;
}

interface NameOptions {
  readonly where: { readonly id: readonly number[] };
  readonly fields: readonly ["name"];
  readonly limit: number;
  readonly signal: AbortSignal;
}

interface NamedRecord {
  readonly id: number;
  readonly name?: string | undefined;
}

/** Reads the name of a record: null if the record does not exist or is deleted, undefined if the name is not loaded. */
export type NameOf = (id: number) => string | null | undefined;

interface RecordNames {
  /** Loads the names of these records, a page at a time, for `useName`. Returns a reader of those that are loaded. */
  readonly useNames: (ids: readonly number[]) => NameOf;
  /** The name of a record, once it is loaded. */
  readonly useName: (id: number) => string | undefined;
  /** Keeps the names of records that are loaded anyway. */
  readonly rememberNames: (records: readonly NamedRecord[]) => void;
}

export function recordNames({ key, scope, list }: NameSource): RecordNames {
  /** Null if the record does not exist. */
  const nameKey = (id: number) => [`${key}-name`, id];
  return {
    useNames(ids) {
      const canRead = useHasScope(scope);
      const missing = [...new Set(ids)].filter((id) => queryClient.getQueryData(nameKey(id)) === undefined);
      const asked = missing.slice(0, MOST_RECORDS);
      useQuery({
        queryKey: [`${key}-names`, asked],
        enabled: canRead && asked.length > 0,
        queryFn: async ({ signal }) => {
          const found = await list({ where: { id: asked }, fields: ["name"], limit: MOST_RECORDS, signal });
          const names = new Map(found.map(({ id, name }) => [id, name]));
          for (const id of asked) queryClient.setQueryData(nameKey(id), names.get(id) ?? null);
          return asked.length;
        },
      });
      return (id) => queryClient.getQueryData<string | null>(nameKey(id));
    },
    useName(id) {
      const { data } = useQuery<string | null>({
        queryKey: nameKey(id),
        queryFn: () => null,
        enabled: false,
      });
      return data ?? undefined;
    },
    rememberNames(records) {
      for (const { id, name } of records) queryClient.setQueryData(nameKey(id), name);
    },
  };
}

import { useQuery } from "@tanstack/react-query";
import type { Scope } from "../../client/index.ts";
import { queryClient, roster } from "./api.ts";
import { useHasScope } from "./session.ts";

/** Records that one request asks for. */
const MOST_RECORDS = 50;

interface NamedRecord {
  readonly id: number;
  readonly name: string;
}

/** Null if the record does not exist, or is deleted. Undefined until the name is loaded. */
export type RecordName = string | null | undefined;

/** The name of a record by its id. */
export type NameOf = (id: number) => RecordName;

interface NameSource {
  readonly scope: Scope;
  readonly list: (ids: readonly number[], signal: AbortSignal) => Promise<readonly Partial<NamedRecord>[]>;
}

const optionsFor = (ids: readonly number[], signal: AbortSignal) => ({
  where: { id: ids },
  fields: ["name"],
  limit: MOST_RECORDS,
  signal,
});

const sources = {
  user: {
    scope: "users:read",
    list: async (ids, signal) => (await roster.users.list(optionsFor(ids, signal)).page()).users,
  },
  group: {
    scope: "groups:read",
    list: async (ids, signal) => (await roster.groups.list(optionsFor(ids, signal)).page()).groups,
  },
} satisfies Record<string, NameSource>;

export type NamedType = keyof typeof sources;

const nameKey = (type: NamedType, id: number) => ["name", type, id];

const readName = (type: NamedType, id: number): RecordName =>
  queryClient.getQueryData<string | null>(nameKey(type, id));

/** Loads the names of these records, a page at a time. Returns a reader of those that are loaded. */
export function useNames(type: NamedType, ids: readonly number[]): NameOf {
  const { scope, list } = sources[type];
  const canRead = useHasScope(scope);
  const missing = [...new Set(ids)].filter((id) => readName(type, id) === undefined);
  const asked = missing.slice(0, MOST_RECORDS);
  useQuery({
    queryKey: ["names", type, asked],
    enabled: canRead && asked.length > 0,
    queryFn: async ({ signal }) => {
      const names = new Map((await list(asked, signal)).map(({ id, name }) => [id, name]));
      for (const id of asked) queryClient.setQueryData(nameKey(type, id), names.get(id) ?? null);
      return asked.length;
    },
  });
  return (id) => readName(type, id);
}

/** The name of a record, once `useNames` of another component has loaded it. */
export function useName(type: NamedType, id: number): RecordName {
  return useQuery<string | null>({ queryKey: nameKey(type, id), queryFn: () => null, enabled: false }).data;
}

/** Keeps the names of records that are loaded anyway. */
export function rememberNames(type: NamedType, records: readonly NamedRecord[]): void {
  for (const { id, name } of records) queryClient.setQueryData(nameKey(type, id), name);
}

/** Loads the names of these records again. Call it after they are renamed or deleted. */
export function forgetNames(type: NamedType, ids: readonly number[]): void {
  for (const id of ids) queryClient.removeQueries({ queryKey: nameKey(type, id) });
}

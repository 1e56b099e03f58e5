import { useMemo } from "react";
import { useLocation } from "wouter";
import { useSearch } from "wouter/use-browser-location";
import type { ListOptions } from "../../client/index.ts";
import { listParameterNames, sortFields } from "../../contract/listing.ts";

/** What the table shows. It is in the page's address, under the names that the API has for it, so that it can be shared. */
export interface ListParams {
  readonly q: string;
  readonly sort: NonNullable<ListOptions["sort"]>;
  /** Each filter with its values: any of them. */
  readonly where: Readonly<Record<string, readonly string[]>>;
}

/** Each way in which the table can be sorted. */
export const sorts: readonly ListParams["sort"][] = sortFields.flatMap(
  (field) => [field, `-${field}`] as const,
);
const defaultSort = "-id";
/** What a list is asked for beside filters. */
const reserved = new Set<string>(listParameterNames);

export function parseListParams(text: string): ListParams {
  const parameters = new URLSearchParams(text);
  // Fields may have any name, those of an object's own methods included.
  const where: Record<string, string[]> = Object.create(null);
  for (const [field, value] of parameters) {
    if (reserved.has(field)) continue;
    where[field] ??= [];
    if (!where[field].includes(value)) where[field].push(value);
  }
  const given = parameters.get("sort");
  const sort = sorts.find((each) => each === given);
  return { q: parameters.get("q") ?? "", sort: sort ?? defaultSort, where };
}

export function formatListParams({ q, sort, where }: ListParams): string {
  const parameters = new URLSearchParams();
  if (q !== "") parameters.set("q", q);
  for (const [field, values] of Object.entries(where)) {
    for (const value of values) parameters.append(field, value);
  }
  if (sort !== defaultSort) parameters.set("sort", sort);
  const text = String(parameters);
  return text === "" ? "" : `?${text}`;
}

/** The same as the client library wants it. */
export function toListOptions({ q, sort, where }: ListParams): Pick<ListOptions, "q" | "sort" | "where"> {
  return { sort, where, ...(q.trim() !== "" && { q: q.trim() }) };
}

export function isFiltered({ q, where }: ListParams): boolean {
  return q.trim() !== "" || Object.keys(where).length > 0;
}

/** Whether a list can be narrowed to a value of this field: some names stand for something else in an address. */
export function canFilter(field: string): boolean {
  return !reserved.has(field);
}

/** What the address says, and how to say something else. What is typed replaces the entry in the history. */
export function useListParams(): [ListParams, (change: Partial<ListParams>) => void] {
  // As the browser has it: what wouter has decoded cannot be told from what was typed so.
  const text = useSearch();
  const [path, navigate] = useLocation();
  const search = useMemo(() => parseListParams(text), [text]);
  const change = (part: Partial<ListParams>) =>
    navigate(path + formatListParams({ ...search, ...part }), { replace: true });
  return [search, change];
}

/** Goes to another path; what the table shows stays what it is. */
export function useNavigateKeepingParams(): (path: string) => void {
  const [, navigate] = useLocation();
  const text = useSearch();
  return (path) => navigate(path + text);
}

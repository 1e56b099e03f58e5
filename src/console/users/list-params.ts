import { useMemo } from "react";
import { type NavigateOptions, useLocation } from "wouter";
import { useSearch } from "wouter/use-browser-location";
import type { ListOptions } from "../../client/index.ts";
import { GROUP_PARAMETER, isFilterName, listLimits, PATH_PATTERN } from "../../contract/listing.ts";
import { isFieldName } from "../../contract/users/field-name.ts";
import { columnFields } from "../../contract/users/user-fields.ts";

/** Search, sort and filters of the table. The page's URL uses the API's parameter names, so links can be shared. */
export interface ListParams {
  readonly q: string;
  readonly sort: NonNullable<ListOptions["sort"]>;
  /** A filter expression; empty for none. */
  readonly filter: string;
  /**
   * The other parameters: filters by field, and `group`. A user matches if the field has any of the values, or if the user is a member of any
   * of the groups.
   */
  readonly where: Readonly<Record<string, readonly string[]>>;
  /** The group whose members are listed. Undefined: all users. The path of the page has it, not its parameters. */
  readonly membersOf?: number | undefined;
}

export const sorts: readonly ListParams["sort"][] = columnFields.flatMap(
  (field) => [field, `-${field}`] as const,
);
export const defaultSort = "-id";
const sortPattern = new RegExp(`^-?${PATH_PATTERN}$`);

export function parseListParams(text: string): ListParams {
  const parameters = new URLSearchParams(text);
  // No prototype: a field may be named like a method of every object.
  const where: Record<string, string[]> = Object.create(null);
  for (const [field, value] of parameters) {
    if (!isFilterName(field) && field !== GROUP_PARAMETER) continue;
    where[field] ??= [];
    if (!where[field].includes(value)) where[field].push(value);
  }
  const sort = parameters.get("sort") ?? "";
  return {
    q: parameters.get("q") ?? "",
    sort: sortPattern.test(sort) ? sort : defaultSort,
    filter: parameters.get("filter") ?? "",
    where,
  };
}

/** The columns in the URL, under the API's name for chosen fields. Undefined: those that the browser remembers. */
export function parseColumns(text: string): readonly string[] | undefined {
  const names = new URLSearchParams(text).get("fields")?.split(",", listLimits.fields);
  const columns = new Set(names?.filter(isFieldName));
  return columns.size > 0 ? [...columns] : undefined;
}

export function formatListParams(
  { q, sort, filter, where }: ListParams,
  columns: readonly string[] = [],
): string {
  const parameters = new URLSearchParams();
  if (q !== "") parameters.set("q", q);
  if (filter !== "") parameters.set("filter", filter);
  for (const [field, values] of Object.entries(where)) {
    for (const value of values) parameters.append(field, value);
  }
  if (sort !== defaultSort) parameters.set("sort", sort);
  // Names of fields need no escapes, and links with commas are easier to read.
  const fields = columns.length > 0 ? [`fields=${columns.join(",")}`] : [];
  const text = [String(parameters), ...fields].filter((part) => part !== "").join("&");
  return text === "" ? "" : `?${text}`;
}

/** The parameters as the client library's options. */
export function toListOptions({
  q,
  sort,
  filter,
  where,
  membersOf,
}: ListParams): Pick<ListOptions, "q" | "sort" | "filter" | "where"> {
  const members = membersOf === undefined ? [] : [`groups eq ${membersOf}`];
  // The service refuses a comparison of groups beside `or`: a filter cannot lead out of the group.
  const all = [...(filter === "" ? [] : [members.length > 0 ? `(${filter})` : filter]), ...members].join(
    " and ",
  );
  return { sort, where, ...(q.trim() !== "" && { q: q.trim() }), ...(all !== "" && { filter: all }) };
}

export function isFiltered({ q, filter, where }: ListParams): boolean {
  return q.trim() !== "" || filter !== "" || Object.keys(where).length > 0;
}

/** Reads and writes the parameters in the URL. Back undoes a change; the characters of a search are one change. */
export function useListParams(): [ListParams, (change: Partial<ListParams>) => void] {
  // The raw query string: wouter's other hook decodes it, which loses information.
  const text = useSearch();
  const [path, navigate] = useLocation();
  const search = useMemo(() => parseListParams(text), [text]);
  const change = (part: Partial<ListParams>) =>
    navigate(path + formatListParams({ ...search, ...part }, parseColumns(text)), {
      replace: part.q !== undefined && part.q !== "" && search.q !== "",
      // A user that is open over the list stays open.
      state: history.state,
    });
  return [search, change];
}

/** Reads and writes the columns in the URL. */
export function useLinkedColumns() {
  const text = useSearch();
  const [path, navigate] = useLocation();
  const columns = useMemo(() => parseColumns(text), [text]);
  const change = (next: readonly string[] | undefined) =>
    navigate(path + formatListParams(parseListParams(text), next), { replace: true, state: history.state });
  return [columns, change] as const;
}

/** Navigates to another path and keeps search, sort and filters. */
export function useNavigateKeepingParams() {
  const [, navigate] = useLocation();
  const text = useSearch();
  return (path: string, options?: NavigateOptions<unknown>) => navigate(path + text, options);
}

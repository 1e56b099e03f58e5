import type { BareKind, IndexedFields } from "../list-plans/bare-list.ts";
import { withLimit } from "../list-plans/list-kinds.ts";
import type { MeasuredList } from "../list-plans/measure-plans.ts";
import type { SweepUsers, SweptValue } from "./sweep-users.ts";

/** The custom fields of the users. */
export const sweepFields: IndexedFields = { company: "text", campus: "text" };

/** A list for one frequency of matches. */
export interface SweptList extends MeasuredList {
  /** The lists of a group differ in the frequency only. */
  readonly group: string;
  readonly oneIn: number;
  /** Whether the matches are spread evenly: only then there is a target. */
  readonly isEven: boolean;
}

const sorts = { id: "", name: "&sort=name", "-createdAt": "&sort=-createdAt" };
/** Names do not depend on ids: by name, the users of a campus are spread evenly. */
const clusteredSorts = { id: sorts.id, "-createdAt": sorts["-createdAt"] };

/** How a value is looked for: by a search, by a filter, by a filter expression. */
const kinds: Readonly<Record<string, (field: string, value: string) => { query: string; bare?: BareKind }>> =
  {
    search: (_, value) => ({ query: `q=${value.toLowerCase()}` }),
    filter: (field, value) => ({ query: `${field}=${value}` }),
    expression: (field, value) => ({
      query: `filter=${encodeURIComponent(`${field} eq "${value}"`)}`,
      bare: ({ compare }) => [compare(field, "= ?", value)],
    }),
  };

/** The lists of the sweep, group by group. */
export function sweptLists({ companies, campuses }: SweepUsers): SweptList[] {
  const sweep = (
    field: string,
    values: readonly SweptValue[],
    orders: Readonly<Record<string, string>>,
  ): SweptList[] =>
    Object.entries(kinds).flatMap(([kind, toQuery]) =>
      Object.entries(orders).flatMap(([order, sort]) =>
        values.map(({ value, oneIn }) => {
          const isEven = field === "company";
          const group = `${kind}${isEven ? "" : " for one block of ids"}, by ${order}`;
          const { query, bare } = toQuery(field, value);
          return {
            name: `${group}: 1 in ${oneIn}`,
            group,
            oneIn,
            isEven,
            query: withLimit(query + sort),
            bare,
          };
        }),
      ),
    );
  return [...sweep("company", companies, sorts), ...sweep("campus", campuses, clusteredSorts)];
}

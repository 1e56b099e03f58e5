import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { isStoredAsCustom } from "../../../contract/users/user-fields.ts";
import type { ControlKind, FieldSpec } from "../../fields/field-spec.ts";
import { useGroupNames } from "../../groups/queries.ts";
import type { NameOf } from "../../lib/record-names.ts";
import { users as texts } from "../../texts/index.ts";
import { type FieldInfo, fieldKind, fieldsQuery, useFields, valueCountsQuery } from "../field-info.ts";
import { fieldLabel } from "../fields.ts";
import { type Condition, GROUPS, isScalar, type Operator, type Scalar } from "./condition.ts";

/** What kind of values a field has. It decides which conditions make sense. */
type FilterKind = "text" | "choice" | "list" | "number" | "boolean" | "date" | "object" | "group";

/** What filters know about a field. */
export interface FilterField {
  readonly name: string;
  readonly label: string;
  readonly kind: FilterKind;
  /** What the schema says about the field. */
  readonly spec?: FieldSpec | undefined;
  /** The allowed values, of elements too. Empty: any. */
  readonly options: readonly Scalar[];
  /** Whether the service lists its values. */
  readonly hasValues: boolean;
  /** Whether two values are the same only if they have the same spelling, so that a parameter of the URL finds them. */
  readonly isExact: boolean;
  /** The name of a group. */
  readonly nameOf?: NameOf;
}

const kindsByControl: Partial<Record<ControlKind, FilterKind>> = {
  text: "text",
  number: "number",
  switch: "boolean",
  select: "choice",
  date: "date",
  "date-time": "date",
  tags: "list",
};

/** `samples` are some of the field's values, if they are known. */
function toFilterField(name: string, info?: FieldInfo, samples: readonly Scalar[] = []): FilterField {
  const spec = info?.spec;
  const kind = (spec && kindsByControl[spec.control]) ?? fieldKind(name, info?.types, samples);
  const options = kind === "boolean" ? [true, false] : (spec?.options ?? []).filter(isScalar);
  return {
    name,
    label: fieldLabel(name, spec),
    kind,
    spec,
    options,
    hasValues: isStoredAsCustom(name),
    // Texts that differ only in case are one value, unless the schema says which spelling is allowed.
    isExact: options.length > 0 || kind === "number" || !isStoredAsCustom(name),
  };
}

/** The groups of a user, as a field whose values are ids of groups. */
const groupField = (nameOf: NameOf): FilterField => ({
  name: GROUPS,
  label: texts.filter.group,
  kind: "group",
  options: [],
  hasValues: true,
  isExact: true,
  nameOf,
});

/** What filters know about fields, without their values. Loads the names of the groups in these conditions. */
export function useFilterFields(conditions: readonly Condition[] = []): (name: string) => FilterField {
  const fields = useFields();
  const nameOf = useGroupNames(conditions.flatMap(groupIdsOf));
  return (name) => (name === GROUPS ? groupField(nameOf) : toFilterField(name, findInfo(fields, name)));
}

/** Ids that a list can ask for: an address can have any text. */
const groupIdsOf = ({ field, values }: Condition) =>
  field === GROUPS ? values.map(Number).filter((id) => Number.isSafeInteger(id) && id > 0) : [];

/** What filters know about one field. Undefined until its values show what kind it has. */
export function useFilterField(name: string): FilterField | undefined {
  const fields = useQuery(fieldsQuery);
  const samples = useQuery({ ...valueCountsQuery(name, ""), ...(name === GROUPS && { enabled: false }) });
  const nameOf = useGroupNames([]);
  if (name === GROUPS) return groupField(nameOf);
  if (isFirstLoad(fields) || isFirstLoad(samples)) return undefined;
  return toFilterField(
    name,
    findInfo(fields.data, name),
    samples.data?.map(({ value }) => value),
  );
}

/** False while a failed query is repeated: the form that shows the field begins that itself. */
const isFirstLoad = ({
  isLoading,
  errorUpdateCount,
}: Pick<UseQueryResult, "isLoading" | "errorUpdateCount">) => isLoading && errorUpdateCount === 0;

const findInfo = (fields: readonly FieldInfo[] | undefined, name: string) =>
  fields?.find((info) => info.name === name);

const textOperators: readonly Operator[] = ["any", "co", "sw", "ew", "ne", "pr", "np"];

/** The operators that make sense for a kind of field, the usual one first. */
const operatorsByKind: Readonly<Record<FilterKind, readonly Operator[]>> = {
  text: textOperators,
  choice: textOperators,
  list: textOperators,
  number: ["range", "any", "ne", "pr", "np"],
  boolean: ["any", "pr", "np"],
  date: ["ge", "lt", "days", "pr", "np"],
  object: ["pr", "np"],
  group: ["any", "ne", "pr", "np"],
};

/** A text without a list of values is found by a part of it. */
export function operatorsOf({ kind, hasValues }: FilterField): readonly Operator[] {
  const operators = operatorsByKind[kind];
  return kind === "text" && !hasValues
    ? ["co", ...operators.filter((operator) => operator !== "co")]
    : operators;
}

/** Values with the same key are the same value of the field. */
export function valueKey({ isExact }: FilterField, value: Scalar): string {
  return JSON.stringify(typeof value === "string" && !isExact ? value.toLowerCase() : value);
}

const GROUP_ID = /^[1-9]\d{0,14}$/;
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** The value of the field that a text stands for: a parameter of the URL, or what a person types. */
export function parseValue({ kind, options }: FilterField, text: string): Scalar | undefined {
  const option = options.find((value) => String(value) === text);
  if (option !== undefined) return option;
  if (kind === "group") return GROUP_ID.test(text) ? Number(text) : undefined;
  if (kind === "number") return NUMBER.test(text) ? Number(text) : undefined;
  return text;
}

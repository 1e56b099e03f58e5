import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useRef, useState } from "react";
import { fieldLimits } from "../../../contract/users/field-schemas.ts";
import { rememberGroupNames } from "../../groups/queries.ts";
import { roster } from "../../lib/api.ts";
import { useSearchText, useSettled } from "../../lib/use-settled.ts";
import { formatNumber } from "../../texts/format.ts";
import { users as texts } from "../../texts/index.ts";
import { Field } from "../../ui/field.tsx";
import { valueCountsQuery } from "../field-info.ts";
import type { Scalar } from "./condition.ts";
import { valueWords } from "./condition-words.ts";
import { type FilterField, parseValue, valueKey } from "./filter-field.ts";

const filterTexts = texts.filter;

interface ValueChoiceProps {
  readonly field: FilterField;
  readonly chosen: readonly Scalar[];
  readonly onChange: (chosen: readonly Scalar[]) => void;
  /** What is typed: the beginning of a value, or a value that is not in the list. */
  readonly typed: string;
  readonly onType: (typed: string) => void;
  readonly error: string | undefined;
  readonly listed: ListedValues;
}

/** The values of a field, each with the number of users who have it. Values that no user has can be typed. */
export function ValueChoice({ field, chosen, onChange, typed, onType, error, listed }: ValueChoiceProps) {
  const list = useRef<HTMLFieldSetElement>(null);
  /** Values that stay in the list without a check: a person may check them again. */
  const [kept, setKept] = useState(chosen);
  const text = typed.trim();
  const { values, counts, isAll, isCut, isError, isLoading } = listed;
  const keyOf = (value: Scalar) => valueKey(field, value);
  const valueKeys = new Set(values.map(keyOf));
  const isOther = (value: Scalar) => !valueKeys.has(keyOf(value));
  const typedValue = text === "" ? undefined : parseValue(field, text);
  const shown = uniqueBy([...kept.filter(isOther), ...values], keyOf);
  const isNew = typedValue !== undefined && !shown.some((value) => keyOf(value) === keyOf(typedValue));
  const chosenKeys = new Set(chosen.map(keyOf));

  const toggle = (value: Scalar, isChosen: boolean) => {
    if (isChosen) setKept([...kept, value]);
    onChange(isChosen ? [...chosen, value] : chosen.filter((other) => keyOf(other) !== keyOf(value)));
  };
  const addTyped = (value: Scalar) => {
    // The line of the typed value is about to go, with the focus.
    list.current?.querySelector("input")?.focus();
    toggle(value, true);
    onType("");
  };
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    const inputs = [...(list.current?.querySelectorAll("input") ?? [])];
    const next = inputs[inputs.findIndex((input) => input.matches(":focus")) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <fieldset
      ref={list}
      className="value-choice"
      aria-label={filterTexts.values(field.label)}
      aria-busy={isLoading}
      onKeyDown={move}
    >
      {field.kind !== "boolean" && (
        <Field label={filterTexts.value} hideLabel error={error}>
          <input
            data-first-focus
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            placeholder={placeholderOf(field)}
            value={typed}
            onChange={({ target }) => onType(target.value)}
          />
        </Field>
      )}
      <div className="checks">
        {shown.map((value, index) => (
          <ValueLine
            key={keyOf(value)}
            label={valueWords(value, field)}
            count={counts.get(keyOf(value)) ?? (isAll && !isOther(value) ? NONE : undefined)}
            checked={chosenKeys.has(keyOf(value))}
            isFirst={field.kind === "boolean" && index === 0}
            onCheck={(isChosen) => toggle(value, isChosen)}
          />
        ))}
        {isNew && (
          <ValueLine label={filterTexts.use(text)} checked={false} onCheck={() => addTyped(typedValue)} />
        )}
      </div>
      {field.kind === "boolean" && error !== undefined && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
      <ListHint>
        {isError ? filterTexts.failed : isCut ? filterTexts.manyValues(fieldLimits.values) : undefined}
      </ListHint>
    </fieldset>
  );
}

function placeholderOf({ kind, hasValues }: FilterField): string {
  if (kind === "group") return filterTexts.findGroup;
  return hasValues ? filterTexts.findValue : filterTexts.enterValue;
}

const ListHint = ({ children }: { readonly children: string | undefined }) =>
  children === undefined ? null : <p className="hint">{children}</p>;

interface Count {
  readonly count: number;
  readonly capped: boolean;
}

const NONE: Count = { count: 0, capped: false };

/** The values of a field that begin with a text. */
export interface ListedValues {
  readonly values: readonly Scalar[];
  /** By their keys. */
  readonly counts: ReadonlyMap<string, Count>;
  /** Whether no user has another value. */
  readonly isAll: boolean;
  /** Whether users have more values than are listed. */
  readonly isCut: boolean;
  readonly isLoading: boolean;
  readonly isError: boolean;
}

/** The groups whose names have these words, by their ids, each with the number of its members. */
const groupCountsQuery = (q: string) =>
  queryOptions({
    queryKey: ["groups", "choices", q],
    queryFn: async ({ signal }) => {
      const search = q !== "" && { q };
      const options = { ...search, sort: "name", limit: fieldLimits.values, signal } as const;
      const { groups } = await roster.groups.list(options).page();
      rememberGroupNames(groups);
      return groups.map(({ id, memberCount }) => ({ value: id, count: memberCount, capped: false }));
    },
  });

/** The values that the schema allows, and those that users have. Of groups: those whose names have the typed words. */
export function useListedValues(field: FilterField, typed: string): ListedValues {
  const text = typed.trim();
  // The service finds texts by their beginning, and no numbers.
  const prefix = useSettled(field.kind === "number" ? "" : text.slice(0, fieldLimits.prefixCharacters));
  const isGroup = field.kind === "group";
  const q = useSearchText(typed);
  const values = useQuery({
    ...valueCountsQuery(field.name, prefix),
    placeholderData: keepPreviousData,
    ...(isGroup && { enabled: false }),
  });
  const groups = useQuery({ ...groupCountsQuery(q), placeholderData: keepPreviousData, enabled: isGroup });
  const query = isGroup ? groups : values;
  const { data = [], isError, isLoading, isPlaceholderData } = query;
  const isFull = data.length === fieldLimits.values;
  const typedText = text.toLowerCase();
  const isShown = (value: Scalar) => {
    const words = valueWords(value, field).toLowerCase();
    // The service finds the words of a group's name, in any order.
    if (isGroup) return (q === text && !isPlaceholderData) || words.includes(typedText);
    return words.startsWith(typedText);
  };
  const found = [...field.options, ...data.map(({ value }) => value)].filter(isShown);
  return {
    values: uniqueBy(found, (value) => valueKey(field, value)),
    counts: new Map(data.map(({ value, count, capped }) => [valueKey(field, value), { count, capped }])),
    isAll: query.data !== undefined && !isPlaceholderData && !isFull,
    isCut: isFull && text === "",
    isLoading,
    isError,
  };
}

interface ValueLineProps {
  readonly label: string;
  readonly count?: Count | undefined;
  readonly checked: boolean;
  readonly isFirst?: boolean;
  readonly onCheck: (checked: boolean) => void;
}

function ValueLine({ label, count, checked, isFirst = false, onCheck }: ValueLineProps) {
  return (
    <label className="check-line">
      <input
        type="checkbox"
        {...(isFirst && { "data-first-focus": true })}
        checked={checked}
        onChange={({ target }) => onCheck(target.checked)}
      />
      <span className="value-name" dir="auto">
        {label}
      </span>
      {count && (
        <span className="value-count" title={filterTexts.usersTitle(formatNumber(count.count), count.capped)}>
          {filterTexts.users(formatNumber(count.count), count.capped)}
        </span>
      )}
    </label>
  );
}

function uniqueBy<Value>(values: readonly Value[], keyOf: (value: Value) => string): Value[] {
  const byKey = new Map<string, Value>();
  for (const value of values) if (!byKey.has(keyOf(value))) byKey.set(keyOf(value), value);
  return [...byKey.values()];
}

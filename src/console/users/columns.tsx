import {
  columnVisibilityFeature,
  createColumnHelper,
  rowSelectionFeature,
  tableFeatures,
} from "@tanstack/react-table";
import { useCallback, useMemo, useState } from "react";
import type { Json, User } from "../../client/index.ts";
import { formatAgo, formatMoment } from "../app/format.ts";
import { users as texts } from "../texts/index.ts";

export const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature });
const helper = createColumnHelper<typeof features, User>();

/** Roster's own fields that a table can show, in this order, with the caller's between the email and the rest. */
const first = ["name", "email"] as const;
const last = ["id", "version", "createdAt", "updatedAt"] as const;
const core = new Set<string>([...first, ...last]);
/** Of the caller's own fields, so many are shown until somebody chooses. */
const USUAL_OWN = 3;
const usual = new Set<string>(["name", "email", "createdAt"]);
const KEY = "roster-columns";

export const labelOf = (field: string) => texts.fields.get(field) ?? field;

/** Of the width of a table: what most people read first gets most of it. */
export const widthOf = (field: string) => widths.get(field) ?? "minmax(8rem, 1fr)";
const widths = new Map([
  ["name", "minmax(14rem, 1.6fr)"],
  ["email", "minmax(13rem, 1.5fr)"],
  ["id", "minmax(6rem, 0.6fr)"],
  ["version", "minmax(6rem, 0.6fr)"],
]);

/** Every field that the users have, in the order of their columns. */
export function fieldsOf(users: readonly User[]): string[] {
  const own = new Map<string, number>();
  for (const user of users) {
    for (const field in user) if (!core.has(field)) own.set(field, (own.get(field) ?? 0) + 1);
  }
  // Those that most have come first: they are what one looks for. Otherwise as they stand in the records.
  const byUse = [...own].sort(([, many], [, more]) => more - many);
  return [...first, ...byUse.map(([field]) => field), ...last];
}

export function columnsOf(fields: readonly string[]) {
  return helper.columns(
    fields.map((field) =>
      helper.accessor((user) => user[field], {
        id: field,
        header: labelOf(field),
        cell: ({ row }) => <Cell field={field} user={row.original} />,
      }),
    ),
  );
}

function Cell({ field, user }: { readonly field: string; readonly user: User }) {
  const value = user[field];
  if (field === "name") return <NameCell user={user} />;
  if (field === "email" && value === undefined) return <span className="none">{texts.noEmail}</span>;
  if ((field === "createdAt" || field === "updatedAt") && typeof value === "string") {
    return (
      <time dateTime={value} title={formatMoment(value)}>
        {formatAgo(value)}
      </time>
    );
  }
  return <span className={typeof value === "number" ? "figure" : ""}>{showValue(value)}</span>;
}

function NameCell({ user: { id, name, email } }: { readonly user: User }) {
  return (
    <span className="person">
      <span className={`avatar tone-${id % 6}`} aria-hidden>
        {initialsOf(name)}
      </span>
      <span className="person-text">
        <span className="person-name">{name}</span>
        <span className="person-email">{email}</span>
      </span>
    </span>
  );
}

/** The first letters of the first and the last word, whatever script they are in. */
function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const [start = "", end = ""] = [words[0], words.length > 1 ? words.at(-1) : ""].map(
    (word) => [...(word ?? "")][0],
  );
  return (start + end).toLocaleUpperCase();
}

/** A value of a field on one line. */
export function showValue(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Which columns are shown, as somebody chose and this browser remembers. */
export function useShownColumns(fields: readonly string[]) {
  const [chosen, setChosen] = useState(readChosen);
  const shown = useMemo(() => {
    if (chosen) return new Set(chosen);
    const own = fields.filter((field) => !core.has(field)).slice(0, USUAL_OWN);
    return new Set([...usual, ...own]);
  }, [chosen, fields]);
  const choose = useCallback((next: ReadonlySet<string> | undefined) => {
    if (next) localStorage.setItem(KEY, JSON.stringify([...next]));
    else localStorage.removeItem(KEY);
    setChosen(next && [...next]);
  }, []);
  return { shown, choose };
}

function readChosen(): string[] | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "null");
    return Array.isArray(kept) ? kept.map(String) : undefined;
  } catch {
    return undefined;
  }
}

import { createColumnHelper, rowSelectionFeature, tableFeatures } from "@tanstack/react-table";
import { useMemo, useState } from "react";
import type { User } from "../../../client/index.ts";
import { loadPreference, savePreference } from "../../lib/preferences.ts";
import { users as texts } from "../../texts/index.ts";
import { Timestamp } from "../../ui/timestamp.tsx";
import { fieldLabel, formatValue, getFieldValue, isCustomField } from "../fields.ts";

export const features = tableFeatures({ rowSelectionFeature });
const helper = createColumnHelper<typeof features, User>();

/** Of the caller's own fields, so many are shown until somebody chooses. */
const DEFAULT_CUSTOM_COLUMNS = 3;
const defaultColumns = new Set<string>(["name", "email", "createdAt"]);
const STORAGE_KEY = "roster-columns";

/** Of the width of a table: what most people read first gets most of it. */
export const columnWidth = (field: string) => widths.get(field) ?? "minmax(7rem, 1fr)";
const widths = new Map([
  ["name", "minmax(13rem, 1.8fr)"],
  ["email", "minmax(13rem, 2fr)"],
  ["id", "minmax(6rem, 0.6fr)"],
  ["version", "minmax(6rem, 0.6fr)"],
  ["createdAt", "minmax(9rem, 1fr)"],
  ["updatedAt", "minmax(9rem, 1fr)"],
]);

export function buildColumns(fields: readonly string[]) {
  return helper.columns(
    fields.map((field) =>
      helper.accessor((user) => getFieldValue(user, field), {
        id: field,
        header: fieldLabel(field),
        cell: ({ row }) => <Cell field={field} user={row.original} />,
      }),
    ),
  );
}

function Cell({ field, user }: { readonly field: string; readonly user: User }) {
  const value = getFieldValue(user, field);
  if (field === "name") return <NameCell user={user} />;
  if (field === "email" && value === undefined) return <span className="none">{texts.noEmail}</span>;
  if ((field === "createdAt" || field === "updatedAt") && typeof value === "string") {
    return <Timestamp iso={value} />;
  }
  const text = formatValue(value);
  return (
    <span className={typeof value === "number" ? "figure" : ""} title={tooltip(text)}>
      {text}
    </span>
  );
}

function NameCell({ user: { id, name, email } }: { readonly user: User }) {
  return (
    <span className="person">
      <span className={`avatar tone-${id % 6}`} aria-hidden>
        {initials(name)}
      </span>
      <span className="person-text">
        <span className="person-name" title={tooltip(name)}>
          {name}
        </span>
        <span className="person-email">{email}</span>
      </span>
    </span>
  );
}

/** The whole of what may be cut off. */
function tooltip(text: string): string | undefined {
  return text.length > 16 ? text : undefined;
}

/** The first letters of the first and the last word, whatever script they are in. */
function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const [start = "", end = ""] = [words[0], words.length > 1 ? words.at(-1) : ""].map(
    (word) => [...(word ?? "")][0],
  );
  return (start + end).toLocaleUpperCase();
}

/** Which columns are shown, as somebody chose and this browser remembers. */
export function useShownColumns(fields: readonly string[]) {
  const [chosen, setChosen] = useState(loadChosenColumns);
  const shown = useMemo(() => {
    if (chosen) return new Set(chosen);
    const own = fields.filter(isCustomField).slice(0, DEFAULT_CUSTOM_COLUMNS);
    return new Set([...defaultColumns, ...own]);
  }, [chosen, fields]);
  const choose = (next: ReadonlySet<string> | undefined) => {
    savePreference(STORAGE_KEY, next && JSON.stringify([...next]));
    setChosen(next && [...next]);
  };
  return { shown, choose };
}

function loadChosenColumns(): string[] | undefined {
  try {
    const kept: unknown = JSON.parse(loadPreference(STORAGE_KEY) ?? "null");
    // Without the name nobody would know whom a row is about.
    return Array.isArray(kept) ? ["name", ...kept.map(String)] : undefined;
  } catch {
    return undefined;
  }
}

import { createColumnHelper, rowSelectionFeature, tableFeatures } from "@tanstack/react-table";
import { useMemo, useState } from "react";
import type { User } from "../../../client/index.ts";
import { loadPreference, savePreference } from "../../lib/preferences.ts";
import { users as texts } from "../../texts/index.ts";
import { Timestamp } from "../../ui/timestamp.tsx";
import { fieldLabel, formatValue, getFieldValue, isCustomField } from "../fields.ts";

export const features = tableFeatures({ rowSelectionFeature });
const helper = createColumnHelper<typeof features, User>();

/** Number of custom fields shown by default. */
const DEFAULT_CUSTOM_COLUMNS = 3;
const defaultColumns = new Set<string>(["name", "email", "createdAt"]);
const STORAGE_KEY = "roster-columns";

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
    <span className="user-cell">
      <span className={`avatar tone-${id % 6}`} aria-hidden>
        {initials(name)}
      </span>
      <span className="user-cell-text">
        <span className="user-name" title={tooltip(name)}>
          {name}
        </span>
        <span className="user-email">{email}</span>
      </span>
    </span>
  );
}

/** The full text as a tooltip, if the cell may truncate it. */
function tooltip(text: string): string | undefined {
  return text.length > 16 ? text : undefined;
}

/** The first characters of the first and last word, in any script. */
function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const [start = "", end = ""] = [words[0], words.length > 1 ? words.at(-1) : ""].map(
    (word) => [...(word ?? "")][0],
  );
  return (start + end).toLocaleUpperCase();
}

/** The visible columns. The choice is stored in the browser. */
export function useShownColumns(fields: readonly string[]) {
  const [chosen, setChosen] = useState(loadChosenColumns);
  const shown = useMemo(() => {
    if (chosen) return new Set(chosen);
    const customFields = fields.filter(isCustomField).slice(0, DEFAULT_CUSTOM_COLUMNS);
    return new Set([...defaultColumns, ...customFields]);
  }, [chosen, fields]);
  const choose = (next: ReadonlySet<string> | undefined) => {
    savePreference(STORAGE_KEY, next && JSON.stringify([...next]));
    setChosen(next && [...next]);
  };
  return { shown, choose };
}

function loadChosenColumns(): string[] | undefined {
  try {
    const stored: unknown = JSON.parse(loadPreference(STORAGE_KEY) ?? "null");
    // The name is always visible: it identifies the row.
    return Array.isArray(stored) ? ["name", ...stored.map(String)] : undefined;
  } catch {
    return undefined;
  }
}

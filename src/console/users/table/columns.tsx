import { createColumnHelper, rowSelectionFeature, tableFeatures } from "@tanstack/react-table";
import { Check, X } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import type { Json, User } from "../../../client/index.ts";
import { loadPreference, savePreference } from "../../lib/preferences.ts";
import { formatNumber } from "../../texts/format.ts";
import { users as texts, values } from "../../texts/index.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import type { FieldInfo } from "../field-info.ts";
import { fieldLabel, formatValue, getFieldValue } from "../fields.ts";

export const features = tableFeatures({ rowSelectionFeature });
const helper = createColumnHelper<typeof features, User>();

/** Elements of a list that a cell shows. */
const MAX_CHIPS = 3;
/** Number of custom fields shown by default. */
const DEFAULT_CUSTOM_COLUMNS = 3;
const coreColumns: readonly string[] = ["name", "email", "createdAt"];
const CHOSEN_KEY = "roster-columns";
const DEFAULT_KEY = "roster-default-columns";

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
  if (value === undefined || value === null) return <span className="none">–</span>;
  if (typeof value === "boolean") return <BooleanCell value={value} />;
  if (typeof value === "number") return <span className="figure">{formatNumber(value)}</span>;
  if (Array.isArray(value)) return <ListCell values={value} />;
  if (typeof value === "string" && DATE_TIME.test(value)) return <Timestamp iso={value} />;
  const text = formatValue(value);
  return <span title={tooltip(text)}>{text}</span>;
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;

function BooleanCell({ value }: { readonly value: boolean }) {
  const Icon = value ? Check : X;
  return (
    <span className={`boolean${value ? " yes" : ""}`}>
      <Icon aria-hidden />
      <span className="hidden">{value ? values.yes : values.no}</span>
    </span>
  );
}

/** The first elements of a list as chips. */
function ListCell({ values: elements }: { readonly values: readonly Json[] }) {
  const more = elements.length - MAX_CHIPS;
  return (
    <span className="list-cell" title={elements.map(formatValue).join(", ")}>
      {[...new Set(elements.slice(0, MAX_CHIPS).map(formatValue))].map((text) => (
        <span key={text} className="badge">
          {text}
        </span>
      ))}
      {more > 0 && <span className="none">+{more}</span>}
    </span>
  );
}

function NameCell({ user: { id, name, email } }: { readonly user: User }) {
  return (
    <span className="user-cell">
      <Avatar id={id} name={name} />
      <span className="user-cell-text">
        <a className="user-name" href={`/users/${id}`} tabIndex={-1} title={tooltip(name)}>
          {name}
        </a>
        <span className="user-email">{email}</span>
      </span>
    </span>
  );
}

/** The full text as a tooltip, if the cell may truncate it. */
function tooltip(text: string): string | undefined {
  return text.length > 16 ? text : undefined;
}

/** The visible columns. The choice is stored in the browser. */
export function useShownColumns(customFields: readonly FieldInfo[] | undefined) {
  const [chosen, setChosen] = useState(() => loadColumns(CHOSEN_KEY));
  const [initial, setInitial] = useState(() => loadColumns(DEFAULT_KEY));
  // Choose the default once for a directory: columns that come and go are hard to read.
  useEffect(() => {
    if (initial || !customFields || customFields.length === 0) return;
    const next = [...coreColumns, ...customFields.slice(0, DEFAULT_CUSTOM_COLUMNS).map(({ name }) => name)];
    savePreference(DEFAULT_KEY, JSON.stringify(next));
    setInitial(next);
  }, [initial, customFields]);
  const shown = useMemo(() => new Set(chosen ?? initial ?? coreColumns), [chosen, initial]);
  const choose = (next: ReadonlySet<string> | undefined) => {
    savePreference(CHOSEN_KEY, next && JSON.stringify([...next]));
    setChosen(next && [...next]);
    if (next) return;
    savePreference(DEFAULT_KEY, undefined);
    setInitial(undefined);
  };
  return { shown, choose };
}

function loadColumns(key: string): string[] | undefined {
  try {
    const stored: unknown = JSON.parse(loadPreference(key) ?? "null");
    // The name is always visible: it identifies the row.
    return Array.isArray(stored) ? ["name", ...stored.map(String)] : undefined;
  } catch {
    return undefined;
  }
}

import type { Json, User } from "../../../client/index.ts";
import { users as texts, values } from "../../texts/index.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Check, X } from "../../ui/icons.ts";
import { Timestamp } from "../../ui/timestamp.tsx";
import { formatValue, getFieldValue } from "../fields.ts";
import { formatFigure, isDateTime, MAX_CHIPS } from "./cell-format.ts";

/** The value of a field, shown by its type. */
export function Cell({ field, user }: { readonly field: string; readonly user: User }) {
  const value = getFieldValue(user, field);
  if (field === "name") return <NameCell user={user} />;
  if (field === "email" && value === undefined) return <span className="none">{texts.noEmail}</span>;
  // A user without the field is active.
  if (field === "active") return <BooleanCell value={value !== false} />;
  return <ValueCell field={field} value={value} />;
}

interface ValueCellProps {
  readonly field: string;
  readonly value: Json | undefined;
}

/** A value, shown by its type. */
export function ValueCell({ field, value }: ValueCellProps) {
  if (value === undefined || value === null) return <span className="none">–</span>;
  if (typeof value === "boolean") return <BooleanCell value={value} />;
  if (typeof value === "number") {
    const text = formatFigure(field, value);
    return (
      <span className="figure" title={text}>
        {text}
      </span>
    );
  }
  if (Array.isArray(value)) return <ListCell values={value} />;
  if (typeof value === "string" && isDateTime(value)) return <Timestamp iso={value} />;
  const text = formatValue(value);
  return (
    <span title={text} dir="auto">
      {text}
    </span>
  );
}

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
        <span key={text} className="badge" dir="auto">
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
        <a className="entry-link user-name" href={`/users/${id}`} tabIndex={-1} title={name} dir="auto">
          {name}
        </a>
        <span className="user-email" title={email} dir="auto">
          {email}
        </span>
      </span>
    </span>
  );
}

export type SqlValue = string | number | null;

/** SQL text with `?` placeholders, and their values in order. */
export interface Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

export function sql(text: string, ...values: SqlValue[]): Sql {
  return { text, values };
}

export function joinSql(...parts: readonly (string | Sql)[]): Sql {
  let text = "";
  const values: SqlValue[] = [];
  for (const part of parts) {
    const isText = typeof part === "string";
    text += text === "" ? (isText ? part : part.text) : ` ${isText ? part : part.text}`;
    if (!isText) values.push(...part.values);
  }
  return { text, values };
}

/** Without values, FALSE. */
export function equalsAny(column: string, values: readonly SqlValue[]): Sql {
  if (values.length === 0) return { text: "FALSE", values };
  return { text: values.length === 1 ? `${column} = ?` : `${column} IN (${values.map(() => "?")})`, values };
}

export const ALWAYS: Sql = { text: "TRUE", values: [] };

/** All conditions hold; `ALWAYS` without conditions. */
export function allOf(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return ALWAYS;
  return {
    text: conditions.map(({ text }) => text).join(" AND "),
    values: conditions.flatMap(({ values }) => values),
  };
}

/** The number in a column. Engines may return it as text. */
export function toNumber(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

/** The text in a column. */
export function toText(value: unknown): string | null {
  return value === null ? null : String(value);
}

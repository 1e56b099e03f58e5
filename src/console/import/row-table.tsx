import type { ReactNode } from "react";
import { focusWhileScrollable } from "../lib/focus-while-scrollable.ts";
import { uniqueKeys } from "../lib/unique-keys.ts";
import { importing as texts } from "../texts/index.ts";
import type { SourceKind } from "./source.ts";

interface RowTableProps {
  readonly label: string;
  readonly kind: SourceKind;
  /** Headings after the row number. */
  readonly columns: readonly string[];
  readonly children: ReactNode;
}

/** A scrollable table of rows, with their row numbers. */
export function RowTable({ label, kind, columns, children }: RowTableProps) {
  const headings = [texts.preview.row[kind], ...columns];
  const keys = uniqueKeys(headings);
  return (
    <section className="import-table" aria-label={label} ref={focusWhileScrollable}>
      <table>
        <thead>
          <tr>
            {headings.map((column, index) => (
              <th scope="col" key={keys[index]}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

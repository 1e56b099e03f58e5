import type { ReactNode } from "react";
import { focusWhileScrollable } from "../lib/focus-while-scrollable.ts";
import { uniqueKeys } from "../lib/unique-keys.ts";

interface RowTableProps {
  readonly label: string;
  readonly columns: readonly string[];
  readonly children: ReactNode;
}

/** A scrollable table. */
export function RowTable({ label, columns, children }: RowTableProps) {
  const keys = uniqueKeys(columns);
  return (
    <section className="import-table" aria-label={label} ref={focusWhileScrollable}>
      <table>
        <thead>
          <tr>
            {columns.map((column, index) => (
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

import type { ReactNode } from "react";
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
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to reach scrollable content
    <section className="import-table" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {[texts.preview.row[kind], ...columns].map((column, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns may have equal names, and never move
              <th scope="col" key={index}>
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

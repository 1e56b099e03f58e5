import type { ReactNode } from "react";
import type { BulkFormat } from "../../client/index.ts";
import { importing as texts } from "../texts/index.ts";

interface RowTableProps {
  readonly label: string;
  readonly format: BulkFormat;
  /** What stands beside the number of the row. */
  readonly columns: readonly string[];
  readonly children: ReactNode;
}

/** Rows of a file, or what became of them. */
export function RowTable({ label, format, columns, children }: RowTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className="import-table" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {[texts.preview.row[format], ...columns].map((column, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two may be called the same, and none ever moves
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

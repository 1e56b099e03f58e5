import type { ReactNode } from "react";
import type { ListParams } from "../list-params.ts";
import { ColumnHeader } from "./column-header.tsx";
import type { ColumnLayout } from "./column-layout.ts";
import { useColumnDrag } from "./use-column-drag.ts";
import type { CellAttributes } from "./user-row.tsx";

interface HeaderRowProps {
  /** Attributes of the cells by field, in the order of the columns. */
  readonly cells: ReadonlyMap<string, CellAttributes>;
  readonly layout: ColumnLayout;
  readonly widthOf: (field: string) => number;
  readonly sort: ListParams["sort"];
  readonly onSort: (sort: ListParams["sort"]) => void;
  /** The cell with the checkbox for all rows. */
  readonly children: ReactNode;
}

/** The headings of the columns, which can be dragged to another place. */
export function HeaderRow({ cells, layout, widthOf, sort, onSort, children }: HeaderRowProps) {
  const { drag, handlers } = useColumnDrag(layout);
  const fields = [...cells.keys()];
  const dropSide = (field: string) => {
    if (drag?.target !== field) return undefined;
    return fields.indexOf(drag.field) < fields.indexOf(field) ? "after" : "before";
  };
  return (
    <tr aria-rowindex={1} className="grid-row" data-dragging={drag !== undefined || undefined} {...handlers}>
      {children}
      {fields.map((field) => (
        <ColumnHeader
          key={field}
          field={field}
          attributes={cells.get(field)}
          isDragged={drag?.field === field}
          dropSide={dropSide(field)}
          sort={sort}
          onSort={onSort}
          width={widthOf(field)}
          onResize={layout.resize}
        />
      ))}
      <td className="grid-cell more" />
    </tr>
  );
}

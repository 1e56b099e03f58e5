import type { Row } from "@tanstack/react-table";
import { memo } from "react";
import type { User } from "../../../client/index.ts";
import { rowMenu, users as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Ellipsis } from "../../ui/icons.ts";
import { Cell } from "./cell.tsx";
import type { features } from "./columns.ts";

/** What the styles of a column depend on. */
export interface CellAttributes {
  readonly "data-field": string;
  readonly "data-kind": "number" | undefined;
  /** The place of a pinned column, from 0. */
  readonly "data-pin": number | undefined;
}

interface RowProps {
  readonly row: Row<typeof features, User>;
  /** Attributes of the cells by field. */
  readonly cells: ReadonlyMap<string, CellAttributes>;
  readonly index: number;
  /** Distance from the top in pixels. */
  readonly start: number;
  readonly selected: boolean;
  readonly open: boolean;
  readonly tabbable: boolean;
}

/** One user in the table. Memoized, so scrolling does not render rows again. */
export const UserRow = memo(({ row, cells, index, start, selected, open, tabbable }: RowProps) => (
  <tr
    aria-rowindex={index + 2}
    aria-selected={selected}
    data-index={index}
    data-open={open || undefined}
    className="grid-row body"
    tabIndex={tabbable ? 0 : -1}
    style={{ transform: `translateY(${start}px)` }}
  >
    <td className="grid-cell check">
      <label>
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={texts.select(row.original.name)}
          checked={selected}
          onChange={row.getToggleSelectedHandler()}
        />
      </label>
    </td>
    {row.getAllCells().map((cell) => (
      <td key={cell.id} className="grid-cell" {...cells.get(cell.column.id)}>
        <Cell field={cell.column.id} user={row.original} />
      </td>
    ))}
    <td className="grid-cell more">
      <Button
        kind="quiet"
        className="small"
        icon={<Ellipsis aria-hidden />}
        aria-haspopup="menu"
        aria-label={rowMenu.open(row.original.name)}
        tabIndex={tabbable ? 0 : -1}
        data-menu
      />
    </td>
  </tr>
));

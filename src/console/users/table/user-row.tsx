import { FlexRender, type Row } from "@tanstack/react-table";
import { memo } from "react";
import type { User } from "../../../client/index.ts";
import { users as texts } from "../../texts/index.ts";
import type { features } from "./columns.tsx";

interface RowProps {
  readonly row: Row<typeof features, User>;
  /** The visible columns. Not read here: a change makes the memoized row render again. */
  readonly shown: ReadonlySet<string>;
  readonly index: number;
  /** Distance from the top in pixels. */
  readonly start: number;
  readonly selected: boolean;
  readonly open: boolean;
  readonly tabbable: boolean;
}

/** One user in the table. Memoized, so scrolling does not render rows again. */
export const UserRow = memo(({ row, index, start, selected, open, tabbable }: RowProps) => (
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
      <td key={cell.id} className="grid-cell" data-field={cell.column.id}>
        <FlexRender cell={cell} />
      </td>
    ))}
  </tr>
));

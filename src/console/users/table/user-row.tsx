import { memo } from "react";
import type { User } from "../../../client/index.ts";
import { rowMenu, users as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Ellipsis } from "../../ui/icons.ts";
import { Cell } from "./cell.tsx";

/** What the styles of a column depend on. */
export interface CellAttributes {
  readonly "data-field": string;
  readonly "data-kind": "number" | undefined;
  /** The place of a pinned column, from 0. */
  readonly "data-pin": number | undefined;
}

interface RowProps {
  /** Undefined while the user is not loaded. */
  readonly user: User | undefined;
  /** Attributes of the cells by field, in the order of the columns. */
  readonly cells: ReadonlyMap<string, CellAttributes>;
  /** The position in the list, from 0. */
  readonly index: number;
  /** Distance from the top in pixels. */
  readonly start: number;
  readonly selected: boolean;
  readonly open: boolean;
  readonly tabbable: boolean;
}

/** One user in the table. Memoized, so scrolling does not render rows again. */
export const UserRow = memo(({ user, cells, index, start, selected, open, tabbable }: RowProps) => (
  <tr
    aria-rowindex={index + 2}
    aria-selected={selected}
    aria-busy={user === undefined || undefined}
    data-index={index}
    data-open={open || undefined}
    className="grid-row body"
    tabIndex={tabbable ? 0 : -1}
    style={{ transform: `translateY(${start}px)` }}
  >
    <td className="grid-cell check">
      {user && (
        <label>
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={texts.select(user.name)}
            checked={selected}
            // The table listens for all rows.
            readOnly
          />
        </label>
      )}
    </td>
    {[...cells].map(([field, attributes]) => (
      <td key={field} className="grid-cell" {...attributes}>
        {user ? <Cell field={field} user={user} /> : <span className="skeleton" />}
      </td>
    ))}
    <td className="grid-cell more">
      {user && (
        <Button
          kind="quiet"
          className="small"
          icon={<Ellipsis aria-hidden />}
          aria-haspopup="menu"
          aria-label={rowMenu.label(user.name)}
          tabIndex={tabbable ? 0 : -1}
          data-menu
        />
      )}
    </td>
  </tr>
));

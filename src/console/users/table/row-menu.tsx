import type { User } from "../../../client/index.ts";
import { openInNewTab } from "../../lib/open-in-new-tab.ts";
import { rowMenu as texts } from "../../texts/index.ts";
import { copyWithToast } from "../../ui/copy-button.tsx";
import { AtSign, Copy, SquareCheck, Trash2 } from "../../ui/icons.ts";
import { AnchoredMenu, type MenuAnchor, MenuItem, MenuSeparator } from "../../ui/menu.tsx";
import { OpenItems } from "../../ui/open-items.tsx";

/** The user whose menu is open, and where. */
export interface RowMenuTarget {
  readonly user: User;
  readonly anchor: MenuAnchor;
}

interface RowMenuProps {
  readonly target: RowMenuTarget | undefined;
  readonly onClose: () => void;
  readonly onOpen: (user: User) => void;
  readonly isSelected: (user: User) => boolean;
  readonly onToggle: (user: User) => void;
  /** Undefined if the person may not delete users. */
  readonly onDelete: ((user: User) => void) | undefined;
}

/** The actions of one user. One menu for all rows: they mount and unmount while scrolling. */
export function RowMenu({ target, onClose, onOpen, isSelected, onToggle, onDelete }: RowMenuProps) {
  const user = target?.user;
  const email = user?.email;
  return (
    <AnchoredMenu anchor={target?.anchor} onClose={onClose}>
      {user && (
        <>
          <OpenItems href={`/users/${user.id}`} onOpen={() => onOpen(user)} />
          <MenuItem icon={<SquareCheck aria-hidden />} onSelect={() => onToggle(user)}>
            {isSelected(user) ? texts.deselect : texts.select}
          </MenuItem>
          <MenuSeparator />
          <MenuItem icon={<Copy aria-hidden />} onSelect={() => void copyWithToast(String(user.id))}>
            {texts.copyId}
          </MenuItem>
          {typeof email === "string" && (
            <MenuItem icon={<AtSign aria-hidden />} onSelect={() => void copyWithToast(email)}>
              {texts.copyEmail}
            </MenuItem>
          )}
          {onDelete && (
            <>
              <MenuSeparator />
              <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={() => onDelete(user)}>
                {texts.delete}
              </MenuItem>
            </>
          )}
        </>
      )}
    </AnchoredMenu>
  );
}

export function openUserInNewTab({ id }: User): void {
  openInNewTab(`/users/${id}`);
}

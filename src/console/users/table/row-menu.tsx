import type { User } from "../../../client/index.ts";
import { openInNewTab } from "../../lib/open-in-new-tab.ts";
import { rowMenu as texts } from "../../texts/index.ts";
import { copyWithToast } from "../../ui/copy-button.tsx";
import { AtSign, Copy, type Icon, SquareCheck } from "../../ui/icons.ts";
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
  readonly removal: Removal | undefined;
}

/** What the Delete key and the last item of the menu do. Undefined if the person may not do it. */
export interface Removal {
  readonly label: string;
  readonly icon: Icon;
  readonly run: (user: User) => void;
}

/** The actions of one user. One menu for all rows: they mount and unmount while scrolling. */
export function RowMenu({ target, onClose, onOpen, isSelected, onToggle, removal }: RowMenuProps) {
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
          {removal && (
            <>
              <MenuSeparator />
              <MenuItem danger icon={<removal.icon aria-hidden />} onSelect={() => removal.run(user)}>
                {removal.label}
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

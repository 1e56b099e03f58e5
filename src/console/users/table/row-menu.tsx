import type { User } from "../../../client/index.ts";
import { rowMenu as texts } from "../../texts/index.ts";
import { copyWithToast } from "../../ui/copy-button.tsx";
import { AtSign, Copy, ExternalLink, PanelRight, SquareCheck, Trash2 } from "../../ui/icons.ts";
import { AnchoredMenu, type MenuAnchor, MenuItem, MenuSeparator } from "../../ui/menu.tsx";

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
          <MenuItem icon={<PanelRight aria-hidden />} onSelect={() => onOpen(user)}>
            {texts.openUser}
          </MenuItem>
          <MenuItem icon={<ExternalLink aria-hidden />} onSelect={() => openInNewTab(user)}>
            {texts.newTab}
          </MenuItem>
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

export function openInNewTab({ id }: User): void {
  open(`/users/${id}`, "_blank", "noopener");
}

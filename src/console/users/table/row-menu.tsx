import type { User } from "../../../client/index.ts";
import { rowMenu as texts } from "../../texts/index.ts";
import { copyWithToast } from "../../ui/copy-button.tsx";
import { AtSign, Copy, ExternalLink, Trash2 } from "../../ui/icons.ts";
import { AnchoredMenu, MenuItem, MenuSeparator } from "../../ui/menu.tsx";

/** The row whose menu is open, and the element beside which it opens. */
export interface RowMenuTarget {
  readonly user: User;
  readonly anchor: HTMLElement;
}

interface RowMenuProps {
  readonly target: RowMenuTarget | undefined;
  readonly onClose: () => void;
  /** Undefined if the person may not delete users. */
  readonly onDelete: ((user: User) => void) | undefined;
}

/** The actions of one user. One menu for all rows: they mount and unmount while scrolling. */
export function RowMenu({ target, onClose, onDelete }: RowMenuProps) {
  const user = target?.user;
  const email = user?.email;
  return (
    <AnchoredMenu anchor={target?.anchor} onClose={onClose}>
      {user && (
        <>
          <MenuItem icon={<Copy aria-hidden />} onSelect={() => void copyWithToast(String(user.id))}>
            {texts.copyId}
          </MenuItem>
          {typeof email === "string" && (
            <MenuItem icon={<AtSign aria-hidden />} onSelect={() => void copyWithToast(email)}>
              {texts.copyEmail}
            </MenuItem>
          )}
          <MenuItem icon={<ExternalLink aria-hidden />} onSelect={() => openInNewTab(user)}>
            {texts.newTab}
          </MenuItem>
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

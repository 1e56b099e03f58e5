import type { DeletedUser } from "../../client/index.ts";
import { deletedUsers as texts } from "../texts/deleted.ts";
import { rowMenu } from "../texts/index.ts";
import { copyWithToast } from "../ui/copy-button.tsx";
import { ArchiveRestore, AtSign, Copy, Eraser } from "../ui/icons.ts";
import { MenuItem, MenuSeparator } from "../ui/menu.tsx";

interface DeletedMenuProps {
  readonly user: DeletedUser;
  readonly isRestoring: boolean;
  /** Undefined without the scope. */
  readonly onRestore: (() => void) | undefined;
  readonly onPurge: (() => void) | undefined;
}

export function DeletedMenu({ user: { id, email }, isRestoring, onRestore, onPurge }: DeletedMenuProps) {
  return (
    <>
      {onRestore && (
        <MenuItem icon={<ArchiveRestore aria-hidden />} disabled={isRestoring} onSelect={onRestore}>
          {texts.restore}
        </MenuItem>
      )}
      <MenuItem icon={<Copy aria-hidden />} onSelect={() => void copyWithToast(String(id))}>
        {rowMenu.copyId}
      </MenuItem>
      {email !== undefined && (
        <MenuItem icon={<AtSign aria-hidden />} onSelect={() => void copyWithToast(email)}>
          {rowMenu.copyEmail}
        </MenuItem>
      )}
      {onPurge && (
        <>
          <MenuSeparator />
          <MenuItem danger icon={<Eraser aria-hidden />} onSelect={onPurge}>
            {texts.purge}
          </MenuItem>
        </>
      )}
    </>
  );
}

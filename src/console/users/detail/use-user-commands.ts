import { useCommands } from "../../lib/commands.ts";
import { commands } from "../../texts/commands.ts";
import { copyWithToast } from "../../ui/copy-button.tsx";
import { AtSign, Copy, Link2, Maximize2, Trash2 } from "../../ui/icons.ts";
import { viewPaths } from "../../view-paths.ts";
import type { OpenUser } from "./use-open-user.ts";

const texts = commands.user;

interface UserCommands {
  readonly onDelete: () => void;
  /** Shows the user on a page of its own. Undefined: it is there. */
  readonly openPage?: () => void;
}

/** What the palette offers for the open user. */
export function useUserCommands({ editor, canWrite }: OpenUser, { onDelete, openPage }: UserCommands): void {
  const { base } = editor;
  const email = base?.email;
  useCommands(
    "user",
    base
      ? [
          { id: "copy-id", label: texts.copyId, icon: Copy, run: () => void copyWithToast(String(base.id)) },
          ...(typeof email === "string"
            ? [
                {
                  id: "copy-email",
                  label: texts.copyEmail,
                  icon: AtSign,
                  run: () => void copyWithToast(email),
                },
              ]
            : []),
          {
            id: "copy-link",
            label: texts.copyLink,
            icon: Link2,
            run: () => void copyWithToast(`${location.origin}${viewPaths.users}/${base.id}`),
          },
          ...(openPage ? [{ id: "open-page", label: texts.openPage, icon: Maximize2, run: openPage }] : []),
          ...(canWrite ? [{ id: "delete-user", label: texts.delete, icon: Trash2, run: onDelete }] : []),
        ]
      : [],
  );
}

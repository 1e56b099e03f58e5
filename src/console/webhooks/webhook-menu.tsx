import type { Webhook } from "../../client/index.ts";
import { rowMenu } from "../texts/index.ts";
import { webhooks as texts } from "../texts/webhooks.ts";
import { copyWithToast } from "../ui/copy-button.tsx";
import { Copy, Link2, Trash2 } from "../ui/icons.ts";
import { MenuItem, MenuSeparator } from "../ui/menu.tsx";
import { OpenItems } from "../ui/open-items.tsx";

interface WebhookMenuProps {
  readonly webhook: Webhook;
  readonly onOpen: () => void;
  readonly onDelete: () => void;
}

export function WebhookMenu({ webhook: { id, url }, onOpen, onDelete }: WebhookMenuProps) {
  return (
    <>
      <OpenItems href={`/webhooks/${id}`} onOpen={onOpen} />
      <MenuSeparator />
      <MenuItem icon={<Copy aria-hidden />} onSelect={() => void copyWithToast(String(id))}>
        {rowMenu.copyId}
      </MenuItem>
      <MenuItem icon={<Link2 aria-hidden />} onSelect={() => void copyWithToast(url)}>
        {texts.copyUrl}
      </MenuItem>
      <MenuSeparator />
      <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={onDelete}>
        {texts.actions.delete}
      </MenuItem>
    </>
  );
}

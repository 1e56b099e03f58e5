import type { Key } from "../../client/index.ts";
import { rowMenu, keys as texts, usageHistory } from "../texts/index.ts";
import { copyWithToast } from "../ui/copy-button.tsx";
import { Ban, ChartColumn, Copy, RefreshCw } from "../ui/icons.ts";
import { MenuItem, MenuSeparator } from "../ui/menu.tsx";
import { isActive } from "./queries.ts";

export interface KeyActions {
  readonly onUsage: (item: Key) => void;
  readonly onReplace: (item: Key) => void;
  readonly onRevoke: (item: Key) => void;
}

export function KeyMenu({ item, onUsage, onReplace, onRevoke }: KeyActions & { readonly item: Key }) {
  return (
    <>
      {item.lastUsedAt !== null && (
        <MenuItem icon={<ChartColumn aria-hidden />} onSelect={() => onUsage(item)}>
          {usageHistory.open}
        </MenuItem>
      )}
      {isActive(item) && (
        <MenuItem icon={<RefreshCw aria-hidden />} onSelect={() => onReplace(item)}>
          {texts.replace}
        </MenuItem>
      )}
      <MenuItem icon={<Copy aria-hidden />} onSelect={() => void copyWithToast(String(item.id))}>
        {rowMenu.copyId}
      </MenuItem>
      {isActive(item) && (
        <>
          <MenuSeparator />
          <MenuItem danger icon={<Ban aria-hidden />} onSelect={() => onRevoke(item)}>
            {texts.revoke}
          </MenuItem>
        </>
      )}
    </>
  );
}

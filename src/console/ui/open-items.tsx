import { openInNewTab } from "../lib/open-in-new-tab.ts";
import { rowMenu as texts } from "../texts/index.ts";
import { ExternalLink, PanelRight } from "./icons.ts";
import { MenuItem } from "./menu.tsx";

/** The items of a menu that open the page of an entry. */
export function OpenItems({ href, onOpen }: { readonly href: string; readonly onOpen: () => void }) {
  return (
    <>
      <MenuItem icon={<PanelRight aria-hidden />} onSelect={onOpen}>
        {texts.open}
      </MenuItem>
      <MenuItem icon={<ExternalLink aria-hidden />} onSelect={() => openInNewTab(href)}>
        {texts.newTab}
      </MenuItem>
    </>
  );
}

import { useEffect, useState } from "react";
import { isApple } from "../lib/platform.ts";
import type { CurrentSession } from "../lib/session.ts";
import { palette as texts } from "../texts/palette.ts";
import { shortcuts } from "../texts/shortcuts.ts";
import { lazyComponent, OverlayBoundary } from "../ui/error-boundary.tsx";
import { Search } from "../ui/icons.ts";

const Palette = lazyComponent(async () => (await import("../chunks/users-tools.ts")).Palette);

const shortcut = shortcuts.everywhere.palette;

/** Opens the palette, with a click or with Ctrl-K or ⌘K. */
export function PaletteButton({ session }: { readonly session: CurrentSession }) {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isShortcut =
        event.key.toLowerCase() === shortcut.key && (isApple ? event.metaKey : event.ctrlKey);
      if (!isShortcut || event.altKey || event.shiftKey) return;
      // Other shortcuts of the browser for these keys would open a search of the web.
      event.preventDefault();
      // An open dialog may hold unsaved input. A user who is open over the list asks before that is lost.
      if (!document.querySelector(".modal:not(.side)")) setOpen(true);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  const close = () => setOpen(false);
  return (
    <>
      <button
        type="button"
        className="palette-button"
        title={texts.title}
        aria-keyshortcuts={isApple ? "Meta+K" : "Control+K"}
        onClick={() => setOpen(true)}
      >
        <Search aria-hidden />
        <span className="palette-button-text">{texts.open}</span>
        <kbd aria-hidden>{shortcut.shown}</kbd>
      </button>
      {open && (
        <OverlayBoundary onClose={close}>
          <Palette session={session} onClose={close} />
        </OverlayBoundary>
      )}
    </>
  );
}

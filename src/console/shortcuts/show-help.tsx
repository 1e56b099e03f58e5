import { openDialog } from "../ui/dialogs.tsx";
import { lazyComponent, OverlayBoundary } from "../ui/error-boundary.tsx";

const ShortcutsHelp = lazyComponent(async () => (await import("../chunks/users-tools.ts")).ShortcutsHelp);

/** Lists the keyboard shortcuts in a dialog. */
export function showHelp(): void {
  openDialog((close) => (
    <OverlayBoundary onClose={close}>
      <ShortcutsHelp onClose={close} />
    </OverlayBoundary>
  ));
}

import { useState } from "react";
import { useCommands } from "../../lib/commands.ts";
import { useHasScope } from "../../lib/session.ts";
import { exporting as texts } from "../../texts/index.ts";
import { palette } from "../../texts/palette.ts";
import { Button } from "../../ui/button.tsx";
import { lazyComponent, OverlayBoundary } from "../../ui/error-boundary.tsx";
import { Download } from "../../ui/icons.ts";
import type { ListParams } from "../list-params.ts";

const ExportSearch = lazyComponent(async () => (await import("../../chunks/users-tools.ts")).ExportSearch);

interface ExportButtonProps {
  readonly search: ListParams;
  readonly total: number | undefined;
}

/** Exports all users that match the table's search and filters. */
export function ExportButton({ search, total }: ExportButtonProps) {
  const [open, setOpen] = useState(false);
  const canRead = useHasScope("users:read");
  useCommands(
    "users",
    canRead ? [{ id: "export", label: palette.exportUsers, icon: Download, run: () => setOpen(true) }] : [],
  );
  if (!canRead) return null;
  return (
    <>
      <Button className="export-button" icon={<Download aria-hidden />} onClick={() => setOpen(true)}>
        <span className="hidden-on-phone">{texts.button}</span>
      </Button>
      {open && (
        <OverlayBoundary onClose={() => setOpen(false)}>
          <ExportSearch search={search} total={total} onClose={() => setOpen(false)} />
        </OverlayBoundary>
      )}
    </>
  );
}

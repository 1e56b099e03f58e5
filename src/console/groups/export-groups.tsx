import { roster } from "../lib/api.ts";
import { formatSize } from "../texts/format.ts";
import { groups as texts } from "../texts/groups.ts";
import { ExportDialog } from "../users/export/export-dialog.tsx";
import { readIntoFile } from "../users/export/export-file.ts";
import { EXPORT_TIMEOUT_MS, type ExportSource } from "../users/export/export-source.ts";
import { type GroupSearch, searchFor } from "./queries.ts";

interface ExportGroupsProps {
  readonly search: GroupSearch;
  readonly count: { readonly count: number; readonly capped: boolean } | undefined;
  readonly onClose: () => void;
}

/** Exports the groups that a search finds. */
export function ExportGroups({ search: { q, sort }, count, onClose }: ExportGroupsProps) {
  const source: ExportSource = {
    title: texts.export.title,
    lead: texts.export.lead,
    fileName: "groups",
    count: count?.capped ? undefined : count?.count,
    async read(format, { signal, onProgress }) {
      const options = { ...searchFor(q), sort, signal, timeout: EXPORT_TIMEOUT_MS };
      const content = await readIntoFile(
        await roster.groups.export(options).stream(format),
        format,
        onProgress,
      );
      return { content, summary: formatSize(content.size) };
    },
  };
  return <ExportDialog source={source} onClose={onClose} />;
}

import { useState } from "react";
import type { BulkFormat, User } from "../../../client/index.ts";
import { listLimits } from "../../../contract/listing.ts";
import { roster } from "../../lib/api.ts";
import { formatSize } from "../../texts/format.ts";
import { exporting as texts } from "../../texts/index.ts";
import { ExportDialog } from "./export-dialog.tsx";
import { EXPORT_TIMEOUT_MS, ExportError, type ExportSource } from "./export-source.ts";
import { joinExports } from "./join-exports.ts";

interface ExportUsersProps {
  readonly users: readonly User[];
  readonly onClose: () => void;
}

/** Exports chosen users in their current versions, in this order. */
export function ExportUsers({ users, onClose }: ExportUsersProps) {
  // The selection may change while the dialog is open.
  const [ids] = useState(() => users.map(({ id }) => id));
  const source: ExportSource = {
    title: texts.titleOf(ids.length),
    lead: texts.order,
    count: ids.length,
    read: (format, reading) => readUsers(ids, format, reading),
  };
  return <ExportDialog source={source} onClose={onClose} />;
}

/** A filter has room for 100 ids, so this sends one export after the other, and joins them. */
async function readUsers(
  ids: readonly number[],
  format: BulkFormat,
  { signal, onProgress }: Parameters<ExportSource["read"]>[1],
): ReturnType<ExportSource["read"]> {
  const startedAt = performance.now();
  const joined = await joinExports(format);
  let [bytes, found] = [0, 0];
  for (let start = 0; start < ids.length; start += listLimits.filterValues) {
    const where = { id: ids.slice(start, start + listLimits.filterValues) };
    const stream = await roster.users.export({ where, signal, timeout: EXPORT_TIMEOUT_MS }).stream(format);
    const part = await new Response(stream).blob();
    bytes += part.size;
    found += joined.add(await part.text());
    onProgress({ bytes, users: found, ms: performance.now() - startedAt });
  }
  if (found === 0) throw new ExportError(texts.allDeleted);
  const content = joined.inOrder(ids);
  const missing = ids.length - found;
  const size = formatSize(content.size);
  return {
    content,
    summary: missing === 0 ? texts.received.users(found, size) : texts.partlyDone(found, missing),
  };
}

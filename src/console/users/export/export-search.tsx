import { useQuery } from "@tanstack/react-query";
import type { BulkFormat } from "../../../client/index.ts";
import { roster } from "../../lib/api.ts";
import { formatSize } from "../../texts/format.ts";
import { exporting as texts } from "../../texts/index.ts";
import { type FilterParts, readFilters } from "../filters/condition.ts";
import { describeCondition } from "../filters/condition-words.ts";
import { useFilterFields } from "../filters/filter-field.ts";
import { isFiltered, type ListParams, toListOptions } from "../list-params.ts";
import { countQuery } from "../queries.ts";
import { ExportDialog } from "./export-dialog.tsx";
import { readIntoFile } from "./export-file.ts";
import { EXPORT_TIMEOUT_MS, type ExportSource } from "./export-source.ts";

interface ExportSearchProps {
  readonly search: ListParams;
  readonly total: number | undefined;
  /** The person selected all users that match. */
  readonly isSelection?: boolean;
  readonly onClose: () => void;
}

/** Exports all users that match a search. */
export function ExportSearch({ search, total, isSelection = false, onClose }: ExportSearchProps) {
  const { data: counted, isPlaceholderData } = useQuery(countQuery(search));
  const filters = readFilters(search);
  const toField = useFilterFields(filters.conditions);
  const count = isPlaceholderData ? undefined : total;
  const capped = counted?.capped ?? false;
  const exactCount = capped ? undefined : count;
  const source: ExportSource = {
    title: isSelection ? texts.titleOfMatching(exactCount) : texts.title,
    lead: describeExport(search, describeFilters(search.q.trim(), filters, toField), { count, capped }),
    count: exactCount,
    async read(format: BulkFormat, { signal, onProgress }) {
      const options = { ...toListOptions(search), signal, timeout: EXPORT_TIMEOUT_MS };
      const stream = await roster.users.export(options).stream(format);
      const content = await readIntoFile(stream, format, onProgress);
      return { content, summary: formatSize(content.size) };
    },
  };
  return <ExportDialog source={source} onClose={onClose} />;
}

/** The search and the filters, in the words of the chips. */
function describeFilters(
  q: string,
  { conditions, expression }: FilterParts,
  toField: ReturnType<typeof useFilterFields>,
): string[] {
  return [
    ...(q === "" ? [] : [texts.search(q)]),
    ...conditions.map((condition) => describeCondition(condition, toField(condition.field))),
    ...(expression === undefined ? [] : [expression]),
  ];
}

/** Describes what will be exported. */
function describeExport(
  search: ListParams,
  conditions: readonly string[],
  { count, capped }: { readonly count: number | undefined; readonly capped: boolean },
): string {
  if (!isFiltered(search)) return count === 0 ? texts.empty.all : `${texts.all(count)} ${texts.order}`;
  if (count === 0) return texts.empty.matching;
  return `${texts.matching(count, capped, conditions)} ${texts.order}`;
}

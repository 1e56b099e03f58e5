import type { Search } from "./search.ts";

export default function ExportButton(_: { readonly search: Search; readonly total: number | undefined }) {
  return null;
}

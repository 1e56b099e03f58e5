/** How long a browser may take to fetch what it saves. */
const KEPT_MS = 60_000;

/** Gives the person a file, in the way that every browser knows. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** A file's name with today's date, where the person is: `users-2026-01-31.csv`. */
export function dated(name: string, extension: string, now = new Date()): string {
  const parts = [now.getFullYear(), now.getMonth() + 1, now.getDate()];
  return `${name}-${parts.map((part) => String(part).padStart(2, "0")).join("-")}.${extension}`;
}

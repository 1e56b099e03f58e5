/** Reads a long list of a service, in its own process, and prints a `BulkReport`: `bun export-users.ts URL TYPE`. */
import type { BulkReport } from "./import-users.ts";

const NEWLINE = 0x0a;

async function runExport(url: string, type: string): Promise<BulkReport> {
  const start = performance.now();
  const response = await fetch(url, { headers: { accept: type } });
  let [bytes, lines] = [0, 0];
  for await (const part of response.body ?? []) {
    bytes += part.length;
    for (let at = part.indexOf(NEWLINE); at >= 0; at = part.indexOf(NEWLINE, at + 1)) lines++;
  }
  const users = type === "text/csv" ? lines - 1 : lines;
  return {
    users,
    bytes,
    errors: response.status === 200 ? 0 : 1,
    seconds: (performance.now() - start) / 1000,
  };
}

/** Runs this script in its own process. */
export async function exportUsers(
  url: string,
  type: string,
  path = "/api/users/export",
): Promise<BulkReport> {
  const script = Bun.fileURLToPath(import.meta.url);
  const child = Bun.spawn([process.execPath, script, url + path, type], { stderr: "inherit" });
  const report: BulkReport = JSON.parse(await new Response(child.stdout).text());
  return report;
}

if (import.meta.main) {
  const [url = "", type = ""] = process.argv.slice(2);
  console.log(JSON.stringify(await runExport(url, type)));
}

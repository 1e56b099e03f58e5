/**
 * Imports sample users into a service, in its own process, and prints a `BulkReport`:
 * `bun import-users.ts URL TYPE FIRST LAST`. Creates the request body while sending it, to save memory.
 */
import { sampleUser } from "./sample-users.ts";

/** The result of an import or export. */
export interface BulkReport {
  readonly users: number;
  readonly bytes: number;
  readonly errors: number;
  readonly seconds: number;
}

const BATCH = 500;

function csvRow({ name, email, department, level }: ReturnType<typeof sampleUser>): string {
  return `${name},${email},${department},${level}\r\n`;
}

async function runImport(url: string, type: string, first: number, last: number): Promise<BulkReport> {
  const encoder = new TextEncoder();
  let next = first;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      let text = type === "text/csv" && next === first ? "name,email,department,level\r\n" : "";
      for (let i = 0; i < BATCH && next <= last; i++, next++) {
        const user = sampleUser(next);
        text += type === "text/csv" ? csvRow(user) : `${JSON.stringify(user)}\n`;
      }
      controller.enqueue(encoder.encode(text));
      if (next > last) controller.close();
    },
  });
  const start = performance.now();
  const key = process.env.ROSTER_API_KEY;
  const headers = { "content-type": type, ...(key && { authorization: `Bearer ${key}` }) };
  const response = await fetch(`${url}/api/users/import`, { method: "POST", body, headers });
  let [bytes, lines, created] = [0, 0, 0];
  const decoder = new TextDecoder();
  for await (const part of response.body ?? []) {
    bytes += part.length;
    const text = decoder.decode(part, { stream: true });
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
    for (let at = text.indexOf('"status":201'); at >= 0; at = text.indexOf('"status":201', at + 1)) created++;
  }
  const users = last - first + 1;
  const errors = response.status === 200 ? users - Math.min(created, lines) : users;
  return { users, bytes, errors, seconds: (performance.now() - start) / 1000 };
}

/** Runs this script in its own process. */
export async function importUsers(
  url: string,
  type: string,
  first: number,
  last: number,
  key?: string,
): Promise<BulkReport> {
  const script = Bun.fileURLToPath(import.meta.url);
  const child = Bun.spawn([process.execPath, script, url, type, String(first), String(last)], {
    env: { ...process.env, ROSTER_API_KEY: key },
    stderr: "inherit",
  });
  const report: BulkReport = JSON.parse(await new Response(child.stdout).text());
  return report;
}

if (import.meta.main) {
  const [url = "", type = "", first = "", last = ""] = process.argv.slice(2);
  console.log(JSON.stringify(await runImport(url, type, Number(first), Number(last))));
}

import type { Client, ExportOptions } from "../client/index.ts";
import { countNewlines } from "./output/count-lines.ts";

/** The exact number of users that match. The service counts up to 100,000 of them, for a short time; others are counted one by one. */
export async function countUsers(users: Client["users"], search: ExportOptions): Promise<number> {
  const { total } = await users.list({ ...search, limit: 1 }).page({ count: true });
  return total && !total.capped
    ? total.count
    : await countLines(await users.export({ ...search, fields: ["id"] }).stream());
}

async function countLines(stream: ReadableStream<Uint8Array>): Promise<number> {
  let lines = 0;
  for await (const bytes of stream) lines += countNewlines(bytes);
  return lines;
}

import { CSV, NDJSON } from "../bulk-requests.ts";
import { conforming } from "../conformance.ts";
import type { Roster } from "../process/roster.ts";

/**
 * Reads every user that the requests created, page by page and as exports. Throws if a response does not conform to the
 * description, or if list and export differ. Returns the number of users.
 */
export async function checkStoredUsers(roster: Roster, headers: Record<string, string>): Promise<number> {
  const read = async (path: string, accept: string) => {
    const response = await roster.call(path, { headers: { ...headers, accept } });
    if (response.status !== 200) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return await conforming("GET", path, response);
  };
  let count = 0;
  let path: string | undefined = "/api/users?limit=500";
  while (path !== undefined) {
    const response = await read(path, "application/json");
    const page: unknown[] = await response.json();
    count += page.length;
    path = findNext(response.headers.get("link") ?? "");
  }
  const lines = (await (await read("/api/users/export", NDJSON)).text()).split("\n").slice(0, -1);
  for (const line of lines) JSON.parse(line);
  if (lines.length !== count) throw new Error(`The list has ${count} users, the export has ${lines.length}.`);
  await (await read("/api/users/export", CSV)).text();
  return count;
}

/** The path of the next page. Link may have paths or whole URLs. */
function findNext(link: string): string | undefined {
  const url = /<([^>]+)>; rel="next"/.exec(link)?.[1];
  if (url === undefined) return undefined;
  const { pathname, search } = new URL(url, "http://localhost");
  return pathname + search;
}

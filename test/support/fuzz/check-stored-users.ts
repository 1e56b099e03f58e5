import { NDJSON } from "../bulk-requests.ts";
import { conforming } from "../conformance.ts";
import type { Roster } from "../process/roster.ts";

/**
 * Reads every user that the requests created, page by page and as an export. Throws if a response does not conform to the
 * description, or if the two differ. Returns the number of users.
 */
export async function checkStoredUsers(roster: Roster, headers: Record<string, string>): Promise<number> {
  const ids: number[] = [];
  let path: string | undefined = "/api/users?limit=500";
  while (path !== undefined) {
    const response = await conforming("GET", path, await roster.call(path, { headers }));
    if (response.status !== 200) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    const page: { id: number }[] = await response.json();
    ids.push(...page.map(({ id }) => id));
    path = findNext(response.headers.get("link") ?? "");
  }
  for (const [type, count] of [
    [NDJSON, ids.length],
    ["text/csv", ids.length === 0 ? 0 : undefined],
  ] as const) {
    const response = await roster.call("/api/users", { headers: { ...headers, accept: type } });
    const text = await response.text();
    if (response.status !== 200)
      throw new Error(`export as ${type}: ${response.status} ${text.slice(0, 300)}`);
    const lines = text.split("\n").slice(0, -1);
    if (type === NDJSON) for (const line of lines) JSON.parse(line);
    if (count !== undefined && type === NDJSON && lines.length !== count) {
      throw new Error(`The list has ${count} users, the export has ${lines.length}.`);
    }
  }
  return ids.length;
}

/** The path of the next page. Link may have paths or whole URLs. */
function findNext(link: string): string | undefined {
  const url = /<([^>]+)>; rel="next"/.exec(link)?.[1];
  if (url === undefined) return undefined;
  const { pathname, search } = new URL(url, "http://localhost");
  return pathname + search;
}

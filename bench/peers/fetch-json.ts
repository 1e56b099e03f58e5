import type { PeerSubject } from "./subjects.ts";

/** The body of a response to a subject's request. Throws if the status is another one. */
export async function fetchJson(
  { headers = [] }: PeerSubject,
  url: string,
  { method = "GET", body, status = 200 }: { method?: string; body?: object; status?: number } = {},
): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: [
      ["content-type", "application/json"],
      ...headers.map((header): [string, string] => {
        const [name = "", value = ""] = header.split(": ");
        return [name, value];
      }),
    ],
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.status !== status) throw new Error(`${url}: status ${response.status}.`);
  return response.json();
}

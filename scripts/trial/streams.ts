import { request } from "node:http";

const LINES = 20_000;
const padding = "x".repeat(300);

/** Imports and exports more than a load balancer buffers. The users are deleted again. */
export async function tryStreams(url: string): Promise<string> {
  const { bytes, results } = await importInTwoParts(`${url}/api/users/import`);
  const ids = results.map(({ status, id }) => {
    if (status !== 201) throw new Error(`The import of a line has status ${status}.`);
    return id;
  });
  if (ids.length !== LINES) throw new Error(`The import has ${ids.length} results for ${LINES} lines.`);
  const csv = await exportUsers(`${url}/api/users/export`, "text/csv");
  const ndjson = await exportUsers(`${url}/api/users/export`, "application/x-ndjson");
  if (csv.lines !== LINES + 1 || ndjson.lines !== LINES) {
    throw new Error(`The exports have ${csv.lines} and ${ndjson.lines} lines.`);
  }
  for (let start = 0; start < ids.length; start += 50) {
    const deletes = ids.slice(start, start + 50);
    await Promise.all(deletes.map((id) => fetch(`${url}/api/users/${id}`, { method: "DELETE" })));
  }
  return `import of ${megabytes(bytes)}, with results while sending; export of ${megabytes(csv.bytes)}`;
}

interface Result {
  readonly status: number;
  readonly id: number;
}

/** Sends the second half of the body when the first result has arrived. */
function importInTwoParts(url: string): Promise<{ bytes: number; results: Result[] }> {
  const lines = Array.from(
    { length: LINES },
    (_, i) => `${JSON.stringify({ name: `Line ${i}`, padding })}\n`,
  );
  const halves = [lines.slice(0, LINES / 2).join(""), lines.slice(LINES / 2).join("")] as const;
  const { promise, resolve, reject } = Promise.withResolvers<{ bytes: number; results: Result[] }>();
  const outgoing = request(url, { method: "POST", headers: { "content-type": "application/x-ndjson" } });
  outgoing.setTimeout(30_000, () =>
    outgoing.destroy(new Error("No results arrive while the import is sent.")),
  );
  outgoing.on("error", reject);
  outgoing.on("response", (incoming) => {
    let text = "";
    incoming.setEncoding("utf8");
    incoming.on("error", reject);
    incoming.once("data", () => outgoing.end(halves[1]));
    incoming.on("data", (part) => {
      text += part;
    });
    incoming.on("end", () => {
      if (incoming.statusCode !== 200)
        reject(new Error(`The import has status ${incoming.statusCode}: ${text}`));
      else resolve({ bytes: halves.join("").length, results: text.trimEnd().split("\n").map(parseResult) });
    });
  });
  outgoing.write(halves[0]);
  return promise;
}

function parseResult(line: string): Result {
  const { status, id } = JSON.parse(line);
  return { status, id };
}

async function exportUsers(url: string, accept: string): Promise<{ lines: number; bytes: number }> {
  const text = await (await fetch(url, { headers: { accept } })).text();
  return { lines: text.trimEnd().split("\n").length, bytes: text.length };
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

import { connect, type Socket } from "node:net";
import Value from "typebox/value";
import { ImportLineResult } from "../../src/contract/bulk/bulk-schemas.ts";
import type { Json } from "../../src/contract/json.ts";
import type { Callable } from "./call.ts";
import { until } from "./until.ts";

export const NDJSON = "application/x-ndjson";
export const CSV = "text/csv";

export type Fields = { [field: string]: Json };

export interface ImportResponse {
  readonly status: number;
  /** The outcome of each line. Empty if the import was rejected as a whole. */
  readonly lines: readonly ImportLineResult[];
  /** The problem, if the import was rejected as a whole. */
  readonly type: string | undefined;
  readonly detail: string | undefined;
}

/** Imports users, and waits for all outcomes. */
export function importBody(
  service: Callable,
  type: string,
  body: string | Uint8Array<ArrayBuffer> | Blob,
  headers: Record<string, string> = {},
  query = "",
): Promise<ImportResponse> {
  const path = `/api/users/import${query && `?${query}`}`;
  return postImport(service, path, { body, headers: { "content-type": type, ...headers } });
}

/** Sends the body of an import of any kind, and waits for all outcomes. */
export async function postImport(
  service: Callable,
  path: string,
  request: { body: string | Uint8Array<ArrayBuffer> | Blob; headers: Record<string, string> },
): Promise<ImportResponse> {
  const response = await service.call(path, { method: "POST", ...request });
  return toImportResponse(response.status, await response.text());
}

function toImportResponse(status: number, text: string): ImportResponse {
  if (status === 200) return { status, lines: parseLines(text), type: undefined, detail: undefined };
  const problem: { type: string; detail: string } = JSON.parse(text);
  return { status, lines: [], type: problem.type.replace("/problems/", ""), detail: problem.detail };
}

/** Parses outcomes, and checks each against its schema. Ignores an incomplete last line. */
export function parseLines(text: string): ImportLineResult[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => Value.Parse(ImportLineResult, JSON.parse(line)));
}

/** The id or the problem type, by line. */
export function summarize({
  lines,
  type,
}: ImportResponse): Record<number | string, number | string | undefined> {
  const each = lines.map(({ line, id, problem }) => [line, id ?? problem?.type.replace("/problems/", "")]);
  return { ...Object.fromEntries(each), ...(type !== undefined && { whole: type }) };
}

export const toNdjson = (records: readonly Fields[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");

/** Exports the users that match the query, or other records, as text. */
export async function exportText(
  service: Callable,
  type: string,
  query = "",
  records = "users",
): Promise<string> {
  const response = await service.call(`/api/${records}/export${query}`, { headers: { accept: type } });
  if (response.status !== 200) throw new Error(`${type} of ${query}: ${response.status}`);
  return response.text();
}

/** Exports the users that match the query, or other records. */
export async function exportUsers(service: Callable, query = "", records = "users"): Promise<Fields[]> {
  const text = await exportText(service, NDJSON, query, records);
  return text
    .split("\n")
    .slice(0, -1)
    .map((line): Fields => JSON.parse(line));
}

/** The fields that callers write. */
export function toRecord({
  id: _id,
  version: _version,
  createdAt: _at,
  updatedAt: _then,
  ...fields
}: Fields): Fields {
  return fields;
}

/** An import whose body is sent in parts. */
export class SlowImport {
  #received = "";
  readonly closed: Promise<void>;

  private constructor(readonly socket: Socket) {
    socket.setEncoding("utf8");
    socket.on("data", (text) => {
      this.#received += text;
    });
    socket.on("error", () => undefined);
    this.closed = new Promise((resolve) => socket.on("close", () => resolve()));
  }

  static async open(url: string, type: string, headers: Record<string, string> = {}): Promise<SlowImport> {
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname);
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    const head = { host, "content-type": type, "transfer-encoding": "chunked", ...headers };
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST /api/users/import HTTP/1.1\r\n${lines.join("")}\r\n`);
    return new SlowImport(socket);
  }

  send(text: string): void {
    this.socket.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
  }

  end(): void {
    this.socket.write("0\r\n\r\n");
  }

  disconnect(): void {
    this.socket.destroy();
  }

  /** 0 until the response starts. */
  get status(): number {
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.#received)?.[1] ?? 0);
  }

  /** The outcomes received so far. */
  get lines(): ImportLineResult[] {
    const completeLines = this.#received.slice(0, this.#received.lastIndexOf("\n") + 1);
    return parseLines((completeLines.match(/^\{"line":.*\n/gm) ?? []).join(""));
  }

  async waitUntil(condition: () => boolean): Promise<void> {
    await until(condition, () => `received ${this.#received.slice(0, 500)}`);
  }
}

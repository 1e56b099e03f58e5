import { isObject, type Json, type JsonObject } from "../../../../src/contract/json.ts";
import { SCIM_PREFIX } from "../../../../src/contract/scim/scim.ts";
import { groupDocument, groupIdText } from "../../../../src/scim/group-document.ts";
import { userDocument } from "../../../../src/scim/user-document.ts";
import type { Callable } from "../../call.ts";
import { until } from "../../until.ts";

/** A record as the API shows it, and as SCIM does. Undefined where there is none. */
interface Faces {
  readonly record: JsonObject | undefined;
  readonly members: readonly number[];
  readonly document: JsonObject | undefined;
}

/** How the two differ; undefined if they describe the same record. `locate` makes the URL of a path below the prefix. */
function compareFaces(
  kind: "users" | "groups",
  { record, members, document }: Faces,
  locate: (path: string) => string,
): string | undefined {
  const expected =
    record && (kind === "users" ? userDocument(record, locate) : withMembers(record, members, locate));
  return Bun.deepEquals(expected, document)
    ? undefined
    : `the API and SCIM differ: ${JSON.stringify(record)} and ${JSON.stringify(document)}`;
}

function withMembers(
  group: JsonObject,
  ids: readonly number[],
  locate: (path: string) => string,
): JsonObject {
  const members = ids.map((id): Json => ({ value: String(id), $ref: locate(`/Users/${id}`), type: "User" }));
  return { ...groupDocument(group, locate), members };
}

/**
 * Reads all users and groups through the API and through SCIM, as lists, and some one by one. Throws if they differ. Returns the
 * records of the API, by names such as `user:42`.
 */
export async function checkFaces(
  service: Service,
  headers: Record<string, string>,
): Promise<ReadonlyMap<string, JsonObject>> {
  const reader = new FaceReader(service, headers);
  const records = new Map<string, JsonObject>();
  for (const kind of ["users", "groups"] as const) {
    const listed = await reader.readRecords(kind);
    const documents = await reader.readDocuments(kind);
    for (const id of new Set([...listed.keys(), ...documents.keys()])) {
      const record = listed.get(id);
      const members = kind === "groups" ? await reader.readMembers(id) : [];
      const faces = { record, members, document: documents.get(id) };
      const isSample = record === undefined || id <= MOST_SINGLE || id % MOST_SINGLE === 0;
      // A client that did not wait for its response can still change the record: then both are read again.
      if (isSample || compareFaces(kind, faces, reader.locate) !== undefined)
        await reader.expectSame(kind, id);
    }
    for (const [id, record] of await reader.readRecords(kind))
      records.set(`${kind.slice(0, -1)}:${id}`, record);
  }
  return records;
}

/** A service at a URL. */
interface Service extends Callable {
  readonly url: string;
}

/** So many records are read one by one. */
const MOST_SINGLE = 50;

class FaceReader {
  readonly #service: Service;
  readonly #headers: Record<string, string>;

  constructor(service: Service, headers: Record<string, string>) {
    this.#service = service;
    this.#headers = headers;
  }

  readonly locate = (path: string): string => this.#service.url + SCIM_PREFIX + path;

  async readRecords(kind: string): Promise<ReadonlyMap<number, JsonObject>> {
    const records = new Map<number, JsonObject>();
    for (let after: string | undefined = ""; after !== undefined; ) {
      const path: string = `/api/${kind}?limit=1000${after}`;
      const response = await this.#get(path);
      const page = await response.json();
      if (response.status !== 200 || !Array.isArray(page))
        throw new Error(`GET ${path}: ${JSON.stringify(page)}`);
      for (const record of page) records.set(record.id, record);
      const next: string | undefined = /[?&](after=[^&>]+)[^>]*>; rel="next"/.exec(
        response.headers.get("link") ?? "",
      )?.[1];
      after = next && `&${next}`;
    }
    return records;
  }

  async readDocuments(kind: "users" | "groups"): Promise<ReadonlyMap<number, JsonObject>> {
    const documents = new Map<number, JsonObject>();
    const endpoint = kind === "users" ? "/Users" : "/Groups";
    for (let cursor: Json | undefined = ""; typeof cursor === "string"; ) {
      const path: string = `${SCIM_PREFIX}${endpoint}?count=1000&cursor=${encodeURIComponent(cursor)}`;
      const page = await this.#readObject(path);
      if (!page || !Array.isArray(page.Resources)) throw new Error(`GET ${path}: ${JSON.stringify(page)}`);
      for (const document of page.Resources.filter(isObject))
        documents.set(Number(String(document.id).replace(/^g/, "")), document);
      cursor = page.nextCursor;
    }
    return documents;
  }

  async readMembers(id: number): Promise<number[]> {
    return [...(await this.readRecords(`groups/${id}/members`)).keys()];
  }

  /** Waits until nobody changes the record any more, and fails if its faces differ then. */
  async expectSame(kind: "users" | "groups", id: number): Promise<void> {
    const path = kind === "users" ? `/Users/${id}` : `/Groups/${groupIdText(id)}`;
    let before: Faces | undefined;
    const stable = await until(async () => {
      const record = await this.#readObject(`/api/${kind}/${id}`);
      const faces: Faces = {
        record,
        members: record && kind === "groups" ? await this.readMembers(id) : [],
        document: await this.#readObject(SCIM_PREFIX + path),
      };
      const isStable = Bun.deepEquals(faces, before);
      before = faces;
      return isStable || compareFaces(kind, faces, this.locate) === undefined ? faces : undefined;
    });
    const difference = compareFaces(kind, stable, this.locate);
    if (difference !== undefined) throw new Error(difference);
  }

  /** Undefined if there is nothing at the path. */
  async #readObject(path: string): Promise<JsonObject | undefined> {
    const response = await this.#get(path);
    const document: unknown = await response.json();
    if (response.status === 404) return undefined;
    if (response.status !== 200 || !isObject(document))
      throw new Error(`GET ${path}: ${JSON.stringify(document)}`);
    return document;
  }

  #get(path: string): Promise<Response> {
    return this.#service.call(path, { headers: this.#headers });
  }
}

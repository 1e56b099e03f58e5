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

type Kind = "users" | "groups";

/** How the two differ, unless they describe the same record. `locate` makes the URL of a path below the prefix. */
function compareFaces(
  kind: Kind,
  { record, members, document }: Faces,
  locate: (path: string) => string,
): string[] {
  const expected =
    record && (kind === "users" ? userDocument(record, locate) : withMembers(record, members, locate));
  return Bun.deepEquals(expected, document)
    ? []
    : [`the API and SCIM differ: ${JSON.stringify(record)} and ${JSON.stringify(document)}`];
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
    await expectSame(() => reader.compareLists(kind));
    const listed = await reader.readRecords(kind);
    const sample = [...listed.keys()].filter((id) => id <= MOST_SINGLE || id % MOST_SINGLE === 0);
    for (const id of sample) await expectSame(() => reader.compareSingle(kind, id));
    for (const [id, record] of listed) records.set(`${kind.slice(0, -1)}:${id}`, record);
  }
  return records;
}

/**
 * Fails if there are differences. A client that did not wait for its response can change a record between two reads: differences count
 * if they are there again.
 */
async function expectSame(findDifferences: () => Promise<readonly string[]>): Promise<void> {
  let before: readonly string[] = [];
  const found = await until(async () => {
    const differences = await findDifferences();
    const isStable = differences.length === 0 || Bun.deepEquals(differences, before);
    before = differences;
    return isStable ? differences : undefined;
  });
  if (found.length > 0) throw new Error(found.slice(0, MAX_SHOWN).join("\n"));
}

const MAX_SHOWN = 3;

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

  async readDocuments(kind: Kind): Promise<ReadonlyMap<number, JsonObject>> {
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

  /** How the lists of both faces differ. */
  async compareLists(kind: Kind): Promise<string[]> {
    const records = await this.readRecords(kind);
    const documents = await this.readDocuments(kind);
    const differences: string[] = [];
    for (const id of new Set([...records.keys(), ...documents.keys()])) {
      const record = records.get(id);
      const members = await this.#readMembers(kind, record);
      differences.push(...this.#compare(kind, { record, members, document: documents.get(id) }));
    }
    return differences;
  }

  /** How a user or a group differs, read alone. */
  async compareSingle(kind: Kind, id: number): Promise<string[]> {
    const path = kind === "users" ? `/Users/${id}` : `/Groups/${groupIdText(id)}`;
    const record = await this.#readObject(`/api/${kind}/${id}`);
    const members = await this.#readMembers(kind, record);
    return this.#compare(kind, { record, members, document: await this.#readObject(SCIM_PREFIX + path) });
  }

  #compare(kind: Kind, faces: Faces): string[] {
    return compareFaces(kind, faces, (path) => this.#service.url + SCIM_PREFIX + path);
  }

  async #readMembers(kind: Kind, record: JsonObject | undefined): Promise<number[]> {
    const isGroup = kind === "groups" && record !== undefined;
    return isGroup ? [...(await this.readRecords(`groups/${record.id}/members`)).keys()] : [];
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

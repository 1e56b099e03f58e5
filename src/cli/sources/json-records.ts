import { ConfigError } from "../../config/config.ts";
import { JsonStructure } from "../../contract/json-structure.ts";
import { isObject } from "./conversions.ts";
import type { SourceRecord } from "./source.ts";

/** A larger object is not a user. */
const MAX_RECORD_BYTES = 1_048_576;
/** A group has the groups inside of it. */
const MAX_GROUP_BYTES = 64 * MAX_RECORD_BYTES;
const MAX_KEY_CHARACTERS = 200;

const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
/** White space, and commas between elements. */
const BETWEEN_RECORDS = new Set([0x20, 0x09, 0x0a, 0x0d, COMMA]);

/**
 * Yields the users of a JSON export, in batches. Holds one user in memory at a time. Users are the elements of arrays at the top,
 * objects at the top, and the elements of the array `collection` of such an object. Several documents may follow each other, as
 * when pages are concatenated. An object in the array `groups` beside the users is yielded as an object that has only this group.
 * Throws a `ConfigError` if the text is not JSON.
 */
export async function* readJsonRecords(
  source: AsyncIterable<Uint8Array>,
  collection: string,
  groups?: string,
): AsyncGenerator<SourceRecord[], void> {
  const scanner = new JsonScanner(collection, groups);
  for await (const bytes of source) {
    const records = scanner.add(bytes);
    if (records.length > 0) yield records;
  }
  scanner.end();
}

class JsonScanner {
  readonly #collection: string;
  /** The name as bytes, like `#key`. */
  readonly #collectionKey: string;
  /** The name of the array of groups. */
  readonly #groups: string | undefined;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #offset = 0;
  readonly #json = new JsonStructure();
  /** The depth at which the elements of `collection` are; undefined outside the array. */
  #elementDepth: number | undefined;
  /** Whether these elements are groups. */
  #areGroups = false;
  /** Whether an array of groups has begun: users may have an array of this name, of texts. */
  #mayBeGroups = false;
  /** The depth of the object that has the collection; undefined outside such an object. */
  #envelopeDepth: number | undefined;
  /** The depth of the object that is being read; undefined between objects. */
  #recordDepth: number | undefined;
  /** Whether the object may be one that has the collection: it is not an element of a collection. */
  #mayBeEnvelope = false;
  /** The text of the object in earlier chunks. */
  #parts: Uint8Array[] = [];
  #partBytes = 0;
  #expectsKey = false;
  #key = "";

  constructor(collection: string, groups: string | undefined) {
    this.#collection = collection;
    this.#collectionKey = Buffer.from(collection).toString("latin1");
    this.#groups = groups;
  }

  /** The objects that end in these bytes. */
  add(bytes: Uint8Array): SourceRecord[] {
    const records: SourceRecord[] = [];
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (this.#json.inString) {
        this.#readString(byte);
        continue;
      }
      if (this.#recordDepth === undefined && this.#envelopeDepth === undefined) {
        if (byte === OPEN_OBJECT) {
          start = at;
          this.#startRecord(true);
        } else if (byte === OPEN_ARRAY || (byte === CLOSE_ARRAY && this.#json.depth > 0))
          this.#json.read(byte);
        else if (!BETWEEN_RECORDS.has(byte)) throw notJson(this.#offset + at);
        continue;
      }
      if (this.#mayBeGroups && (byte === COMMA || !BETWEEN_RECORDS.has(byte))) {
        this.#mayBeGroups = false;
        if (byte === OPEN_OBJECT) this.#openCollection(true);
      }
      if (this.#json.depth === this.#elementDepth && byte === OPEN_OBJECT) {
        start = at;
        this.#startRecord(false);
        continue;
      }
      this.#readStructure(byte);
      if (this.#recordDepth !== undefined && this.#json.depth === this.#recordDepth) {
        records.push(this.#takeRecord(bytes.subarray(start, at + 1)));
      }
    }
    if (this.#recordDepth !== undefined) this.#keep(bytes.subarray(start));
    this.#offset += bytes.length;
    return records;
  }

  end(): void {
    if (this.#json.depth > 0 || this.#json.inString) {
      throw new ConfigError("The JSON ends in the middle: the file is incomplete.");
    }
  }

  #startRecord(mayBeEnvelope: boolean): void {
    this.#recordDepth = this.#json.depth;
    this.#json.read(OPEN_OBJECT);
    this.#mayBeEnvelope = mayBeEnvelope;
    this.#expectsKey = mayBeEnvelope;
    this.#key = "";
  }

  #readString(byte: number): void {
    this.#json.read(byte);
    const isInKey = this.#json.inString && this.#expectsKey && this.#isInEnvelope;
    if (isInKey && this.#key.length < MAX_KEY_CHARACTERS) this.#key += String.fromCharCode(byte);
  }

  get #isInEnvelope(): boolean {
    const top = this.#mayBeEnvelope ? this.#recordDepth : this.#envelopeDepth;
    return top !== undefined && this.#json.depth === top + 1;
  }

  #readStructure(byte: number): void {
    if (byte === COLON) this.#expectsKey = false;
    else if (byte === COMMA) this.#nextKey();
    const opens = byte === OPEN_ARRAY && this.#isInEnvelope;
    const { depth } = this.#json;
    this.#json.read(byte);
    if (opens && this.#key === this.#collectionKey) this.#openCollection(false);
    else if (opens) this.#mayBeGroups = this.#key === this.#groups;
    if (this.#json.depth >= depth) return;
    if (depth === this.#elementDepth) this.#elementDepth = undefined;
    if (this.#json.depth === this.#envelopeDepth) this.#envelopeDepth = undefined;
  }

  #nextKey(): void {
    if (!this.#isInEnvelope) return;
    this.#expectsKey = true;
    this.#key = "";
  }

  /** The object is not a user: it has users or groups. */
  #openCollection(areGroups: boolean): void {
    this.#envelopeDepth ??= this.#recordDepth;
    this.#elementDepth = this.#json.depth;
    this.#areGroups = areGroups;
    this.#recordDepth = undefined;
    this.#mayBeEnvelope = false;
    this.#parts = [];
    this.#partBytes = 0;
  }

  /** Beyond the limit, only counts: an object that has users can be large before its users begin. */
  #keep(bytes: Uint8Array): void {
    this.#partBytes += bytes.length;
    if (this.#partBytes <= this.#maxBytes) this.#parts.push(bytes.slice());
    else this.#parts = [];
  }

  get #isGroup(): boolean {
    return this.#areGroups && this.#recordDepth === this.#elementDepth;
  }

  /** Whether the object is a group for all that is known: users and groups can be in arrays of one name. */
  get #canBeGroup(): boolean {
    return this.#isGroup || this.#collection === this.#groups;
  }

  get #maxBytes(): number {
    return this.#canBeGroup ? MAX_GROUP_BYTES : MAX_RECORD_BYTES;
  }

  #takeRecord(last: Uint8Array): SourceRecord {
    const isGroup = this.#isGroup;
    const canBeGroup = this.#canBeGroup;
    const maxBytes = this.#maxBytes;
    const size = this.#partBytes + last.length;
    const bytes = this.#parts.length > 0 ? Buffer.concat([...this.#parts, last]) : last;
    this.#parts = [];
    this.#partBytes = 0;
    this.#recordDepth = undefined;
    this.#mayBeEnvelope = false;
    if (size > maxBytes && canBeGroup) throw new ConfigError("The file has a group of more than 64 MiB.");
    if (size > maxBytes) {
      throw new ConfigError(
        `The file has an object of more than 1 MiB that is not a user${this.#collection ? `, and has no array "${this.#collection}"` : ""}. Name the array of the users with --collection.`,
      );
    }
    const record = this.#parse(bytes);
    return isGroup ? { [this.#groups ?? ""]: [record] } : record;
  }

  #parse(bytes: Uint8Array): SourceRecord {
    try {
      const text = this.#decoder.decode(bytes);
      const record: unknown = /\d{16}/.test(text) ? JSON.parse(text, keepLargeNumber) : JSON.parse(text);
      if (isObject(record)) return record;
    } catch {
      // Reported below.
    }
    throw new ConfigError(
      `This is not valid JSON in UTF-8: ${new TextDecoder().decode(bytes.subarray(0, 60))}…`,
    );
  }
}

/** A number that a double cannot hold becomes text. */
function keepLargeNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const isLarge =
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "");
  return isLarge ? context?.source : value;
}

function notJson(offset: number): ConfigError {
  return new ConfigError(`The file is not JSON: byte ${offset + 1} is outside of any object.`);
}

import { isUtf8 } from "node:buffer";
import { ConfigError } from "../../config/config.ts";
import type { SourceRecord } from "./source.ts";
import { PARTIAL, TOO_LARGE } from "./source.ts";

/** Characters of a line that are kept: a photo in Base64 can have megabytes. */
const MAX_LINE_CHARACTERS = 90_000;
/** Entries that are yielded at once. */
const BATCH_ENTRIES = 100;
const MAX_NAMES = 10_000;
/** Lines between entries: the version of LDIF, and what ldapsearch says about its search without -LLL. */
const NOT_ENTRIES = new Set(["version", "search", "result", "ref"]);

/** The part of an entry that was not read, and why. `entry` is the rest of it. */
export type ReportLeftOut = (attribute: string, reason: string, entry: SourceRecord) => void;

/**
 * Yields the entries of an LDIF file (RFC 2849), in batches. Each attribute has a list of texts; values in Base64 that are not
 * UTF-8 are bytes. Attributes have the spelling of `knownNames`, else that of their first occurrence: LDAP ignores case. Throws a
 * `ConfigError` if the file is not LDIF, or contains changes instead of entries.
 */
export async function* readLdifRecords(
  source: AsyncIterable<Uint8Array>,
  knownNames: readonly string[],
  reportLeftOut: ReportLeftOut,
): AsyncGenerator<SourceRecord[], void> {
  const reader = new LdifReader(knownNames, reportLeftOut);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  for await (const bytes of source) {
    const lines = (rest + decode(decoder, bytes)).split("\n");
    rest = lines.pop() ?? "";
    // One character more than the limit shows that the line is too long.
    if (rest.length > MAX_LINE_CHARACTERS) rest = rest.slice(0, MAX_LINE_CHARACTERS + 1);
    for (const line of lines) reader.add(line);
    if (reader.entries.length >= BATCH_ENTRIES) yield reader.entries.splice(0);
  }
  reader.add(rest);
  reader.add("");
  if (reader.entries.length > 0) yield reader.entries.splice(0);
}

function decode(decoder: TextDecoder, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes, { stream: true });
  } catch {
    throw new ConfigError("The file is not encoded in UTF-8. LDIF writes other values in Base64.");
  }
}

class LdifReader {
  readonly entries: SourceRecord[] = [];
  readonly #names: Map<string, string>;
  readonly #reportLeftOut: ReportLeftOut;
  #entry: Record<string, unknown[]> | undefined;
  /** The attributes of the entry that were not read, with the reasons. */
  readonly #unread = new Map<string, string>();
  /** The line with the lines that continue it. */
  #line = "";
  #number = 0;

  constructor(knownNames: readonly string[], reportLeftOut: ReportLeftOut) {
    this.#names = new Map(knownNames.map((name) => [name.toLowerCase(), name]));
    this.#reportLeftOut = reportLeftOut;
  }

  add(text: string): void {
    this.#number++;
    const line = text.endsWith("\r") ? text.slice(0, -1) : text;
    if (line.startsWith(" ")) {
      if (this.#line.length <= MAX_LINE_CHARACTERS) this.#line += line.slice(1);
      return;
    }
    this.#endLine();
    this.#line = line;
    if (line === "") this.#endEntry();
  }

  #endLine(): void {
    const line = this.#line;
    this.#line = "";
    if (line === "" || line.startsWith("#")) return;
    const [, attribute = "", kind = "", value = ""] =
      /^([A-Za-z0-9][\w.;=*-]*):([:<]?) *(.*)$/s.exec(line) ?? [];
    if (attribute === "") throw notLdif(this.#number - 1, line);
    const name = attribute.toLowerCase();
    if (!this.#entry) {
      if (NOT_ENTRIES.has(name)) return;
      if (name !== "dn") throw notLdif(this.#number - 1, line);
      this.#entry = {};
    }
    if (name === "changetype" && value.trim() !== "add") {
      throw new ConfigError(
        `Line ${this.#number - 1} is a change (changetype: ${value.trim()}), not an entry. Export entries, as ldapsearch and slapcat do.`,
      );
    }
    // Active Directory sends some of many values: member;range=0-1499, and member;range=1500-* for the last ones.
    const [, whole = attribute, end] = /^(.*);range=\d+-(\d+|\*)$/i.exec(attribute) ?? [];
    const spelled = this.#spell(whole);
    if (end !== undefined && end !== "*") this.#unread.set(spelled, PARTIAL);
    this.#addValue(spelled, kind, value, line.length > MAX_LINE_CHARACTERS);
  }

  #addValue(name: string, kind: string, value: string, isTooLarge: boolean): void {
    if (isTooLarge) this.#unread.set(name, TOO_LARGE);
    else if (kind === "<") this.#unread.set(name, "The value is in another file or at a URL.");
    else {
      const entry = this.#entry ?? {};
      const values = entry[name] ?? [];
      values.push(kind === ":" ? decodeBase64(value) : value);
      entry[name] = values;
    }
  }

  /** The attribute without options such as ;binary, but with ;lang-… */
  #spell(attribute: string): string {
    const plain = attribute.replace(/;binary$/i, "");
    const lower = plain.toLowerCase();
    const known = this.#names.get(lower);
    if (known !== undefined) return known;
    if (this.#names.size < MAX_NAMES) this.#names.set(lower, plain);
    return plain;
  }

  #endEntry(): void {
    if (!this.#entry) return;
    for (const [name, reason] of this.#unread) this.#reportLeftOut(name, reason, this.#entry);
    this.#unread.clear();
    this.entries.push(this.#entry);
    this.#entry = undefined;
  }
}

/** Text, or bytes if they are not text. */
function decodeBase64(value: string): string | Uint8Array {
  const bytes = Buffer.from(value, "base64");
  return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString("utf8") : bytes;
}

function notLdif(line: number, text: string): ConfigError {
  return new ConfigError(
    `Line ${line} is not LDIF: ${text.slice(0, 60)}. An entry begins with dn: and ends with an empty line.`,
  );
}

import { isObject, type Json, type JsonObject } from "../contract/json.ts";
import { looksLikeUrn, resolvePath } from "./attribute-path.ts";
import type { ResourceKind } from "./attributes.ts";
import { ScimError } from "./scim-error.ts";

/** What a caller wants to see of documents: `attributes`, `excludedAttributes` (RFC 7644, section 3.9). */
export interface DocumentView {
  /** Whether the caller sees documents as they are. */
  readonly isWhole: boolean;
  /** The part of a document that the caller sees. */
  project(document: JsonObject): JsonObject;
  /** Whether the caller sees an attribute that others add to documents, or this sub-attribute of its entries. */
  shows(name: "groups" | "members", sub?: string): boolean;
}

/** The limits of each of the two parameters. */
const MAX_CHARACTERS = 16_384;
const MAX_NAMES = 500;

/** They come whatever a caller asks for. */
const alwaysShown: ReadonlySet<string> = new Set(["id", "schemas"]);

/** A view of documents of this kind. `attributes` wins. A name that no document has names nothing. */
export function createDocumentView(
  kind: ResourceKind,
  attributes: string | undefined,
  excluded: string | undefined,
): DocumentView {
  const shown = parseNames("attributes", attributes);
  if (shown.length > 0) return new ChosenView(kind, shown);
  const hidden = parseNames("excludedAttributes", excluded);
  return hidden.length > 0 ? new ReducedView(kind, hidden) : wholeView;
}

/** Groups of users are shown on request only. */
const wholeView: DocumentView = {
  isWhole: true,
  project: (document) => document,
  shows: (name) => name !== "groups",
};

/** Shows what is named. */
class ChosenView implements DocumentView {
  readonly isWhole = false;
  readonly #named: NamedParts;

  constructor(kind: ResourceKind, names: readonly string[]) {
    this.#named = new NamedParts(kind, names);
  }

  project(document: JsonObject): JsonObject {
    return keep(document, (name) => (alwaysShown.has(name) ? "whole" : this.#named.find(name)));
  }

  shows(name: string, sub?: string): boolean {
    const part = this.#named.findByName(name);
    if (part === undefined || sub === undefined) return part !== undefined;
    return part === "whole" || part(sub) !== undefined;
  }
}

/** Shows everything but what is named. */
class ReducedView implements DocumentView {
  readonly isWhole = false;
  readonly #named: NamedParts;

  constructor(kind: ResourceKind, names: readonly string[]) {
    this.#named = new NamedParts(kind, names);
  }

  project(document: JsonObject): JsonObject {
    return leaveOut(document, (name) => (alwaysShown.has(name) ? undefined : this.#named.find(name)));
  }

  shows(name: string, sub?: string): boolean {
    const part = this.#named.find(name);
    if (name === "groups" || part === "whole") return false;
    return part === undefined || sub === undefined || part(sub) === undefined;
  }
}

/** What is named of an object or a value: the whole, or the part of each member that `FindPart` returns; undefined for nothing. */
type Part = "whole" | FindPart | undefined;
type FindPart = (name: string) => Part;

/** Names and the names inside of them. */
type Names = Map<string, Names | "whole">;

/** What the names of a parameter mean, in any case. */
class NamedParts {
  readonly #kind: ResourceKind;
  readonly #attributes: Names = new Map();
  /** Extensions and names in extensions. Only a document tells where the URN of an unknown extension ends. */
  readonly #urns: string[] = [];
  readonly #extensions = new Map<string, Part>();
  #hasWholeCore = false;

  constructor(kind: ResourceKind, names: readonly string[]) {
    this.#kind = kind;
    for (const name of names) {
      const inCore = afterUrn(name, kind.core.id);
      if (inCore === "") this.#hasWholeCore = true;
      else if (inCore === undefined && looksLikeUrn(name)) this.#urns.push(name);
      else this.#addPath((inCore ?? name).split("."));
    }
  }

  find(name: string): Part {
    if (!looksLikeUrn(name)) return this.#hasWholeCore ? "whole" : this.findByName(name);
    if (!this.#extensions.has(name)) this.#extensions.set(name, this.#findExtension(name));
    return this.#extensions.get(name);
  }

  /** Attributes of extensions need no URN. */
  #addPath(names: readonly string[]): void {
    const { urn } = resolvePath(this.#kind, undefined, names);
    if (urn === undefined) addPath(this.#attributes, names.map(foldName));
    else this.#urns.push(`${urn}:${names.join(".")}`);
  }

  /** Like `find`, without what the URN of the core schema alone names. */
  findByName(name: string): Part {
    return toPart(this.#attributes.get(name.toLowerCase()), foldName);
  }

  #findExtension(urn: string): Part {
    // Custom fields may differ in their case only.
    const fold = urn === this.#kind.customUrn ? exactName : foldName;
    const names: Names = new Map();
    for (const text of this.#urns) {
      const rest = afterUrn(text, urn);
      if (rest === "") return "whole";
      if (rest !== undefined) addPath(names, fold(rest).split("."));
    }
    return names.size > 0 ? toPart(names, fold) : undefined;
  }
}

const foldName = (name: string) => name.toLowerCase();
const exactName = (name: string) => name;

function toPart(names: Names | "whole" | undefined, fold: (name: string) => string): Part {
  return names === undefined || names === "whole" ? names : (name) => toPart(names.get(fold(name)), fold);
}

function addPath(names: Names, [name = "", ...rest]: readonly string[]): void {
  const known = names.get(name);
  if (rest.length === 0) names.set(name, "whole");
  if (rest.length === 0 || known === "whole") return;
  const inside: Names = known ?? new Map();
  names.set(name, inside);
  addPath(inside, rest);
}

/** What follows a URN and its colon, in a text that begins with the URN. */
function afterUrn(text: string, urn: string): string | undefined {
  if (foldName(text.slice(0, urn.length)) !== foldName(urn)) return undefined;
  if (text.length === urn.length) return "";
  return text[urn.length] === ":" ? text.slice(urn.length + 1) : undefined;
}

/** The named members. Objects and arrays that nothing is left of are left out. */
function keep(members: JsonObject, find: FindPart): JsonObject {
  return mapMembers(members, find, (value, part) => {
    if (part === "whole") return value;
    return part && mapEntries(value, (entry) => (isObject(entry) ? keep(entry, part) : undefined));
  });
}

/** The members that are not named. */
function leaveOut(members: JsonObject, find: FindPart): JsonObject {
  return mapMembers(members, find, (value, part) => {
    if (part === undefined) return value;
    return part === "whole"
      ? undefined
      : mapEntries(value, (entry) => (isObject(entry) ? leaveOut(entry, part) : entry));
  });
}

function mapMembers(
  members: JsonObject,
  find: FindPart,
  map: (value: Json, part: Part) => Json | undefined,
): JsonObject {
  const mapped: [name: string, value: Json][] = [];
  for (const [name, value] of Object.entries(members)) {
    const shown = map(value, find(name));
    if (shown !== undefined) mapped.push([name, shown]);
  }
  return Object.fromEntries(mapped);
}

/** Maps a value, or each entry of an array. Undefined if nothing is left. */
function mapEntries(value: Json, map: (entry: Json) => Json | undefined): Json | undefined {
  if (!Array.isArray(value)) {
    const mapped = map(value);
    return isObject(mapped) && Object.keys(mapped).length === 0 ? undefined : mapped;
  }
  const entries = value.flatMap((entry) => mapEntries(entry, map) ?? []);
  return entries.length > 0 ? entries : undefined;
}

/** The names that a parameter lists. A bracket counts as its attribute: `emails[type eq "work"].value` names `emails.value`. */
function parseNames(parameter: string, text = ""): string[] {
  if (text.length > MAX_CHARACTERS) {
    throw new ScimError("invalidValue", `${parameter}: Enter at most ${MAX_CHARACTERS} characters.`);
  }
  const names = withoutBrackets(text)
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (names.length > MAX_NAMES) {
    throw new ScimError("invalidValue", `${parameter}: Enter at most ${MAX_NAMES} names.`);
  }
  return names;
}

/** A bracket that is not closed ends with the text. A bracket in a quoted text is none. */
function withoutBrackets(text: string): string {
  if (!text.includes("[")) return text;
  let outside = "";
  let depth = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (isQuoted) {
      if (character === "\\") index++;
      else if (character === '"') isQuoted = false;
    } else if (depth > 0 && character === '"') isQuoted = true;
    else if (character === "[") depth++;
    else if (character === "]") depth = Math.max(0, depth - 1);
    else if (depth === 0) outside += character;
  }
  return outside;
}

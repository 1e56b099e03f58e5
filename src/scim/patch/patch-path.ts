import { filterLimits } from "../../contract/listing.ts";
import { isReservedName } from "../../contract/users/field-name.ts";
import { isSecretName } from "../attribute-names.ts";
import { type AttributePath, isKnownUrn, isUrn, resolvePath, splitUrn } from "../attribute-path.ts";
import type { ResourceKind } from "../attributes.ts";
import { ScimError } from "../scim-error.ts";
import { shorten } from "../shorten.ts";
import { type EntryCondition, parseCondition } from "./entry-condition.ts";

/** What an operation changes. */
export interface PatchPath extends AttributePath {
  /** The path as it was sent. */
  readonly text: string;
  /** Only the entries that meet this condition. */
  readonly where?: EntryCondition;
}

/** Parses `a`, `a.b`, `a[filter]` or `a[filter].b`, with or without a URN, or a URN alone. Fails with `invalidPath`. */
export function parsePath(kind: ResourceKind, text: string): PatchPath {
  if (text.length > filterLimits.characters) {
    throw new ScimError("invalidPath", `A path has at most ${filterLimits.characters} characters.`);
  }
  const { urn, rest } = splitUrn(kind, text);
  if (rest === "") return parseUrn(kind, text, urn);
  const { names, condition } = splitPath(rest, text);
  const path = resolvePath(kind, urn, names);
  const { attribute } = path;
  if (attribute ? names.length === 2 && !path.sub : !isFreeUrn(kind, path.urn)) {
    throw new ScimError("invalidPath", `${shorten(text)}: there is no such attribute.`);
  }
  if (condition === undefined) return { ...path, text };
  if (attribute && !attribute.multiValued) {
    throw new ScimError(
      "invalidPath",
      `${shorten(text)}: ${attribute.name} is no list, so it has no filter.`,
    );
  }
  return { ...path, text, where: parseCondition(condition, attribute) };
}

/** An extension alone. */
function parseUrn(kind: ResourceKind, text: string, urn: string | undefined): PatchPath {
  if (urn === undefined || isUrn(urn, kind.core.id)) {
    throw new ScimError("invalidPath", `${shorten(text) || "The path"}: name an attribute.`);
  }
  return { ...resolvePath(kind, urn, []), text };
}

/** Whether clients name the attributes of the extension. */
function isFreeUrn(kind: ResourceKind, urn: string | undefined): boolean {
  return urn !== undefined && (isUrn(urn, kind.customUrn) || !isKnownUrn(kind, urn));
}

function splitPath(path: string, text: string): { names: string[]; condition?: string } {
  const match = PATH.exec(path);
  const { name, condition, sub } = match?.groups ?? {};
  const names = [name, sub].filter((part) => part !== undefined);
  if (name === undefined || names.some(isReservedName)) {
    throw new ScimError(
      "invalidPath",
      `${shorten(text)}: a path is like userName, name.givenName or emails[type eq "work"].value.`,
    );
  }
  return { names, ...(condition !== undefined && { condition }) };
}

/** Whether a path names what is never stored. */
export function isSecretPath(kind: ResourceKind, text: string): boolean {
  const { rest } = splitUrn(kind, text);
  const { name = "", sub = "" } = PATH.exec(rest)?.groups ?? {};
  return isSecretName(name) || isSecretName(sub);
}

const PATH = /^(?<name>[A-Za-z$][\w$-]*)(?:\[(?<condition>.*)\])?(?:\.(?<sub>[A-Za-z$][\w$-]*))?$/s;

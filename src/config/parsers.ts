import { BlockList, isIP } from "node:net";
import { keyLimits } from "../contract/keys/key.ts";
import type { RateLimit } from "../contract/keys/key-schemas.ts";
import { isSecret } from "../contract/keys/key-secret.ts";

export function parseHost(text: string): string {
  if (!/^[\w.:%[\]-]+$/.test(text)) throw new RangeError(text);
  return text;
}

/** Host names in lower case. */
export function parseHosts(text: string): string[] {
  return splitList(text).map((name) => {
    if (!/^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(name)) throw new RangeError(name);
    return name.toLowerCase();
  });
}

export function parseApiKey(text: string): string | undefined {
  if (text === "") return undefined;
  if (!isSecret(text)) throw new RangeError("not a key");
  return text;
}

/** Parses `requests/seconds`. `0` means no limit: undefined. */
export function parseRate(text: string): RateLimit | undefined {
  if (text === "0") return undefined;
  const [, requests, seconds] = /^(\d{1,9})\/(\d{1,9})$/.exec(text)?.map(Number) ?? [];
  const fits = (value: number | undefined, maximum: number) =>
    value !== undefined && value >= 1 && value <= maximum;
  if (!requests || !seconds || !fits(requests, keyLimits.requests) || !fits(seconds, keyLimits.seconds)) {
    throw new RangeError(text);
  }
  return { requests, seconds };
}

export function parseOrigins(text: string): string[] {
  return splitList(text).map((origin) => {
    if (!/^https?:/.test(origin) || new URL(origin).origin !== origin) throw new RangeError(origin);
    return origin;
  });
}

/** A URL without a slash at the end, to put in front of paths. Empty if the text is. */
export function parsePublicUrl(text: string): string {
  if (text === "") return "";
  const { protocol, origin, pathname, href } = new URL(text);
  const path = pathname.replace(/\/+$/, "");
  const isBare = href === `${origin}${pathname}` && !/[?#]/.test(text);
  if (!/^https?:$/.test(protocol) || !isBare) throw new RangeError(text);
  return origin + path;
}

/** The URL of a collector. Empty if the text is. */
export function parseCollectorUrl(text: string): string {
  if (text !== "" && !/^https?:$/.test(new URL(text).protocol)) throw new RangeError(text);
  return text;
}

/** Parses `name=value,name=value` with percent-encoded values. */
export function parseNameValues(text: string): Record<string, string> {
  const pairs = splitList(text).map((pair) => {
    const [, name, value = ""] = /^([\w!#$%&'*+.^`|~/-]+)\s*=\s*(.*)$/.exec(pair) ?? [];
    const decoded = decodeURIComponent(value);
    if (name === undefined || /[\r\n\0]/.test(decoded))
      throw new RangeError("not a list of names and values");
    return [name, decoded];
  });
  return Object.fromEntries(pairs);
}

export function parseServiceName(text: string): string {
  if (text.length > 255) throw new RangeError(text);
  return text;
}

export function parseRatio(text: string): number {
  const value = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= 0 && value <= 1)) throw new RangeError(text);
  return value;
}

interface Networks {
  readonly list: BlockList;
  readonly any: boolean;
}

export function parseNetworks(text: string): Networks {
  const list = new BlockList();
  const networks = splitList(text);
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const version = isIP(address);
    const longest = version === 6 ? 128 : 32;
    const length = bits === undefined ? longest : Number(bits);
    if (version === 0 || !/^\d{1,3}$/.test(bits ?? "0") || length > longest) throw new RangeError(network);
    list.addSubnet(address, length, version === 6 ? "ipv6" : "ipv4");
  }
  return { list, any: networks.length > 0 };
}

function splitList(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

import { lookup } from "node:dns/promises";
import { isPublicAddress, literalAddress } from "../domain/ip-address.ts";
import { andThen, type MaybePromise } from "../domain/maybe-promise.ts";

/** Why a delivery failed, in words that its owner may read. */
export class SendError extends Error {
  override readonly name = "SendError";
}

/** Where a delivery connects to. */
export interface Target {
  readonly tls: boolean;
  /** The addresses that have been checked, in the order of preference. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** The name in the URL, for TLS; undefined if the URL has an address. */
  readonly serverName: string | undefined;
}

/** Finds the addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Asks the operating system. */
export const resolveHost: Resolve = async (host) => {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
};

/**
 * Finds and checks every address of a URL: at once if the URL has an address, later if it has a name. Fails with a `SendError` if
 * an address is not allowed.
 */
export function findTarget(url: URL, allowPrivate: boolean, resolve: Resolve): MaybePromise<Target> {
  if (url.username !== "" || url.password !== "") {
    throw new SendError("The URL must not contain a user name or a password.");
  }
  const literal = literalAddress(url);
  const found = literal === undefined ? resolveName(url.hostname, resolve) : [literal];
  return andThen(found, (addresses) => checkTarget(url, addresses, allowPrivate, literal === undefined));
}

function checkTarget(
  url: URL,
  addresses: readonly string[],
  allowPrivate: boolean,
  isNamed: boolean,
): Target {
  const tls = url.protocol === "https:";
  if (!allowPrivate && !addresses.every(isPublicAddress)) {
    throw new SendError("The host has a private, local or reserved address.");
  }
  if (!tls && (!allowPrivate || addresses.some(isPublicAddress))) {
    throw new SendError("The URL must use https.");
  }
  return {
    tls,
    addresses,
    port: Number(url.port) || (tls ? 443 : 80),
    serverName: isNamed ? url.hostname : undefined,
  };
}

async function resolveName(host: string, resolve: Resolve): Promise<readonly string[]> {
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0) throw new SendError("The host name cannot be resolved.");
  return addresses;
}

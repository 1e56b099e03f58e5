import { lookup } from "node:dns/promises";
import { isPublicAddress, literalAddress } from "../domain/ip-address.ts";
import { SendError } from "./send-error.ts";

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

/** Finds and checks every address of a URL. Throws a `SendError` if one of them is not allowed. */
export async function findTarget(url: URL, allowPrivate: boolean, resolve: Resolve): Promise<Target> {
  if (url.username !== "" || url.password !== "") {
    throw new SendError("The URL must not contain a user name or a password.");
  }
  const tls = url.protocol === "https:";
  const literal = literalAddress(url);
  const addresses = literal === undefined ? await resolveName(url.hostname, resolve) : [literal];
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
    serverName: literal === undefined ? url.hostname : undefined,
  };
}

async function resolveName(host: string, resolve: Resolve): Promise<readonly string[]> {
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0) throw new SendError("The host name cannot be resolved.");
  return addresses;
}

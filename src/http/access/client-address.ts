import { type BlockList, isIP } from "node:net";
import { isIpv4Mapped, lastIpv4, parseIpv6 } from "../../domain/ip-address.ts";

/** Most addresses that have limits of their own. */
export const MAX_ADDRESSES = 10_000;

/** Finds the client's address: the peer of the connection, or the client that a trusted proxy names. */
export class ClientAddress {
  readonly #trusted: BlockList;
  readonly #peerAddress: (request: Request) => string | undefined;

  constructor(trusted: BlockList, peerAddress: (request: Request) => string | undefined) {
    this.#trusted = trusted;
    this.#peerAddress = peerAddress;
  }

  /** The last address in the chain that is not a trusted proxy. The caller could have invented the addresses before it. */
  findAddress(request: Request): string {
    const peer = this.#peerAddress(request) ?? "";
    if (!this.#isTrusted(peer)) return peer;
    const chain = (request.headers.get("x-forwarded-for") ?? "").split(",").map((hop) => hop.trim());
    let nearest = peer;
    for (const hop of chain.reverse()) {
      if (isIP(hop) === 0) return nearest;
      nearest = hop;
      if (!this.#isTrusted(hop)) return nearest;
    }
    return nearest;
  }

  /** The key for limits per address: an IPv4 address, or the first 64 bits of an IPv6 address. */
  findNetwork(request: Request): string {
    const address = this.findAddress(request);
    return isIP(address) === 6 ? networkPrefix(address) : address;
  }

  /** Whether the client uses https, to the service or to a trusted proxy. */
  isSecure(request: Request): boolean {
    if (request.url.startsWith("https:")) return true;
    return (
      request.headers.get("x-forwarded-proto")?.split(",").at(-1)?.trim() === "https" &&
      this.isFromTrustedProxy(request)
    );
  }

  /** Whether the peer of the connection is a trusted proxy. */
  isFromTrustedProxy(request: Request): boolean {
    return this.#isTrusted(this.#peerAddress(request) ?? "");
  }

  #isTrusted(address: string): boolean {
    const version = isIP(address);
    return version !== 0 && this.#trusted.check(address, version === 6 ? "ipv6" : "ipv4");
  }
}

/** The same text for every notation of an address. An IPv4-mapped address becomes the IPv4 address. */
function networkPrefix(address: string): string {
  const groups = parseIpv6(address);
  if (isIpv4Mapped(groups)) return lastIpv4(groups);
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":");
}

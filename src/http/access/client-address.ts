import { type BlockList, isIP } from "node:net";

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
  const [head = [], tail = []] = (address.split("%", 1)[0] ?? "").split("::").map(parseGroups);
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => 0);
  const groups = [...head, ...zeros, ...tail];
  const isMapped = groups.slice(0, 6).join() === "0,0,0,0,0,65535";
  if (isMapped) return groups.slice(6).map(dotted).join(".");
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":");
}

/** Parses a part of an IPv6 address into 16-bit groups. Its last 32 bits may be in IPv4 notation. */
function parseGroups(part: string): number[] {
  if (part === "") return [];
  return part.split(":").flatMap((group) => {
    if (!group.includes(".")) return Number.parseInt(group, 16);
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

function dotted(group: number): string {
  return `${group >> 8}.${group & 255}`;
}

import { type BlockList, isIP } from "node:net";

/** Who a request comes from: the peer, or whom a proxy that is trusted says it is passing on for. */
export class ClientAddress {
  readonly #trusted: BlockList;
  readonly #peerOf: (request: Request) => string | undefined;

  constructor(trusted: BlockList, peerOf: (request: Request) => string | undefined) {
    this.#trusted = trusted;
    this.#peerOf = peerOf;
  }

  /** The nearest address that is not a proxy of ours. Anything farther away could be invented by the caller. */
  of(request: Request): string {
    const peer = this.#peerOf(request) ?? "";
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

  /** The address as far as one customer of a network is told from another: the first 64 bits of an IPv6 one. */
  networkOf(request: Request): string {
    const address = this.of(request);
    return isIP(address) === 6 ? firstHalf(address) : address;
  }

  /** Whether the caller's own connection is encrypted, as far as a trusted proxy says so. */
  isSecure(request: Request): boolean {
    if (request.url.startsWith("https:")) return true;
    return (
      request.headers.get("x-forwarded-proto")?.split(",").at(-1)?.trim() === "https" &&
      this.#isTrusted(this.#peerOf(request) ?? "")
    );
  }

  #isTrusted(address: string): boolean {
    const version = isIP(address);
    return version !== 0 && this.#trusted.check(address, version === 6 ? "ipv6" : "ipv4");
  }
}

/** The same for every way of writing it. An IPv4 address in IPv6 clothes is one of a network of its own. */
function firstHalf(address: string): string {
  const [head = [], tail = []] = (address.split("%", 1)[0] ?? "").split("::").map(pairsOf);
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => 0);
  const pairs = [...head, ...zeros, ...tail];
  const isMapped = pairs.slice(0, 6).join() === "0,0,0,0,0,65535";
  if (isMapped) return pairs.slice(6).map(dotted).join(".");
  return pairs
    .slice(0, 4)
    .map((pair) => pair.toString(16))
    .join(":");
}

/** A part of an IPv6 address, as numbers of two bytes. The last four bytes may be written as an IPv4 address. */
function pairsOf(part: string): number[] {
  if (part === "") return [];
  return part.split(":").flatMap((group) => {
    if (!group.includes(".")) return Number.parseInt(group, 16);
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

function dotted(pair: number): string {
  return `${pair >> 8}.${pair & 255}`;
}

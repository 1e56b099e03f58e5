import { BlockList, isIP } from "node:net";

/** The eight 16-bit groups of a valid IPv6 address, in any notation. */
export function parseIpv6(address: string): number[] {
  const [head = [], tail = []] = (address.split("%", 1)[0] ?? "").split("::").map(parseGroups);
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => 0);
  return [...head, ...zeros, ...tail];
}

/** The IPv4 address in the last 32 bits. */
export function lastIpv4(groups: readonly number[]): string {
  return groups
    .slice(6)
    .map((group) => `${group >> 8}.${group & 255}`)
    .join(".");
}

export function isIpv4Mapped(groups: readonly number[]): boolean {
  return groups.slice(0, 6).join() === "0,0,0,0,0,65535";
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

/** The networks of the IANA registry of special IPv4 addresses, and multicast. */
const specialIpv4 = networks("ipv4", [
  ["0.0.0.0", 8], // this network; 0.0.0.0 reaches loopback
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade NAT, with the metadata service of Alibaba Cloud
  ["127.0.0.0", 8], // loopback
  ["168.63.129.16", 32], // the host's services on Azure
  ["169.254.0.0", 16], // link-local, with the metadata services of most clouds
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // 6to4 relays
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, and broadcast
]);

/** The special networks inside 2000::/3, which has all public IPv6 addresses. */
const specialIpv6 = networks("ipv6", [
  ["2001::", 23], // protocol assignments, with Teredo
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4, which contains any IPv4 address
  ["3fff::", 20], // documentation
]);

/** Translates IPv4 addresses for networks that only have IPv6. */
const NAT64_PREFIX = "100,65435,0,0,0,0";

/**
 * Whether an IP address belongs to a machine on the public Internet. False for loopback, private, link-local, shared,
 * multicast, reserved and metadata addresses, and for text that is not an IP address.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !specialIpv4.check(address, "ipv4");
    case 6:
      return isPublicIpv6(address);
    default:
      return false;
  }
}

function isPublicIpv6(address: string): boolean {
  const groups = parseIpv6(address);
  if (isIpv4Mapped(groups) || groups.slice(0, 6).join() === NAT64_PREFIX) {
    return isPublicAddress(lastIpv4(groups));
  }
  const isGlobal = ((groups[0] ?? 0) & 0xe000) === 0x2000;
  const text = groups.map((group) => group.toString(16)).join(":");
  return isGlobal && !specialIpv6.check(text, "ipv6");
}

/** The IP address in the host of a URL; undefined if the host is a name. `URL` has parsed decimal, octal and hexadecimal forms. */
export function literalAddress({ hostname }: URL): string | undefined {
  const address = hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(address) === 0 ? undefined : address;
}

function networks(family: "ipv4" | "ipv6", entries: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of entries) list.addSubnet(address, prefix, family);
  return list;
}

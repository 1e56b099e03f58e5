import { describe, expect, test } from "bun:test";
import { isPublicAddress, literalAddress } from "../../src/domain/ip-address.ts";

const special: Record<string, readonly string[]> = {
  loopback: ["127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1"],
  unspecified: ["0.0.0.0", "0.1.2.3", "::"],
  private: ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12:3456::1"],
  "link-local": ["169.254.1.1", "fe80::1", "fe80::1%eth0", "febf::1"],
  "site-local": ["fec0::1"],
  "carrier-grade NAT": ["100.64.0.1", "100.127.255.255"],
  multicast: ["224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"],
  metadata: ["169.254.169.254", "fd00:ec2::254", "100.100.100.200", "192.0.0.192", "168.63.129.16"],
  "IPv4-mapped": ["::ffff:10.0.0.1", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "0:0:0:0:0:ffff:7f00:1"],
  "IPv4-compatible": ["::127.0.0.1", "::8.8.8.8"],
  NAT64: ["64:ff9b::10.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::8.8.8.8"],
  "6to4 and Teredo": ["2002:7f00:1::", "2002:808:808::1", "2001::1"],
  reserved: [
    "240.0.0.1",
    "255.255.255.255",
    "192.0.2.1",
    "198.18.0.1",
    "203.0.113.9",
    "2001:db8::1",
    "3fff::1",
  ],
  "not an address": ["", "localhost", "1.2.3", "2130706433", "0x7f.1", "127.0.0.01"],
};

describe("isPublicAddress", () => {
  test.each(Object.entries(special))("rejects %s", (_, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });

  test("accepts public addresses, also mapped and translated ones", () => {
    const addresses = [
      "8.8.8.8",
      "1.1.1.1",
      "172.32.0.1",
      "100.128.0.1",
      "2606:4700::1111",
      "2a00:1450:4001::200e",
      "::ffff:8.8.8.8",
      "64:ff9b::8.8.8.8",
    ];
    expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([]);
  });
});

describe("literalAddress", () => {
  test.each([
    ["http://2130706433/", "127.0.0.1"],
    ["http://0177.0.0.1/", "127.0.0.1"],
    ["http://0x7f.1/", "127.0.0.1"],
    ["http://127.1/", "127.0.0.1"],
    ["http://0xa9fea9fe/", "169.254.169.254"],
    ["http://127.0.0.1./", "127.0.0.1"],
    ["http://１２７.0.0.1/", "127.0.0.1"],
    ["http://[::ffff:10.0.0.1]/", "::ffff:a00:1"],
    ["http://[::1]:80/", "::1"],
  ])("finds the address in %s", (url, address) => {
    expect(literalAddress(new URL(url))).toBe(address);
    expect(isPublicAddress(address)).toBe(false);
  });

  test("is undefined for a name", () => {
    expect(literalAddress(new URL("https://hooks.example/"))).toBeUndefined();
  });
});

import { describe, expect, test } from "bun:test";
import { chooseCoding } from "../../src/http/compression/accept-encoding.ts";

const choose = (header: string | null, bytes = 10_000) => chooseCoding(header, ["zstd", "gzip", "br"], bytes);

describe("the content coding of a response", () => {
  test.each([
    // Node.js, Bun and Chromium, curl --compressed, Python's requests, Go
    ["gzip, deflate", "gzip"],
    ["gzip, deflate, br, zstd", "zstd"],
    ["deflate, gzip, br", "gzip"],
    ["gzip, deflate, br", "gzip"],
    ["gzip", "gzip"],
    ["br", "br"],
    ["zstd", "zstd"],
    ["GZIP", "gzip"],
    ["x-gzip", "gzip"],
    ["deflate", "identity"],
    ["compress, exi, dcb", "identity"],
  ])("for Accept-Encoding %p is %s", (header, coding) => {
    expect<string>(choose(header)).toBe(coding);
  });

  test.each([
    ["gzip;q=1.0, br;q=0.5", "gzip"],
    ["gzip;q=0.5, br;q=1.0", "br"],
    ["gzip; q=0.001 , zstd ;q=0", "gzip"],
    ["gzip;q=0", "identity"],
    ["gzip;q=0.000", "identity"],
    ["zstd;q=0, *", "gzip"],
    ["*", "zstd"],
    ["*;q=0.1", "zstd"],
    ["*;q=0", "identity"],
    ["gzip, *;q=0", "gzip"],
    ["identity", "identity"],
    ["identity;q=0.5, gzip;q=0.4", "identity"],
    ["identity;q=0.5, gzip;q=0.5", "gzip"],
    ["identity, *;q=0.5", "identity"],
    ["identity;q=0, gzip;q=0.1", "gzip"],
  ])("respects the weights of %p: %s", (header, coding) => {
    expect<string>(choose(header)).toBe(coding);
  });

  test.each(["", " ", ",", ",,;", ";q=1", "gzip;q=2", "gzip;q=-1", "gzip;q=0.0001", "gzip;q=x", "gzip;q="])(
    "is none for Accept-Encoding %p",
    (header) => {
      expect(choose(header)).toBe("identity");
    },
  );

  test("is none without the header", () => {
    expect(choose(null)).toBe("identity");
  });

  test("is none for less than 1 KB, unless the caller rejects uncompressed bodies", () => {
    expect(choose("gzip", 1023)).toBe("identity");
    expect(choose("gzip", 1024)).toBe("gzip");
    expect(choose("*", 10)).toBe("identity");
    expect(choose("gzip, identity;q=0", 10)).toBe("gzip");
    expect(choose("gzip, *;q=0", 10)).toBe("gzip");
    expect(choose("gzip, identity;q=0.1, *;q=0", 10)).toBe("identity");
  });

  test("is none if the caller accepts nothing that the service has", () => {
    expect(choose("deflate, identity;q=0")).toBe("identity");
    expect(choose("deflate, *;q=0", 10)).toBe("identity");
  });
});

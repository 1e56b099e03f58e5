import { request } from "node:http";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";

/** A response whose body is still compressed. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Sends a request with exactly these headers: unlike fetch, it adds no Accept-Encoding, and decompresses nothing. */
export function requestRaw(
  url: string,
  headers: Record<string, string> = {},
  { method = "GET", body }: { method?: string; body?: string | Uint8Array } = {},
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    call.on("error", reject);
    call.end(body);
  });
}

const decoders = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
  identity: (body: Buffer) => body,
} as const;

export const codings = ["gzip", "br", "zstd"] as const;

/** The text of a response. Fails unless the response has this content coding. */
export function decode(
  { headers, body }: Pick<RawResponse, "headers" | "body">,
  coding: keyof typeof decoders,
): string {
  const sent = headers["content-encoding"] ?? "identity";
  if (sent !== coding) throw new Error(`The coding is ${sent}, not ${coding}.`);
  return decoders[coding](body).toString();
}

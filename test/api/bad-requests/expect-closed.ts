import { expect } from "bun:test";
import { sendRaw } from "../../support/raw-http.ts";
import type { TestService } from "../../support/service.ts";
import type { UnparsableRequest } from "./rejected-by-bun.ts";

/** Sends a request that Bun's parser rejects, and expects a bare response and a closed connection. */
export async function expectClosed(service: Pick<TestService, "url">, row: UnparsableRequest): Promise<void> {
  const host = `Host: ${new URL(service.url).host}`;
  const pieces = row.pieces.map((piece) => (typeof piece === "string" ? piece.replace("HOST", host) : piece));
  const { responses, closed } = await sendRaw(service.url, pieces, {
    until: "close",
    hangUp: row.hangUp ?? false,
  });
  const expected = [row.before ?? [], row.status === "none" ? [] : row.status].flat();
  expect(responses.map(({ status }) => status)).toEqual(expected);
  expect(closed).toBe(true);
  const last = responses[row.before ? 1 : 0];
  expect(last?.body ?? "").toBe("");
  expect(last?.headers.map(([name]) => name) ?? []).not.toContain("set-cookie");
}

import { expect } from "bun:test";
import type { TestService } from "../../support/service.ts";
import { until } from "../../support/until.ts";

export const SSE = { accept: "text/event-stream" };

/** An event stream that a test reads. */
export class Follower {
  text = "";
  isEnded = false;
  readonly #aborter = new AbortController();

  static async open(service: TestService, path: string, headers: Record<string, string> = {}) {
    const follower = new Follower();
    const response = await fetch(service.url + path, {
      headers: { ...SSE, ...headers },
      signal: follower.#aborter.signal,
    });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "text/event-stream; charset=utf-8",
    ]);
    expect(response.headers.get("content-encoding")).toBeNull();
    void follower.#read(response);
    return follower;
  }

  /** The events so far. */
  get events(): { id: string; type: string; record: { name: string } }[] {
    return [...this.text.matchAll(/^id: (\S+)\ndata: (.*)\n\n/gm)].map(([, id, data = ""]) => {
      const event = JSON.parse(data);
      expect(event.id).toBe(id);
      return event;
    });
  }

  get names(): string[] {
    return this.events.map(({ record }) => record.name);
  }

  /** Waits until the stream meets the condition. Fails at once if the stream has ended. */
  async waitUntil(condition: (follower: Follower) => boolean): Promise<void> {
    await until(() => {
      if (condition(this)) return true;
      if (this.isEnded) throw new Error(`The stream ended after ${JSON.stringify(this.text.slice(-500))}.`);
      return false;
    });
  }

  close(): void {
    this.#aborter.abort();
  }

  async #read(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body ?? []) this.text += decoder.decode(chunk, { stream: true });
    } catch {
      // The test closed the stream, or the service did.
    }
    this.isEnded = true;
  }
}

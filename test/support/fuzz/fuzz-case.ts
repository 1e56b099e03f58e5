import { mutate, noise } from "./mutations.ts";
import { withoutPlanted } from "./planted-secret.ts";
import { Random } from "./random.ts";
import { createRequest, type FuzzRequest } from "./requests.ts";
import type { FuzzTarget } from "./target.ts";

/** What happens on one connection. */
export interface FuzzCase {
  readonly number: number;
  /** Sent one after the other, one character per byte. */
  readonly parts: readonly Part[];
  /**
   * - `response`: the client waits for the response to every request, or until the service closes the connection.
   * - `half-close`: the client closes its side after the last part, and waits until the service closes the connection.
   * - `abort`: the client resets the connection after a few milliseconds.
   * - `idle`: the client waits until the service closes the connection.
   */
  readonly ending: "response" | "half-close" | "abort" | "idle";
  /** The requests, if they are well-formed and each is sent after the response to the one before. */
  readonly requests: readonly FuzzRequest[] | undefined;
}

interface Part {
  readonly bytes: string;
  /** Milliseconds to wait after this part. */
  readonly pauseMs: number;
  /** Waits for the response to this part's request before the next part. */
  readonly awaitResponse: boolean;
}

/** Creates the case with this number. It depends on the seed, the number and the target only. */
export function createCase(seed: string, number: number, target: FuzzTarget): FuzzCase {
  const random = new Random(`${seed}/${number}`);
  const request = () => createRequest(random, target);
  const kind = random.weighted({
    "well-formed": 450,
    sequence: 80,
    mutated: 280,
    pipelined: 80,
    truncated: 60,
    noise: 40,
    aborted: 40,
    idle: 2,
  });
  switch (kind) {
    case "well-formed":
    case "sequence": {
      const created = random.several(1, kind === "sequence" ? 4 : 1, request);
      const last = created.findIndex(({ closes }) => closes);
      const requests = last < 0 ? created : created.slice(0, last + 1);
      const parts = requests.flatMap(({ text, closes }) => {
        // If the service closes the connection while the client still sends, the client may lose the response.
        const pieces = closes ? [whole(text)] : split(random, text);
        return pieces.map((part, at) => ({ ...part, awaitResponse: at === pieces.length - 1 }));
      });
      return { number, parts, ending: "response", requests };
    }
    case "mutated":
      return wild(random, number, mutate(random, request().text), "response");
    case "pipelined": {
      const texts = random.several(2, 5, () => request().text).join("");
      return wild(random, number, random.chance(0.5) ? texts : mutate(random, texts), "response");
    }
    case "noise":
      return wild(random, number, noise(random), "response");
    case "truncated": {
      const { text } = request();
      return wild(random, number, text.slice(0, random.below(text.length)), "half-close");
    }
    case "aborted":
      return wild(random, number, request().text, random.chance(0.5) ? "abort" : "half-close");
    case "idle": {
      const { text } = request();
      return wild(random, number, text.slice(0, random.between(1, text.length - 1)), "idle");
    }
  }
}

function wild(random: Random, number: number, text: string, ending: FuzzCase["ending"]): FuzzCase {
  return { number, parts: split(random, withoutPlanted(text)), ending, requests: undefined };
}

const whole = (bytes: string): Part => ({ bytes, pauseMs: 0, awaitResponse: false });

/** Sends most texts in one piece, and some in several. */
function split(random: Random, text: string): Part[] {
  if (random.chance(0.8) || text.length < 2) return [whole(text)];
  const cuts = random.several(1, 4, () => random.between(1, text.length - 1)).sort((a, b) => a - b);
  return [0, ...cuts].map((start, at) => ({
    bytes: text.slice(start, cuts[at] ?? text.length),
    pauseMs: random.below(4),
    awaitResponse: false,
  }));
}

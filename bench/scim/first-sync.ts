import { formatRequest } from "../support/expensive-requests.ts";
import { RequestSender } from "../support/request-sender.ts";
import { interleave } from "../support/rounds.ts";
import { median } from "../support/statistics.ts";
import type { MeasuredService, ScimBench } from "./bench.ts";
import { compareRates } from "./compare-rates.ts";
import { person } from "./people.ts";

const TARGET = 0.6;
/** Providers send several requests at the same time. */
const CALLERS = 8;
/** A part of few creates would measure how the service warms up. */
const PARTS = 10;

interface Part {
  /** CPU time of a create, in µs. */
  readonly micros: number;
  readonly perSecond: number;
}

/** A provider that creates all users in an empty directory, against the same through the API in another one. Both grow in turns. */
export const firstSync: ScimBench = async ({ numbers: { users }, start }) => {
  await using scim = await start(0);
  await using api = await start(0);
  const size = Math.ceil(users / PARTS);
  using ofScim = await Creator.open(scim, "/scim/v2/Users", (number) => person(number).resource);
  using ofApi = await Creator.open(api, "/api/users", (number) => person(number).record);
  const results = await interleave([ofScim, ofApi], PARTS, (creator) => creator.create(size));
  const [scimParts = [], apiParts = []] = [results.get(ofScim), results.get(ofApi)];
  const micros = (parts: readonly Part[]) => parts.map((part) => part.micros);
  const rate = (parts: readonly Part[]) => median(parts.map(({ perSecond }) => perSecond));
  const rates = { scimPerSecond: rate(scimParts), apiPerSecond: rate(apiParts) };
  const { figures, rows } = compareRates({
    name: `first sync of ${users} users: POST each, ${CALLERS} at a time`,
    scim: micros(scimParts),
    api: micros(apiParts),
    target: TARGET,
  });
  const perSecond = [rates.scimPerSecond, rates.apiPerSecond, rates.scimPerSecond / rates.apiPerSecond];
  const [first = "", second = "", ratio = ""] = perSecond.map((value) => value.toFixed(value < 10 ? 2 : 0));
  return {
    figures: { ...figures, ...rates },
    rows: [
      ...rows,
      ["its users per second, with the sender on the same machine", first, second, ratio, "", ""],
    ],
  };
};

/** Creates people, several at a time, each once. */
class Creator implements Disposable {
  readonly #sender: RequestSender;
  readonly #service: MeasuredService;
  readonly #requestOf: (number: number) => string;
  #created = 0;

  private constructor(
    sender: RequestSender,
    service: MeasuredService,
    requestOf: (number: number) => string,
  ) {
    this.#sender = sender;
    this.#service = service;
    this.#requestOf = requestOf;
  }

  static async open(
    service: MeasuredService,
    path: string,
    bodyOf: (number: number) => object,
  ): Promise<Creator> {
    const url = new URL(service.url);
    const headers = ["Content-Type: application/json"];
    const requestOf = (number: number) =>
      formatRequest({ method: "POST", path, headers, body: bodyOf(number) }, url.host, service.key);
    return new Creator(await RequestSender.open(url, CALLERS), service, requestOf);
  }

  async create(count: number): Promise<Part> {
    const [start, stop] = [performance.now(), this.#service.startMeter()];
    await this.#sender.send(count, () => this.#requestOf(++this.#created));
    return { micros: stop() / count, perSecond: (count * 1000) / (performance.now() - start) };
  }

  [Symbol.dispose](): void {
    this.#sender[Symbol.dispose]();
  }
}

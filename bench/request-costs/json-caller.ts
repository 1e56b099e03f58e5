/** Sends requests with a key, one after the other. A request that fails ends the benchmark. */
export class JsonCaller {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  async sendText(path: string, method: string, type?: string, body?: string): Promise<string> {
    const response = await fetch(this.#url + path, {
      method,
      headers: { authorization: `Bearer ${this.#key}`, ...(type && { "content-type": type }) },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${method} ${path} failed with ${response.status}: ${text.slice(0, 300)}`);
    return text;
  }

  async send(path: string, method = "GET", body?: object): Promise<unknown> {
    const text = await (body
      ? this.sendText(path, method, "application/json", JSON.stringify(body))
      : this.sendText(path, method));
    return text === "" ? undefined : JSON.parse(text);
  }

  /** Creates a group, and adds these users to it. */
  async createGroup(name: string, ids: readonly number[]): Promise<number> {
    const { id } = Object(await this.send("/api/groups", "POST", { name }));
    for (let first = 0; first < ids.length; first += PATCH_IDS) {
      await this.send(`/api/groups/${id}/members`, "PATCH", { add: ids.slice(first, first + PATCH_IDS) });
    }
    return id;
  }
}

/** Ids that one patch of members has. */
export const PATCH_IDS = 1000;

import type { ImportedLine } from "../../../src/contract/bulk.ts";
import { type Fields, NDJSON, toLines } from "../../api/many.ts";
import type { Roster } from "./roster.ts";

/** What was told of an import, whether it came to its end or not. */
export interface Told {
  /** 0 where there was no answer. */
  readonly status: number;
  readonly lines: readonly ImportedLine[];
  readonly broken: boolean;
}

/** An import under way, whose answer is read as it comes. */
export class Importing {
  #text = "";
  #status = 0;
  readonly end: Promise<Told>;

  constructor(roster: Pick<Roster, "url">, body: string, key?: string) {
    this.end = this.#run(roster, body, key);
  }

  /** How many lines have been told so far. */
  get told(): number {
    return this.#text.split("\n").length - 1;
  }

  /** Waits until so many have been told, or all is over. */
  async until(told: number): Promise<void> {
    let over = false;
    void this.end.then(() => {
      over = true;
    });
    while (this.told < told && !over) await Bun.sleep(1);
  }

  async #run({ url }: Pick<Roster, "url">, body: string, key: string | undefined): Promise<Told> {
    let broken = false;
    try {
      const headers = { "content-type": NDJSON, ...(key !== undefined && { "idempotency-key": key }) };
      const response = await fetch(`${url}/api/users`, { method: "POST", body, headers });
      this.#status = response.status;
      const decoder = new TextDecoder();
      for await (const bytes of response.body ?? []) this.#text += decoder.decode(bytes, { stream: true });
    } catch {
      broken = true;
    }
    const whole = this.#text.slice(0, this.#text.lastIndexOf("\n") + 1);
    return { status: this.#status, lines: this.#status === 200 ? toLines(whole) : [], broken };
  }
}

/** Repeats the import as a careful program does, until every line of it has been answered for good. */
export async function importToTheEnd(
  roster: Pick<Roster, "url">,
  body: string,
  key: string,
  withinMs = 30_000,
): Promise<readonly ImportedLine[]> {
  const deadline = performance.now() + withinMs;
  let last: Told | undefined;
  while (performance.now() < deadline) {
    last = await new Importing(roster, body, key).end;
    const { status, lines, broken } = last;
    if (status === 200 && !broken && lines.every((line) => line.status < 500)) return lines;
    await Bun.sleep(20);
  }
  throw new Error(`The import did not come to an end: ${JSON.stringify(last).slice(0, 500)}`);
}

/** Lines of a file, so that each user tells where it comes from; some have emails. */
export function linesOf(file: string, count: number): Fields[] {
  return Array.from({ length: count }, (_, line): Fields => {
    const email = line % 3 === 0 ? { email: `${file}.${line}@example.com` } : {};
    return {
      name: `Line ${line} of ${file}`,
      ...email,
      file,
      line: line + 1,
      team: line % 2 === 0 ? "red" : "blue",
    };
  });
}

/** Where the users of a file disagree with what was told of its lines; also, of a line that is there twice. */
export function disagreement(users: readonly Fields[], told: readonly ImportedLine[]): string[] {
  const faults: string[] = [];
  const byLine = new Map<unknown, Fields>();
  for (const user of users) {
    if (byLine.has(user.line)) faults.push(`line ${user.line} is there twice`);
    byLine.set(user.line, user);
  }
  for (const { line, status, id } of told) {
    const user = byLine.get(line);
    if (status === 201 && user?.id !== id)
      faults.push(`line ${line} was told to be ${id}, and is ${user?.id}`);
    if (status > 201 && status < 500) faults.push(`line ${line} was told to be ${status}`);
  }
  return faults;
}

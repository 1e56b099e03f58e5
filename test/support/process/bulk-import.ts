import type { ImportLineResult } from "../../../src/contract/bulk/bulk-schemas.ts";
import { type Fields, NDJSON, parseLines } from "../bulk-requests.ts";
import type { Callable } from "../call.ts";
import type { Roster } from "./roster.ts";

/** The result of an import, complete or not. */
export interface ImportResult {
  /** 0 if there was no response. */
  readonly status: number;
  readonly lines: readonly ImportLineResult[];
  readonly broken: boolean;
}

/** A running import, whose response is read as it arrives. */
export class RunningImport {
  #text = "";
  #status = 0;
  readonly end: Promise<ImportResult>;

  constructor(roster: Callable, body: string, key?: string) {
    this.end = this.#run(roster, body, key);
  }

  /** The number of result lines received so far. */
  get received(): number {
    return this.#text.split("\n").length - 1;
  }

  /** Waits until this many result lines have arrived, or the import has ended. */
  async until(count: number): Promise<void> {
    let ended = false;
    void this.end.then(() => {
      ended = true;
    });
    while (this.received < count && !ended) await Bun.sleep(1);
  }

  async #run({ call }: Callable, body: string, key: string | undefined): Promise<ImportResult> {
    let broken = false;
    try {
      const headers = { "content-type": NDJSON, ...(key !== undefined && { "idempotency-key": key }) };
      const response = await call("/api/users/import", { method: "POST", body, headers });
      this.#status = response.status;
      const decoder = new TextDecoder();
      for await (const bytes of response.body ?? []) this.#text += decoder.decode(bytes, { stream: true });
    } catch {
      broken = true;
    }
    const completeLines = this.#text.slice(0, this.#text.lastIndexOf("\n") + 1);
    return { status: this.#status, lines: this.#status === 200 ? parseLines(completeLines) : [], broken };
  }
}

/** Repeats the import until every line has a final result, as a careful program does. */
export async function importWithRetries(
  roster: Pick<Roster, "call" | "until">,
  body: string,
  key: string,
): Promise<readonly ImportLineResult[]> {
  let last: ImportResult | undefined;
  const attempt = async () => {
    last = await new RunningImport(roster, body, key).end;
    const { status, lines, broken } = last;
    const isComplete = status === 200 && !broken && lines.every((line) => line.status < 500);
    return isComplete ? lines : undefined;
  };
  return await roster.until(attempt, () => `the import is complete: ${JSON.stringify(last).slice(0, 500)}`);
}

/** Users that name their file and line. Every third one has an email. */
export function importLines(file: string, count: number): Fields[] {
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

/** Compares the users of a file with the reported results. Finds lines that were imported twice. */
export function findImportErrors(users: readonly Fields[], reported: readonly ImportLineResult[]): string[] {
  const errors: string[] = [];
  const byLine = new Map<unknown, Fields>();
  for (const user of users) {
    if (byLine.has(user.line)) errors.push(`line ${user.line} was imported twice`);
    byLine.set(user.line, user);
  }
  for (const { line, status, id } of reported) {
    const user = byLine.get(line);
    if (status === 201 && user?.id !== id)
      errors.push(`line ${line} was reported as ${id}, but is ${user?.id}`);
    if (status > 201 && status < 500) errors.push(`line ${line} was reported with status ${status}`);
  }
  return errors;
}

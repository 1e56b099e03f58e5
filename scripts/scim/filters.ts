import { isObject } from "../../src/contract/json.ts";
import { Random } from "../../test/support/fuzz/random.ts";
import { connectToService } from "./connect.ts";
import { examples, randomFilter } from "./filters/random-filter.ts";
import { explainRefusal } from "./filters/reasons.ts";
import type { PartOptions, ScimPart } from "./part.ts";
import { runPython } from "./python.ts";

const FILTERS = 6000;
const CALLERS = 4;
const EXAMPLE_CHARACTERS = 100;

export const filters: ScimPart = {
  name: "filters",
  about: "Roster accepts what scim2-filter-parser and scim2-models accept, except for documented reasons.",
  needsPython: true,
  run,
};

async function run(options: PartOptions): Promise<readonly string[]> {
  const random = new Random(String(options.seed));
  const texts = [...examples, ...Array.from({ length: FILTERS }, () => randomFilter(random))];
  const judgements = await judge(options, texts);
  const answers = await askService(options, texts);
  const failures: string[] = [];
  const explained = new Map<string, string[]>();
  const lenient = new Map<string, string[]>();
  let both = 0;
  for (const [number, text] of texts.entries()) {
    const { status, scimType, detail } = answers[number] ?? NO_ANSWER;
    const filter = JSON.stringify(text);
    if (status !== 200 && (status !== 400 || scimType !== "invalidFilter"))
      failures.push(`${filter} is answered with ${status} ${scimType}: ${detail}`);
    if (number < examples.length && status !== 200)
      failures.push(`The example ${filter} is refused: ${detail}`);
    for (const [parser, errors] of judgements) {
      const error = errors[number];
      if (status === 200 && error === "") both += 1;
      if (status === 200 && error !== "") add(lenient, `${parser}: ${kindOf(error ?? "")}`, filter);
      if (status !== 400 || error !== "") continue;
      const reason = explainRefusal(text, detail);
      if (reason === undefined) failures.push(`${parser} accepts ${filter}: ${detail}`);
      else add(explained, `${parser}: ${reason}`, filter);
    }
  }
  console.log(`${texts.length} filters; accepted by a parser and by Roster: ${both}`);
  print("Refused for documented reasons", explained);
  print("Accepted by Roster only", lenient);
  return failures;
}

interface Answer {
  readonly status: number;
  readonly scimType: string;
  readonly detail: string;
}

const NO_ANSWER: Answer = { status: 0, scimType: "", detail: "" };

/** What each parser says about each filter. */
async function judge({ python }: PartOptions, texts: readonly string[]): Promise<[string, string[]][]> {
  const lines: string[] = [];
  const code = await runPython({
    python,
    program: "judge_filters.py",
    input: JSON.stringify(texts),
    onLine: (line) => lines.push(line),
  });
  const judgements: unknown = JSON.parse(lines.join("\n"));
  if (code !== 0 || !isObject(judgements)) throw new Error(`judge_filters.py ends with ${code}.`);
  return Object.entries(judgements).map(([parser, errors]) => [
    parser,
    Array.isArray(errors) ? errors.map(String) : [],
  ]);
}

/** The answers to lists with these filters, of users and of groups in turns. */
async function askService(options: PartOptions, texts: readonly string[]): Promise<Answer[]> {
  const caller = await connectToService(options);
  await caller.create("/Users", {
    userName: "ada",
    title: "Countess",
    emails: [{ value: "ada@example.com", type: "work" }],
  });
  await caller.create("/Groups", { displayName: "Staff", members: [{ value: "1" }] });
  const answers: Answer[] = [];
  const rest = texts.entries();
  const call = async () => {
    for (const [number, text] of rest) {
      const path = /members/i.test(text) ? "/Groups" : "/Users";
      const { status, body } = await caller.send(`GET ${path}?count=0&filter=${encodeURIComponent(text)}`);
      answers[number] = { status, scimType: String(body.scimType), detail: String(body.detail) };
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  return answers;
}

function add(kinds: Map<string, string[]>, kind: string, filter: string): void {
  kinds.set(kind, [...(kinds.get(kind) ?? []), filter]);
}

/** An error without its places and values. */
function kindOf(error: string): string {
  return error
    .replace(/Token\(type='(\w+)'.*/, "$1")
    .replace(/<sly.*>/, "the values of a sub-attribute")
    .replaceAll(/column \d+/g, "a column")
    .replaceAll(/'[^']*'/g, "…");
}

function print(title: string, kinds: ReadonlyMap<string, readonly string[]>): void {
  console.log(`${title}:`);
  const sorted = [...kinds].sort(([, left], [, right]) => right.length - left.length);
  for (const [kind, found] of sorted) {
    const [shortest = ""] = found.toSorted((left, right) => left.length - right.length);
    console.log(
      `  ${String(found.length).padStart(5)}  ${kind}, such as ${shortest.slice(0, EXAMPLE_CHARACTERS)}`,
    );
  }
}

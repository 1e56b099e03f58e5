import type { JsonObject } from "../../../src/contract/json.ts";
import type { ScimAnswer, ScimCaller } from "../../../test/api/scim/support/scim-caller.ts";
import { type Aspects, aspectsOf, outcomeOf } from "./answers.ts";
import { caseDifferences } from "./case-differences.ts";
import { type Case, cases, sharedGroups, sharedUsers } from "./cases.ts";
import { generalDifferences } from "./general-differences.ts";

/** A server, and the ids of its resources by the names that cases have for them. */
class Server {
  readonly #scim: ScimCaller;
  readonly #ids = new Map<string, string>();

  constructor(scim: ScimCaller) {
    this.#scim = scim;
  }

  async create(path: "/Users" | "/Groups", body: JsonObject): Promise<void> {
    const { userName, displayName } = body;
    const id = await this.#scim.create(path, JSON.parse(this.#withIds(JSON.stringify(body))));
    this.#ids.set(String(userName ?? displayName), id);
  }

  /** Sends the request of the case. What the case creates is gone afterwards. */
  async answer({ given, request, body }: Case): Promise<ScimAnswer> {
    if (given) this.#ids.set("id", await this.#scim.create("/Users", given));
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const answer = await this.#scim.send(
      this.#withIds(request),
      text === undefined ? undefined : this.#withIds(text),
    );
    if (given) await this.#scim.send(`DELETE /Users/${this.#ids.get("id")}`);
    if (answer.status === 201)
      await this.#scim.expect(`DELETE ${request.split(/[ ?]/)[1]}/${answer.body.id}`);
    return answer;
  }

  /** The names of the ids, also of one that only the answer has. */
  namesFor({ status, body }: ScimAnswer): Map<string, string> {
    const names = new Map([...this.#ids].map(([name, id]) => [id, name]));
    if (status === 201 && typeof body.id === "string") names.set(body.id, "new");
    return names;
  }

  #withIds(text: string): string {
    return text.replace(/(?:\{|%7B)(\w+)(?:\}|%7D)/g, (whole, name) => this.#ids.get(name) ?? whole);
  }
}

/** Sends all cases to both. Returns what differs in an unknown way. */
export async function compareServers(rosterCaller: ScimCaller, scimmyCaller: ScimCaller): Promise<string[]> {
  const [roster, scimmy] = [new Server(rosterCaller), new Server(scimmyCaller)];
  for (const server of [roster, scimmy]) {
    for (const user of sharedUsers) await server.create("/Users", user);
    for (const group of sharedGroups) await server.create("/Groups", group);
  }
  const failures = checkNames();
  const counts = new Map<string, number>();
  const count = (because: string) => counts.set(because, (counts.get(because) ?? 0) + 1);
  let equal = 0;
  for (const each of cases) {
    const [ours, theirs] = [await roster.answer(each), await scimmy.answer(each)];
    const aspects = {
      roster: aspectsOf(ours, roster.namesFor(ours)),
      scimmy: aspectsOf(theirs, scimmy.namesFor(theirs)),
    };
    const outcomes = { roster: outcomeOf(ours), scimmy: outcomeOf(theirs) };
    const found = outcomes.roster === outcomes.scimmy ? compareAspects(aspects, count) : outcomes;
    const known = caseDifferences.find(({ answers }) => Object.hasOwn(answers, each.name));
    const [expectedRoster, expectedScimmy] = known?.answers[each.name] ?? [];
    if (found?.roster !== expectedRoster || found?.scimmy !== expectedScimmy) {
      failures.push(
        found
          ? `${each.name}: Roster answers ${found.roster}, and scimmy ${found.scimmy}.`
          : `${each.name}: the answers do not differ as the table says.`,
      );
    } else if (known) count(known.because);
    else equal += 1;
  }
  console.log(`${cases.length} requests: ${equal} answers as those of scimmy, the others differ as known:`);
  for (const [because, times] of counts) console.log(`${String(times).padStart(6)} ${because}`);
  return failures;
}

/** Each case has a name of its own, and the table names only cases. */
function checkNames(): string[] {
  const names = cases.map(({ name }) => name);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  const listed = caseDifferences.flatMap(({ answers }) => Object.keys(answers));
  const unknown = listed.filter((name, index) => !names.includes(name) || listed.indexOf(name) !== index);
  return [
    ...twice.map((name) => `Two cases have the name ${name}.`),
    ...unknown.map((name) => `The table of differences names ${name} twice, or no case has this name.`),
  ];
}

/** What differs besides general differences, which are counted. Undefined for nothing. */
function compareAspects(
  { roster, scimmy }: Readonly<Record<"roster" | "scimmy", Aspects>>,
  count: (because: string) => void,
): { roster: string; scimmy: string } | undefined {
  const isSameList = roster.get("Resources") === scimmy.get("Resources");
  const names = isSameList ? [...new Set([...roster.keys(), ...scimmy.keys()])] : ["Resources"];
  const differing = names.filter((aspect) => {
    const difference = { aspect, roster: roster.get(aspect), scimmy: scimmy.get(aspect) };
    if (difference.roster === difference.scimmy) return false;
    const known = generalDifferences.find(({ explains }) => explains(difference));
    if (known) count(known.because);
    return !known;
  });
  if (differing.length === 0) return undefined;
  const describe = (aspects: Aspects) =>
    differing.map((aspect) => `${aspect}: ${aspects.get(aspect) ?? "none"}`).join(", ");
  return { roster: describe(roster), scimmy: describe(scimmy) };
}

/** Why a kind of list takes longer than 1.5 times the better bare statement. The first cause whose pattern has its name counts. */
interface Cause {
  readonly kinds: RegExp;
  readonly sentence: string;
}

const NEGATED =
  "A value that users must not have is looked up in the index of custom fields for each user, or its users are parsed";
const TWO_STATEMENTS =
  "A page of more than 128 users is read in two statements, because users can be large, and Roster reads the id of each";

const sqliteCauses: readonly Cause[] = [
  {
    kinds: /range, by name|common range|expression range|starts with|value and range/,
    sentence: `Ranges and beginnings of values in custom fields are tested outside of the database, where text is folded and values of
several types are kept apart. To let SQLite extract the field takes longer than to parse the whole user. Users are fetched in
parts of twice as many as the page has, and the bare statement stops at the last one`,
  },
  { kinds: /expression: not/, sentence: NEGATED },
  { kinds: /largest page/, sentence: TWO_STATEMENTS },
  {
    kinds: /offset 10,000, by|by name, offset 10,000/,
    sentence: `To sort all users that match and to read them in order cost nearly the same, and the planner takes the slower one`,
  },
  {
    kinds: /filter: common, offset 10,000|count: filter common|count: expression/,
    sentence: `The index of custom fields has the folded value and its spelling, so that it serves sorting, ranges and any case: Roster compares
the spelling in each entry that it skips or counts`,
  },
  {
    kinds: /^count: (search|filter and)/,
    sentence:
      "Counts are made in rounds that estimate the list again, so that no round keeps other callers waiting",
  },
  {
    kinds: /value|match|rare|common|empty range|by |count: plain|character|plain/,
    sentence: `The list takes so little time that Roster's own work shows: to compare plans, to bound the statement, and to check with it that
no other kind of entry has come into the index of custom fields. The bare statement knows beforehand what it will find`,
  },
];

const postgresCauses: readonly Cause[] = [
  {
    kinds: /^members: \w+(, filter common)?, by name|^members: \w+, expression range/,
    sentence: `Memberships and values of custom fields are looked up for the ids of a walk before users are fetched, so that a walk fetches few
users of a small group. The bare statement fetches each user first`,
  },
  {
    kinds: /^count: (search|filter and)/,
    sentence: `Counts are made in rounds that estimate the list again and read a part of the table in order of id, so that no round keeps other
callers waiting. The bare statement reads the whole table in the order of its pages`,
  },
  {
    kinds: /search: (common|two common words|2 characters|3 characters|1 character)|filter and search/,
    sentence: `Roster's search index needs no extension and reads users in order of id, block by block, so that a page takes bounded time. For
words that many users have, \`pg_trgm\` finds all users at once, or the scan finds enough of them soon`,
  },
  {
    kinds: /search: (no match|rare)/,
    sentence: `Roster's search index has a part for every 32,768 ids, so that users come in order of id and a page takes bounded time. A rare
word is looked up in each part`,
  },
  {
    kinds:
      /common value|filter:? common|value and range|count: filter common|by level|by department|two that overlap|any of 3/,
    sentence: `The index of custom fields is a table of its own, which serves all fields: each user that it names costs a descent in the table of
users besides. The bare index belongs to that table, and serves one field`,
  },
  { kinds: /expression: not/, sentence: NEGATED },
  { kinds: /largest page/, sentence: TWO_STATEMENTS },
  {
    kinds: /rare|no match|empty range|matches all|value|count: plain|by |plain/,
    sentence: `The list takes so little time that Roster's own work shows: a connection that one caller has for as long as it reads, a time limit,
and checks in the statement that no other kind of entry has come into the index of custom fields`,
  },
];

/** A list of causes, each with the kinds that it explains. */
export function describeCauses(engine: string, kinds: readonly string[]): string {
  const causes = engine === "SQLite" ? sqliteCauses : postgresCauses;
  const bySentence = Map.groupBy(
    kinds,
    (kind) => causes.find((cause) => cause.kinds.test(kind))?.sentence ?? "No cause is known",
  );
  return [...bySentence]
    .map(([sentence, names]) => `- ${sentence.replaceAll("\n", " ")}: ${names.join("; ")}.`)
    .join("\n");
}

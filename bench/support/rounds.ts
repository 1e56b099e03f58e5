/**
 * Runs every subject once per round and starts each round with the next subject: other load on the machine then affects
 * all subjects alike. Returns the results of each subject in the order of the rounds.
 */
export async function interleave<Subject, Result>(
  subjects: readonly Subject[],
  rounds: number,
  run: (subject: Subject) => Promise<Result>,
): Promise<Map<Subject, Result[]>> {
  const results = new Map<Subject, Result[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < rounds; round++) {
    for (let index = 0; index < subjects.length; index++) {
      const subject = subjects[(round + index) % subjects.length];
      if (subject !== undefined) results.get(subject)?.push(await run(subject));
    }
  }
  return results;
}

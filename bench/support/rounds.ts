/**
 * Runs every subject once a round, each round beginning with another one, so that what else the machine does hits
 * them alike. The results of each subject come in the order of the rounds.
 */
export async function interleave<Subject, Result>(
  subjects: readonly Subject[],
  rounds: number,
  run: (subject: Subject) => Promise<Result>,
): Promise<Map<Subject, Result[]>> {
  const results = new Map<Subject, Result[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < subjects.length; turn++) {
      const subject = subjects[(round + turn) % subjects.length];
      if (subject !== undefined) results.get(subject)?.push(await run(subject));
    }
  }
  return results;
}

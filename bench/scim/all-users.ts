import { comparisonRows, measureComparisons } from "../request-costs/comparisons.ts";
import type { MeasuredService, ScimBench } from "./bench.ts";
import { PAGE, readAll } from "./scim-requests.ts";

const TARGET = 2.2;

/** Reads all users page by page by their index, in two directories of which one has twice as many users. */
export const allUsers: ScimBench = async ({ numbers: { users, rounds }, start }) => {
  await using small = await start(users);
  await using large = await start(2 * users);
  const subject = (service: MeasuredService, count: number) => {
    const pages = readAll(`all ${count} users`, count, (first) =>
      service.caller.send(`/scim/v2/Users?count=${PAGE}&startIndex=${first}`),
    );
    return {
      name: pages.name,
      count: 1,
      async run() {
        const stop = service.startMeter();
        await pages.run();
        return stop();
      },
    };
  };
  const figures = await measureComparisons(
    [
      {
        name: `all ${2 * users} users by startIndex, against ${users}`,
        subject: subject(large, 2 * users),
        base: subject(small, users),
        target: TARGET,
      },
    ],
    rounds,
    small.startMeter,
  );
  return { figures, rows: comparisonRows(figures) };
};

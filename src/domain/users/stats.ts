import type { DailyStats, Stats } from "../../contract/users/stats-schemas.ts";
import type { Clock } from "../clock.ts";
import { lastDays } from "../days.ts";
import { andThen, type MaybePromise } from "../maybe-promise.ts";

/** How many users were created, deleted and restored on a day. */
export type DailyChanges = Pick<DailyStats, "date" | "created" | "deleted" | "restored">;

/** Storage for daily counts, with the guarantees of `Store`. Each write of users also counts, in its transaction. */
export interface StatsStore {
  /** The number of users now, and the changes since the day `from`, from one snapshot. Days without changes are left out. */
  readUsers(
    from: string,
  ): MaybePromise<{ readonly total: number; readonly changes: readonly DailyChanges[] }>;
}

/** The history of the directory, for callers. */
export class UserStats {
  readonly #store: StatsStore;
  readonly #clock: Clock;

  constructor(store: StatsStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The last days up to today (UTC), oldest first. */
  read(count: number): MaybePromise<Stats> {
    const days = lastDays(count, this.#clock.now());
    return andThen(this.#store.readUsers(days[0] ?? ""), ({ total, changes }) => ({
      days: addTotals(days, total, changes),
    }));
  }
}

/** Fills gaps with zeros, and computes the number of users at the end of each day, back from the number of users now. */
function addTotals(
  days: readonly string[],
  totalNow: number,
  changes: readonly DailyChanges[],
): DailyStats[] {
  const byDay = new Map(changes.map((day) => [day.date, day]));
  // Another node's clock may be ahead: its changes belong to no day in the response yet.
  const isLater = ({ date }: DailyChanges) => date > (days.at(-1) ?? "");
  let total = changes.filter(isLater).reduce((sum, day) => sum - netChange(day), totalNow);
  const stats: DailyStats[] = [];
  for (const date of days.toReversed()) {
    const day = byDay.get(date) ?? noChanges;
    const { created, deleted, restored } = day;
    stats.push({ date, created, deleted, restored, total });
    total -= netChange(day);
  }
  return stats.reverse();
}

const noChanges = { created: 0, deleted: 0, restored: 0 };

function netChange({ created, deleted, restored }: Omit<DailyChanges, "date">): number {
  return created + restored - deleted;
}

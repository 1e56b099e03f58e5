import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { User } from "../../../client/index.ts";
import { isOutcomeUnknown, isProblem, isSignedOut, promptIfSignedOut, roster } from "../../lib/api.ts";
import { sessionQuery } from "../../lib/session.ts";
import { useConfirmBeforeUnload } from "../../lib/unsaved-changes.ts";
import { bulk } from "../../texts/index.ts";
import { showToast } from "../../ui/toasts.tsx";
import { type BulkProgress, BulkRun, type FailureEffect } from "./bulk-run.ts";
import { TableUpdates } from "./table-updates.ts";

export interface Job {
  /** Undefined before the first start. */
  readonly progress: BulkProgress<User> | undefined;
  readonly start: (work: BulkWork) => void;
  readonly stop: () => void;
  readonly resume: () => void;
  /** Users that failed, then users that were not started. */
  readonly unfinished: () => User[];
}

interface BulkWork {
  readonly users: readonly User[];
  /** Changes the user if `user` is the current version. Returns the new version, or undefined if deleted. */
  readonly act: (user: User) => Promise<User | undefined>;
  /** If given, a user that no longer exists counts as done. */
  readonly onNotFound?: (user: User) => void;
  readonly onEnd: (progress: BulkProgress<User>) => void;
}

/** Someone else changed the user first. Nothing was changed; a retry uses the current version. */
export class EditConflictError extends Error {
  constructor(readonly user: User) {
    super(`User ${user.id} is at version ${user.version} now.`);
  }
}

/** Runs a job on many users while its dialog is open. */
export function useBulkJob(): Job {
  const [run, setRun] = useState<BulkRun<User>>();
  const progress = useSyncExternalStore(run?.progress.subscribe ?? never, () => run?.progress.get());
  useConfirmBeforeUnload(progress !== undefined && progress.phase !== "ended");
  /** Users that failed. A retry reads their current version first. */
  const failedIds = useRef(new Set<number>());

  const { dataUpdatedAt: signedInAt } = useQuery(sessionQuery);
  useEffect(() => {
    if (signedInAt > 0) run?.resume();
  }, [run, signedInAt]);

  useEffect(() => {
    if (!run) return;
    return () => {
      const { phase, done, total } = run.progress.get();
      if (phase === "ended") return;
      run.stop();
      showToast({
        title: bulk.progress.left,
        text: bulk.progress.value(done, total),
        kind: "failed",
        ms: 10_000,
      });
    };
  }, [run]);

  return {
    progress,
    start(work) {
      const table = new TableUpdates();
      const next = new BulkRun({
        items: work.users,
        act: (seen) => actOn(seen, work, table, failedIds.current.has(seen.id)),
        classifyError,
        onEnd: (end) => {
          table.flush();
          for (const { item } of end.failed) failedIds.current.add(item.id);
          work.onEnd(end);
        },
      });
      setRun(next);
      next.start();
    },
    stop: () => run?.stop(),
    resume: () => run?.resume(),
    unfinished: () => (run ? [...run.progress.get().failed.map(({ item }) => item), ...run.notStarted] : []),
  };
}

const never = () => () => undefined;

async function actOn(seen: User, work: BulkWork, table: TableUpdates, reload: boolean): Promise<void> {
  try {
    const user = reload ? await roster.users.get(seen.id) : seen;
    table.add(await work.act(user));
  } catch (error) {
    if (work.onNotFound && isProblem(error, "user-not-found")) return work.onNotFound(seen);
    if (!isProblem(error, "version-mismatch")) throw error;
    const user = await roster.users.get(seen.id);
    table.add(user);
    throw new EditConflictError(user);
  }
}

/** Pauses the job if the next requests would fail for the same reason. */
function classifyError(error: unknown): FailureEffect {
  promptIfSignedOut(error);
  const isLimited = isProblem(error, "insufficient-scope", "rate-limited", "quota-exceeded");
  if (isSignedOut(error) || isLimited) return "pauses";
  return isOutcomeUnknown(error) || isProblem(error, "unavailable") ? "fails and pauses" : "fails";
}

import { StoreError } from "./store-error.ts";

/** Error for a database with an unfinished move. `serializeMoveState` has written its mark. */
export function unfinishedMove(displayName: string, mark: string): StoreError {
  const { doing, shown } = JSON.parse(mark);
  return new StoreError(
    `${displayName} is incomplete: \`roster ${doing}\` from ${shown} has not finished. Run that command again to continue, or choose another database.`,
  );
}

import { useQuery } from "@tanstack/react-query";
import type { CurrentSchema } from "../../client/index.ts";
import { actorLabel } from "../activity/describe-event.ts";
import { promptOnceIfSignedOut, queryClient, roster } from "../lib/api.ts";
import { useHasScope } from "../lib/session.ts";
import { useWhileVisible } from "../lib/use-while-visible.ts";
import { formatNumber } from "../texts/format.ts";
import { saveSchema, schema } from "../texts/schema.ts";
import { Button } from "../ui/button.tsx";
import { ChangeNotice } from "../ui/change-notice.tsx";
import { schemaAuthorsQuery, schemaQuery } from "./queries.ts";

const texts = schema.others;

interface SchemaChangeProps {
  readonly current: CurrentSchema;
  /** The version that the person edits. */
  readonly version: number;
  /** Drops the changes of the person. */
  readonly onReset: () => void;
}

/** Says at once that someone else has saved another version, while the person has unsaved changes. */
export function SchemaChange({ current, version, onReset }: SchemaChangeProps) {
  const canReadEvents = useHasScope("events:read");
  const isChanged = current.version > version;
  useWhileVisible(canReadEvents, "schema", (_key, signal) => followSchema(signal));
  const { data: authors } = useQuery({
    ...schemaAuthorsQuery(current.version),
    enabled: canReadEvents && isChanged,
  });
  const actor = authors?.get(current.version);
  return (
    <div className="others-change" role="status">
      {isChanged && (
        <ChangeNotice actions={<Button onClick={onReset}>{saveSchema.conflict.theirs}</Button>}>
          <p>
            <strong dir="auto">{actor ? actorLabel(actor) : texts.someone}</strong>{" "}
            {texts.saved(formatNumber(current.version))}
          </p>
        </ChangeNotice>
      )}
    </div>
  );
}

/** Reads the schema again after each change. */
async function followSchema(signal: AbortSignal): Promise<void> {
  const read = () => queryClient.invalidateQueries({ queryKey: schemaQuery.queryKey, exact: true });
  try {
    const after = await roster.events.last({ signal });
    // A change before this moment is in no later event.
    void read();
    const options = { type: "schema.updated", signal, ...(after !== undefined && { after }) } as const;
    for await (const _event of roster.events.follow(options)) void read();
  } catch (error) {
    if (!signal.aborted) promptOnceIfSignedOut(error);
  }
}

import { useMutation } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import type { SchemaViolation } from "../../client/index.ts";
import { roster } from "../lib/api.ts";
import { violations as texts } from "../texts/schema.ts";
import { Button } from "../ui/button.tsx";
import { ErrorState } from "../ui/states.tsx";
import { ViolationList } from "./violation-list.tsx";

const STEP = 50;

/** Finds the users that do not conform to the saved schema. */
export function Violations({ isUnsaved }: { readonly isUnsaved: boolean }) {
  const heading = useId();
  const search = useViolations();
  return (
    <section className="violations" aria-labelledby={heading}>
      <div className="section-head">
        <div>
          <h2 id={heading} className="section-title">
            {texts.title}
          </h2>
          <p className="hint">{isUnsaved ? texts.unsaved : texts.hint}</p>
        </div>
        {!search.isDone && (
          <div className="actions">
            {search.isReading && <Button onClick={search.stop}>{texts.stop}</Button>}
            <Button busy={search.isReading} onClick={search.read}>
              {search.found.length > 0 ? texts.more : texts.find}
            </Button>
          </div>
        )}
      </div>
      {search.error ? (
        <ErrorState error={search.error} retry={search.read} />
      ) : search.found.length > 0 ? (
        <ViolationList violations={search.found} />
      ) : (
        search.isDone && (
          <p className="notice test-result" role="status">
            <CircleCheck aria-hidden />
            {texts.none}
          </p>
        )
      )}
    </section>
  );
}

interface Search {
  readonly stop: AbortController;
  readonly users: AsyncGenerator<SchemaViolation, void>;
}

/** Reads violations step by step. The service checks users one page after the other. */
function useViolations() {
  const [found, setFound] = useState<readonly SchemaViolation[]>([]);
  const [isDone, setDone] = useState(false);
  const search = useRef<Search>(undefined);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      search.current ??= startSearch();
      const { users, stop } = search.current;
      try {
        for (let step = 0; step < STEP; step++) {
          const { value, done } = await users.next();
          if (done) return setDone(true);
          setFound((before) => [...before, value]);
        }
      } catch (error) {
        search.current = undefined;
        setFound([]);
        if (!stop.signal.aborted) throw error;
      }
    },
  });
  useEffect(() => () => search.current?.stop.abort(), []);
  return {
    found,
    isDone,
    isReading: isPending,
    error,
    read: () => mutate(),
    stop: () => search.current?.stop.abort(),
  };
}

function startSearch(): Search {
  const stop = new AbortController();
  return { stop, users: roster.schema.violations({ signal: stop.signal }) };
}

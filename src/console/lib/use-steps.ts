import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

interface Reading<Item> {
  readonly stop: AbortController;
  readonly items: AsyncGenerator<Item, void>;
}

/** Reads a long list step by step: `read` reads the next `step` items. */
export function useSteps<Item>(start: (signal: AbortSignal) => AsyncGenerator<Item, void>, step: number) {
  const [found, setFound] = useState<readonly Item[]>([]);
  const [isDone, setDone] = useState(false);
  const reading = useRef<Reading<Item>>(undefined);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      reading.current ??= begin(start);
      const { items, stop } = reading.current;
      try {
        for (let read = 0; read < step; read++) {
          const { value, done } = await items.next();
          if (done) return setDone(true);
          setFound((before) => [...before, value]);
        }
      } catch (error) {
        reading.current = undefined;
        setFound([]);
        if (!stop.signal.aborted) throw error;
      }
    },
  });
  useEffect(() => () => reading.current?.stop.abort(), []);
  return {
    found,
    isDone,
    isReading: isPending,
    error,
    read: () => mutate(),
    stop: () => reading.current?.stop.abort(),
  };
}

function begin<Item>(start: (signal: AbortSignal) => AsyncGenerator<Item, void>): Reading<Item> {
  const stop = new AbortController();
  return { stop, items: start(stop.signal) };
}

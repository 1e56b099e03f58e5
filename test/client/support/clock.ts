import { spyOn } from "bun:test";
import * as timer from "../../../src/client/transport/timer.ts";

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** The time of the client. The test, its servers and a service keep the real time. */
interface StoppedClock {
  /** Moves the time on, and fires the timers that are due. */
  readonly pass: (ms: number) => void;
  /** The milliseconds after which the running timers fire. */
  readonly timers: () => number[];
}

const replaced = new Set<() => void>();

/** The client uses the real time again. */
export function restoreClock(): void {
  for (const restore of replaced) restore();
  replaced.clear();
}

/** Stops the time of the client: only `pass` moves it on. */
export function stopClock(): StoppedClock {
  let time = 0;
  const timers = new Set<Timer>();
  const now = spyOn(timer, "now").mockImplementation(() => time);
  const startTimer = spyOn(timer, "startTimer").mockImplementation((callback, ms) => {
    const started = { due: time + ms, callback };
    timers.add(started);
    return () => timers.delete(started);
  });
  replaced.add(() => now.mockRestore()).add(() => startTimer.mockRestore());
  const nextTimer = (until: number) =>
    [...timers].filter(({ due }) => due <= until).sort((a, b) => a.due - b.due)[0];
  return {
    pass(ms) {
      const until = time + ms;
      for (let next = nextTimer(until); next; next = nextTimer(until)) {
        timers.delete(next);
        time = next.due;
        next.callback();
      }
      time = until;
    },
    timers: () => [...timers].map(({ due }) => due - time).sort((a, b) => a - b),
  };
}

/** Lets the delays of the client pass at once, and returns them in milliseconds. */
export function skipDelays(): readonly number[] {
  const delays: number[] = [];
  const wait = spyOn(timer, "wait").mockImplementation(async (ms, signal) => {
    delays.push(ms);
    signal?.throwIfAborted();
  });
  replaced.add(() => wait.mockRestore());
  return delays;
}

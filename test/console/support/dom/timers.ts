/** As in a browser with 60 frames per second. */
const FRAME_MS = 16;

type Callback = (...values: unknown[]) => unknown;

/** The timers of a window, which all end with it. */
export function createTimers() {
  const pending = new Set<NodeJS.Timeout>();
  const clear = (timer: NodeJS.Timeout | undefined) => {
    clearTimeout(timer);
    if (timer) pending.delete(timer);
  };
  const start = (callback: Callback, ms: number | undefined, values: unknown[]) => {
    const timer = setTimeout(() => {
      pending.delete(timer);
      callback(...values);
    }, ms);
    pending.add(timer);
    return timer;
  };
  return {
    methods: {
      setTimeout: (callback: Callback, ms?: number, ...values: unknown[]) => start(callback, ms, values),
      setInterval: (callback: Callback, ms?: number, ...values: unknown[]) => {
        const timer = setInterval(callback, ms, ...values);
        pending.add(timer);
        return timer;
      },
      requestAnimationFrame: (callback: Callback) => start(() => callback(performance.now()), FRAME_MS, []),
      clearTimeout: clear,
      clearInterval: clear,
      cancelAnimationFrame: clear,
    },
    end() {
      for (const timer of pending) clear(timer);
    },
  };
}

/** The longest delay that `setTimeout` supports: 24 days. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

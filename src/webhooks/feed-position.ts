/** How far a webhook is in the feed: up to where every event is settled, which means delivered or stored. */
export class FeedPosition {
  #settled: number;
  #scanned: number;
  /** The events after `#settled`, in order. */
  readonly #taken: { readonly position: number; isSettled: boolean }[] = [];
  readonly #open = new Map<number, { isSettled: boolean }>();

  constructor(position: number) {
    this.#settled = position;
    this.#scanned = position;
  }

  /** Every event up to here was taken, or does not concern the webhook. */
  get scanned(): number {
    return this.#scanned;
  }

  get settled(): number {
    while (this.#taken[0]?.isSettled) this.#settled = this.#taken.shift()?.position ?? this.#settled;
    return this.#taken.length === 0 ? this.#scanned : this.#settled;
  }

  /** The first event that is taken and not settled; undefined if there is none. */
  get oldestOpen(): number | undefined {
    this.#settled = this.settled;
    return this.#taken[0]?.position;
  }

  take(position: number): void {
    this.#settled = this.settled;
    const entry = { position, isSettled: false };
    this.#taken.push(entry);
    this.#open.set(position, entry);
  }

  settle(position: number): void {
    const entry = this.#open.get(position);
    if (!entry) return;
    entry.isSettled = true;
    this.#open.delete(position);
  }

  moveTo(scanned: number): void {
    this.#scanned = scanned;
  }
}

const NAME = "roster_webhook_deliveries_total";
const LAG_NAME = "roster_webhook_lag_seconds";

/** Counts attempts to deliver events to webhooks, and shows how late deliveries are. */
export class WebhookMetrics {
  readonly #counts = { delivered: 0, retried: 0, failed: 0 };
  #lagSeconds = () => 0;

  count(outcome: "delivered" | "retried" | "failed"): void {
    this.#counts[outcome]++;
  }

  /** `lagSeconds` is called at each scrape. */
  watchLag(lagSeconds: () => number): void {
    this.#lagSeconds = lagSeconds;
  }

  lines(): string[] {
    return [
      `# HELP ${NAME} Attempts of this node to deliver an event to a webhook: delivered, to be retried, or failed for good.`,
      `# TYPE ${NAME} counter`,
      ...Object.entries(this.#counts).map(([outcome, count]) => `${NAME}{outcome="${outcome}"} ${count}`),
      `# HELP ${LAG_NAME} Age of the oldest event that this node has read for a webhook and not yet sent.`,
      `# TYPE ${LAG_NAME} gauge`,
      `${LAG_NAME} ${this.#lagSeconds()}`,
    ];
  }
}

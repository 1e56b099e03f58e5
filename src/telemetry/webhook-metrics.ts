const NAME = "roster_webhook_deliveries_total";

/** Counts attempts to deliver events to webhooks. */
export class WebhookMetrics {
  readonly #counts = { delivered: 0, retried: 0, failed: 0 };

  count(outcome: "delivered" | "retried" | "failed"): void {
    this.#counts[outcome]++;
  }

  lines(): string[] {
    return [
      `# HELP ${NAME} Attempts of this node to deliver an event to a webhook: delivered, to be retried, or failed for good.`,
      `# TYPE ${NAME} counter`,
      ...Object.entries(this.#counts).map(([outcome, count]) => `${NAME}{outcome="${outcome}"} ${count}`),
    ];
  }
}

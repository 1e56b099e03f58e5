/** The lines of a counter by reason, in the Prometheus text format. */
export function countLines(name: string, help: string, counts: Record<string, number>): string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} counter`,
    ...Object.entries(counts).map(([reason, count]) => `${name}{reason="${reason}"} ${count}`),
  ];
}

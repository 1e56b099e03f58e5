/** One bar, with the text of its value. */
interface Bar {
  readonly label: string;
  readonly value: number;
  readonly text: string;
  /** Drawn in the accent colour. */
  readonly accent: boolean;
}

/** Bars with a scale of their own. On a logarithmic scale, each vertical line is ten times the line before. */
export interface Panel {
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly scale: "linear" | "logarithmic";
}

const COLUMNS = 2;
const PANEL_WIDTH = 430;
const PADDING = 16;
const LABEL_WIDTH = 190;
const VALUE_WIDTH = 70;
const ROW_HEIGHT = 20;
const TITLE_HEIGHT = 28;
const HEADING_HEIGHT = 40;
const BAR_WIDTH = PANEL_WIDTH - LABEL_WIDTH - VALUE_WIDTH - PADDING;

/** The chart has its own background: it is readable on any page. */
const style = `
  .background { fill: #ffffff } .grid { stroke: #d0d7de }
  text { font: 12px system-ui, sans-serif; fill: #1f2328 } .heading { font-size: 15px; font-weight: 600 }
  .title { font-weight: 600 } .bar { fill: #8c959f } .accent { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    .background { fill: #0d1117 } .grid { stroke: #30363d } text { fill: #e6edf3 } .bar { fill: #6e7681 } .accent { fill: #4493f8 }
  }`;

/** An SVG image of horizontal bars, two panels per row. */
export function renderChart(heading: string, panels: readonly Panel[]): string {
  const height = (panel: Panel) => TITLE_HEIGHT + panel.bars.length * ROW_HEIGHT + PADDING;
  const rows = Array.from({ length: Math.ceil(panels.length / COLUMNS) }, (_, row) =>
    panels.slice(row * COLUMNS, (row + 1) * COLUMNS),
  );
  const parts: string[] = [];
  let top = HEADING_HEIGHT;
  for (const row of rows) {
    for (const [column, panel] of row.entries())
      parts.push(renderPanel(panel, PADDING + column * PANEL_WIDTH, top));
    top += Math.max(...row.map(height));
  }
  const width = PADDING + Math.min(COLUMNS, panels.length) * PANEL_WIDTH;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${width}" height="${top}" role="img" aria-label="${escapeXml(heading)}">
<style>${style}
</style>
<rect class="background" width="${width}" height="${top}" rx="8"/>
<text class="heading" x="${PADDING}" y="26">${escapeXml(heading)}</text>
${parts.join("\n")}
</svg>
`;
}

function renderPanel({ title, bars, scale }: Panel, left: number, top: number): string {
  const { length, lines } = createScale(
    bars.map(({ value }) => value),
    scale,
  );
  const start = left + LABEL_WIDTH;
  const rows = bars.map(({ label, value, text, accent }, index) => {
    const middle = top + TITLE_HEIGHT + index * ROW_HEIGHT + ROW_HEIGHT / 2;
    const width = Math.max(1, length(value));
    return `<text x="${start - 8}" y="${middle + 4}" text-anchor="end">${escapeXml(label)}</text>
<rect class="${accent ? "accent" : "bar"}" x="${start}" y="${middle - 6}" width="${width.toFixed(1)}" height="12"/>
<text x="${(start + width + 6).toFixed(1)}" y="${middle + 4}">${escapeXml(text)}</text>`;
  });
  const bottom = top + TITLE_HEIGHT + bars.length * ROW_HEIGHT;
  const grid = lines.map((line) => {
    const x = (start + length(line)).toFixed(1);
    return `<line class="grid" x1="${x}" x2="${x}" y1="${top + TITLE_HEIGHT}" y2="${bottom}"/>`;
  });
  return [
    `<text class="title" x="${left}" y="${top + 16}">${escapeXml(title)}</text>`,
    ...grid,
    ...rows,
  ].join("\n");
}

/** The length of a bar by its value, and the values of the vertical lines. */
function createScale(values: readonly number[], scale: Panel["scale"]) {
  const largest = Math.max(...values);
  if (scale === "linear") return { length: (value: number) => (value / largest) * BAR_WIDTH, lines: [0] };
  // The smallest bar still has a length.
  const first = Math.floor(Math.log10(Math.min(...values) * 0.8));
  const powers = Math.log10(largest) - first;
  return {
    length: (value: number) => ((Math.log10(value) - first) / powers) * BAR_WIDTH,
    lines: Array.from({ length: Math.floor(powers) + 1 }, (_, index) => 10 ** (first + index)),
  };
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

import { type PointerEvent, type ReactNode, useState } from "react";
import { formatNumber } from "../texts/format.ts";
import { charts as texts } from "../texts/overview.ts";
import type { ChartPoint } from "./day-points.ts";
import { positionOf, type Scale, scaleOf } from "./scale.ts";

interface ChartProps {
  readonly title: ReactNode;
  /** A sentence about the whole chart, for people who do not see it. */
  readonly summary: string;
  /** The names of the series, in the order of their values. */
  readonly series: readonly string[];
  readonly points: readonly ChartPoint[];
  readonly kind: "bars" | "line";
}

/** Height of the drawing in its own units. Its width is one unit per point. */
const HEIGHT = 100;
/** Part of a point's width that its bars take. */
const BAR_WIDTH = 0.72;

/** A chart of one or two series over time. Pointing at it shows the values of a day; a table has all of them. */
export function Chart({ title, summary, series, points, kind }: ChartProps) {
  const [pointed, setPointed] = useState<number>();
  const scale = scaleOf(
    points.flatMap(({ values }) => values),
    kind === "bars",
  );
  const shown = pointed === undefined ? undefined : points[pointed];
  const point = ({ currentTarget, clientX }: PointerEvent<SVGSVGElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setPointed(
      Math.max(0, Math.min(points.length - 1, Math.floor(((clientX - left) / width) * points.length))),
    );
  };
  return (
    <figure className="chart">
      <figcaption className="chart-head">
        <span className="chart-title">{title}</span>
        <span className="chart-legend">
          {shown && <span>{shown.label}</span>}
          {(series.length > 1 || shown) &&
            series.map((name, index) => (
              <span key={name} className={`chart-key series-${index + 1}`}>
                {name}
                {shown && <strong className="figure">{formatNumber(shown.values[index] ?? 0)}</strong>}
              </span>
            ))}
        </span>
      </figcaption>
      <div className="chart-body">
        <div className="chart-values figure" aria-hidden>
          {scale.lines.toReversed().map((value) => (
            <span key={value}>{formatNumber(value)}</span>
          ))}
        </div>
        <svg
          className="chart-plot"
          viewBox={`0 0 ${points.length} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={summary}
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => setPointed(undefined)}
        >
          {scale.lines.map((value) => (
            <line
              key={value}
              className="chart-line"
              x1={0}
              x2={points.length}
              y1={yOf(scale, value)}
              y2={yOf(scale, value)}
            />
          ))}
          {pointed !== undefined && (
            <rect className="chart-pointed" x={pointed} y={0} width={1} height={HEIGHT} />
          )}
          {kind === "bars" ? (
            <Bars series={series} points={points} scale={scale} />
          ) : (
            <Area points={points} scale={scale} />
          )}
        </svg>
        <div className="chart-days hint" aria-hidden>
          <span>{points[0]?.label}</span>
          {points.length > 2 && <span>{points[Math.floor((points.length - 1) / 2)]?.label}</span>}
          {points.length > 1 && <span>{points.at(-1)?.label}</span>}
        </div>
      </div>
      <ChartTable series={series} points={points} />
    </figure>
  );
}

interface MarksProps {
  readonly points: readonly ChartPoint[];
  readonly scale: Scale;
}

function Bars({ series, points, scale }: MarksProps & Pick<ChartProps, "series">) {
  const width = BAR_WIDTH / series.length;
  return points.flatMap(({ label, values }, index) =>
    series.map((name, order) => {
      const y = yOf(scale, values[order] ?? 0);
      return (
        <rect
          key={`${label} ${name}`}
          className={`series-${order + 1}`}
          x={index + (1 - BAR_WIDTH) / 2 + order * width}
          y={y}
          width={width}
          height={HEIGHT - y}
        />
      );
    }),
  );
}

/** The first series as a line. The area below it shows only if it begins at 0: otherwise it would exaggerate. */
function Area({ points, scale }: MarksProps) {
  const places = points.map(({ values }, index) => `${index + 0.5},${yOf(scale, values[0] ?? 0)}`);
  // A line that reaches both edges also shows a single day.
  const line = [
    `0,${places[0]?.split(",")[1]}`,
    ...places,
    `${points.length},${places.at(-1)?.split(",")[1]}`,
  ].join(" ");
  return (
    <>
      {scale.low === 0 && (
        <polygon className="chart-area" points={`0,${HEIGHT} ${line} ${points.length},${HEIGHT}`} />
      )}
      <polyline className="chart-curve" points={line} />
    </>
  );
}

function ChartTable({ series, points }: Pick<ChartProps, "series" | "points">) {
  const [open, setOpen] = useState(false);
  return (
    <details className="chart-table" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts.table}</summary>
      {open && (
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.date}</th>
              {series.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points.toReversed().map(({ label, values }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {series.map((name, index) => (
                  <td key={name} className="figure">
                    {formatNumber(values[index] ?? 0)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}

function yOf(scale: Scale, value: number): number {
  return HEIGHT * (1 - positionOf(scale, value));
}

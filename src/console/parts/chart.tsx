/** Values over time. The library that draws them is loaded once a chart is shown. */
import { useEffect, useRef, useState } from "preact/hooks";
import type Plot from "uplot";

const HEIGHT = 170;

type Series = {
  readonly name: string;
  readonly values: readonly (number | null)[];
};

/** `14:05:30`, in UTC, as the console shows all times. */
const clock = (seconds: number) => new Date(1000 * seconds).toISOString().slice(11, 19);

/** The times of the axis. */
const clocks = (_: Plot, splits: number[]) => splits.map(clock);

/** Of the axis of times, so that its first readings stand at distinct ones. */
const SECONDS_MIN = 60;
/** The first readings are too close to each other for a line. */
const POINTS_MAX = 5;

const shown = (value: number | null | undefined) =>
  value === null || value === undefined ? "–" : value.toFixed(value < 10 ? 1 : 0);

function optionsOf(series: readonly Series[], figure: HTMLElement, follow: (plot: Plot) => void) {
  const colourOf = (selector: string) => {
    const element = figure.querySelector(selector);
    return element ? getComputedStyle(element).color : "gray";
  };
  const axis = {
    stroke: colourOf(".quiet"),
    grid: { stroke: colourOf(".grid"), width: 1 },
    ticks: { show: false },
  };
  return {
    width: figure.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: {
      x: {
        range: (_: Plot, min: number, max: number): [number, number] => [
          Math.min(min, max - SECONDS_MIN),
          max,
        ],
      },
      y: { range: (_: Plot, __: number, max: number) => [0, Math.max(1, 1.1 * max)] },
    },
    axes: [
      { ...axis, values: clocks, space: 90 },
      { ...axis, size: 48 },
    ],
    series: [
      {},
      ...series.map((_, n) => ({
        stroke: colourOf(`dl > :nth-child(${n + 1}) > dt`),
        width: 2,
        points: { show: ({ data: [at] }: Plot) => at.length < POINTS_MAX, size: 4 },
        ...(n > 0 && { dash: [6, 3] }),
      })),
    ],
    hooks: { setCursor: [follow] },
  } satisfies Plot.Options;
}

/** `unit`: follows each value. The first series is drawn as a line, the second one dashed. */
export function Chart({
  title,
  unit,
  at,
  series,
}: {
  title: string;
  unit: string;
  /** Seconds since 1970. */
  at: readonly number[];
  series: readonly Series[];
}) {
  const figure = useRef<HTMLElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot>(undefined);
  const [error, setError] = useState<unknown>();
  /** The reading under the pointer; the last one without it. */
  const [chosen, setChosen] = useState<number | null>();
  const data = [at, ...series.map(({ values }) => values)] as unknown as Plot.AlignedData;
  const latest = useRef(data);
  latest.current = data;

  useEffect(() => {
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const fitting = new ResizeObserver(() => {
      if (figure.current)
        plot.current?.setSize({ width: figure.current.clientWidth, height: HEIGHT });
    });
    let isGone = false;
    const draw = async () => {
      try {
        const { default: Uplot } = await import("uplot");
        if (isGone || !figure.current || !box.current) return;
        plot.current?.destroy();
        const options = optionsOf(series, figure.current, ({ cursor }) => setChosen(cursor.idx));
        plot.current = new Uplot(options, latest.current, box.current);
        fitting.observe(figure.current);
      } catch (failure) {
        setError(failure);
      }
    };
    scheme.addEventListener("change", draw);
    void draw();
    return () => {
      isGone = true;
      scheme.removeEventListener("change", draw);
      fitting.disconnect();
      plot.current?.destroy();
    };
  }, []);
  useEffect(() => plot.current?.setData(data), [at]);

  const n = chosen ?? at.length - 1;
  return (
    <figure class="chart" ref={figure}>
      <figcaption>
        {title} <span class="quiet">{at[n] === undefined ? "" : clock(at[n])}</span>
      </figcaption>
      <dl>
        {series.map(({ name, values }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="number">
              {shown(values[n])} {unit}
            </dd>
          </div>
        ))}
      </dl>
      {error ? <p class="quiet">{String(error)}</p> : <div ref={box} aria-hidden="true" />}
      <span class="grid" hidden />
    </figure>
  );
}

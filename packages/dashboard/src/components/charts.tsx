import { useMantineTheme, useComputedColorScheme } from '@mantine/core';
import { useState } from 'react';
import {
  Area,
  Bar,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceArea,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { printDay, printNumber, printTime, printValue } from './chart-print.ts';
import type { ZoomRange } from './chart-zoom.ts';

/** One line, bar or band of a chart. */
export interface Series {
  /** The property of a point. A band has its two ends as a list: `[low, high]`. */
  readonly name: string;
  readonly label: string;
  readonly kind: 'line' | 'bar' | 'band';
  /** A color of the theme. */
  readonly color: string;
  /** Bars of one stack stand on each other. */
  readonly stack?: string;
  /** A thin dashed line, for what others are compared with. */
  readonly isDashed?: boolean;
}

export type ChartPoint = { readonly at: number } & Readonly<
  Record<string, number | readonly [number, number] | string | null>
>;

export interface SeriesChartProps {
  /** What the chart shows, for screen readers. */
  readonly label: string;
  readonly points: readonly ChartPoint[];
  readonly series: readonly Series[];
  readonly unit: string;
  readonly height?: number;
  /** The range that is usual, as a band; an open end is null. */
  readonly reference?: { readonly low: number | null; readonly high: number | null };
  /** Days have one bar each; times stand where they happened. */
  readonly scale?: 'days' | 'time';
  readonly print?: (value: number) => string;
  /** Called with the times between which a person dragged. */
  readonly onSelect?: (range: ZoomRange) => void;
}

const MARGIN = { top: 8, right: 12, bottom: 0, left: 0 };
const TICKS = 4;

export function SeriesChart(props: SeriesChartProps) {
  const { label, points, series, unit, height = 220, reference, scale = 'days', print = printNumber } = props;
  const paint = usePaint();
  const [low, high] = domainOf(props);
  const { selected, handlers } = useDrag(props.onSelect);
  return (
    <div
      role="figure"
      aria-label={label}
      className={props.onSelect ? 'chart-zoomable' : ''}
      style={{ width: '100%', height }}
    >
      <ResponsiveContainer>
        <ComposedChart data={[...points]} margin={MARGIN} {...handlers}>
          <CartesianGrid vertical={false} stroke={paint.grid} />
          <XAxis
            dataKey="at"
            tickFormatter={printDay}
            {...(scale === 'time' ? { type: 'number', scale: 'time', domain: ['dataMin', 'dataMax'] } : {})}
            padding={scale === 'time' ? { left: 24, right: 24 } : { left: 4, right: 4 }}
            minTickGap={32}
            tick={{ fill: paint.text, fontSize: 12 }}
            stroke={paint.grid}
            tickLine={false}
          />
          <YAxis
            width={52}
            domain={[low, high]}
            tickCount={TICKS + 1}
            allowDataOverflow={false}
            allowDecimals={!isWhole(props)}
            tickFormatter={print}
            tick={{ fill: paint.text, fontSize: 12 }}
            axisLine={false}
            tickLine={false}
          />
          <Tooltip
            isAnimationActive={false}
            contentStyle={paint.tooltip}
            cursor={{ stroke: paint.text, strokeDasharray: '3 3', fill: paint.grid, fillOpacity: 0.4 }}
            labelFormatter={(value) => printTime(value, scale)}
            formatter={(value, name) => [`${printValue(value, print)} ${unit}`, String(name)]}
          />
          {reference && (
            <ReferenceArea
              y1={reference.low ?? low}
              y2={reference.high ?? high}
              fill={paint.color('teal')}
              fillOpacity={0.13}
              ifOverflow="hidden"
            />
          )}
          {selected && (
            <ReferenceArea x1={selected.from} x2={selected.to} fill={paint.text} fillOpacity={0.15} />
          )}
          {series.map((one) => drawSeries(one, paint.color(one.color)))}
        </ComposedChart>
      </ResponsiveContainer>
    </div>
  );
}

interface ChartMouse {
  readonly activeLabel?: string | number | undefined;
}

/** A drag over the chart, from where the button went down to the point at which it is now. */
function useDrag(onSelect: SeriesChartProps['onSelect']) {
  const [start, setStart] = useState<number>();
  const [end, setEnd] = useState<number>();
  if (!onSelect) return { selected: undefined, handlers: {} };
  const selected =
    start === undefined || end === undefined || start === end
      ? undefined
      : { from: Math.min(start, end), to: Math.max(start, end) };
  const read = ({ activeLabel }: ChartMouse) => (activeLabel === undefined ? undefined : Number(activeLabel));
  const stop = () => {
    setStart(undefined);
    setEnd(undefined);
  };
  const handlers = {
    onMouseDown: (mouse: ChartMouse) => setStart(read(mouse)),
    onMouseMove: (mouse: ChartMouse) => start !== undefined && setEnd(read(mouse) ?? end),
    onMouseUp: () => {
      if (selected) onSelect(selected);
      stop();
    },
    onMouseLeave: stop,
  };
  return { selected, handlers };
}

function drawSeries({ name, label, kind, stack, isDashed = false }: Series, color: string) {
  const common = { key: name, dataKey: name, name: label, isAnimationActive: false } as const;
  if (kind === 'bar')
    return (
      <Bar
        {...common}
        key={name}
        fill={color}
        maxBarSize={28}
        {...(stack === undefined ? {} : { stackId: stack })}
      />
    );
  if (kind === 'band')
    return <Area {...common} key={name} stroke="none" fill={color} fillOpacity={0.22} connectNulls={false} />;
  return (
    <Line
      {...common}
      key={name}
      stroke={color}
      {...(isDashed
        ? { strokeWidth: 1.5, strokeDasharray: '4 4', dot: false }
        : { strokeWidth: 2, dot: { r: 3, fill: color, strokeWidth: 0 } })}
      connectNulls
    />
  );
}

/** From zero for bars; else around the values and the ends of the reference range. */
function domainOf({ points, series, reference }: SeriesChartProps): [number | 'auto', number | 'auto'] {
  if (series.some(({ kind }) => kind === 'bar')) return [0, 'auto'];
  const values = points.flatMap((point) => series.flatMap(({ name }) => point[name] ?? []));
  const ends = [reference?.low, reference?.high].filter((end) => typeof end === 'number');
  const all = [...values.map(Number), ...ends].filter(Number.isFinite);
  if (all.length === 0) return ['auto', 'auto'];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const step = niceStep((high - low || Math.abs(high) || 1) / TICKS);
  const bottom = Math.floor((low - step / 2) / step) * step;
  return [low >= 0 ? Math.max(0, bottom) : bottom, Math.ceil((high + step / 2) / step) * step];
}

/** Whether only whole numbers are shown, such as counts: a quarter of an order is none. */
const isWhole = ({ points, series }: SeriesChartProps): boolean =>
  points.every((point) => series.every(({ name }) => Number.isInteger(point[name] ?? 0)));

/** The next of 1, 2, 5 times a power of ten: what people read easily at an axis. */
function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((one) => one * power >= rough) ?? 10;
  return factor * power;
}

function usePaint() {
  const theme = useMantineTheme();
  const isDark = useComputedColorScheme() === 'dark';
  return {
    color: (name: string) => theme.colors[name]?.[isDark ? 5 : 6] ?? name,
    grid: isDark ? '#3b3b3b' : '#e5e7eb',
    text: isDark ? '#c9c9c9' : '#57606a',
    tooltip: {
      background: isDark ? '#242424' : '#ffffff',
      border: `1px solid ${isDark ? '#424242' : '#dee2e6'}`,
      borderRadius: 6,
      fontSize: 12,
    },
  };
}

import { isoDay } from '../clock.ts';
import type { TrendChart, TrendPoint } from './block.ts';
import { toPrintable } from './fonts.ts';
import { joinStrips, lineStrips } from './lines.ts';
import { COLOR, moveMarks, rule, tagMarks, type DrawingMark, type TextMark } from './marks.ts';
import { measureText } from './measure.ts';
import type { LayoutStrip } from './strip.ts';
import { createTimeScale, createValueScale, type ValueScale } from './trend-scale.ts';

const PLOT_HEIGHT = 70;
/** For the labels of the value axis. */
const AXIS_WIDTH = 32;
/** Between the plot and its first and last point, so that their labels stay within the chart. */
const INSET = 22;
const DATE_HEIGHT = 14;
const BOTTOM_GAP = 7;
const TITLE = { size: 8.5, weight: 'bold', color: COLOR.ink } as const;
const SUBTITLE = { size: 7, weight: 'regular', color: COLOR.soft } as const;
const AXIS = { size: 7, weight: 'regular', color: COLOR.soft } as const;
const DOT = { earlier: 5, newest: 7 };

/**
 * A chart of one quantity over time: a line through dated points over a band that shows the reference range. Both axes
 * are linear, and the value axis does not start at zero, or sodium would never seem to change. A value outside the
 * range of the method (`<0.1`) is a hollow point at its limit. A label without room is left out; the newest point has
 * the first choice, and the text alternative has all values.
 */
export function trendStrip(chart: TrendChart, width: number): LayoutStrip {
  const head = joinStrips([
    ...lineStrips(chart.title, width, TITLE),
    ...lineStrips(chart.subtitle, width, SUBTITLE),
  ]);
  const notes = joinStrips(chart.note === null ? [] : lineStrips(chart.note, width, SUBTITLE));
  const plotTop = head.height + 3;
  const notesTop = plotTop + PLOT_HEIGHT + DATE_HEIGHT;
  const plot = placePlot(chart, width);
  const figure = [
    ...head.marks,
    ...moveMarks([...lineMarks(plot), ...dotMarks(plot), ...labelMarks(plot)], AXIS_WIDTH, plotTop),
    ...moveMarks(notes.marks, 0, notesTop),
  ];
  return {
    height: notesTop + notes.height + BOTTOM_GAP,
    marks: [
      ...moveMarks(frameMarks(plot, chart), AXIS_WIDTH, plotTop),
      ...tagMarks({ role: 'Figure', alt: chart.inWords }, figure),
    ],
  };
}

interface PlacedPoint extends TrendPoint {
  readonly x: number;
  readonly y: number;
  readonly isNewest: boolean;
}

interface TrendPlot {
  readonly width: number;
  readonly scale: ValueScale;
  /** Oldest first. */
  readonly points: readonly PlacedPoint[];
}

function placePlot({ points, low, high }: TrendChart, width: number): TrendPlot {
  const bounds = [low, high].filter((bound) => bound !== null);
  const scale = createValueScale([...points.map(({ value }) => value), ...bounds], PLOT_HEIGHT);
  const plotWidth = width - AXIS_WIDTH;
  const xOf = createTimeScale(
    points.map(({ at }) => at),
    { from: INSET, to: plotWidth - INSET },
  );
  return {
    width: plotWidth,
    scale,
    points: points.map((point, index) => ({
      ...point,
      x: xOf(point.at),
      y: scale.yOf(point.value),
      isNewest: index === points.length - 1,
    })),
  };
}

/** The band, the grid with the values of its lines, and the ticks of the dates: decoration for a screen reader. */
function frameMarks({ width, scale, points }: TrendPlot, { low, high }: TrendChart): DrawingMark[] {
  const top = high === null ? 0 : scale.yOf(high);
  const bottom = low === null ? PLOT_HEIGHT : scale.yOf(low);
  const band: DrawingMark[] =
    low === null && high === null
      ? []
      : [{ kind: 'box', x: 0, y: top, width, height: bottom - top, fill: COLOR.band }];
  const line = { x: 0, width, thickness: 0.4, color: COLOR.rule };
  return [
    ...band,
    ...scale.ticks.flatMap(({ y, label }): DrawingMark[] => [
      rule({ ...line, y }),
      textMark(label, { x: -4 - measureText(label, AXIS), y: y + 2.3, style: AXIS }),
    ]),
    rule({ ...line, y: PLOT_HEIGHT, thickness: 0.8, color: COLOR.past }),
    ...points.map(({ x }): DrawingMark => ({
      kind: 'box',
      x: x - 0.3,
      y: PLOT_HEIGHT,
      width: 0.6,
      height: 3,
      fill: COLOR.past,
    })),
  ];
}

function lineMarks({ points }: TrendPlot): DrawingMark[] {
  if (points.length < 2) return [];
  const [left, top] = [Math.min(...points.map(({ x }) => x)), Math.min(...points.map(({ y }) => y))];
  return [
    {
      kind: 'polyline',
      x: left,
      y: top,
      width: Math.max(...points.map(({ x }) => x)) - left,
      height: Math.max(...points.map(({ y }) => y)) - top,
      points: points.map(({ x, y }) => [x - left, y - top] as const),
      thickness: 1.2,
      color: COLOR.past,
    },
  ];
}

const colorOf = ({ isRemarkable }: TrendPoint): string => (isRemarkable ? COLOR.alarm : COLOR.ink);

const dotMarks = ({ points }: TrendPlot): DrawingMark[] =>
  points.map((point) => {
    const size = point.isNewest ? DOT.newest : DOT.earlier;
    const color = colorOf(point);
    return {
      kind: 'dot',
      x: point.x - size / 2,
      y: point.y - size / 2,
      width: size,
      height: size,
      fill: point.isLimit ? '#ffffff' : color,
      stroke: color,
    };
  });

interface LabelBox {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The newest and the first point are labelled before those between them, from the newest to the oldest. */
const byImportance = (points: readonly PlacedPoint[]): PlacedPoint[] => {
  const [first, ...rest] = points;
  const newest = rest.pop();
  return [newest, first, ...rest.toReversed()].filter((point) => point !== undefined);
};

/** The value above or below each point, and its date on the time axis, as far as they do not overlap. */
function labelMarks({ points }: TrendPlot): TextMark[] {
  const taken: LabelBox[] = points.map(({ x, y }) => ({
    left: x - 3,
    right: x + 3,
    top: y - 3,
    bottom: y + 3,
  }));
  const place = (candidates: readonly TextMark[]): TextMark[] => {
    const free = candidates.find((mark) => taken.every((box) => !areOverlapping(box, boxOf(mark))));
    if (!free) return [];
    taken.push(boxOf(free));
    return [free];
  };
  return byImportance(points).flatMap((point) => {
    const label = toPrintable(point.label);
    const style = {
      size: point.isNewest ? 8.5 : 7.5,
      weight: point.isNewest || point.isRemarkable ? 'bold' : 'regular',
      color: colorOf(point),
    } as const;
    const date = formatShortDay(point.at);
    const above = centered(label, { x: point.x, y: point.y - 5.5, style });
    const below = centered(label, { x: point.x, y: point.y + 11, style });
    const sides = isValley(points, point) ? [below, above] : [above, below];
    return [
      ...place(sides.filter(isInPlot)),
      ...place([centered(date, { x: point.x, y: PLOT_HEIGHT + 10, style: AXIS })]),
    ];
  });
}

const isInPlot = (mark: TextMark): boolean => mark.y > mark.size * 0.75 && mark.y < PLOT_HEIGHT - 1;

/** Whether the line comes from above on both sides, and would cross a label above the point. */
function isValley(points: readonly PlacedPoint[], point: PlacedPoint): boolean {
  const index = points.indexOf(point);
  const neighbors = [points[index - 1], points[index + 1]].filter((each) => each !== undefined);
  return neighbors.length > 0 && neighbors.every(({ y }) => y < point.y);
}

/** `03/02/26`. */
const formatShortDay = (at: Date): string => {
  const [year = '', month, day] = isoDay(at).split('-');
  return `${month}/${day}/${year.slice(2)}`;
};

interface LabelPosition {
  readonly x: number;
  /** The baseline. */
  readonly y: number;
  readonly style: Pick<TextMark, 'size' | 'weight' | 'color'>;
}

const textMark = (text: string, { x, y, style }: LabelPosition): TextMark => ({
  kind: 'text',
  x,
  y,
  text,
  ...style,
});

const centered = (text: string, { x, y, style }: LabelPosition): TextMark =>
  textMark(text, { x: x - measureText(text, style) / 2, y, style });

const boxOf = (mark: TextMark): LabelBox => ({
  left: mark.x - 1,
  right: mark.x + measureText(mark.text, mark) + 1,
  top: mark.y - mark.size * 0.75,
  bottom: mark.y + mark.size * 0.2,
});

const areOverlapping = (one: LabelBox, other: LabelBox): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

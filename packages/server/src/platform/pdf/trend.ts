import type { TrendChart } from './block.ts';
import { COLOR, type StructureElement, type DrawingMark } from './marks.ts';

const HEIGHT = 11;
const BAR = 4.5;
const BETWEEN = 1.6;
/** The share of the height that stays free above and below the values. */
const FREE = 0.18;

/**
 * Bars over a band that shows the reference range. The bars do not start at zero, or sodium would never seem to change:
 * values are read against the band, not by the length of the bars.
 */
export function trendMarks(
  { values, low, high, inWords }: TrendChart,
  width: number,
  within: StructureElement,
): DrawingMark[] {
  const count = Math.max(1, Math.floor((width + BETWEEN) / (BAR + BETWEEN)));
  const shown = values.slice(-count);
  const y = scaleOf([...shown.map(({ value }) => value), ...[low, high].filter((bound) => bound !== null)]);
  const element: StructureElement = { role: 'Figure', within, alt: inWords };
  const right = shown.length * (BAR + BETWEEN) - BETWEEN;
  const top = high === null ? 0 : y(high);
  const band: DrawingMark[] =
    low === null && high === null
      ? []
      : [
          {
            kind: 'box',
            x: 0,
            y: top,
            width: right,
            height: (low === null ? HEIGHT : y(low)) - top,
            fill: COLOR.band,
          },
        ];
  const bars = shown.map(({ value, isRemarkable }, index): DrawingMark => {
    const isLast = index === shown.length - 1;
    const fill = isRemarkable ? (isLast ? COLOR.alarm : COLOR.past_alarm) : isLast ? COLOR.ink : COLOR.past;
    return {
      kind: 'box',
      x: index * (BAR + BETWEEN),
      y: y(value),
      width: BAR,
      height: HEIGHT - y(value),
      fill,
      element,
    };
  });
  return [...band, ...bars];
}

/** Maps a value to its distance from the top. */
function scaleOf(all: readonly number[]): (value: number) => number {
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const free = (most - least || Math.abs(most) || 1) * FREE;
  const span = most - least + free * 2;
  return (value) => HEIGHT * (1 - (value - least + free) / span);
}

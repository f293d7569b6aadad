import type { Trend } from './block.ts';
import { COLOR, type Element, type Mark } from './marks.ts';

const HEIGHT = 11;
const BAR = 4.5;
const BETWEEN = 1.6;
/** Of the height between the least and the most: above and below it stays free. */
const FREE = 0.18;

/**
 * Bars beside each other on what is usual as a band. They begin below the least of them and not at zero, or sodium
 * would never move: the band, not the length of a bar, is what a value is to be read against.
 */
export function trendMarks({ values, low, high, inWords }: Trend, width: number, within: Element): Mark[] {
  const count = Math.max(1, Math.floor((width + BETWEEN) / (BAR + BETWEEN)));
  const shown = values.slice(-count);
  const y = scaleOf([...shown.map(({ value }) => value), ...[low, high].filter((bound) => bound !== null)]);
  const element: Element = { role: 'Figure', within, alt: inWords };
  const right = shown.length * (BAR + BETWEEN) - BETWEEN;
  const top = high === null ? 0 : y(high);
  const band: Mark[] =
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
  const bars = shown.map(({ value, isRemarkable }, index): Mark => {
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

/** From a value to its place under the upper edge. */
function scaleOf(all: readonly number[]): (value: number) => number {
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const free = (most - least || Math.abs(most) || 1) * FREE;
  const span = most - least + free * 2;
  return (value) => HEIGHT * (1 - (value - least + free) / span);
}

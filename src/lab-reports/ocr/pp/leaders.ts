import type { GrayImage } from '../image.ts';
import { inkOf } from './ink.ts';

/** The foot of the print, in which the dots of a leader stand, as a share of its height. */
const FOOT = 0.42;
/** Fewer dots, or a shorter row of them, may be an ellipsis. */
const LEAST_DOTS = 4;
const LEAST_LENGTH = 40;
/** Dots further apart are none of one leader. */
const FARTHEST = 22;

/**
 * A strip without the rows of dots that lead from a name to its value: they tell nothing, and what stands behind them
 * is misread on a coarse page.
 */
export function withoutLeaders(strip: GrayImage): GrayImage {
  const { width, data } = strip;
  const ink = inkOf(strip);
  const foot = Math.round(ink.bottom - FOOT * (ink.bottom - ink.top));
  const isInked = (x: number, from: number, to: number): boolean => {
    for (let y = from; y < to; y += 1) if ((data[y * width + x] ?? 0) < ink.level) return true;
    return false;
  };
  const fresh = data.slice();
  let found = false;
  let run: Run | undefined;
  for (let x = 0; x <= width; x += 1) {
    const isOver = x === width || isInked(x, ink.top, foot);
    const isDot = !isOver && isInked(x, foot, strip.height);
    if (isDot) run = grown(run, x);
    if (run === undefined || (!isOver && x - run.to < FARTHEST)) continue;
    if (isLeader(run)) {
      found = true;
      for (let y = 0; y < strip.height; y += 1)
        fresh.fill(ink.paper, y * width + run.from, y * width + run.to);
    }
    run = undefined;
  }
  return found ? { ...strip, data: fresh } : strip;
}

interface Run {
  readonly from: number;
  /** Behind the last column with ink. */
  readonly to: number;
  readonly dots: number;
}

const grown = (run: Run | undefined, x: number): Run =>
  run ? { from: run.from, to: x + 1, dots: run.dots + Number(x > run.to) } : { from: x, to: x + 1, dots: 1 };

const isLeader = ({ from, to, dots }: Run): boolean => dots >= LEAST_DOTS && to - from >= LEAST_LENGTH;

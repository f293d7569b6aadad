import type { GrayImage } from '../image.ts';
import { measureInk } from './ink.ts';

/** The lower share of the print height, which contains the dots of a leader. */
const FOOT = 0.42;
/** Fewer dots, or a shorter run, may be an ellipsis. */
const LEAST_DOTS = 4;
const LEAST_LENGTH = 40;
/** Maximum distance between dots of one leader. */
const FARTHEST = 22;

/** Erases dot leaders between a name and its value: at low resolution they make the recognizer misread the value. */
export function removeDotLeaders(strip: GrayImage): GrayImage {
  const { width, data } = strip;
  const ink = measureInk(strip);
  const foot = Math.round(ink.bottom - FOOT * (ink.bottom - ink.top));
  const isInked = (x: number, from: number, to: number): boolean => {
    for (let y = from; y < to; y += 1) if ((data[y * width + x] ?? 0) < ink.level) return true;
    return false;
  };
  const fresh = data.slice();
  let found = false;
  let run: DotRun | undefined;
  for (let x = 0; x <= width; x += 1) {
    const isOver = x === width || isInked(x, ink.top, foot);
    const isDot = !isOver && isInked(x, foot, strip.height);
    if (isDot) run = extendRun(run, x);
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

interface DotRun {
  readonly from: number;
  /** The column after the last one with ink. */
  readonly to: number;
  readonly dots: number;
}

const extendRun = (run: DotRun | undefined, x: number): DotRun =>
  run ? { from: run.from, to: x + 1, dots: run.dots + Number(x > run.to) } : { from: x, to: x + 1, dots: 1 };

const isLeader = ({ from, to, dots }: DotRun): boolean => dots >= LEAST_DOTS && to - from >= LEAST_LENGTH;

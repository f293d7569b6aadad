import { markup, type Markup, type PageView } from '../hosted/hosted.ts';

interface RangedResult {
  readonly type: string;
  readonly value: number | null;
  readonly result: string;
  readonly unit: string | null;
  readonly min_range_value: number | null;
  readonly max_range_value: number | null;
  readonly reference_range: string | null;
}

/** The part of the bar that the usual range takes, and where the value is, in percent. */
interface BarScale {
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** The value as a dot on a bar with the usual range. Nothing for texts, and for values without a range. */
export function rangeBar({ t }: PageView, result: RangedResult): Markup | undefined {
  const scale = scaleOf(result);
  if (!scale) return undefined;
  const value = `${result.result} ${result.unit ?? ''}`.trim();
  const label = t('results.chart', { value, range: result.reference_range ?? '' });
  const percent = (part: number) => `${part.toFixed(1)}%`;
  return markup`<svg class="range" role="img" aria-label="${label}">
<rect class="track" x="0" y="10" width="100%" height="8" rx="4"/>
<rect class="band" x="${percent(scale.from)}" y="10" width="${percent(scale.to - scale.from)}" height="8" rx="4"/>
<circle class="dot" cx="${percent(scale.at)}" cy="14" r="7"/>
</svg>`;
}

const EDGE = 3;
const clamp = (at: number): number => Math.min(100 - EDGE, Math.max(EDGE, at));

function scaleOf({
  type,
  value,
  min_range_value: min,
  max_range_value: max,
}: RangedResult): BarScale | undefined {
  if (type !== 'numeric' || value === null || !Number.isFinite(value)) return undefined;
  if (min !== null && max !== null && max > min)
    return { from: 25, to: 75, at: clamp(25 + (50 * (value - min)) / (max - min)) };
  if (min === null && max !== null && max > 0) return { from: 0, to: 65, at: clamp((65 * value) / max) };
  if (max === null && min !== null && min > 0) return { from: 35, to: 100, at: clamp((35 * value) / min) };
  return undefined;
}

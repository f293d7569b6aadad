import { Box } from '@mantine/core';

interface RangeBarProps {
  readonly value: number;
  readonly min: number | null;
  readonly max: number | null;
}

/** How much of the bar the reference range takes; the rest is for values outside of it. */
const BAND = [0.25, 0.75] as const;

/**
 * Where a value stands to its reference range. With one bound only, the band reaches the open end of the bar. The words
 * of the flag tell the same, so that the picture is hidden from screen readers.
 */
export function RangeBar({ value, min, max }: RangeBarProps) {
  if (min === null && max === null) return null;
  const [from, to] = [min === null ? 0 : BAND[0], max === null ? 1 : BAND[1]];
  const isInside = (min === null || value >= min) && (max === null || value <= max);
  return (
    <Box aria-hidden className="range-bar">
      <Box className="range-bar-band" style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }} />
      <Box
        className="range-bar-mark"
        data-outside={!isInside || undefined}
        style={{ left: `${placeOf(value, min, max) * 100}%` }}
      />
    </Box>
  );
}

function placeOf(value: number, min: number | null, max: number | null): number {
  const [low, high] = BAND;
  const clamp = (place: number) => Math.min(0.98, Math.max(0.02, place));
  if (min !== null && max !== null)
    return clamp(low + ((value - min) / Math.max(max - min, Number.EPSILON)) * (high - low));
  if (max !== null) return clamp(max === 0 ? high : (value / max) * high);
  const bound = min ?? 0;
  return clamp(bound === 0 ? low : (value / bound) * low);
}

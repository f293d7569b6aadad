const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A duration in the unit that people read easily: 320 ms, 4.2 s, 12 min, 3.5 h. */
export function describeDuration(ms: number | null): string {
  if (ms === null) return '–';
  const print = (value: number) =>
    value.toLocaleString(undefined, { maximumFractionDigits: value < 10 ? 1 : 0 });
  if (ms < SECOND) return `${print(ms)} ms`;
  if (ms < MINUTE) return `${print(ms / SECOND)} s`;
  if (ms < HOUR) return `${print(ms / MINUTE)} min`;
  return `${print(ms / HOUR)} h`;
}

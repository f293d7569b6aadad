const [WIDTH, HEIGHT, PADDING] = [260, 72, 8];

interface SparklineProps {
  /** What the picture shows, in words. */
  readonly label: string;
  readonly values: readonly number[];
  readonly min: number | null;
  readonly max: number | null;
}

/** A few values in a row over their reference band: too small for a chart with axes. */
export function Sparkline({ label, values, min, max }: SparklineProps) {
  const all = [...values, ...(min === null ? [] : [min]), ...(max === null ? [] : [max])];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const span = high - low || 1;
  const y = (value: number) => HEIGHT - PADDING - ((value - low) / span) * (HEIGHT - 2 * PADDING);
  const x = (index: number) => PADDING + (index / Math.max(values.length - 1, 1)) * (WIDTH - 2 * PADDING);
  const [top, bottom] = [max === null ? 0 : y(max), min === null ? HEIGHT : y(min)];
  return (
    <svg width={WIDTH} height={HEIGHT} role="img" aria-label={label}>
      {(min !== null || max !== null) && (
        <rect
          x={0}
          y={top}
          width={WIDTH}
          height={bottom - top}
          fill="var(--mantine-color-teal-5)"
          opacity={0.2}
        />
      )}
      <polyline
        points={values.map((value, index) => `${x(index)},${y(value)}`).join(' ')}
        fill="none"
        stroke="var(--mantine-primary-color-filled)"
        strokeWidth={2}
      />
      {values.map((value, index) => (
        // The values have no ids; their place in the row is what they are.
        <circle
          key={`${index}-${value}`}
          cx={x(index)}
          cy={y(value)}
          r={3}
          fill="var(--mantine-primary-color-filled)"
        />
      ))}
    </svg>
  );
}

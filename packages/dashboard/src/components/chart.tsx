import { Group, Skeleton, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { SeriesChartProps } from './charts.tsx';

const SeriesChart = lazy(async () => ({ default: (await import('./charts.tsx')).SeriesChart }));

const BAND_OPACITY = 0.4;

/** A chart. The library that draws it is loaded when the first one is shown. */
export const Chart = (props: SeriesChartProps) => (
  <Suspense fallback={<Skeleton h={props.height ?? 220} />}>
    <SeriesChart {...props} />
  </Suspense>
);

/** The names of the series with their colors, in text: a chart must be readable without its colors. */
export const Legend = ({ series }: Pick<SeriesChartProps, 'series'>) => (
  <Group gap="md">
    {series.map(({ name, label, kind, color }) => (
      <Group key={name} gap={6} wrap="nowrap">
        <span
          aria-hidden
          style={{
            width: 10,
            height: 10,
            borderRadius: 2,
            background: `var(--mantine-color-${color}-6)`,
            opacity: kind === 'band' ? BAND_OPACITY : 1,
          }}
        />
        <Text size="xs">{label}</Text>
      </Group>
    ))}
  </Group>
);

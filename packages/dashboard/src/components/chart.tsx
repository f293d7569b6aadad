import { Button, Group, NativeSelect, Popover, Skeleton, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense, useState } from 'react';
import { ChartTable } from './chart-table.tsx';
import { printNumber, printTime } from './chart-print.ts';
import { isWithin, useZoom, type ZoomRange } from './chart-zoom.ts';
import type { SeriesChartProps } from './charts.tsx';

const SeriesChart = lazy(async () => ({ default: (await import('./charts.tsx')).SeriesChart }));

const BAND_OPACITY = 0.4;
/** A range of fewer points has nothing to zoom into. */
const LEAST_POINTS = 3;

/**
 * A chart. A drag over it zooms into that time, as do the two lists of "Time range" for the keyboard; "Show as table"
 * has the same values for readers who do not see it. The library that draws it is loaded when the first one is shown.
 */
export function Chart(props: Omit<SeriesChartProps, 'onSelect'>) {
  const { points, label, scale = 'days', series, height = 220, print = printNumber } = props;
  const { range, setRange } = useZoom();
  const [isTable, { toggle }] = useDisclosure(false);
  const shown = points.filter((point) => isWithin(point, range));
  return (
    <Stack gap={4}>
      {shown.length === 0 ? (
        <Stack h={height} justify="center" align="center">
          <Text size="sm" c="dimmed">
            No values in this time range.
          </Text>
        </Stack>
      ) : (
        <Suspense fallback={<Skeleton h={height} role="status" aria-label="Loading" />}>
          <SeriesChart
            {...props}
            points={shown}
            {...(shown.length >= LEAST_POINTS ? { onSelect: setRange } : {})}
          />
        </Suspense>
      )}
      <Group gap={4} justify="flex-end">
        {range && (
          <Button size="compact-xs" variant="light" onClick={() => setRange(undefined)}>
            Reset zoom
          </Button>
        )}
        {points.length >= LEAST_POINTS && <RangePicker {...{ points, scale, range, setRange, label }} />}
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          c="dimmed"
          aria-expanded={isTable}
          aria-label={`${isTable ? 'Hide table' : 'Show as table'}: ${label}`}
          onClick={toggle}
        >
          {isTable ? 'Hide table' : 'Show as table'}
        </Button>
      </Group>
      {isTable && <ChartTable {...{ label, scale, series, print }} points={shown} unit={props.unit} />}
    </Stack>
  );
}

interface RangePickerProps {
  readonly label: string;
  readonly points: SeriesChartProps['points'];
  readonly scale: 'days' | 'time';
  readonly range: ZoomRange | undefined;
  readonly setRange: (range: ZoomRange) => void;
}

/** The first and the last time that the chart shows, by two lists. */
function RangePicker({ label, points, scale, range, setRange }: RangePickerProps) {
  const times = points.map(({ at }) => at);
  const [from, setFrom] = useState<number>();
  const [to, setTo] = useState<number>();
  const first = from ?? range?.from ?? times[0] ?? 0;
  const last = to ?? range?.to ?? times.at(-1) ?? 0;
  const data = times.map((at) => ({ value: String(at), label: printTime(at, scale) }));
  return (
    <Popover position="bottom-end" withinPortal trapFocus shadow="md">
      <Popover.Target>
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          c="dimmed"
          aria-label={`Time range: ${label}`}
        >
          Time range
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Time range">
        <Stack gap="xs">
          <NativeSelect
            label="From"
            data={data}
            value={String(times.find((at) => at >= first) ?? times[0])}
            onChange={(event) => setFrom(Number(event.currentTarget.value))}
          />
          <NativeSelect
            label="To"
            data={data}
            value={String(times.findLast((at) => at <= last) ?? times.at(-1))}
            onChange={(event) => setTo(Number(event.currentTarget.value))}
          />
          <Button size="xs" disabled={first > last} onClick={() => setRange({ from: first, to: last })}>
            Show this time
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The names of the series with their colors, in text: a chart must be readable without its colors. */
export const Legend = ({ series }: Pick<SeriesChartProps, 'series'>) => (
  <Group gap="md">
    {series.map(({ name, label, kind, color, isDashed }) => (
      <Group key={name} gap={6} wrap="nowrap">
        <span
          aria-hidden
          style={
            isDashed
              ? { width: 14, borderTop: `2px dashed var(--mantine-color-${color}-6)` }
              : {
                  width: 10,
                  height: 10,
                  borderRadius: 2,
                  background: `var(--mantine-color-${color}-6)`,
                  opacity: kind === 'band' ? BAND_OPACITY : 1,
                }
          }
        />
        <Text size="xs">{label}</Text>
      </Group>
    ))}
  </Group>
);

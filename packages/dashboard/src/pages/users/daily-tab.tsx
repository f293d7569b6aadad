import { Group, SegmentedControl, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { useUrlState } from '../../base/url-state.ts';
import { Chart, Legend } from '../../components/chart.tsx';
import type { ChartPoint, Series } from '../../components/charts.tsx';
import { Section } from '../../components/page.tsx';
import { EmptyState, ErrorNotice, Loading } from '../../components/states.tsx';
import { ConnectDemo } from './connect-demo.tsx';
import { dayOf, rangeOf, sourcesOf, toGlucose, toHeartRates, toSleepStages, toSteps } from './daily.ts';
import type { TabProps } from './tab.ts';

type QueryBatch = components['schemas']['QueryBatchInput'];

const RANGES = [7, 30, 90] as const;

const STEPS: readonly Series[] = [{ name: 'steps', label: 'Steps', kind: 'bar', color: 'accent' }];
const HEART: readonly Series[] = [
  { name: 'band', label: 'Lowest to highest', kind: 'band', color: 'red' },
  { name: 'average', label: 'Average', kind: 'line', color: 'red' },
  { name: 'resting', label: 'Resting', kind: 'line', color: 'indigo' },
];
const SLEEP: readonly Series[] = [
  { name: 'deep', label: 'Deep', kind: 'bar', color: 'indigo', stack: 'night' },
  { name: 'rem', label: 'REM', kind: 'bar', color: 'grape', stack: 'night' },
  { name: 'light', label: 'Light', kind: 'bar', color: 'cyan', stack: 'night' },
  { name: 'awake', label: 'Awake', kind: 'bar', color: 'orange', stack: 'night' },
];
const GLUCOSE: readonly Series[] = [
  { name: 'band', label: 'Lowest to highest', kind: 'band', color: 'blue' },
  { name: 'mean', label: 'Mean', kind: 'line', color: 'blue' },
];

/** Means, lows and highs of each day in one request: a month of a glucose sensor has thousands of samples. */
const glucoseQuery = (days: number, anchor: string): QueryBatch => ({
  timeframe: { type: 'relative', anchor, past: { value: days, unit: 'day' } },
  queries: [
    {
      select: [
        { group_key: '*' },
        { func: 'mean', arg: { timeseries: 'glucose', field: 'value' } },
        { func: 'min', arg: { timeseries: 'glucose', field: 'value' } },
        { func: 'max', arg: { timeseries: 'glucose', field: 'value' } },
      ],
      group_by: [{ date_trunc: { value: 1, unit: 'day' }, arg: { index: 'timeseries' } }],
    },
  ],
});

export function DailyTab({ user }: TabProps) {
  const [{ range, source }, setUrl] = useUrlState();
  const [today] = useState(() => new Date());
  const days = RANGES.find((one) => String(one) === range) ?? 30;
  const query = rangeOf(days, today);
  const params = { path: { user_id: user.user_id }, query };
  const activity = api.useQuery('get', '/v2/summary/activity/{user_id}', { params });
  const sleep = api.useQuery('get', '/v2/summary/sleep/{user_id}', { params });
  const glucose = api.useQuery('post', '/aggregate/v1/user/{user_id}/query', {
    params: { path: { user_id: user.user_id } },
    body: glucoseQuery(days, dayOf(today)),
  });
  if (activity.isPending || sleep.isPending) return <Loading />;
  const error = activity.error ?? sleep.error;
  if (error) return <ErrorNotice error={error} onRetry={() => void activity.refetch()} />;
  const activities = activity.data?.activity ?? [];
  const sleeps = sleep.data?.sleep ?? [];
  const sources = sourcesOf([...activities, ...sleeps]);
  const chosen = sources.find(({ value }) => value === source)?.value ?? sources[0]?.value;
  const glucosePoints = toGlucose(
    typeof glucose.data === 'object' ? glucose.data.results[0]?.table : undefined,
  );
  const charts: readonly DailyChartProps[] = [
    { title: 'Steps', unit: 'steps', series: STEPS, points: toSteps(activities, chosen) },
    { title: 'Heart rate', unit: 'bpm', series: HEART, points: toHeartRates(activities, chosen) },
    { title: 'Sleep stages', unit: 'h', series: SLEEP, points: toSleepStages(sleeps, chosen) },
    { title: 'Glucose', unit: 'mmol/L', series: GLUCOSE, points: glucosePoints },
  ];
  return (
    <Stack>
      <Group justify="space-between">
        <SegmentedControl
          size="xs"
          aria-label="Time range"
          value={String(days)}
          onChange={(value) => setUrl({ range: value })}
          data={RANGES.map((one) => ({ value: String(one), label: `${one} days` }))}
        />
        {sources.length > 1 && (
          <Select
            aria-label="Source"
            size="xs"
            data={sources}
            value={chosen ?? null}
            onChange={(value) => setUrl({ source: value ?? undefined })}
            allowDeselect={false}
          />
        )}
      </Group>
      {charts.every(({ points }) => points.length === 0) ? (
        <EmptyState
          title={`No device data in the last ${days} days`}
          call="GET /v2/summary/activity/…"
          action={<ConnectDemo user={user} />}
        >
          Steps, heart rate, sleep and glucose come from the devices and providers that this user connects.
        </EmptyState>
      ) : (
        <SimpleGrid cols={{ base: 1, lg: 2 }}>
          {charts.map((chart) => (
            <DailyChart key={chart.title} {...chart} />
          ))}
        </SimpleGrid>
      )}
    </Stack>
  );
}

interface DailyChartProps {
  readonly title: string;
  readonly unit: string;
  readonly series: readonly Series[];
  readonly points: readonly ChartPoint[];
}

const DailyChart = ({ title, unit, series, points }: DailyChartProps) => (
  <Section title={title} actions={<Text size="xs">{unit}</Text>}>
    {points.length === 0 ? (
      <Text size="sm">No data of this kind from this source.</Text>
    ) : (
      <Stack gap="xs">
        <Chart
          label={`${title} a day in ${unit}, ${points.length} days`}
          points={points}
          series={series}
          unit={unit}
        />
        {series.length > 1 && <Legend series={series} />}
      </Stack>
    )}
  </Section>
);

import { SimpleGrid, Text } from '@mantine/core';
import { api } from '../../api/client.ts';
import { Chart, Legend } from '../../components/chart.tsx';
import { isWithin, useZoom } from '../../components/chart-zoom.ts';
import type { ChartPoint, Series } from '../../components/charts.tsx';
import { Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { describeChange, usePreviousDays, type TrendDay } from './previous-period.ts';

const DAYS = 30;

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The last thirty days, in the zone of the viewer. */
export function Trends() {
  const trends = api.useQuery('get', '/v1/overview/trends', {
    params: { query: { days: DAYS, time_zone: zone } },
  });
  const previous = usePreviousDays(trends.data?.data, zone);
  return (
    <Loaded query={trends} lines={8}>
      {({ data }) => <Charts days={data} previous={previous.data} />}
    </Loaded>
  );
}

const STATUSES: readonly Series[] = [
  { name: 'completed', label: 'completed', kind: 'bar', color: 'teal', stack: 'orders' },
  { name: 'sample_with_lab', label: 'sample with lab', kind: 'bar', color: 'blue', stack: 'orders' },
  { name: 'collecting_sample', label: 'collecting sample', kind: 'bar', color: 'grape', stack: 'orders' },
  { name: 'received', label: 'received', kind: 'bar', color: 'gray', stack: 'orders' },
  { name: 'cancelled', label: 'cancelled', kind: 'bar', color: 'yellow', stack: 'orders' },
  { name: 'failed', label: 'failed', kind: 'bar', color: 'red', stack: 'orders' },
];
const RESULTS: readonly Series[] = [{ name: 'results', label: 'Results', kind: 'bar', color: 'accent' }];
const DELIVERIES: readonly Series[] = [
  { name: 'deliveries_succeeded', label: 'succeeded', kind: 'bar', color: 'teal', stack: 'deliveries' },
  { name: 'deliveries_failed', label: 'failed', kind: 'bar', color: 'red', stack: 'deliveries' },
];
const CONNECTIONS: readonly Series[] = [
  { name: 'connections_created', label: 'Connections', kind: 'bar', color: 'accent' },
];
const PREVIOUS: Omit<Series, 'name'> = {
  label: `${DAYS} days before`,
  kind: 'line',
  color: 'gray',
  isDashed: true,
};
const SAMPLES: readonly Series[] = [{ name: 'samples', label: 'Samples', kind: 'bar', color: 'accent' }];

/** The property of a point that has what happened in the period before. */
const before = (name: string) => `before_${name}`;

const COMPARED = [
  'orders_created',
  'results',
  'deliveries_succeeded',
  'connections_created',
  'samples',
] as const satisfies readonly (keyof TrendDay)[];

type Compared = (typeof COMPARED)[number];

const toPoint = (
  { day, orders_by_status: byStatus, ...counts }: TrendDay,
  earlier: TrendDay | undefined,
): ChartPoint => ({
  ...counts,
  ...byStatus,
  ...(earlier && Object.fromEntries(COMPARED.map((name) => [before(name), earlier[name]]))),
  at: Date.parse(day),
});

interface ChartsProps {
  readonly days: readonly TrendDay[];
  /** Undefined while it is on its way. */
  readonly previous: readonly TrendDay[] | undefined;
}

function Charts({ days, previous }: ChartsProps) {
  const { range } = useZoom();
  const points = days.map((day, index) => toPoint(day, previous?.[index]));
  const shown = points.filter((point) => isWithin(point, range));
  const sumOf = (name: string) => shown.reduce((sum, point) => sum + Number(point[name] ?? 0), 0);
  const change = (name: Compared) =>
    previous === undefined ? '' : ` · ${describeChange(sumOf(name), sumOf(before(name)), shown.length)}`;
  const compare = (series: readonly Series[], name: Compared): readonly Series[] =>
    previous === undefined ? series : [...series, { ...PREVIOUS, name: before(name) }];
  const say = (name: string, one: string, many = one) => {
    const sum = sumOf(name);
    return `${sum.toLocaleString()} ${sum === 1 ? one : many}`;
  };
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <TrendChart
        title={`Orders of the last ${DAYS} days`}
        text={`${say('orders_created', 'created')}, by their status now${change('orders_created')}`}
        unit="orders"
        series={compare(STATUSES, 'orders_created')}
        points={points}
        isWide
      />
      <TrendChart
        title="Results received"
        text={`${say('results', 'result', 'results')}, corrections included${change('results')}`}
        unit="results"
        series={compare(RESULTS, 'results')}
        points={points}
      />
      <TrendChart
        title="Webhook deliveries"
        text={`${say('deliveries_succeeded', 'succeeded')}, ${say('deliveries_failed', 'attempt failed', 'attempts failed')}${change('deliveries_succeeded')}`}
        unit="attempts"
        series={compare(DELIVERIES, 'deliveries_succeeded')}
        points={points}
      />
      <TrendChart
        title="New wearable connections"
        text={`${say('connections_created', 'connection that still exists', 'connections that still exist')}${change('connections_created')}`}
        unit="connections"
        series={compare(CONNECTIONS, 'connections_created')}
        points={points}
      />
      <TrendChart
        title="Samples of devices"
        text={`${say('samples', 'sample', 'samples')} received, new or changed${change('samples')}`}
        unit="samples"
        series={compare(SAMPLES, 'samples')}
        points={points}
      />
    </SimpleGrid>
  );
}

interface TrendChartProps {
  readonly title: string;
  /** The sums of what is shown. */
  readonly text: string;
  readonly unit: string;
  readonly series: readonly Series[];
  readonly points: readonly ChartPoint[];
  /** Over the whole width, so that the others stand in pairs. */
  readonly isWide?: boolean;
}

const TrendChart = ({ title, text, unit, series, points, isWide = false }: TrendChartProps) => (
  <Section title={title} isWide={isWide}>
    <Text size="sm" c="dimmed" mb="xs">
      {text}
    </Text>
    <Chart label={`${title}: ${text}`} points={points} series={series} unit={unit} />
    {series.length > 1 && <Legend series={series} />}
  </Section>
);

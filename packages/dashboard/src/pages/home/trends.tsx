import { BarChart, LineChart } from '@mantine/charts';
import { SimpleGrid, Text } from '@mantine/core';
import '@mantine/charts/styles.css';
import { api } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';

type Day = components['schemas']['TrendDay'];

const DAYS = 30;

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** The last thirty days, in the zone of the viewer. */
export function Trends() {
  const trends = api.useQuery('get', '/v1/overview/trends', {
    params: { query: { days: DAYS, time_zone: zone } },
  });
  return (
    <Loaded query={trends} lines={8}>
      {({ data }) => <Charts days={data} />}
    </Loaded>
  );
}

const STATUSES = [
  { name: 'completed', color: 'teal.7' },
  { name: 'sample_with_lab', label: 'sample with lab', color: 'blue.6' },
  { name: 'collecting_sample', label: 'collecting sample', color: 'indigo.4' },
  { name: 'received', color: 'gray.5' },
  { name: 'cancelled', color: 'yellow.6' },
  { name: 'failed', color: 'red.7' },
];

function Charts({ days }: { readonly days: readonly Day[] }) {
  const rows = days.map(({ day, orders_by_status: byStatus, ...counts }) => ({
    day: DAY.format(new Date(day)),
    ...counts,
    ...byStatus,
  }));
  const sumOf = (name: keyof (typeof rows)[number]) =>
    rows.reduce((sum, row) => sum + Number(row[name]), 0).toLocaleString();
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <Section title={`Orders of the last ${DAYS} days`}>
        <Text size="sm" c="dimmed" mb="xs">
          {sumOf('orders_created')} created, by their status now
        </Text>
        <BarChart
          h={220}
          data={rows}
          dataKey="day"
          type="stacked"
          series={STATUSES}
          withLegend
          barProps={STILL}
        />
      </Section>
      <Section title="Results received">
        <Text size="sm" c="dimmed" mb="xs">
          {sumOf('results')} results, corrections included
        </Text>
        <LineChart
          h={220}
          data={rows}
          dataKey="day"
          series={[{ name: 'results', color: 'accent.6' }]}
          withDots={false}
          curveType="linear"
          lineProps={STILL}
        />
      </Section>
      <Section title="Webhook deliveries">
        <Text size="sm" c="dimmed" mb="xs">
          {sumOf('deliveries_succeeded')} succeeded, {sumOf('deliveries_failed')} attempts failed
        </Text>
        <BarChart
          h={220}
          data={rows}
          dataKey="day"
          type="stacked"
          withLegend
          barProps={STILL}
          series={[
            { name: 'deliveries_succeeded', label: 'succeeded', color: 'teal.7' },
            { name: 'deliveries_failed', label: 'failed', color: 'red.7' },
          ]}
        />
      </Section>
      <Section title="New wearable connections">
        <Text size="sm" c="dimmed" mb="xs">
          {sumOf('connections_created')} connections that still exist
        </Text>
        <LineChart
          h={220}
          data={rows}
          dataKey="day"
          series={[{ name: 'connections_created', label: 'connections', color: 'accent.6' }]}
          withDots={false}
          curveType="linear"
          lineProps={STILL}
        />
      </Section>
    </SimpleGrid>
  );
}

/** Charts are there at once: a reader compares them, and movement would only delay that. */
const STILL = { isAnimationActive: false } as const;

import { BarChart, LineChart } from '@mantine/charts';
import { SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { useTeamParams } from '../../base/organization.ts';
import { useUrlState } from '../../base/url-state.ts';
import { Section } from '../../components/page.tsx';
import { ErrorNotice, Loading } from '../../components/states.tsx';
import { describeDuration } from './describe-duration.ts';
import { formatPercent } from './success-rate.tsx';

type Statistics = components['schemas']['WebhookStatistics'];

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}/statistics';

/** Buckets so long that 48 to 120 points stay wide enough to read. */
const RANGES = [
  { value: '24h', label: '24 hours', hours: 24, bucket: '15m' },
  { value: '3d', label: '3 days', hours: 72, bucket: '1h' },
  { value: '7d', label: '7 days', hours: 168, bucket: '6h' },
  { value: '30d', label: '30 days', hours: 720, bucket: '6h' },
] as const;

/** How many attempts succeeded and failed over time, how fast the endpoint answers, and how old events are on arrival. */
export function DeliveryCharts({ endpointId }: { readonly endpointId: string }) {
  const [{ window: asked }, setState] = useUrlState();
  const range = RANGES.find(({ value }) => value === asked) ?? RANGES[0];
  const query = api.useQuery(
    'get',
    PATH,
    {
      params: {
        path: { ...useTeamParams(), webhook_id: endpointId },
        query: { hours: range.hours, bucket: range.bucket },
      },
    },
    { placeholderData: keepPreviousData },
  );
  return (
    <Section
      title="Deliveries"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Time range"
          data={RANGES.map(({ value, label }) => ({ value, label }))}
          value={range.value}
          onChange={(chosen) => setState({ window: chosen })}
        />
      }
    >
      {query.isPending && <Loading lines={4} />}
      {query.error && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && (
        <Stack>
          <Figures total={query.data.total} />
          <Charts statistics={query.data} />
        </Stack>
      )}
    </Section>
  );
}

function Figures({ total }: { readonly total: Statistics['total'] }) {
  const { succeeded, failed, answer_ms: answer, receipt_ms: receipt } = total;
  const attempts = succeeded + failed;
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
      <Figure
        label="Success rate"
        value={attempts === 0 ? '–' : formatPercent((succeeded / attempts) * 100)}
      />
      <Figure label="Failed attempts" value={failed.toLocaleString()} />
      <Figure label="Median answer" value={describeDuration(answer.p50)} />
      <Figure label="Answer, 95th percentile" value={describeDuration(answer.p95)} />
      <Figure label="Median until received" value={describeDuration(receipt.p50)} />
      <Figure label="Received, 95th percentile" value={describeDuration(receipt.p95)} />
    </SimpleGrid>
  );
}

const Figure = ({ label, value }: { readonly label: string; readonly value: string }) => (
  <Stack gap={0}>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Text size="xl" fw={600} className="numbers">
      {value}
    </Text>
  </Stack>
);

function Charts({ statistics: { bucket, data, total } }: { readonly statistics: Statistics }) {
  const format = new Intl.DateTimeFormat(
    undefined,
    bucket === '6h'
      ? { day: 'numeric', month: 'short' }
      : bucket === '15m'
        ? { hour: '2-digit', minute: '2-digit' }
        : { weekday: 'short', hour: '2-digit', minute: '2-digit' },
  );
  if (total.succeeded + total.failed === 0)
    return (
      <Text size="sm" c="dimmed">
        No attempts in this time. Send a test event to see one in the log below; tests are not counted here.
      </Text>
    );
  const points = data.map(({ at, succeeded, failed, answer_ms: answer, receipt_ms: receipt }) => ({
    time: format.format(new Date(at)),
    Delivered: succeeded,
    Failed: failed,
    ...quantileSeries('Answer', answer),
    ...quantileSeries('Received', receipt),
  }));
  return (
    <SimpleGrid cols={{ base: 1, lg: 3 }}>
      <Titled
        title="Attempts"
        label={`Attempts over time: ${total.succeeded} delivered, ${total.failed} failed`}
      >
        <BarChart
          h={180}
          data={points}
          dataKey="time"
          type="stacked"
          withLegend
          series={[
            { name: 'Delivered', color: 'teal.6' },
            { name: 'Failed', color: 'red.6' },
          ]}
          yAxisProps={{ allowDecimals: false, width: 36 }}
          barProps={{ isAnimationActive: false }}
        />
      </Titled>
      <Latency title="Time to answer" name="Answer" points={points} quantiles={total.answer_ms} />
      <Latency
        title="From the event to its receipt"
        name="Received"
        points={points}
        quantiles={total.receipt_ms}
      />
    </SimpleGrid>
  );
}

const quantileSeries = (name: string, { p50, p95 }: Statistics['total']['answer_ms']) => ({
  [`${name}, median`]: p50,
  [`${name}, 95th`]: p95,
});

interface LatencyProps {
  readonly title: string;
  readonly name: string;
  readonly points: Record<string, string | number | null>[];
  readonly quantiles: Statistics['total']['answer_ms'];
}

const Latency = ({ title, name, points, quantiles }: LatencyProps) => (
  <Titled
    title={title}
    label={`${title}: median ${describeDuration(quantiles.p50)}, 95th percentile ${describeDuration(quantiles.p95)}`}
  >
    <LineChart
      h={180}
      data={points}
      dataKey="time"
      withLegend
      curveType="linear"
      connectNulls={false}
      series={[
        { name: `${name}, median`, label: 'Median', color: 'blue.6' },
        { name: `${name}, 95th`, label: '95th percentile', color: 'orange.6' },
      ]}
      valueFormatter={describeDuration}
      yAxisProps={{ width: 58 }}
      lineProps={{ isAnimationActive: false }}
      dotProps={{ r: 2 }}
    />
  </Titled>
);

const Titled = ({
  title,
  label,
  children,
}: {
  readonly title: string;
  readonly label: string;
  readonly children: ReactNode;
}) => (
  <Stack gap={4}>
    <Text size="sm" fw={500}>
      {title}
    </Text>
    <div role="img" aria-label={label}>
      {children}
    </div>
  </Stack>
);

import { BarChart } from '@mantine/charts';
import { SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { api } from '../../api/client.ts';
import { useTeamParams } from '../../base/organization.ts';
import { useUrlState } from '../../base/url-state.ts';
import { Section } from '../../components/page.tsx';
import { ErrorNotice, Loading } from '../../components/states.tsx';
import { condense, quantile, useDeliveries, WINDOWS, type Interval, type Step } from './deliveries.ts';
import { formatPercent } from './success-rate.tsx';

const BARS = 48;
const LATENCY_ATTEMPTS = 250;

/** How many attempts succeeded and failed over time, and how fast the endpoint answers. */
export function DeliveryCharts({ endpointId }: { readonly endpointId: string }) {
  const [{ window: chosen = '5m' }, setState] = useUrlState();
  const interval = WINDOWS.find(({ value }) => value === chosen)?.value ?? '5m';
  const { query, stepsOf } = useDeliveries(interval);
  const steps = stepsOf(endpointId);
  return (
    <Section
      title="Deliveries"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Time range"
          data={[...WINDOWS]}
          value={interval}
          onChange={(value) => setState({ window: value })}
        />
      }
    >
      {query.isPending && <Loading lines={4} />}
      {query.error && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && (
        <Stack>
          <Figures steps={steps} endpointId={endpointId} />
          {steps.length > 0 && <Chart steps={steps} interval={interval} />}
        </Stack>
      )}
    </Section>
  );
}

function Figures({ steps, endpointId }: { readonly steps: readonly Step[]; readonly endpointId: string }) {
  const attempts = api.useQuery(
    'get',
    '/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}/attempt',
    {
      params: {
        path: { ...useTeamParams(), webhook_id: endpointId },
        query: { limit: LATENCY_ATTEMPTS, status: 'success' },
      },
    },
  );
  const success = steps.reduce((sum, step) => sum + step.success, 0);
  const failure = steps.reduce((sum, step) => sum + step.failure, 0);
  const durations = attempts.data?.data.map((attempt) => attempt.duration_ms) ?? [];
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }}>
      <Figure
        label="Success rate"
        value={success + failure === 0 ? '–' : formatPercent((success / (success + failure)) * 100)}
      />
      <Figure label="Failed attempts" value={failure.toLocaleString()} />
      <Figure label="Median answer" value={inMilliseconds(quantile(durations, 0.5))} />
      <Figure label="95th percentile" value={inMilliseconds(quantile(durations, 0.95))} />
    </SimpleGrid>
  );
}

const inMilliseconds = (value: number | undefined): string =>
  value === undefined ? '–' : `${value.toLocaleString()} ms`;

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

function Chart({ steps, interval }: { readonly steps: readonly Step[]; readonly interval: Interval }) {
  const format = new Intl.DateTimeFormat(
    undefined,
    interval === '1d'
      ? { day: 'numeric', month: 'short' }
      : interval === '5m'
        ? { hour: '2-digit', minute: '2-digit' }
        : { weekday: 'short', hour: '2-digit', minute: '2-digit' },
  );
  const data = condense(steps, BARS).map((step) => ({
    time: format.format(new Date(step.at * 1000)),
    Delivered: step.success,
    Failed: step.failure,
  }));
  const delivered = steps.reduce((sum, step) => sum + step.success, 0);
  const failed = steps.reduce((sum, step) => sum + step.failure, 0);
  return (
    <div role="img" aria-label={`Attempts over time: ${delivered} delivered, ${failed} failed`}>
      <BarChart
        h={180}
        data={data}
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
    </div>
  );
}

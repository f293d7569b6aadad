import { Alert, Anchor, Button, Group, NavLink, ScrollArea, Stack, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { IconSearch } from '../../base/icons.ts';
import { useTenantPath } from '../../base/tenant.ts';
import { useUrlState } from '../../base/url-state.ts';
import { Chart, Legend } from '../../components/chart.tsx';
import type { Series } from '../../components/charts.tsx';
import { DataTable, type Column } from '../../components/data-table.tsx';
import { Section } from '../../components/page.tsx';
import { EmptyState, Loaded, Loading } from '../../components/states.tsx';
import { StatusBadge, TimeText } from '../../components/values.tsx';
import { useOrdersOf, useResultsOf, type MarkerHistory, type Measurement, type Order } from './results.ts';
import type { TabProps } from './tab.ts';

const ORDERS_AT_ONCE = 15;

export function BiomarkersTab({ user }: TabProps) {
  const orders = useOrdersOf(user.user_id);
  return <Loaded query={orders}>{(data) => <Histories orders={data.orders} />}</Loaded>;
}

function Histories({ orders }: { readonly orders: readonly Order[] }) {
  const [limit, setLimit] = useState(ORDERS_AT_ONCE);
  const [text, setText] = useState('');
  const [{ marker }, setUrl] = useUrlState();
  const { histories, isPending, failed, hasMore, count } = useResultsOf(orders, limit);
  if (isPending && histories.length === 0) return <Loading />;
  if (histories.length === 0 && failed.length === 0)
    return (
      <EmptyState title="No results yet" call="GET /v3/order/…/result">
        When a laboratory answers an order of this user, each marker appears here with its values over time
        and the range that is usual.
      </EmptyState>
    );
  const shown = histories.filter(({ name, loinc }) =>
    `${name} ${loinc ?? ''}`.toLowerCase().includes(text.toLowerCase()),
  );
  const chosen = histories.find(({ key }) => key === marker) ?? shown[0] ?? histories[0];
  return (
    <Stack>
      {failed.length > 0 && (
        <Alert color="red" title={`Results of ${failed.length} orders could not be read`}>
          What is shown here is incomplete. Load the page again.
        </Alert>
      )}
      <div className="split-view">
        <Section title="Markers">
          <Stack gap="xs">
            <TextInput
              aria-label="Search markers"
              placeholder="Name or LOINC"
              data-search
              leftSection={<IconSearch size={16} />}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
            <ScrollArea.Autosize mah={520} type="auto">
              {shown.map((history) => (
                <MarkerLink
                  key={history.key}
                  history={history}
                  isActive={history.key === chosen?.key}
                  onChoose={() => setUrl({ marker: history.key })}
                />
              ))}
            </ScrollArea.Autosize>
          </Stack>
        </Section>
        {chosen && <MarkerView history={chosen} />}
      </div>
      <Group justify="space-between">
        <Text size="xs">
          Values of the {count} newest orders with results. Values in different units are kept apart.
        </Text>
        {hasMore && (
          <Button
            variant="default"
            size="xs"
            loading={isPending}
            onClick={() => setLimit(limit + ORDERS_AT_ONCE)}
          >
            Load older results
          </Button>
        )}
      </Group>
    </Stack>
  );
}

interface MarkerLinkProps {
  readonly history: MarkerHistory;
  readonly isActive: boolean;
  readonly onChoose: () => void;
}

function MarkerLink({ history, isActive, onChoose }: MarkerLinkProps) {
  const newest = history.measurements[0]?.result;
  return (
    <NavLink
      component="button"
      type="button"
      active={isActive}
      aria-pressed={isActive}
      onClick={onChoose}
      label={history.name}
      description={`${newest?.result ?? ''} ${history.unit ?? ''}`}
      rightSection={
        newest && newest.interpretation !== 'normal' ? (
          <StatusBadge status={newest.interpretation} />
        ) : undefined
      }
      py={6}
      px="sm"
      styles={{ root: { borderRadius: 6 }, description: { color: 'var(--mantine-color-text)' } }}
    />
  );
}

const COLUMNS: readonly Column<Measurement>[] = [
  { title: 'Time', render: ({ at }) => <TimeText value={at} /> },
  {
    title: 'Value',
    align: 'right',
    render: ({ result }) => (
      <Text span inherit className="numbers" fw={500}>
        {result.result} {result.unit}
      </Text>
    ),
  },
  { title: 'Reference', render: ({ result }) => result.reference_range ?? '–' },
  { title: 'Interpretation', render: ({ result }) => <StatusBadge status={result.interpretation} /> },
  { title: 'Order', render: (measurement) => <OrderLink {...measurement} /> },
];

function OrderLink({ orderId, testName }: Measurement) {
  const pathOf = useTenantPath();
  return (
    <Anchor component={Link} to={pathOf(`orders/${orderId}`)} fz="sm">
      {testName}
    </Anchor>
  );
}

const VALUE: readonly Series[] = [{ name: 'value', label: 'Value', kind: 'line', color: 'accent' }];
const WITH_BAND: readonly Series[] = [
  ...VALUE,
  { name: 'band', label: 'Reference range of the newest value', kind: 'band', color: 'teal' },
];

function MarkerView({ history }: { readonly history: MarkerHistory }) {
  const { name, loinc, unit, measurements } = history;
  const numbers = measurements.filter(({ result }) => result.value !== null).toReversed();
  const reference = measurements[0]?.result;
  const band =
    reference && (reference.min_range_value !== null || reference.max_range_value !== null)
      ? { low: reference.min_range_value, high: reference.max_range_value }
      : undefined;
  return (
    <Section title={name} actions={loinc !== null && <Text size="xs">LOINC {loinc}</Text>}>
      <Stack>
        {numbers.length > 0 ? (
          <>
            <Chart
              label={`${name} over time, ${numbers.length} values${unit === null ? '' : ` in ${unit}`}`}
              points={numbers.map(({ at, result }) => ({ at: Date.parse(at), value: result.value }))}
              series={VALUE}
              unit={unit ?? ''}
              scale="time"
              height={260}
              {...(band ? { reference: band } : {})}
            />
            <Legend series={band ? WITH_BAND : VALUE} />
          </>
        ) : (
          <Text size="sm">The results of this marker are no numbers, so there is no chart.</Text>
        )}
        <DataTable
          label={`Values of ${name}`}
          columns={COLUMNS}
          rows={measurements}
          keyOf={({ orderId, at, result }) => `${orderId} ${at} ${result.source_sample_id ?? ''}`}
        />
      </Stack>
    </Section>
  );
}

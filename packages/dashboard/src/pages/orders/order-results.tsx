import { Alert, Badge, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { IconAlert } from '../../base/icons.ts';
import { usePermissions } from '../../base/tenant.ts';
import { LabName } from '../../components/lab-name.tsx';
import { Section } from '../../components/page.tsx';
import { RangeBar } from '../../components/range-bar.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { TimeText } from '../../components/values.tsx';
import { hasResults, type Biomarker, type Order } from './order-data.ts';
import { MarkerHistory } from './marker-history.tsx';

export function ResultsSection({ order }: { readonly order: Order }) {
  const may = usePermissions();
  return (
    <Section title="Results">
      {may('results:read') ? (
        <Results order={order} />
      ) : (
        <Text size="sm" c="dimmed">
          Your role does not show results.
        </Text>
      )}
    </Section>
  );
}

function Results({ order }: { readonly order: Order }) {
  const isThere = hasResults(order);
  const results = api.useQuery(
    'get',
    '/v3/order/{order_id}/result',
    { params: { path: { order_id: order.id } } },
    { enabled: isThere },
  );
  if (!isThere)
    return (
      <EmptyState title="No results yet" call={`GET /v3/order/${order.id}/result`}>
        They appear here when the laboratory reports them, marker by marker, with their reference ranges.
      </EmptyState>
    );
  return (
    <Loaded query={results}>
      {({ results: rows, missing_results: missing, metadata }) => (
        <Stack gap="sm">
          <Group gap="lg">
            <Text size="sm">
              {metadata.laboratory ? <LabName slug={metadata.laboratory} /> : 'Laboratory'}, {metadata.status}
            </Text>
            <Text size="sm" c="dimmed">
              Collected <TimeText value={metadata.date_collected} />, reported{' '}
              <TimeText value={metadata.date_reported} />
            </Text>
          </Group>
          {missing && missing.length > 0 && (
            <Alert
              color="yellow"
              icon={<IconAlert size={18} />}
              title={`${missing.length} results are missing`}
            >
              {missing
                .map(({ name, inferred_failure_type: why }) => `${name} (${why.replaceAll('_', ' ')})`)
                .join(', ')}
            </Alert>
          )}
          <ResultTable order={order} rows={rows} />
        </Stack>
      )}
    </Loaded>
  );
}

const HEADS = ['Marker', 'Result', 'Flag', 'Range', ''];

function ResultTable({ order, rows }: { readonly order: Order; readonly rows: readonly Biomarker[] }) {
  const [opened, setOpened] = useState<string>();
  return (
    <Table.ScrollContainer minWidth={600} type="native">
      <Table className="data-table" aria-label="Results" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            {HEADS.map((head) => (
              <Table.Th key={head} {...(head === '' ? { 'aria-label': 'History' } : {})}>
                {head}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, index) => {
            const key = `${row.slug}-${index}`;
            return (
              <ResultRow
                key={key}
                order={order}
                row={row}
                isOpen={opened === key}
                onToggle={() => setOpened(opened === key ? undefined : key)}
              />
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface ResultRowProps {
  readonly order: Order;
  readonly row: Biomarker;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function ResultRow({ order, row, isOpen, onToggle }: ResultRowProps) {
  return (
    <>
      <Table.Tr>
        <Table.Td>
          <Text size="sm" fw={500}>
            {row.name}
          </Text>
          {row.loinc !== null && (
            <Text size="xs" c="dimmed" className="numbers">
              LOINC {row.loinc}
            </Text>
          )}
        </Table.Td>
        <Table.Td className="numbers">
          <Text size="sm" fw={600} span>
            {row.result}
          </Text>{' '}
          <Text size="sm" span c="dimmed">
            {row.unit}
          </Text>
          {row.notes !== null && (
            <Text size="xs" c="dimmed" maw={320}>
              {row.notes}
            </Text>
          )}
        </Table.Td>
        <Table.Td>
          <Flag row={row} />
        </Table.Td>
        <Table.Td>
          <Text size="xs" className="numbers" mb={4}>
            {row.reference_range ?? '–'}
          </Text>
          {row.value !== null && (
            <RangeBar value={row.value} min={row.min_range_value} max={row.max_range_value} />
          )}
        </Table.Td>
        <Table.Td ta="right">
          <Button
            size="compact-xs"
            variant="subtle"
            aria-expanded={isOpen}
            aria-label={`History of ${row.name}`}
            onClick={onToggle}
          >
            History
          </Button>
        </Table.Td>
      </Table.Tr>
      {isOpen && (
        <Table.Tr>
          <Table.Td colSpan={HEADS.length}>
            <MarkerHistory order={order} marker={row} />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}

const FLAG_COLORS: Readonly<Record<string, string>> = { normal: 'teal', abnormal: 'yellow', critical: 'red' };

/** The judgement in words, with the direction where the range tells it. */
function Flag({ row }: { readonly row: Biomarker }) {
  const direction =
    row.is_above_max_range === true ? 'high' : row.is_below_min_range === true ? 'low' : undefined;
  const words = [row.interpretation === 'normal' ? 'normal' : row.interpretation, direction];
  return (
    <Badge
      variant="light"
      color={FLAG_COLORS[row.interpretation] ?? 'gray'}
      tt="none"
      radius="sm"
      fw={500}
      miw="max-content"
    >
      {words.filter(Boolean).join(', ')}
    </Badge>
  );
}

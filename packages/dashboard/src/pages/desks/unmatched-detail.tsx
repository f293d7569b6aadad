import { Badge, Group, Radio, ScrollArea, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { IconAlert, IconCheck } from '../../base/icons.ts';
import { usePermissions } from '../../base/tenant.ts';
import { shortId } from '../../base/short-id.ts';
import { Section } from '../../components/page.tsx';
import { ErrorNotice, Loading } from '../../components/states.tsx';
import { CopyId, KeyValues, StatusBadge, TimeText } from '../../components/values.tsx';
import {
  candidatesOf,
  compare,
  reportTitle,
  sharedTests,
  type CandidateOrder,
  type Order,
  type Unmatched,
} from './unmatched-data.ts';
import { UnmatchedDecision } from './unmatched-decision.tsx';

/** More candidates than these are not worth comparing: the report names too little. */
const CANDIDATES_MAX = 50;

export function UnmatchedDetail({ report }: { readonly report: Unmatched }) {
  const may = usePermissions();
  const candidates = candidatesOf(report).slice(0, CANDIDATES_MAX);
  const [chosenId, setChosen] = useState(candidates[0]?.order_id);
  const chosen = candidates.find(({ order_id: id }) => id === chosenId);
  const ids = candidates.map(({ order_id: id }) => id);
  const orders = api.useQuery(
    'get',
    '/v3/orders',
    { params: { query: { order_ids: ids, size: CANDIDATES_MAX } } },
    { enabled: ids.length > 0 && may('orders:read') },
  );
  const orderOf = (id: string): Order | undefined => orders.data?.orders.find((order) => order.id === id);
  const order = chosen && orderOf(chosen.order_id);
  const isDecidable = report.allowed_actions.length > 0 && report.reviewed_at === null;
  return (
    <Stack gap="lg">
      <Section title="Report" actions={<StatusBadge status={report.status} />}>
        <Text size="sm" mb="xs">
          {report.reason}
        </Text>
        <KeyValues
          rows={[
            ['Patient', reportTitle(report)],
            ['Born', report.patient?.dob?.slice(0, 10)],
            ['Laboratory', report.lab.name],
            ['Tests', report.tests.map(({ name, provider_id: code }) => name ?? code).join(', ')],
            ['Arrived', <TimeText key="arrived" value={report.created_at} />],
            ['Decided', <TimeText key="decided" value={report.reviewed_at} />],
            ['Id', <CopyId key="id" id={report.id} />],
          ]}
        />
      </Section>
      {candidates.length > 0 && (
        <Section title="Candidate orders">
          {orders.error ? (
            <ErrorNotice error={orders.error} onRetry={() => void orders.refetch()} />
          ) : orders.isPending ? (
            <Loading lines={4} />
          ) : (
            <Stack gap="md">
              <Candidates candidates={candidates} orderOf={orderOf} value={chosenId} onChange={setChosen} />
              {chosen && order && <SideBySide report={report} order={order} candidate={chosen} />}
            </Stack>
          )}
        </Section>
      )}
      {isDecidable && may('results:decide') && (
        <Section title="Decision">
          <UnmatchedDecision report={report} chosen={chosen} />
        </Section>
      )}
      {isDecidable && !may('results:decide') && (
        <Text size="sm" c="dimmed">
          Your role may look. A clinician or an administrator decides.
        </Text>
      )}
    </Stack>
  );
}

interface CandidatesProps {
  readonly candidates: readonly CandidateOrder[];
  readonly orderOf: (id: string) => Order | undefined;
  readonly value: string | undefined;
  readonly onChange: (id: string) => void;
}

const Candidates = ({ candidates, orderOf, value, onChange }: CandidatesProps) => (
  <Radio.Group aria-label="Candidate orders" value={value ?? ''} onChange={onChange}>
    <ScrollArea.Autosize mah={240} type="auto">
      <Stack gap={8}>
        {candidates.map((candidate) => {
          const order = orderOf(candidate.order_id);
          return (
            <Radio
              key={candidate.order_id}
              value={candidate.order_id}
              label={
                <Group gap="xs" component="span">
                  <Text span size="sm" fw={500}>
                    {order?.lab_test.name ?? shortId(candidate.order_id)}
                  </Text>
                  <StatusBadge status={candidate.last_status} />
                  <Text span size="xs" c="dimmed">
                    {candidate.confidence_level} confidence, {sharedTests(candidate)} shared tests
                    {order && (
                      <>
                        , ordered <TimeText value={order.created_at} />
                      </>
                    )}
                  </Text>
                </Group>
              }
            />
          );
        })}
      </Stack>
    </ScrollArea.Autosize>
  </Radio.Group>
);

interface SideBySideProps {
  readonly report: Unmatched;
  readonly order: Order;
  readonly candidate: CandidateOrder;
}

/** The report and the chosen order, line by line. A difference has a mark and a word, not only a color. */
const SideBySide = ({ report, order, candidate }: SideBySideProps) => (
  <Stack gap="xs">
    <Table.ScrollContainer minWidth={480} type="native">
      <Table aria-label="Report and order side by side" className="data-table" verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={110}>Field</Table.Th>
            <Table.Th>Report</Table.Th>
            <Table.Th>
              <Group gap={4}>
                Order <CopyId id={order.id} path={`orders/${order.id}`} />
              </Group>
            </Table.Th>
            <Table.Th w={110}>Comparison</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {compare(report, order, candidate).map(
            ({ name, report: reported, order: ordered, isDifferent }) => (
              <Table.Tr key={name} {...(isDifferent ? { bg: 'var(--mantine-color-yellow-light)' } : {})}>
                <Table.Td>{name}</Table.Td>
                <Table.Td>{reported || '–'}</Table.Td>
                <Table.Td>{ordered || '–'}</Table.Td>
                <Table.Td>
                  <Group gap={4} wrap="nowrap">
                    {isDifferent ? <IconAlert size={14} /> : <IconCheck size={14} />}
                    {isDifferent ? 'differs' : 'same'}
                  </Group>
                </Table.Td>
              </Table.Tr>
            ),
          )}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
    <Group gap={6}>
      {candidate.reasons.map((reason) => (
        <Badge key={reason} variant="default" tt="none" fw={400} radius="sm">
          {reason}
        </Badge>
      ))}
    </Group>
    {typeof candidate.status_context?.['hindrance'] === 'string' && (
      <Text size="sm">
        It was not attached automatically: {candidate.status_context['hindrance'].replaceAll('_', ' ')}.
      </Text>
    )}
  </Stack>
);

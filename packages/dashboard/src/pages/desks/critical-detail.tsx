import { Alert, Group, Stack, Table, Text, Timeline } from '@mantine/core';
import { api } from '../../api/client.ts';
import { usePermissions } from '../../base/tenant.ts';
import { Section } from '../../components/page.tsx';
import { CopyId, KeyValues, StatusBadge, TimeText } from '../../components/values.tsx';
import { awaitingReadBack, type CriticalResult } from './critical-data.ts';
import { NotifyForm, ReadBackForm } from './critical-forms.tsx';

export function CriticalDetail({ critical }: { readonly critical: CriticalResult }) {
  const may = usePermissions();
  const waiting = awaitingReadBack(critical);
  const isOpen = critical.status !== 'acknowledged';
  return (
    <Stack gap="lg">
      {critical.latest_result_version > critical.result_version && (
        <Alert color="yellow" title="The laboratory has sent a newer version">
          The values below are those of version {critical.result_version}. Look at version{' '}
          {critical.latest_result_version} on the page of the order before you call.
        </Alert>
      )}
      <Section title="Values" actions={<StatusBadge status={critical.status} />}>
        <Values critical={critical} />
        <OrderFacts critical={critical} />
      </Section>
      {isOpen && may('results:decide') && (
        <Section title={waiting ? 'Read-back' : 'Notify'}>
          {waiting ? (
            <ReadBackForm critical={critical} notification={waiting} />
          ) : (
            <NotifyForm critical={critical} />
          )}
        </Section>
      )}
      {isOpen && !may('results:decide') && (
        <Text size="sm" c="dimmed">
          Your role may look at critical results. A clinician or an administrator records the read-back.
        </Text>
      )}
      <Section title="History">
        <History critical={critical} />
      </Section>
    </Stack>
  );
}

const Values = ({ critical }: { readonly critical: CriticalResult }) => (
  <Table aria-label="Critical values" className="data-table" verticalSpacing="xs">
    <Table.Thead>
      <Table.Tr>
        <Table.Th>Marker</Table.Th>
        <Table.Th>Value</Table.Th>
        <Table.Th>Range</Table.Th>
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {critical.results.map((value, index) => (
        <Table.Tr key={`${value.slug}-${index}`}>
          <Table.Td>
            <Text size="sm" fw={500}>
              {value.name}
            </Text>
            {value.notes !== null && <Text size="xs">{value.notes}</Text>}
          </Table.Td>
          <Table.Td className="numbers">
            <Text span fw={700} size="lg">
              {value.result}
            </Text>{' '}
            {value.unit}
          </Table.Td>
          <Table.Td className="numbers">{value.reference_range ?? '–'}</Table.Td>
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
);

/** Whom it concerns: with the name, because the caller says it. */
function OrderFacts({ critical }: { readonly critical: CriticalResult }) {
  const may = usePermissions();
  const order = api.useQuery(
    'get',
    '/v3/order/{order_id}',
    { params: { path: { order_id: critical.order_id } } },
    { enabled: may('orders:read') },
  );
  const patient = order.data?.patient_details;
  const physician = order.data?.physician;
  return (
    <KeyValues
      rows={[
        ['Patient', patient && [patient.first_name, patient.last_name].filter(Boolean).join(' ')],
        ['Born', patient?.dob.slice(0, 10)],
        ['Phone of the patient', patient?.phone_number],
        ['Physician', physician && `${physician.first_name} ${physician.last_name}, NPI ${physician.npi}`],
        ['Order', <CopyId key="order" id={critical.order_id} path={`orders/${critical.order_id}`} />],
        ['Sample', critical.sample_id],
        ['Reported', <TimeText key="reported" value={critical.reported_at} />],
        ['Due', <TimeText key="due" value={critical.escalation_due_at} />],
      ]}
    />
  );
}

const CHANNEL_WORDS: Readonly<Record<string, string>> = {
  phone: 'by phone',
  in_person: 'in person',
  secure_message: 'by secure message',
  electronic_record: 'in the electronic record',
  fax: 'by fax',
  other: 'by other means',
};

function History({ critical }: { readonly critical: CriticalResult }) {
  return (
    <Timeline bulletSize={12} lineWidth={2}>
      <Timeline.Item title="Detected">
        <Text size="xs" c="dimmed">
          <TimeText value={critical.detected_at} />
        </Text>
      </Timeline.Item>
      {critical.emails.map(({ reason, status, settled_at: settledAt }) => (
        <Timeline.Item key={reason} title={`E-mail: ${reason}`}>
          <Group gap="xs">
            <StatusBadge status={status} />
            <Text size="xs" c="dimmed">
              <TimeText value={settledAt} />
            </Text>
          </Group>
        </Timeline.Item>
      ))}
      {critical.escalated_at !== null && (
        <Timeline.Item title="Escalated: nobody had read it back in time">
          <Text size="xs" c="dimmed">
            <TimeText value={critical.escalated_at} />
          </Text>
        </Timeline.Item>
      )}
      {critical.notifications.map((one) => (
        <Timeline.Item
          key={one.id}
          title={`${one.recipient_name}${one.recipient_role === null ? '' : ` (${one.recipient_role})`} notified ${CHANNEL_WORDS[one.channel] ?? ''}`}
        >
          <Text size="xs" c="dimmed">
            <TimeText value={one.notified_at} />
            {one.notified_by !== null && `, by ${one.notified_by}`}
          </Text>
          {one.notes !== null && <Text size="sm">{one.notes}</Text>}
          <Text size="sm">
            {one.read_back === null && 'Not read back yet.'}
            {one.read_back === true &&
              `Read back correctly${one.said_back === null ? '' : `: “${one.said_back}”`}.`}
            {one.read_back === false &&
              `Read back wrongly${one.said_back === null ? '' : `: “${one.said_back}”`}.`}
            {one.verified_by !== null && ` Verified by ${one.verified_by}.`}
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  );
}

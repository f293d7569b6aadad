import {
  Autocomplete,
  Button,
  Checkbox,
  SegmentedControl,
  Select,
  Stack,
  Text,
  Textarea,
} from '@mantine/core';
import { useState } from 'react';
import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { useTeamParams } from '../../base/organization.ts';
import { useGoTo, usePermissions, useTenant } from '../../base/tenant.ts';
import { tellDone } from '../../components/confirm.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { useLabNames } from '../../components/lab-name.tsx';

type Connection = components['schemas']['LabConnection'];
type Body = components['schemas']['SimulateLabMessageBodyInput'];
type Receipt = components['schemas']['LabMessagesReceived']['messages'][number];

const LIST = '/v1/org/{org_id}/team/{team_id}/{environment}/lab_connection';
const PATH = `${LIST}/{lab_connection_id}/simulated_message` as const;
const RECENT_ORDERS = 100;
const INTERPRETATIONS = ['normal', 'abnormal', 'critical'] as const;
const FORMATS = [
  { value: 'hl7', label: 'HL7 v2' },
  { value: 'fhir', label: 'FHIR' },
];

const receivesResults = ({ inbound, enabled, deleted_at: deletedAt }: Connection): boolean =>
  inbound !== 'none' && enabled && deletedAt === null;

/** Sends a message as the laboratory of a connection would. In sandboxes, for members who may. */
export function SimulateMessage({ connections }: { readonly connections: readonly Connection[] }) {
  const may = usePermissions();
  const { environment } = useTenant();
  const [isOpen, setOpen] = useState(false);
  const able = connections.filter(receivesResults);
  if (environment !== 'sandbox' || !may('delivery:retry') || able.length === 0) return null;
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        Simulate a message
      </Button>
      {isOpen && <SimulateForm connections={able} onClose={() => setOpen(false)} />}
    </>
  );
}

interface SimulateFormProps {
  readonly connections: readonly Connection[];
  readonly onClose: () => void;
}

function SimulateForm({ connections, onClose }: SimulateFormProps) {
  const goTo = useGoTo();
  const params = useTeamParams();
  const [connectionId, setConnectionId] = useState(connections[0]?.id ?? '');
  const [kind, setKind] = useState('order');
  const [body, setBody] = useState<Body>({
    interpretation: 'normal',
    has_missing_results: false,
    format: 'hl7',
  });
  const labName = useLabNames();
  const change = (changed: Partial<Body>) => setBody((before) => ({ ...before, ...changed }));
  const connection = connections.find(({ id }) => id === connectionId);
  const send = async () => {
    const { message: _message, order_id: _order, ...rest } = body;
    const { data } = await client.POST(PATH, {
      params: { path: { ...params, lab_connection_id: connectionId } },
      body: {
        ...rest,
        ...(kind === 'order' ? { order_id: body.order_id?.trim() ?? '' } : { message: body.message ?? '' }),
      },
    });
    const receipts = data?.messages ?? [];
    requireKept(receipts);
    tellDone(
      receipts.length === 1 ? 'The message was received' : `${receipts.length} messages were received`,
    );
    const [first] = receipts;
    goTo(`laboratories/${connectionId}`, first?.id == null ? {} : { message: first.id });
  };
  return (
    <FormDialog
      title="Simulate a message"
      action="Send"
      size="lg"
      onClose={onClose}
      onSubmit={send}
      changes={[`${LIST}/{lab_connection_id}/message`, LIST]}
    >
      <Text size="sm">
        The message comes in as if the laboratory had sent it: it is checked, stored and read in the same way.
        What fits no order waits among the unmatched results.
      </Text>
      {connections.length > 1 && (
        <Select
          label="Connection"
          allowDeselect={false}
          data={connections.map(({ id, name, lab }) => ({ value: id, label: `${name} (${labName(lab)})` }))}
          value={connectionId}
          onChange={(id) => setConnectionId(id ?? '')}
        />
      )}
      <SegmentedControl
        aria-label="Kind of message"
        value={kind}
        onChange={setKind}
        data={[
          { value: 'order', label: 'Results of an order' },
          { value: 'message', label: 'A message of your own' },
        ]}
      />
      {kind === 'order' ? (
        <OrderFields lab={connection?.lab ?? ''} body={body} onChange={change} />
      ) : (
        <MessageFields body={body} onChange={change} />
      )}
    </FormDialog>
  );
}

/** A refused message belongs to no connection, so no list has it. */
function requireKept(receipts: readonly Receipt[]): void {
  const refused = receipts.find(({ id }) => id === null);
  if (refused) throw new Error(`Refused with ${refused.code}: ${refused.reason ?? 'no reason'}`);
}

interface BodyFieldsProps {
  readonly body: Body;
  readonly onChange: (changed: Partial<Body>) => void;
}

function OrderFields({ lab, body, onChange }: BodyFieldsProps & { readonly lab: string }) {
  const may = usePermissions();
  const labName = useLabNames();
  const recent = api.useQuery(
    'get',
    '/v3/orders',
    { params: { query: { size: RECENT_ORDERS } } },
    { enabled: may('orders:read') },
  );
  const orders = (recent.data?.orders ?? []).filter(({ lab_test: test }) => test.lab?.slug === lab);
  const described = new Map(
    orders.map(({ id, lab_test: test, last_event: last }) => [
      id,
      `${test.name} · ${(last.status.split('.').at(-1) ?? '').replaceAll('_', ' ')}`,
    ]),
  );
  return (
    <>
      <Autocomplete
        label="Order id"
        description={`An order for ${labName(lab)}; recent ones are in the list.`}
        required
        data={orders.map(({ id }) => id)}
        filter={({ options }) => options}
        renderOption={({ option }) => (
          <Stack gap={0}>
            <Text size="sm">{described.get(option.value)}</Text>
            <Text size="xs" c="dimmed" ff="monospace">
              {option.value}
            </Text>
          </Stack>
        )}
        maxDropdownHeight={260}
        value={body.order_id ?? ''}
        onChange={(id) => onChange({ order_id: id })}
      />
      <Select
        label="Results"
        allowDeselect={false}
        data={[...INTERPRETATIONS]}
        value={body.interpretation ?? 'normal'}
        onChange={(chosen) =>
          onChange({ interpretation: INTERPRETATIONS.find((one) => one === chosen) ?? 'normal' })
        }
      />
      <Checkbox
        label="One result is missing"
        checked={body.has_missing_results ?? false}
        onChange={(event) => onChange({ has_missing_results: event.currentTarget.checked })}
      />
    </>
  );
}

const MessageFields = ({ body, onChange }: BodyFieldsProps) => (
  <>
    <SegmentedControl
      size="xs"
      w="fit-content"
      aria-label="Format"
      data={FORMATS}
      value={body.format ?? 'hl7'}
      onChange={(format) => onChange({ format: format === 'fhir' ? 'fhir' : 'hl7' })}
    />
    <Textarea
      label="Message"
      description="Do not paste messages of real patients into a sandbox."
      required
      autosize
      minRows={8}
      maxRows={18}
      spellCheck={false}
      styles={{ input: { fontFamily: 'monospace', fontSize: 12 } }}
      placeholder={body.format === 'fhir' ? '{"resourceType": "Bundle", …}' : 'MSH|^~\\&|LIS|…'}
      value={body.message ?? ''}
      onChange={(event) => onChange({ message: event.currentTarget.value })}
    />
  </>
);

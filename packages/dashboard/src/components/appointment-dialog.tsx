import { Button, Group, Modal, Select, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, client } from '../api/client.ts';
import { AppointmentSlots } from './appointment-slots.tsx';
import { bookingLabOf, type OrderToVisit } from './appointment-data.ts';
import { tellDone } from './confirm.tsx';
import { ErrorNotice, Loaded } from './states.tsx';

export type AppointmentAction = 'book' | 'reschedule' | 'cancel';

interface AppointmentDialogProps {
  readonly action: AppointmentAction | undefined;
  readonly visit: OrderToVisit;
  readonly onClose: () => void;
}

const TITLES = {
  book: 'Book an appointment',
  reschedule: 'Reschedule the appointment',
  cancel: 'Cancel the appointment',
} as const;

export const AppointmentDialog = ({ action, visit, onClose }: AppointmentDialogProps) => (
  <Modal opened={action !== undefined} onClose={onClose} title={action && TITLES[action]} size="lg">
    {action === 'cancel' && <CancelForm visit={visit} onClose={onClose} />}
    {action !== undefined && action !== 'cancel' && (
      <SlotForm action={action} visit={visit} onClose={onClose} />
    )}
  </Modal>
);

interface FormProps {
  readonly visit: OrderToVisit;
  readonly onClose: () => void;
}

function useChange(send: () => Promise<unknown>, done: string, onClose: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: () => {
      tellDone(done);
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'get' }),
  });
}

function SlotForm({ action, visit, onClose }: FormProps & { readonly action: 'book' | 'reschedule' }) {
  const [key, setKey] = useState<string>();
  const [notes, setNotes] = useState('');
  const change = useChange(
    () => sendSlot(visit, { action, key: key ?? '', notes }),
    action === 'book' ? 'The appointment is booked' : 'The appointment is rescheduled',
    onClose,
  );
  if (visit.kind === 'center' && bookingLabOf(visit.order) === undefined)
    return (
      <Text size="sm">
        {visit.order.lab_test.lab?.name ?? 'This laboratory'} takes no bookings: the patient walks in at any
        of its centers.
      </Text>
    );
  return (
    <Stack gap="md">
      <AppointmentSlots visit={visit} value={key} onChange={setKey} />
      <Textarea
        label="Notes for the provider"
        value={notes}
        onChange={(event) => setNotes(event.currentTarget.value)}
        autosize
        maxRows={4}
      />
      {change.error && <ErrorNotice error={change.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <Button disabled={key === undefined} loading={change.isPending} onClick={() => change.mutate()}>
          {action === 'book' ? 'Book' : 'Reschedule'}
        </Button>
      </Group>
    </Stack>
  );
}

interface ChosenSlot {
  readonly action: 'book' | 'reschedule';
  /** The booking key of the slot. */
  readonly key: string;
  readonly notes: string;
}

async function sendSlot({ order, kind }: OrderToVisit, { action, key, notes }: ChosenSlot) {
  const params = { path: { order_id: order.id } };
  const common = { booking_key: key, ...(notes === '' ? {} : { appointment_notes: notes }) };
  if (action === 'reschedule')
    return kind === 'home'
      ? client.PATCH('/v3/order/{order_id}/phlebotomy/appointment/reschedule', { params, body: common })
      : client.PATCH('/v3/order/{order_id}/psc/appointment/reschedule', { params, body: common });
  const body = { ...common, async_confirmation: true };
  return kind === 'home'
    ? client.POST('/v3/order/{order_id}/phlebotomy/appointment/book', { params, body })
    : client.POST('/v3/order/{order_id}/psc/appointment/book', { params, body });
}

function CancelForm({ visit: { order, kind }, onClose }: FormProps) {
  const [reason, setReason] = useState<string | null>(null);
  const [notes, setNotes] = useState('');
  const reasons = api.useQuery(
    'get',
    kind === 'home'
      ? '/v3/order/phlebotomy/appointment/cancellation-reasons'
      : '/v3/order/psc/appointment/cancellation-reasons',
  );
  const change = useChange(
    async () => {
      const params = { path: { order_id: order.id } };
      const note = notes === '' ? {} : { note: notes };
      return kind === 'home'
        ? client.PATCH('/v3/order/{order_id}/phlebotomy/appointment/cancel', {
            params,
            body: { cancellation_reason_id: reason ?? '', ...note },
          })
        : client.PATCH('/v3/order/{order_id}/psc/appointment/cancel', {
            params,
            body: { cancellationReasonId: reason ?? '', ...note },
          });
    },
    'The appointment is cancelled',
    onClose,
  );
  return (
    <Stack gap="md">
      <Text size="sm">The provider is told. The order stays, and another appointment can be booked.</Text>
      <Loaded query={reasons} lines={2}>
        {(rows) => (
          <Select
            label="Reason"
            data={rows.map(({ id, name, is_refundable: isFree }) => ({
              value: id,
              label: isFree ? name : `${name} (not refundable)`,
            }))}
            value={reason}
            onChange={setReason}
            required
            data-autofocus
          />
        )}
      </Loaded>
      <Textarea
        label="Comment"
        value={notes}
        onChange={(event) => setNotes(event.currentTarget.value)}
        autosize
      />
      {change.error && <ErrorNotice error={change.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Keep it
        </Button>
        <Button
          color="red"
          disabled={reason === null}
          loading={change.isPending}
          onClick={() => change.mutate()}
        >
          Cancel the appointment
        </Button>
      </Group>
    </Stack>
  );
}

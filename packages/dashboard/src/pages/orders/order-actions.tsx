import { Button, Menu, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { IconChevronDown } from '../../base/icons.ts';
import { usePermissions, useTenant } from '../../base/tenant.ts';
import { confirm, tellDone, tellError } from '../../components/confirm.tsx';
import {
  hasResults,
  isBookable,
  isCancellable,
  isDrawable,
  isRegistrable,
  type Order,
} from './order-data.ts';
import { showPatientLink } from './patient-link.tsx';
import { RegisterKit } from './register-kit.tsx';

interface Action {
  readonly label: string;
  readonly isOffered: boolean;
  readonly permission: string;
  readonly isDangerous?: boolean;
  readonly start: () => void;
}

/** What the state of the order allows, each by one request. The API has the last word. */
export function OrderActions({ order }: { readonly order: Order }) {
  const may = usePermissions();
  const { environment } = useTenant();
  const run = useRun();
  const [isRegistering, setRegistering] = useState(false);
  const path = { order_id: order.id };
  const asked = (title: string, text: string, send: () => unknown) =>
    confirm({ title, text, action: title, isDangerous: true, run: send });
  const actions: readonly Action[] = [
    {
      label: 'Register kit',
      permission: 'orders:write',
      isOffered: isRegistrable(order),
      start: () => setRegistering(true),
    },
    {
      label: 'Mark draw as completed',
      permission: 'orders:write',
      isOffered: isDrawable(order),
      start: () => {
        const complete = () =>
          run(
            () => client.PATCH('/v3/order/{order_id}/draw_completed', { params: { path } }),
            'The draw is completed',
          );
        if (environment === 'sandbox') void complete();
        else asked('Mark draw as completed', 'The laboratory expects the sample then.', complete);
      },
    },
    {
      label: 'Booking link',
      permission: 'orders:write',
      isOffered: isBookable(order),
      start: () => void createBookingLink(order.id),
    },
    {
      label: 'Result link',
      permission: 'results:decide',
      isOffered: hasResults(order),
      start: () => void createResultLink(order.id),
    },
    {
      label: 'Change the release day',
      permission: 'orders:write',
      isOffered: order.activate_by !== null && order.last_event.status.endsWith('.ordered'),
      start: () =>
        void modals.open({
          title: 'Change the release day',
          children: <ReleaseDay order={order} run={run} />,
        }),
    },
    {
      label: 'Send the event again',
      permission: 'delivery:retry',
      isOffered: true,
      start: () =>
        void run(
          () => client.POST('/v3/order/resend_events', { body: { order_ids: [order.id] } }),
          'labtest.order.updated is sent again with the state of now',
        ),
    },
    {
      label: 'Cancel the order',
      permission: 'orders:write',
      isOffered: isCancellable(order),
      isDangerous: true,
      start: () =>
        asked(
          'Cancel the order',
          'The laboratory is told not to test. An appointment is cancelled with it. This cannot be undone.',
          () =>
            run(
              () => client.POST('/v3/order/{order_id}/cancel', { params: { path } }),
              'The order is cancelled',
            ),
        ),
    },
  ];
  const offered = actions.filter(({ isOffered, permission }) => isOffered && may(permission));
  if (offered.length === 0) return null;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button size="xs" rightSection={<IconChevronDown size={14} />}>
            Actions
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {offered.map(({ label, isDangerous, start }) => (
            <Menu.Item key={label} onClick={start} {...(isDangerous ? { color: 'red' } : {})}>
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <RegisterKit order={order} opened={isRegistering} onClose={() => setRegistering(false)} />
    </>
  );
}

async function createBookingLink(orderId: string): Promise<void> {
  const params = { path: { order_id: orderId } };
  const purpose = 'The patient books, moves and cancels the appointment there.';
  try {
    const { data } = await client.POST('/v1/order/{order_id}/booking_url', { params });
    if (data) showPatientLink('Booking link', { url: data.url, expiresAt: data.expires_at, purpose });
  } catch (error) {
    tellError(error);
  }
}

async function createResultLink(orderId: string): Promise<void> {
  const params = { path: { order_id: orderId } };
  const purpose =
    'The patient sees the newest results there, but nothing while a critical value waits for its read-back.';
  try {
    const { data } = await client.POST('/v1/order/{order_id}/result_url', { params });
    if (data) showPatientLink('Result link', { url: data.url, expiresAt: data.expires_at, purpose });
  } catch (error) {
    tellError(error);
  }
}

type Run = ReturnType<typeof useRun>;

function useRun() {
  const queries = useQueryClient();
  return async (action: () => Promise<unknown>, done: string): Promise<void> => {
    try {
      await action();
      tellDone(done);
    } catch (error) {
      tellError(error);
    }
    await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'get' });
  };
}

function ReleaseDay({ order, run }: { readonly order: Order; readonly run: Run }) {
  const [day, setDay] = useState(order.activate_by?.slice(0, 10) ?? '');
  const change = (activateBy: string | null, done: string) => {
    modals.closeAll();
    void run(
      () =>
        client.PATCH('/v3/order/{order_id}', {
          params: { path: { order_id: order.id } },
          body: { activate_by: activateBy },
        }),
      done,
    );
  };
  return (
    <>
      <TextInput
        type="date"
        label="Release on"
        description="The day in UTC on which the order goes to the laboratory."
        value={day}
        onChange={(event) => setDay(event.currentTarget.value)}
      />
      <Button.Group mt="md">
        <Button disabled={day === ''} onClick={() => change(day, 'The release day is changed')}>
          Change
        </Button>
        <Button variant="default" onClick={() => change(null, 'The order is released')}>
          Release now
        </Button>
      </Button.Group>
    </>
  );
}

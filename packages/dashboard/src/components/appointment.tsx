import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { usePermissions } from '../base/tenant.ts';
import { AppointmentDialog, type AppointmentAction } from './appointment-dialog.tsx';
import {
  appointmentIdOf,
  kindOf,
  placeTime,
  type Appointment,
  type OrderToVisit,
} from './appointment-data.ts';
import { Section } from './page.tsx';
import { Loaded } from './states.tsx';
import { KeyValues, StatusBadge, TimeText } from './values.tsx';

type Order = components['schemas']['ClientFacingOrder'];

/** Where and when the sample is drawn, for the methods that have a visit. */
export function AppointmentSection({ order }: { readonly order: Order }) {
  const kind = kindOf(order);
  if (kind === undefined) return null;
  return (
    <Section title="Appointment">
      <AppointmentState order={order} kind={kind} />
    </Section>
  );
}

const BOOKABLE = /(requisition_created|requisition_bypassed|appointment_cancelled)$/;

interface AppointmentStateProps {
  readonly order: Order;
  readonly kind: OrderToVisit['kind'];
}

function AppointmentState({ order, kind }: AppointmentStateProps) {
  const may = usePermissions();
  const [action, setAction] = useState<AppointmentAction>();
  const hasOne = order.details.type !== 'testkit' && appointmentIdOf(order) !== null;
  const path = { order_id: order.id };
  const enabled = { enabled: hasOne };
  const visit = api.useQuery(
    'get',
    kind === 'home' ? '/v3/order/{order_id}/phlebotomy/appointment' : '/v3/order/{order_id}/psc/appointment',
    { params: { path } },
    enabled,
  );
  const mayWrite = may('orders:write');
  const isBookable = BOOKABLE.test(order.last_event.status) && mayWrite;
  return (
    <Stack gap="sm">
      {hasOne ? (
        <Loaded query={visit} lines={4}>
          {(appointment) =>
            // A text is the calendar file, which is not what was asked for.
            typeof appointment === 'string' ? null : (
              <>
                <AppointmentFacts appointment={appointment} />
                {mayWrite && <AppointmentButtons appointment={appointment} onAction={setAction} />}
              </>
            )
          }
        </Loaded>
      ) : (
        <Text size="sm" c="dimmed">
          No appointment yet.
        </Text>
      )}
      {isBookable && (
        <Button size="xs" onClick={() => setAction('book')} style={{ alignSelf: 'flex-start' }}>
          Book an appointment
        </Button>
      )}
      <AppointmentDialog action={action} visit={{ order, kind }} onClose={() => setAction(undefined)} />
    </Stack>
  );
}

const OVER = new Set(['completed', 'cancelled', 'in_progress']);

interface AppointmentButtonsProps {
  readonly appointment: Pick<Appointment, 'status' | 'can_reschedule'>;
  readonly onAction: (action: AppointmentAction) => void;
}

export const AppointmentButtons = ({ appointment, onAction }: AppointmentButtonsProps) =>
  OVER.has(appointment.status) ? null : (
    <Group gap="xs">
      <Button
        size="xs"
        variant="default"
        disabled={!appointment.can_reschedule}
        title={
          appointment.can_reschedule ? undefined : 'It must be confirmed, and begin in more than two hours'
        }
        onClick={() => onAction('reschedule')}
      >
        Reschedule
      </Button>
      <Button size="xs" variant="default" aria-label="Cancel appointment" onClick={() => onAction('cancel')}>
        Cancel
      </Button>
    </Group>
  );

const AppointmentFacts = ({ appointment }: { readonly appointment: Appointment }) => (
  <KeyValues
    rows={[
      ['Status', <StatusBadge key="status" status={appointment.status} />],
      ['At the place', placeTime(appointment)],
      ['In your zone', <TimeText key="start" value={appointment.start_at} />],
      [
        'Provider',
        <Badge key="provider" variant="default" tt="none">
          {appointment.provider}
        </Badge>,
      ],
      [
        'Address',
        `${appointment.address.first_line}, ${appointment.address.city} ${appointment.address.zip_code}`,
      ],
      ['Notes', appointment.appointment_notes],
    ]}
  />
);

import { Anchor, Paper, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTenantPath } from '../../base/tenant.ts';
import { AppointmentButtons } from '../../components/appointment.tsx';
import { placeTime } from '../../components/appointment-data.ts';
import { StatusBadge } from '../../components/values.tsx';
import type { OnVisitAction, Visit } from './visits.ts';

interface VisitCardProps {
  readonly visit: Visit;
  readonly onAction: OnVisitAction;
}

export const visitorName = ({ order: { patient_details: patient } }: Visit): string =>
  [patient?.first_name, patient?.last_name].filter(Boolean).join(' ') || 'Unknown patient';

export function VisitCard({ visit, onAction }: VisitCardProps) {
  const pathOf = useTenantPath();
  const { appointment, order, kind } = visit;
  return (
    <Paper p="xs">
      <Stack gap={4} align="flex-start">
        <Text size="xs" className="numbers">
          {(appointment && placeTime(appointment)) ?? 'No time yet'}
        </Text>
        <Anchor component={Link} to={pathOf(`orders/${order.id}`)} size="sm" fw={500}>
          {visitorName(visit)}
        </Anchor>
        <Text size="xs" c="dimmed">
          {kind === 'home' ? 'At home' : 'At a center'},{' '}
          {appointment?.address.city ?? order.patient_address?.city}
        </Text>
        <StatusBadge status={appointment?.status} />
        {appointment && onAction && (
          <AppointmentButtons appointment={appointment} onAction={(action) => onAction(action, visit)} />
        )}
      </Stack>
    </Paper>
  );
}

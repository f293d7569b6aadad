import { Anchor, Paper, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTenantPath } from '../../base/tenant.ts';
import { AppointmentButtons } from '../../components/appointment.tsx';
import { placeTime } from '../../components/appointment-data.ts';
import { StatusBadge } from '../../components/values.tsx';
import { placeOf, visitorName, type OnVisitAction, type Visit } from './visits.ts';

interface VisitCardProps {
  readonly visit: Visit;
  readonly onAction: OnVisitAction;
}

export function VisitCard({ visit, onAction }: VisitCardProps) {
  const pathOf = useTenantPath();
  return (
    <Paper p="xs">
      <Stack gap={4} align="flex-start">
        <Text size="xs" className="numbers">
          {placeTime(visit) ?? 'No time yet'}
        </Text>
        <Anchor component={Link} to={pathOf(`orders/${visit.order_id}`)} size="sm" fw={500}>
          {visitorName(visit)}
        </Anchor>
        <Text size="xs" c="dimmed">
          {placeOf(visit)}
        </Text>
        <StatusBadge status={visit.status} />
        {onAction && (
          <AppointmentButtons appointment={visit} onAction={(action) => onAction(action, visit)} />
        )}
      </Stack>
    </Paper>
  );
}

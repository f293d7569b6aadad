import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTenantPath } from '../../base/tenant.ts';
import { AppointmentButtons } from '../../components/appointment.tsx';
import { placeTime } from '../../components/appointment-data.ts';
import { CursorTable } from '../../components/cursor-table.tsx';
import { StatusBadge, TimeText } from '../../components/values.tsx';
import { NoVisits } from './no-visits.tsx';
import { fetchVisits, placeOf, visitorName, type OnVisitAction, type VisitFilter } from './visits.ts';

interface VisitTableProps {
  readonly filter: VisitFilter;
  /** Begins at or after this time; undefined for all. */
  readonly from: string | undefined;
  readonly onAction: OnVisitAction;
}

export function VisitTable({ filter, from, onAction }: VisitTableProps) {
  const pathOf = useTenantPath();
  const range = { ...(from === undefined ? {} : { from }), hasTime: true };
  return (
    <CursorTable
      label="Appointments"
      queryKey={['get', '/v1/appointments', filter, range]}
      fetchPage={(cursor) => fetchVisits(filter, range, cursor)}
      keyOf={({ id }) => id}
      empty={<NoVisits />}
      columns={[
        {
          title: 'Patient',
          phone: 'title',
          render: (visit) => (
            <Anchor component={Link} to={pathOf(`orders/${visit.order_id}`)} size="sm" fw={500}>
              {visitorName(visit)}
            </Anchor>
          ),
        },
        { title: 'At the place', phone: 'line', render: (visit) => placeTime(visit) ?? '–' },
        { title: 'In your zone', render: ({ start_at: start }) => <TimeText value={start} /> },
        { title: 'Where', phone: 'line', render: placeOf },
        { title: 'Status', phone: 'state', render: ({ status }) => <StatusBadge status={status} /> },
        {
          title: 'Change',
          phone: 'actions',
          render: (visit) =>
            onAction ? (
              <AppointmentButtons appointment={visit} onAction={(action) => onAction(action, visit)} />
            ) : null,
        },
      ]}
    />
  );
}

import { AppointmentButtons } from '../../components/appointment.tsx';
import { placeTime } from '../../components/appointment-data.ts';
import { DataTable } from '../../components/data-table.tsx';
import { StatusBadge, TimeText } from '../../components/values.tsx';
import { visitorName } from './visit-card.tsx';
import type { OnVisitAction, Visit } from './visits.ts';

interface VisitTableProps {
  readonly visits: readonly Visit[];
  readonly onAction: OnVisitAction;
}

export const VisitTable = ({ visits, onAction }: VisitTableProps) => (
  <DataTable
    label="Appointments"
    rows={visits.toSorted((a, b) =>
      (a.appointment?.start_at ?? '').localeCompare(b.appointment?.start_at ?? ''),
    )}
    keyOf={({ order }) => order.id}
    pathOf={({ order }) => `orders/${order.id}`}
    columns={[
      { title: 'Patient', render: visitorName },
      { title: 'At the place', render: ({ appointment }) => (appointment && placeTime(appointment)) ?? '–' },
      { title: 'In your zone', render: ({ appointment }) => <TimeText value={appointment?.start_at} /> },
      {
        title: 'Where',
        render: ({ kind, appointment }) =>
          `${kind === 'home' ? 'Home' : 'Center'}, ${appointment?.address.city ?? '–'}`,
      },
      { title: 'Status', render: ({ appointment }) => <StatusBadge status={appointment?.status} /> },
      {
        title: 'Change',
        render: (visit) =>
          visit.appointment && onAction ? (
            <AppointmentButtons
              appointment={visit.appointment}
              onAction={(action) => onAction(action, visit)}
            />
          ) : null,
      },
    ]}
  />
);

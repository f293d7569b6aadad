import { Group, SegmentedControl, Select } from '@mantine/core';
import { useState } from 'react';
import { usePermissions } from '../../base/tenant.ts';
import { useUrlState } from '../../base/url-state.ts';
import type { AppointmentAction } from '../../components/appointment-dialog.tsx';
import { PageFrame } from '../../components/page.tsx';
import { useTenantNow } from '../../components/tenant-clock.ts';
import { VisitCalendar, VisitsWithoutTime } from './visit-calendar.tsx';
import { VisitDialog } from './visit-dialog.tsx';
import { VisitTable } from './visit-table.tsx';
import { STATUSES, toVisitFilter, type Visit } from './visits.ts';

const VIEWS = [
  { value: 'week', label: 'Week' },
  { value: 'day', label: 'Day' },
  { value: 'list', label: 'List' },
];
const STATUS_CHOICES = [
  { value: 'all', label: 'All, with canceled' },
  ...STATUSES.map((value) => ({ value, label: value.replaceAll('_', ' ') })),
];
const TYPE_CHOICES = [
  { value: 'phlebotomy', label: 'At home' },
  { value: 'patient_service_center', label: 'At a center' },
];

export function Page() {
  const [{ view = 'week', since, ...state }] = useUrlState();
  const may = usePermissions();
  const today = new Date(useTenantNow()).toISOString().slice(0, 10);
  const [open, setOpen] = useState<{ action: AppointmentAction; visit: Visit }>();
  const filter = toVisitFilter(state);
  const onAction = may('orders:write')
    ? (action: AppointmentAction, visit: Visit) => setOpen({ action, visit })
    : undefined;
  return (
    <PageFrame
      title="Appointments"
      description="Draws at the homes of patients and at centers of laboratories, on the clock of each place."
      calls={[
        {
          title: 'Appointments by time',
          method: 'GET',
          path: '/v1/appointments',
          query: { from: `${today}T00:00:00Z`, status: 'confirmed' },
        },
        { title: 'The visit of an order', method: 'GET', path: '/v3/order/ORDER_ID/phlebotomy/appointment' },
      ]}
    >
      <Filters view={view} />
      {view === 'list' ? (
        <VisitTable
          filter={filter}
          from={since === 'all' ? undefined : `${today}T00:00:00.000Z`}
          onAction={onAction}
        />
      ) : (
        <VisitCalendar filter={filter} span={view === 'day' ? 'day' : 'week'} onAction={onAction} />
      )}
      <VisitsWithoutTime filter={filter} onAction={onAction} />
      {open && <VisitDialog action={open.action} visit={open.visit} onClose={() => setOpen(undefined)} />}
    </PageFrame>
  );
}

function Filters({ view }: { readonly view: string }) {
  const [{ status, type, since }, setState] = useUrlState();
  return (
    <Group gap="sm" align="flex-end">
      <SegmentedControl
        aria-label="View"
        data={VIEWS}
        value={view}
        onChange={(next) => setState({ view: next === 'week' ? undefined : next })}
      />
      {view === 'list' && (
        <SegmentedControl
          aria-label="Time"
          data={[
            { value: 'today', label: 'From today' },
            { value: 'all', label: 'All times' },
          ]}
          value={since ?? 'today'}
          onChange={(next) => setState({ since: next === 'all' ? next : undefined })}
        />
      )}
      <Select
        aria-label="Status"
        placeholder="All but canceled"
        data={STATUS_CHOICES}
        value={status ?? null}
        onChange={(next) => setState({ status: next ?? undefined })}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear the status' }}
      />
      <Select
        aria-label="Kind of visit"
        placeholder="At home and at centers"
        data={TYPE_CHOICES}
        value={type ?? null}
        onChange={(next) => setState({ type: next ?? undefined })}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear the kind of visit' }}
      />
    </Group>
  );
}

import { Button, Group, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { usePermissions } from '../../base/tenant.ts';
import { useUrlState } from '../../base/url-state.ts';
import { AppointmentDialog, type AppointmentAction } from '../../components/appointment-dialog.tsx';
import { PageFrame } from '../../components/page.tsx';
import { EmptyState, Loaded, Loading } from '../../components/states.tsx';
import { useTenantNow } from '../../components/tenant-clock.ts';
import { VisitCard } from './visit-card.tsx';
import { VisitTable } from './visit-table.tsx';
import {
  dayName,
  dayOf,
  shiftWeek,
  useVisits,
  VISITS_READ,
  weekOf,
  type OnVisitAction,
  type Visit,
} from './visits.ts';

const VIEWS = [
  { value: 'week', label: 'Week' },
  { value: 'list', label: 'List' },
  { value: 'cancelled', label: 'Cancelled' },
];

export function Page() {
  const [{ view = 'week', page = '1' }, setState] = useUrlState();
  const may = usePermissions();
  const [open, setOpen] = useState<{ action: AppointmentAction; visit: Visit }>();
  const { orders, visits, isPending } = useVisits(
    view === 'cancelled' ? 'cancelled' : 'planned',
    Number(page) || 1,
  );
  const onAction = may('orders:write')
    ? (action: AppointmentAction, visit: Visit) => setOpen({ action, visit })
    : undefined;
  return (
    <PageFrame
      title="Appointments"
      description="Draws at the homes of patients and at centers of laboratories, on the clock of each place."
      calls={[
        {
          title: 'Orders with a visit',
          method: 'GET',
          path: '/v3/orders',
          query: { status: 'appointment_scheduled' },
        },
        { title: 'The visit of an order', method: 'GET', path: '/v3/order/ORDER_ID/phlebotomy/appointment' },
      ]}
    >
      <SegmentedControl
        aria-label="View"
        data={VIEWS}
        value={view}
        onChange={(next) => setState({ view: next === 'week' ? undefined : next, page: undefined })}
        style={{ alignSelf: 'flex-start' }}
      />
      <Loaded query={orders}>
        {({ total }) =>
          visits.length === 0 ? (
            <EmptyState title="No appointments" call="POST /v3/order/{order_id}/phlebotomy/appointment/book">
              A visit is booked on the page of an order, for a draw at home or at a center of the laboratory.
            </EmptyState>
          ) : isPending ? (
            <Loading lines={6} />
          ) : (
            <>
              {view === 'week' ? (
                <Week visits={visits} onAction={onAction} />
              ) : (
                <VisitTable visits={visits} onAction={onAction} />
              )}
              <Pages total={total} page={Number(page) || 1} count={visits.length} />
            </>
          )
        }
      </Loaded>
      {open && (
        <AppointmentDialog action={open.action} visit={open.visit} onClose={() => setOpen(undefined)} />
      )}
    </PageFrame>
  );
}

function Week({ visits, onAction }: { readonly visits: readonly Visit[]; readonly onAction: OnVisitAction }) {
  const now = useTenantNow();
  const [{ day }, setState] = useUrlState();
  const today = new Date(now).toISOString().slice(0, 10);
  const shown = day !== undefined && /^\d{4}-\d\d-\d\d$/.test(day) ? day : today;
  const days = weekOf(shown);
  const undated = visits.filter((visit) => dayOf(visit) === '');
  return (
    <Stack gap="md">
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={() => setState({ day: shiftWeek(shown, -1) })}>
          Previous week
        </Button>
        <Button size="xs" variant="default" onClick={() => setState({ day: undefined })}>
          This week
        </Button>
        <Button size="xs" variant="default" onClick={() => setState({ day: shiftWeek(shown, 1) })}>
          Next week
        </Button>
        <Text size="sm" c="dimmed">
          {dayName(days[0] ?? shown)} – {dayName(days[6] ?? shown)}
        </Text>
      </Group>
      <SimpleGrid cols={{ base: 1, md: 7 }} spacing="xs">
        {days.map((one) => (
          <Stack key={one} gap={6} component="section" aria-label={dayName(one)}>
            <Text size="sm" fw={one === today ? 700 : 500}>
              {dayName(one)}
              {one === today && ', today'}
            </Text>
            {visits
              .filter((visit) => dayOf(visit) === one)
              .toSorted((a, b) =>
                (a.appointment?.start_at ?? '').localeCompare(b.appointment?.start_at ?? ''),
              )
              .map((visit) => (
                <VisitCard key={visit.order.id} visit={visit} onAction={onAction} />
              ))}
          </Stack>
        ))}
      </SimpleGrid>
      {undated.length > 0 && (
        <Stack gap={6}>
          <Text size="sm" fw={500}>
            Waiting for a time
          </Text>
          <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="xs">
            {undated.map((visit) => (
              <VisitCard key={visit.order.id} visit={visit} onAction={onAction} />
            ))}
          </SimpleGrid>
        </Stack>
      )}
    </Stack>
  );
}

interface PagesProps {
  readonly total: number | null;
  readonly page: number;
  readonly count: number;
}

function Pages({ total, page, count }: PagesProps) {
  const [, setState] = useUrlState();
  const hasMore = total === null ? count === VISITS_READ : page * VISITS_READ < total;
  if (page === 1 && !hasMore) return null;
  return (
    <Group gap="xs">
      <Button
        size="xs"
        variant="default"
        disabled={page <= 1}
        onClick={() => setState({ page: String(page - 1) })}
      >
        Previous page
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={!hasMore}
        onClick={() => setState({ page: String(page + 1) })}
      >
        Next page
      </Button>
      <Text size="xs" c="dimmed">
        The newest orders with a visit first, {VISITS_READ} at a time.
      </Text>
    </Group>
  );
}

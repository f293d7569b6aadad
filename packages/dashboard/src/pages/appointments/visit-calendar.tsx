import { Alert, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useUrlState } from '../../base/url-state.ts';
import { useMediaQuery } from '@mantine/hooks';
import { Loaded } from '../../components/states.tsx';
import { useTenantNow } from '../../components/tenant-clock.ts';
import { VisitCard } from './visit-card.tsx';
import { VisitGrid } from './visit-grid.tsx';
import {
  clockOf,
  dayName,
  dayOf,
  rangeOfDays,
  shiftDays,
  useVisits,
  weekOf,
  zoneOf,
  type OnVisitAction,
  type Visit,
  type VisitFilter,
} from './visits.ts';

interface VisitCalendarProps {
  readonly filter: VisitFilter;
  readonly span: 'week' | 'day';
  readonly onAction: OnVisitAction;
}

/** Below it, a column of a week has no room for a name. */
const WIDE = '(min-width: 62em)';

/** Every appointment of a week or a day: a grid of hours, or a list where there is little room. Days are those of the places. */
export function VisitCalendar({ filter, span, onAction }: VisitCalendarProps) {
  const now = useTenantNow();
  const [{ day }] = useUrlState();
  const today = new Date(now).toISOString().slice(0, 10);
  const shown = day !== undefined && /^\d{4}-\d\d-\d\d$/.test(day) ? day : today;
  const days = span === 'week' ? weekOf(shown) : [shown];
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false });
  const visits = useVisits(filter, { ...rangeOfDays(days), hasTime: true });
  return (
    <Stack gap="md">
      <Steps span={span} shown={shown} days={days} />
      <Loaded query={visits}>
        {({ rows, isCut }) => (
          <>
            {isCut && (
              <Alert color="yellow" title="Not all appointments are shown">
                This range has more than {rows.length.toLocaleString()}. Choose a day, a status or the list.
              </Alert>
            )}
            {isWide ? (
              <VisitGrid days={days} visits={rows} now={clockOf(now, zoneOf(rows))} onAction={onAction} />
            ) : (
              <Stack gap="md">
                {days.map((one) => (
                  <Day key={one} day={one} isToday={one === today} visits={rows} onAction={onAction} />
                ))}
              </Stack>
            )}
          </>
        )}
      </Loaded>
    </Stack>
  );
}

interface StepsProps {
  readonly span: 'week' | 'day';
  readonly shown: string;
  readonly days: readonly string[];
}

function Steps({ span, shown, days }: StepsProps) {
  const [, setState] = useUrlState();
  const step = span === 'week' ? 7 : 1;
  const first = dayName(days[0] ?? shown);
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" onClick={() => setState({ day: shiftDays(shown, -step) })}>
        Previous {span}
      </Button>
      <Button size="xs" variant="default" onClick={() => setState({ day: undefined })}>
        {span === 'week' ? 'This week' : 'Today'}
      </Button>
      <Button size="xs" variant="default" onClick={() => setState({ day: shiftDays(shown, step) })}>
        Next {span}
      </Button>
      <Text size="sm" c="dimmed" aria-live="polite">
        {span === 'week' ? `${first} – ${dayName(days.at(-1) ?? shown)}` : first}
      </Text>
    </Group>
  );
}

interface DayProps {
  readonly day: string;
  readonly isToday: boolean;
  readonly visits: readonly Visit[];
  readonly onAction: OnVisitAction;
}

function Day({ day, isToday, visits, onAction }: DayProps) {
  const own = visits.filter((visit) => dayOf(visit) === day);
  return (
    <Stack gap={6} component="section" aria-label={dayName(day)}>
      <Text size="sm" fw={isToday ? 700 : 500}>
        {dayName(day)}
        {isToday && ', today'}
      </Text>
      {own.length === 0 && (
        <Text size="xs" c="dimmed">
          No appointments
        </Text>
      )}
      {own.map((visit) => (
        <VisitCard key={visit.id} visit={visit} onAction={onAction} />
      ))}
    </Stack>
  );
}

/** Appointments that the provider has not given a time yet. They are in no range. */
export function VisitsWithoutTime({ filter, onAction }: Omit<VisitCalendarProps, 'span'>) {
  const { data } = useVisits(filter, { hasTime: false });
  if (data === undefined || data.rows.length === 0) return null;
  return (
    <Stack gap={6} component="section" aria-label="Waiting for a time">
      <Text size="sm" fw={500}>
        Waiting for a time
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="xs">
        {data.rows.map((visit) => (
          <VisitCard key={visit.id} visit={visit} onAction={onAction} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

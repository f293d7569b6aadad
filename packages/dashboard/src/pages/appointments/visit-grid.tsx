import { Popover, Text } from '@mantine/core';
import type { CSSProperties } from 'react';
import { placeTime } from '../../components/appointment-data.ts';
import { toneOf } from '../../components/values.tsx';
import { VisitCard } from './visit-card.tsx';
import { toLanes } from './visit-lanes.ts';
import { clockOf, dayName, visitorName, type ClockTime, type OnVisitAction, type Visit } from './visits.ts';

const HOUR = 60;
const HOUR_HEIGHT = 56;
/** The hours that are always shown; earlier and later ones where a visit or the present needs them. */
const USUAL = { from: 7, to: 19 };
/** A visit without an end, or with a very short one, is as high as a line of text. */
const LEAST_MINUTES = 30;
const DAY_MINUTES = 24 * HOUR;

interface VisitGridProps {
  readonly days: readonly string[];
  readonly visits: readonly Visit[];
  readonly now: ClockTime;
  readonly onAction: OnVisitAction;
}

interface PlacedVisit {
  readonly visit: Visit;
  readonly day: string;
  readonly from: number;
  readonly to: number;
}

/** Where a visit stands: by the clock of its place. One that ends after midnight ends with its day. */
function place(visit: Visit): PlacedVisit[] {
  if (visit.start_at === null) return [];
  const start = clockOf(visit.start_at, visit.iana_timezone);
  const end = visit.end_at === null ? start : clockOf(visit.end_at, visit.iana_timezone);
  const to = end.day === start.day ? end.minutes : DAY_MINUTES;
  return [
    {
      visit,
      day: start.day,
      from: Math.min(start.minutes, DAY_MINUTES - LEAST_MINUTES),
      to: Math.max(to, start.minutes + LEAST_MINUTES),
    },
  ];
}

/** The hours of the days down, the days across, and what happens at once side by side. */
export function VisitGrid({ days, visits, now, onAction }: VisitGridProps) {
  const placed = visits.flatMap(place).filter(({ day }) => days.includes(day));
  const present = days.includes(now.day) ? [{ from: now.minutes, to: now.minutes + 1 }] : [];
  const needed = [...placed, ...present];
  const first = Math.min(USUAL.from, ...needed.map(({ from }) => Math.floor(from / HOUR)));
  const last = Math.max(USUAL.to, ...needed.map(({ to }) => Math.ceil(to / HOUR)));
  const hours = Array.from({ length: last - first }, (_, index) => first + index);
  const topOf = (minutes: number) => ((minutes - first * HOUR) / HOUR) * HOUR_HEIGHT;
  return (
    <div
      className="visit-grid"
      style={
        {
          '--days': days.length,
          '--hours': hours.length,
          '--hour-height': `${HOUR_HEIGHT}px`,
        } as CSSProperties
      }
    >
      <div className="visit-grid-hours" aria-hidden>
        {hours.map((hour) => (
          <span key={hour}>{hour === first ? '' : HOUR_NAME.format(Date.UTC(2000, 0, 1, hour))}</span>
        ))}
      </div>
      {days.map((day) => (
        <section key={day} className="visit-grid-day" aria-label={dayName(day)}>
          <Text size="sm" fw={day === now.day ? 700 : 500} className="visit-grid-name">
            {dayName(day)}
            {day === now.day && ', today'}
          </Text>
          <div className="visit-grid-hour-lines">
            {toLanes(placed.filter((one) => one.day === day)).map(({ visit, from, to, lane, lanes }) => (
              <GridVisit
                key={visit.id}
                visit={visit}
                onAction={onAction}
                style={{
                  top: topOf(from),
                  height: topOf(to) - topOf(from) - 2,
                  left: `${(lane / lanes) * 100}%`,
                  width: `calc(${100 / lanes}% - 2px)`,
                }}
              />
            ))}
            {day === now.day && (
              <div className="visit-grid-now" style={{ top: topOf(now.minutes) }}>
                <span className="visually-hidden">Now</span>
              </div>
            )}
          </div>
        </section>
      ))}
    </div>
  );
}

const HOUR_NAME = new Intl.DateTimeFormat(undefined, { hour: 'numeric', timeZone: 'UTC' });

interface GridVisitProps {
  readonly visit: Visit;
  readonly onAction: OnVisitAction;
  readonly style: CSSProperties;
}

/** A visit in the grid; it opens its card. */
function GridVisit({ visit, onAction, style }: GridVisitProps) {
  const tone = toneOf(visit.status);
  const status = visit.status.replaceAll('_', ' ');
  const time = placeTime(visit) ?? '';
  return (
    <Popover width={260} position="right-start" withArrow shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <button
          type="button"
          className="visit-grid-visit"
          title={`${visitorName(visit)}, ${time}, ${status}`}
          style={{
            ...style,
            background: `var(--mantine-color-${tone}-light)`,
            color: `var(--mantine-color-${tone}-light-color)`,
            borderLeftColor: `var(--mantine-color-${tone}-filled)`,
          }}
        >
          <span className="numbers">{shortTime(visit)}</span> <strong>{visitorName(visit)}</strong>{' '}
          <span>{status}</span>
        </button>
      </Popover.Target>
      <Popover.Dropdown p={0}>
        <VisitCard visit={visit} onAction={onAction} />
      </Popover.Dropdown>
    </Popover>
  );
}

const shortTime = ({ start_at: start, iana_timezone: timeZone }: Visit): string =>
  start === null
    ? ''
    : new Intl.DateTimeFormat(undefined, {
        hour: 'numeric',
        minute: '2-digit',
        ...(timeZone === null ? {} : { timeZone }),
      }).format(new Date(start));

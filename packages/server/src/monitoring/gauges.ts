import type { Meter, Observable } from '@opentelemetry/api';

/** Name, unit and description of each gauge; docs/how-to/monitor.md has the same table. */
const STATE_GAUGES = {
  jobsWaiting: ['aliquot.job.waiting', '{job}', 'Jobs that are due and wait for a worker'],
  jobsRunning: ['aliquot.job.running', '{job}', 'Jobs that run now'],
  jobAge: ['aliquot.job.oldest.age', 's', 'Time that the oldest waiting job has waited'],
  timersOverdue: ['aliquot.timer.overdue', '{timer}', 'Timers that are due and have not enqueued their job'],
  timerAge: ['aliquot.timer.oldest.age', 's', 'Time since the oldest overdue timer was due'],
  eventsUndelivered: ['aliquot.event.undelivered', '{event}', 'Events that wait in a stage of delivery'],
  eventAge: ['aliquot.event.oldest.age', 's', 'Age of the oldest event that waits in a stage of delivery'],
  deadLetters: ['aliquot.dead_letter', '{message}', 'Messages and jobs that were given up'],
  reviews: ['aliquot.review.open', '{result}', 'Results that wait for the decision of a person'],
  criticalOverdue: [
    'aliquot.critical_result.overdue',
    '{result}',
    'Critical results that were not acknowledged before their deadline',
  ],
  databaseSize: ['aliquot.database.size', 'By', 'Size of the database'],
  connections: ['db.client.connection.count', '{connection}', 'Connections of a pool by state'],
  connectionsMax: ['db.client.connection.max', '{connection}', 'Most connections that a pool opens'],
  connectionsWanted: [
    'db.client.connection.pending_requests',
    '{request}',
    'Requests that wait for a connection',
  ],
} as const;

export type StateGauges = Readonly<Record<keyof typeof STATE_GAUGES, Observable>>;

export function describeState(meter: Meter): StateGauges {
  const gauge = (key: keyof typeof STATE_GAUGES) => {
    const [name, unit, description] = STATE_GAUGES[key];
    return meter.createObservableGauge(name, { unit, description });
  };
  return {
    jobsWaiting: gauge('jobsWaiting'),
    jobsRunning: gauge('jobsRunning'),
    jobAge: gauge('jobAge'),
    timersOverdue: gauge('timersOverdue'),
    timerAge: gauge('timerAge'),
    eventsUndelivered: gauge('eventsUndelivered'),
    eventAge: gauge('eventAge'),
    deadLetters: gauge('deadLetters'),
    reviews: gauge('reviews'),
    criticalOverdue: gauge('criticalOverdue'),
    databaseSize: gauge('databaseSize'),
    connections: gauge('connections'),
    connectionsMax: gauge('connectionsMax'),
    connectionsWanted: gauge('connectionsWanted'),
  };
}

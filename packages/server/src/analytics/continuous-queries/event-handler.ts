import { z } from 'zod';
import { inTenant, type App } from '../../app.ts';
import { openEventData, type EventHandler } from '../../events/events.ts';
import { DAY } from '../../platform/clock.ts';
import { defineJob, enqueueForTenant, type Job } from '../../platform/jobs/jobs.ts';
import { toTenantKey } from '../../platform/tenant.ts';
import { toTenant } from '../../platform/db/tenant-rows.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { findUser } from '../../users/users/users.ts';
import { isQueryableTimeseries, createLocalTimeConverter } from '../aggregation/aggregation.ts';
import { resourceEvents } from '../../wearables/events.ts';
import { scheduleForResource } from './schedule.ts';
import { listQueriedResources } from './store.ts';
import { findEvent } from './task-store.ts';

/** The resource of each data event, by event type. */
const RESOURCE_BY_EVENT_TYPE: ReadonlyMap<string, string> = new Map(
  Object.entries(resourceEvents).flatMap(([name, { created, updated, historical }]) =>
    [created, updated, historical].map(({ type }): [string, string] => [type, name]),
  ),
);

const HandleDataEventInput = z.object({ event_id: z.guid(), resource: z.string() });

/** Schedules the queries that read the data of an event. Idempotent. */
export const handleDataEvent: Job<App, z.output<typeof HandleDataEventInput>> = defineJob({
  name: 'continuous-queries.notice',
  input: HandleDataEventInput,
  canWait: true,
  run: (app, tenant, { event_id: eventId, resource }) =>
    inTenant(app, tenant, async (work) => {
      const event = await findEvent(work, eventId);
      const user = event?.user_id && (await findUser(work, event.user_id));
      if (!event || !user) return;
      const wall = createLocalTimeConverter(user.fallbackTimeZone?.value ?? null);
      // Summaries are few and are always read in full; samples only from the first change on.
      const from = isQueryableTimeseries(resource) ? findFirstChange(openEventData(work, event), wall) : null;
      await scheduleForResource(work, user.id, { resource, from });
    }),
});

const SampleEventData = z.object({
  data: z.array(z.object({ timestamp: Timestamp, timezone_offset: z.int().nullable() })),
});

/** Data stored earlier under another UTC offset may be in a bucket up to one day earlier. */
const OFFSET_MARGIN_MS = DAY;

/** The earliest local time in the data of an event; null if the event carries no times. */
function findFirstChange(data: unknown, wall: ReturnType<typeof createLocalTimeConverter>): Date | null {
  const told = SampleEventData.safeParse(data);
  if (!told.success || told.data.data.length === 0) return null;
  const moments = told.data.data.map(({ timestamp, timezone_offset: offset }) =>
    wall(Date.parse(timestamp), offset),
  );
  return new Date(moments.reduce((first, moment) => Math.min(first, moment)) - OFFSET_MARGIN_MS);
}

/** Enqueues work only for events whose data an active continuous query reads. */
export const continuousQueryEventHandler: EventHandler<App> = {
  name: handleDataEvent.name,
  handle: async (_app, tx, events) => {
    const told = events.filter(({ type, userId }) => userId !== null && RESOURCE_BY_EVENT_TYPE.has(type));
    if (told.length === 0) return;
    const concerns = await listQueriedResources(tx, [...new Set(told.map(({ tenant }) => tenant.teamId))]);
    const read = new Map(concerns.map((row) => [toTenantKey(toTenant(row)), row.resources]));
    for (const { tenant, id, type } of told) {
      const resource = RESOURCE_BY_EVENT_TYPE.get(type) ?? '';
      if (!read.get(toTenantKey(tenant))?.includes(resource)) continue;
      await enqueueForTenant(tx, { tenant, job: handleDataEvent.name, input: { event_id: id, resource } });
    }
  },
};

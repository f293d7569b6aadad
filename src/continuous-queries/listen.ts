import { z } from 'zod';
import { inTenant, type App } from '../app.ts';
import { eventData, type Reaction } from '../events/events.ts';
import { DAY } from '../platform/clock.ts';
import { defineJob, enqueueAs, type Job } from '../platform/jobs/jobs.ts';
import type { Tenant } from '../platform/tenant.ts';
import { findUser } from '../users/users.ts';
import { isSampled, openWall } from '../aggregation/aggregation.ts';
import { resourceEvents } from '../wearables/events.ts';
import { scheduleFor } from './schedule.ts';
import { listConcerns } from './store.ts';
import { findEvent } from './task-store.ts';

/** The resource of every event that tells of data. */
const RESOURCE_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(resourceEvents).flatMap(([name, { created, updated, historical }]) =>
    [created, updated, historical].map(({ type }): [string, string] => [type, name]),
  ),
);

const Input = z.object({ event_id: z.guid(), resource: z.string() });

/** Schedules the queries that what an event tells of concerns. Running it twice schedules them once. */
export const notice: Job<App, z.output<typeof Input>> = defineJob({
  name: 'continuous-queries.notice',
  input: Input,
  canWait: true,
  run: (app, tenant, { event_id: eventId, resource }) =>
    inTenant(app, tenant, async (work) => {
      const event = await findEvent(work, eventId);
      const user = event?.user_id && (await findUser(work, event.user_id));
      if (!event || !user) return;
      const wall = openWall(user.fallbackTimeZone?.value ?? null);
      // Only samples are so many that it matters from where they are looked at.
      const from = isSampled(resource) ? firstChange(eventData(work, event), wall) : null;
      await scheduleFor(work, user.id, { resource, from });
    }),
});

const Told = z.object({
  data: z.array(
    z.object({ timestamp: z.iso.datetime({ offset: true }), timezone_offset: z.int().nullable() }),
  ),
});

/** What was known under another offset before stood on another day, at most. */
const MARGIN_MS = DAY;

/** The first moment on the wall of which an event tells; null where it does not say. */
function firstChange(data: unknown, wall: ReturnType<typeof openWall>): Date | null {
  const told = Told.safeParse(data);
  if (!told.success || told.data.data.length === 0) return null;
  const moments = told.data.data.map(({ timestamp, timezone_offset: offset }) =>
    wall(Date.parse(timestamp), offset),
  );
  return new Date(moments.reduce((first, moment) => Math.min(first, moment)) - MARGIN_MS);
}

/** Nothing is asked for where no continuous query reads what an event tells of. */
export const continuousQueryReaction: Reaction<App> = {
  name: notice.name,
  take: async (_app, tx, events) => {
    const told = events.filter(({ type, userId }) => userId !== null && RESOURCE_OF.has(type));
    if (told.length === 0) return;
    const concerns = await listConcerns(tx, [...new Set(told.map(({ tenant }) => tenant.teamId))]);
    const read = new Map(
      concerns.map((row) => [nameOf({ teamId: row.team_id, environment: row.environment }), row.resources]),
    );
    for (const { tenant, id, type } of told) {
      const resource = RESOURCE_OF.get(type) ?? '';
      if (!read.get(nameOf(tenant))?.includes(resource)) continue;
      await enqueueAs(tx, { tenant, job: notice.name, input: { event_id: id, resource } });
    }
  },
};

const nameOf = ({ teamId, environment }: Tenant) => `${teamId}/${environment}`;

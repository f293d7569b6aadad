import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { order } from '../../test/examples.ts';
import type { TestTeam } from '../../test/service.ts';
import { useTestService } from '../../test/service-hooks.ts';
import { eventCatalog } from '../event-catalog.ts';
import { asSystem } from '../platform/db/transact.ts';
import { inTenant } from '../platform/work.ts';
import { endpointDisabled } from '../delivery/webhooks/events.ts';
import { defineEvent, emit, type EventType, type SequencedEvent } from './events.ts';
import { openPayloadCheck } from './payload-check.ts';

const service = useTestService();

const NO_SUBJECT = { userId: null, clientUserId: null };
const mealKept = defineEvent({
  type: 'meal.kept',
  when: 'A meal was kept.',
  data: z.object({ at: z.int(), foods: z.record(z.string(), z.object({ grams: z.number() })) }),
});
const mealLost = defineEvent({ type: 'meal.lost', when: 'A meal was lost.', data: mealKept.data });

/** The same type with a schema that accepts everything, to emit an invalid payload. */
const withoutSchema = (event: EventType) => ({ ...event, data: z.any() });

const emitEvent = (team: TestTeam, event: EventType, data: unknown) =>
  inTenant(service.app, team.tenant, (work) => emit(work, event, { subject: NO_SUBJECT, data }));

const validData = { at: 1, foods: { bread: { grams: 50 } } };

/** The logged lines, and a payload check that logs to them. */
function createLoggedCheck(catalog: readonly EventType[] = [mealKept, mealLost]) {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'error' }, { write: (text: string) => void lines.push(JSON.parse(text)) });
  return { lines, check: openPayloadCheck({ ...service.app, log }, catalog) };
}

/** Passes the events of a team to a payload check, as the fan-out does. */
async function passToCheck(
  team: TestTeam,
  check: ReturnType<typeof openPayloadCheck>,
): Promise<SequencedEvent[]> {
  await service.settle();
  const { teamId, environment } = team.tenant;
  const { json } = await team.management.get(`/v1/org/${team.orgId}/team/${teamId}/${environment}/event`);
  const events: SequencedEvent[] = json.data.map((event: Record<string, string>) => ({
    tenant: team.tenant,
    id: event['id'],
    type: event['event_type'],
    position: event['position'],
    userId: null,
    createdAt: service.clock.now(),
  }));
  await asSystem(service.app.db, (tx) => check.eventHandler.handle(service.app, tx, events));
  return events;
}

describe('an invalid payload', () => {
  it('fails in tests where it is emitted', async () => {
    const team = await service.team();
    await expect(emitEvent(team, mealKept, { ...validData, at: 'noon' })).rejects.toThrow();
  });

  it('is sent in production, and logged with its paths but not its values', async () => {
    const team = await service.team();
    const { check, lines } = createLoggedCheck();
    const bad = { at: 'noon', foods: { 'a secret dish': { grams: 'many' }, bread: { grams: 1 } } };
    await emitEvent(team, withoutSchema(mealKept), bad);
    const [event] = await passToCheck(team, check);
    await check.checkNext();
    expect(lines).toMatchObject([
      {
        event_type: 'meal.kept',
        event_id: event?.id,
        team_id: team.tenant.teamId,
        environment: 'sandbox',
        places: ['at: invalid_type', 'foods.*.grams: invalid_type'],
      },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/secret|noon|many/);
  });

  it('is reported for an unknown event type', async () => {
    const team = await service.team();
    const { check, lines } = createLoggedCheck([mealKept]);
    await emitEvent(team, mealLost, validData);
    await passToCheck(team, check);
    await check.checkNext();
    expect(lines).toMatchObject([
      { event_type: 'meal.lost', places: ['the catalog has no such event type'] },
    ]);
  });
});

it('the running service checks payloads automatically', async () => {
  const team = await service.team();
  const seen: unknown[] = [];
  service.app.log.error = (fields: unknown) => void seen.push(fields);
  await emitEvent(team, withoutSchema(endpointDisabled), { endpoint_id: 7 });
  const complaint = expect.objectContaining({
    event_type: 'endpoint.disabled',
    team_id: team.tenant.teamId,
    places: ['endpoint_id: invalid_type', 'url: invalid_type', 'reason: invalid_value'],
  });
  await vi.waitFor(() => expect(seen).toContainEqual(complaint), { timeout: 50_000 });
});

it('the check logs nothing for valid payloads', async () => {
  const team = await service.team();
  const { check, lines } = createLoggedCheck();
  await emitEvent(team, mealKept, validData);
  await passToCheck(team, check);
  await check.checkNext();
  expect(lines).toEqual([]);
});

it('the check samples a flood of one type, and still checks a rare type', async () => {
  const team = await service.team();
  const { check, lines } = createLoggedCheck();
  for (let at = 0; at < 30; at += 1) await emitEvent(team, withoutSchema(mealKept), { at: 'noon' });
  await emitEvent(team, withoutSchema(mealLost), { at: 'noon' });
  await passToCheck(team, check);
  await check.checkNext();
  const types = lines.map(({ event_type: type }) => type);
  expect(types.filter((type) => type === 'meal.kept')).toHaveLength(4);
  expect(types.filter((type) => type === 'meal.lost')).toHaveLength(1);
  await check.checkNext();
  expect(lines).toHaveLength(5);
});

it('the check accepts the events of the service itself', async () => {
  const team = await service.team();
  const { check, lines } = createLoggedCheck(eventCatalog);
  const user = await team.user();
  const [test] = (await team.get('/v3/lab_tests')).json;
  const placed = await team.post('/v3/order', order(user, test.id));
  expect(placed.status).toBe(200);
  expect(await passToCheck(team, check)).not.toEqual([]);
  await check.checkNext();
  expect(lines).toEqual([]);
});

import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { order } from '../../test/examples.ts';
import { openHouse, type House, type TeamInHand } from '../../test/house.ts';
import { eventCatalog } from '../event-catalog.ts';
import { asSystem } from '../platform/db/transact.ts';
import { inTenant } from '../platform/work.ts';
import { endpointDisabled } from '../webhooks/events.ts';
import { defineEvent, emit, type EventType, type PlacedEvent } from './events.ts';
import { openPayloadCheck } from './payload-check.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const NOBODY = { userId: null, clientUserId: null };
const kept = defineEvent({
  type: 'meal.kept',
  when: 'A meal was kept.',
  data: z.object({ at: z.int(), foods: z.record(z.string(), z.object({ grams: z.number() })) }),
});
const lost = defineEvent({ type: 'meal.lost', when: 'A meal was lost.', data: kept.data });

/** The same type with a schema that lets everything through: how a fault of ours looks from inside. */
const careless = (event: EventType) => ({ ...event, data: z.any() });

const say = (team: TeamInHand, event: EventType, data: unknown) =>
  inTenant(house.app, team.tenant, (work) => emit(work, event, { subject: NOBODY, data }));

const good = { at: 1, foods: { bread: { grams: 50 } } };

/** What was logged, line by line, and a check that logs there. */
function listening(catalog: readonly EventType[] = [kept, lost]) {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'error' }, { write: (text: string) => void lines.push(JSON.parse(text)) });
  return { lines, check: openPayloadCheck({ ...house.app, log }, catalog) };
}

/** The events of a team that have their places, told to a check as the fan-out does. */
async function tell(team: TeamInHand, check: ReturnType<typeof openPayloadCheck>): Promise<PlacedEvent[]> {
  await house.settle();
  const { teamId, environment } = team.tenant;
  const { json } = await team.management.get(`/v1/org/${team.orgId}/team/${teamId}/${environment}/event`);
  const events: PlacedEvent[] = json.data.map((event: Record<string, string>) => ({
    tenant: team.tenant,
    id: event['id'],
    type: event['event_type'],
    position: event['position'],
    userId: null,
    createdAt: house.clock.now(),
  }));
  await asSystem(house.app.db, (tx) => check.reaction.take(house.app, tx, events));
  return events;
}

describe('a payload that does not fit', () => {
  it('is refused in tests, where it is made', async () => {
    const team = await house.team();
    await expect(say(team, kept, { ...good, at: 'noon' })).rejects.toThrow();
  });

  it('is sent in production, and logged by its places and never its values', async () => {
    const team = await house.team();
    const { check, lines } = listening();
    const bad = { at: 'noon', foods: { 'a secret dish': { grams: 'many' }, bread: { grams: 1 } } };
    await say(team, careless(kept), bad);
    const [event] = await tell(team, check);
    await check.look();
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

  it('is one of a type that nobody knows', async () => {
    const team = await house.team();
    const { check, lines } = listening([kept]);
    await say(team, lost, good);
    await tell(team, check);
    await check.look();
    expect(lines).toMatchObject([{ event_type: 'meal.lost', places: ['the catalogue has no such type'] }]);
  });
});

it('is done by the running service, unasked', async () => {
  const team = await house.team();
  const seen: unknown[] = [];
  house.app.log.error = (fields: unknown) => void seen.push(fields);
  await say(team, careless(endpointDisabled), { endpoint_id: 7 });
  const complaint = expect.objectContaining({
    event_type: 'endpoint.disabled',
    team_id: team.tenant.teamId,
    places: ['endpoint_id: invalid_type', 'url: invalid_type', 'reason: invalid_value'],
  });
  await vi.waitFor(() => expect(seen).toContainEqual(complaint), { timeout: 50_000 });
});

it('says nothing of payloads that fit', async () => {
  const team = await house.team();
  const { check, lines } = listening();
  await say(team, kept, good);
  await tell(team, check);
  await check.look();
  expect(lines).toEqual([]);
});

it('looks at few of a flood, and at the rare type beside it', async () => {
  const team = await house.team();
  const { check, lines } = listening();
  for (let at = 0; at < 30; at += 1) await say(team, careless(kept), { at: 'noon' });
  await say(team, careless(lost), { at: 'noon' });
  await tell(team, check);
  await check.look();
  const types = lines.map(({ event_type: type }) => type);
  expect(types.filter((type) => type === 'meal.kept')).toHaveLength(4);
  expect(types.filter((type) => type === 'meal.lost')).toHaveLength(1);
  await check.look();
  expect(lines).toHaveLength(5);
});

it('agrees with what the service itself says', async () => {
  const team = await house.team();
  const { check, lines } = listening(eventCatalog);
  const user = await team.user();
  const [test] = (await team.get('/v3/lab_tests')).json;
  const placed = await team.post('/v3/order', order(user, test.id));
  expect(placed.status).toBe(200);
  expect(await tell(team, check)).not.toEqual([]);
  await check.look();
  expect(lines).toEqual([]);
});

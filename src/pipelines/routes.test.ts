import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../test/house.ts';
import { z } from 'zod';
import { inTenant } from '../app.ts';
import { defineEvent, emit, type PlacedEvent } from '../events/events.ts';
import { createManagementKey } from '../management/management.ts';
import { asSystem } from '../platform/db/transact.ts';
import { newId } from '../platform/ids.ts';
import { rolesOf, type Preferences } from './preferences.ts';
import { resolver } from './reach.ts';
import { sealSettings } from './sealed.ts';
import { withWebhooks } from './status.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const pathOf = (team: TeamInHand, environment = 'sandbox', region = 'us') =>
  `/v1/org/${team.orgId}/team_etl_pipelines/${environment}/${region}`;

const set = (team: TeamInHand, body: object, environment = 'sandbox') =>
  team.management.post(pathOf(team, environment), { team_ids: [team.tenant.teamId], ...body });

const rabbitmq = { uri: 'amqps://ada:s%40cret@broker.example.com:5671/vh', exchange: 'events' };
const nats = {
  servers: ['tls://ada:secret@nats.example.com', 'tls://t0ken@nats.example.com'],
  subject_prefix: 'own.events',
};
const rabbitAlone = { preferred: 'rabbitmq', enabled: ['rabbitmq'] };

describe('the settings of a team', () => {
  it('are answered with every secret masked, and rest sealed', async () => {
    const team = await house.team();
    const answer = await set(team, {
      preferences: { preferred: 'nats', enabled: ['nats', 'rabbitmq', 'svix'] },
      rabbitmq,
      nats,
    });
    expect(answer.json).toEqual([
      {
        team_id: team.tenant.teamId,
        push_historical_data: false,
        provider_raw_data: false,
        preferences: { preferred: 'nats', enabled: ['nats', 'rabbitmq', 'svix'] },
        cloud_pubsub: null,
        rabbitmq: { uri: 'amqps://ada:********@broker.example.com:5671/vh', exchange: 'events' },
        svix: { regional: true },
        azure_amqp: null,
        nats: {
          servers: ['tls://ada:********@nats.example.com', 'tls://********@nats.example.com'],
          stream: null,
          subject_prefix: 'own.events',
        },
        event_type_prefixes: null,
      },
    ]);
    const listed = await team.management.get(pathOf(team));
    expect(listed.json).toEqual({ pipelines: answer.json, next_cursor: null });
    const { rows } = await house.owner.query(
      `select p::text as pipeline, (select string_agg(a::text, ' ') from audit_log a where a.org_id = $2) as audit
       from event_pipeline p where team_id = $1`,
      [team.tenant.teamId, team.orgId],
    );
    expect(rows[0].audit).toContain('pipeline.set');
    for (const secret of ['s%40cret', 'secret', 't0ken']) {
      expect(rows[0].pipeline).not.toContain(secret);
      expect(rows[0].audit).not.toContain(secret);
    }
  });

  it('stay as they are where nothing is given, and the mask put back keeps the password', async () => {
    const team = await house.team();
    const first = await set(team, { preferences: rabbitAlone, rabbitmq, push_historical_data: true });
    const again = await set(team, { rabbitmq: first.json[0].rabbitmq, event_type_prefixes: ['labtest.'] });
    expect(again.json[0]).toEqual({ ...first.json[0], event_type_prefixes: ['labtest.'] });
    const all = await set(team, { event_type_prefixes: [], push_historical_data: null });
    expect(all.json[0]).toEqual(first.json[0]);
  });

  it('send no kept password to another host or user', async () => {
    const team = await house.team();
    await set(team, { preferences: rabbitAlone, rabbitmq });
    for (const uri of [
      'amqps://ada:********@evil.example.com:5671/vh',
      'amqps://eve:********@broker.example.com:5671/vh',
    ]) {
      const answer = await set(team, { rabbitmq: { ...rabbitmq, uri } });
      expect(answer.status).toBe(422);
      expect(answer.json.detail[0]).toMatchObject({
        loc: ['body', 'rabbitmq', 'uri'],
        msg: expect.stringMatching(/masked/),
      });
    }
  });

  it('are those of one environment', async () => {
    const team = await house.team();
    await set(team, { preferences: rabbitAlone, rabbitmq });
    expect((await team.management.get(pathOf(team, 'production'))).json.pipelines).toEqual([]);
  });
});

/** What is refused, and where. */
const refused: [string, object, (string | number)[], RegExp][] = [
  [
    'a destination that is not there',
    { preferences: { preferred: 'svix', enabled: ['svix', 'cloud_pubsub'] } },
    ['body', 'preferences', 'enabled', 1],
    /no destination cloud_pubsub/,
  ],
  [
    'one that is not there either',
    { preferences: { preferred: 'azure_amqp', enabled: ['svix'] } },
    ['body', 'preferences', 'preferred'],
    /no destination azure_amqp/,
  ],
  [
    'settings of one that is not there',
    { cloud_pubsub: { project: 'a', topic: 'b', message_ordering: true } },
    ['body', 'cloud_pubsub'],
    /no destination/,
  ],
  ['a broker without settings', { preferences: rabbitAlone }, ['body', 'rabbitmq'], /settings of rabbitmq/],
  [
    'a preferred one that is not enabled',
    { preferences: { preferred: 'rabbitmq', enabled: ['svix'] }, rabbitmq },
    ['body', 'preferences', 'preferred'],
    /enabled/,
  ],
  [
    'none at all',
    { preferences: { preferred: 'svix', enabled: [] } },
    ['body', 'preferences', 'enabled'],
    /./,
  ],
  [
    'another scheme',
    { rabbitmq: { ...rabbitmq, uri: 'https://broker.example.com' } },
    ['body', 'rabbitmq', 'uri'],
    /amqps/,
  ],
  [
    'an address without a host',
    { rabbitmq: { ...rabbitmq, uri: 'amqps:///vh' } },
    ['body', 'rabbitmq', 'uri'],
    /amqps/,
  ],
  [
    'an account that does not decode',
    { rabbitmq: { ...rabbitmq, uri: 'amqps://a:%zz@b.example.com' } },
    ['body', 'rabbitmq', 'uri'],
    /amqps/,
  ],
  [
    'a subject with a wildcard',
    { nats: { ...nats, subject_prefix: 'own.>' } },
    ['body', 'nats', 'subject_prefix'],
    /tokens/,
  ],
  [
    'a prefix that is none',
    { event_type_prefixes: ['Labtest.*'] },
    ['body', 'event_type_prefixes', 0],
    /beginning/,
  ],
  [
    'a mask where nothing is kept',
    { rabbitmq: { ...rabbitmq, uri: 'amqps://a:********@b.example.com' } },
    ['body', 'rabbitmq', 'uri'],
    /masked/,
  ],
];

describe('refused at its place', () => {
  it.each(refused)('%s', async (_name, body, loc, msg) => {
    const team = await house.team();
    const answer = await set(team, body);
    expect(answer.status).toBe(422);
    expect(answer.json.detail[0]).toMatchObject({ loc, msg: expect.stringMatching(msg) });
    expect((await team.management.get(pathOf(team))).json.pipelines).toEqual([]);
  });

  it('in production: a private address, and one without encryption', async () => {
    const team = await house.team('production');
    const tries: [object, (string | number)[], RegExp][] = [
      [{ rabbitmq: { ...rabbitmq, uri: 'amqps://127.0.0.1/' } }, ['body', 'rabbitmq', 'uri'], /private/],
      [
        { rabbitmq: { ...rabbitmq, uri: 'amqps://[::ffff:10.0.0.1]/' } },
        ['body', 'rabbitmq', 'uri'],
        /private/,
      ],
      [{ rabbitmq: { ...rabbitmq, uri: 'amqps://0x7f000001/' } }, ['body', 'rabbitmq', 'uri'], /private/],
      [{ rabbitmq: { ...rabbitmq, uri: 'amqps://localhost/' } }, ['body', 'rabbitmq', 'uri'], /private/],
      [{ rabbitmq: { ...rabbitmq, uri: 'amqp://8.8.8.8/' } }, ['body', 'rabbitmq', 'uri'], /amqps/],
      [
        { nats: { ...nats, servers: ['tls://8.8.8.8', 'tls://169.254.169.254'] } },
        ['body', 'nats', 'servers', 1],
        /private/,
      ],
      [{ nats: { ...nats, servers: ['nats://8.8.8.8'] } }, ['body', 'nats', 'servers', 0], /tls/],
    ];
    for (const [body, loc, msg] of tries) {
      const answer = await set(team, body, 'production');
      expect([body, answer.status, answer.json.detail[0]]).toEqual([
        body,
        422,
        expect.objectContaining({ loc, msg: expect.stringMatching(msg) }),
      ]);
    }
  });

  it('at the connection again: an address that has become private', async () => {
    const inProduction = resolver(house.app.config, 'production');
    await expect(inProduction('localhost')).rejects.toThrow(/private/);
    await expect(inProduction('127.0.0.1')).rejects.toThrow(/private/);
    expect(await inProduction('8.8.8.8')).toEqual(['8.8.8.8']);
    expect(await resolver(house.app.config, 'sandbox')('127.0.0.1')).toEqual(['127.0.0.1']);
  });

  it('and nothing is sent there: the event waits, and the state says why', async () => {
    const team = await house.team('production');
    await set(team, { preferences: rabbitAlone, rabbitmq }, 'production');
    const cipher = await house.app.keyring.of(team.tenant);
    const moved = sealSettings.rabbitmq(cipher, { ...rabbitmq, uri: 'amqps://ada:secret@localhost/' });
    await house.owner.query('update event_pipeline set rabbitmq = $2 where team_id = $1', [
      team.tenant.teamId,
      moved,
    ]);
    const happened = defineEvent({ type: 'test.thing.happened', when: 'Never.', data: z.object({}) });
    const nobody = { userId: null, clientUserId: null };
    await inTenant(house.app, team.tenant, (work) => emit(work, happened, { subject: nobody, data: {} }));
    const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/production/pipeline`;
    const state = async () => (await team.management.get(path)).json.destinations[0];
    await expect.poll(async () => (await state()).last_error).toBe('localhost leads to a private address');
    expect(await state()).toMatchObject({ waiting: 1, last_success_at: null });
  });
});

describe('the teams that are set', () => {
  it('have to be named by an Org Management Key, and be of its organization', async () => {
    const team = await house.team();
    const stranger = await house.team();
    const body = { preferences: rabbitAlone, rabbitmq };
    const unnamed = await team.management.post(pathOf(team), body);
    expect([unnamed.status, unnamed.json.detail[0].loc]).toEqual([422, ['body', 'team_ids']]);
    const erased = await team.management.delete(pathOf(team));
    expect([erased.status, erased.json.detail[0].loc]).toEqual([422, ['query', 'team_id']]);
    const both = { ...body, team_ids: [team.tenant.teamId, stranger.tenant.teamId] };
    expect((await team.management.post(pathOf(team), both)).status).toBe(404);
    expect((await team.management.get(pathOf(team))).json.pipelines).toEqual([]);
    expect((await team.management.post(pathOf(team, 'sandbox', 'eu'), both)).status).toBe(400);
  });

  it('are nobody’s for a stranger', async () => {
    const team = await house.team();
    const { management: stranger } = await house.team();
    await set(team, { preferences: rabbitAlone, rabbitmq });
    const named = `${pathOf(team)}?team_id=${team.tenant.teamId}`;
    const health = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/pipeline`;
    const change = { team_ids: [team.tenant.teamId], event_type_prefixes: ['stolen'] };
    for (const answer of [
      await stranger.get(pathOf(team)),
      await stranger.get(named),
      await stranger.get(health),
      await stranger.post(pathOf(team), change),
      await stranger.delete(named),
    ]) {
      expect(answer.status).toBe(404);
    }
    expect((await team.management.get(pathOf(team))).json.pipelines[0].event_type_prefixes).toBe(null);
  });

  it('are its own for a Team Management Key, named or not', async () => {
    const team = await house.team();
    const { createTeam } = await import('../management/management.ts');
    const second = await createTeam(house.app, { orgId: team.orgId, name: 'Second', region: 'us' });
    const { key } = await createManagementKey(house.app, {
      orgId: team.orgId,
      label: 'own',
      role: 'team_admin',
      teamIds: [second.id],
    });
    const own = house.caller({ 'x-management-key': key });
    const body = { preferences: rabbitAlone, rabbitmq };
    expect((await own.post(pathOf(team), { ...body, team_ids: [team.tenant.teamId] })).status).toBe(404);
    expect((await own.post(pathOf(team), body)).json.map((one: { team_id: string }) => one.team_id)).toEqual([
      second.id,
    ]);
    await set(team, body);
    expect((await own.get(pathOf(team))).json.pipelines).toHaveLength(1);
    expect((await team.management.get(pathOf(team))).json.pipelines).toHaveLength(2);
    const one = await team.management.get(`${pathOf(team)}?team_id=${team.tenant.teamId}`);
    expect(one.json.pipelines.map((each: { team_id: string }) => each.team_id)).toEqual([team.tenant.teamId]);
    expect((await own.delete(pathOf(team))).json).toHaveLength(1);
    expect((await own.get(`${pathOf(team)}?team_id=${team.tenant.teamId}`)).status).toBe(404);
  });
});

// prettier-ignore
const roles: [Preferences, [string, string][]][] = [
  [{ preferred: 'svix',     enabled: ['svix'] },                     []],
  [{ preferred: 'rabbitmq', enabled: ['rabbitmq'] },                 [['rabbitmq', 'main']]],
  [{ preferred: 'svix',     enabled: ['svix', 'rabbitmq'] },         [['rabbitmq', 'main']]],
  [{ preferred: 'nats',     enabled: ['rabbitmq', 'nats'] },         [['nats', 'main'], ['rabbitmq', 'reserve']]],
  [{ preferred: 'svix',     enabled: ['nats', 'rabbitmq', 'svix'] }, [['nats', 'main'], ['rabbitmq', 'reserve']]],
];

describe('preferences', () => {
  it.each(roles)('%o', (preferences, expected) => {
    expect([...rolesOf(preferences)]).toEqual(expected);
  });

  it('without webhooks leave no event for them', async () => {
    const broker = await house.team();
    const both = await house.team();
    const nothing = await house.team();
    await set(broker, { preferences: rabbitAlone, rabbitmq });
    await set(both, { preferences: { preferred: 'svix', enabled: ['svix', 'rabbitmq'] }, rabbitmq });
    const events = [broker, both, nothing].map(({ tenant }): PlacedEvent => {
      return { tenant, id: newId(), type: 'a', position: 1, userId: null, createdAt: house.clock.now() };
    });
    const left = await asSystem(house.app.db, (tx) => withWebhooks(tx, events));
    expect(left).toEqual(events.slice(1));
  });
});

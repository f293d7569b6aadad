import { describe, expect, it } from 'vitest';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { z } from 'zod';
import { inTenant } from '../../app.ts';
import { defineEvent, emit, type SequencedEvent } from '../../events/events.ts';
import { createManagementKey } from '../../identity/management/management.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { newId } from '../../platform/ids.ts';
import { rolesOf, type PipelinePreferences } from './preferences.ts';
import { createResolver } from './broker-addresses.ts';
import { sealSettings } from './sealed-settings.ts';
import { filterWebhookEvents } from './status.ts';

const service = useTestService();

const pathOf = (team: TestTeam, environment = 'sandbox', region = 'us') =>
  `/v1/org/${team.orgId}/team_etl_pipelines/${environment}/${region}`;

const set = (team: TestTeam, body: object, environment = 'sandbox') =>
  team.management.post(pathOf(team, environment), { team_ids: [team.tenant.teamId], ...body });

const rabbitmq = { uri: 'amqps://ada:s%40cret@broker.example.com:5671/vh', exchange: 'events' };
const nats = {
  servers: ['tls://ada:secret@nats.example.com', 'tls://t0ken@nats.example.com'],
  subject_prefix: 'own.events',
};
const rabbitAlone = { preferred: 'rabbitmq', enabled: ['rabbitmq'] };

describe('the settings of a team', () => {
  it('are returned with all secrets masked, and stored encrypted', async () => {
    const team = await service.team();
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
    const { rows } = await service.ownerPool.query(
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

  it('keep omitted fields, and keep the password if the mask is sent back', async () => {
    const team = await service.team();
    const first = await set(team, { preferences: rabbitAlone, rabbitmq, push_historical_data: true });
    const again = await set(team, { rabbitmq: first.json[0].rabbitmq, event_type_prefixes: ['labtest.'] });
    expect(again.json[0]).toEqual({ ...first.json[0], event_type_prefixes: ['labtest.'] });
    const all = await set(team, { event_type_prefixes: [], push_historical_data: null });
    expect(all.json[0]).toEqual(first.json[0]);
  });

  it('do not send a stored password to another host or user', async () => {
    const team = await service.team();
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

  it('belong to one environment', async () => {
    const team = await service.team();
    await set(team, { preferences: rabbitAlone, rabbitmq });
    expect((await team.management.get(pathOf(team, 'production'))).json.pipelines).toEqual([]);
  });
});

/** Rejected bodies, with the location and message of the error. */
const refused: [string, object, (string | number)[], RegExp][] = [
  [
    'an unsupported destination',
    { preferences: { preferred: 'svix', enabled: ['svix', 'cloud_pubsub'] } },
    ['body', 'preferences', 'enabled', 1],
    /no destination cloud_pubsub/,
  ],
  [
    'an unsupported preferred destination',
    { preferences: { preferred: 'azure_amqp', enabled: ['svix'] } },
    ['body', 'preferences', 'preferred'],
    /no destination azure_amqp/,
  ],
  [
    'settings of an unsupported destination',
    { cloud_pubsub: { project: 'a', topic: 'b', message_ordering: true } },
    ['body', 'cloud_pubsub'],
    /no destination/,
  ],
  ['a broker without settings', { preferences: rabbitAlone }, ['body', 'rabbitmq'], /settings of rabbitmq/],
  [
    'a preferred destination that is not enabled',
    { preferences: { preferred: 'rabbitmq', enabled: ['svix'] }, rabbitmq },
    ['body', 'preferences', 'preferred'],
    /enabled/,
  ],
  [
    'no enabled destination',
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
    'a user or password that cannot be decoded',
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
    'an invalid event type prefix',
    { event_type_prefixes: ['Labtest.*'] },
    ['body', 'event_type_prefixes', 0],
    /beginning/,
  ],
  [
    'a mask without a stored password',
    { rabbitmq: { ...rabbitmq, uri: 'amqps://a:********@b.example.com' } },
    ['body', 'rabbitmq', 'uri'],
    /masked/,
  ],
];

describe('rejected with an error at the field', () => {
  it.each(refused)('%s', async (_name, body, loc, msg) => {
    const team = await service.team();
    const answer = await set(team, body);
    expect(answer.status).toBe(422);
    expect(answer.json.detail[0]).toMatchObject({ loc, msg: expect.stringMatching(msg) });
    expect((await team.management.get(pathOf(team))).json.pipelines).toEqual([]);
  });

  it('in production: a private address, and one without encryption', async () => {
    const team = await service.team('production');
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

  it('at every connection: an address that has become private', async () => {
    const inProduction = createResolver(service.app.config, 'production');
    await expect(inProduction('localhost')).rejects.toThrow(/private/);
    await expect(inProduction('127.0.0.1')).rejects.toThrow(/private/);
    expect(await inProduction('8.8.8.8')).toEqual(['8.8.8.8']);
    expect(await createResolver(service.app.config, 'sandbox')('127.0.0.1')).toEqual(['127.0.0.1']);
  });

  it('at every connection: the event waits, and the health shows the reason', async () => {
    const team = await service.team('production');
    await set(team, { preferences: rabbitAlone, rabbitmq }, 'production');
    const cipher = await service.app.keyring.cipherOf(team.tenant);
    const moved = sealSettings.rabbitmq(cipher, { ...rabbitmq, uri: 'amqps://ada:secret@localhost/' });
    await service.ownerPool.query('update event_pipeline set rabbitmq = $2 where team_id = $1', [
      team.tenant.teamId,
      moved,
    ]);
    const happened = defineEvent({ type: 'test.thing.happened', when: 'Never.', data: z.object({}) });
    const nobody = { userId: null, clientUserId: null };
    await inTenant(service.app, team.tenant, (work) => emit(work, happened, { subject: nobody, data: {} }));
    const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/production/pipeline`;
    const state = async () => (await team.management.get(path)).json.destinations[0];
    await expect.poll(async () => (await state()).last_error).toBe('localhost leads to a private address');
    expect(await state()).toMatchObject({ waiting: 1, last_success_at: null });
  });
});

describe('the teams whose settings change', () => {
  it('must be named by an Org Management Key, and belong to its organization', async () => {
    const team = await service.team();
    const stranger = await service.team();
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

  it('are not accessible to another organization', async () => {
    const team = await service.team();
    const { management: stranger } = await service.team();
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

  it('are those of a Team Management Key, named or not', async () => {
    const team = await service.team();
    const { createTeam } = await import('../../identity/management/management.ts');
    const second = await createTeam(service.app, { orgId: team.orgId, name: 'Second', region: 'us' });
    const { key } = await createManagementKey(service.app, {
      orgId: team.orgId,
      label: 'own',
      role: 'team_admin',
      teamIds: [second.id],
    });
    const own = service.client({ 'x-management-key': key });
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
const roles: [PipelinePreferences, [string, string][]][] = [
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

  it('without webhooks enqueue no webhook deliveries', async () => {
    const broker = await service.team();
    const both = await service.team();
    const nothing = await service.team();
    await set(broker, { preferences: rabbitAlone, rabbitmq });
    await set(both, { preferences: { preferred: 'svix', enabled: ['svix', 'rabbitmq'] }, rabbitmq });
    const events = [broker, both, nothing].map(({ tenant }): SequencedEvent => {
      return { tenant, id: newId(), type: 'a', position: 1, userId: null, createdAt: service.clock.now() };
    });
    const left = await asSystem(service.app.db, (tx) => filterWebhookEvents(tx, events));
    expect(left).toEqual(events.slice(1));
  });
});

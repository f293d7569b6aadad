import { describe, expect, it } from 'vitest';
import type { TestTeam } from '../../test/service.ts';
import { useTestService } from '../../test/service-hooks.ts';
import { inTenant } from '../app.ts';
import { createTeam } from '../identity/management/management.ts';
import { maskSecrets } from './mask.ts';
import { findOwnCredentials, redirectUri, webhookUri } from './provider-settings.ts';

const service = useTestService({ PUBLIC_URL: 'https://api.lab.example' });

const at = (team: TestTeam, query = '', environment = 'sandbox') =>
  `/v1/org/${team.orgId}/team_custom_credentials/${environment}/us${query}`;
const set = (team: TestTeam, body: Record<string, unknown>, environment = 'sandbox') =>
  team.management.post(at(team, '', environment), { team_id: team.tenant.teamId, ...body });
const list = async (team: TestTeam, query = '') =>
  (await team.management.get(at(team, query))).json.credentials;
const opened = (team: TestTeam, provider: string) =>
  inTenant(service.app, team.tenant, (work) => findOwnCredentials(work, provider));

/** The details of a response. */
const shownOf = (status: number, body: object): object =>
  status === 200 && 'details' in body && body.details instanceof Object
    ? Object(maskSecrets(body.details))
    : {};

const OURA = { provider: 'oura', client_id: 'client-1', client_secret: 'hush-hush-secret' };
const FITBIT_TOKENS = {
  workout_verify_token: 'tok-w',
  sleep_verify_token: 'tok-s',
  body_verify_token: 'tok-b',
};

describe('custom credentials', () => {
  it('are stored encrypted, decrypted only for their tenant, and never returned', async () => {
    const team = await service.team();
    const made = await set(team, OURA);
    expect(made.json).toMatchObject({
      client_id: 'client-1',
      source: 'oura',
      team_id: team.tenant.teamId,
      details: null,
      app_url: null,
      redirect_url_override: null,
    });
    expect(made.json.client_secret_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(await list(team)).toEqual([made.json]);
    expect(await opened(team, 'oura')).toEqual({
      clientId: 'client-1',
      clientSecret: 'hush-hush-secret',
      details: null,
      redirectUrl: null,
    });
    expect(await opened(team, 'fitbit')).toBeUndefined();
    expect(await opened(await service.team(), 'oura')).toBeUndefined();
    const production = { ...team.tenant, environment: 'production' as const };
    expect(
      await inTenant(service.app, production, (work) => findOwnCredentials(work, 'oura')),
    ).toBeUndefined();
    await team.management.delete(at(team, `?credential_id=${made.json.id}`));
    const { rows } = await service.ownerPool.query(
      'select c::text as line from provider_credential c union all select a::text from audit_log a',
    );
    const log = await team.management.get(`/v1/org/${team.orgId}/audit_log`);
    for (const text of [JSON.stringify(rows), log.text, made.text]) {
      expect(text).not.toContain('hush-hush');
      expect(text).not.toContain(Buffer.from('hush-hush-secret').toString('hex'));
    }
    expect(log.json.data[0]).toMatchObject({
      action: 'custom_credentials.delete',
      before: { has_client_secret: true },
    });
  });

  it('keep omitted fields, but not the secret if the client id changes', async () => {
    const team = await service.team();
    const first = (await set(team, OURA)).json;
    const second = (
      await set(team, { provider: 'oura', redirect_url_override: 'http://localhost:8080/back' })
    ).json;
    expect(second).toEqual({
      ...first,
      updated_at: second.updated_at,
      redirect_url_override: 'http://localhost:8080/back',
    });
    const third = (
      await set(team, { provider: 'oura', client_secret: 'another', redirect_url_override: null })
    ).json;
    expect(third).toMatchObject({ id: first.id, client_id: 'client-1', redirect_url_override: null });
    expect(third.client_secret_hash).not.toBe(first.client_secret_hash);
    const alone = await set(team, { provider: 'oura', client_id: 'client-2' });
    expect([alone.status, alone.json.detail[0].loc]).toEqual([422, ['body', 'client_secret']]);
    expect((await opened(team, 'oura'))?.clientSecret).toBe('another');
  });

  it('return secrets in details masked, and accept the mask for the secret', async () => {
    const team = await service.team();
    const fitbit = {
      provider: 'fitbit',
      client_id: 'f',
      client_secret: 's',
      details: { fitbit: FITBIT_TOKENS },
    };
    const { details } = (await set(team, fitbit)).json;
    expect(details.fitbit).toMatchObject({ is_hr_enabled: false, workout_verify_token: '********' });
    const changed = { fitbit: { ...details.fitbit, is_hr_enabled: true, sleep_verify_token: 'tok-new' } };
    const again = await set(team, { provider: 'fitbit', details: changed });
    expect(again.text).not.toContain('tok-');
    expect((await opened(team, 'fitbit'))?.details).toEqual({
      fitbit: { ...FITBIT_TOKENS, is_hr_enabled: true, sleep_verify_token: 'tok-new' },
    });
    const quest = {
      provider: 'quest',
      details: { quest: { user: 'u', password: 'pw-1', deep: { apiKey: ['k-1'] } } },
    };
    const shown = await set(team, quest);
    expect(shown.json.details.quest).toEqual({
      user: 'u',
      password: '********',
      deep: { apiKey: ['********'] },
    });
    await set(team, { provider: 'quest', details: shown.json.details });
    expect((await opened(team, 'quest'))?.details).toEqual(quest.details);
  });

  it('leave e-mail addresses out of the audit log, wherever they occur', async () => {
    const team = await service.team();
    const phlebfinders = {
      account_id: 'a-1', account_name: 'Clinic', team_id: 't-1', team_name: 'Ward', webhook_token: 'tok-1',
      email: 'ada@clinic.example',
    }; // prettier-ignore
    const shown = await set(team, { provider: 'phlebfinders', details: { phlebfinders } });
    expect(shown.json.details.phlebfinders.email).toBe('ada@clinic.example');
    const contact = { quest: { contact: 'Ada <ada@clinic.example>', more: ['ada@clinic.example'] } };
    const quest = await set(team, { provider: 'quest', details: contact });
    await team.management.delete(at(team, `?credential_id=${shown.json.id}`));
    expect([shown.status, quest.status]).toEqual([200, 200]);
    const log = await team.management.get(`/v1/org/${team.orgId}/audit_log`);
    expect(log.text).not.toContain('ada@');
    expect(log.text).toContain('"account_id":"a-1"');
    expect((await opened(team, 'quest'))?.details).toEqual(contact);
  });

  it('recognize secrets by the field names of laboratories, and accept other fields unchanged', async () => {
    const team = await service.team();
    // prettier-ignore
    const given = {
      user: 'u', facility: 'bypass road', pin_code: '10001', sftpPass: 's1', pass: 's2', pwd: 's3', 'api-key': 's4',
      access_key: 's5', accountKey: 's6', auth: 's7', Authorization: 's8', sftp_pin: 's9', signing_keys: ['s10'],
    };
    const shown = await set(team, { provider: 'quest', details: { quest: given } });
    const log = await team.management.get(`/v1/org/${team.orgId}/audit_log`);
    for (const text of [shown.text, log.text]) expect(text).not.toMatch(/"s\d+"/);
    const { quest } = shown.json.details;
    expect(quest).toMatchObject({ user: 'u', facility: 'bypass road', pin_code: '10001', pwd: '********' });
    await set(team, { provider: 'quest', details: { quest } });
    expect((await opened(team, 'quest'))?.details).toEqual({ quest: given });
  });

  it('can be returned and sent back with many secrets that are shorter than their masks', async () => {
    const team = await service.team();
    const tokens = Object.fromEntries(Array.from({ length: 500 }, (_, place) => [`token${place}`, 'a']));
    const shown = await set(team, { provider: 'quest', details: { quest: tokens } });
    expect([shown.status, await list(team)]).toEqual([200, [shown.json]]);
    const again = await set(team, { provider: 'quest', details: shown.json.details });
    expect(again.status).toBe(200);
    expect((await opened(team, 'quest'))?.details).toEqual({ quest: tokens });
    const long = { quest: { ...shown.json.details.quest, note: 'n'.repeat(9000) } };
    expect((await set(team, { provider: 'quest', details: long })).status).toBe(422);
  });

  it('reject a mask without a stored secret', async () => {
    const team = await service.team();
    const polar = { provider: 'polar', client_id: 'p', client_secret: 's' };
    expect((await set(team, { ...polar, details: { webhook_secret: '********' } })).status).toBe(422);
    const details = { bioreference: { user: 'u', logins: [{ password: '********' }] } };
    const copied = await set(team, { provider: 'bioreference', details });
    expect([copied.status, copied.json.detail]).toMatchObject([422, [{ loc: ['body', 'details'] }]]);
    expect(await list(team)).toEqual([]);
  });

  // prettier-ignore
  it.each([
    [422, { provider: 'oura' }],
    [422, { provider: 'oura', client_id: 'x' }],
    [422, { provider: 'oura', client_secret: 'x' }],
    [422, { provider: 'nobody', client_id: 'x', client_secret: 'y' }],
    [422, { ...OURA, details: { webhook_secret: 'x' } }],
    [422, { ...OURA, details: { nothing: 'of this' } }],
    [422, { ...OURA, redirect_url_override: 'ftp://x.example' }],
    [422, { provider: 'labcorp' }],
    [422, { provider: 'labcorp', details: { labcorp: { account_number: '1', billing_method: 'XX' } } }],
    [422, { provider: 'quest', details: { labcorp: { account_number: '1', billing_method: 'CM' } } }],
    [400, { provider: 'apple_health_kit', client_id: 'x', client_secret: 'y' }],
    [400, { provider: 'manual', client_id: 'x' }],
    [200, { provider: 'labcorp', details: { labcorp: { account_number: '1', billing_method: 'CM' } } }],
    [200, { provider: 'labcorp', details: { sending_facility: 'a', sending_application: 'b', receiving_facility: 'c', receiving_application: 'd' } }],
    [200, { provider: 'bioreference', details: { bioreference: {}, disallowed_billing_states: { client_bill: ['NY'] } } }],
    [200, { provider: 'getlabs', details: { getlabs: { webhook_secret_key: 'k', webhook_secret_token: 't' } } }],
    [200, { provider: 'shippo', client_secret: 'x' }],
    [200, { provider: 'freestyle_libre', client_id: 'practice' }],
    [200, { provider: 'google_fit', client_id: 'x', client_secret: 'y', details: { redirect_uri: 'https://x.example', data_scopes: [] } }],
  ])('are answered with %i: %o', async (status, body) => {
    const team = await service.team();
    const answer = await set(team, body);
    expect(answer.status).toBe(status);
    expect(answer.json.details ?? {}).toMatchObject(shownOf(status, body));
    expect(await list(team)).toHaveLength(status === 200 ? 1 : 0);
  });

  it('require https in production', async () => {
    const team = await service.team('production');
    const answer = await set(team, { ...OURA, redirect_url_override: 'http://x.example' }, 'production');
    expect(answer.status).toBe(422);
    expect(
      (await set(team, { ...OURA, redirect_url_override: 'https://x.example' }, 'production')).status,
    ).toBe(200);
    expect(await list(team)).toEqual([]);
  });

  it('are stored once when they are set concurrently', async () => {
    const team = await service.team();
    const answers = await Promise.all(
      [1, 2, 3, 4].map((n) => set(team, { ...OURA, client_id: `client-${n}` })),
    );
    expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1);
    expect(await list(team)).toHaveLength(1);
  });

  it('are listed by team and provider, and deleted by id', async () => {
    const team = await service.team();
    const sister = (await createTeam(service.app, { orgId: team.orgId, name: 'Sister', region: 'us' })).id;
    const mine = (await set(team, OURA)).json;
    const theirs = (await set(team, { ...OURA, team_id: sister })).json;
    const polar = (await set(team, { ...OURA, provider: 'polar', details: { webhook_secret: 'x' } })).json;
    const ids = async (query: string) => (await list(team, query)).map(({ id }: { id: string }) => id);
    expect(await ids('')).toEqual([mine.id, theirs.id, polar.id]);
    expect(await ids(`?team_id=${sister}`)).toEqual([theirs.id]);
    expect(await ids('?provider=polar')).toEqual([polar.id]);
    const nobody = '01900000-0000-7000-8000-000000000000';
    const gone = await team.management.delete(at(team, `?credential_id=${mine.id}&credential_id=${nobody}`));
    expect(gone.json).toEqual({ success: [mine.id], failure: [], not_found: [nobody] });
    expect(await ids('')).toEqual([theirs.id, polar.id]);
    const stranger = await service.team();
    const stolen = await stranger.management.delete(at(stranger, `?credential_id=${polar.id}`));
    expect(stolen.json).toEqual({ success: [], failure: [], not_found: [polar.id] });
    expect((await team.management.delete(at(team))).status).toBe(422);
  });
});

describe('before credentials are set', () => {
  const prepare = (team: TestTeam, provider: string) =>
    team.management.post(`/v1/org/${team.orgId}/prepare_team_custom_credentials/sandbox/us`, {
      team_id: team.tenant.teamId,
      provider,
    });

  it('a team gets the URLs to register with the provider', async () => {
    const team = await service.team();
    const { teamId } = team.tenant;
    const { json } = await prepare(team, 'fitbit');
    expect(json.status).toBe('preparations_required');
    expect(
      json.preparation_steps.map(({ type, key, value }: Record<string, string>) => [type, key, value]),
    ).toEqual([
      ['redirect_uri', null, 'https://api.lab.example/v2/link/callback/fitbit'],
      ...['workout', 'sleep', 'body', 'foods'].map((kind) => [
        'webhook_uri',
        kind,
        `https://api.lab.example/v2/provider_webhook/fitbit/${teamId}/sandbox/${kind}`,
      ]),
    ]);
    expect(redirectUri(service.app.config, 'fitbit')).toBe(json.preparation_steps[0].value);
    expect(webhookUri(service.app.config, team.tenant, { provider: 'fitbit', kind: 'workout' })).toBe(
      json.preparation_steps[1].value,
    );
    expect((await prepare(team, 'oura')).json.preparation_steps).toHaveLength(1);
  });

  it('a laboratory needs no preparation, and a device takes no credentials', async () => {
    const team = await service.team();
    expect((await prepare(team, 'quest')).json).toEqual({
      status: 'no_action_needed',
      preparation_steps: [],
    });
    expect((await prepare(team, 'beurer_ble')).status).toBe(400);
    expect((await prepare(team, 'shippo')).status).toBe(422);
  });
});

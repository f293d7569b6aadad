import { describe, expect, it } from 'vitest';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';

const service = useTestService();

const teamsOf = (team: TestTeam) => `/v1/org/${team.orgId}/team`;
const newTeam = { name: 'Clinic', region: 'us' };

describe('creating a team', () => {
  it('gives it both environments, with the settings in each', async () => {
    const org = await service.team();
    const settings = {
      minor_ordering_enabled: true,
      critical_result_notification_email: 'critical@example.com',
      brand_information: { company_name: 'Clinic Ltd' },
    };
    const made = await org.management.post(teamsOf(org), {
      ...newTeam,
      ...settings,
      integration_team_id: 'c-1',
    });
    expect(made.status).toBe(200);
    expect(made.json).toMatchObject({
      ...newTeam,
      integration_team_id: 'c-1',
      environments: ['production', 'sandbox'],
      sandbox: {
        minor_ordering_enabled: true,
        critical_result_notification_email: 'critical@example.com',
        brand_information: { company_name: 'Clinic Ltd', company_website: '' },
        lab_tests_patient_sms_communication_enabled: true,
        logo_url: null,
      },
      production: { minor_ordering_enabled: true, features: [] },
    });
    expect(made.json.sandbox.features).toContain('compendium');

    const key = { label: 'First', team_id: made.json.id };
    const { value } = (await org.management.post(`/v1/org/${org.orgId}/team_api_keys/sandbox/us`, key)).json;
    const caller = service.client({ 'x-service-api-key': value });
    expect((await caller.get('/v3/lab_tests')).status).toBe(200);
    expect((await caller.get(`/v2/team/${made.json.id}`)).json).toMatchObject({
      id: made.json.id,
      name: 'Clinic',
    });
  });

  it('accepts an id once, and an integration id once per organization until its team is deleted', async () => {
    const [org, other] = [await service.team(), await service.team()];
    const id = 'A2B4C6D8-0000-4000-8000-00000000AAAA';
    const first = await org.management.post(teamsOf(org), { ...newTeam, id, integration_team_id: 'x' });
    expect(first.json.id).toBe(id.toLowerCase());
    const sameId = await org.management.post(teamsOf(org), { ...newTeam, id });
    expect(sameId.status).toBe(409);
    expect(sameId.json.detail).toContain(id.toLowerCase());
    const again = { ...newTeam, integration_team_id: 'x' };
    const sameIntegration = await org.management.post(teamsOf(org), again);
    expect(sameIntegration).toMatchObject({ status: 409, json: { team_id: id.toLowerCase() } });
    expect((await other.management.post(teamsOf(other), again)).status).toBe(200);
    await org.management.delete(`${teamsOf(org)}/${id}`);
    expect((await org.management.post(teamsOf(org), again)).status).toBe(200);
  });

  it('answers the id of another organization as it does one that is no id', async () => {
    const [victim, attacker] = [await service.team(), await service.team()];
    const ask = (id: string) => attacker.management.post(teamsOf(attacker), { ...newTeam, id });
    const malformed = await ask('no id');
    expect(malformed.status).toBe(422);
    const deleted = await victim.management.post(teamsOf(victim), newTeam);
    await victim.management.delete(`${teamsOf(victim)}/${deleted.json.id}`);
    for (const id of [victim.tenant.teamId, victim.tenant.teamId.toUpperCase(), deleted.json.id]) {
      const taken = await ask(id);
      expect([taken.status, taken.json]).toEqual([422, malformed.json]);
    }
  });

  it('creates one team for concurrent calls with one integration id', async () => {
    const org = await service.team();
    const body = { ...newTeam, integration_team_id: 'same' };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => org.management.post(teamsOf(org), body)),
    );
    const made = answers.filter(({ status }) => status === 200);
    expect(made).toHaveLength(1);
    const others = answers.filter(({ status }) => status === 409);
    expect(new Set(others.map(({ json }) => json.team_id))).toEqual(new Set([made[0]?.json.id]));
    expect(others).toHaveLength(7);
  });

  // prettier-ignore
  it.each([
    [{ ...newTeam, name: 'semi;colon' },                   422],
    [{ ...newTeam, name: 'x'.repeat(81) },                 422],
    [{ name: 'Clinic' },                                   422],
    [{ ...newTeam, region: 'mars' },                       422],
    [{ ...newTeam, region: 'eu' },                         400],
    [{ ...newTeam, integration_team_id: 'x'.repeat(257) }, 422],
    [{ ...newTeam, logo_url: 'javascript:alert(1)' },      422],
    [{ ...newTeam, brand_information: {} },                422],
    [{ ...newTeam, unknown: 'field' },                     200],
  ])('%j is answered with %i', async (body, status) => {
    const org = await service.team();
    expect((await org.management.post(teamsOf(org), body)).status).toBe(status);
  });
});

describe('changing a team', () => {
  it('changes only the given settings of the given environment, and null restores the default', async () => {
    const org = await service.team();
    const path = `${teamsOf(org)}/${org.tenant.teamId}`;
    const sandbox = {
      partial_webhooks_enabled: true,
      brand_information: { company_name: 'One', brand_color: 'red' },
    };
    const first = await org.management.patch(path, { name: 'Renamed', sandbox });
    expect(first.json).toMatchObject({ name: 'Renamed', sandbox, production: { brand_information: null } });
    const second = await org.management.patch(path, {
      sandbox: { partial_webhooks_enabled: null, brand_information: { company_name: 'Two' } },
    });
    expect(second.json.sandbox).toMatchObject({
      partial_webhooks_enabled: false,
      brand_information: { company_name: 'Two', brand_color: 'red' },
    });
    const without = await org.management.patch(path, {
      production: { brand_information: { brand_color: 'blue' } },
    });
    expect(without).toMatchObject({
      status: 400,
      json: { detail: 'brand_information requires company_name' },
    });
  });

  it('takes effect immediately: a user limit, a disabled feature', async () => {
    const org = await service.team();
    const path = `${teamsOf(org)}/${org.tenant.teamId}`;
    await org.user();
    await org.management.patch(path, { sandbox: { max_users: 1, features: [] } });
    expect((await org.post('/v2/user', { client_user_id: 'one too many' })).status).toBe(400);
    const { json } = await org.management.get(`${path}?include_environment=sandbox`);
    expect(json).toMatchObject({ sandbox: { max_users: 1, features: [] }, production: null });
    const bare = await org.management.get(path);
    expect(bare.json).toMatchObject({
      sandbox: null,
      production: null,
      environments: ['production', 'sandbox'],
    });
  });

  it('rejects a date that cannot be read back', async () => {
    const org = await service.team();
    const path = `${teamsOf(org)}/${org.tenant.teamId}`;
    const graceUntil = async (day: string) =>
      (await org.management.patch(path, { sandbox: { physician_grace_until: day } })).status;
    expect([await graceUntil('0000-01-01'), await graceUntil('9999-12-31')]).toEqual([422, 200]);
    expect((await org.post('/v2/user', { client_user_id: 'after' })).status).toBe(200);
  });

  it('cannot take the integration id of another team, and can keep its own', async () => {
    const org = await service.team();
    const sister = await org.management.post(teamsOf(org), { ...newTeam, integration_team_id: 'taken' });
    const path = `${teamsOf(org)}/${org.tenant.teamId}`;
    const answer = await org.management.patch(path, { integration_team_id: 'taken' });
    expect(answer).toMatchObject({ status: 409, json: { team_id: sister.json.id } });
    const own = await org.management.patch(`${teamsOf(org)}/${sister.json.id}`, {
      integration_team_id: 'taken',
    });
    expect(own.json.integration_team_id).toBe('taken');
  });
});

describe('listing teams', () => {
  it('searches name and integration id literally, and filters by region', async () => {
    const org = await service.team();
    for (const name of ['Under_score', 'Underscore', 'Ünder']) {
      await org.management.post(teamsOf(org), { ...newTeam, name, integration_team_id: `id of ${name}` });
    }
    const found = async (query: string) => {
      const { json } = await org.management.get(`${teamsOf(org)}?${query}`);
      return json.teams.map((team: { name: string }) => team.name);
    };
    expect(await found('search_query=r_s')).toEqual(['Under_score']);
    expect(await found('search_query=UNDER')).toEqual(['Under_score', 'Underscore']);
    expect(await found(`search_query=${encodeURIComponent('id of Ü')}`)).toEqual(['Ünder']);
    const id = 'acme.example/1%';
    await org.management.post(teamsOf(org), { ...newTeam, name: 'Dotted', integration_team_id: id });
    expect(await found(`search_query=${encodeURIComponent(id)}`)).toEqual(['Dotted']);
    expect(await found('region=us')).toHaveLength(5);
    expect(await found('region=eu')).toEqual([]);
  });
});

describe('a team with its own key', () => {
  it('reads its own data without secrets, but no other team', async () => {
    const [team, other] = [await service.team(), await service.team()];
    const { status, json } = await team.get(`/v2/team/${team.tenant.teamId}`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      id: team.tenant.teamId,
      org_id: team.orgId,
      api_key: null,
      api_keys: null,
      webhook_secret: null,
      client_secret: null,
      lab_tests_patient_communication_enabled: true,
    });
    // None are configured: a sandbox has two fictional ones.
    expect((await team.get(`/v2/team/${team.tenant.teamId}/physicians`)).json).toEqual([
      { first_name: 'Rebecca', last_name: 'Sandbox', npi: '1000000004' },
      { first_name: 'James', last_name: 'Sandbox', npi: '1000000012' },
    ]);
    for (const path of ['', '/physicians']) {
      expect((await team.get(`/v2/team/${other.tenant.teamId}${path}`)).status).toBe(404);
    }
  });
});

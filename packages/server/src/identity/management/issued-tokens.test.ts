import { beforeAll, describe, expect, it } from 'vitest';
import { createOrder, simulateOrder } from '../../../test/orders.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import type { ApiClient, ApiResponse, TestTeam } from '../../../test/service.ts';
import { buildHttp } from '../../compose.ts';
import type { IssuedTokenKind } from './table.ts';
import { createTeamKey } from './team-keys.ts';

const service = useTestService();

/** What a test knows of a token that works. */
interface IssuedToken {
  readonly id: string;
  /** Uses the token at the first process, or at another one; the status is 200 while it works. */
  use(
    call: (request: { url: string; headers: Record<string, string>; body?: unknown }) => Promise<number>,
  ): Promise<number>;
}

interface Issuer {
  readonly team: TestTeam;
  readonly keyId: string;
  readonly caller: ApiClient;
  readonly user: string;
}

const samples = {
  source: { provider: 'apple_health_kit', type: 'watch', device: { id: 'W1', model: 'S9' } },
  data: [{ timestamp: '2026-03-02T09:00:00Z', value: 61, unit: 'bpm', timezone_offset: 0 }],
};

async function exchangeToken(subject: string) {
  const grant = 'urn:ietf:params:oauth:grant-type:token-exchange';
  const form = new URLSearchParams({ grant_type: grant, subject_token: subject });
  const answer = await service.http.server.inject({
    method: 'POST',
    url: '/v1/token',
    payload: form.toString(),
  });
  return { json: answer.json() };
}

function openPageToken({ json }: ApiResponse): IssuedToken {
  const { pathname, search } = new URL(json.url);
  return { id: json.token_id, use: (call) => call({ url: pathname + search, headers: {} }) };
}

/** Issues a token of each kind of the user API, and says how it is used. Not those that are used up by their first use. */
const KINDS: Record<
  Exclude<IssuedTokenKind, 'access' | 'app_refresh' | 'link_code'>,
  (issuer: Issuer) => Promise<IssuedToken>
> = {
  sign_in: async ({ caller, user }) => {
    const { json } = await caller.post(`/v2/user/${user}/sign_in_token`);
    const headers = { authorization: `Bearer ${json.sign_in_token}` };
    return {
      id: json.token_id,
      use: (call) => call({ url: `/v2/timeseries/${user}/heartrate`, headers, body: samples }),
    };
  },
  app_access: async ({ caller, user }) => {
    const { sign_in_token: both } = (await caller.post(`/v2/user/${user}/sign_in_token`)).json;
    const { user_token: subject } = JSON.parse(Buffer.from(both, 'base64').toString());
    const { json } = await exchangeToken(subject);
    const { data } = (await caller.get(`/v2/user/${user}/token`)).json;
    const headers = { authorization: `Bearer ${json.access_token}` };
    return {
      id: data.find(({ kind }: { kind: string }) => kind === 'app_access').id,
      use: (call) => call({ url: `/v2/user/${user}`, headers }),
    };
  },
  portal: async ({ caller, user }) => {
    const { json } = await caller.post(`/v2/user/${user}/create_portal_url`, { context: 'launch' });
    const { pathname, search } = new URL(json.url);
    return { id: json.token_id, use: (call) => call({ url: pathname + search, headers: {} }) };
  },
  link: async ({ caller, user }) => {
    const { json } = await caller.post('/v2/link/token', { user_id: user });
    const headers = { 'x-service-link-token': json.link_token };
    return { id: json.token_id, use: (call) => call({ url: '/v2/link/providers', headers }) };
  },
  booking: async ({ team, caller, user }) => {
    const order = await createOrder(team, 'at_home_phlebotomy', { user_id: user });
    return openPageToken(await caller.post(`/v1/order/${order}/booking_url`));
  },
  results: async ({ team, caller, user }) => {
    const order = await createOrder(team, 'walk_in_test', { user_id: user });
    await simulateOrder(team, order, 'completed', { interpretation: 'normal' });
    await team.management.patch(`/v1/org/${team.orgId}/team/${team.tenant.teamId}`, {
      sandbox: { patient_results_enabled: true },
    });
    return openPageToken(await caller.post(`/v1/order/${order}/result_url`));
  },
};

const tokensOf = ({ orgId, tenant }: TestTeam) => `/v1/org/${orgId}/team/${tenant.teamId}/sandbox/token`;

/** What ends a token; each returns the status of its request. */
const ENDINGS: Record<string, (issuer: Issuer, token: IssuedToken) => Promise<number>> = {
  'the revocation of its key': async ({ team, keyId }) =>
    (await team.management.delete(`/v1/org/${team.orgId}/team_api_keys/sandbox/us?api_key_id=${keyId}`))
      .status,
  'the expiry of its key': async ({ team, keyId }) => {
    const path = `/v1/org/${team.orgId}/team_api_keys/sandbox/us/${keyId}/rotate`;
    return (await team.management.post(path, { overlap_hours: 0 })).status;
  },
  'its revocation with a team key': async ({ team, user }, { id }) =>
    (await team.delete(`/v2/user/${user}/token/${id}`)).status,
  'the revocation of all tokens of its user': async ({ team, user }) =>
    (await team.delete(`/v2/user/${user}/token`)).status,
  'its revocation with a management key': async ({ team }, { id }) =>
    (await team.management.delete(`${tokensOf(team)}/${id}`)).status,
  'the revocation of all tokens of its team': async ({ team }) =>
    (await team.management.delete(tokensOf(team))).status,
  'the deletion of its user': async ({ team, user }) => (await team.delete(`/v2/user/${user}`)).status,
  'the deletion of its team': async ({ team }) =>
    (await team.management.delete(`/v1/org/${team.orgId}/team/${team.tenant.teamId}`)).status,
};

async function openIssuer(limits: object = {}): Promise<Issuer> {
  const team = await service.team();
  const key = await createTeamKey(service.app, { tenant: team.tenant, label: 'issuer', ...limits });
  const caller = service.client({ 'x-service-api-key': key.value });
  return { team, keyId: key.id, caller, user: await team.user() };
}

/** Calls a process with its own memory, on the same database. */
function openProcess(app = { ...service.app }) {
  const { server } = buildHttp(app);
  return async ({ url, headers, body }: { url: string; headers: Record<string, string>; body?: unknown }) => {
    const sent = body === undefined ? {} : { payload: JSON.stringify(body) };
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const method = body === undefined ? 'GET' : 'POST';
    return (await server.inject({ method, url, headers: { ...headers, ...type }, ...sent })).statusCode;
  };
}

const pairs = Object.keys(KINDS).flatMap((kind) =>
  Object.keys(ENDINGS).map((ending): [string, string] => [kind, ending]),
);

type Process = ReturnType<typeof openProcess>;
let here: Process;
let elsewhere: Process;
beforeAll(() => {
  [here, elsewhere] = [openProcess(), openProcess()];
});

describe('a token', () => {
  it.each(pairs)('of the kind %s ends in every process with %s', async (kind, ending) => {
    const issuer = await openIssuer();
    const token = await KINDS[kind as keyof typeof KINDS](issuer);
    expect([await token.use(here), await token.use(elsewhere)]).toEqual([200, 200]);
    expect(await ENDINGS[ending]?.(issuer, token)).toBe(200);
    const after = [await token.use(here), await token.use(elsewhere)];
    const refused = ['sign_in', 'app_access', 'link'].includes(kind) ? 401 : 400;
    expect(after).toEqual([refused, refused]);
  });

  it('of a team ends with its revocation, its management key, and takes the tokens it issued with it', async () => {
    const team = await service.team();
    const user = await team.user();
    const keys = `/v1/org/${team.orgId}/management_key`;
    for (const how of ['token', 'key'] as const) {
      const key = (await team.management.post(keys, { label: how, role: 'org_admin' })).json;
      const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/create_api_access_token`;
      const made = (await service.client({ 'x-management-key': key.key }).post(path, { env: 'sandbox' }))
        .json;
      const caller = service.client({ authorization: `Bearer ${made.access_token}` });
      const token = await KINDS.sign_in({ team, keyId: key.id, caller, user });
      expect([(await caller.get('/v2/user')).status, await token.use(here)]).toEqual([200, 200]);
      const end = how === 'token' ? `${tokensOf(team)}/${made.token_id}` : `${keys}/${key.id}`;
      expect((await team.management.delete(end)).status).toBe(200);
      expect([(await caller.get('/v2/user')).status, await token.use(here)]).toEqual([401, 401]);
    }
  });

  it('is not issued by a key that permits less than the token', async () => {
    for (const areas of [['catalog'], ['users'], ['wearables']] as const) {
      const { caller, user } = await openIssuer({ areas });
      const answers = [
        await caller.post(`/v2/user/${user}/sign_in_token`),
        await caller.post(`/v2/user/${user}/create_portal_url`, { context: 'launch' }),
      ];
      expect([areas, answers.map(({ status }) => status)]).toEqual([areas, [403, 403]]);
    }
    const enough = await openIssuer({ areas: ['users', 'wearables'] });
    expect((await enough.caller.post(`/v2/user/${enough.user}/sign_in_token`)).status).toBe(200);
  });

  it('permits what its key permits when it is used', async () => {
    const issuer = await openIssuer();
    const token = await KINDS.sign_in(issuer);
    await service.ownerPool.query(`update api_key set areas = '{users}' where id = $1`, [issuer.keyId]);
    expect(await token.use(here)).toBe(403);
  });

  it('is listed until it ends, without its value, and its revocation is in the audit log', async () => {
    const issuer = await openIssuer();
    const { team, user } = issuer;
    const [signIn, link] = [await KINDS.sign_in(issuer), await KINDS.link(issuer)];
    const listed = async () => (await team.get(`/v2/user/${user}/token`)).json.data;
    expect(await listed()).toMatchObject([
      { id: signIn.id, kind: 'sign_in', user_id: user, issued_by: issuer.keyId, issued_by_token: null },
      { id: link.id, kind: 'link' },
    ]);
    expect((await team.management.get(`${tokensOf(team)}?kind=link`)).json.data).toHaveLength(1);
    expect((await team.management.delete(`${tokensOf(team)}?kind=link`)).json).toEqual({
      revoked: [link.id],
    });
    expect((await listed()).map(({ id }: { id: string }) => id)).toEqual([signIn.id]);
    const log = (await team.management.get(`/v1/org/${team.orgId}/audit_log?action=token.revoke`)).json.data;
    expect(log).toHaveLength(1);
    expect(log[0].after).toMatchObject({ kind: 'link', token_ids: [link.id] });
    const stranger = await openIssuer();
    expect((await stranger.team.delete(`/v2/user/${stranger.user}/token/${signIn.id}`)).status).toBe(404);
  });
});

import { beforeAll, expect, it } from 'vitest';
import type { RouteRow } from '../src/platform/http/http.ts';
import type { TestTeam } from './service.ts';
import { connectLab } from './laboratory.ts';
import { useTestService } from './service-hooks.ts';
import { continuousQuery } from './queries.ts';
import { openRouteSamples, type RouteCall, type RouteSamples } from './route-samples.ts';

let samples: RouteSamples;
let owner: TestTeam;

const service = useTestService({ DASHBOARD_URL: 'https://dashboard.example/' });
beforeAll(async () => {
  samples = await openRouteSamples(service);
  owner = samples.owner;
});

/** Operations that only read, or prepare a change. */
const CHANGE_NOTHING = [
  'prepareCustomCredentials',
  'readDashboardSession',
  'resolveEhrMember',
  'resolveTeam',
  'validateContinuousQuery',
];
/** Operations that need external systems or more data; the tests of their modules cover them. */
const TESTED_ELSEWHERE = [
  'createSsoConnection',
  'importCatalog',
  'removeMember',
  'removeMemberSecondFactor',
  'removeMemberSsoIdentity',
  'retryLabMessage',
  'rotateLabConnectionToken',
  'verifyDomain',
];

const EHR = {
  ehr_type: 'fhir',
  base_url: 'https://ehr.example',
  authentication: { type: 'api_key', api_key: 'a' },
};

/** Requests for routes whose sample would be rejected or would change nothing. */
async function bodiesInstead(): Promise<Record<string, Partial<RouteCall>>> {
  const { orgId, tenant, management } = owner;
  const base = `/v1/org/${orgId}`;
  const team_ids = [tenant.teamId];
  const own = `team_id=${tenant.teamId}`;
  const made = async (path: string, body: object): Promise<string> =>
    (await management.post(`${base}/${path}`, body)).json.id;
  const person = { name: 'Eve', email: 'eve@example.com' };
  const integration = `${base}/ehr_integration`;
  const first = await made('ehr_integration/member', { ...person, integration_member_id: '1' });
  const second = await made('ehr_integration/member', { ...person, integration_member_id: '2' });
  const configuration = { slug: 'a-slug', modalities: ['link_out'], origin_configs: [] };
  await management.put(`${integration}/configuration`, configuration);
  const secret = { team_id: tenant.teamId, client_secret: 'hush-hush' };
  const credential = await made('team_custom_credentials/sandbox/us', { ...secret, provider: 'twilio' });
  const key = await made('team_api_keys/sandbox/us', { label: 'k', team_id: tenant.teamId });
  // The team of the samples has an inbox: to create it again changes nothing.
  const other = await made('team', { name: 'Without an inbox', region: 'us' });
  const released = await connectLab(owner);
  await management.delete(released.path);
  return {
    changeEhrMember: { url: `${integration}/member/${first}` },
    changeSignInPolicy: { body: { require_second_factor: true } },
    changeTeam: { body: { sandbox: { minor_ordering_enabled: true } } },
    createContinuousQuery: { body: { ...continuousQuery, slug: 'another' } },
    createDashboardUrl: {
      body: { member_id: first, feature: 'orders', modality: 'link_out', environment: 'sandbox' },
    },
    createWebhookInbox: { url: `${base}/team/${other}/sandbox/webhook_inbox` },
    createInvite: { body: { email: 'eve@example.com' } },
    deleteCustomCredentials: {
      url: `${base}/team_custom_credentials/sandbox/us?credential_id=${credential}`,
    },
    deleteDataPullPreferences: { url: `${base}/team_data_pull_preferences/sandbox/us?${own}` },
    deleteEhrMember: { url: `${integration}/member/${second}` },
    deleteEhrPipelines: { url: `${base}/team_ehr_pipelines/sandbox/us?${own}&ehr_type=fhir` },
    deleteTeamKeys: { url: `${base}/team_api_keys/sandbox/us?api_key_id=${key}` },
    deleteTeamPipelines: { url: `${base}/team_etl_pipelines/sandbox/us?${own}` },
    restoreLabConnection: { url: `${released.path}/restore` },
    setCustomCredentials: { body: { ...secret, provider: 'shippo' } },
    setDataPullPreferences: {
      body: { team_ids, providers: { oura: { default: { historical_days_to_pull: 3 } } } },
    },
    setEhrConfiguration: { body: configuration },
    setEhrPipelines: { body: { team_ids, ...EHR } },
    setTeamPipelines: { body: { team_ids, push_historical_data: true } },
  };
}

interface AuditLine {
  action: string;
  before: unknown;
  after: unknown;
}

const newest = async (): Promise<{ position: number } & AuditLine> => {
  const { rows } = await service.ownerPool.query(
    `select position::int, action, before, after from audit_log where org_id = $1 and action <> 'access_log.sealed' order by position desc limit 1`,
    [owner.orgId],
  );
  return rows[0];
};

/**
 * Deletions run after all other changes, those of all tokens after that of one, then what ends the sessions of members;
 * teams and management keys last.
 */
const rank = ({ method, path }: RouteRow) =>
  (method === 'DELETE' ? 1 : 0) +
  (path.endsWith('/token') ? 1 : 0) +
  (path.endsWith('/sign_in_policy') ? 2 : 0) +
  (/(\/team\/:team_id|\/management_key\/:key_id)$/.test(path) ? 2 : 0);

const isOfOneEnvironment = ({ path }: RouteRow) => /:env(ironment)?\b/.test(path);

it('the audit log has an entry with its environment for every change by the Management API', async () => {
  const changes = service.http.routes.filter(
    ({ scope, method, schema: { operationId } }) =>
      scope === 'management' &&
      method !== 'GET' &&
      ![...CHANGE_NOTHING, ...TESTED_ELSEWHERE].includes(operationId),
  );
  expect(changes.length).toBeGreaterThan(45);
  const instead = await bodiesInstead();
  const silent: string[] = [];
  for (const route of changes.toSorted((a, b) => rank(a) - rank(b))) {
    const { operationId } = route.schema;
    const { method, url, body } = { ...samples.callOf(route), ...instead[operationId] };
    const before = await newest();
    const answer = await service.http.server.inject({
      method,
      url,
      headers: {
        'x-management-key': owner.managementKey,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    expect(answer.statusCode, `${operationId}: ${answer.body}`).toBeLessThan(300);
    const line = await newest();
    const told = JSON.stringify([line.before, line.after]);
    if (line.position === before.position) silent.push(operationId);
    else if (isOfOneEnvironment(route) && !told.includes('"environment":"sandbox"'))
      silent.push(`${operationId}: ${told}`);
    expect(told, operationId).not.toMatch(/hush-hush|\d\d:\d\d(\.\d+)?Z"/);
  }
  expect(silent).toEqual([]);
});

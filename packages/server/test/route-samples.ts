import { vi } from 'vitest';
import { openSession } from '../src/identity/accounts/accounts.ts';
import type { RouteRow } from '../src/platform/http/http.ts';
import { order } from './examples.ts';
import { uploadReport, reportPdf } from './report-upload.ts';
import type { TestService, TestTeam } from './service.ts';
import { continuousQuery } from './queries.ts';
import { connectLab, openMllpListeners, resultText, sendLabMessage } from './laboratory.ts';
import { addWearableData } from './wearable-data.ts';
import { receiveAll, reportsOfMessage } from './laboratory-message.ts';
import { createUnmatchedResult, readOrderWithTests } from './received-reports.ts';
import { sampleBody, type OwnedIds } from './route-bodies.ts';
import { freeSlot } from './appointments.ts';
import { fitRun, uploadWearableFile } from './wearable-files.ts';

interface RouteFixture {
  readonly service: TestService;
  readonly owner: TestTeam;
  readonly theirs: Record<string, string>;
}

/** A request to a route for a resource of the owner. */
export interface RouteCall {
  readonly method: RouteRow['method'];
  readonly url: string;
  readonly body: unknown;
}

export interface RouteSamples {
  readonly owner: TestTeam;
  readonly theirs: OwnedIds;
  /** A request for the owner's resources. Its body passes validation, so that the key decides. */
  callOf(route: RouteRow): RouteCall;
}

/** Creates a team that has one of every resource. */
export async function openRouteSamples(service: TestService): Promise<RouteSamples> {
  const owner = await service.team();
  const userId = await owner.user('somebody');
  const tests = await owner.get('/v3/lab_tests?collection_method=testkit');
  const labTest = tests.json[0];
  const catalogue = await owner.get('/v3/lab_tests/markers?lab_slug=labcorp&size=1');
  const placed = await owner.post('/v3/order', order(userId, labTest.id));
  await owner.post(`/v3/order/${placed.json.order.id}/test`, { interpretation: 'critical' });
  const hook = `/v1/org/${owner.orgId}/team/${owner.tenant.teamId}/sandbox/webhook`;
  const endpoint = await owner.management.post(hook, { url: 'http://127.0.0.1:9/hook' });
  const glass = `/v1/org/${owner.orgId}/team/${owner.tenant.teamId}/sandbox/break_glass`;
  const opening = await owner.management.post(glass, { reason: 'somebody needs it now' });
  const keys = await owner.management.get(`/v1/org/${owner.orgId}/management_key`);
  const teamKeys = await owner.management.get(`/v1/org/${owner.orgId}/team_api_keys/sandbox/us`);
  const accounts = await owner.get('/v3/lab_test/lab_account');
  const theirs: Record<string, string> = {
    user_id: userId,
    client_user_id: 'somebody',
    order_id: placed.json.order.id,
    lab_test_id: labTest.id,
    marker_code: catalogue.json.markers[0].provider_id,
    transaction_id: placed.json.order.order_transaction.id,
    org_id: owner.orgId,
    team_id: owner.tenant.teamId,
    webhook_id: endpoint.json.id,
    opening_id: opening.json.id,
    key_id: keys.json.data[0].id,
    team_api_key_id: teamKeys.json.api_keys[0].id,
    account_id: accounts.json.data[0].id,
    psc_key: (await freeSlot(owner, 'psc')).booking_key,
    phlebotomy_key: (await freeSlot(owner, 'phlebotomy')).booking_key,
    job_id: (
      await uploadReport(service, owner, {
        files: [{ bytes: await reportPdf() }],
        fields: { user_id: userId },
      })
    ).json.id,
    raw_result_id: (await createUnmatchedResult(service, owner)).id,
    file_id: (await uploadWearableFile(service, owner, { userId, bytes: fitRun({ seconds: 1 }) })).json.id,
    ...(await addWearableData({ service, team: owner, userId })),
  };
  theirs['token_id'] = (await owner.post(`/v2/user/${userId}/sign_in_token`)).json.token_id;
  await addOrganizationMembers({ service, owner, theirs });
  const asked = `/v1/org/${owner.orgId}/team/${owner.tenant.teamId}/sandbox/continuous_query`;
  const continuous = await owner.management.post(asked, continuousQuery);
  theirs['query_id'] = continuous.json.id;
  theirs['query_id_or_slug'] = continuous.json.slug;
  const laboratory = await connectLab(owner);
  const labLine = await openMllpListeners(service.app);
  await sendLabMessage({ line: labLine, connection: laboratory }, resultText(laboratory));
  await labLine.stop();
  theirs['lab_connection_id'] = laboratory.id;
  theirs['lab_message_id'] = (await owner.management.get(`${laboratory.path}/message`)).json.data[0].id;
  await service.settle();
  theirs['critical_result_id'] = (await owner.get('/v3/critical_result')).json.data[0].id;
  theirs['document_id'] = await addLabDocument(service, owner, placed.json.order.id);
  const log = await owner.management.get(`/v1/org/${owner.orgId}/team/${owner.tenant.teamId}/sandbox/event`);
  theirs['message_id'] = `msg_${log.json.data[0].id}`;
  await owner.management.post(`${hook}/${endpoint.json.id}/test`, {});
  await service.settle();
  const attempts = await owner.management.get(`${hook}/${endpoint.json.id}/attempt`);
  theirs['attempt_id'] = attempts.json.data[0].id;
  theirs['received_id'] = await addReceivedWebhook(owner);
  const view = { page: 'orders', name: 'Lost', filters: {} };
  theirs['saved_view_id'] = (await owner.post('/v1/saved-views', view)).json.id;
  theirs['request_log_id'] = await findLoggedRequest(owner);
  return { owner, theirs, callOf: (route) => toRouteCall(theirs, route) };
}

/** A request that arrived in the inbox of the sandbox. */
async function addReceivedWebhook(owner: TestTeam): Promise<string> {
  const inbox = `/v1/org/${owner.orgId}/team/${owner.tenant.teamId}/sandbox/webhook_inbox`;
  const made = await owner.management.post(inbox);
  await owner.post(new URL(made.json.webhook.url).pathname, {});
  return (await owner.management.get(`${inbox}/request`)).json.data[0].id;
}

/** Waits, because requests are logged asynchronously. */
const findLoggedRequest = (owner: TestTeam): Promise<string> =>
  vi.waitFor(async () => (await owner.get('/v1/request-log')).json.data[0].id, {
    timeout: 50_000,
    interval: 20,
  });

/** A document that the laboratory enclosed in a report of the order. */
async function addLabDocument(service: TestService, owner: TestTeam, orderId: string): Promise<string> {
  const ordered = await readOrderWithTests(service, owner, orderId);
  const segments = ['OBR|1|PLACER|L1|100^Panel^L', 'OBX|1|ED|PDF^Report^L||^application^pdf^Base64^JVBERi0='];
  await receiveAll(service, owner, reportsOfMessage(ordered, segments));
  return (await owner.get(`/v3/order/${orderId}/result/documents`)).json.documents[0].id;
}

/** Adds members and a domain to the owner's organization. */
async function addOrganizationMembers({ service, owner, theirs }: RouteFixture): Promise<void> {
  const base = `/v1/org/${owner.orgId}`;
  const invite = await owner.management.post(`${base}/invite`, { email: 'ada@example.com' });
  const token = invite.json.invite_url.split('#')[1];
  const joined = await service.client({}).post('/v1/invite/accept', { token, name: 'Ada' });
  theirs['member_id'] = joined.json.member.id;
  const opened = await openSession(service.app, joined.json.member.id, {
    method: 'password',
    address: '192.0.2.1',
  });
  theirs['session_id'] = opened.session.sessionId;
  await owner.management.post(`${base}/invite`, { email: 'bob@example.com' });
  theirs['invite_id'] = (await owner.management.get(`${base}/invite`)).json.invites[0].id;
  const domain = await owner.management.post(`${base}/domain`, { domain: 'clinic.example' });
  theirs['domain_id'] = domain.json.id;
  theirs['connection_id'] = await addSsoConnection(service, owner);
  const directory = await owner.management.post(`${base}/directory_token`, { label: 'Directory' });
  theirs['directory_token_id'] = directory.json.id;
  const scim = service.client({ authorization: `Bearer ${directory.json.value}` });
  theirs['group_id'] = (await scim.post('/scim/v2/Groups', { displayName: 'Staff' })).json.id;
}

/** Creating one asks an identity provider; reading, changing and deleting one does not. */
async function addSsoConnection(service: TestService, { orgId }: TestTeam): Promise<string> {
  const { rows } = await service.ownerPool.query(
    `insert into sso_connection values (gen_random_uuid(), $1, 'Clinic login', 'https://idp.example', 'client', 'none',
       null, '{single.example}', true, false, null, now(), now()) returning id`,
    [orgId],
  );
  return rows[0].id;
}

/** Path parameters that do not identify a tenant's row. */
const NON_TENANT_PARAMETERS: Record<string, string> = {
  environment: 'sandbox',
  env: 'sandbox',
  region: 'us',
  provider: 'fitbit',
  phone_provider: 'apple_health_kit',
  timeseries_resource: 'heartrate',
  summary_resource: 'activity',
  lab_id: '1',
  page: '1',
  provider_id: 'none',
};

/** A date for routes that require one. */
const SOME_DAY = '?start_date=2026-03-02';
const needsDate = ({ path, schema }: RouteRow) =>
  /^\/v2\/(timeseries|summary)\//.test(path) && schema.query?.safeParse({}).success === false;

/** Required query parameters by operation. */
const REQUIRED_QUERIES: Record<string, string> = {
  getLabelsPdf: '?collection_date=2026-03-02T15:00:00Z',
  deleteCustomCredentials: '?credential_id=01900000-0000-7000-8000-000000000000',
  deleteEhrPipelines: '?ehr_type=fhir',
  getDailyTotals: '?resource=steps&start_date=2026-03-02',
};

export const parametersOf = (route: RouteRow) =>
  [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '');

function toRouteCall(theirs: OwnedIds, route: RouteRow): RouteCall {
  const path = route.path.replace(/:(\w+)/g, (_all, name: string) => {
    const value = theirs[name] ?? NON_TENANT_PARAMETERS[name];
    if (value === undefined) throw new Error(`No sample for the parameter ${name} of ${route.path}`);
    return value;
  });
  const revokes = route.method === 'DELETE' && path.includes('team_api_keys');
  const query = revokes
    ? `?api_key_id=${theirs['key_id']}`
    : route.method === 'GET' || route.method === 'DELETE'
      ? (REQUIRED_QUERIES[route.schema.operationId] ?? (needsDate(route) ? SOME_DAY : ''))
      : '';
  return { method: route.method, url: path + query, body: sampleBody(theirs, route) };
}

import type { RouteRow } from '../src/platform/http/http.ts';
import { order } from './examples.ts';
import { handIn, reportPdf } from './handed-in.ts';
import type { House, TeamInHand } from './house.ts';
import { continuousQuery } from './queries.ts';
import { connectLab, openLabLine, resultText, say } from './laboratory.ts';
import { measured } from './measured.ts';
import { reviewed } from './received.ts';
import { sampleOf, type Theirs } from './route-bodies.ts';
import { slotOf } from './visits.ts';
import { fitRun, handInWearable } from './wearable-files.ts';

interface Owned {
  readonly house: House;
  readonly owner: TeamInHand;
  readonly theirs: Record<string, string>;
}

/** A request to a route, about something of the owner's. */
export interface RouteCall {
  readonly method: RouteRow['method'];
  readonly url: string;
  readonly body: unknown;
}

export interface RouteSamples {
  readonly owner: TeamInHand;
  readonly theirs: Theirs;
  /** Asks for what is the owner's; a body passes the schema, so that it is the key that decides. */
  callOf(route: RouteRow): RouteCall;
}

/** A team that has one of everything. */
export async function openRouteSamples(house: House): Promise<RouteSamples> {
  const owner = await house.team();
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
    psc_key: (await slotOf(owner, 'psc')).booking_key,
    phlebotomy_key: (await slotOf(owner, 'phlebotomy')).booking_key,
    job_id: (
      await handIn(house, owner, { files: [{ bytes: await reportPdf() }], fields: { user_id: userId } })
    ).json.id,
    raw_result_id: (await reviewed(house, owner)).id,
    file_id: (await handInWearable(house, owner, { userId, bytes: fitRun({ seconds: 1 }) })).json.id,
    ...(await measured({ house, team: owner, userId })),
  };
  await nameOrganization({ house, owner, theirs });
  const asked = `/v1/org/${owner.orgId}/team/${owner.tenant.teamId}/sandbox/continuous_query`;
  const continuous = await owner.management.post(asked, continuousQuery);
  theirs['query_id'] = continuous.json.id;
  theirs['query_id_or_slug'] = continuous.json.slug;
  const laboratory = await connectLab(owner);
  const labLine = await openLabLine(house.app);
  await say(labLine, resultText(laboratory));
  await labLine.stop();
  theirs['lab_connection_id'] = laboratory.id;
  theirs['lab_message_id'] = (await owner.management.get(`${laboratory.path}/message`)).json.data[0].id;
  await house.settle();
  theirs['critical_result_id'] = (await owner.get('/v3/critical_result')).json.data[0].id;
  const log = await owner.management.get(`/v1/org/${owner.orgId}/team/${owner.tenant.teamId}/sandbox/event`);
  theirs['message_id'] = `msg_${log.json.data[0].id}`;
  await owner.management.post(`${hook}/${endpoint.json.id}/test`, {});
  await house.settle();
  const attempts = await owner.management.get(`${hook}/${endpoint.json.id}/attempt`);
  theirs['attempt_id'] = attempts.json.data[0].id;
  return { owner, theirs, callOf: (route) => callOf(theirs, route) };
}

/** People and a domain of the owner's organization. */
async function nameOrganization({ house, owner, theirs }: Owned): Promise<void> {
  const base = `/v1/org/${owner.orgId}`;
  const invite = await owner.management.post(`${base}/invite`, { email: 'ada@example.com' });
  const token = invite.json.invite_url.split('#')[1];
  const joined = await house.caller({}).post('/v1/invite/accept', { token, name: 'Ada' });
  theirs['member_id'] = joined.json.member.id;
  await owner.management.post(`${base}/invite`, { email: 'bob@example.com' });
  theirs['invite_id'] = (await owner.management.get(`${base}/invite`)).json.invites[0].id;
  const domain = await owner.management.post(`${base}/domain`, { domain: 'clinic.example' });
  theirs['domain_id'] = domain.json.id;
}

/** Parameters that name no row of a tenant. */
const WORDS: Record<string, string> = {
  environment: 'sandbox',
  env: 'sandbox',
  region: 'us',
  provider: 'fitbit',
  timeseries_resource: 'heartrate',
  summary_resource: 'activity',
  lab_id: '1',
  page: '1',
  provider_id: 'none',
};

/** Some day, for the routes that want one. */
const SOME_DAY = '?start_date=2026-03-02';
const isOfSomeTime = ({ path, schema }: RouteRow) =>
  /^\/v2\/(timeseries|summary)\//.test(path) && schema.query?.safeParse({}).success === false;

/** What a route cannot be asked without. */
const QUERIES: Record<string, string> = {
  getLabelsPdf: '?collection_date=2026-03-02T15:00:00Z',
  deleteCustomCredentials: '?credential_id=01900000-0000-7000-8000-000000000000',
  deleteEhrPipelines: '?ehr_type=fhir',
  getDailyTotals: '?resource=steps&start_date=2026-03-02',
};

export const parametersOf = (route: RouteRow) =>
  [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '');

function callOf(theirs: Theirs, route: RouteRow): RouteCall {
  const path = route.path.replace(/:(\w+)/g, (_all, name: string) => {
    const value = theirs[name] ?? WORDS[name];
    if (value === undefined) throw new Error(`No sample for the parameter ${name} of ${route.path}`);
    return value;
  });
  const revokes = route.method === 'DELETE' && path.includes('team_api_keys');
  const query = revokes
    ? `?api_key_id=${theirs['key_id']}`
    : route.method === 'GET' || route.method === 'DELETE'
      ? (QUERIES[route.schema.operationId] ?? (isOfSomeTime(route) ? SOME_DAY : ''))
      : '';
  return { method: route.method, url: path + query, body: sampleOf(theirs, route) };
}

import type { RouteRow } from '../src/platform/http/http.ts';
import { address, order, patient, physician, registration, shipping } from './examples.ts';
import { continuousQuery, queries } from './queries.ts';
import { home } from './appointments.ts';

/** Ids of an owner's resources, by the name of the path parameter. */
export type OwnedIds = Readonly<Record<string, string>>;

/** Complete bodies of creating operations, with ids of the owner's resources. */
const creationBodies = (theirs: OwnedIds): Record<string, unknown> => {
  const {
    user_id: userId = '',
    lab_test_id: labTestId = '',
    order_id: orderId = '',
    team_id: teamId,
  } = theirs;
  const aLaCarte = { add_on: { provider_ids: [theirs['marker_code']] } };
  const token = { access_token: 'a', refresh_token: 'r', provider_id: 'p', expires_at: 1_800_000_000 };
  return {
    createOrder: order(userId, labTestId),
    createOrderAtCreate: order(userId, labTestId),
    createTestkitOrder: { user_id: userId, lab_test_id: labTestId, shipping_details: shipping },
    registerTestkit: registration('no such sample', userId),
    importOrder: {
      user_id: userId,
      billing_type: 'client_bill',
      order_set: aLaCarte,
      collection_method: 'walk_in_test',
      physician,
      patient_details: patient,
      patient_address: address,
      sample_id: 'an imported sample',
    },
    createSsoConnection: {
      name: 'Stolen',
      issuer: 'https://10.0.0.1',
      client_id: 'stolen',
      client_secret: 'stolen',
      domains: ['stolen.example'],
    },
    changeRetention: { events: 90 },
    simulateLabMessage: { message: 'MSH|' },
    importCatalog: { format: 'json', content: '{}', dry_run: true },
    changeWebhookInbox: { answer: 'failure' },
    createLabTest: {
      name: 'Of our own',
      method: 'walk_in_test',
      description: 'What we want to know',
      provider_ids: [theirs['marker_code']],
      lab_slug: 'labcorp',
    },
    listOrderSetMarkers: aLaCarte,
    resendOrderEvents: { order_ids: [orderId] },
    getPhlebotomyAvailability: home,
    searchCompendium: { mode: 'canonical', query: 'glucose', labs: ['labcorp'], limit: 5 },
    convertCompendium: { provider_ids: [theirs['marker_code']], target_lab: 'quest', limit: 5 },
    searchPayorsByBody: { insurance_name: 'aetna' },
    validateIcdCodes: { codes: ['E11.9'] },
    createPayor: { name: 'A payor', address, provider_payor_id: 'ours' },
    connectPhone: { user_id: userId },
    getPhoneSyncState: { tzinfo: 'UTC' },
    beginPhoneHistory: {
      range_start: '2026-02-01T00:00:00Z',
      range_end: '2026-03-01T00:00:00Z',
      backfill_type: 'steps',
    },
    reportPhoneProgress: {},
    createLinkToken: { user_id: userId, provider: 'oura', redirect_url: 'https://example.com/back' },
    connectDemo: { user_id: userId, provider: 'fitbit' },
    bulkImportConnections: { provider: 'oura', connections: [{ user_id: userId, ...token }] },
    bulkPauseConnections: { user_ids: [userId], provider: 'oura' },
    bulkTriggerHistoricalPull: { user_ids: [userId], provider: 'oura' },
    changeSavedView: { name: 'Other' },
    createSavedView: { page: 'orders', name: 'Lost', filters: {} },
    changeSourcePriorities: [{ data_type: 'sleep', provider: 'oura', priority: 1 }],
    setDirectoryGroupRoles: { roles: [] },
    createDashboardUrl: {
      integration_member_id: 'stolen',
      team_id: teamId,
      feature: 'orders',
      modality: 'link_out',
      environment: 'sandbox',
    },
    setDataPullPreferences: {
      team_ids: [],
      providers: { oura: { default: { historical_days_to_pull: 3 } } },
    },
    setEhrPipelines: {
      team_ids: [],
      ehr_type: 'fhir',
      base_url: 'https://ehr.example/fhir',
      authentication: { type: 'api_key', api_key: 'ours' },
    },
    setTeamPipelines: {
      team_ids: [],
      preferences: { preferred: 'nats', enabled: ['nats'] },
      nats: { servers: ['nats://127.0.0.1:9'], subject_prefix: 'events' },
    },
  };
};

/** Bodies that pass validation, so that the id decides. */
const requestBodies = (theirs: OwnedIds): Record<string, unknown> => ({
  ...creationBodies(theirs),
  queryUser: queries,
  pushTimeseries: { data: [{ timestamp: '2026-03-02T09:00:00Z', value: 60 }] },
  pushSummaries: { data: [{ calendar_date: '2026-03-01', steps: 100 }] },
  createContinuousQuery: continuousQuery,
  validateContinuousQuery: continuousQuery,
  requestPhlebotomyAppointment: { address: home, provider: 'phlebfinders' },
  bookPhlebotomyAppointment: { booking_key: theirs['phlebotomy_key'] },
  bookPscAppointment: { booking_key: theirs['psc_key'] },
  reschedulePhlebotomyAppointment: { booking_key: theirs['phlebotomy_key'] },
  reschedulePscAppointment: { booking_key: theirs['psc_key'] },
  createInsurance: {
    payor_code: 'X1',
    member_id: '1',
    relationship: 'Self',
    insured: { ...patient, address },
  },
});

export const sampleBody = (theirs: OwnedIds, route: RouteRow): unknown => {
  const { body } = route.schema;
  if (!body) return undefined;
  return requestBodies(theirs)[route.schema.operationId] ?? { ...GENERIC_BODY, team_id: theirs['team_id'] };
};

/** Has every field that routes with an id require; unknown fields are ignored. */
const GENERIC_BODY = {
  context: 'launch',
  client_user_id: 'renamed',
  name: 'renamed',
  label: 'renamed',
  role: 'org_admin',
  url: 'https://example.com/stolen',
  headers: { 'x-stolen': 'yes' },
  env: 'sandbox',
  since: '2026-03-01T00:00:00Z',
  advance_seconds: 60,
  action: 'reject',
  reason: 'somebody is curious',
  domain: 'stolen.example',
  to_email: 'thief@example.com',
  team_role_bindings: null,
  provider: 'oura',
  providers: {},
  team_ids: [],
  ehr_type: 'fhir',
  base_url: 'https://thief.example',
  authentication: { type: 'api_key', api_key: 'stolen' },
  integration_member_id: 'stolen',
  integration_team_id: 'stolen',
  slug: 'stolen',
  modalities: [],
  origin_configs: [],
  feature: 'orders',
  modality: 'link_out',
  environment: 'sandbox',
  session: 'stolen',
  recipient_name: 'Dr. No',
  channel: 'phone',
  read_back: true,
  lab: 'labcorp',
  inbound: 'mllp',
  outbound: 'none',
  lab_application: 'X',
  lab_facility: 'Y',
  cancellation_reason_id: '8d3b7a05-4e9f-4d68-b17c-c2e6f0a9d517',
  team_id_allowlist: [],
  activate_by: null,
  sms_enabled: true,
  region: 'us',
  ...patient,
  address,
};

import { Junction, JunctionClient, JunctionError } from '@junction-api/sdk';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openReceiver, type ReceivedRequest, type Receiver } from '../receiver.ts';
import { openMachine, type TestMachine, type ServingProcess } from './process.ts';

/** Tests the unchanged published SDK of the interface against the real process. Nothing is set for it. */
let machine: TestMachine;
let service: ServingProcess;
let client: JunctionClient;
let receiver: Receiver;
let secret: string;

beforeAll(async () => {
  machine = await openMachine();
  receiver = await openReceiver();
  service = await machine.serve();
  client = clientWith(service.credentials.team_api_key);
  secret = await createEndpoint();
  // Longer than other hooks: builds a bundle and seeds a database.
}, 120_000);
afterAll(async () => {
  await machine.close();
  await receiver.close();
});

const clientWith = (apiKey: string) => new JunctionClient({ baseUrl: service.url, apiKey, maxRetries: 0 });

/** Creates an endpoint by HTTP, because the SDK has no management client; returns its secret. */
async function createEndpoint(): Promise<string> {
  const { org_id: org, team_id: team, management_key: key } = service.credentials;
  const base = `${service.url}/v1/org/${org}/team/${team}/sandbox/webhook`;
  const headers = { 'x-management-key': key, 'content-type': 'application/json' };
  const made = await fetch(base, { method: 'POST', headers, body: JSON.stringify({ url: receiver.url }) });
  const endpoint = z.looseObject({ id: z.string() }).parse(await made.json());
  expect(endpoint).toMatchObject({ url: receiver.url, disabled: false });
  const answer = await fetch(`${base}/${endpoint.id}/secret`, { headers: { 'x-management-key': key } });
  return z.object({ key: z.string() }).parse(await answer.json()).key;
}

const address = {
  receiverName: 'Ada Lovelace',
  firstLine: '548 Market Street',
  secondLine: 'Apt 4',
  city: 'San Francisco',
  state: 'CA',
  zip: '94104',
  country: 'US',
};
const IN_2100 = 4_102_444_800;
const patient = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  dob: '1985-12-10',
  gender: 'female',
  phoneNumber: '+14155550132',
  email: 'ada@example.com',
} as const;

const createUser = async (clientUserId: string) => (await client.user.create({ clientUserId })).userId;

async function kitTest(): Promise<Junction.ClientFacingLabTest> {
  const [kit] = await client.labTests.get({ collectionMethod: 'testkit' });
  if (!kit) throw new Error('No lab test is collected by a test kit');
  return kit;
}

const orderKit = async (userId: string, labTestId: string) => {
  const shippingDetails = { ...address, phoneNumber: patient.phoneNumber };
  return (await client.testkit.createOrder({ userId, labTestId, shippingDetails })).order;
};

/** The error of a call that must fail. */
async function failureOf(call: PromiseLike<unknown>): Promise<JunctionError> {
  const error: unknown = await Promise.resolve(call).then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof JunctionError) return error;
  throw error;
}

/** Waits for `count` webhooks about an order. */
async function webhooksOf(orderId: string, count: number): Promise<ReceivedRequest[]> {
  const about = () => receiver.received.filter(({ body }) => body.data['id'] === orderId);
  await expect.poll(() => about().length).toBe(count);
  return about();
}

/** Creates a team with its own client. */
async function ownTeam(): Promise<{ client: JunctionClient; teamId: string }> {
  const { org_id: org, management_key: management } = service.credentials;
  const post = async (path: string, body: object) => {
    const headers = { 'x-management-key': management, 'content-type': 'application/json' };
    const answer = await fetch(`${service.url}/v1/org/${org}/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.json();
  };
  const { id } = z.object({ id: z.string() }).parse(await post('team', { name: 'Own', region: 'us' }));
  const made = await post('team_api_keys/sandbox/us', { label: 'own', team_id: id });
  return { client: clientWith(z.looseObject({ value: z.string() }).parse(made).value), teamId: id };
}

describe('npm run clients', () => {
  it('has every method of the SDK succeed or rightly refused', { timeout: 120_000 }, async () => {
    const { code, stdout, stderr } = await machine.clients(service.url).ended;
    expect(stderr).toBe('');
    expect(stdout).toMatch(/205 methods: \d+ ok, \d+ rightly refused, 0 failed\n$/);
    expect(code).toBe(0);
  });
});

describe('the published SDK', () => {
  it('creates, changes, lists and deletes users', async () => {
    const { client, teamId } = await ownTeam();
    const made = await client.user.create({
      clientUserId: 'ada',
      fallbackTimeZone: 'Europe/London',
      fallbackBirthDate: '1985-12-10',
    });
    expect(made).toMatchObject({
      clientUserId: 'ada',
      teamId,
      connectedSources: [],
    });
    expect(made.createdOn).toBeInstanceOf(Date);
    expect(made.fallbackTimeZone).toMatchObject({ id: 'Europe/London', sourceSlug: 'manual' });
    expect(made.fallbackBirthDate).toMatchObject({ value: '1985-12-10', sourceSlug: 'manual' });
    expect(await client.user.get({ userId: made.userId })).toEqual(made);
    expect(await client.user.getByClientUserId({ clientUserId: 'ada' })).toEqual(made);

    await client.user.patch({ userId: made.userId, clientUserId: 'ada-2', fallbackTimeZone: null });
    const changed = await client.user.get({ userId: made.userId });
    expect(changed).toMatchObject({
      clientUserId: 'ada-2',
      fallbackTimeZone: null,
      createdOn: made.createdOn,
    });

    const other = (await client.user.create({ clientUserId: 'grace' })).userId;
    const page = await client.user.getAll({ offset: 0, limit: 10 });
    expect(page).toMatchObject({ total: 2, offset: 0, limit: 10 });
    expect(page.users.map(({ userId }) => userId)).toEqual([made.userId, other]);
    expect(await client.user.getAll({ offset: 1, limit: 1 })).toMatchObject({
      users: [{ userId: other }],
      total: 2,
    });

    expect(await client.user.delete({ userId: other })).toEqual({ success: true });
    expect((await failureOf(client.user.get({ userId: other }))).statusCode).toBe(404);
    expect(await client.user.undoDelete({ userId: other })).toEqual({ success: true });
    expect((await client.user.get({ userId: other })).clientUserId).toBe('grace');
  });

  it('stores demographics and insurance', async () => {
    const userId = await createUser('insured');
    const home = {
      firstLine: '548 Market Street',
      city: 'San Francisco',
      state: 'CA',
      zip: '94104',
      country: 'US',
    };
    const info = await client.user.upsertUserInfo({ userId, ...patient, address: home, race: 'other' });
    expect(info).toMatchObject({ ...patient, address: home, race: 'other' });
    expect(await client.user.getLatestUserInfo({ userId })).toEqual(info);

    const [payor] = await client.insurance.searchGetPayorInfo({ insuranceName: 'aetna' });
    if (!payor) throw new Error('No payor is called Aetna');
    expect(payor.name.toLowerCase()).toContain('aetna');
    const insurance = await client.user.createInsurance({
      userId,
      payorCode: payor.payorCode,
      memberId: 'M-1',
      groupId: 'G-1',
      relationship: 'Self',
      insured: { ...patient, address: home },
    });
    expect(insurance).toMatchObject({
      memberId: 'M-1',
      groupId: 'G-1',
      payorCode: payor.payorCode,
      relationship: 'Self',
      company: { name: payor.name, address: { country: payor.orgAddress.country } },
      insured: { ...patient, address: home },
      guarantor: null,
    });
    expect(await client.user.getLatestInsurance({ userId, isPrimary: true })).toEqual(insurance);
    const [code] = await client.insurance.searchDiagnosis({ diagnosisQuery: 'E11.9' });
    expect(code?.diagnosisCode).toBe('E11.9');
  });

  it('reads the catalog', async () => {
    const kit = await kitTest();
    expect(kit).toMatchObject({ method: 'testkit', status: 'active', isActive: true });
    expect(kit.price).toBeGreaterThan(0);
    expect(await client.labTests.getById({ labTestId: kit.id })).toMatchObject({
      id: kit.id,
      name: kit.name,
    });
    const page = await client.labTests.getPaginated({ labTestLimit: 2 });
    expect(page.data).toHaveLength(2);

    const labs = await client.labTests.getLabs();
    expect(labs.map(({ slug }) => slug)).toEqual(expect.arrayContaining(['quest', 'labcorp', 'ussl']));
    const quest = labs.find(({ slug }) => slug === 'quest');
    const markers = await client.labTests.getMarkers({
      labId: quest?.id ?? 0,
      name: 'glucose',
      page: 1,
      size: 5,
    });
    expect(markers).toMatchObject({ page: 1, size: 5 });
    expect(markers.markers.length).toBeGreaterThan(0);
    for (const marker of markers.markers) {
      expect(marker.labId).toBe(quest?.id);
      expect(marker.name.toLowerCase()).toContain('glucose');
    }
    const ofKit = await client.labTests.getMarkersForLabTest({ labTestId: kit.id });
    expect(idsOf(ofKit.markers)).toEqual(idsOf(kit.markers ?? []));
    expect(ofKit.markers.every(({ expectedResults }) => expectedResults.length > 0)).toBe(true);
  });

  it('follows a test kit from order to result, with a signed webhook for every step', async () => {
    const userId = await createUser('kit-owner');
    const kit = await kitTest();
    const placed = await orderKit(userId, kit.id);
    expect(placed).toMatchObject({
      userId,
      status: 'received',
      lastEvent: { status: 'received.testkit.ordered' },
      labTest: { id: kit.id },
      details: { type: 'testkit' },
      shippingDetails: { firstLine: address.firstLine },
    });
    if (!placed.sampleId) throw new Error('The kit has no sample id');

    const arrived = await client.labTests.simulateOrderProcess({
      orderId: placed.id,
      finalStatus: 'collecting_sample.testkit.with_customer',
    });
    expect(arrived).toMatchObject({
      order: { last_event: { status: 'collecting_sample.testkit.with_customer' } },
    });

    const registered = await client.testkit.register({
      userId,
      sampleId: placed.sampleId,
      patientDetails: patient,
      patientAddress: address,
      consents: [{ consentType: 'terms-of-use' }],
    });
    expect(registered).toMatchObject({ status: 'success' });
    expect(registered.order).toMatchObject({
      id: placed.id,
      lastEvent: { status: 'received.testkit.testkit_registered' },
      patientDetails: { firstName: 'Ada', lastName: 'Lovelace', dob: new Date('1985-12-10') },
      patientAddress: { country: 'United States', zip: '94104' },
    });

    await client.labTests.simulateOrderProcess({ orderId: placed.id, body: { interpretation: 'abnormal' } });
    const order = await client.labTests.getOrder({ orderId: placed.id });
    expect(order).toMatchObject({ id: placed.id, status: 'completed', interpretation: 'abnormal' });
    expect(order.hasMissingResults).toBe(false);
    expect(order.events.at(-1)).toEqual(order.lastEvent);
    expect(order.lastEvent.createdAt).toBeInstanceOf(Date);
    expect(order.updatedAt.getTime()).toBeGreaterThanOrEqual(order.createdAt.getTime());

    const listed = await client.labTests.getOrders({ userId, status: 'completed', orderType: 'testkit' });
    expect(listed).toMatchObject({ total: 1, page: 1, size: 50 });
    expect(listed.orders).toEqual([order]);

    const result = await client.labTests.getResultRaw({ orderId: placed.id });
    const metadata = await client.labTests.getResultMetadata({ orderId: placed.id });
    expect(result.metadata).toEqual(metadata);
    expect(metadata).toMatchObject({ patient: 'Ada Lovelace', dob: '1985-12-10', status: 'final' });
    expectResults(result.results, kit);

    const webhooks = await webhooksOf(placed.id, order.events.length);
    const told = webhooks.map(({ body }) => (body.data['last_event'] as { status: string }).status);
    expect(told.toSorted()).toEqual(order.events.map(({ status }) => String(status)).toSorted());
    for (const webhook of webhooks) expectSigned(webhook, { userId, clientUserId: 'kit-owner' });
  });

  it('imports existing grants, with and without waiting for completion', async () => {
    const userId = await createUser('moved');
    const grant = { accessToken: 'a', refreshToken: 'b', providerId: 'p', expiresAt: IN_2100 };
    for (const waitForCompletion of [true, false]) {
      const connections = [{ userId, ...grant }];
      const imported = await client.link.bulkImport({ provider: 'fitbit', connections, waitForCompletion });
      expect(imported).toEqual({ userIdsImported: [userId], userIdsFailed: [] });
    }
    const { data } = await client.link.bulkExport({ provider: 'fitbit', userIds: [userId] });
    expect(data).toMatchObject([{ userId, accessToken: 'a', refreshToken: 'b' }]);
  });

  it('cancels an order once', async () => {
    const { id } = await orderKit(await createUser('undecided'), (await kitTest()).id);
    const { order } = await client.labTests.cancelOrder({ orderId: id });
    expect(order).toMatchObject({
      id,
      status: 'cancelled',
      lastEvent: { status: 'cancelled.testkit.cancelled' },
    });
    const again = await failureOf(client.labTests.cancelOrder({ orderId: id }));
    expect(again).toMatchObject({
      statusCode: 400,
      body: { detail: 'Transition from cancelled to cancelled is not allowed' },
    });
    await webhooksOf(id, 2);
  });

  it('orders for a patient with an idempotency key', async () => {
    const userId = await createUser('ordered-for');
    const labTestId = (await kitTest()).id;
    const order = { userId, labTestId, patientDetails: patient, patientAddress: address };
    const placed = await client.labTests.createOrder({ ...order, idempotencyKey: 'once' });
    const again = await client.labTests.createOrder({ ...order, idempotencyKey: 'once' });
    expect(again.order.id).toBe(placed.order.id);
    expect(placed.order).toMatchObject({ status: 'received', patientDetails: { firstName: 'Ada' } });
    expect((await client.labTests.getOrders({ userId })).total).toBe(1);
  });
});

describe('what the published SDK throws', () => {
  const nobody = '0190aaaa-0000-7000-8000-000000000000';

  it('is a typed 422 with the field location', async () => {
    const userId = await createUser('wrong');
    const labTestId = (await kitTest()).id;
    const body = {
      userId,
      labTestId,
      patientDetails: { ...patient, firstName: 'A@a' },
      patientAddress: address,
    };
    const error = await failureOf(client.labTests.createOrder(body));
    expect(error).toBeInstanceOf(Junction.UnprocessableEntityError);
    expect(error).toMatchObject({
      statusCode: 422,
      body: { detail: [{ loc: ['body', 'patient_details', 'first_name'], type: expect.any(String) }] },
    });
    expect((await client.labTests.getOrders({ userId })).total).toBe(0);
  });

  it('is a 404 for unknown resources', async () => {
    const user = await failureOf(client.user.get({ userId: nobody }));
    expect(user).toMatchObject({ statusCode: 404, body: { detail: 'User not found' } });
    const order = await failureOf(client.labTests.getOrder({ orderId: nobody }));
    expect(order).toMatchObject({ statusCode: 404, body: { detail: 'Order not found' } });
  });

  it('is a 400 with the id of the user that already has the name', async () => {
    const userId = await createUser('taken');
    const error = await failureOf(client.user.create({ clientUserId: 'taken' }));
    expect(error).toBeInstanceOf(Junction.BadRequestError);
    expect(error).toMatchObject({
      statusCode: 400,
      body: { detail: { error_type: 'INVALID_REQUEST', user_id: userId } },
    });
  });

  it('is a 401 without a valid key', async () => {
    for (const key of [
      'sk_us_0123456789012345678901234567890123456789012',
      service.credentials.management_key,
    ]) {
      const error = await failureOf(clientWith(key).user.getAll());
      expect(error).toMatchObject({
        statusCode: 401,
        body: { detail: expect.stringMatching(/^Invalid API key/) },
      });
    }
  });
});

const idsOf = (things: readonly { id: number }[]): number[] =>
  things.map(({ id }) => id).toSorted((a, b) => a - b);

const isList = (results: Junction.LabResultsRawResults): results is Junction.BiomarkerResult[] =>
  Array.isArray(results);

function expectResults(results: Junction.LabResultsRawResults, kit: Junction.ClientFacingLabTest): void {
  if (!isList(results)) throw new Error('The SDK could not read the results as a list');
  expect(results.length).toBeGreaterThanOrEqual(kit.markers?.length ?? 1);
  expect(results.some(({ interpretation }) => interpretation === 'abnormal')).toBe(true);
  const ids = kit.markers?.map(({ id }) => id);
  for (const {
    type,
    result,
    timestamp,
    interpretation,
    isAboveMaxRange,
    isBelowMinRange,
    sourceMarkers,
  } of results) {
    expect(type).toBe('numeric');
    expect(Number(result)).toBeGreaterThan(0);
    expect(timestamp).toBeInstanceOf(Date);
    expect(interpretation).toBe(isAboveMaxRange || isBelowMinRange ? 'abnormal' : 'normal');
    expect(sourceMarkers?.every(({ markerId }) => ids?.includes(markerId))).toBe(true);
  }
}

/** Verifies a webhook with both packages, by their own header names, and expects them to reject a changed body. */
function expectSigned(
  { text, headers, body }: ReceivedRequest,
  about: { userId: string; clientUserId: string },
): void {
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  for (const webhook of [new Webhook(secret), new SvixWebhook(secret)]) {
    expect(webhook.verify(text, given)).toEqual(body);
    expect(() => webhook.verify(`${text} `, given)).toThrow(/signature/i);
  }
  const family = (prefix: string) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => name.startsWith(prefix)));
  expect(new SvixWebhook(secret).verify(text, family('svix-'))).toEqual(body);
  expect(new Webhook(secret).verify(text, family('webhook-'))).toEqual(body);
  expect(body).toMatchObject({
    team_id: service.credentials.team_id,
    user_id: about.userId,
    client_user_id: about.clientUserId,
  });
}

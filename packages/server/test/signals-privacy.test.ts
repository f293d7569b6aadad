import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { address, order, patient, physician } from './examples.ts';
import { findLabTestId } from './orders.ts';
import {
  connectLab,
  openMllpListeners,
  resultText,
  sendLabMessage,
  type TestMllpListeners,
} from './laboratory.ts';
import { openOtlpReceiver, type OtlpReceiver, type OtlpSpan } from './otlp.ts';
import { observationsOf, placeOrder, reportOf } from './received-reports.ts';
import {
  startSimulatedLaboratory,
  type SimulatedLaboratory,
} from '../src/adapters/lab-network/hl7/simulated-laboratory.ts';
import { inTenant } from '../src/app.ts';
import { receiveReport } from '../src/laboratories/incoming-results/incoming-results.ts';
import { openTestService, type TestService, type TestTeam } from './service.ts';
import { connectUser, setHistoricalDays, standInSettings } from './wearable-links.ts';
import { ouraProtocol } from './wearable-providers/oura.ts';
import { openStandIn, type StandIn } from './wearable-providers/stand-in.ts';
import { waitUntil } from './webhook-fixture.ts';

let otlp: OtlpReceiver;
let service: TestService;
let oura: StandIn;
let laboratory: SimulatedLaboratory;
let line: TestMllpListeners;
const log: string[] = [];
beforeAll(async () => {
  otlp = await openOtlpReceiver();
  oura = await openStandIn(ouraProtocol);
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url,
    OTEL_BSP_SCHEDULE_DELAY: '20',
    OTEL_BLRP_SCHEDULE_DELAY: '20',
    OTEL_METRIC_EXPORT_INTERVAL: '200',
    PHYSICIANS: JSON.stringify([
      { first_name: 'Mary', last_name: 'Putnam', npi: '1003000126', licensed_states: [] },
    ]),
    LAB_ALLOW_PRIVATE_HOSTS: 'true',
    ...standInSettings(oura),
  };
  service = await openTestService(settings, { write: (text) => void log.push(text) });
  line = await openMllpListeners(service.app);
  laboratory = await startSimulatedLaboratory({ now: () => service.clock.now(), findTest: () => undefined });
});
afterAll(async () => {
  await line.stop();
  await laboratory.close();
  await oura.close();
  await service.close();
  await otlp.close();
});

/** Words that occur in nothing but the data of this patient. */
const person = {
  ...patient,
  first_name: 'Quirinazz',
  last_name: 'Zweisteinqq',
  email: 'quirinazz@zweisteinqq.example',
  phone_number: '+14155559871',
  dob: '1943-11-29',
};
const home = {
  ...address,
  receiver_name: 'Xaverzz Vierbeinqq',
  first_line: '4711 Wegzz Street',
  zip: '94133',
};
const VALUE = '98761.25';
const WORDS =
  `Quirinazz Zweisteinqq zweisteinqq.example 4155559871 1943-11-29 19431129 Xaverzz Vierbeinqq Wegzz
  94133 ${VALUE} Notezz clientzz`.split(/\s+/);

/** Digits count where they stand alone: within a trace id, a time or a measure five of them occur by chance. */
const occurs = (word: string, text: string): boolean =>
  /^\d+$/.test(word)
    ? new RegExp(`(?<![0-9a-f.])${word}(?![0-9a-f])`).test(text)
    : text.toLowerCase().includes(word.toLowerCase());

/** Users, orders of each kind, results, and requests that fail: with a webhook that is delivered and one that is not. */
async function useEverything(team: TestTeam): Promise<void> {
  await team.endpoint();
  const failing = await team.endpoint();
  failing.respond = ({ text }) => ({
    status: 500,
    headers: { 'x-echo': 'Quirinazz' },
    afterMs: text.length % 2,
  });
  const userId = await team.user('clientzz');
  const done = [await team.patch(`/v2/user/${userId}/info`, { ...person, address: home })];
  for (const method of ['testkit', 'walk_in_test', 'at_home_phlebotomy']) {
    const body = order(userId, await findLabTestId(team, method));
    const placed = await team.post('/v3/order', {
      ...body,
      patient_details: person,
      patient_address: home,
      physician,
    });
    const path = `/v3/order/${placed.json.order.id}`;
    done.push(placed, await team.post(`${path}/test?final_status=completed`, { interpretation: 'critical' }));
    await service.settle();
    done.push(await team.get(`${path}/result`), await team.get(`${path}/requisition/pdf`));
  }
  expect(done.map(({ status }) => status).filter((status) => status >= 300)).toEqual([]);
  const one = await placeOrder(service, team, { userId, person });
  const observations = one.tests.flatMap((test) => observationsOf(test, { value: VALUE, notes: ['Notezz'] }));
  const report = reportOf(one, { observations });
  await inTenant(service.app, team.tenant, (work) => receiveReport(work, report, { messageId: 'of a test' }));
  await service.settle();
  const failures = [
    await team.post('/v3/order', { user_id: userId, patient_details: { ...person, dob: 'Zweisteinqq' } }),
    await team.get(`/v3/orders?patient_name=Zweisteinqq&search_input=Quirinazz`),
    await team.get('/v2/user/resolve/Zweisteinqq'),
    await team.get('/Quirinazz/Zweisteinqq?email=quirinazz@zweisteinqq.example'),
    await service.client({ 'x-service-api-key': 'Zweisteinqq' }).get('/v2/user'),
  ];
  expect(failures.map(({ status }) => status)).toContain(422);
  service.clock.move(60_000);
  await service.settle();
}

/** An order and a result over MLLP, and the data of a wearable. */
async function useOutsideSystems(): Promise<void> {
  const team = await service.team('production');
  const userId = await team.user();
  const [test] = (await team.get('/v3/lab_tests?collection_method=walk_in_test')).json;
  const connection = await connectLab(team, {
    lab: test.lab.slug,
    outbound: 'mllp',
    host: '127.0.0.1',
    port: laboratory.port,
    uses_tls: false,
  });
  const body = { ...order(userId, test.id), patient_details: person, patient_address: home };
  expect((await team.post('/v3/order', body)).status).toBe(200);
  await service.settle();
  expect(laboratory.receivedMessages.join('')).toContain('Zweisteinqq');
  const text = resultText(connection, { name: 'Zweisteinqq^Quirinazz', value: VALUE });
  await sendLabMessage({ line, connection }, text);
  const other = await service.team();
  await setHistoricalDays(other, 3, oura);
  await connectUser({ service, team: other, standIn: oura }, await other.user());
  await service.settle();
}

const namesOf = ({ spans }: OtlpReceiver) => spans.map(({ name }) => name);
const isRequestTo =
  ({ url }: StandIn) =>
  ({ attributes }: OtlpSpan) =>
    attributes.some(({ key, value }) => key === 'server.port' && Number(value.intValue) === portOf(url));
const portOf = (url: string) => Number(new URL(url).port);

/** Uses every part of the service. */
const PATIENCE_MS = 180_000;

describe('logs, metrics and traces', { timeout: PATIENCE_MS }, () => {
  it('contain no name, address, e-mail, telephone number, date of birth or value of a patient', async () => {
    const team = await service.team();
    await useEverything(team);
    await useOutsideSystems();
    const traces = () => otlp.bodies.filter(({ path }) => path === '/v1/traces').map(({ text }) => text);
    await waitUntil(() => traces().join('').includes('job critical-results.open-record'));
    await waitUntil(() => otlp.spans.some(isRequestTo(oura)));
    const pushed = () => otlp.bodies.filter(({ path }) => path === '/v1/metrics').map(({ text }) => text);
    await waitUntil(() => pushed().at(-1)?.includes('aliquot.webhook.attempt.duration') === true);
    const exported = () => otlp.bodies.filter(({ path }) => path === '/v1/logs').map(({ text }) => text);
    await waitUntil(() => exported().join('').includes('/v3/order'));
    const sources = {
      log: log.join(''),
      traces: traces().join('\n'),
      pushed: pushed().join('\n'),
      exported: exported().join('\n'),
      metrics: await service.app.telemetry.metricsText(),
    };
    // The search is over signals of what was done.
    expect(sources.log).toContain('"route":"/v3/order"');
    expect(namesOf(otlp)).toEqual(
      expect.arrayContaining([
        'webhook delivery',
        'MLLP send',
        'MLLP receive',
        'INSERT event',
        'COMMIT',
        'SELECT lab_message',
      ]),
    );
    expect(sources.metrics).toContain('http_route="/v3/order"');
    expect(sources.metrics).toMatch(
      /^aliquot_provider_pull_duration_seconds_count\{aliquot_provider="oura",aliquot_result="done"\} \d/m,
    );
    for (const [name, text] of Object.entries(sources)) {
      expect(
        WORDS.filter((word) => occurs(word, text)),
        name,
      ).toEqual([]);
    }
  });

  it('name requests to providers by method and host only', () => {
    const [span] = otlp.spans.filter(isRequestTo(oura));
    expect(span?.name).toMatch(/^(GET|POST)$/);
    expect(span?.attributes.map(({ key }) => key).toSorted()).toEqual([
      'http.request.method',
      'http.response.status_code',
      'server.address',
      'server.port',
    ]);
  });

  it('name no tenant in a metric, so that their number does not grow with the teams', async () => {
    const text = await service.app.telemetry.metricsText();
    const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('target_info'));
    expect(samples.length).toBeGreaterThan(100);
    expect(samples.filter((line) => /[0-9a-f]{8}-[0-9a-f]{4}-/.test(line))).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { address, order, patient, physician } from './examples.ts';
import { findLabTestId } from './orders.ts';
import { openOtlpReceiver, type OtlpReceiver } from './otlp.ts';
import { observationsOf, placeOrder, reportOf } from './received-reports.ts';
import { inTenant } from '../src/app.ts';
import { receiveReport } from '../src/laboratories/incoming-results/incoming-results.ts';
import { openTestService, type TestService, type TestTeam } from './service.ts';
import { waitUntil } from './webhook-fixture.ts';

let otlp: OtlpReceiver;
let service: TestService;
const log: string[] = [];
beforeAll(async () => {
  otlp = await openOtlpReceiver();
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url,
    OTEL_BSP_SCHEDULE_DELAY: '20',
    OTEL_METRIC_EXPORT_INTERVAL: '200',
  };
  service = await openTestService(settings, { write: (line) => void log.push(line) });
});
afterAll(async () => {
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

describe('logs, metrics and traces', () => {
  it('contain no name, address, e-mail, telephone number, date of birth or value of a patient', async () => {
    const team = await service.team();
    await useEverything(team);
    const traces = () => otlp.bodies.filter(({ path }) => path === '/v1/traces').map(({ text }) => text);
    await waitUntil(() => traces().join('').includes('job critical-results.open-record'));
    const pushed = () => otlp.bodies.filter(({ path }) => path === '/v1/metrics').map(({ text }) => text);
    await waitUntil(() => pushed().at(-1)?.includes('aliquot.webhook.attempt.duration') === true);
    const sources = {
      log: log.join(''),
      traces: traces().join('\n'),
      pushed: pushed().join('\n'),
      metrics: await service.app.telemetry.metricsText(),
    };
    // The search is over signals of what was done.
    expect(sources.log).toContain('"route":"/v3/order"');
    expect(sources.traces).toContain('webhook delivery');
    expect(sources.metrics).toContain('http_route="/v3/order"');
    for (const [name, text] of Object.entries(sources)) {
      const found = WORDS.filter((word) => text.toLowerCase().includes(word.toLowerCase()));
      expect(found, name).toEqual([]);
    }
  });

  it('name no tenant in a metric, so that their number does not grow with the teams', async () => {
    const text = await service.app.telemetry.metricsText();
    const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('target_info'));
    expect(samples.length).toBeGreaterThan(100);
    expect(samples.filter((line) => /[0-9a-f]{8}-[0-9a-f]{4}-/.test(line))).toEqual([]);
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { order, registration, shipping } from '../../test/examples.ts';
import { findLabTestId } from '../../test/orders.ts';
import type { ApiResponse } from '../../test/service.ts';
import { useTestService, useTestTeam } from '../../test/service-hooks.ts';
import { DAY, SECOND } from '../platform/clock.ts';
import {
  factsAfter,
  canMove,
  machines,
  MODALITIES,
  publicStatus,
  STATUS_DETAILS,
  STEPS,
  type OrderFacts,
  type OrderModality,
  type OrderStep,
} from '../ordering/orders/status.ts';
import { SCENARIOS } from './scenarios.ts';

let userId: string;
let tests: Record<OrderModality, string>;

const service = useTestService();
const team = useTestTeam(service);
beforeAll(async () => {
  userId = await team.user('walker');
  const ids = await Promise.all(
    MODALITIES.map(async (modality) => [
      modality,
      (await team.get(`/v3/lab_tests?collection_method=${modality}`)).json[0].id,
    ]),
  );
  tests = Object.fromEntries(ids);
});

async function placed(modality: OrderModality): Promise<string> {
  const physician = { first_name: 'Mary', last_name: 'Putnam', npi: '1234567893' };
  const answer = await team.post('/v3/order', { ...order(userId, tests[modality]), physician });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json.order.id;
}

const simulate = (id: string, query = '', body?: object): Promise<ApiResponse> =>
  team.post(`/v3/order/${id}/test${query}`, body);
const read = async (id: string) => (await team.get(`/v3/order/${id}`)).json;
const stepsOf = ({ events }: { events: { status: string }[] }) =>
  events.map(({ status }) => status.split('.').at(-1));

/** When a specimen was collected, received and reported on, as the result tells it. */
async function momentsTold(id: string): Promise<string[]> {
  const { date_collected, date_received, date_reported } = (await team.get(`/v3/order/${id}/result`)).json
    .metadata;
  return [date_collected, date_received, date_reported];
}

/** Every step that an order of a known patient can come to without registration and import. */
function reachable(modality: OrderModality): OrderStep[] {
  const seen = new Map<string, OrderFacts>();
  const waiting: OrderFacts[] = [
    { modality, step: 'ordered', leg: 'stock', registrable: false, registered: false },
  ];
  for (let facts = waiting.pop(); facts; facts = waiting.pop()) {
    const key = `${facts.step} ${facts.leg}`;
    if (seen.has(key)) continue;
    seen.set(key, facts);
    for (const step of STEPS) if (canMove(facts, step)) waiting.push(factsAfter(facts, step));
  }
  return [...new Set([...seen.values()].map(({ step }) => step))].filter((step) => step !== 'ordered');
}

const everyStatus = MODALITIES.flatMap((modality) =>
  reachable(modality).map((step) => [modality, step] as const),
);

/** An order as an event carries it. */
interface DeliveredOrder {
  body: { data: { order_transaction: { status: string } } };
}

describe('a sandbox order', () => {
  it.each(everyStatus)('of %s is moved to %s by its public status', async (modality, step) => {
    const wished = publicStatus(modality, step);
    const answer = await simulate(await placed(modality), `?final_status=${wished}`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json.order.last_event.status).toBe(wished);
    expect(answer.json.order.status).toBe(machines[modality][step]?.top);
  });

  it.each(MODALITIES)(
    'of %s is completed when nothing is wished, and by the step alone',
    async (modality) => {
      expect((await simulate(await placed(modality))).json.order.status).toBe('completed');
      const answer = await simulate(await placed(modality), '?final_status=corrected');
      expect(answer.json.order.last_event.status).toBe(`completed.${modality}.corrected`);
    },
  );

  it('accepts the older status name of a registered kit', async () => {
    const kit = await team.post('/v3/order/testkit', {
      user_id: userId,
      lab_test_id: tests.testkit,
      shipping_details: shipping,
    });
    const { id, sample_id: sampleId } = kit.json.order;
    const refused = await simulate(id, '?final_status=received.testkit.registered');
    expect([refused.status, refused.json.detail]).toEqual([400, expect.stringContaining('not registered')]);
    await simulate(id, '?final_status=awaiting_registration');
    await team.post('/v3/order/testkit/register', registration(sampleId, userId));
    expect((await read(id)).last_event.status).toBe('received.testkit.testkit_registered');
    expect((await simulate(id)).json.order.status).toBe('completed');
  });

  it('explains that a kit with a known patient needs no registration', async () => {
    const id = await placed('testkit');
    for (const status of ['received.testkit.awaiting_registration', 'received.testkit.registered']) {
      expect(await simulate(id, `?final_status=${status}`)).toMatchObject({
        status: 409,
        json: { detail: expect.stringContaining('POST /v3/order/testkit creates a registrable kit') },
      });
    }
    expect((await simulate(id)).json.order.status).toBe('completed');
    expect((await simulate(id, '?final_status=lost')).json.detail).toBe(
      'Transition from completed to lost is not allowed',
    );
  });

  it('rejects a status of another modality, an unknown one, and an unreachable one', async () => {
    const id = await placed('on_site_collection');
    expect((await simulate(id, '?final_status=received.testkit.ordered')).status).toBe(400);
    const unknown = await simulate(id, '?final_status=lost_in_space');
    expect([unknown.status, unknown.json.detail[0].loc]).toEqual([422, ['query', 'final_status']]);
    expect((await simulate(id, '?final_status=lost')).status).toBe(409);
    expect((await simulate(id, '?final_status=ordered')).status).toBe(409);
    expect(stepsOf(await read(id))).toEqual(['ordered']);
  });

  it.each(MODALITIES)(
    'of %s has a report on a specimen that was taken before it came and was reported on',
    async (of) => {
      const id = await placed(of);
      await simulate(id, '?final_status=partial_results');
      await simulate(id);
      const first = await momentsTold(id);
      expect(first).not.toContain(null);
      expect(first.toSorted()).toEqual(first);
      service.clock.move(DAY);
      await simulate(id, '?final_status=corrected');
      const [collected, received, reported = ''] = await momentsTold(id);
      expect([collected, received]).toEqual(first.slice(0, 2));
      expect(reported > (first[2] ?? '')).toBe(true);
    },
  );

  it('takes one step at a time, towards completion or a status', async () => {
    const id = await placed('testkit');
    await simulate(id, '?step=true');
    expect(stepsOf(await read(id))).toEqual(['ordered', 'requisition_created']);
    await simulate(id, '?step=true&final_status=lost');
    await simulate(id, '?step=true&final_status=lost&delay=30');
    await service.settle();
    expect(stepsOf(await read(id))).toEqual(['ordered', 'requisition_created', 'transit_customer', 'lost']);
  });

  it.each(STATUS_DETAILS)('has the requested status detail: %s', async (detail) => {
    for (const step of ['lab_processing_blocked', 'sample_error']) {
      const answer = await simulate(await placed('testkit'), `?final_status=${step}&status_detail=${detail}`);
      expect(answer.json.order.last_event).toMatchObject({
        status_detail: detail,
        status: expect.stringContaining(step),
      });
    }
  });

  it('has a default status detail, and rejects one for other steps', async () => {
    const blocked = await simulate(await placed('testkit'), '?final_status=lab_processing_blocked');
    expect(blocked.json.order.last_event.status_detail).toBe('date_of_collection_unspecified');
    const refused = await simulate(await placed('testkit'), '?status_detail=sample_hemolyzed');
    expect([refused.status, refused.json.detail[0].loc]).toEqual([422, ['query', 'status_detail']]);
  });

  it('has the requested results', async () => {
    const id = await placed('walk_in_test');
    const flags = {
      interpretation: 'abnormal',
      result_types: ['numeric', 'range'],
      has_missing_results: true,
    };
    const done = await simulate(id, '', flags);
    expect(done.json.order).toMatchObject({ interpretation: 'abnormal', has_missing_results: true });
    const { results, missing_results: missing } = (await team.get(`/v3/order/${id}/result`)).json;
    expect(new Set(results.map(({ type }: { type: string }) => type))).toEqual(new Set(['numeric', 'range']));
    expect(missing.length).toBeGreaterThan(0);
  });

  it('cannot be simulated in production', async () => {
    const production = await service.team('production');
    const user = await production.user();
    const kit = await findLabTestId(production, 'testkit');
    const { id } = (await production.post('/v3/order', order(user, kit))).json.order;
    const answer = await production.post(`/v3/order/${id}/test`);
    expect([answer.status, answer.json.detail]).toEqual([400, 'Simulation is available in sandbox only']);
    expect(stepsOf((await production.get(`/v3/order/${id}`)).json)).toEqual(['ordered']);
  });
});

describe('a simulation with a delay', () => {
  const WAY = [
    'ordered',
    'requisition_created',
    'transit_customer',
    'with_customer',
    'transit_lab',
    'delivered_to_lab',
    'completed',
  ];

  const clockTo = (seconds: number) =>
    team.management.post(`/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/clock`, {
      advance_seconds: seconds,
    });

  it.each([-1, 61, 1.5])('of %s seconds is refused', async (delay) => {
    const answer = await simulate(await placed('testkit'), `?delay=${delay}`);
    expect([answer.status, answer.json.detail[0].loc]).toEqual([422, ['query', 'delay']]);
  });

  it('takes a step each time the sandbox clock advances by the delay', async () => {
    const id = await placed('testkit');
    await simulate(id, '?delay=60');
    for (let taken = 2; taken < WAY.length; taken += 1) {
      expect(stepsOf(await read(id))).toEqual(WAY.slice(0, taken));
      expect((await clockTo(59)).status).toBe(200);
      expect(stepsOf(await read(id))).toEqual(WAY.slice(0, taken));
      await clockTo(1);
    }
    expect(stepsOf(await read(id))).toEqual(WAY);
  });

  it('takes all steps in order, with their own times, when the clock is moved far ahead', async () => {
    const id = await placed('testkit');
    await simulate(id, '?delay=10', { interpretation: 'abnormal' });
    await clockTo(3600);
    const { events, interpretation } = await read(id);
    expect(stepsOf({ events })).toEqual(WAY);
    expect(interpretation).toBe('abnormal');
    const times = events.slice(1).map(({ created_at: at }: { created_at: string }) => Date.parse(at));
    expect(times.map((time: number) => (time - times[0]) / SECOND)).toEqual([0, 10, 20, 30, 40, 50]);
  });

  it('ends when the order is moved otherwise', async () => {
    const id = await placed('testkit');
    await simulate(id, '?delay=10');
    await team.post(`/v3/order/${id}/cancel`);
    await clockTo(100);
    expect(stepsOf(await read(id))).toEqual(['ordered', 'requisition_created', 'cancelled']);
  });

  it('takes each step once, even if its job runs twice', async () => {
    const { inTenant } = await import('../app.ts');
    const { enqueue } = await import('../platform/jobs/jobs.ts');
    const { advanceSimulation: walkOn } = await import('./simulation.ts');
    const id = await placed('walk_in_test');
    await simulate(id, '?final_status=partial_results');
    const { events } = await read(id);
    const again = {
      detail: null,
      interpretation: 'normal',
      result_types: null,
      has_missing_results: false,
      person: null,
    } as const;
    const input = {
      order_id: id,
      after_event: events.at(-1).id,
      plan: [{ to: 'partial_results' as const, ...again }],
      delay_seconds: 1,
      due_at: service.clock.now().toISOString(),
    };
    await inTenant(service.app, team.tenant, async (work) => {
      for (let time = 0; time < 3; time += 1) await enqueue(work, walkOn, input);
    });
    await service.settle();
    expect(stepsOf(await read(id)).filter((step) => step === 'partial_results')).toHaveLength(2);
  });
});

describe('the scenarios', () => {
  interface Told {
    name: string;
    title: string;
    modality: OrderModality;
    steps: {
      status: string;
      status_detail: string | null;
      interpretation: string | null;
      has_missing_results: boolean | null;
    }[];
  }
  const list = async (query = ''): Promise<Told[]> =>
    (await team.get(`/v3/order/simulation_scenarios${query}`)).json.scenarios;

  it('are listed with the steps of a new order', async () => {
    const scenarios = await list();
    expect(scenarios).toHaveLength(SCENARIOS.length);
    for (const { name, title, steps } of scenarios) {
      expect([name, title.length > 10, steps.length > 1]).toEqual([name, true, true]);
    }
    expect(scenarios.find(({ name }) => name === 'lost_in_mail')?.steps.map(({ status }) => status)).toEqual([
      'received.testkit.requisition_created',
      'collecting_sample.testkit.transit_customer',
      'failed.testkit.lost',
    ]);
  });

  it.each(MODALITIES)('are listed for %s alone', async (modality) => {
    const scenarios = await list(`?modality=${modality}`);
    expect(new Set(scenarios.map((one) => one.modality))).toEqual(new Set([modality]));
  });

  it('have unique names per modality', () => {
    const names = SCENARIOS.map(({ modality, name }) => `${modality} ${name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(SCENARIOS)('take the listed steps: $modality $name', async ({ modality, name }) => {
    const told = (await list()).find((one) => one.modality === modality && one.name === name);
    const answer = await simulate(await placed(modality), `?scenario=${name}`);
    expect(answer.status, answer.text).toBe(200);
    const { events, interpretation, has_missing_results: missing } = answer.json.order;
    const walked = events
      .slice(1)
      .map(({ status, status_detail: detail }: Record<string, unknown>) => ({ status, detail }));
    expect(walked).toEqual(told?.steps.map(({ status, status_detail: detail }) => ({ status, detail })));
    const last = told?.steps.at(-1);
    expect(interpretation).toBe(last?.interpretation ?? interpretation);
    expect(missing).toBe(last?.has_missing_results ?? missing);
  });

  it('can be simulated with a delay, and step by step', async () => {
    const id = await placed('testkit');
    await simulate(id, '?scenario=lost_in_mail&step=true');
    expect(stepsOf(await read(id))).toEqual(['ordered', 'requisition_created']);
    await simulate(id, '?scenario=lost_in_mail&delay=5');
    await team.management.post(`/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/clock`, {
      advance_seconds: 5,
    });
    expect(stepsOf(await read(id))).toEqual(['ordered', 'requisition_created', 'transit_customer', 'lost']);
  });

  it.each(SCENARIOS)('can be simulated in single steps: $modality $name', async ({ modality, name }) => {
    const told = (await list()).find((one) => one.modality === modality && one.name === name);
    const id = await placed(modality);
    for (const _step of told?.steps ?? []) await simulate(id, `?scenario=${name}&step=true`);
    const { events } = await read(id);
    expect(events.slice(1).map(({ status }: { status: string }) => status)).toEqual(
      told?.steps.map(({ status }) => status),
    );
    expect((await simulate(id, `?scenario=${name}&step=true`)).status).toBe(409);
  });

  it('continue for an order on their path, and start over for others', async () => {
    const done = await placed('on_site_collection');
    await simulate(done);
    const corrected = await simulate(done, '?scenario=corrected_result');
    expect(corrected.json.order.last_event.status).toBe('completed.on_site_collection.corrected');
    const arrived = await placed('testkit');
    await simulate(arrived, '?final_status=with_customer');
    expect((await simulate(arrived, '?scenario=lost_in_mail')).status).toBe(409);
    expect(stepsOf(await read(arrived)).at(-1)).toBe('with_customer');
  });

  it('are rejected for another modality, an unknown name, and together with a status', async () => {
    const id = await placed('on_site_collection');
    expect((await simulate(id, '?scenario=lost_in_mail')).status).toBe(400);
    const unknown = await simulate(id, '?scenario=zombies');
    expect([unknown.status, unknown.json.detail[0].loc]).toEqual([422, ['query', 'scenario']]);
    const both = await simulate(id, '?scenario=happy_path&final_status=completed');
    expect([both.status, both.json.detail[0].loc]).toEqual([422, ['query', 'scenario']]);
  });

  it('create a redraw order for missing markers', async () => {
    const all = (await team.get('/v3/lab_tests?collection_method=walk_in_test')).json;
    const drawnAgain = new Set(['labcorp', 'quest', 'bioreference']);
    const test = all.find(({ lab }: { lab: { slug: string } }) => drawnAgain.has(lab.slug));
    const physician = { first_name: 'Mary', last_name: 'Putnam', npi: '1234567893' };
    const log = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/event?event_type=labtest.order.*&limit=100`;
    await service.settle();
    const { latest } = (await team.management.get(log)).json;
    const placing = await team.post('/v3/order', { ...order(userId, test.id), physician });
    const { id } = placing.json.order;
    const answer = await simulate(id, '?scenario=redraw');
    const { orders, status } = (await read(id)).order_transaction;
    expect(status).toBe('active');
    expect(answer.json.order.order_transaction).toEqual((await read(id)).order_transaction);
    await service.settle();
    const { data: told } = (await team.management.get(`${log}&after=${latest}`)).json;
    // Not for a moment is it over: the redraw is under way when the initial order ends.
    expect(told.length).toBeGreaterThan(2);
    for (const { body } of told as DeliveredOrder[])
      expect(body.data.order_transaction.status).toBe('active');
    expect(orders).toMatchObject([
      { id, low_level_status: 'redraw_available', origin: 'initial' },
      { low_level_status: 'ordered', origin: 'redraw', parent_id: id },
    ]);
    expect((await simulate(orders[1].id)).json.order.status).toBe('completed');
    expect((await read(id)).order_transaction.status).toBe('completed');
  });

  it('emit an event for a critical result', async () => {
    const own = await service.team();
    const endpoint = await own.endpoint({ filter_types: ['labtest.result.critical'] });
    const kit = await findLabTestId(own, 'testkit');
    const { id } = (await own.post('/v3/order', order(await own.user(), kit))).json.order;
    await own.post(`/v3/order/${id}/test?scenario=critical_result`);
    await service.settle();
    expect(endpoint.received).toHaveLength(1);
  });
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { order } from '../../../test/examples.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { connectLab } from '../../../test/laboratory.ts';
import { createPlacerNumber } from '../../adapters/lab-network/hl7/placer.ts';
import {
  startSimulatedLaboratory,
  type SimulatedLaboratory,
} from '../../adapters/lab-network/hl7/simulated-laboratory.ts';

const physicians = [{ first_name: 'Mary', last_name: 'Putnam', npi: '1003000126', licensed_states: [] }];
/** Sooner than a laboratory is given up that does not answer. */
const PATIENCE = { timeout: 25_000 };

let service: TestService;
let team: TestTeam;
const open: SimulatedLaboratory[] = [];
beforeAll(async () => {
  service = await openTestService({
    PHYSICIANS: JSON.stringify(physicians),
    LAB_ALLOW_PRIVATE_HOSTS: 'true',
  });
  team = await service.team('production');
});
afterAll(async () => {
  await Promise.all(open.map((laboratory) => laboratory.close()));
  await service.close();
});

interface OrderableTest {
  readonly id: string;
  readonly method: string;
  readonly lab: { readonly slug: string };
}

/** A laboratory of the team behind a socket of its own, and a test that it does. */
async function connected(test: OrderableTest): Promise<SimulatedLaboratory> {
  const laboratory = await startSimulatedLaboratory({
    now: () => service.clock.now(),
    findTest: () => undefined,
  });
  open.push(laboratory);
  const { port } = laboratory;
  const line = { lab: test.lab.slug, outbound: 'mllp', host: '127.0.0.1', port, uses_tls: false };
  await connectLab(team, line);
  return laboratory;
}

async function place({ id }: OrderableTest): Promise<string> {
  const placed = await team.post('/v3/order', order(await team.user(), id));
  if (placed.status !== 200) throw new Error(placed.text);
  return placed.json.order.id;
}

it('a laboratory that never answers does not block other laboratories', async () => {
  const tests: OrderableTest[] = (await team.get('/v3/lab_tests')).json;
  const [slow] = tests.filter(({ method }) => method === 'walk_in_test');
  const quick = tests.find(({ lab }) => lab.slug !== slow?.lab.slug);
  if (!slow || !quick) throw new Error('Expected tests of two laboratories');
  const silent = await connected(slow);
  silent.setAcknowledgement(null);
  await connected(quick);
  for (let n = 0; n < 6; n += 1) await place(slow);
  await expect.poll(() => silent.receivedMessages.length, PATIENCE).toBe(4);
  const id = await place(quick);
  const sampleOf = async () => (await team.get(`/v3/order/${id}`)).json.sample_id;
  await expect.poll(sampleOf, PATIENCE).toBe(createPlacerNumber(id));
  expect(silent.receivedMessages).toHaveLength(4);
});

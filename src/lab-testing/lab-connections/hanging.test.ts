import { afterAll, beforeAll, expect, it } from 'vitest';
import { order } from '../../../test/examples.ts';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { connectLab } from '../../../test/laboratory.ts';
import { placerNumber } from '../../adapters/lab-network/hl7/placer.ts';
import {
  openSimulatedLaboratory,
  type SimulatedLaboratory,
} from '../../adapters/lab-network/hl7/simulated-laboratory.ts';

const physicians = [{ first_name: 'Mary', last_name: 'Putnam', npi: '1003000126', licensed_states: [] }];
/** Sooner than a laboratory is given up that does not answer. */
const PATIENCE = { timeout: 25_000 };

let house: House;
let team: TeamInHand;
const open: SimulatedLaboratory[] = [];
beforeAll(async () => {
  house = await openHouse({ PHYSICIANS: JSON.stringify(physicians), LAB_ALLOW_PRIVATE_HOSTS: 'true' });
  team = await house.team('production');
});
afterAll(async () => {
  await Promise.all(open.map((laboratory) => laboratory.close()));
  await house.close();
});

interface Test {
  readonly id: string;
  readonly method: string;
  readonly lab: { readonly slug: string };
}

/** A laboratory of the team behind a socket of its own, and a test that it does. */
async function connected(test: Test): Promise<SimulatedLaboratory> {
  const laboratory = await openSimulatedLaboratory({
    now: () => house.clock.now(),
    testOf: () => undefined,
  });
  open.push(laboratory);
  const { port } = laboratory;
  const line = { lab: test.lab.slug, outbound: 'mllp', host: '127.0.0.1', port, uses_tls: false };
  await connectLab(team, line);
  return laboratory;
}

async function place({ id }: Test): Promise<string> {
  const placed = await team.post('/v3/order', order(await team.user(), id));
  if (placed.status !== 200) throw new Error(placed.text);
  return placed.json.order.id;
}

it('a laboratory that takes orders and never answers holds up no other one', async () => {
  const tests: Test[] = (await team.get('/v3/lab_tests')).json;
  const [slow] = tests.filter(({ method }) => method === 'walk_in_test');
  const quick = tests.find(({ lab }) => lab.slug !== slow?.lab.slug);
  if (!slow || !quick) throw new Error('Expected tests of two laboratories');
  const silent = await connected(slow);
  silent.answerWith(null);
  await connected(quick);
  for (let n = 0; n < 6; n += 1) await place(slow);
  await expect.poll(() => silent.heard.length, PATIENCE).toBe(4);
  const id = await place(quick);
  const sampleOf = async () => (await team.get(`/v3/order/${id}`)).json.sample_id;
  await expect.poll(sampleOf, PATIENCE).toBe(placerNumber(id));
  expect(silent.heard).toHaveLength(4);
});

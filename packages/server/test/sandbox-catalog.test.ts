import { describe, expect, it } from 'vitest';
import { readCatalogSeed } from '../src/ordering/catalog/seed/seed.ts';
import { home } from './appointments.ts';
import { address, order } from './examples.ts';
import { useTestService, useTestTeam } from './service-hooks.ts';

interface CatalogTest {
  readonly id: string;
  readonly slug: string;
  readonly method: string;
  readonly lab: { readonly slug: string };
  readonly markers: readonly { readonly id: number }[];
}

/** What the shipped catalog announces for a marker. */
const shipped = new Map(
  readCatalogSeed(new URL('../data/catalog/', import.meta.url)).markers.map((marker) => [
    marker.id,
    marker.expected_results,
  ]),
);

const service = useTestService();
/** Nothing is set up: these are the lab tests, the lab accounts and the physicians of a new sandbox. */
const team = useTestTeam(service);

const listTests = async (): Promise<CatalogTest[]> => (await team.get('/v3/lab_tests')).json;

describe('a new sandbox', () => {
  it('has lab tests for every collection method, at every laboratory', async () => {
    const tests = await listTests();
    expect(tests.length).toBeGreaterThanOrEqual(15);
    const countOf = (method: string) => tests.filter((test) => test.method === method).length;
    expect({
      testkit: countOf('testkit'),
      walk_in_test: countOf('walk_in_test'),
      at_home_phlebotomy: countOf('at_home_phlebotomy'),
      on_site_collection: countOf('on_site_collection'),
    }).toEqual({ testkit: 10, walk_in_test: 12, at_home_phlebotomy: 3, on_site_collection: 3 });
    const labs = (await team.get('/v3/lab_tests/labs')).json.map(({ slug }: { slug: string }) => slug);
    expect(new Set(tests.map(({ lab }) => lab.slug))).toEqual(new Set(labs));
  });

  it('has physicians, lab accounts and payors', async () => {
    const physicians = (await team.get(`/v2/team/${team.tenant.teamId}/physicians`)).json;
    expect(physicians).toEqual([
      { first_name: 'Rebecca', last_name: 'Sandbox', npi: '1000000004' },
      { first_name: 'James', last_name: 'Sandbox', npi: '1000000012' },
    ]);
    const accounts: { lab: string; status: string }[] = (await team.get('/v3/lab_test/lab_account')).json
      .data;
    const active = accounts.filter(({ status }) => status === 'active').map(({ lab }) => lab);
    expect(new Set(active)).toEqual(new Set(['labcorp', 'quest', 'sonora_quest', 'bioreference']));
    const payors = (await team.get('/v3/insurance/search/payor?insurance_name=aetna')).json;
    expect(payors.length).toBeGreaterThan(0);
  });
});

describe('every lab test of a new sandbox', () => {
  it('can be ordered, booked and driven to its final result', async () => {
    const tests = await listTests();
    const faults: [string, string[]][] = [];
    for (const test of tests) faults.push([test.slug, await driveToResult(test)]);
    expect(faults).toEqual(tests.map(({ slug }) => [slug, []]));
  });
});

/** Takes an order of this lab test to its final result; returns everything that went wrong. */
async function driveToResult(test: CatalogTest): Promise<string[]> {
  const [physician] = (await team.get(`/v2/team/${team.tenant.teamId}/physicians`)).json;
  const patient_address = isInArizona(test) ? PHOENIX : address;
  const placed = await team.post('/v3/order', {
    ...order(await team.user(), test.id),
    patient_address,
    // The accounts with these laboratories are delegated: the team's own physician signs.
    ...(BOOKABLE_LABS.has(test.lab.slug) ? { physician } : {}),
  });
  if (placed.status !== 200) return [`order: ${placed.text}`];
  const { id } = placed.json.order;
  const booked = await bookIfPossible(test, id);
  const simulated = await team.post(`/v3/order/${id}/test?final_status=completed`);
  if (simulated.status !== 200) return [...booked, `simulation: ${simulated.text}`];
  const { status, last_event } = (await team.get(`/v3/order/${id}`)).json;
  const { results, metadata } = (await team.get(`/v3/order/${id}/result`)).json;
  return [
    ...booked,
    ...(status === 'completed' && last_event.status.endsWith('completed') ? [] : [`status ${status}`]),
    ...(metadata.status === 'final' ? [] : [`result ${metadata.status}`]),
    ...resultFaults(test, results),
  ];
}

const BOOKABLE_LABS = new Set(['quest', 'sonora_quest']);

/** Sonora Quest has its centers in Arizona. */
const PHOENIX = {
  ...address,
  first_line: '100 Van Buren Street',
  city: 'Phoenix',
  state: 'AZ',
  zip: '85004',
};
const isInArizona = ({ lab }: CatalogTest): boolean => lab.slug === 'sonora_quest';

/** Books a visit at a center or at home, where the laboratory has bookable times. */
async function bookIfPossible(test: CatalogTest, id: string): Promise<string[]> {
  const { method, lab } = test;
  const isAtCenter = method === 'walk_in_test' && BOOKABLE_LABS.has(lab.slug);
  if (!isAtCenter && method !== 'at_home_phlebotomy') return [];
  const kind = isAtCenter ? 'psc' : 'phlebotomy';
  const ready = await team.post(`/v3/order/${id}/test?final_status=requisition_created`);
  if (ready.status !== 200) return [`requisition: ${ready.text}`];
  const free = isAtCenter
    ? await team.post(
        `/v3/order/psc/appointment/availability?lab=${lab.slug}&zip_code=${isInArizona(test) ? PHOENIX.zip : address.zip}&radius=10`,
      )
    : await team.post('/v3/order/phlebotomy/appointment/availability', home);
  if (free.status !== 200) return [`availability: ${free.text}`];
  const booking_key = free.json.slots[1]?.slots[0]?.booking_key;
  const booked = await team.post(`/v3/order/${id}/${kind}/appointment/book`, { booking_key });
  return booked.status === 200 ? [] : [`booking: ${booked.text}`];
}

interface ResultView {
  readonly slug: string;
  readonly result: string;
  readonly unit: string | null;
  readonly loinc: string | null;
  readonly provider_id: string;
}

/** Every required result has come, with the unit and the LOINC code that the catalog announces. */
function resultFaults({ slug, markers }: CatalogTest, results: readonly ResultView[]): string[] {
  const expected = markers.flatMap(({ id }) => shipped.get(id) ?? []);
  if (expected.length === 0) return [`${slug} expects no results`];
  return expected.flatMap((wanted) => {
    const found = results.find(({ provider_id }) => provider_id === wanted.provider_id);
    if (!found) return wanted.required ? [`no result ${wanted.name}`] : [];
    const unit = wanted.measure.kind === 'numeric' ? wanted.measure.unit : null;
    return [
      ...(found.result === '' ? [`empty ${found.slug}`] : []),
      ...(found.loinc === (wanted.loinc?.code ?? null) ? [] : [`${found.slug} has LOINC ${found.loinc}`]),
      ...(found.unit === unit ? [] : [`${found.slug} is in ${found.unit}, not ${unit}`]),
    ];
  });
}

import { describe, expect, it } from 'vitest';
import { address, patient, shipping } from '../../test/examples.ts';
import { createOrder, findLabTestId, simulateOrder } from '../../test/orders.ts';
import type { TestTeam } from '../../test/service.ts';
import { useTestService, useTestTeam } from '../../test/service-hooks.ts';
import { readPdf, pdfText } from '../../test/pdf.ts';
import { COLLECTION_METHODS } from '../ordering/catalog/schema.ts';
import { publicUrl } from '../platform/public-url.ts';
import { formatUnit } from './format.ts';

const service = useTestService();
const team = useTestTeam(service);

async function fetchPdf(path: string, by: TestTeam = team): Promise<Buffer> {
  const headers = { 'x-service-api-key': by.key };
  const answer = await service.http.server.inject({ method: 'GET', url: path, headers });
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`);
  expect(answer.headers['content-type']).toBe('application/pdf');
  expect(answer.headers['content-disposition']).toMatch(/^inline; filename="[a-z-]+[0-9a-f-]{36}\.pdf"$/);
  return answer.rawPayload;
}

async function insured(payorCode: string): Promise<string> {
  const user = await team.user();
  const person = { ...patient, address: { ...address, receiver_name: undefined } };
  const answer = await team.post(`/v2/user/${user}/insurance`, {
    payor_code: payorCode,
    member_id: '1EG4-TE5-MK73',
    group_id: 'G-77',
    relationship: 'Spouse',
    insured: { ...person, first_name: 'Charles', last_name: 'Babbage' },
    guarantor: { ...person, first_name: 'Charles', last_name: 'Babbage' },
  });
  if (answer.status !== 200) throw new Error(answer.text);
  return user;
}

const billed = (user: string, icdCodes: string[]) => ({
  user_id: user,
  billing_type: 'commercial_insurance',
  icd_codes: icdCodes,
});

/** An order that the laboratory has already, billed to the user's insurance as the laboratory does. */
async function imported(user: string, sampleId = 'L-4711'): Promise<string> {
  const answer = await team.post('/v3/order/import', {
    user_id: user,
    billing_type: 'commercial_insurance',
    order_set: { lab_test_ids: [await findLabTestId(team, 'walk_in_test')] },
    collection_method: 'walk_in_test',
    patient_details: patient,
    patient_address: address,
    sample_id: sampleId,
  });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json.order.id;
}

describe('a requisition', () => {
  it('is available at the URL on the order, once there is one', async () => {
    const receiver = await team.endpoint({ filter_types: ['labtest.order.*'] });
    const id = await createOrder(team, 'walk_in_test');
    const said = async () => (await team.get(`/v3/order/${id}`)).json.requisition_form_url;
    expect(await said()).toBeNull();
    await simulateOrder(team, id, 'requisition_created');
    const url = publicUrl(service.app.config, `/v3/order/${id}/requisition/pdf`);
    expect(await said()).toBe(url);
    const [listed] = (await team.get(`/v3/orders?order_ids=${id}`)).json.orders;
    expect(listed.requisition_form_url).toBe(url);
    await service.settle();
    expect(receiver.received.map(({ body }) => body.data.requisition_form_url)).toEqual([null, url]);
    expect(pdfText(await fetchPdf(new URL(url).pathname))).toContain('Ada');
    const brought = await imported(await insured('AQ-00001'), 'L-4712');
    expect((await team.get(`/v3/order/${brought}`)).json.requisition_form_url).toBeNull();
  });

  it('contains patient, physician, tests and billing', async () => {
    const user = await insured('AQ-00001');
    const id = await createOrder(team, 'walk_in_test', {
      ...billed(user, ['E11.9', 'E78.5']),
      priority: true,
      clinical_notes: 'Fatigue for three weeks; TSH \u2265 4.5 last year.',
      physician: { first_name: 'Mary', last_name: 'Putnam', npi: '1234567893' },
    });
    await simulateOrder(team, id, 'requisition_created');
    const view = (await team.get(`/v3/order/${id}`)).json;
    const text = pdfText(await fetchPdf(`/v3/order/${id}/requisition/pdf`));
    for (const marker of view.lab_test.markers) {
      expect(text).toContain(marker.provider_id);
      expect(text).toContain(marker.name);
    }
    // prettier-ignore
    for (const said of [
      view.sample_id, 'Lovelace, Ada', '12/10/1985', 'Female', '548 Market Street', 'San Francisco, CA 94104', '+14155550132',
      'Putnam, Mary', '1234567893', 'SANDBOX-001', 'STAT', 'Fasting', 'Required',
      'UnitedHealthcare', '1EG4-TE5-MK73', 'G-77', 'Babbage, Charles', 'Spouse',
      'E11.9', 'Type 2 diabetes mellitus without complications', 'E78.5',
      'Is the patient fasting?', 'Sandbox account. Fax critical values to the ordering physician.',
      'Fatigue for three weeks; TSH >= 4.5 last year.', 'Date collected', 'Page 1 of',
    ]) expect(text).toContain(said);
  });

  it('prints answers as words, not codes', async () => {
    const id = await createOrder(team, 'walk_in_test');
    await simulateOrder(team, id, 'requisition_created');
    const lines = pdfText(await fetchPdf(`/v3/order/${id}/requisition/pdf`)).split('\n');
    expect(lines.some((line) => line.endsWith('Is the patient fasting? Yes'))).toBe(true);
  });

  it('has comments only for laboratories that print them', async () => {
    const id = await createOrder(team, 'testkit', { clinical_notes: 'Nobody prints this.' });
    await simulateOrder(team, id, 'requisition_created');
    expect(pdfText(await fetchPdf(`/v3/order/${id}/requisition/pdf`))).not.toContain('Nobody prints this.');
  });

  it('is a 404 before there is a requisition', async () => {
    const id = await createOrder(team, 'walk_in_test');
    const early = await team.get(`/v3/order/${id}/requisition/pdf`);
    expect(early).toMatchObject({ status: 404, json: { detail: expect.stringContaining('Requisition') } });
    expect(early.headers['content-type']).toContain('application/json');
    await simulateOrder(team, id, 'requisition_created');
    expect((await team.get(`/v3/order/${id}/requisition/pdf`)).status).toBe(200);
  });

  it('is marked for a cancelled order', async () => {
    const id = await createOrder(team, 'walk_in_test');
    await simulateOrder(team, id, 'requisition_created');
    await team.post(`/v3/order/${id}/cancel`);
    expect(pdfText(await fetchPdf(`/v3/order/${id}/requisition/pdf`))).toContain('CANCELLED');
  });

  it('of a hundred tests spans numbered pages with patient and table header on each', async () => {
    const known = '/v3/lab_tests/markers?lab_slug=labcorp&a_la_carte_enabled=true&size=100';
    const pagesOf = await Promise.all([1, 2, 3].map((page) => team.get(`${known}&page=${page}`)));
    const asked = pagesOf
      .flatMap(({ json }) => json.markers)
      .filter((marker: { aoe: unknown }) => marker.aoe === null)
      .slice(0, 100);
    const id = await createOrder(team, 'walk_in_test', {
      lab_test_id: undefined,
      collection_method: 'walk_in_test',
      order_set: { add_on: { marker_ids: asked.map((marker: { id: number }) => marker.id) } },
    });
    await simulateOrder(team, id, 'requisition_created');
    const pages = readPdf(await fetchPdf(`/v3/order/${id}/requisition/pdf`));
    expect(asked).toHaveLength(100);
    expect(pages).toHaveLength(4);
    pages.forEach((page, index) => {
      expect(page.lines.at(-1)).toContain(`Page ${index + 1} of ${pages.length}`);
      expect(page.lines.join('\n')).toContain('Lovelace, Ada');
    });
    expect(pages[1]?.lines[1]).toContain('Laboratory code');
    const codes = pages.flatMap(({ lines }) => lines).join('\n');
    for (const marker of asked) expect(codes).toContain(marker.provider_id);
  });

  it('is byte-identical on every request', async () => {
    const id = await createOrder(team, 'walk_in_test');
    await simulateOrder(team, id, 'requisition_created');
    const first = await fetchPdf(`/v3/order/${id}/requisition/pdf`);
    service.clock.move(1000);
    expect((await fetchPdf(`/v3/order/${id}/requisition/pdf`)).equals(first)).toBe(true);
  });
});

describe('labels', () => {
  it('have the requested number, the label size and the local collection time', async () => {
    const id = await createOrder(team, 'walk_in_test');
    await simulateOrder(team, id, 'requisition_created');
    const { sample_id: sampleId } = (await team.get(`/v3/order/${id}`)).json;
    const when = encodeURIComponent('2026-03-02T09:30:00-08:00');
    const pages = readPdf(
      await fetchPdf(`/v3/order/${id}/labels/pdf?collection_date=${when}&number_of_labels=5`),
    );
    expect(pages.map(({ width, height }) => [width, height])).toEqual(Array(5).fill([189, 72]));
    expect(pages[4]?.lines).toEqual([
      'Lovelace, Ada',
      'DOB 12/10/1985 Sex F',
      'Collected 03/02/2026 09:30',
      expect.stringContaining('SANDBOX-001'),
      `${sampleId} 5 of 5`,
    ]);
  });

  it('default to three, and require the collection date', async () => {
    const id = await createOrder(team, 'walk_in_test');
    await simulateOrder(team, id, 'requisition_created');
    const path = `/v3/order/${id}/labels/pdf`;
    expect(readPdf(await fetchPdf(`${path}?collection_date=2026-03-02T09:30:00Z`))).toHaveLength(3);
    expect((await team.get(path)).json.detail[0].loc).toEqual(['query', 'collection_date']);
    const many = `${path}?collection_date=2026-03-02T09:30:00Z&number_of_labels=101`;
    expect((await team.get(many)).json.detail[0].loc).toEqual(['query', 'number_of_labels']);
  });

  it('are a 404 without a sample id', async () => {
    const id = await createOrder(team, 'walk_in_test');
    const early = await team.get(`/v3/order/${id}/labels/pdf?collection_date=2026-03-02T09:30:00Z`);
    expect(early.status).toBe(404);
  });
});

describe('an advance notice', () => {
  const MEDICARE = 'AQ-00097';

  it('is required if Medicare is billed for a routine examination', async () => {
    const id = await createOrder(team, 'walk_in_test', billed(await insured(MEDICARE), ['Z00.00']));
    expect((await team.get(`/v3/order/${id}`)).json.has_abn).toBe(true);
    const text = pdfText(await fetchPdf(`/v3/order/${id}/abn_pdf`));
    for (const said of [
      'CMS-R-131',
      'Lovelace, Ada',
      '1EG4-TE5-MK73',
      'Z00.00',
      'Option 1.',
      'Option 3.',
      'Total',
    ]) {
      expect(text).toContain(said);
    }
  });

  it('is required for a redraw like for its initial order', async () => {
    const id = await createOrder(team, 'walk_in_test', billed(await insured(MEDICARE), ['Z00.00']));
    await simulateOrder(team, id, 'redraw_available', { interpretation: 'normal' });
    const { orders } = (await team.get(`/v3/order/${id}`)).json.order_transaction;
    const redraw = orders.find(({ origin }: { origin: string }) => origin === 'redraw').id;
    expect((await team.get(`/v3/order/${redraw}`)).json.has_abn).toBe(true);
    expect(pdfText(await fetchPdf(`/v3/order/${redraw}/abn_pdf`))).toContain('Z00.00');
  });

  it('is not required for a supporting diagnosis, another payor, or without insurance', async () => {
    const orders = [
      await createOrder(team, 'walk_in_test', billed(await insured(MEDICARE), ['Z00.00', 'E11.9'])),
      await createOrder(team, 'walk_in_test', billed(await insured('AQ-00001'), ['Z00.00'])),
      await createOrder(team, 'walk_in_test'),
      await imported(await insured(MEDICARE)),
    ];
    for (const id of orders) {
      expect((await team.get(`/v3/order/${id}`)).json.has_abn).toBe(false);
      expect(await team.get(`/v3/order/${id}/abn_pdf`)).toMatchObject({
        status: 404,
        json: { detail: 'ABN not found: this order does not need one' },
      });
    }
  });
});

describe('collection instructions', () => {
  it.each([
    ['testkit', 'Collect blood from a finger', 'You do not have to be fasting'],
    ['walk_in_test', 'Before your visit', 'This test needs you to be fasting'],
    ['at_home_phlebotomy', 'Before the phlebotomist comes', 'You do not have to be fasting'],
    ['on_site_collection', 'Before your collection', 'This test needs you to be fasting'],
  ])('for %s tell the patient what to do', async (method, step, fasting) => {
    const id = await createOrder(team, method);
    const text = pdfText(await fetchPdf(`/v3/order/${id}/collection_instruction_pdf`));
    for (const said of [step, fasting, 'Ada Lovelace', 'What is measured']) expect(text).toContain(said);
  });

  it('are available exactly where a lab test says so', async () => {
    const tests = (await team.get('/v3/lab_tests')).json as {
      id: string;
      method: string;
      has_collection_instructions: boolean;
    }[];
    const byMethod = new Map(tests.map((test) => [test.method, test]));
    expect([...byMethod.keys()].toSorted()).toEqual([...COLLECTION_METHODS].toSorted());
    for (const { id, has_collection_instructions: isSaid } of byMethod.values()) {
      const { status } = await team.get(`/v3/lab_test/${id}/collection_instruction_pdf`);
      expect([id, status]).toEqual([id, isSaid ? 200 : 404]);
    }
  });

  it('of a lab test name no patient', async () => {
    const text = pdfText(
      await fetchPdf(`/v3/lab_test/${await findLabTestId(team, 'testkit')}/collection_instruction_pdf`),
    );
    expect(text).toContain('Collect blood from a finger');
    expect(text).not.toContain('Lovelace');
  });

  it('are available for an unregistered kit', async () => {
    const answer = await team.post('/v3/order/testkit', {
      user_id: await team.user(),
      lab_test_id: await findLabTestId(team, 'testkit'),
      shipping_details: shipping,
    });
    const path = `/v3/order/${answer.json.order.id}/collection_instruction_pdf`;
    expect(pdfText(await fetchPdf(path))).toContain(answer.json.order.sample_id);
  });
});

describe('a report of results', () => {
  it('has every value with its unit, range and flag', async () => {
    const id = await createOrder(team, 'walk_in_test');
    await simulateOrder(team, id, 'completed', { interpretation: 'critical' });
    const { results, metadata } = (await team.get(`/v3/order/${id}/result`)).json;
    const pages = readPdf(await fetchPdf(`/v3/order/${id}/result/pdf`));
    const lines = pages.flatMap((page) => page.lines);
    for (const { name, result, unit, reference_range: range } of results.slice(0, 40)) {
      // A long name goes over two lines, and its value stands in the first one.
      const start = name.split(' ').slice(0, 3).join(' ');
      const beginnings = lines.filter((each) => each.startsWith(start) && each.includes(result));
      // Two results may begin alike and be alike: MCH and MCHC.
      const line = beginnings.find((each) => each.includes(range ?? ''));
      expect([name, line]).toEqual([name, expect.stringContaining(result)]);
      expect(line).toContain(range ?? '');
      expect(line).toContain(formatUnit(unit ?? ''));
    }
    const text = lines.join('\n');
    for (const said of ['CRITICAL RESULT', 'FINAL', metadata.specimen_number, 'Lovelace, Ada', 'C H']) {
      expect(text).toContain(said);
    }
  });

  it('shows that it is corrected and its version, and keeps older versions', async () => {
    const id = await createOrder(team, 'walk_in_test');
    await simulateOrder(team, id, 'completed', { has_missing_results: true });
    await simulateOrder(team, id, 'corrected');
    const path = `/v3/order/${id}/result/pdf`;
    const newest = pdfText(await fetchPdf(path));
    expect(newest).toContain('Corrected report');
    expect(newest).toContain('It replaces version 1');
    const older = pdfText(await fetchPdf(`${path}?version=1`));
    expect(older).toContain('FINAL · version 1');
    expect(older).toContain('Ordered and not reported');
    expect((await team.get(`${path}?version=9`)).status).toBe(404);
  });

  it('of a transaction has the newest results of its orders', async () => {
    const id = await createOrder(team, 'walk_in_test');
    await simulateOrder(team, id, 'completed', { interpretation: 'abnormal' });
    const transaction = (await team.get(`/v3/order/${id}`)).json.order_transaction.id;
    const text = pdfText(await fetchPdf(`/v3/order_transaction/${transaction}/result/pdf`));
    for (const said of ['Lovelace, Ada', 'all orders of this test', transaction, 'Overall: Abnormal']) {
      expect(text).toContain(said);
    }
  });

  it('is a 404 before the laboratory has reported', async () => {
    const id = await createOrder(team, 'walk_in_test');
    expect(await team.get(`/v3/order/${id}/result/pdf`)).toMatchObject({
      status: 404,
      json: { detail: 'Results not found' },
    });
  });
});

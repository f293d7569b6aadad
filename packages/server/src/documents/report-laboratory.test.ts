import { describe, expect, it } from 'vitest';
import { patient, physician } from '../../test/examples.ts';
import { connectLab } from '../../test/laboratory.ts';
import { createOrder, simulateOrder } from '../../test/orders.ts';
import { pdfText } from '../../test/pdf.ts';
import { useTestService, useTestTeam } from '../../test/service-hooks.ts';
import { HOUR } from '../platform/clock.ts';
import type { ReportedRow } from './report-rows.ts';

const service = useTestService();
const team = useTestTeam(service);

async function fetchText(path: string): Promise<string> {
  const headers = { 'x-service-api-key': team.key };
  const answer = await service.http.server.inject({ method: 'GET', url: path, headers });
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return pdfText(answer.rawPayload);
}

const findMarker = async (name: string): Promise<number> => {
  const { json } = await team.get(`/v3/lab_tests/markers?lab_slug=labcorp&name=${name}&size=100`);
  const found = json.markers.find((marker: { name: string }) => marker.name === name);
  if (!found) throw new Error(`No ${name}`);
  return found.id;
};

/** A walk-in order of two markers for a patient born in 1991. */
const orderMarkers = async (gender: string): Promise<string> =>
  createOrder(team, 'walk_in_test', {
    lab_test_id: undefined,
    collection_method: 'walk_in_test',
    order_set: {
      add_on: { marker_ids: [await findMarker('Testosterone, Total'), await findMarker('Hemoglobin')] },
    },
    patient_details: { ...patient, dob: '1991-12-10', gender },
    physician,
  });

describe('the report of a walk-in order', () => {
  it('shows when the specimen was collected, received and reported, as the API does', async () => {
    const id = await createOrder(team, 'walk_in_test', { physician });
    service.clock.move(48 * HOUR);
    await simulateOrder(team, id, 'completed');
    const reported = service.clock.now().getTime();
    const { metadata } = (await team.get(`/v3/order/${id}/result`)).json;
    expect(Date.parse(metadata.date_collected)).toBe(reported - 26 * HOUR);
    expect(Date.parse(metadata.date_received)).toBe(reported - 20 * HOUR);
    const print = (time: number) => {
      const [day = '', clock = ''] = new Date(time).toISOString().split('T');
      return `${day.slice(5, 7)}/${day.slice(8)}/${day.slice(0, 4)} ${clock.slice(0, 5)} UTC`;
    };
    const times = [reported - 26 * HOUR, reported - 20 * HOUR, reported].map(print);
    expect(await fetchText(`/v3/order/${id}/result/pdf`)).toContain(times.join(' '));
  });

  it('was never collected before it was ordered', async () => {
    const id = await createOrder(team, 'walk_in_test');
    service.clock.move(22 * HOUR);
    await simulateOrder(team, id, 'completed');
    const { metadata } = (await team.get(`/v3/order/${id}/result`)).json;
    const ordered = Date.parse((await team.get(`/v3/order/${id}`)).json.created_at);
    expect(Date.parse(metadata.date_collected)).toBe(ordered);
    expect(Date.parse(metadata.date_received)).toBe(ordered + 2 * HOUR);
  });

  it('names the laboratory with its address, CLIA number and director, all fictional in a sandbox', async () => {
    const id = await createOrder(team, 'walk_in_test', { physician });
    await simulateOrder(team, id, 'completed');
    const { metadata } = (await team.get(`/v3/order/${id}/result`)).json;
    expect(metadata['clia_#']).toBe('00D0000001');
    const transaction = (await team.get(`/v3/order/${id}`)).json.order_transaction.id;
    for (const path of [`/v3/order/${id}`, `/v3/order_transaction/${transaction}`]) {
      const text = await fetchText(`${path}/result/pdf`);
      expect(text).toContain('100 Sample Requisition Road, Burlington 27215 · CLIA 00D0000001');
      expect(text).toContain('Laboratory director: Alex Sample, MD (fictional)');
    }
  });
});

describe('the reference ranges of a report', () => {
  it.each([
    ['female', '8-60', [8, 60], '12.0-16.0'],
    ['male', '264-916', [264, 916], '13.5-17.5'],
    ['unknown', '8-916', [8, 916], '12.0-16.5'],
  ])(
    'of a patient who is %s are the same as JSON, FHIR and PDF',
    async (gender, printed, bounds, hemoglobin) => {
      const id = await orderMarkers(gender);
      await simulateOrder(team, id, 'completed');
      const results: ReportedRow[] = (await team.get(`/v3/order/${id}/result`)).json.results;
      const testosterone = results.find(({ loinc }) => loinc === '2986-8');
      expect(testosterone).toMatchObject({
        reference_range: printed,
        min_range_value: bounds[0],
        max_range_value: bounds[1],
        interpretation: 'normal',
        is_above_max_range: false,
        is_below_min_range: false,
      });
      const fhir = JSON.stringify((await team.get(`/v3/order/${id}/result/fhir`)).json);
      const text = await fetchText(`/v3/order/${id}/result/pdf`);
      for (const range of [printed, hemoglobin]) {
        expect(fhir).toContain(`"text":"${range}"`);
        expect(text).toContain(range);
      }
    },
  );

  it('and the laboratory are the same in an HL7 message of the simulated laboratory', async () => {
    const id = await orderMarkers('female');
    const connection = await connectLab(team, { lab: 'labcorp', inbound: 'https' });
    service.clock.move(48 * HOUR);
    const reported = service.clock.now().getTime();
    const sent = await team.management.post(`${connection.path}/simulated_message`, {
      order_id: id,
      interpretation: 'normal',
    });
    expect(sent.status).toBe(200);
    await service.settle();
    const { results, metadata } = (await team.get(`/v3/order/${id}/result`)).json;
    expect(results.find(({ loinc }: ReportedRow) => loinc === '2986-8')).toMatchObject({
      reference_range: '8-60',
      min_range_value: 8,
      max_range_value: 60,
      interpretation: 'normal',
    });
    expect(metadata['clia_#']).toBe('00D0000001');
    expect(Date.parse(metadata.date_collected)).toBe(reported - 26 * HOUR);
    expect(Date.parse(metadata.date_received)).toBe(reported - 20 * HOUR);
    const text = await fetchText(`/v3/order/${id}/result/pdf`);
    expect(text).toContain('Laboratory director: Alex Sample, MD (fictional)');
    expect(text).toContain('8-60');
  });
});

import { readFile } from 'node:fs/promises';
import { readFhirReports } from '../src/adapters/lab-network/fhir/fhir.ts';
import { readReports } from '../src/adapters/lab-network/hl7/read-report.ts';
import type { ReceivedReport } from '../src/adapters/lab-network/port.ts';
import type { Order } from '../src/ordering/orders/orders.ts';
import { order as orderBody, patient } from './examples.ts';
import { readResultFormats, receiveAll } from './laboratory-message.ts';
import { readOrderWithTests } from './received-reports.ts';
import type { TestService, TestTeam } from './service.ts';

/** Messages as a laboratory sends them: HL7 v2 (each begins with MSH), or a JSON array of FHIR bundles. */
const FOLDER = new URL('./laboratory-messages/', import.meta.url);

const ARRIVED_AT = new Date('2026-03-03T12:00:00Z');

/** The reports of each message of a file, in the order of arrival, about the given order. */
export async function readStory(file: string, order: Order): Promise<ReceivedReport[]> {
  const person = order.private.patient;
  const fields: Readonly<Record<string, string>> = {
    placer: order.sample_id ?? order.id,
    family: person?.last_name ?? '',
    given: person?.first_name ?? '',
    dob: person?.dob ?? '',
    birthday: person?.dob.replaceAll('-', '') ?? '',
  };
  const text = (await readFile(new URL(file, FOLDER), 'utf8')).replace(
    /\{(placer|family|given|dob|birthday)\}/g,
    (_all, name: string) => fields[name] ?? '',
  );
  if (file.endsWith('.json')) {
    const bundles: unknown[] = JSON.parse(text);
    return bundles.flatMap((bundle) =>
      readFhirReports(bundle, { lab: order.lab_slug, arrivedAt: ARRIVED_AT }),
    );
  }
  const at = { lab: order.lab_slug, accountNumber: null, timeZone: 'UTC', arrivedAt: ARRIVED_AT };
  return text
    .split(/^(?=MSH)/m)
    .filter((message) => message.trim() !== '')
    .flatMap((message) => readReports(Buffer.from(message.trim().replaceAll(/\r?\n/g, '\r')), at));
}

/** Places an order of these LabCorp markers, by their codes, at its requisition. */
export async function orderMarkers(
  service: TestService,
  team: TestTeam,
  providerIds: readonly string[],
): Promise<Order> {
  const { rows } = await service.ownerPool.query<{ id: number }>(
    `select m.id from marker m join lab l on l.id = m.lab_id where l.slug = 'labcorp' and m.provider_id = any($1)`,
    [providerIds],
  );
  if (rows.length !== providerIds.length) throw new Error(`Expected markers ${providerIds.join(', ')}`);
  const { lab_test_id: _none, ...rest } = orderBody(await team.user(), '');
  const answer = await team.post('/v3/order', {
    ...rest,
    physician: { first_name: 'Mary', last_name: 'Putnam', npi: '1234567893' },
    patient_details: patient,
    order_set: { add_on: { marker_ids: rows.map(({ id }) => id) } },
    collection_method: 'walk_in_test',
  });
  if (answer.status !== 200) throw new Error(answer.text);
  const { id } = answer.json.order;
  const walked = await team.post(`/v3/order/${id}/test?final_status=requisition_created`);
  if (walked.status !== 200) throw new Error(walked.text);
  return (await readOrderWithTests(service, team, id)).order;
}

/** What a team reads of an order after the messages of a file; the versions are those after each message. */
export async function tellStory(
  service: TestService,
  team: TestTeam,
  { file, markers }: { file: string; markers: readonly string[] },
) {
  const order = await orderMarkers(service, team, markers);
  const taken = await receiveAll(service, team, await readStory(file, order));
  const versions = taken.map((one) => (one.outcome === 'attached' ? one.version : one.outcome));
  const read = await readResultFormats(service, team, order.id);
  const [sample] = Object.values<{ clinical_information?: { notes?: string } }>(read.json.sample_information);
  return { ...read, orderId: order.id, versions, remarks: sample?.clinical_information?.notes };
}

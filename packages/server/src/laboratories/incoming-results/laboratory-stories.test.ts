import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { reportsOfMessage, readResultFormats, receiveAll } from '../../../test/laboratory-message.ts';
import { placeOrder } from '../../../test/received-reports.ts';
import type { ReceivedReport } from '../../adapters/lab-network/port.ts';

/** Messages as laboratories send them, and what a team reads of them as JSON, on paper and as FHIR. */

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
});
afterAll(() => service.close());

interface OrderedTestCodes {
  /** OBR-4 and OBX-3 of what was ordered. */
  readonly test: string;
  readonly result: string;
}

type LaboratoryMessage = readonly [segments: readonly string[], at?: Parameters<typeof reportsOfMessage>[2]];

/** What a team reads of an order of one test after these messages. */
async function readResultsAfter(make: (ordered: OrderedTestCodes) => readonly LaboratoryMessage[]) {
  const ordered = await placeOrder(service, team, { userId: await team.user(), markers: 1 });
  const [test] = ordered.tests;
  const [expected] = test?.expected ?? [];
  const messages = make({
    test: `${test?.providerId}^${test?.name}^L`,
    result: `${expected?.providerId}^${expected?.name}^L`,
  });
  const outcomes: string[] = [];
  for (const [segments, at] of messages) {
    const taken = await receiveAll(service, team, reportsOfMessage(ordered, segments, at));
    outcomes.push(...taken.map(({ outcome }) => outcome));
  }
  expect(outcomes).toEqual(messages.map(() => 'attached'));
  const read = await readResultFormats(service, team, ordered.order.id);
  const [sample] = Object.values<{ clinical_information?: { notes?: string } }>(read.json.sample_information);
  return { ...read, remarks: sample?.clinical_information?.notes };
}

interface ObservationBundleEntry {
  readonly resource: {
    readonly resourceType: string;
    readonly id: string;
    readonly effectiveDateTime?: string;
    readonly valueQuantity?: { readonly value: number };
  };
}

/** OBR of a request, drawn at an hour of March 1st 2026. */
const request = (test: string, hour: number, status = 'F') =>
  `OBR|1|PLACER|L1|${test}|||2026030${String(100 + hour)}00|||||||202603011200||||||||202603020900||LAB|${status}`;

async function criticals(): Promise<number> {
  await service.settle();
  const { rows } = await service.ownerPool.query(
    `select 1 from event where team_id = $1 and event_type = 'labtest.result.critical'`,
    [team.tenant.teamId],
  );
  return rows.length;
}

describe('a glucose tolerance test, a draw at a time', () => {
  const tolerance = ({ test, result }: OrderedTestCodes): readonly LaboratoryMessage[] => [
    [[request(test, 8), `OBX|1|NM|${result}||90|mg/dL|70-99|N|||F`]],
    [[request(test, 9), `OBX|1|NM|${result}||600|mg/dL|70-99|HH|||F`], { hour: 13 }],
    [[request(test, 10), `OBX|1|NM|${result}||600|mg/dL|70-99|HH|||F`], { hour: 14 }],
    [[request(test, 11), `OBX|1|NM|${result}|||mg/dL|||||X`, 'NTE|1|L|Hemolyzed'], { hour: 15 }],
  ];

  it('has every value with its time, and says which draw failed', async () => {
    const read = await readResultsAfter(tolerance);
    const said = read.json.results.map(({ result, timestamp }: { result: string; timestamp: string }) => [
      result,
      timestamp.slice(11, 16),
    ]);
    expect(said).toEqual([
      ['90', '08:00'],
      ['600', '09:00'],
      ['600', '10:00'],
    ]);
    expect(read.json.missing_results).toEqual([]);
    expect(read.remarks).toBe('Glucose (2026-03-01 11:00 UTC): Hemolyzed');
    for (const hour of ['08', '09', '10']) expect(read.pdf).toContain(`Glucose (03/01/2026 ${hour}:00 UTC)`);
    const values = (read.fhir.entry as ObservationBundleEntry[])
      .map(({ resource }) => resource)
      .filter(({ valueQuantity }) => valueQuantity !== undefined);
    expect(values.map(({ valueQuantity }) => valueQuantity?.value)).toEqual([90, 600, 600]);
    expect(new Set(values.map(({ id }) => id)).size).toBe(3);
  });

  it('tells of each critical value, also where a later draw has the same', async () => {
    const before = await criticals();
    await readResultsAfter(tolerance);
    expect(await criticals()).toBe(before + 2);
  });
});

const results = ({ json }: { json: { results: { name: string; result: string; notes: string | null }[] } }) =>
  json.results.map(({ name, result, notes }) => (notes === null ? [name, result] : [name, result, notes]));

describe('what a laboratory says beside its values', () => {
  it('of a drug is what its flag says of the organism', async () => {
    const read = await readResultsAfter(({ test }) => [
      [
        [
          request(test, 8),
          'OBX|1|CWE|600-7^Culture^LN|1|112283007^Escherichia coli^SCT|||A|||F',
          request('SUSC^Susceptibility^L', 8).replace('L1', 'L2') + '|600-7&Culture&LN^1^Escherichia coli',
          'OBX|1|SN|28-1^Ampicillin^LN||>=^32|ug/mL||R|||F',
          'OBX|2|ST|185-9^Ciprofloxacin^LN||Susceptible|||S|||F',
        ],
      ],
    ]);
    expect(results(read)).toEqual([
      ['Culture', 'Escherichia coli'],
      ['Ampicillin', '>=32', 'Culture 1: Escherichia coli\nSusceptibility: resistant'],
      ['Ciprofloxacin', 'Susceptible', 'Culture 1: Escherichia coli'],
    ]);
    expect(read.pdf).toContain('Susceptibility: resistant');
  });

  it('in a document alone is a remark that there is one', async () => {
    const read = await readResultsAfter(({ test }) => [
      [
        [
          request(test, 8),
          'OBX|1|ED|PDF^Pathology report^L||LAB^application^pdf^Base64^JVBERi0xLjQKJSVFT0Y=||||||F',
        ],
      ],
    ]);
    expect(read.remarks).toBe('Reported in a document that the laboratory enclosed: Pathology report');
  });

  it('of a specimen is a note on the test, and not on the result before it', async () => {
    const read = await readResultsAfter(({ test, result }) => [
      [[request(test, 8), `OBX|1|NM|${result}||90|mg/dL|||||F`, 'SPM|1|S1||SER', 'NTE|1|L|Hemolyzed']],
    ]);
    expect(results(read)).toEqual([['Glucose', '90']]);
    expect(read.remarks).toBe('Hemolyzed');
  });

  it('as an addendum to a text, by its code with a suffix, stands beside the text', async () => {
    const read = await readResultsAfter(({ test }) => [
      [[request(test, 8), 'OBX|1|FT|RPT^Report^L||Benign nevus.||||||F']],
      [[request(test, 8), 'OBX|1|FT|RPT&ADT^Addendum^L||Deeper levels: atypia.||||||F'], { hour: 13 }],
    ]);
    expect(results(read)).toEqual([
      ['Report', 'Benign nevus.'],
      ['Addendum', 'Deeper levels: atypia.'],
    ]);
  });
});

describe('a panel that the laboratory added by a rule', () => {
  const parent = ({ test, result }: OrderedTestCodes) => [
    request(test, 8),
    `OBX|1|NM|${result}||90|mg/dL|70-99|N|||F`,
  ];
  const added = () => [
    `${request('FT4^Free T4^L', 8).replace('PLACER|L1', 'RX-77|L2')}||||PLACER^L1`,
    'OBX|1|NM|FT4^Free T4^L||1.20|ng/dL|0.82-1.77|N|||F',
  ];
  const both = [
    ['Glucose', '90'],
    ['Free T4', '1.20'],
  ];

  // prettier-ignore
  it.each<[string, (ordered: OrderedTestCodes) => readonly LaboratoryMessage[]]>([
    ['with its parent',   (ordered) => [[[...parent(ordered), ...added()]]]],
    ['before its parent in the message', (ordered) => [[[...added(), ...parent(ordered)]]]],
    ['after its parent',  (ordered) => [[parent(ordered)], [added(), { hour: 13 }]]],
    ['before its parent', (ordered) => [[added()], [parent(ordered), { hour: 13 }]]],
  ])('is in the results of the order when it comes %s', async (_when, make) => {
    const read = await readResultsAfter(make);
    // A note names the result of the parent where both are in one message.
    const shown = results(read).map((one) => one.slice(0, 2));
    expect(shown.toSorted()).toEqual(both.toSorted());
    expect(read.json.missing_results).toEqual([]);
  });
});

describe('a report that an earlier version of this program kept', () => {
  /** As it was read before notes stood on panels, remarks beside results, and draws were told apart. */
  const asBefore = ({ testNotes = [], ...report }: ReceivedReport): ReceivedReport => ({
    ...report,
    notes: [...report.notes, ...testNotes.map(({ note }) => note)],
    observations: report.observations.map(({ origin: _none, isAside: _neither, ...one }) => one),
  });

  async function sentAgain(change: (line: string) => string) {
    const ordered = await placeOrder(service, team, { userId: await team.user(), markers: 2 });
    const lines = ordered.tests.flatMap(({ providerId, name, expected: [one] }) => [
      request(`${providerId}^${name}^L`, 8),
      `NTE|1|L|Note on ${name}`,
      `OBX|1|NM|${one?.providerId}^${one?.name}^L||90|mg/dL|||||F`,
    ]);
    const message = [...lines, 'SPM|1|S1||SER', 'OBX|1|NM|SV^Specimen volume^L||2|mL|||||F'];
    const first = reportsOfMessage(ordered, message).map(asBefore);
    const again = reportsOfMessage(ordered, message.map(change), { hour: 13 });
    const taken = [...(await receiveAll(service, team, first)), ...(await receiveAll(service, team, again))];
    const { json } = await team.get(`/v3/order/${ordered.order.id}/result`);
    return { versions: taken.map((one) => 'version' in one && one.version), status: json.metadata.status };
  }

  it('is the same where its laboratory sends it again, and another where something changed', async () => {
    expect(await sentAgain((line) => line)).toEqual({ versions: [1, 1], status: 'final' });
    const isNew = { versions: [1, 2], status: 'corrected' };
    expect(await sentAgain((line) => line.replace('||90|', '||91|'))).toEqual(isNew);
    expect(await sentAgain((line) => line.replace('Note on', 'Another note on'))).toEqual(isNew);
    expect(await sentAgain((line) => line.replace('||2|mL', '||3|mL'))).toEqual(isNew);
  });
});

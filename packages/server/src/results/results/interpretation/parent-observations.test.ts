import { expect, it } from 'vitest';
import { readReports } from '../../../adapters/lab-network/hl7/read-report.ts';
import { linkIsolates } from './link-isolates.ts';

const at = {
  lab: 'quest',
  accountNumber: null,
  timeZone: 'UTC',
  arrivedAt: new Date('2026-03-02T15:00:00Z'),
};

const obr = (filler: string, { parentResult = '', parent = '' } = {}) =>
  `OBR|1|PLACER|${filler}|CUL^Culture^L|||202603010800||||||||||||||||||F|${parentResult}|||${parent}`;
const isolate = (name: string, subId = '') =>
  `OBX|1|CWE|600-7^Bacteria identified^LN|${subId}|1^${name}^L||||||F`;
const drug = 'OBX|1|SN|18864-9^Ampicillin^LN||>=^32|ug/mL||R|||F';

/** The organisms of the drugs, in the order of the message. */
function read(...lines: readonly string[]): (string | null)[] {
  const msh = 'MSH|^~\\&|LIS|LAB|US|HERE|20260302150000||ORU^R01|M1|P|2.5.1';
  const [report] = readReports(Buffer.from([msh, ...lines].join('\r')), at);
  const findings = linkIsolates(report?.observations ?? []);
  return [...findings.values()].flatMap((one) => (one.susceptibility === null ? [] : [one.organism]));
}

const COLI = isolate('Escherichia coli');
const KLEBSIELLA = isolate('Klebsiella pneumoniae');

// prettier-ignore
it.each<[string, readonly string[], readonly (string | null)[]]>([
  ['its filler number',                          [obr('A'), COLI, obr('B'), KLEBSIELLA, obr('S', { parent: '^A' }), drug], ['Escherichia coli']],
  ['its filler number, before it',               [obr('S', { parent: '^B&LIS' }), drug, obr('A'), COLI, obr('B'), KLEBSIELLA], ['Klebsiella pneumoniae']],
  ['its filler number and its OBX-4',            [obr('A'), isolate('Escherichia coli', '1'), obr('B'), isolate('Klebsiella pneumoniae', '1'), obr('S', { parent: '^A', parentResult: '600-7&&LN^1' }), drug], ['Escherichia coli']],
  ['its filler number, with an OBX-4 of its own', [obr('A'), isolate('Escherichia coli', '1'), obr('B'), isolate('Klebsiella pneumoniae', '1'), obr('S', { parent: '^A' }), drug], ['Escherichia coli']],
  ['its value alone',                            [obr('A'), COLI, obr('B'), KLEBSIELLA, obr('S', { parentResult: '600-7&&LN^^Escherichia coli' }), drug], ['Escherichia coli']],
  ['a number with two isolates',                 [obr('A'), isolate('Escherichia coli', '1'), isolate('Klebsiella pneumoniae', '2'), obr('S', { parent: '^A', parentResult: '600-7&&LN^2' }), drug], ['Klebsiella pneumoniae']],
])('a susceptibility has the organism of its parent, named by %s', (_how, lines, organisms) =>
  expect(read(...lines)).toEqual(organisms));

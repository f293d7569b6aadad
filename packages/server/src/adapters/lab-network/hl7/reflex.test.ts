import { describe, expect, it } from 'vitest';
import { readReports } from './read-report.ts';

/** Panels that the laboratory added to an order by a rule (reflex): OBR-26 and OBR-29 name their parent. */

const at = {
  lab: 'quest',
  accountNumber: null,
  timeZone: 'UTC',
  arrivedAt: new Date('2026-03-02T15:00:00Z'),
};
const HEAD = [
  'MSH|^~\\&|LIS|LAB|US|HERE|20260302120000||ORU^R01|M1|P|2.5.1',
  'PID|1||77||Lovelace^Ada||19851210|F',
];
/** OBR with its placer and filler number, OBR-26 and OBR-29. */
const request = (placer: string, filler: string, { result = '', parent = '' } = {}) =>
  `OBR|1|${placer}|${filler}|T^Test^L|||20260301080000|||||||||||||||20260302||LAB|F|${result}|||${parent}`.replace(
    /\|+$/,
    '',
  );
const result = (name: string, value: string) => `OBX|1|NM|${name}^${name}^L||${value}|mg/dL||N|||F`;
const TSH = result('TSH', '5.10');
const FT4 = result('FT4', '1.2');
const T3 = result('T3', '90');

/** For each report: our number, all numbers, and the results. */
const reportsOf = (segments: readonly string[]) =>
  readReports(Buffer.from([...HEAD, ...segments].join('\r')), at).map(
    ({ placerOrderId, sampleIds, observations }) =>
      `${placerOrderId} [${sampleIds.join(' ')}] ${observations.map(({ name }) => name).join(' ')}`,
  );

// prettier-ignore
const CASES: readonly (readonly [what: string, segments: readonly string[], reports: readonly string[]])[] = [
  ['without a number of its own, behind its parent', [request('P1', 'F1'), TSH, request('', 'F2', { parent: 'P1^F1' }), FT4], ['P1 [P1 F1 F2] TSH FT4']],
  ['without a number of its own, before its parent', [request('', 'F2', { parent: 'P1^F1' }), FT4, request('P1', 'F1'), TSH], ['P1 [P1 F2 F1] FT4 TSH']],
  ['with a number of the laboratory',                [request('P1', 'F1'), TSH, request('RX-77', 'F2', { parent: 'P1^F1' }), FT4], ['P1 [P1 RX-77 F1 F2] TSH FT4']],
  ['with a number of the laboratory, before its parent', [request('RX-77', 'F2', { parent: 'P1^F1' }), FT4, request('P1', 'F1'), TSH], ['P1 [P1 RX-77 F2 F1] FT4 TSH']],
  ['with the filler number of its parent alone',     [request('P1', 'F1'), TSH, request('RX-77', 'F2', { parent: '^F1' }), FT4], ['P1 [P1 RX-77 F1 F2] TSH FT4']],
  ['with the numbers of its parent and their systems', [request('P1', 'F1'), TSH, request('RX-77', 'F2', { parent: 'P1&ALIQUOT^F1&LIS' }), FT4], ['P1 [P1 RX-77 F1 F2] TSH FT4']],
  ['in a message of its own',                        [request('', 'F2', { parent: 'P1^F1' }), FT4],                      ['P1 [P1 F2] FT4']],
  ['with a number of the laboratory, in a message of its own', [request('RX-77', 'F2', { parent: 'P1^F1' }), FT4],      ['P1 [P1 RX-77 F2] FT4']],
  ['with the result of its parent as well',          [request('', 'F2', { result: 'TSH&TSH&L^^5.10', parent: 'P1^F1' }), FT4], ['P1 [P1 F2] FT4']],
  ['of a panel that is a reflex itself',             [request('R3', 'F3', { parent: 'R2^F2' }), T3, request('R2', 'F2', { parent: 'P1^F1' }), FT4, request('P1', 'F1'), TSH], ['P1 [P1 R2 R3 F3 F2 F1] T3 FT4 TSH']],
  ['named by ORC-8',                                 ['ORC|RE|RX-77|F2|||||P1^F1', request('RX-77', 'F2'), FT4, request('P1', 'F1'), TSH], ['P1 [P1 RX-77 F2 F1] FT4 TSH']],
  ['of the second of two orders',                    [request('P1', 'F1'), TSH, request('P2', 'F2'), T3, request('', 'F3', { parent: 'P1^F1' }), FT4], ['P1 [P1 F1 F3] TSH FT4', 'P2 [P2 F2] T3']],
  ['whose parent is itself',                         [request('P1', 'F1', { parent: 'P1^F1' }), FT4],                    ['P1 [P1 F1] FT4']],
  ['in a circle',                                    [request('P1', 'F1', { parent: 'P2^F2' }), FT4, request('P2', 'F2', { parent: 'P1^F1' }), TSH], ['P2 [P2 P1 F1 F2] FT4 TSH']],
  ['with an unknown filler number of its parent',    [request('RX-77', 'F2', { parent: '^F9' }), FT4],                   ['RX-77 [RX-77 F2] FT4']],
  ['of another patient',                             [request('P1', 'F1'), TSH, 'PID|1||78||Byron^Ann||19900101|F', request('P2', 'F1'), FT4, request('', 'F3', { parent: '^F1' }), T3], ['P1 [P1 F1] TSH', 'P2 [P2 F1 F3] FT4 T3']],
];

describe('a reflex panel', () => {
  it.each(CASES)('%s belongs to the order of its parent', (_what, segments, reports) => {
    expect(reportsOf(segments)).toEqual(reports);
  });

  it('is found among ten thousand, in a chain and without its parent', () => {
    const chain = Array.from({ length: 10_000 }, (_one, at) =>
      request(`R${at}`, `F${at}`, { parent: `R${at + 1}^F${at + 1}` }),
    );
    expect(reportsOf([...chain, request('P1', 'F10000'), TSH])).toHaveLength(1);
    const alone = chain.map((one, at) => one.replace(/R\d+\^F\d+$/, `P${at}^X${at}`));
    expect(reportsOf(alone)).toHaveLength(10_000);
  });

  it('says which result it is a reflex of, where OBR-26 has its value', () => {
    const [report] = readReports(
      Buffer.from(
        [...HEAD, request('', 'F2', { result: '3016-3&TSH&LN^^5.10', parent: 'P1^F1' }), FT4].join('\r'),
      ),
      at,
    );
    expect(report?.observations).toMatchObject([{ name: 'FT4', value: '1.2', notes: ['TSH: 5.10'] }]);
    expect(report?.observations[0]).not.toHaveProperty('subId');
  });
});

import { describe, expect, it } from 'vitest';
import { UnreadableMessageError } from '../protocol.ts';
import { readReports } from './read-report.ts';
import { removeReports } from './remove-reports.ts';

/** HL7 v2.5.1, chapter 2.10.2: continuation of segments by ADD, of messages by DSC and MSH-14. */

const at = {
  lab: 'quest',
  accountNumber: null,
  timeZone: 'UTC',
  arrivedAt: new Date('2026-03-02T15:00:00Z'),
};
const MSH = 'MSH|^~\\&|LIS|LAB|US|HERE|20260302120000||ORU^R01|M1|P|2.5.1';
const PID = 'PID|1||77||Lovelace^Ada||19851210|F';
const OBR = 'OBR|1|P1|L1|322000^CMP^L|||20260301080000|||||||||||||||20260302||LAB|F';
const GLUCOSE = 'OBX|1|NM|G1^Glucose^L||105|mg/dL|70-99|H|||F';
const SODIUM = 'OBX|2|NM|S1^Sodium^L||140|mmol/L|135-145|N|||F';
const toBytes = (segments: readonly string[]) => Buffer.from(segments.join('\r'));
const read = (segments: readonly string[]) => readReports(toBytes(segments), at);
const shownOf = (segments: readonly string[]) =>
  read(segments).flatMap(({ observations }) => observations.map(({ name, value }) => `${name}=${value}`));

function refusalOf(segments: readonly string[]): string | undefined {
  try {
    read(segments);
    return undefined;
  } catch (error) {
    if (error instanceof UnreadableMessageError) return error.message;
    throw error;
  }
}

const CONTINUED = 'The message is continued in another one (DSC, ADD): send it as one message';
const CONTINUES = 'The message continues another one (MSH-14): send both as one message';
const DETACHED = 'An ADD segment continues no segment that can be continued';

// prettier-ignore
const REFUSED: readonly (readonly [what: string, segments: readonly string[], reason: string])[] = [
  ['continued in a fragment',                     [MSH, PID, OBR, GLUCOSE, 'DSC|BWH-LDS-27|F'],          CONTINUED],
  ['continued interactively',                     [MSH, PID, OBR, GLUCOSE, 'DSC|1234|I'],                CONTINUED],
  ['continued without a style, as before 2.4',    [MSH, PID, OBR, GLUCOSE, 'DSC|1234'],                  CONTINUED],
  ['continued by a DSC in small letters',         [MSH, PID, OBR, GLUCOSE, 'dsc|1234|F'],                CONTINUED],
  ['cut in a segment that is continued later',    [MSH, PID, OBR, GLUCOSE, 'OBX|2|FT|N^Note^L||The beg', 'ADD', 'DSC|1234|F'], CONTINUED],
  ['cut in a segment, and without a DSC',         [MSH, PID, OBR, GLUCOSE, 'OBX|2|FT|N^Note^L||The beg', 'ADD'], CONTINUED],
  ['cut in a continuation of a segment',          [MSH, PID, OBR, 'OBX|2|FT|N^Note^L||The beg', 'ADD|inning', 'ADD', SODIUM], CONTINUED],
  ['the last of several',                         [`${MSH}||1234`, 'ADD|inning||||||F', OBR, SODIUM],    CONTINUES],
  ['the last of several, between segments',       [`${MSH}||1234`, PID, OBR, SODIUM],                    CONTINUES],
  ['in the middle of several',                    [`${MSH}||1234`, PID, OBR, SODIUM, 'DSC|1235|F'],      CONTINUES],
  ['begun with the rest of nothing',              [MSH, 'ADD|inning', PID, OBR, SODIUM],                 DETACHED],
  ['cut in its patient',                          [MSH, PID, 'ADD|1', OBR, SODIUM],                      DETACHED],
];

// prettier-ignore
const READ: readonly (readonly [what: string, segments: readonly string[], shown: readonly string[]])[] = [
  ['no continuation',                     [MSH, PID, OBR, GLUCOSE, 'DSC'],                                        ['Glucose=105']],
  ['an empty continuation pointer',       [MSH, PID, OBR, GLUCOSE, 'DSC||F'],                                     ['Glucose=105']],
  ['a deleted continuation pointer',      [MSH, PID, OBR, GLUCOSE, 'DSC|""|F'],                                   ['Glucose=105']],
  ['an empty MSH-14',                     [`${MSH}||`, PID, OBR, GLUCOSE],                                        ['Glucose=105']],
  ['a number in two parts',               [MSH, PID, OBR, 'OBX|1|NM|G1^Glucose^L||10', 'ADD|5|mg/dL|70-99|H|||F', SODIUM], ['Glucose=105', 'Sodium=140']],
  ['a part that begins with a delimiter', [MSH, PID, OBR, 'OBX|1|NM|G1^Glucose^L||105', 'ADD||mg/dL|70-99|H|||F', SODIUM], ['Glucose=105', 'Sodium=140']],
  ['a text in three parts',               [MSH, PID, OBR, 'OBX|1|TX|N^Note^L||The beg', 'ADD|inning', 'ADD| and the end||||||F', SODIUM], ['Note=The beginning and the end', 'Sodium=140']],
  ['a part of nothing',                   [MSH, PID, OBR, 'OBX|1|TX|N^Note^L||The end||||||F', 'ADD|', SODIUM],   ['Note=The end', 'Sodium=140']],
  ['a continued note',                    [MSH, PID, OBR, GLUCOSE, 'NTE|1|L|Fasting not', 'ADD| known', SODIUM],  ['Glucose=105', 'Sodium=140']],
  ['a continued OBR',                     [MSH, PID, OBR.slice(0, 20), `ADD|${OBR.slice(20)}`, GLUCOSE],          ['Glucose=105']],
];

describe('an HL7 message that is', () => {
  it.each(REFUSED)('%s is refused with the reason', (_what, segments, reason) => {
    expect(refusalOf(segments)).toBe(reason);
    // MSA-3 has 80 characters.
    expect(reason.length).toBeLessThanOrEqual(80);
  });
});

describe('an HL7 message with', () => {
  it.each(READ)('%s is read whole', (_what, segments, shown) => {
    expect(shownOf(segments)).toEqual(shown);
  });

  it('continued segments has their parts in the results and notes', () => {
    const [report] = read([MSH, PID, OBR, GLUCOSE, 'NTE|1|L|Fasting not', 'ADD| known']);
    expect(report?.observations[0]?.notes).toEqual(['Fasting not known']);
    const [other] = read([MSH, PID, OBR, 'OBX|1|NM|G1^Glucose^L||10', 'ADD|5|mg/dL|70-99|H|||F']);
    expect(other?.observations[0]).toMatchObject({ unit: 'mg/dL', referenceRange: '70-99', status: 'final' });
  });

  it('continued segments loses the parts of a report that is removed, and no others', () => {
    const first = [OBR, 'OBX|1|TX|N^Note^L||The beg', 'ADD|inning||||||F'];
    const second = [OBR.replace('P1', 'P2'), 'OBX|1|TX|N^Note^L||The', 'ADD| end||||||F'];
    const left = removeReports(
      toBytes([MSH, PID, ...first, ...second]),
      at,
      ({ placerOrderId }) => placerOrderId === 'P1',
    );
    expect(left?.toString()).toBe([MSH, PID, ...second].join('\r'));
  });
});

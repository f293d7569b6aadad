import type { Ordered } from '../received.ts';
import type { Laboratory } from './clinic.ts';
import type { Dice } from '../dice.ts';

interface Saying {
  readonly ordered: Ordered;
  readonly laboratory: Laboratory;
  readonly roll: Dice;
  readonly controlId: string;
}

/** What a laboratory writes of an order in HL7: partial, final or corrected, of all tests or some; now and then it errs. */
export function oruOf({ ordered: { order, tests }, laboratory, roll, controlId }: Saying): string {
  const status = roll.pick(['P', 'F', 'F', 'F', 'C']);
  const person = order.private.patient;
  const slip = roll.below(12);
  const name =
    slip === 0 ? 'Nobody^Norman' : `${person?.last_name ?? 'Unknown'}^${person?.first_name ?? 'Una'}`;
  const dob = slip === 1 ? '19010101' : (person?.dob ?? '1985-12-10').replaceAll('-', '');
  const placer = slip === 2 ? 'NOBODY-1' : roll.once(3) ? order.id : (order.sample_id ?? order.id);
  const some = tests.slice(0, status === 'P' ? 1 : tests.length);
  const groups = some.flatMap((test, at) => [
    `OBR|${at + 1}|${placer}|L1|${test.providerId ?? test.slug}^${escaped(test.name)}^L|||20260301080000+0000|||||||||||||||20260302||LAB|${status}`,
    ...test.expected.slice(0, 2).map((expected, index) => {
      const value = expected.kind === 'numeric' ? String(valueOf(expected, roll)) : 'Negative';
      const form = expected.kind === 'numeric' ? 'NM' : 'ST';
      const missing = roll.once(15);
      const flag = roll.once(20) ? 'HH' : '';
      return `OBX|${index + 1}|${form}|${expected.loinc ?? ''}^${escaped(expected.name)}^LN||${missing ? '' : value}|${escaped(expected.unit ?? '')}|${escaped(expected.rangeText ?? '')}|${flag}|||${missing ? 'X' : status}`;
    }),
  ]);
  const bad = roll.once(25) ? 'ADT^A01' : 'ORU^R01';
  return [
    `MSH|^~\\&|LIS|${laboratory.facility}|ALIQUOT|${laboratory.ourFacility}|20260302150000+0000||${bad}|${controlId}|P|2.5.1`,
    `PID|1||77||${name}||${dob}|F`,
    ...groups,
    '',
  ].join('\r');
}

const escaped = (text: string) => text.replaceAll(/[|^&~\\\r\n]/g, ' ');

function valueOf({ low, high }: { low?: number | null; high?: number | null }, roll: Dice): number {
  const least = low ?? 0;
  return Math.round((least + ((high ?? least + 4) - least) * (roll.below(12) / 8)) * 100) / 100;
}

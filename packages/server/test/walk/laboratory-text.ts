import type { OrderWithTests } from '../received-reports.ts';
import type { ClinicLaboratory } from './clinic.ts';
import type { SeededRandom } from '../seeded-random.ts';

interface OruOptions {
  readonly ordered: OrderWithTests;
  readonly laboratory: ClinicLaboratory;
  readonly roll: SeededRandom;
  readonly controlId: string;
}

/** A random HL7 report for an order: partial, final or corrected, all tests or some, sometimes with errors. */
export function randomOru({ ordered: { order, tests }, laboratory, roll, controlId }: OruOptions): string {
  const status = roll.pick(['P', 'F', 'F', 'F', 'C']);
  const person = order.private.patient;
  const slip = roll.below(12);
  const name =
    slip === 0 ? 'Nobody^Norman' : `${person?.last_name ?? 'Unknown'}^${person?.first_name ?? 'Una'}`;
  const dob = slip === 1 ? '19010101' : (person?.dob ?? '1985-12-10').replaceAll('-', '');
  const placer = slip === 2 ? 'NOBODY-1' : roll.oneIn(3) ? order.id : (order.sample_id ?? order.id);
  const some = tests.slice(0, status === 'P' ? 1 : tests.length);
  const groups = some.flatMap((test, at) => [
    `OBR|${at + 1}|${placer}|L1|${test.providerId ?? test.slug}^${escapeHl7(test.name)}^L|||20260301080000+0000|||||||||||||||20260302||LAB|${status}`,
    ...test.expected.slice(0, 2).map((expected, index) => {
      const value = expected.kind === 'numeric' ? String(randomValue(expected, roll)) : 'Negative';
      const form = expected.kind === 'numeric' ? 'NM' : 'ST';
      const missing = roll.oneIn(15);
      const flag = roll.oneIn(20) ? 'HH' : '';
      return `OBX|${index + 1}|${form}|${expected.loinc ?? ''}^${escapeHl7(expected.name)}^LN||${missing ? '' : value}|${escapeHl7(expected.unit ?? '')}|${escapeHl7(expected.rangeText ?? '')}|${flag}|||${missing ? 'X' : status}`;
    }),
  ]);
  const bad = roll.oneIn(25) ? 'ADT^A01' : 'ORU^R01';
  return [
    `MSH|^~\\&|LIS|${laboratory.facility}|ALIQUOT|${laboratory.ourFacility}|20260302150000+0000||${bad}|${controlId}|P|2.5.1`,
    `PID|1||77||${name}||${dob}|F`,
    ...groups,
    '',
  ].join('\r');
}

const escapeHl7 = (text: string) => text.replaceAll(/[|^&~\\\r\n]/g, ' ');

function randomValue(
  { low, high }: { low?: number | null; high?: number | null },
  roll: SeededRandom,
): number {
  const least = low ?? 0;
  return Math.round((least + ((high ?? least + 4) - least) * (roll.below(12) / 8)) * 100) / 100;
}

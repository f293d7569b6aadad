import { layOutDocument } from '../../platform/pdf/document.ts';
import { renderPdf } from '../../platform/pdf/draw.ts';
import type { DemoChance } from './chance.ts';
import type { ClinicPerson } from './people.ts';

/** A test of a report that a patient brings from another laboratory. */
interface PrintedTest {
  readonly name: string;
  readonly unit: string;
  readonly low: number;
  readonly high: number;
  readonly decimals: number;
}

// prettier-ignore
const TESTS: readonly PrintedTest[] = [
  { name: 'Glucose',            unit: 'mg/dL',  low: 70,  high: 99,   decimals: 0 },
  { name: 'Creatinine',         unit: 'mg/dL',  low: 0.6, high: 1.2,  decimals: 2 },
  { name: 'Sodium',             unit: 'mmol/L', low: 135, high: 145,  decimals: 0 },
  { name: 'Potassium',          unit: 'mmol/L', low: 3.5, high: 5.1,  decimals: 1 },
  { name: 'Cholesterol, Total', unit: 'mg/dL',  low: 100, high: 199,  decimals: 0 },
  { name: 'HDL Cholesterol',    unit: 'mg/dL',  low: 40,  high: 90,   decimals: 0 },
  { name: 'Triglycerides',      unit: 'mg/dL',  low: 30,  high: 149,  decimals: 0 },
  { name: 'Hemoglobin A1c',     unit: '%',      low: 4,   high: 5.6,  decimals: 1 },
  { name: 'TSH',                unit: 'mIU/L',  low: 0.4, high: 4.5,  decimals: 2 },
  { name: 'Ferritin',           unit: 'ng/mL',  low: 15,  high: 150,  decimals: 0 },
];

const LABORATORY = 'Riverside Clinical Laboratory';
/** Values lie up to this much of the range outside of it. */
const OUTSIDE = 0.2;

/** A laboratory report as a PDF: one page, a table with values, units, ranges and flags. */
export async function printReport(
  chance: DemoChance,
  { person: { patient, index }, collectedAt }: { person: ClinicPerson; collectedAt: Date },
): Promise<Uint8Array> {
  const day = collectedAt.toISOString().slice(0, 10);
  const rows = TESTS.map(({ name, unit, low, high, decimals }) => {
    const share = chance.of('report', index, name) * (1 + 2 * OUTSIDE) - OUTSIDE;
    const value = (low + (high - low) * share).toFixed(decimals);
    const flag = Number(value) < low ? 'L' : Number(value) > high ? 'H' : '';
    return [name, value, flag, `${low.toFixed(decimals)} - ${high.toFixed(decimals)}`, unit];
  });
  return renderPdf(() =>
    layOutDocument({
      title: 'Laboratory report',
      createdAt: collectedAt,
      runningHeader: LABORATORY,
      footer: LABORATORY,
      blocks: [
        { kind: 'text', text: LABORATORY, size: 16, bold: true, isTitle: true },
        {
          kind: 'fields',
          columns: 2,
          fields: [
            ['Patient', `${patient.last_name}, ${patient.first_name}`],
            ['Date of birth', patient.dob],
            ['Sex', patient.gender === 'female' ? 'Female' : 'Male'],
            ['Collected', day],
            ['Reported', day],
            ['Specimen', `RCL-${String(index + 1).padStart(6, '0')}`],
          ],
        },
        { kind: 'gap', height: 12 },
        {
          kind: 'table',
          columns: [
            { title: 'Test', share: 4 },
            { title: 'Result', share: 2, align: 'right' },
            { title: 'Flag', share: 1 },
            { title: 'Reference range', share: 3 },
            { title: 'Units', share: 2 },
          ],
          rows,
        },
      ],
    }),
  );
}

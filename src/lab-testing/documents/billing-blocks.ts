import type { DiagnosisIndex } from '../../insurance/insurance.ts';
import type { Insurance } from '../../insurance/schema.ts';
import type { Block, Fields } from '../../platform/pdf/block.ts';
import type { OrderFacts } from './order-facts.ts';
import { lastNameFirst, writtenAddress, writtenDay, writtenSex } from './words.ts';

interface Billed extends OrderFacts {
  readonly insurance: Insurance | undefined;
  readonly diagnoses: Pick<DiagnosisIndex, 'find'>;
}

const BILLED_TO: Readonly<Record<string, string>> = {
  client_bill: 'Client (the laboratory account)',
  commercial_insurance: 'Insurance',
  patient_bill_passthrough: 'Client, passed through to the patient',
  patient_bill: 'Patient',
};

/** Who pays, and the diagnoses that say why. */
export function billingBlocks(facts: Billed): Block[] {
  const { order, insurance } = facts;
  const billTo: Fields = {
    kind: 'fields',
    columns: 1,
    fields: [['Bill to', BILLED_TO[order.billing_type] ?? order.billing_type]],
  };
  return [
    { kind: 'heading', text: 'Billing' },
    billTo,
    ...(insurance ? [{ kind: 'gap', height: 4 } as const, insuranceColumns(insurance)] : []),
    ...diagnosisBlocks(facts),
  ];
}

function insuranceColumns(insurance: Insurance): Block {
  const { company, insured, guarantor } = insurance;
  const plan: Fields = {
    kind: 'fields',
    title: insurance.is_primary ? 'Primary insurance' : 'Secondary insurance',
    columns: 2,
    fields: [
      ['Company', company.name],
      ['Payor code', insurance.payor_code],
      ['Member id', insurance.member_id],
      ['Group', insurance.group_id ?? ''],
      ['Claims address', writtenAddress(company.address)],
    ],
  };
  const people: Fields = {
    kind: 'fields',
    title: 'Insured and guarantor',
    columns: 2,
    fields: [
      ['Insured (last, first)', lastNameFirst(insured)],
      ['Relationship of the patient', insurance.relationship],
      ['Insured born, sex', `${writtenDay(insured.dob)}, ${writtenSex(insured.gender)}`],
      ['Insured phone', insured.phone_number],
      ['Insured address', writtenAddress(insured.address)],
      [
        'Guarantor',
        guarantor
          ? [lastNameFirst(guarantor), guarantor.phone_number, writtenAddress(guarantor.address)].join('\n')
          : 'The insured',
      ],
    ],
  };
  return { kind: 'columns', shares: [1, 1], parts: [[plan], [people]] };
}

function diagnosisBlocks({ order, diagnoses }: Billed): Block[] {
  const codes = order.icd_codes ?? [];
  if (codes.length === 0) return [];
  return [
    { kind: 'heading', text: 'Diagnoses (ICD-10-CM)' },
    {
      kind: 'table',
      columns: [
        { title: 'Code', share: 2 },
        { title: 'Description', share: 13 },
      ],
      rows: codes.map((code) => {
        const known = diagnoses.find(code);
        return [{ text: known?.code ?? code, bold: true }, known?.description ?? ''];
      }),
    },
  ];
}

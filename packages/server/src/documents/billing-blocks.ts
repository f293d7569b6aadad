import type { DiagnosisIndex } from '../users/insurance/insurance.ts';
import type { Insurance } from '../users/insurance/schema.ts';
import type { DocumentBlock, FieldsBlock } from '../platform/pdf/block.ts';
import type { DocumentFacts } from './document-facts.ts';
import { lastNameFirst, formatAddress, formatDay, formatSex } from './format.ts';

interface BillingFacts extends DocumentFacts {
  readonly insurance: Insurance | undefined;
  readonly diagnoses: Pick<DiagnosisIndex, 'find'>;
}

const BILLED_TO: Readonly<Record<string, string>> = {
  client_bill: 'Client (the laboratory account)',
  commercial_insurance: 'Insurance',
  patient_bill_passthrough: 'Client, passed through to the patient',
  patient_bill: 'Patient',
};

/** The payer and the diagnoses. */
export function billingBlocks(facts: BillingFacts): DocumentBlock[] {
  const { order, insurance } = facts;
  const billTo: FieldsBlock = {
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

function insuranceColumns(insurance: Insurance): DocumentBlock {
  const { company, insured, guarantor } = insurance;
  const plan: FieldsBlock = {
    kind: 'fields',
    title: insurance.is_primary ? 'Primary insurance' : 'Secondary insurance',
    columns: 2,
    fields: [
      ['Company', company.name],
      ['Payor code', insurance.payor_code],
      ['Member id', insurance.member_id],
      ['Group', insurance.group_id ?? ''],
      ['Claims address', formatAddress(company.address)],
    ],
  };
  const people: FieldsBlock = {
    kind: 'fields',
    title: 'Insured and guarantor',
    columns: 2,
    fields: [
      ['Insured (last, first)', lastNameFirst(insured)],
      ['Relationship of the patient', insurance.relationship],
      ['Insured born, sex', `${formatDay(insured.dob)}, ${formatSex(insured.gender)}`],
      ['Insured phone', insured.phone_number],
      ['Insured address', formatAddress(insured.address)],
      [
        'Guarantor',
        guarantor
          ? [lastNameFirst(guarantor), guarantor.phone_number, formatAddress(guarantor.address)].join('\n')
          : 'The insured',
      ],
    ],
  };
  return { kind: 'columns', shares: [1, 1], parts: [[plan], [people]] };
}

function diagnosisBlocks({ order, diagnoses }: BillingFacts): DocumentBlock[] {
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

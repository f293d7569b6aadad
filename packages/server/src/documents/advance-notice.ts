import { isMedicare, findMedicareDenialReason } from '../users/insurance/insurance.ts';
import type { Insurance } from '../users/insurance/schema.ts';
import { keepTogether, type DocumentBlock, type PdfDocument, type TableRow } from '../platform/pdf/block.ts';
import { DomainError } from '../platform/errors.ts';
import type { DocumentFacts } from './document-facts.ts';
import { formatDollars, lastNameFirst, formatAddress } from './format.ts';

interface NoticeFacts extends DocumentFacts {
  readonly insurance: Insurance;
  /** Why Medicare is not expected to pay. */
  readonly reason: string;
}

/**
 * Adds the reason for the notice, or throws a 404. A notice is required if Medicare is billed and not expected to pay.
 * Imported orders never get one, since the service does not know their diagnoses.
 */
export function requireNotice(facts: DocumentFacts, insurance: Insurance | undefined): NoticeFacts {
  const isBilled = facts.order.abn_due && insurance !== undefined && isMedicare(insurance.company);
  const reason = isBilled ? findMedicareDenialReason(facts.order.icd_codes ?? []) : undefined;
  if (!insurance || reason === undefined) {
    throw new DomainError('not_found', 'ABN not found: this order does not need one');
  }
  return { ...facts, insurance, reason };
}

/** An Advance Beneficiary Notice in the service's own layout, with the options for the patient. */
export function buildNotice(facts: NoticeFacts): PdfDocument {
  const { order, insurance } = facts;
  return {
    title: `Advance Beneficiary Notice ${order.sample_id ?? order.id}`,
    createdAt: order.created_at,
    runningHeader: `Advance Beneficiary Notice of Non-coverage  ·  ${formatPatientName(facts)}`,
    footer: `Order ${order.id}  ·  data for form CMS-R-131; not the official form`,
    blocks: [
      { kind: 'text', text: 'Advance Beneficiary Notice of Non-coverage (ABN)', size: 15, bold: true },
      { kind: 'text', text: 'Data for form CMS-R-131', size: 9 },
      { kind: 'gap', height: 8 },
      {
        kind: 'fields',
        columns: 3,
        fields: [
          ['Notifier', formatNotifier(facts)],
          ['Patient (last, first)', formatPatientName(facts)],
          ['Medicare number', insurance.member_id],
        ],
      },
      { kind: 'gap', height: 4 },
      {
        kind: 'notice',
        text: 'Medicare is not expected to pay for the tests below. If it does not pay, you may have to pay.',
        size: 10.5,
      },
      ...itemBlocks(facts),
      keepTogether([...choiceBlocks(), ...signatureBlocks()]),
    ],
  };
}

const formatPatientName = ({ order: { private: people } }: DocumentFacts): string =>
  people.patient ? lastNameFirst(people.patient) : '';

function formatNotifier({ test, order, sender }: DocumentFacts): string {
  const lab = test.lab;
  const place = lab && {
    ...lab,
    first_line: lab.first_line_address,
    state: '',
    zip: lab.zipcode,
    country: 'US',
  };
  return [lab?.name ?? order.lab_slug, formatAddress(place), sender.contact].filter(Boolean).join('\n');
}

function itemBlocks({ test, reason }: NoticeFacts): DocumentBlock[] {
  const markers = test.markers ?? [];
  const known = markers.filter(({ price }) => price !== null);
  const total = known.reduce((sum, { price }) => sum + Number(price), 0);
  const rows: TableRow[] = markers.map(({ name, provider_id: code, price }) => [
    [name, code && `(${code})`].filter(Boolean).join(' '),
    reason,
    price === null ? 'unknown' : formatDollars(price),
  ]);
  const sum: TableRow = [{ text: 'Total', bold: true }, '', { text: formatDollars(total), bold: true }];
  return [
    { kind: 'heading', text: 'Tests, reason, estimated cost' },
    {
      kind: 'table',
      columns: [
        { title: 'Test', share: 5 },
        { title: 'Why Medicare may not pay', share: 6 },
        { title: 'Estimated cost', share: 2, align: 'right' },
      ],
      rows: known.length > 0 ? [...rows, sum] : rows,
    },
  ];
}

const choiceBlocks = (): DocumentBlock[] => [
  { kind: 'heading', text: 'Your choice: mark one' },
  { kind: 'list', items: CHOICES, sign: 'box', size: 9.5 },
];

const CHOICES = [
  'Option 1. I want the tests. I may be asked to pay now, but I also want Medicare to be billed for a written decision. If Medicare does not pay, I am responsible for payment, and I can appeal its decision. If Medicare pays, my payments are refunded, less copayments and deductibles.',
  'Option 2. I want the tests, but I do not want Medicare to be billed. I am responsible for payment, and I cannot appeal, because Medicare was not billed.',
  'Option 3. I do not want the tests. I am not responsible for payment, and I cannot appeal to see whether Medicare would have paid.',
];

const signatureBlocks = (): DocumentBlock[] => [
  { kind: 'heading', text: 'Signature' },
  {
    kind: 'text',
    text: 'By signing I confirm that I have received and understood this notice. I may ask for a copy of it.',
  },
  {
    kind: 'blanks',
    fields: [
      { label: 'Signature of the patient or representative', share: 8 },
      { label: 'Date', share: 3 },
    ],
  },
];

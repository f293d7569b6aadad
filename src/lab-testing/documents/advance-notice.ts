import { isMedicare, unpaidByMedicare } from '../../insurance/insurance.ts';
import type { Insurance } from '../../insurance/schema.ts';
import { together, type Block, type Paper, type TableRow } from '../../platform/pdf/block.ts';
import { DomainError } from '../../platform/errors.ts';
import type { OrderFacts } from './order-facts.ts';
import { dollars, lastNameFirst, writtenAddress } from './words.ts';

export interface NoticeFacts extends OrderFacts {
  readonly insurance: Insurance;
  /** Why Medicare is not expected to pay. */
  readonly reason: string;
}

/**
 * The facts with the reason for a notice, or a 404: one is due where Medicare is billed and not expected to pay. Of an
 * order that the laboratory had already, only the laboratory knows the diagnoses: what its order says of it counts.
 */
export function requireNoticeDue(facts: OrderFacts, insurance: Insurance | undefined): NoticeFacts {
  const isBilled = facts.order.abn_due && insurance !== undefined && isMedicare(insurance.company);
  const reason = isBilled ? unpaidByMedicare(facts.order.icd_codes ?? []) : undefined;
  if (!insurance || reason === undefined) {
    throw new DomainError('not_found', 'ABN not found: none is due for this order');
  }
  return { ...facts, insurance, reason };
}

/** The facts of an Advance Beneficiary Notice in a layout of our own, with what the patient has to decide. */
export function noticePaper(facts: NoticeFacts): Paper {
  const { order, insurance } = facts;
  return {
    title: `Advance Beneficiary Notice ${order.sample_id ?? order.id}`,
    createdAt: order.created_at,
    runningHead: `Advance Beneficiary Notice of Non-coverage  ·  ${nameOf(facts)}`,
    foot: `Order ${order.id}  ·  facts for form CMS-R-131, in a layout of our own`,
    blocks: [
      { kind: 'text', text: 'Advance Beneficiary Notice of Non-coverage (ABN)', size: 15, bold: true },
      { kind: 'text', text: 'Facts for form CMS-R-131', size: 9 },
      { kind: 'gap', height: 8 },
      {
        kind: 'fields',
        columns: 3,
        fields: [
          ['Notifier', notifierOf(facts)],
          ['Patient (last, first)', nameOf(facts)],
          ['Medicare number', insurance.member_id],
        ],
      },
      { kind: 'gap', height: 4 },
      {
        kind: 'notice',
        text: 'Medicare is not expected to pay for the tests below. If it does not pay, you may have to.',
        size: 10.5,
      },
      ...itemBlocks(facts),
      together([...choiceBlocks(), ...signatureBlocks()]),
    ],
  };
}

const nameOf = ({ order: { private: people } }: OrderFacts): string =>
  people.patient ? lastNameFirst(people.patient) : '';

function notifierOf({ test, order, sender }: OrderFacts): string {
  const lab = test.lab;
  const place = lab && {
    ...lab,
    first_line: lab.first_line_address,
    state: '',
    zip: lab.zipcode,
    country: 'US',
  };
  return [lab?.name ?? order.lab_slug, writtenAddress(place), sender.contact].filter(Boolean).join('\n');
}

function itemBlocks({ test, reason }: NoticeFacts): Block[] {
  const markers = test.markers ?? [];
  const known = markers.filter(({ price }) => price !== null);
  const total = known.reduce((sum, { price }) => sum + Number(price), 0);
  const rows: TableRow[] = markers.map(({ name, provider_id: code, price }) => [
    [name, code && `(${code})`].filter(Boolean).join(' '),
    reason,
    price === null ? 'not known' : dollars(price),
  ]);
  const sum: TableRow = [{ text: 'Total', bold: true }, '', { text: dollars(total), bold: true }];
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

const choiceBlocks = (): Block[] => [
  { kind: 'heading', text: 'Your choice: mark one' },
  { kind: 'list', items: CHOICES, sign: 'box', size: 9.5 },
];

const CHOICES = [
  'Option 1. I want the tests. I may be asked to pay now, and I want Medicare to be billed, so that it decides in writing. If it does not pay I am responsible, and I can appeal against its decision. If it pays, I get back what I paid, less what I owe for deductibles and shares.',
  'Option 2. I want the tests, and I do not want Medicare to be billed. I am responsible for the payment, and I cannot appeal, because Medicare has decided nothing.',
  'Option 3. I do not want the tests. I am not responsible for a payment, and I cannot appeal to see whether Medicare would have paid.',
];

const signatureBlocks = (): Block[] => [
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

import type { DiagnosisIndex } from '../users/insurance/insurance.ts';
import type { Insurance } from '../users/insurance/schema.ts';
import { isoDay } from '../platform/clock.ts';
import { code128, pdf417 } from '../platform/pdf/barcode.ts';
import {
  keepTogether,
  type DocumentBlock,
  type FieldsBlock,
  type PdfDocument,
  type TableRow,
} from '../platform/pdf/block.ts';
import { isPrintable } from '../platform/pdf/fonts.ts';
import { COLOR } from '../platform/pdf/marks.ts';
import { requisitionNotes } from '../ordering/orders/orders.ts';
import { billingBlocks } from './billing-blocks.ts';
import { collectedAt, isCancelled, type DocumentFacts } from './document-facts.ts';
import { questionBlocks } from './questions.ts';
import { lastNameFirst, humanize, formatAddress, formatDay, formatTimestamp, formatSex } from './format.ts';

interface RequisitionFacts extends DocumentFacts {
  readonly insurance: Insurance | undefined;
  readonly diagnoses: Pick<DiagnosisIndex, 'find'>;
}

/** The requisition that accompanies the specimen: patient, physician, tests, and billing. */
export function buildRequisitionPaper(facts: RequisitionFacts): PdfDocument {
  const { order, test } = facts;
  const lab = test.lab?.name ?? order.lab_slug;
  return {
    title: `Laboratory requisition ${order.sample_id ?? order.id}`,
    createdAt: order.created_at,
    runningHeader: ['Requisition', order.sample_id, patientLine(facts), lab].filter(Boolean).join('  ·  '),
    footer: `Order ${order.id}`,
    blocks: [
      ...headBlocks(facts, lab),
      { kind: 'gap', height: 8 },
      { kind: 'columns', shares: [1, 1], parts: [[patientFields(facts)], [orderFields(facts)]] },
      { kind: 'gap', height: 4 },
      { kind: 'columns', shares: [1, 1], parts: [[accountFields(facts)], [physicianFields(facts)]] },
      ...billingBlocks(facts),
      ...testBlocks(facts),
      ...questionBlocks(facts),
      ...commentBlocks(facts),
      keepTogether([...collectionBlocks(facts), ...barcodeBlocks(facts)]),
    ],
  };
}

const patientLine = ({ order: { private: people } }: DocumentFacts): string =>
  people.patient ? `${lastNameFirst(people.patient)}, born ${formatDay(people.patient.dob)}` : '';

function headBlocks({ order, test }: RequisitionFacts, lab: string): DocumentBlock[] {
  const bars = order.sample_id === null ? undefined : code128(order.sample_id);
  const labPlace = test.lab ? `${test.lab.first_line_address}, ${test.lab.city} ${test.lab.zipcode}` : '';
  const left: DocumentBlock[] = [
    { kind: 'text', text: 'LABORATORY REQUISITION', size: 15, bold: true },
    { kind: 'text', text: lab, size: 11, bold: true },
    { kind: 'text', text: labPlace, size: 8 },
  ];
  const right: DocumentBlock[] = bars
    ? [
        {
          kind: 'barcode',
          symbol: bars,
          height: 34,
          moduleMax: 1.4,
          align: 'right',
          caption: order.sample_id ?? '',
        },
      ]
    : [];
  return [{ kind: 'columns', shares: [3, 2], parts: [left, right] }, ...urgentBlocks({ order })];
}

function urgentBlocks({ order }: Pick<DocumentFacts, 'order'>): DocumentBlock[] {
  const notices: string[] = [];
  if (isCancelled(order))
    notices.push('CANCELLED: this order was withdrawn. Do not collect and do not test.');
  if (order.priority) notices.push('STAT: priority testing was requested.');
  return notices.flatMap((text): DocumentBlock[] => [
    { kind: 'gap', height: 6 },
    { kind: 'notice', text, size: 11 },
  ]);
}

function patientFields({ order }: DocumentFacts): FieldsBlock {
  const { patient, address } = order.private;
  const proxy = patient?.medical_proxy;
  return {
    kind: 'fields',
    title: 'Patient',
    columns: 2,
    fields: [
      ['Name (last, first)', patient ? lastNameFirst(patient) : ''],
      ['Date of birth', patient ? formatDay(patient.dob) : ''],
      ['Sex', patient ? formatSex(patient.gender) : ''],
      ['Phone', patient?.phone_number ?? ''],
      ['Address', formatAddress(address)],
      ['Patient id', order.user_id],
      ...(proxy ? [['Medical proxy', `${lastNameFirst(proxy)}\n${proxy.phone_number}`] as const] : []),
    ],
  };
}

function orderFields({ order, test }: DocumentFacts): FieldsBlock {
  return {
    kind: 'fields',
    title: 'Order',
    columns: 2,
    fields: [
      ['Requisition number', order.sample_id ?? ''],
      ['Ordered', formatTimestamp(order.created_at)],
      ['Priority', order.priority ? 'STAT' : 'Routine'],
      ['Fasting', test.fasting ? 'Required' : 'Not required'],
      ['Collection', COLLECTION[order.modality]],
      ['Specimen', humanize(test.sample_type)],
    ],
  };
}

const COLLECTION: Readonly<Record<DocumentFacts['order']['modality'], string>> = {
  testkit: 'Test kit at home',
  walk_in_test: 'Patient service center',
  at_home_phlebotomy: 'Phlebotomist at home',
  on_site_collection: 'At the ordering site',
};

const accountFields = ({ account, sender }: DocumentFacts): FieldsBlock => ({
  kind: 'fields',
  title: 'Laboratory account',
  columns: 2,
  fields: [
    ['Account number', account?.providerAccountId ?? 'Platform account'],
    ['Account name', account?.accountName ?? sender.name],
  ],
});

const physicianFields = ({ physician }: DocumentFacts): FieldsBlock => ({
  kind: 'fields',
  title: 'Ordering physician',
  columns: 2,
  fields: [
    ['Name (last, first)', physician ? lastNameFirst(physician) : ''],
    ['NPI', physician?.npi ?? ''],
  ],
});

function testBlocks({ test }: RequisitionFacts): DocumentBlock[] {
  const markers = test.markers ?? [];
  const rows = markers.map(({ provider_id: code, name, type }, index): TableRow => [
    String(index + 1),
    { text: code ?? '—', bold: true },
    name,
    type === 'panel' ? 'Panel' : 'Test',
  ]);
  return [
    { kind: 'heading', text: `Tests ordered (${markers.length})` },
    {
      kind: 'table',
      columns: [
        { title: 'No.', share: 1, align: 'right' },
        { title: 'Laboratory code', share: 3 },
        { title: 'Test', share: 9 },
        { title: 'Kind', share: 2 },
      ],
      rows,
    },
  ];
}

const UNPRINTABLE_NOTE = 'A question mark may stand for a character that cannot be printed here.';

function commentBlocks({ order }: RequisitionFacts): DocumentBlock[] {
  const notes = requisitionNotes(order);
  if (notes === null) return [];
  const lost: DocumentBlock = { kind: 'text', text: UNPRINTABLE_NOTE, size: 7.5, color: COLOR.soft };
  return [
    { kind: 'heading', text: 'Clinical comments' },
    { kind: 'text', text: notes },
    ...(isPrintable(notes) ? [] : [lost]),
  ];
}

function collectionBlocks({ order }: RequisitionFacts): DocumentBlock[] {
  const collected = collectedAt(order);
  return [
    { kind: 'heading', text: 'Collection' },
    {
      kind: 'blanks',
      fields: [
        { label: 'Date collected', share: 3, value: collected ? formatDay(isoDay(collected)) : '' },
        { label: 'Time collected', share: 3, value: collected ? formatTimestamp(collected).slice(11) : '' },
        { label: 'Fasting hours', share: 2 },
        { label: 'Collected by', share: 4 },
      ],
    },
    {
      kind: 'blanks',
      fields: [
        { label: 'Signature of the ordering physician', share: 8 },
        { label: 'Date', share: 3 },
      ],
    },
  ];
}

/** Maximum length of the PDF417 text. Test codes that do not fit are only printed. */
const BARCODE_TEXT_MAX = 600;

/**
 * The requisition as a PDF417 barcode for scanners. Fields separated by `|`: format tag `REQ1`, requisition number,
 * account, last name, first name, date of birth, sex, priority, order id, then the laboratory's test codes.
 */
function barcodeBlocks({ order, test, account }: RequisitionFacts): DocumentBlock[] {
  const { patient } = order.private;
  const head = [
    'REQ1',
    order.sample_id ?? '',
    account?.providerAccountId ?? '',
    patient?.last_name ?? '',
    patient?.first_name ?? '',
    patient?.dob ?? '',
    patient ? formatSex(patient.gender).charAt(0) : '',
    order.priority ? 'STAT' : 'R',
    order.id,
  ].join('|');
  const codes = (test.markers ?? []).flatMap(({ provider_id: code }) => code ?? []);
  const symbol = pdf417(joinFittingCodes(head, codes));
  return symbol
    ? [
        { kind: 'gap', height: 8 },
        { kind: 'barcode', symbol, height: symbol.height * 0.8, moduleMax: 0.8 },
      ]
    : [];
}

function joinFittingCodes(head: string, codes: readonly string[]): string {
  let text = head;
  for (const code of codes) {
    if (text.length + code.length + 1 > BARCODE_TEXT_MAX) return text;
    text += `|${code}`;
  }
  return text;
}

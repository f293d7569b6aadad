import type { Block, Paper } from '../../platform/pdf/block.ts';
import {
  AFTER,
  AFTER_BLOOD,
  BEFORE_KIT,
  FASTING,
  KIT_PARTS,
  NOT_FASTING,
  SEND_KIT,
  TAKEN,
  TAKEN_BY_KIT,
  VISIT_PARTS,
  type Part,
} from './instruction-texts.ts';
import type { OrderedLabTest, Sender } from './order-facts.ts';

export interface InstructionFacts {
  /** Of the order or the lab test, for the foot of the page. */
  readonly reference: string;
  readonly createdAt: Date;
  readonly test: Pick<OrderedLabTest, 'name' | 'method' | 'sample_type' | 'fasting' | 'lab' | 'markers'>;
  readonly sender: Sender;
  /** Nobody for the sheet of a lab test. */
  readonly patient: { readonly first_name: string; readonly last_name: string } | null;
  readonly sampleId: string | null;
}

const TEXT_SIZE = 10.5;

/** What the patient does, in large letters. */
export function instructionPaper(facts: InstructionFacts): Paper {
  const { test, sender } = facts;
  return {
    title: `Collection instructions: ${test.name}`,
    createdAt: facts.createdAt,
    runningHead: `Collection instructions  ·  ${test.name}`,
    foot: [facts.reference, sender.name].filter(Boolean).join('  ·  '),
    blocks: [
      { kind: 'text', text: 'How your specimen is collected', size: 18, bold: true },
      { kind: 'text', text: test.name, size: 13, bold: true },
      { kind: 'gap', height: 6 },
      ...whoBlocks(facts),
      { kind: 'gap', height: 4 },
      { kind: 'notice', text: test.fasting ? FASTING : NOT_FASTING, size: TEXT_SIZE },
      ...partsOf(facts).flatMap(partBlocks),
      ...measuredBlocks(facts),
      ...contactBlocks(facts),
    ],
  };
}

function whoBlocks({ patient, sampleId, test }: InstructionFacts): Block[] {
  const fields: [string, string][] = [];
  if (patient) fields.push(['For', `${patient.first_name} ${patient.last_name}`]);
  if (sampleId !== null) fields.push(['Specimen or requisition number', sampleId]);
  if (test.lab) fields.push(['Laboratory', test.lab.name]);
  const taken: Block = {
    kind: 'text',
    text: `What is collected: ${takenOf(test)}.`,
    size: TEXT_SIZE,
  };
  return [...(fields.length > 0 ? [{ kind: 'fields', columns: 3, fields } as const] : []), taken];
}

function partsOf({ test }: InstructionFacts): readonly Part[] {
  const after = isBlood(test) ? AFTER_BLOOD : AFTER;
  if (test.method !== 'testkit') return [...VISIT_PARTS[test.method], after];
  return [BEFORE_KIT, KIT_PARTS[test.sample_type], SEND_KIT, after];
}

const isBlood = ({ sample_type: type }: InstructionFacts['test']): boolean =>
  type === 'dried_blood_spot' || type === 'arm_collector' || type === 'serum';

const takenOf = ({ method, sample_type: type }: InstructionFacts['test']): string =>
  (method === 'testkit' ? TAKEN_BY_KIT : TAKEN)[type];

const partBlocks = ({ title, steps }: Part): Block[] => [
  { kind: 'heading', text: title },
  { kind: 'list', items: steps, sign: 'number', size: TEXT_SIZE },
];

function measuredBlocks({ test }: InstructionFacts): Block[] {
  const names = (test.markers ?? []).map(({ name }) => name);
  if (names.length === 0) return [];
  return [
    { kind: 'heading', text: 'What is measured' },
    { kind: 'text', text: names.join('; ') },
  ];
}

function contactBlocks({ sender }: InstructionFacts): Block[] {
  if (sender.contact === '') return [];
  const whom = sender.name === '' ? sender.contact : `${sender.name}, ${sender.contact}`;
  return [
    { kind: 'heading', text: 'Questions' },
    { kind: 'text', text: `Ask ${whom}.`, size: TEXT_SIZE },
  ];
}

import type { DocumentBlock, PdfDocument } from '../platform/pdf/block.ts';
import {
  AFTER,
  AFTER_BLOOD,
  BEFORE_KIT,
  FASTING,
  KIT_SECTIONS,
  NOT_FASTING,
  SEND_KIT,
  SPECIMEN_TEXTS,
  KIT_SPECIMEN_TEXTS,
  VISIT_SECTIONS,
  type InstructionSection,
} from './instruction-texts.ts';
import type { OrderedLabTest, DocumentSender } from './document-facts.ts';

interface InstructionFacts {
  /** Names the order or the lab test in the page footer. */
  readonly reference: string;
  readonly createdAt: Date;
  readonly test: Pick<OrderedLabTest, 'name' | 'method' | 'sample_type' | 'fasting' | 'lab' | 'markers'>;
  readonly sender: DocumentSender;
  /** Null for the instructions of a lab test. */
  readonly patient: { readonly first_name: string; readonly last_name: string } | null;
  readonly sampleId: string | null;
}

const TEXT_SIZE = 10.5;

/** Instructions for the patient, in large print. */
export function buildInstructions(facts: InstructionFacts): PdfDocument {
  const { test, sender } = facts;
  return {
    title: `Collection instructions: ${test.name}`,
    createdAt: facts.createdAt,
    runningHeader: `Collection instructions  ·  ${test.name}`,
    footer: [facts.reference, sender.name].filter(Boolean).join('  ·  '),
    blocks: [
      { kind: 'text', text: 'How your specimen is collected', size: 18, bold: true },
      { kind: 'text', text: test.name, size: 13, bold: true },
      { kind: 'gap', height: 6 },
      ...patientBlocks(facts),
      { kind: 'gap', height: 4 },
      { kind: 'notice', text: test.fasting ? FASTING : NOT_FASTING, size: TEXT_SIZE },
      ...selectSections(facts).flatMap(sectionBlocks),
      ...measuredBlocks(facts),
      ...contactBlocks(facts),
    ],
  };
}

function patientBlocks({ patient, sampleId, test }: InstructionFacts): DocumentBlock[] {
  const fields: [string, string][] = [];
  if (patient) fields.push(['For', `${patient.first_name} ${patient.last_name}`]);
  if (sampleId !== null) fields.push(['Specimen or requisition number', sampleId]);
  if (test.lab) fields.push(['Laboratory', test.lab.name]);
  const taken: DocumentBlock = {
    kind: 'text',
    text: `What is collected: ${specimenText(test)}.`,
    size: TEXT_SIZE,
  };
  return [...(fields.length > 0 ? [{ kind: 'fields', columns: 3, fields } as const] : []), taken];
}

function selectSections({ test }: InstructionFacts): readonly InstructionSection[] {
  const after = isBlood(test) ? AFTER_BLOOD : AFTER;
  if (test.method !== 'testkit') return [...VISIT_SECTIONS[test.method], after];
  return [BEFORE_KIT, KIT_SECTIONS[test.sample_type], SEND_KIT, after];
}

const isBlood = ({ sample_type: type }: InstructionFacts['test']): boolean =>
  type === 'dried_blood_spot' || type === 'arm_collector' || type === 'serum';

const specimenText = ({ method, sample_type: type }: InstructionFacts['test']): string =>
  (method === 'testkit' ? KIT_SPECIMEN_TEXTS : SPECIMEN_TEXTS)[type];

const sectionBlocks = ({ title, steps }: InstructionSection): DocumentBlock[] => [
  { kind: 'heading', text: title },
  { kind: 'list', items: steps, sign: 'number', size: TEXT_SIZE },
];

function measuredBlocks({ test }: InstructionFacts): DocumentBlock[] {
  const names = (test.markers ?? []).map(({ name }) => name);
  if (names.length === 0) return [];
  return [
    { kind: 'heading', text: 'What is measured' },
    { kind: 'text', text: names.join('; ') },
  ];
}

function contactBlocks({ sender }: InstructionFacts): DocumentBlock[] {
  if (sender.contact === '') return [];
  const whom = sender.name === '' ? sender.contact : `${sender.name}, ${sender.contact}`;
  return [
    { kind: 'heading', text: 'Questions' },
    { kind: 'text', text: `Ask ${whom}.`, size: TEXT_SIZE },
  ];
}

import { Button, Group, Modal, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { choiceOf, toMatch } from './loinc-codes.ts';
import { LoincSearch } from './loinc-search.tsx';
import type { LineFields, ReportLine } from './report-draft.ts';

interface ReportLineFormProps {
  /** The line as it was read, or an empty one that is added. */
  readonly read: ReportLine;
  /** The line with what was set before. */
  readonly line: ReportLine;
  readonly title: string;
  readonly onSave: (set: LineFields) => void;
  readonly onClose: () => void;
}

const INTERPRETATIONS = ['normal', 'abnormal', 'critical', 'unknown'];
const SAMPLES = ['urine', 'serum_plasma_blood', 'capillary_blood', 'stool', 'saliva', 'other', 'unknown'];

const words = (values: readonly string[]) =>
  values.map((value) => ({ value, label: value.replaceAll('_', ' ') }));

interface Texts {
  readonly test_name: string;
  readonly value: string;
  readonly units: string;
  readonly min: string;
  readonly max: string;
}

const textsOf = (line: ReportLine): Texts => ({
  test_name: line.test_name,
  value: line.value,
  units: line.units ?? '',
  min: line.min_reference_range === null ? '' : String(line.min_reference_range),
  max: line.max_reference_range === null ? '' : String(line.max_reference_range),
});

const numberOf = (text: string): number | null =>
  text.trim() === '' ? null : Number(text.replace(',', '.'));

/** Corrects a line. Only what differs from what was read is sent, so that the service compares the value again. */
export function ReportLineForm({ read, line, title, onSave, onClose }: ReportLineFormProps) {
  const [texts, setTexts] = useState(textsOf(line));
  const [interpretation, setInterpretation] = useState<string | null>(line.interpretation);
  const [sample, setSample] = useState<string | null>(line.sample_type);
  const [loinc, setLoinc] = useState(choiceOf(line));
  const isRange = [texts.min, texts.max].every((text) => Number.isFinite(numberOf(text) ?? 0));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isRange) return;
    onSave(changesOf(read, { texts, interpretation, sample, loinc }));
  };
  const field = (name: keyof Texts, label: string) => (
    <TextInput
      label={label}
      value={texts[name]}
      onChange={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
      autoComplete="off"
      {...(name === 'value' ? { 'data-autofocus': true, required: true } : {})}
      {...(name === 'test_name' ? { required: true } : {})}
      {...(['min', 'max'].includes(name) ? { inputMode: 'decimal' as const } : {})}
    />
  );
  return (
    <Modal opened onClose={onClose} title={title} size="lg">
      <form onSubmit={submit}>
        <Stack gap="sm">
          {field('test_name', 'Test as printed')}
          <SimpleGrid cols={2} spacing="sm">
            {field('value', 'Value as printed')}
            {field('units', 'Unit')}
            {field('min', 'Range from')}
            {field('max', 'Range to')}
            <Select
              label="Interpretation"
              data={words(INTERPRETATIONS)}
              value={interpretation}
              onChange={setInterpretation}
            />
            <Select
              label="Sample"
              data={words(SAMPLES)}
              value={sample}
              onChange={setSample}
              allowDeselect={false}
            />
          </SimpleGrid>
          <LoincSearch line={line} value={loinc} onChange={setLoinc} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
            <Button type="submit" disabled={!isRange}>
              Save and go on
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface Filled {
  readonly texts: Texts;
  readonly interpretation: string | null;
  readonly sample: string | null;
  readonly loinc: ReturnType<typeof choiceOf>;
}

function changesOf(read: ReportLine, { texts, interpretation, sample, loinc }: Filled): LineFields {
  const wanted: LineFields = {
    test_name: texts.test_name.trim(),
    value: texts.value.trim(),
    units: texts.units.trim() === '' ? null : texts.units.trim(),
    min_reference_range: numberOf(texts.min),
    max_reference_range: numberOf(texts.max),
    interpretation: interpretation as NonNullable<LineFields['interpretation']> | null,
    sample_type: (sample ?? 'unknown') as NonNullable<LineFields['sample_type']>,
  };
  const changed = Object.entries(wanted).filter(([name, value]) => value !== read[name as keyof ReportLine]);
  return { ...(Object.fromEntries(changed) as LineFields), ...loincChange(read, loinc) };
}

/** A code that a person left or chose is certain. */
function loincChange(read: ReportLine, loinc: ReturnType<typeof choiceOf>): LineFields {
  if (!loinc) return read.loinc_matches?.length ? { loinc_matches: [], loinc_match_status: 'no_match' } : {};
  const isSame =
    read.loinc_matches?.[0]?.loinc_code === loinc.code && read.loinc_match_status === 'auto_match';
  return isSame ? {} : { loinc_matches: [toMatch(loinc)], loinc_match_status: 'auto_match' };
}

/** What a line has that nobody read. */
export const EMPTY_LINE: ReportLine = {
  test_name: '',
  value: '',
  type: null,
  units: null,
  min_reference_range: null,
  max_reference_range: null,
  is_below_min_range: null,
  is_above_max_range: null,
  interpretation: null,
  sample_type: 'unknown',
  measurement_kind: 'unknown',
  sensitivity: 'unknown',
  source_panel_name: null,
  loinc_matches: [],
  loinc_match_status: 'no_match',
  review_reasons: [],
};

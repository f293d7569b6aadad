import { Anchor, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { components } from '../../api/openapi.d.ts';
import { DataTable, type Column } from '../../components/data-table.tsx';
import type { Marker } from '../../components/lab-tests.tsx';

type ExpectedResult = components['schemas']['ClientFacingResult'];
type Question = components['schemas']['Question'];

const RESULT_COLUMNS: readonly Column<ExpectedResult>[] = [
  { title: 'Result', render: ({ name }) => name },
  { title: 'LOINC', render: ({ loinc }) => loinc?.code ?? '–' },
  { title: 'Unit', render: ({ loinc }) => loinc?.unit ?? '–' },
  { title: 'Code', render: ({ provider_id: code }) => code ?? '–' },
];

const QUESTION_COLUMNS: readonly Column<Question>[] = [
  { title: 'Question', render: ({ value }) => value },
  { title: 'Required', render: ({ required }) => (required ? 'Yes' : 'No') },
  { title: 'Answers', render: ({ answers, type }) => answers.map(({ value }) => value).join(', ') || type },
];

/** The name of a marker, which opens what it measures and asks. */
export function MarkerDetails({ marker }: { readonly marker: Marker }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const questions = marker.aoe?.questions ?? [];
  return (
    <>
      <Anchor component="button" type="button" onClick={open} fz="sm" fw={500} c="inherit" ta="left">
        {marker.name}
      </Anchor>
      <Modal opened={isOpen} onClose={close} title={marker.name} size="lg">
        <Stack>
          {marker.description !== null && <Text size="sm">{marker.description}</Text>}
          <DataTable
            label="Results of the marker"
            columns={RESULT_COLUMNS}
            rows={marker.expected_results}
            keyOf={({ id }) => String(id)}
          />
          {questions.length > 0 && (
            <DataTable
              label="Questions at order entry"
              columns={QUESTION_COLUMNS}
              rows={questions}
              keyOf={({ id }) => String(id)}
            />
          )}
        </Stack>
      </Modal>
    </>
  );
}

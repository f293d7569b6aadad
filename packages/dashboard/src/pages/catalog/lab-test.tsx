import { Alert, Button, Group, Modal, SimpleGrid, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, client, fetchFile } from '../../api/client.ts';
import { useGoTo, usePathParameter, usePermissions } from '../../base/tenant.ts';
import { confirm, tellDone, tellError } from '../../components/confirm.tsx';
import { DataTable, type Column } from '../../components/data-table.tsx';
import { EntryForm } from '../../components/entry-form.tsx';
import { useFields, type FieldSpec } from '../../components/fields.tsx';
import {
  loincsOf,
  methodName,
  printDays,
  printPrice,
  type LabTest,
  type Marker,
} from '../../components/lab-tests.tsx';
import { PageFrame, Section } from '../../components/page.tsx';
import { sentence } from '../../components/person-fields.ts';
import { Loaded } from '../../components/states.tsx';
import { CopyId, KeyValues, StatusBadge } from '../../components/values.tsx';
import { LabTestDialog } from './create-lab-test.tsx';
import { LabTestHistory } from './lab-test-history.tsx';
import { MarkerDetails } from './marker-details.tsx';

const MARKERS_SHOWN = 100;

const MARKER_COLUMNS: readonly Column<Marker>[] = [
  { title: 'Marker', render: (marker) => <MarkerDetails marker={marker} /> },
  { title: 'Code', render: ({ provider_id: code }) => code ?? '–' },
  { title: 'LOINC', render: (marker) => loincsOf(marker).join(', ') || '–' },
  { title: 'Unit', render: ({ unit }) => unit ?? '–' },
  { title: 'Questions', render: ({ aoe }) => aoe?.questions.length ?? 0, align: 'right' },
  { title: 'Price', render: ({ price }) => printPrice(price), align: 'right' },
];

export function Page() {
  const labTestId = usePathParameter('labTestId');
  const params = { path: { lab_test_id: labTestId } };
  const test = api.useQuery('get', '/v3/lab_tests/{lab_test_id}', { params });
  const markers = api.useQuery('get', '/v3/lab_tests/{lab_test_id}/markers', {
    params: { ...params, query: { size: MARKERS_SHOWN } },
  });
  return (
    <PageFrame
      title={test.data?.name ?? 'Lab test'}
      parents={[{ title: 'Catalog', path: 'catalog' }]}
      beside={
        <>
          <StatusBadge status={test.data?.status} />
          <CopyId id={labTestId} />
        </>
      }
      actions={test.data && <LabTestActions test={test.data} />}
      calls={[
        { method: 'GET', path: `/v3/lab_tests/${labTestId}` },
        { title: 'Its history', method: 'GET', path: `/v3/lab_tests/${labTestId}/history` },
        { title: 'Retire it', method: 'PATCH', path: `/v3/lab_tests/${labTestId}`, body: { active: false } },
      ]}
    >
      <Loaded query={test}>
        {(data) => (
          <Stack>
            {data.status === 'pending_approval' && (
              <Alert color="yellow" title="Waits for approval">
                The operator of this deployment approves lab tests in production. Until then it cannot be
                ordered.
              </Alert>
            )}
            <SimpleGrid cols={{ base: 1, lg: 2 }}>
              <Section title="Details">
                <KeyValues rows={detailsOf(data)} />
              </Section>
              <Section title="Laboratory">
                <KeyValues rows={laboratoryOf(data)} />
              </Section>
            </SimpleGrid>
            <Section title="Markers">
              <Loaded query={markers}>
                {(found) => (
                  <Stack gap="xs">
                    <DataTable
                      label="Markers"
                      columns={MARKER_COLUMNS}
                      rows={found.markers}
                      keyOf={({ id }) => String(id)}
                    />
                    {found.total > found.markers.length && (
                      <Text size="xs">
                        The first {found.markers.length} of {found.total} markers.
                      </Text>
                    )}
                  </Stack>
                )}
              </Loaded>
            </Section>
            <LabTestHistory labTestId={labTestId} />
          </Stack>
        )}
      </Loaded>
    </PageFrame>
  );
}

const detailsOf = (test: LabTest) =>
  [
    ['Description', test.description],
    ['Slug', test.slug],
    ['Method', methodName(test.method)],
    ['Sample', sentence(test.sample_type)],
    ['Fasting', test.fasting ? 'Yes' : 'No'],
    ['Price', printPrice(test.price)],
    ['Results in', printDays(test.common_tat_days, test.worst_case_tat_days)],
    ['Made by', test.auto_generated ? 'The service, for an order set' : 'Your team or the catalog'],
  ] as const;

const laboratoryOf = ({ lab, ...test }: LabTest) =>
  [
    ['Name', lab?.name],
    ['Address', lab && `${lab.first_line_address}, ${lab.city} ${lab.zipcode}`],
    ['Samples', lab?.sample_types.map(sentence).join(', ')],
    [
      'Instructions',
      test.has_collection_instructions === true ? <Instructions key="pdf" labTestId={test.id} /> : undefined,
    ],
  ] as const;

function Instructions({ labTestId }: { readonly labTestId: string }) {
  const open = useMutation({
    mutationFn: async () => {
      const file = await fetchFile(`/v3/lab_test/${labTestId}/collection_instruction_pdf`, 'application/pdf');
      window.open(URL.createObjectURL(file), '_blank', 'noopener');
    },
    onError: tellError,
  });
  return (
    <Button variant="default" size="compact-sm" loading={open.isPending} onClick={() => open.mutate()}>
      Open the PDF
    </Button>
  );
}

function LabTestActions({ test }: { readonly test: LabTest }) {
  const goTo = useGoTo();
  const may = usePermissions();
  const [isRenameOpen, rename] = useDisclosure(false);
  const [isVersionOpen, version] = useDisclosure(false);
  const change = useChange(test.id);
  const retire = () =>
    confirm({
      title: `Retire ${test.name}?`,
      text: 'It can no longer be ordered. Orders that exist go on. You can make it active again.',
      action: 'Retire',
      isDangerous: true,
      run: () => change.mutate({ active: false }),
    });
  return (
    <>
      {may('catalog:write') && (
        <Group gap="xs">
          <Button variant="default" size="xs" onClick={rename.open}>
            Rename
          </Button>
          <Button variant="default" size="xs" onClick={version.open}>
            New version
          </Button>
          {test.status === 'active' && (
            <Button variant="default" size="xs" loading={change.isPending} onClick={retire}>
              Retire
            </Button>
          )}
          {test.status === 'inactive' && (
            <Button
              variant="default"
              size="xs"
              loading={change.isPending}
              onClick={() => change.mutate({ active: true })}
            >
              Make active
            </Button>
          )}
        </Group>
      )}
      {may('orders:write') && test.status === 'active' && (
        <Button size="xs" onClick={() => goTo('orders/new', { lab_test_id: test.id })}>
          Order this
        </Button>
      )}
      <Modal opened={isRenameOpen} onClose={rename.close} title="Rename lab test">
        <RenameForm test={test} onClose={rename.close} />
      </Modal>
      <LabTestDialog
        title="New version"
        isOpen={isVersionOpen}
        onClose={version.close}
        from={test}
        note={
          <Text size="sm">
            The markers and the method of a lab test never change, because orders refer to it. A new version
            is a lab test of its own.
          </Text>
        }
      />
    </>
  );
}

function useChange(labTestId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { name?: string; active?: boolean }) =>
      client.PATCH('/v3/lab_tests/{lab_test_id}', { params: { path: { lab_test_id: labTestId } }, body }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['get'] });
      tellDone('The lab test is changed');
    },
    onError: tellError,
  });
}

const NAME: readonly FieldSpec[] = [{ name: 'name', label: 'Name', isRequired: true, isWide: true }];

function RenameForm({ test, onClose }: { readonly test: LabTest; readonly onClose: () => void }) {
  const change = useChange(test.id);
  const form = useFields(NAME, { name: test.name });
  const save = async () => {
    await change.mutateAsync({ name: form.values['name']?.trim() ?? '' });
    onClose();
  };
  return <EntryForm specs={NAME} form={form} action="Rename" onCancel={onClose} submit={save} />;
}

import { Alert, Anchor, Button, FileInput, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { useOrganizationPermissions, useOrgId, useTenantPath } from '../../base/tenant.ts';
import { DataTable, type Column } from '../../components/data-table.tsx';
import { LabName } from '../../components/lab-name.tsx';
import { PageFrame, Section } from '../../components/page.tsx';
import { ErrorNotice, Loading } from '../../components/states.tsx';

type Outcome = components['schemas']['CatalogImport'];
type Change = Outcome['changes'][number];
type Fault = Outcome['faults'][number];

const PATH = '/v1/org/{org_id}/catalog_import';

interface CatalogFile {
  readonly name: string;
  readonly format: 'csv' | 'json';
  readonly content: string;
}

async function readFile(file: File): Promise<CatalogFile> {
  const format = /\.(csv|json)$/i.exec(file.name)?.[1]?.toLowerCase();
  if (format !== 'csv' && format !== 'json')
    throw new Error('Choose a file whose name ends in .csv or .json.');
  return { name: file.name, format, content: await file.text() };
}

/** Laboratories and markers from a file: first what it would change, then the import. */
export function Page() {
  const orgId = useOrgId();
  const may = useOrganizationPermissions();
  const [file, setFile] = useState<File | null>(null);
  return (
    <PageFrame
      title="Import catalog"
      parents={[{ title: 'Catalog', path: 'catalog' }]}
      description="Laboratories and markers from a file. All teams of this deployment share them."
      calls={[
        {
          method: 'POST',
          path: PATH.replace('{org_id}', orgId),
          body: { format: 'csv', content: 'record,lab,…', dry_run: true },
        },
      ]}
    >
      {may('catalog:import') ? (
        <>
          <Section title="File">
            <Stack gap="sm">
              <Text size="sm">
                CSV with a row for each laboratory, marker, result, question and answer, or JSON. What the
                file does not name stays as it is. Nothing is written before you have seen what changes.
              </Text>
              <FileInput
                label="Catalog file"
                placeholder="Choose a .csv or .json file"
                accept=".csv,.json"
                clearable
                clearButtonProps={{ 'aria-label': 'Remove the file' }}
                maw={380}
                value={file}
                onChange={setFile}
              />
            </Stack>
          </Section>
          {file && <Comparison key={`${file.name} ${file.lastModified} ${file.size}`} file={file} />}
        </>
      ) : (
        <Alert color="gray" title="You may not import the catalog">
          It takes the role of an administrator in the whole organization.
        </Alert>
      )}
    </PageFrame>
  );
}

/** What a file would change, and the button that changes it. */
function Comparison({ file }: { readonly file: File }) {
  const orgId = useOrgId();
  const queries = useQueryClient();
  const send = async (given: CatalogFile, isDryRun: boolean) => {
    const { name: _name, ...body } = given;
    const { data } = await client.POST(PATH, {
      params: { path: { org_id: orgId } },
      body: { ...body, dry_run: isDryRun },
    });
    return data;
  };
  const compared = useQuery({
    // Not among the views that an event reloads: the file is compared once.
    queryKey: ['catalog-import', file.name, file.lastModified, file.size],
    queryFn: async () => {
      const given = await readFile(file);
      return { given, outcome: await send(given, true) };
    },
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  });
  const importing = useMutation({
    mutationFn: (given: CatalogFile) => send(given, false),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['get'] }),
  });
  if (compared.error) return <ErrorNotice error={compared.error} />;
  const { given, outcome } = compared.data ?? {};
  if (!given || !outcome) return <Loading lines={4} />;
  if (outcome.faults.length > 0) return <Faults faults={outcome.faults} />;
  const shown = importing.data ?? outcome;
  if (shown.faults.length > 0) return <Faults faults={shown.faults} />;
  return (
    <Section
      title={shown.imported ? 'Imported' : 'What the import changes'}
      actions={
        !shown.imported &&
        shown.changes.length > 0 && (
          <Button size="xs" loading={importing.isPending} onClick={() => importing.mutate(given)}>
            Import
          </Button>
        )
      }
    >
      <Stack gap="sm">
        {importing.error && <ErrorNotice error={importing.error} />}
        <Summary outcome={shown} />
        {shown.changes.length > 0 && (
          <DataTable
            label="Changes"
            columns={CHANGE_COLUMNS}
            rows={shown.changes}
            keyOf={({ record, lab, marker }) => `${record} ${lab} ${marker ?? ''}`}
          />
        )}
      </Stack>
    </Section>
  );
}

const CHANGE_COLUMNS: readonly Column<Change>[] = [
  {
    title: 'Row',
    width: 130,
    render: ({ action, record }) => `${action === 'added' ? 'New' : 'Changed'} ${record}`,
  },
  { title: 'Name', render: ({ name }) => name },
  { title: 'Laboratory', render: ({ lab }) => <LabName slug={lab} /> },
  { title: 'Code', render: ({ marker }) => marker ?? '–' },
  {
    title: 'What is different',
    render: ({ action, columns }) => (action === 'added' ? '–' : columns.join(', ').replaceAll('_', ' ')),
  },
];

function Summary({ outcome }: { readonly outcome: Outcome }) {
  const pathOf = useTenantPath();
  const rows = [
    { kind: 'Laboratories', ...outcome.labs },
    { kind: 'Markers', ...outcome.markers },
  ];
  return (
    <>
      {outcome.imported && (
        <Alert color="teal" role="status" title="The catalog is as the file says">
          <Anchor component={Link} to={pathOf('catalog')} search={{ tab: 'markers' } as never} size="sm">
            Markers of the catalog
          </Anchor>
        </Alert>
      )}
      {outcome.changes.length === 0 && (
        <Alert color="gray" role="status" title="Nothing to import">
          The catalog is already as the file says.
        </Alert>
      )}
      <DataTable
        label="Counts"
        rows={rows}
        keyOf={({ kind }) => kind}
        columns={[
          { title: '', render: ({ kind }) => kind },
          { title: 'New', align: 'right', render: ({ added }) => added.toLocaleString() },
          { title: 'Changed', align: 'right', render: ({ changed }) => changed.toLocaleString() },
          { title: 'Unchanged', align: 'right', render: ({ unchanged }) => unchanged.toLocaleString() },
        ]}
      />
      {outcome.taken_over > 0 && (
        <Text size="sm">
          {outcome.taken_over.toLocaleString()} of them came with the service. From then on they are yours,
          and updates do not change them.
        </Text>
      )}
    </>
  );
}

const FAULT_COLUMNS: readonly Column<Fault>[] = [
  { title: 'Line', width: 110, render: ({ line, place }) => line ?? place },
  { title: 'Column', width: 120, render: ({ column }) => column ?? '–' },
  { title: 'What is wrong', render: ({ message }) => message },
];

const Faults = ({ faults }: { readonly faults: readonly Fault[] }) => (
  <Section title="The file cannot be imported">
    <Stack gap="sm">
      <Group gap="xs">
        <Text size="sm" role="alert">
          Nothing was written. Correct {faults.length === 1 ? 'this place' : `these ${faults.length} places`}{' '}
          and choose the file again.
        </Text>
      </Group>
      <DataTable
        label="Faults"
        columns={FAULT_COLUMNS}
        rows={faults}
        keyOf={({ place, column, message }) => `${place} ${column ?? ''} ${message}`}
      />
    </Stack>
  </Section>
);

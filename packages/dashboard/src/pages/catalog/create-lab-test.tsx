import { Button, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { IconPlus } from '../../base/icons.ts';
import { useGoTo, usePermissions, useTenant } from '../../base/tenant.ts';
import { tellDone } from '../../components/confirm.tsx';
import { EntryForm } from '../../components/entry-form.tsx';
import { useFields, type FieldSpec } from '../../components/fields.tsx';
import { methodName, type LabTest } from '../../components/lab-tests.tsx';
import { MarkerSearch, type ChosenMarker } from '../../components/marker-search.tsx';
import { Loaded } from '../../components/states.tsx';

type Lab = components['schemas']['ClientFacingLab'];
type LabAccount = components['schemas']['ClientFacingLabAccount'];
type LabTestInput = components['schemas']['CreateLabTestRequestInput'];

export function CreateLabTest() {
  const [isOpen, { open, close }] = useDisclosure(false);
  const mayCreate = usePermissions()('catalog:write');
  if (!mayCreate) return null;
  return (
    <>
      <Button leftSection={<IconPlus size={16} />} onClick={open}>
        Create lab test
      </Button>
      <LabTestDialog title="Create lab test" isOpen={isOpen} onClose={close} />
    </>
  );
}

interface LabTestDialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** The lab test of which a new version is made: its parts are filled in. */
  readonly from?: LabTest;
  readonly note?: ReactNode;
}

export const LabTestDialog = ({ title, isOpen, onClose, ...props }: LabTestDialogProps) => (
  <Modal opened={isOpen} onClose={onClose} title={title} size="lg">
    <LabTestForm onClose={onClose} {...props} />
  </Modal>
);

function LabTestForm(props: Omit<LabTestDialogProps, 'title' | 'isOpen'>) {
  const labs = api.useQuery('get', '/v3/lab_tests/labs');
  const accounts = api.useQuery('get', '/v3/lab_test/lab_account', {
    params: { query: { status: 'active' } },
  });
  return (
    <Loaded query={labs}>
      {(data) => <LabTestFields {...props} labs={data} accounts={accounts.data?.data ?? []} />}
    </Loaded>
  );
}

const fieldsFor = (
  labs: readonly Lab[],
  accounts: readonly LabAccount[],
  slug: string | undefined,
): readonly FieldSpec[] => [
  {
    name: 'lab_slug',
    label: 'Laboratory',
    kind: 'select',
    isRequired: true,
    options: labs.map((lab) => ({ value: lab.slug, label: lab.name })),
  },
  {
    name: 'method',
    label: 'Collection method',
    kind: 'select',
    isRequired: true,
    options: (labs.find((lab) => lab.slug === slug)?.collection_methods ?? []).map((value) => ({
      value,
      label: methodName(value),
    })),
  },
  { name: 'name', label: 'Name', isRequired: true, isWide: true },
  { name: 'description', label: 'Description', kind: 'multiline', isRequired: true, isWide: true },
  {
    name: 'lab_account_id',
    label: 'Lab account',
    kind: 'select',
    hint: 'Empty: the account of this deployment',
    options: accounts
      .filter(({ lab }) => lab === slug)
      .map((account) => ({ value: account.id, label: account.account_name ?? account.provider_account_id })),
  },
  { name: 'fasting', label: 'The patient must fast', kind: 'checkbox' },
];

const RETIRE: FieldSpec = { name: 'retire', label: 'Retire the version before it', kind: 'checkbox' };

interface LabTestFieldsProps extends Omit<LabTestDialogProps, 'title' | 'isOpen'> {
  readonly labs: readonly Lab[];
  readonly accounts: readonly LabAccount[];
}

function LabTestFields({ onClose, from, note, labs, accounts }: LabTestFieldsProps) {
  const goTo = useGoTo();
  const queries = useQueryClient();
  const { environment } = useTenant();
  const [markers, setMarkers] = useState<readonly ChosenMarker[]>(from?.markers ?? []);
  const [isMarkerMissing, setMarkerMissing] = useState(false);
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const specs = fieldsFor(labs, accounts, from?.lab?.slug);
  const form = useFields(specs, from ? valuesOf(from) : {});
  const shownSpecs = [
    ...fieldsFor(labs, accounts, form.values['lab_slug']),
    ...(from?.status === 'active' ? [RETIRE] : []),
  ];
  const create = async () => {
    if (markers.length === 0) {
      setMarkerMissing(true);
      return;
    }
    const { data: test } = await client.POST('/v3/lab_tests', {
      body: bodyOf(form.values, markers, from),
      params: { header: { 'X-Idempotency-Key': idempotencyKey } },
    });
    if (!test) return;
    await queries.invalidateQueries({ queryKey: ['get'] });
    tellDone(
      environment === 'sandbox'
        ? 'The lab test is active'
        : 'The lab test waits for approval by the operator',
    );
    onClose();
    goTo(`catalog/${test.id}`);
  };
  return (
    <Stack>
      {note}
      <EntryForm specs={shownSpecs} form={form} action="Create lab test" onCancel={onClose} submit={create}>
        <MarkerSearch
          label="Markers"
          isRequired
          hint="All of one laboratory"
          placeholder={form.values['lab_slug'] ? 'Type a name' : 'Choose the laboratory first'}
          isDisabled={!form.values['lab_slug']}
          labSlug={form.values['lab_slug']}
          value={markers}
          onChange={(next) => {
            setMarkers(next);
            setMarkerMissing(false);
          }}
          error={isMarkerMissing ? 'Choose at least one marker' : undefined}
        />
      </EntryForm>
    </Stack>
  );
}

const valuesOf = (test: LabTest): Record<string, string> => ({
  lab_slug: test.lab?.slug ?? '',
  method: test.method,
  name: test.name,
  description: test.description ?? '',
  fasting: String(test.fasting),
});

function bodyOf(
  values: Readonly<Record<string, string>>,
  markers: readonly ChosenMarker[],
  from: LabTest | undefined,
): LabTestInput {
  const { name = '', description = '', method, lab_slug: lab, lab_account_id: account, fasting } = values;
  return {
    name: name.trim(),
    description: description.trim(),
    method: method as LabTestInput['method'],
    marker_ids: markers.map(({ id }) => id),
    fasting: fasting === 'true',
    ...(lab ? { lab_slug: lab as NonNullable<LabTestInput['lab_slug']> } : {}),
    ...(account ? { lab_account_id: account } : {}),
    ...(from && !from.auto_generated
      ? { version_of: from.id, retire_previous: values['retire'] === 'true' }
      : {}),
  };
}

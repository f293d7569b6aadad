import { Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { useGoTo } from '../../base/tenant.ts';
import { tellDone } from '../../components/confirm.tsx';
import { EntryForm } from '../../components/entry-form.tsx';
import { toNested, useFields, type FieldSpec } from '../../components/fields.tsx';

const FIELDS: readonly FieldSpec[] = [
  {
    name: 'client_user_id',
    label: 'Client user id',
    isRequired: true,
    isWide: true,
    hint: 'The id of this person in your system. It appears in URLs and logs, so use no name or e-mail address.',
    placeholder: 'patient-001',
  },
  {
    name: 'fallback_time_zone',
    label: 'Time zone',
    hint: 'For days, until a device tells one',
    placeholder: 'America/New_York',
  },
  { name: 'fallback_birth_date', label: 'Birth date', kind: 'date', hint: 'For devices without one' },
  { name: 'ingestion_start', label: 'Device data from', kind: 'date' },
  { name: 'ingestion_end', label: 'Device data until', kind: 'date' },
];

interface CreateUserProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function CreateUser({ isOpen, onClose }: CreateUserProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Create user">
      <UserForm onClose={onClose} />
    </Modal>
  );
}

function UserForm({ onClose }: { readonly onClose: () => void }) {
  const goTo = useGoTo();
  const queries = useQueryClient();
  const form = useFields(FIELDS);
  const create = async () => {
    const body = toNested(form.values) as { client_user_id: string };
    const { data: user } = await client.POST('/v2/user', { body });
    await queries.invalidateQueries({ queryKey: ['get', '/v2/user'] });
    tellDone('The user is created');
    onClose();
    if (user) goTo(`users/${user.user_id}`);
  };
  return <EntryForm specs={FIELDS} form={form} action="Create user" onCancel={onClose} submit={create} />;
}

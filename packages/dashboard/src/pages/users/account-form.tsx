import { useQueryClient } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { tellDone } from '../../components/confirm.tsx';
import { EntryForm } from '../../components/entry-form.tsx';
import { useFields, type FieldSpec } from '../../components/fields.tsx';
import type { User } from './tab.ts';

const FIELDS: readonly FieldSpec[] = [
  { name: 'client_user_id', label: 'Client user id', isRequired: true, isWide: true },
  { name: 'fallback_time_zone', label: 'Time zone', placeholder: 'America/New_York' },
  { name: 'fallback_birth_date', label: 'Birth date', kind: 'date' },
  { name: 'ingestion_start', label: 'Device data from', kind: 'date' },
  { name: 'ingestion_end', label: 'Device data until', kind: 'date' },
];

const valuesOf = (user: User): Record<string, string> => ({
  client_user_id: user.client_user_id,
  fallback_time_zone: user.fallback_time_zone?.id ?? '',
  fallback_birth_date: user.fallback_birth_date?.value ?? '',
  ingestion_start: user.ingestion_start ?? '',
  ingestion_end: user.ingestion_end ?? '',
});

/** Sends only what was changed; an emptied field is removed. */
export function AccountForm({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const before = valuesOf(user);
  const form = useFields(FIELDS, before);
  const save = async () => {
    const changed = Object.entries(form.values).filter(([name, value]) => value.trim() !== before[name]);
    const body = Object.fromEntries(changed.map(([name, value]) => [name, value.trim() || null]));
    await client.PATCH('/v2/user/{user_id}', { params: { path: { user_id: user.user_id } }, body });
    await queries.invalidateQueries({ queryKey: ['get'] });
    tellDone('The user is saved');
    onClose();
  };
  return <EntryForm specs={FIELDS} form={form} action="Save" onCancel={onClose} submit={save} />;
}

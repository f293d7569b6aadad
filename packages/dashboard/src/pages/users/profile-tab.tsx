import { Button, Modal, SimpleGrid } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { usePermissions } from '../../base/tenant.ts';
import { tellDone } from '../../components/confirm.tsx';
import { useDemographics } from '../../components/demographics.ts';
import { EntryForm } from '../../components/entry-form.tsx';
import { fromObject, toNested, useFields, type FieldSpec } from '../../components/fields.tsx';
import { Section } from '../../components/page.tsx';
import { addressFields, MORE_ABOUT_PERSON, PERSON_FIELDS, sentence } from '../../components/person-fields.ts';
import { EmptyState, ErrorNotice, Loading } from '../../components/states.tsx';
import { CopyId, EmailText, KeyValues, TimeText } from '../../components/values.tsx';
import { AccountForm } from './account-form.tsx';
import type { TabProps } from './tab.ts';

type Demographics = components['schemas']['UserInfo'];
type DemographicsInput = components['schemas']['UserInfoCreateRequestInput'];

const FIELDS: readonly FieldSpec[] = [...PERSON_FIELDS, ...addressFields('address'), ...MORE_ABOUT_PERSON];

export function ProfileTab({ user }: TabProps) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [isAccountOpen, account] = useDisclosure(false);
  const mayWrite = usePermissions()('users:write');
  const info = useDemographics(user.user_id);
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <Section title="Demographics" actions={mayWrite && info.data && <EditButton onClick={open} />}>
        {info.error ? (
          <ErrorNotice error={info.error} onRetry={() => void info.refetch()} />
        ) : (
          info.isPending && <Loading lines={5} />
        )}
        {info.isMissing && (
          <EmptyState
            title="No demographics yet"
            call={`PATCH /v2/user/…/info`}
            action={mayWrite && <Button onClick={open}>Add demographics</Button>}
          >
            Name, birth date, address and contact of this person. An order takes them from here.
          </EmptyState>
        )}
        {info.data && <KeyValues rows={rowsOf(info.data)} />}
      </Section>
      <Section title="User" actions={mayWrite && <EditButton onClick={account.open} label="Edit user" />}>
        <KeyValues
          rows={[
            ['User id', <CopyId key="id" id={user.user_id} />],
            ['Client user id', user.client_user_id],
            ['Created', <TimeText key="created" value={user.created_on} />],
            ['Time zone', user.fallback_time_zone?.id],
            ['Birth date', user.fallback_birth_date?.value],
            ['Device data from', user.ingestion_start],
            ['Device data until', user.ingestion_end],
          ]}
        />
      </Section>
      <Modal opened={isOpen} onClose={close} title="Demographics" size="lg">
        <DemographicsForm userId={user.user_id} info={info.data} onClose={close} />
      </Modal>
      <Modal opened={isAccountOpen} onClose={account.close} title="Edit user">
        <AccountForm user={user} onClose={account.close} />
      </Modal>
    </SimpleGrid>
  );
}

const EditButton = ({ onClick, label = 'Edit demographics' }: { onClick: () => void; label?: string }) => (
  <Button variant="default" size="xs" onClick={onClick} aria-label={label}>
    Edit
  </Button>
);

const rowsOf = (info: Demographics) =>
  [
    ['Name', `${info.first_name} ${info.last_name}`],
    ['Birth date', info.dob],
    ['Gender', sentence(info.gender)],
    ['Phone', info.phone_number],
    ['E-mail', <EmailText key="email" email={info.email} />],
    [
      'Address',
      [
        info.address.first_line,
        info.address.second_line,
        `${info.address.city}, ${info.address.state} ${info.address.zip}`,
        info.address.country,
      ]
        .filter(Boolean)
        .join(', '),
    ],
    ['Race', info.race ? sentence(info.race) : undefined],
    ['Ethnicity', info.ethnicity ? sentence(info.ethnicity) : undefined],
  ] as const;

interface DemographicsFormProps {
  readonly userId: string;
  readonly info: Demographics | undefined;
  readonly onClose: () => void;
}

function DemographicsForm({ userId, info, onClose }: DemographicsFormProps) {
  const queries = useQueryClient();
  const form = useFields(FIELDS, info ? fromObject(FIELDS, info) : { 'address.country': 'US' });
  const save = async () => {
    const params = { path: { user_id: userId } };
    const body = bodyOf(info, toNested(form.values));
    await client.PATCH('/v2/user/{user_id}/info', { params, body });
    await queries.invalidateQueries({ queryKey: ['get', '/v1/users/names'] });
    await queries.invalidateQueries({ queryKey: ['get', '/v2/user/{user_id}/info/latest'] });
    await queries.invalidateQueries({ queryKey: ['get', '/v1/user/{user_id}/overview'] });
    tellDone('The demographics are saved');
    onClose();
  };
  return <EntryForm specs={FIELDS} form={form} action="Save" onCancel={onClose} submit={save} />;
}

/** What the form does not show stays as it is: the request replaces all demographics. */
function bodyOf(info: Demographics | undefined, entered: Record<string, unknown>): DemographicsInput {
  const kept = {
    medical_proxy: info?.medical_proxy,
    sexual_orientation: info?.sexual_orientation,
    gender_identity: info?.gender_identity,
  };
  const address = entered['address'] as object;
  const notes = info?.address.access_notes;
  return {
    ...kept,
    ...entered,
    address: { ...(notes ? { access_notes: notes } : {}), ...address },
  } as DemographicsInput;
}

import { Button, Group, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { IconPlus } from '../../base/icons.ts';
import { confirm } from '../../components/confirm.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { hasPasskeys, PasskeyEnrollment } from '../../components/enrollment/passkey-enrollment.tsx';
import { RecoveryCodes } from '../../components/enrollment/recovery-codes.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Section } from '../../components/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { useAction } from '../../components/use-action.ts';
import { TimeText } from '../../components/values.tsx';

type Passkey = components['schemas']['MemberPasskey'];

const CHANGES = ['/v1/account/passkey', '/v1/account/second-factor', '/v1/account/session'];

export function Passkeys() {
  const query = api.useQuery('get', '/v1/account/passkey');
  const { run } = useAction(CHANGES);
  const [isAdding, setAdding] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>();
  const [renamed, setRenamed] = useState<Passkey>();
  const close = () => {
    setAdding(false);
    setCodes(undefined);
  };
  const askToRemove = ({ id, name }: Passkey) =>
    confirm({
      title: `Remove the passkey ${name}?`,
      text: 'It no longer signs you in. Also delete it on the device, which does not know of this.',
      action: 'Remove the passkey',
      isDangerous: true,
      run: () =>
        run(
          () => client.DELETE('/v1/account/passkey/{passkey_id}', { params: { path: { passkey_id: id } } }),
          'The passkey is removed.',
        ),
    });
  return (
    <Section
      title="Passkeys"
      actions={
        hasPasskeys() && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={15} />}
            onClick={() => setAdding(true)}
          >
            Add a passkey
          </Button>
        )
      }
    >
      <Loaded query={query} lines={2}>
        {({ passkeys }) => (
          <DataTable
            label="Passkeys"
            rows={passkeys}
            keyOf={({ id }) => id}
            empty={
              <EmptyState title="No passkey yet">
                A passkey signs you in without a password, by the fingerprint, face or PIN of a device. It
                cannot be phished.
              </EmptyState>
            }
            columns={[
              { title: 'Name', phone: 'title', render: ({ name }) => name },
              { title: 'Added', phone: 'detail', render: ({ created_at: at }) => <TimeText value={at} /> },
              {
                title: 'Last used',
                phone: 'aside',
                render: ({ last_used_at: at }) => (at ? <TimeText value={at} relative /> : 'Never'),
              },
              {
                title: 'Actions',
                phone: 'actions',
                align: 'right',
                render: (passkey) => (
                  <Group gap="xs" justify="flex-end" wrap="nowrap">
                    <Button size="compact-xs" variant="default" onClick={() => setRenamed(passkey)}>
                      Rename
                    </Button>
                    <Button size="compact-xs" variant="default" onClick={() => askToRemove(passkey)}>
                      Remove
                    </Button>
                  </Group>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      {renamed && <RenamePasskey passkey={renamed} onClose={() => setRenamed(undefined)} />}
      <Modal
        opened={isAdding || codes !== undefined}
        onClose={close}
        title={codes ? 'Recovery codes' : 'Add a passkey'}
        closeOnClickOutside={!codes}
      >
        {codes ? (
          <RecoveryCodes codes={codes} onDone={close} />
        ) : (
          <PasskeyEnrollment
            onEnrolled={({ recovery_codes: made }) =>
              void run(async () => {
                setAdding(false);
                setCodes(made ?? undefined);
              }, 'The passkey is added.')
            }
          />
        )}
      </Modal>
    </Section>
  );
}

function RenamePasskey({ passkey, onClose }: { readonly passkey: Passkey; readonly onClose: () => void }) {
  const [name, setName] = useState(passkey.name);
  return (
    <FormDialog
      title="Rename the passkey"
      action="Rename"
      changes={['/v1/account/passkey']}
      onClose={onClose}
      onSubmit={() =>
        client.PATCH('/v1/account/passkey/{passkey_id}', {
          params: { path: { passkey_id: passkey.id } },
          body: { name: name.trim() },
        })
      }
    >
      <TextInput
        label="Name"
        required
        maxLength={100}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

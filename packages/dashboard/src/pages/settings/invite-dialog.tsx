import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { IconPlus } from '../../base/icons.ts';
import { useOrgId } from '../../base/tenant.ts';
import { tellDone } from '../../components/confirm.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { NO_ROLES, RoleEditor, toRolesBody } from './role-editor.tsx';

export function InviteButton() {
  const [isOpen, setOpen] = useState(false);
  const [url, setUrl] = useState<string>();
  return (
    <>
      <Button size="xs" leftSection={<IconPlus size={15} />} onClick={() => setOpen(true)}>
        Invite a member
      </Button>
      {isOpen && <InviteDialog onClose={() => setOpen(false)} onUrl={setUrl} />}
      {url !== undefined && (
        <SecretOnce
          title="Send this link to the new member"
          text="This service has no mail server, so give the link to the person yourself. It works once, within 7 days."
          value={url}
          onClose={() => setUrl(undefined)}
        />
      )}
    </>
  );
}

interface InviteDialogProps {
  readonly onClose: () => void;
  readonly onUrl: (url: string) => void;
}

function InviteDialog({ onClose, onUrl }: InviteDialogProps) {
  const orgId = useOrgId();
  const [email, setEmail] = useState('');
  const [roles, setRoles] = useState(NO_ROLES);
  const submit = async () => {
    const { data } = await client.POST('/v1/org/{org_id}/invite', {
      params: { path: { org_id: orgId } },
      body: { email: email.trim(), ...toRolesBody(roles) },
    });
    if (data?.status === 'already_in_org') throw new Error('This address belongs to a member already.');
    if (data?.invite_url) onUrl(data.invite_url);
    else tellDone(`The invite to ${email} is on its way.`);
  };
  return (
    <FormDialog
      title="Invite a member"
      action="Invite"
      size="lg"
      changes={['/v1/org/{org_id}/invite']}
      onClose={onClose}
      onSubmit={submit}
    >
      <TextInput
        label="E-mail"
        type="email"
        required
        data-autofocus
        autoComplete="off"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <RoleEditor value={roles} onChange={setRoles} />
    </FormDialog>
  );
}

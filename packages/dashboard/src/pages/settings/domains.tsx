import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { IconPlus } from '../../base/icons.ts';
import { useOrganizationPermissions, useOrgId } from '../../base/tenant.ts';
import { confirm, tellDone } from '../../components/confirm.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Section } from '../../components/page.tsx';
import { CodeBlock } from '../../components/show-api-call.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { useAction } from '../../components/use-action.ts';
import { StatusBadge, TimeText } from '../../components/values.tsx';

const PATH = '/v1/org/{org_id}/domain';
const ONE = '/v1/org/{org_id}/domain/{domain_id}';
type Domain = components['schemas']['ClientFacingOrgDomain'];

export function Domains() {
  const may = useOrganizationPermissions();
  const query = api.useQuery('get', PATH, { params: { path: { org_id: useOrgId() } } });
  const [isAdding, setAdding] = useState(false);
  const add = may('domains:write') && (
    <Button size="xs" leftSection={<IconPlus size={15} />} onClick={() => setAdding(true)}>
      Add a domain
    </Button>
  );
  return (
    <Loaded query={query}>
      {({ data }) => (
        <>
          {data.length === 0 ? (
            <EmptyState title="No domains yet" call="POST /v1/org/{org_id}/domain" action={add}>
              A domain of your e-mail addresses that you prove with a DNS record. Single sign-on works for
              verified domains.
            </EmptyState>
          ) : (
            <Group justify="flex-end">{add}</Group>
          )}
          {data.map((domain) => (
            <DomainCard key={domain.id} domain={domain} mayWrite={may('domains:write')} />
          ))}
          {isAdding && <AddDomain onClose={() => setAdding(false)} />}
        </>
      )}
    </Loaded>
  );
}

function DomainCard({ domain, mayWrite }: { readonly domain: Domain; readonly mayWrite: boolean }) {
  const path = { org_id: useOrgId(), domain_id: domain.id };
  const { run, isBusy } = useAction([PATH, ONE]);
  const [isSending, setSending] = useState(false);
  // The list leaves the records out.
  const { data } = api.useQuery('get', ONE, { params: { path } }, { enabled: !domain.is_verified });
  const records = data?.dns_records ?? domain.dns_records ?? [];
  const verify = () =>
    run(async () => {
      const { data: answer } = await client.POST(`${ONE}/verify`, { params: { path } });
      if (answer?.status !== 'verified') throw new Error(answer?.detail ?? 'The record is not there yet.');
      tellDone(`${domain.domain} is verified.`);
    });
  const remove = () =>
    confirm({
      title: `Remove ${domain.domain}?`,
      text: 'Single sign-on no longer works for addresses of this domain.',
      action: 'Remove',
      isDangerous: true,
      run: () => run(() => client.DELETE(ONE, { params: { path } }), 'The domain is removed.'),
    });
  return (
    <Section
      title={domain.domain}
      actions={
        mayWrite && (
          <Group gap="xs">
            {!domain.is_verified && (
              <>
                <Button size="xs" loading={isBusy} onClick={() => void verify()}>
                  Verify
                </Button>
                <Button size="xs" variant="default" onClick={() => setSending(true)}>
                  E-mail the instructions
                </Button>
              </>
            )}
            <Button size="xs" variant="default" onClick={remove}>
              Remove
            </Button>
          </Group>
        )
      }
    >
      <Stack gap="xs">
        <Group gap="xs">
          <StatusBadge status={domain.status} />
          {domain.checked_on && (
            <Text size="xs" c="dimmed">
              Checked <TimeText value={domain.checked_on} relative />
            </Text>
          )}
        </Group>
        {!domain.is_verified &&
          records.map(({ type, name, value }) => (
            <Stack key={value} gap={4}>
              <Text size="sm">
                Add this {type} record at your DNS provider, then verify. It can take an hour until it is
                visible.
              </Text>
              <Text size="xs" c="dimmed">
                Name
              </Text>
              <CodeBlock text={name} />
              <Text size="xs" c="dimmed">
                Value
              </Text>
              <CodeBlock text={value} />
            </Stack>
          ))}
      </Stack>
      {isSending && <SendInstructions domain={domain} onClose={() => setSending(false)} />}
    </Section>
  );
}

function AddDomain({ onClose }: { readonly onClose: () => void }) {
  const orgId = useOrgId();
  const [domain, setDomain] = useState('');
  return (
    <FormDialog
      title="Add a domain"
      action="Add"
      changes={[PATH]}
      onClose={onClose}
      onSubmit={() =>
        client.POST(PATH, { params: { path: { org_id: orgId } }, body: { domain: domain.trim() } })
      }
    >
      <TextInput
        label="Domain"
        placeholder="example.com"
        required
        data-autofocus
        value={domain}
        onChange={(event) => setDomain(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

function SendInstructions({ domain, onClose }: { readonly domain: Domain; readonly onClose: () => void }) {
  const path = { org_id: useOrgId(), domain_id: domain.id };
  const [email, setEmail] = useState('');
  const submit = async () => {
    await client.POST(`${ONE}/send_domain_instructions`, {
      params: { path },
      body: { to_email: email.trim() },
    });
    tellDone('The instructions are on their way.');
  };
  return (
    <FormDialog title="E-mail the instructions" action="Send" onClose={onClose} onSubmit={submit}>
      <TextInput
        label="To"
        description="The person who manages your DNS."
        type="email"
        required
        data-autofocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

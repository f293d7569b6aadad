import { Radio, Select, Stack, Title } from '@mantine/core';
import { api } from '../../api/client.ts';
import { useTenant } from '../../base/tenant.ts';
import { Fields } from '../../components/fields.tsx';
import type { LabTest } from '../../components/lab-tests.tsx';
import { sentence } from '../../components/person-fields.ts';
import { OPTIONS, PHYSICIAN, type Draft, type PhysicianChoice } from './draft.ts';

interface PhysicianStepProps {
  readonly draft: Draft;
  readonly test: LabTest;
}

/** Who signs the order, through which account it goes, and who pays. */
export function PhysicianStep({ draft, test }: PhysicianStepProps) {
  const { teamId } = useTenant();
  const { form, physicianChoice } = draft;
  const physicians = api.useQuery('get', '/v2/team/{team_id}/physicians', {
    params: { path: { team_id: teamId } },
  });
  const accounts = api.useQuery('get', '/v3/lab_test/lab_account', {
    params: { query: { status: 'active' } },
  });
  const listed = physicians.data ?? [];
  const ofLab = (accounts.data?.data ?? []).filter(({ lab }) => lab === test.lab?.slug);
  const choosePhysician = (npi: string | null) => {
    const one = listed.find((physician) => physician.npi === npi);
    form.set('physician.npi', one?.npi ?? '');
    form.set('physician.first_name', one?.first_name ?? '');
    form.set('physician.last_name', one?.last_name ?? '');
  };
  return (
    <Stack>
      <Title order={3}>Ordering physician</Title>
      <Radio.Group
        value={physicianChoice}
        onChange={(choice) => draft.setPhysicianChoice(choice as PhysicianChoice)}
        aria-label="Ordering physician"
      >
        <Stack gap="xs">
          <Radio value="default" label="That of the lab account, or one of this deployment" />
          {listed.length > 0 && <Radio value="listed" label="One of the physicians of this deployment" />}
          <Radio value="other" label="Another physician" />
        </Stack>
      </Radio.Group>
      {physicianChoice === 'listed' && (
        <Select
          label="Physician"
          required
          maw={420}
          data={listed.map(({ npi, first_name: first, last_name: last }) => ({
            value: npi,
            label: `${first} ${last} (NPI ${npi})`,
          }))}
          value={form.values['physician.npi'] || null}
          onChange={choosePhysician}
          error={form.errors['physician.npi']}
        />
      )}
      {physicianChoice === 'other' && <Fields specs={PHYSICIAN} form={form} columns={3} />}
      {ofLab.length > 0 && (
        <Select
          label="Lab account"
          description="Without a choice, an active one of your team at this laboratory"
          maw={420}
          clearable
          data={ofLab.map((account) => ({
            value: account.id,
            label: `${account.account_name ?? account.provider_account_id} (${sentence(account.delegated_flow)})`,
          }))}
          value={draft.labAccountId}
          onChange={draft.setLabAccountId}
        />
      )}
      <Title order={3} mt="sm">
        Billing and notes
      </Title>
      <Fields specs={OPTIONS} form={form} />
    </Stack>
  );
}

import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { tellDone } from '../../components/confirm.tsx';
import { useDemographics } from '../../components/demographics.ts';
import { EntryForm } from '../../components/entry-form.tsx';
import { fromObject, toNested, useFields, type FieldSpec } from '../../components/fields.tsx';
import { addressFields, PERSON_FIELDS } from '../../components/person-fields.ts';
import { Loading } from '../../components/states.tsx';

type InsuranceInput = components['schemas']['CreateInsuranceRequestInput'];
type Demographics = components['schemas']['UserInfo'];

const RELATIONSHIPS = [
  { value: 'Self', label: 'The patient' },
  { value: 'Spouse', label: 'The spouse of the patient' },
  { value: 'Other', label: 'Another person' },
];

// prettier-ignore
const FIELDS: readonly FieldSpec[] = [
  { name: 'member_id', label: 'Member id', isRequired: true },
  { name: 'group_id', label: 'Group id' },
  { name: 'relationship', label: 'Insured person', kind: 'select', options: RELATIONSHIPS, isRequired: true, isWide: true },
  ...PERSON_FIELDS.map((field) => ({ ...field, name: `insured.${field.name}` })),
  ...addressFields('insured.address'),
];

interface InsuranceFormProps {
  readonly userId: string;
  readonly isPrimary: boolean;
  readonly onClose: () => void;
}

/** Filled in from the demographics: most patients are insured themselves. */
export function InsuranceForm(props: InsuranceFormProps) {
  const info = useDemographics(props.userId);
  if (info.isPending) return <Loading />;
  return <InsuranceFields {...props} info={info.data} />;
}

function InsuranceFields({
  userId,
  isPrimary,
  onClose,
  info,
}: InsuranceFormProps & { info: Demographics | undefined }) {
  const queries = useQueryClient();
  const [payor, setPayor] = useState<string | null>(null);
  const [isPayorMissing, setPayorMissing] = useState(false);
  const form = useFields(FIELDS, {
    ...fromObject(FIELDS, { insured: info ?? {} }),
    relationship: 'Self',
    'insured.address.country': 'US',
  });
  const save = async () => {
    if (payor === null) {
      setPayorMissing(true);
      return;
    }
    const body = { ...toNested(form.values), payor_code: payor, is_primary: isPrimary } as InsuranceInput;
    await client.POST('/v2/user/{user_id}/insurance', { params: { path: { user_id: userId } }, body });
    await queries.invalidateQueries({ queryKey: ['get', '/v2/user/{user_id}/insurance/latest'] });
    await queries.invalidateQueries({ queryKey: ['get', '/v1/user/{user_id}/overview'] });
    tellDone('The insurance is saved');
    onClose();
  };
  return (
    <EntryForm specs={FIELDS} form={form} action="Save" onCancel={onClose} submit={save}>
      <PayorSearch
        value={payor}
        onChange={(value) => {
          setPayor(value);
          setPayorMissing(false);
        }}
        error={isPayorMissing ? 'Choose the insurance company' : undefined}
      />
    </EntryForm>
  );
}

interface PayorSearchProps {
  readonly value: string | null;
  readonly onChange: (payorCode: string | null) => void;
  readonly error: string | undefined;
}

function PayorSearch({ value, onChange, error }: PayorSearchProps) {
  const [text, setText] = useState('');
  const [searched] = useDebouncedValue(text.trim(), 200);
  const payors = api.useQuery(
    'get',
    '/v3/insurance/search/payor',
    { params: { query: { insurance_name: searched } } },
    { enabled: searched.length > 1, placeholderData: (before) => before },
  );
  return (
    <Select
      label="Insurance company"
      placeholder="Type a name"
      required
      searchable
      searchValue={text}
      onSearchChange={setText}
      value={value}
      onChange={onChange}
      error={error}
      filter={({ options }) => options}
      nothingFoundMessage={searched.length > 1 ? 'No company has this name' : 'Type at least two letters'}
      data={(payors.data ?? []).map(({ payor_code: code, name }) => ({
        value: code,
        label: `${name} (${code})`,
      }))}
    />
  );
}

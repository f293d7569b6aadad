import { Anchor, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { knownOrganizations } from '../../base/known-organizations.ts';

interface OrganizationChoiceProps {
  /** Its id; empty: the only one that the person is a member of. */
  readonly value: string;
  readonly onChange: (id: string) => void;
}

const OTHER = 'other';

/**
 * A person can be a member of several organizations with one address, and then says which one. The service does not list
 * them before the sign-in, so this offers those that this browser knows; any other is named by its id.
 */
export function OrganizationChoice({ value, onChange }: OrganizationChoiceProps) {
  const known = knownOrganizations();
  const [isShown, setShown] = useState(value !== '' || known.length > 1);
  const [isOther, setOther] = useState(value !== '' && !known.some(({ id }) => id === value));
  if (!isShown)
    return (
      <Anchor component="button" type="button" size="sm" onClick={() => setShown(true)}>
        Member of several organizations?
      </Anchor>
    );
  const options = [
    { value: '', label: 'My only organization' },
    ...known.map(({ id, name }) => ({ value: id, label: name })),
    { value: OTHER, label: 'Another organization…' },
  ];
  const choose = (chosen: string | null) => {
    setOther(chosen === OTHER);
    onChange(chosen === OTHER ? '' : (chosen ?? ''));
  };
  return (
    <>
      <Select
        label="Organization"
        data={options}
        value={isOther ? OTHER : value}
        onChange={choose}
        allowDeselect={false}
      />
      {isOther && (
        <TextInput
          label="Organization id"
          description="It is in your invitation, and on the account page of every member."
          required
          value={value}
          onChange={(event) => onChange(event.currentTarget.value.trim())}
        />
      )}
    </>
  );
}

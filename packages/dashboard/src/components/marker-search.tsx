import { MultiSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { api } from '../api/client.ts';

export interface ChosenMarker {
  readonly id: number;
  readonly name: string;
}

interface MarkerSearchProps {
  readonly label: string;
  readonly value: readonly ChosenMarker[];
  readonly onChange: (markers: readonly ChosenMarker[]) => void;
  /** Markers of this laboratory only. */
  readonly labSlug?: string | undefined;
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly placeholder?: string;
}

const FOUND_SHOWN = 30;

/** Chooses markers by name; the search is that of the API, so it finds markers of any laboratory. */
export function MarkerSearch(props: MarkerSearchProps) {
  const {
    label,
    value,
    onChange,
    labSlug,
    isRequired = false,
    isDisabled = false,
    hint,
    error,
    placeholder,
  } = props;
  const [text, setText] = useState('');
  const [searched] = useDebouncedValue(text.trim(), 150);
  const found = api.useQuery(
    'get',
    '/v3/lab_tests/markers',
    {
      params: {
        query: { name: searched, size: FOUND_SHOWN, ...(labSlug === undefined ? {} : { lab_slug: labSlug }) },
      },
    },
    { enabled: !isDisabled, placeholderData: (before) => before },
  );
  const options = new Map(value.map(({ id, name }) => [String(id), name]));
  for (const { id, name, provider_id: code } of found.data?.markers ?? []) {
    if (!options.has(String(id))) options.set(String(id), code === null ? name : `${name} (${code})`);
  }
  return (
    <MultiSelect
      label={label}
      {...(hint === undefined ? {} : { description: hint })}
      {...(placeholder === undefined || value.length > 0 ? {} : { placeholder })}
      required={isRequired}
      disabled={isDisabled}
      error={error}
      searchable
      clearable
      hidePickedOptions
      searchValue={text}
      onSearchChange={setText}
      filter={({ options: all }) => all}
      nothingFoundMessage={found.isFetching ? 'Searching' : 'No marker has this name'}
      maxDropdownHeight={260}
      data={[...options].map(([id, name]) => ({ value: id, label: name }))}
      value={value.map(({ id }) => String(id))}
      onChange={(ids) => onChange(ids.map((id) => ({ id: Number(id), name: options.get(id) ?? id })))}
    />
  );
}

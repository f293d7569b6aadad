import { Combobox, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { choicesOf, type LoincChoice } from './loinc-codes.ts';
import type { ReportLine } from './report-draft.ts';

interface LoincSearchProps {
  readonly line: ReportLine;
  readonly value: LoincChoice | undefined;
  readonly onChange: (choice: LoincChoice | undefined) => void;
}

/** As many as a person looks through. */
const CHOICES = 20;

/** The codes that the reader proposed, then those of the search over LOINC, then any valid code that is typed. */
export function LoincSearch({ line, value, onChange }: LoincSearchProps) {
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const [text, setText] = useState(value?.code ?? '');
  const [search] = useDebouncedValue(text.trim(), 80);
  const found = useQuery({
    queryKey: ['loinc', search],
    queryFn: async () => {
      const { data } = await client.GET('/v1/loinc', { params: { query: { q: search, limit: CHOICES } } });
      return data?.data ?? [];
    },
    enabled: search !== '' && search !== value?.code,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
  const choices = choicesOf(line, search === '' ? [] : (found.data ?? []), text);
  const choose = (code: string) => {
    const choice = choices.find((one) => one.code === code);
    if (choice) {
      setText(choice.code);
      onChange(choice);
    }
    combobox.closeDropdown();
  };
  return (
    <Combobox store={combobox} onOptionSubmit={choose} withinPortal={false}>
      <Combobox.Target>
        <TextInput
          label="LOINC code"
          description={value?.name ?? 'Search by name, synonym or code; arrows and Enter choose'}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            if (event.currentTarget.value === '') onChange(undefined);
            combobox.openDropdown();
            combobox.selectFirstOption();
          }}
          onFocus={() => combobox.openDropdown()}
          onBlur={() => {
            combobox.closeDropdown();
            setText(value?.code ?? '');
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options mah={220} style={{ overflowY: 'auto' }}>
          {choices.length === 0 && (
            <Combobox.Empty>No code found. A typed code must be complete.</Combobox.Empty>
          )}
          {choices.map(({ code, name, from }) => (
            <Combobox.Option key={code} value={code}>
              <Text size="sm" className="numbers" fw={500} span>
                {code}
              </Text>{' '}
              <Text size="sm" span>
                {name}
              </Text>{' '}
              <Text size="xs" c="dimmed" span>
                {from}
              </Text>
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

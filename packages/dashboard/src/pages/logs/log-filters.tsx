import { Button, Group, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { IconDownload } from '../../base/icons.ts';
import { useUrlState } from '../../base/url-state.ts';
import { tellError } from '../../components/confirm.tsx';
import { saveFile } from '../../components/download.ts';

interface FilterField {
  readonly name: string;
  readonly label: string;
  readonly placeholder: string;
}

interface LogFiltersProps {
  readonly fields: readonly FilterField[];
  /** Filters that apply at once, before the fields. */
  readonly children?: ReactNode;
}

/**
 * Text filters that are applied together, with Enter or the button. Ids and names of operations only. On a phone they
 * stand in two columns.
 */
export function LogFilters({ fields, children }: LogFiltersProps) {
  const [state, setState] = useUrlState();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const valueOf = (name: string) => values[name] ?? state[name] ?? '';
  const apply = (event: FormEvent) => {
    event.preventDefault();
    setState(values);
  };
  const isFiltered = fields.some(({ name }) => (state[name] ?? '') !== '');
  return (
    <form onSubmit={apply}>
      <Group gap="xs" align="flex-end" className="log-filters">
        {children}
        {fields.map(({ name, label, placeholder }) => (
          <TextInput
            key={name}
            label={label}
            placeholder={placeholder}
            size="xs"
            w={190}
            value={valueOf(name)}
            onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
          />
        ))}
        <Button type="submit" size="xs" variant="default">
          Filter
        </Button>
        {isFiltered && (
          <Button
            size="xs"
            variant="subtle"
            onClick={() => {
              setValues({});
              setState(Object.fromEntries(fields.map(({ name }) => [name, undefined])));
            }}
          >
            Clear
          </Button>
        )}
      </Group>
    </form>
  );
}

interface ExportButtonProps {
  /** Every line that fits the filters of the view. */
  readonly read: () => Promise<Blob | undefined>;
  readonly fileName: string;
}

/** What asks for all lines, oldest first, one JSON object a line, instead of a page. */
export const AS_LINES = { headers: { accept: 'application/x-ndjson' }, parseAs: 'blob' } as const;

/** A page of a log. The other form of the answer is a text of lines, which only an export asks for. */
export const pageIn = <T extends object>(data: T | string | undefined): T | undefined =>
  typeof data === 'string' ? undefined : data;

export function ExportButton({ read, fileName }: ExportButtonProps) {
  const download = useMutation({
    mutationFn: read,
    onSuccess: (blob) => blob && saveFile(blob, fileName),
    onError: tellError,
  });
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconDownload size={15} />}
      loading={download.isPending}
      onClick={() => download.mutate()}
    >
      Export all lines
    </Button>
  );
}

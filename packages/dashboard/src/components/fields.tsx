import { Checkbox, NumberInput, Select, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '../api/client.ts';

/** One field of a form. Its name is the place of its value in the request: `address.zip`. */
export interface FieldSpec {
  readonly name: string;
  readonly label: string;
  readonly kind?: 'text' | 'date' | 'email' | 'tel' | 'select' | 'multiline' | 'number' | 'checkbox';
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  readonly isRequired?: boolean;
  readonly hint?: string;
  readonly placeholder?: string;
  /** Says what is wrong with a value that is there; undefined: nothing. */
  readonly check?: (value: string) => string | undefined;
  readonly isWide?: boolean;
}

type FieldValues = Readonly<Record<string, string>>;

export interface FieldsState {
  readonly values: FieldValues;
  readonly errors: FieldValues;
  readonly set: (name: string, value: string) => void;
  readonly reset: (values: FieldValues) => void;
  /** Marks what is missing or wrong; true where nothing is. */
  readonly validate: (specs?: readonly FieldSpec[]) => boolean;
  /** Marks the fields that the API refused. True where every problem has a field. */
  readonly showProblems: (error: unknown, nameOf?: (field: string) => string | undefined) => boolean;
}

/** The values of a form. They are in the memory of the page alone: those of patients may not be stored anywhere else. */
export function useFields(specs: readonly FieldSpec[], initial: FieldValues = {}): FieldsState {
  const [values, setValues] = useState<FieldValues>(initial);
  const [errors, setErrors] = useState<FieldValues>({});
  return {
    values,
    errors,
    set: (name, value) => {
      setValues((current) => ({ ...current, [name]: value }));
      setErrors((current) => without(current, name));
    },
    reset: (next) => {
      setValues(next);
      setErrors({});
    },
    validate: (checked = specs) => {
      const found = Object.fromEntries(
        checked.flatMap((spec) => {
          const problem = problemOf(spec, values[spec.name]?.trim() ?? '');
          return problem === undefined ? [] : [[spec.name, problem]];
        }),
      );
      setErrors(found);
      focusFirst(checked.find(({ name }) => found[name] !== undefined)?.name);
      return Object.keys(found).length === 0;
    },
    showProblems: (error, nameOf = (field) => field) => {
      const problems = error instanceof ApiError ? error.problems : [];
      const known = problems.flatMap(({ field, message }) => {
        const name = nameOf(field);
        const spec = specs.find((candidate) => candidate.name === name);
        return spec ? [[spec.name, message] as const] : [];
      });
      setErrors(Object.fromEntries(known));
      focusFirst(known[0]?.[0]);
      return problems.length > 0 && known.length === problems.length;
    },
  };
}

function problemOf({ isRequired = false, label, check }: FieldSpec, value: string): string | undefined {
  if (value === '') return isRequired ? `${label} is missing` : undefined;
  return check?.(value);
}

const without = (values: FieldValues, name: string): FieldValues =>
  Object.fromEntries(Object.entries(values).filter(([key]) => key !== name));

const idOf = (name: string): string => `field-${name.replaceAll('.', '-')}`;

/** Leads the keyboard and the screen reader to the first field that is wrong. */
function focusFirst(name: string | undefined): void {
  if (name !== undefined) setTimeout(() => document.getElementById(idOf(name))?.focus(), 0);
}

/** `address.zip` becomes `{ address: { zip } }`. Empty fields are left out. */
export function toNested(values: FieldValues): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(values)) {
    if (value.trim() === '') continue;
    const names = path.split('.');
    const last = names.pop() ?? path;
    let place = root;
    for (const name of names) {
      place[name] ??= {};
      place = place[name] as Record<string, unknown>;
    }
    place[last] = value.trim();
  }
  return root;
}

/** The reverse: texts of the fields from an object of the API. */
export function fromObject(specs: readonly FieldSpec[], object: unknown): FieldValues {
  return Object.fromEntries(
    specs.map(({ name }) => {
      const value = name.split('.').reduce<unknown>((place, part) => {
        return typeof place === 'object' && place !== null
          ? (place as Record<string, unknown>)[part]
          : undefined;
      }, object);
      return [name, typeof value === 'string' || typeof value === 'number' ? String(value) : ''];
    }),
  );
}

interface FieldsProps {
  readonly specs: readonly FieldSpec[];
  readonly form: FieldsState;
  readonly columns?: number;
}

/** The fields in two columns; one where there is little room. */
export const Fields = ({ specs, form, columns = 2 }: FieldsProps) => (
  <SimpleGrid cols={{ base: 1, sm: columns }} spacing="sm" verticalSpacing="sm">
    {specs.map((spec) => (
      <div key={spec.name} style={spec.isWide === true ? { gridColumn: '1 / -1' } : undefined}>
        <Field spec={spec} form={form} />
      </div>
    ))}
  </SimpleGrid>
);

const INPUT_TYPES = { date: 'date', email: 'email', tel: 'tel' } as const;

function Field({ spec, form }: { readonly spec: FieldSpec; readonly form: FieldsState }) {
  const { name, label, kind = 'text', options = [], isRequired = false, hint, placeholder } = spec;
  const value = form.values[name] ?? '';
  const change = (next: string | null) => form.set(name, next ?? '');
  const common = {
    id: idOf(name),
    label,
    error: form.errors[name],
    required: isRequired,
    ...(hint === undefined ? {} : { description: hint }),
    ...(placeholder === undefined ? {} : { placeholder }),
    autoComplete: 'off',
  };
  if (kind === 'select')
    return (
      <Select
        {...common}
        data={[...options]}
        value={value === '' ? null : value}
        onChange={change}
        clearable={!isRequired}
      />
    );
  if (kind === 'multiline')
    return (
      <Textarea
        {...common}
        value={value}
        onChange={(event) => change(event.target.value)}
        autosize
        minRows={2}
      />
    );
  if (kind === 'number')
    return <NumberInput {...common} value={value} onChange={(next) => change(String(next))} hideControls />;
  if (kind === 'checkbox')
    return (
      <Checkbox
        id={idOf(name)}
        label={label}
        description={hint}
        checked={value === 'true'}
        onChange={(event) => change(event.target.checked ? 'true' : 'false')}
      />
    );
  const type = kind === 'text' ? 'text' : INPUT_TYPES[kind];
  return <TextInput {...common} type={type} value={value} onChange={(event) => change(event.target.value)} />;
}

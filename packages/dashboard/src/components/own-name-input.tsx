import { TextInput } from '@mantine/core';
import { isAbout } from './new-password-input.tsx';

interface OwnNameInputProps {
  readonly label?: string;
  readonly description?: string;
  readonly value: string;
  readonly onChange: (name: string) => void;
  /** What the service answered to it. */
  readonly error?: unknown;
}

/** The name of the member who types it. */
export const OwnNameInput = ({
  label = 'Your name',
  description,
  value,
  onChange,
  error,
}: OwnNameInputProps) => (
  <TextInput
    label={label}
    description={description}
    autoComplete="name"
    required
    data-autofocus
    maxLength={200}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    error={isAbout(error, 'name') && 'Enter your name.'}
  />
);

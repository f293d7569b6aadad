import { PasswordInput } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '../api/client.ts';

export const PASSWORD_MIN = 12;
const PASSWORD_MAX = 200;

interface NewPasswordInputProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (password: string) => void;
  /** What the service answered to it. */
  readonly error: unknown;
}

/** A new password: its rules are said before, and it can be shown instead of typed twice. */
export function NewPasswordInput({ label, value, onChange, error }: NewPasswordInputProps) {
  const [isVisible, setVisible] = useState(false);
  const isRefused = isAbout(error, 'password');
  return (
    <PasswordInput
      label={label}
      description={`At least ${PASSWORD_MIN} characters, and hard to guess: no common words or dates alone, and nothing of your name or address.`}
      autoComplete="new-password"
      required
      minLength={PASSWORD_MIN}
      maxLength={PASSWORD_MAX}
      visible={isVisible}
      onVisibilityChange={setVisible}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': isVisible ? 'Hide the password' : 'Show the password' }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      aria-invalid={isRefused || undefined}
      error={isRefused && 'This password is too easy to guess. Choose another one.'}
    />
  );
}

/** Whether the service refused this field, which then shows it. */
export const isAbout = (error: unknown, field: string): boolean =>
  error instanceof ApiError && error.problems.some((problem) => problem.field === field);

import { Button, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Fields, type FieldSpec, type FieldsState } from './fields.tsx';
import { ErrorNotice } from './states.tsx';

interface EntryFormProps {
  readonly specs: readonly FieldSpec[];
  readonly form: FieldsState;
  /** What the button says: "Create user". */
  readonly action: string;
  readonly onCancel: () => void;
  /** Sends what was entered, and says what follows. An error is shown at its field, or below the fields. */
  readonly submit: () => Promise<unknown>;
  /** The field of the form that a field of the request belongs to, where their names differ. */
  readonly nameOf?: (field: string) => string | undefined;
  /** What stands between the fields and the buttons. */
  readonly children?: ReactNode;
}

/** A form in a dialog: its fields, its error, its buttons. */
export function EntryForm({ specs, form, action, onCancel, submit, nameOf, children }: EntryFormProps) {
  const [shownError, setShownError] = useState<unknown>();
  const sending = useMutation({
    mutationFn: submit,
    onMutate: () => setShownError(undefined),
    onError: (error) => setShownError(form.showProblems(error, nameOf) ? undefined : error),
  });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (form.validate(specs) && !sending.isPending) sending.mutate();
      }}
    >
      <Stack>
        <Fields specs={specs} form={form} />
        {children}
        {shownError !== undefined && <ErrorNotice error={shownError} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={sending.isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

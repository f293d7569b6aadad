import { Button, Group, Modal, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { ErrorNotice } from './states.tsx';

interface FormDialogProps {
  readonly title: string;
  readonly action: string;
  readonly onClose: () => void;
  /** The dialog closes when it succeeds, and shows what went wrong when it fails. */
  readonly onSubmit: () => Promise<unknown>;
  /** Paths of the API whose views the change makes stale. */
  readonly changes?: readonly string[];
  readonly isDangerous?: boolean;
  readonly size?: string;
  readonly children: ReactNode;
}

/** A form in a dialog. Mounted while it is open, so that each opening begins with empty fields. */
export function FormDialog(props: FormDialogProps) {
  const {
    title,
    action,
    onClose,
    onSubmit,
    changes = [],
    isDangerous = false,
    size = 'md',
    children,
  } = props;
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await onSubmit();
      onClose();
      await Promise.all(changes.map((path) => queries.invalidateQueries({ queryKey: ['get', path] })));
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={title} size={size}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack>
          {children}
          {error !== undefined && <ErrorNotice error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy} color={isDangerous ? 'red' : 'accent'}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

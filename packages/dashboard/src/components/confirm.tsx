import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { notifications } from '@mantine/notifications';
import { ApiError } from '../api/client.ts';

interface ConfirmOptions {
  readonly title: string;
  /** What will happen, and whether it can be undone. */
  readonly text: string;
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly run: () => unknown;
}

/** Asks before what cannot be undone. */
export const confirm = ({ title, text, action, isDangerous = false, run }: ConfirmOptions): void =>
  void modals.openConfirmModal({
    title,
    children: <Text size="sm">{text}</Text>,
    labels: { confirm: action, cancel: 'Cancel' },
    confirmProps: { color: isDangerous ? 'red' : 'accent' },
    onConfirm: () => void run(),
  });

const CLOSE = { 'aria-label': 'Close' };

export const tellDone = (message: string): void =>
  void notifications.show({ message, color: 'teal', autoClose: 4000, closeButtonProps: CLOSE });

/** What went wrong in an action, in the words of the API. */
export const tellError = (error: unknown): void =>
  void notifications.show({
    title: 'That did not work',
    message: error instanceof Error ? error.message : String(error),
    color: 'red',
    closeButtonProps: CLOSE,
    autoClose: error instanceof ApiError && error.status < 500 ? 8000 : false,
  });

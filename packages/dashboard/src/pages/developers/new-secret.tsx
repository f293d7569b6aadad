import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import { CodeBlock } from '../../components/show-api-call.tsx';

interface NewSecretProps {
  readonly title: string;
  readonly value: string;
  readonly onClose: () => void;
}

/** The value of a new key, shown once. It closes only by its button, so that a stray click does not lose it. */
export const NewSecret = ({ title, value, onClose }: NewSecretProps) => (
  <Modal
    opened
    onClose={onClose}
    title={title}
    size="lg"
    withCloseButton={false}
    closeOnClickOutside={false}
    closeOnEscape={false}
  >
    <Stack>
      <Alert color="yellow" title="Copy it now">
        It is shown only this once. Store it where your service reads its secrets, never in a repository or a
        browser.
      </Alert>
      <CodeBlock text={value} />
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          I have stored it
        </Button>
      </Group>
    </Stack>
  </Modal>
);

import { Alert, Button, Modal, Stack, Text } from '@mantine/core';
import { CodeBlock } from './show-api-call.tsx';

interface SecretOnceProps {
  readonly title: string;
  /** What it is for and where it belongs. */
  readonly text: string;
  readonly value: string;
  readonly onClose: () => void;
}

/** A value that the service shows only now: a key, a token, a link. */
export const SecretOnce = ({ title, text, value, onClose }: SecretOnceProps) => (
  <Modal opened onClose={onClose} title={title} size="lg" closeOnClickOutside={false}>
    <Stack>
      <Text size="sm">{text}</Text>
      <CodeBlock text={value} />
      <Alert color="yellow" title="Copy it now">
        It is not shown again.
      </Alert>
      <Button onClick={onClose}>I have stored it</Button>
    </Stack>
  </Modal>
);

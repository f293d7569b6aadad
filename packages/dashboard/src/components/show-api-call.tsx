import {
  ActionIcon,
  Button,
  Code,
  CopyButton,
  Group,
  Modal,
  Stack,
  Tabs,
  Text,
  Tooltip,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCheck, IconCopy, IconDevelopers } from '../base/icons.ts';
import { LANGUAGES, type ApiCall } from './code-samples.ts';
import { TabList } from './tab-list.tsx';

export function ShowApiCall({ calls }: { readonly calls: readonly ApiCall[] }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" size="xs" leftSection={<IconDevelopers size={15} />} onClick={open}>
        Show API call
      </Button>
      <Modal opened={isOpen} onClose={close} title="The same by the API" size="lg">
        <Stack>
          {calls.map((call) => (
            <Call key={`${call.method} ${call.path}`} call={call} />
          ))}
        </Stack>
      </Modal>
    </>
  );
}

const Call = ({ call }: { readonly call: ApiCall }) => (
  <Stack gap="xs">
    <Text size="sm" fw={600}>
      {call.title ?? `${call.method} ${call.path}`}
    </Text>
    <CodeSamples call={call} />
  </Stack>
);

/** A request in every language. */
export const CodeSamples = ({ call }: { readonly call: ApiCall }) => (
  <Tabs defaultValue="curl" keepMounted={false}>
    <TabList mb={0}>
      {Object.keys(LANGUAGES).map((language) => (
        <Tabs.Tab key={language} value={language}>
          {language}
        </Tabs.Tab>
      ))}
    </TabList>
    {Object.entries(LANGUAGES).map(([language, print]) => (
      <Tabs.Panel key={language} value={language} pt="xs">
        <CodeBlock text={print(call)} />
      </Tabs.Panel>
    ))}
  </Tabs>
);

export const CodeBlock = ({ text }: { readonly text: string }) => (
  <Group wrap="nowrap" align="flex-start" gap="xs">
    <Code block style={{ flex: 1, overflowX: 'auto' }} tabIndex={0}>
      {text}
    </Code>
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : 'Copy'}>
          <ActionIcon variant="subtle" color="gray" onClick={copy} aria-label="Copy the code">
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  </Group>
);

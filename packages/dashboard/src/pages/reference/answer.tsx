import { Badge, Button, Code, Group, Stack, Tabs, Text } from '@mantine/core';
import { IconDownload } from '../../base/icons.ts';
import { saveFile } from '../../components/download.ts';
import { CopyId } from '../../components/values.tsx';
import { TabList } from '../../components/tab-list.tsx';

interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly milliseconds: number;
  readonly bytes: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly requestId: string | null;
  readonly type: string;
  /** Undefined for a file, which can be saved. */
  readonly text: string | undefined;
  readonly blob: Blob;
}

/** More than this is not shown: the browser would stall. It can be saved. */
const SHOWN_BYTES = 400_000;

export async function readAnswer(response: Response, started: number): Promise<Answer> {
  const blob = await response.blob();
  const type = response.headers.get('content-type') ?? '';
  const isText = /json|text|xml|calendar/.test(type) || blob.size === 0;
  return {
    status: response.status,
    statusText: response.statusText,
    milliseconds: Math.round(performance.now() - started),
    bytes: blob.size,
    headers: [...response.headers],
    requestId: response.headers.get('x-request-id'),
    type,
    text: isText && blob.size <= SHOWN_BYTES ? indent(await blob.text(), type) : undefined,
    blob,
  };
}

function indent(text: string, type: string): string {
  if (!type.includes('json')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export const AnswerView = ({ answer }: { readonly answer: Answer }) => (
  <Stack gap="sm">
    <Group gap="sm" role="status">
      <Badge color={colorOf(answer.status)} variant="light" size="lg" tt="none">
        {answer.status} {answer.statusText}
      </Badge>
      <Text size="sm" className="numbers">
        {answer.milliseconds.toLocaleString()} ms
      </Text>
      <Text size="sm" className="numbers">
        {answer.bytes.toLocaleString()} bytes
      </Text>
      {answer.requestId !== null && (
        <Group gap={4}>
          <Text size="xs" c="dimmed">
            Request
          </Text>
          <CopyId id={answer.requestId} />
        </Group>
      )}
    </Group>
    <Tabs defaultValue="body" keepMounted={false}>
      <TabList mb="xs">
        <Tabs.Tab value="body">Body</Tabs.Tab>
        <Tabs.Tab value="headers">Headers</Tabs.Tab>
      </TabList>
      <Tabs.Panel value="body">
        {answer.text === undefined ? (
          <Group>
            <Text size="sm">{answer.type === '' ? 'A file' : answer.type}, too large or not a text.</Text>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconDownload size={15} />}
              onClick={() => saveFile(answer.blob, 'answer')}
            >
              Save
            </Button>
          </Group>
        ) : (
          <Code block mah={520} style={{ overflow: 'auto' }} tabIndex={0}>
            {answer.text === '' ? 'Empty body' : answer.text}
          </Code>
        )}
      </Tabs.Panel>
      <Tabs.Panel value="headers">
        <Code block style={{ overflowX: 'auto' }} tabIndex={0}>
          {answer.headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
        </Code>
      </Tabs.Panel>
    </Tabs>
  </Stack>
);

const colorOf = (status: number): string => (status < 300 ? 'teal' : status < 500 ? 'yellow' : 'red');

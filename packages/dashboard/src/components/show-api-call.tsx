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
import { BRAND, PREFIX } from '../api/service.ts';
import { IconCheck, IconCopy, IconDevelopers } from '../base/icons.ts';

/** A request as a program would send it. */
export interface ApiCall {
  readonly title?: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** With its parameters filled in: `/v3/order/…`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

/** The same request in three languages. The key is a placeholder: pages never know one. */
const LANGUAGES: Readonly<Record<string, (call: ApiCall) => string>> = {
  curl: toCurl,
  Node: toNode,
  Python: toPython,
};

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
    <Tabs defaultValue="curl">
      <Tabs.List>
        {Object.keys(LANGUAGES).map((language) => (
          <Tabs.Tab key={language} value={language}>
            {language}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {Object.entries(LANGUAGES).map(([language, print]) => (
        <Tabs.Panel key={language} value={language} pt="xs">
          <CodeBlock text={print(call)} />
        </Tabs.Panel>
      ))}
    </Tabs>
  </Stack>
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

function urlFor({ path, query }: ApiCall): string {
  const given = Object.entries(query ?? {}).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const text = new URLSearchParams(given).toString();
  return `${location.origin}${PREFIX}${path}${text === '' ? '' : `?${text}`}`;
}

const header = () => `x-${BRAND}-api-key`;

function toCurl(call: ApiCall): string {
  const method = call.method === 'GET' ? '' : `-X ${call.method} `;
  const body =
    call.body === undefined
      ? ''
      : ` \\\n  -H 'content-type: application/json' \\\n  -d '${JSON.stringify(call.body).replaceAll("'", String.raw`'\''`)}'`;
  return `curl ${method}'${urlFor(call)}' \\\n  -H "${header()}: $API_KEY"${body}`;
}

function toNode(call: ApiCall): string {
  const body =
    call.body === undefined
      ? ''
      : `\n  body: JSON.stringify(${JSON.stringify(call.body, null, 2).replaceAll('\n', '\n  ')}),`;
  const type = call.body === undefined ? '' : `, 'content-type': 'application/json'`;
  return `const response = await fetch('${urlFor(call)}', {
  method: '${call.method}',
  headers: { '${header()}': process.env.API_KEY${type} },${body}
});
console.log(await response.json());`;
}

function toPython(call: ApiCall): string {
  const body = call.body === undefined ? '' : `\n    json=${toPythonValue(call.body)},`;
  return `import os, requests

response = requests.request(
    "${call.method}",
    "${urlFor(call)}",
    headers={"${header()}": os.environ["API_KEY"]},${body}
)
print(response.json())`;
}

const toPythonValue = (value: unknown): string =>
  JSON.stringify(value, null, 4)
    .replaceAll(/: true\b/g, ': True')
    .replaceAll(/: false\b/g, ': False')
    .replaceAll(/: null\b/g, ': None')
    .replaceAll('\n', '\n    ');

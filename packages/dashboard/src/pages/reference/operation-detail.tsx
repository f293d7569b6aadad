import { Alert, Badge, Code, Group, Stack, Tabs, Text, Title } from '@mantine/core';
import { SchemaView } from '../../components/json-schema/schema-view.tsx';
import { describeType, type Schemas } from '../../components/json-schema/schema-node.ts';
import { CodeSamples } from '../../components/show-api-call.tsx';
import { CopyId } from '../../components/values.tsx';
import { jsonBodyOf, type Operation, type Parameter } from './document.ts';
import { MethodBadge } from './method-badge.tsx';
import { callOf, useRequestForm } from './request-form.ts';
import { TryIt } from './try-it.tsx';
import { TabList } from '../../components/tab-list.tsx';

interface OperationDetailProps {
  readonly operation: Operation;
  readonly schemas: Schemas;
}

export function OperationDetail({ operation, schemas }: OperationDetailProps) {
  const form = useRequestForm(operation, schemas);
  return (
    <Stack component="section" aria-label={operation.summary ?? operation.operationId}>
      <Stack gap={6}>
        <Group gap="sm">
          <Title order={2}>{operation.summary ?? operation.operationId}</Title>
          <CopyId id={operation.operationId} />
          {operation.deprecated === true && (
            <Badge color="yellow" variant="light" tt="none">
              deprecated
            </Badge>
          )}
        </Group>
        <Group gap="xs" wrap="nowrap">
          <MethodBadge method={operation.method} />
          <Code style={{ overflowWrap: 'anywhere' }}>{operation.path}</Code>
        </Group>
        {operation.description !== undefined && (
          <Text size="sm" maw={760}>
            {operation.description}
          </Text>
        )}
      </Stack>
      <Tabs defaultValue="try" keepMounted={false}>
        <TabList>
          <Tabs.Tab value="try">Try it</Tabs.Tab>
          <Tabs.Tab value="code">Code</Tabs.Tab>
          <Tabs.Tab value="request">Request</Tabs.Tab>
          <Tabs.Tab value="answers">Answers</Tabs.Tab>
        </TabList>
        <Tabs.Panel value="try">
          <TryIt operation={operation} form={form} />
        </Tabs.Panel>
        <Tabs.Panel value="code">
          <Stack gap="sm">
            <Text size="sm" c="dimmed">
              With what you filled in under Try it.
            </Text>
            <CodeSamples call={callOf(operation, form.values)} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="request">
          <RequestShape operation={operation} schemas={schemas} />
        </Tabs.Panel>
        <Tabs.Panel value="answers">
          <Answers operation={operation} schemas={schemas} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

function RequestShape({ operation, schemas }: OperationDetailProps) {
  const body = jsonBodyOf(operation);
  const parameters = operation.parameters ?? [];
  if (parameters.length === 0 && !body) return <Text size="sm">It takes no parameters and no body.</Text>;
  return (
    <Stack>
      {parameters.length > 0 && (
        <Stack gap={0} component="ul" className="schema-fields">
          {parameters.map((parameter) => (
            <ParameterLine key={`${parameter.in}-${parameter.name}`} parameter={parameter} />
          ))}
        </Stack>
      )}
      {body && (
        <>
          <Title order={3}>Body</Title>
          <SchemaView schema={body} schemas={schemas} open={2} />
        </>
      )}
    </Stack>
  );
}

const ParameterLine = ({ parameter }: { readonly parameter: Parameter }) => (
  <li>
    <Group gap="xs">
      <Code>{parameter.name}</Code>
      <Text size="xs" c="dimmed">
        {parameter.in} · {describeType(parameter.schema ?? {})}
      </Text>
      {parameter.required === true && (
        <Badge size="xs" variant="light" color="gray" tt="none">
          required
        </Badge>
      )}
    </Group>
    {(parameter.description ?? parameter.schema?.description) !== undefined && (
      <Text size="xs">{parameter.description ?? parameter.schema?.description}</Text>
    )}
  </li>
);

const Answers = ({ operation, schemas }: OperationDetailProps) => (
  <Stack>
    {Object.entries(operation.responses).map(([status, { description, content = {} }]) => (
      <Stack key={status} gap="xs">
        <Group gap="xs">
          <Badge variant="light" color={status.startsWith('2') ? 'teal' : 'gray'} tt="none">
            {status}
          </Badge>
          <Text size="sm">{description}</Text>
        </Group>
        {Object.entries(content).map(([type, { schema }]) => (
          <Stack key={type} gap={4} pl="md">
            <Text size="xs" c="dimmed">
              {type}
            </Text>
            {schema && status.startsWith('2') && <SchemaView schema={schema} schemas={schemas} open={2} />}
          </Stack>
        ))}
      </Stack>
    ))}
    {Object.keys(operation.responses).length === 0 && <Alert>No answer is described.</Alert>}
  </Stack>
);

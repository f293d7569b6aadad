import {
  Alert,
  Button,
  Collapse,
  Group,
  Paper,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { sendAsMember } from '../../api/client.ts';
import { IconPlay } from '../../base/icons.ts';
import { useTenant } from '../../base/tenant.ts';
import { confirm } from '../../components/confirm.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import { AnswerView, readAnswer } from './answer.tsx';
import { takesSession, type Operation, type Parameter } from './document.ts';
import { choicesOf, requestOf, type RequestForm } from './request-form.ts';

interface TryItProps {
  readonly operation: Operation;
  readonly form: RequestForm;
}

/** Headers that the page itself sets. */
const OWN_HEADERS = /team-id|environment|csrf|api-key|management-key/i;

/** Fills in a request, sends it with the member's session and shows the answer as it came. */
export function TryIt({ operation, form }: TryItProps) {
  const { environment } = useTenant();
  const send = useMutation({
    mutationFn: async () => {
      const started = performance.now();
      const response = await sendAsMember(requestOf(operation, form.values));
      return readAnswer(response, started);
    },
  });
  const isWrite = operation.method !== 'GET';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isWrite || environment === 'sandbox') {
      send.mutate();
      return;
    }
    confirm({
      title: 'Send this in production?',
      text: `${operation.method} ${operation.path} changes real data.`,
      action: 'Send',
      isDangerous: true,
      run: () => send.mutate(),
    });
  };
  const content = Object.keys(operation.requestBody?.content ?? {});
  const hasOtherBody = content.length > 0 && !content.includes('application/json');
  if (!takesSession(operation))
    return (
      <Alert color="gray">
        A signed-in member cannot call this operation: it wants a token or a signature.
      </Alert>
    );
  if (hasOtherBody)
    return (
      <Alert color="gray">This operation takes a file ({content.join(', ')}). Send it from your code.</Alert>
    );
  return (
    <Stack>
      <form onSubmit={submit}>
        <Stack>
          <Parameters operation={operation} form={form} />
          {operation.requestBody && (
            <Textarea
              label="Body"
              description="A sample of what is required. Change it to what you want to send."
              autosize
              minRows={4}
              maxRows={22}
              classNames={{ input: 'code-input' }}
              spellCheck={false}
              value={form.values.body}
              error={problemIn(form.values.body)}
              onChange={(event) => form.setBody(event.currentTarget.value)}
            />
          )}
          <Group>
            <Button
              type="submit"
              size="xs"
              loading={send.isPending}
              leftSection={<IconPlay size={15} />}
              color={isWrite && environment === 'production' ? 'red' : 'accent'}
            >
              Send {operation.method}
            </Button>
            <Text size="xs" c="dimmed">
              As you, in {environment}.
            </Text>
          </Group>
        </Stack>
      </form>
      {send.error && <ErrorNotice error={send.error} />}
      {send.data && (
        <Paper component="section" aria-label="Answer">
          <AnswerView answer={send.data} />
        </Paper>
      )}
    </Stack>
  );
}

function problemIn(body: string): string | undefined {
  if (body.trim() === '') return undefined;
  try {
    JSON.parse(body);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'Not JSON';
  }
}

function Parameters({ operation, form }: TryItProps) {
  const [isOpen, setOpen] = useState(false);
  const all = (operation.parameters ?? []).filter(
    (one) => one.in !== 'cookie' && !(one.in === 'header' && OWN_HEADERS.test(one.name)),
  );
  const required = all.filter((one) => one.required === true || one.in === 'path');
  const optional = all.filter((one) => !required.includes(one));
  return (
    <>
      {required.length > 0 && <Fields parameters={required} form={form} />}
      {optional.length > 0 && (
        <Stack gap="xs" align="flex-start">
          <Button size="compact-xs" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide' : 'Show'} {optional.length} optional parameters
          </Button>
          <Collapse expanded={isOpen} w="100%">
            <Fields parameters={optional} form={form} />
          </Collapse>
        </Stack>
      )}
    </>
  );
}

interface FieldsProps {
  readonly parameters: readonly Parameter[];
  readonly form: RequestForm;
}

const Fields = ({ parameters, form }: FieldsProps) => (
  <SimpleGrid cols={{ base: 1, sm: 2 }} verticalSpacing="xs">
    {parameters.map((parameter) => (
      <Field key={`${parameter.in}-${parameter.name}`} parameter={parameter} form={form} />
    ))}
  </SimpleGrid>
);

function Field({ parameter, form }: { readonly parameter: Parameter; readonly form: RequestForm }) {
  const { name, required = false } = parameter;
  const place = parameter.in === 'cookie' ? 'header' : parameter.in;
  const value = form.values[place][name] ?? '';
  const change = (text: string | null) => form.set(place, name, text ?? '');
  const description = `${parameter.in}${parameter.schema?.type === 'array' ? ', several separated by commas' : ''}`;
  const choices = choicesOf(parameter.schema, {});
  if (choices)
    return (
      <Select
        size="xs"
        label={name}
        description={description}
        required={required}
        clearable={!required}
        clearButtonProps={{ 'aria-label': `Clear ${name}` }}
        searchable={choices.length > 8}
        limit={100}
        data={[...new Set(choices)]}
        value={value === '' ? null : value}
        onChange={change}
      />
    );
  return (
    <TextInput
      size="xs"
      label={name}
      description={description}
      required={required}
      autoComplete="off"
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

import { Stack, Text } from '@mantine/core';
import { DataTable } from '../../components/data-table.tsx';
import { Section } from '../../components/page.tsx';
import { CodeBlock } from '../../components/show-api-call.tsx';

interface Task {
  readonly what: string;
  readonly command: string;
}

const DAILY: readonly Task[] = [
  { what: 'Print the events of the team as they happen', command: 'npx aliquot listen' },
  {
    what: 'Forward events to a program on your machine, signed as in production',
    command: 'npx aliquot listen --forward-to http://localhost:3000/webhooks',
  },
  {
    what: 'Only events about results, from the beginning',
    command: "npx aliquot listen --events 'labtest.*' --since start",
  },
  { what: 'List the keys of the team', command: 'npx aliquot keys list' },
  {
    what: 'Create a key for one area',
    command: "npx aliquot keys create --label 'Booking' --area orders --read-only",
  },
  { what: 'Run a simulated laboratory', command: 'npx aliquot lab simulate' },
];

const OPERATOR: readonly Task[] = [
  { what: 'Verify the audit log and the sealed access logs', command: 'npx aliquot audit verify' },
  { what: 'Write an encrypted backup', command: 'npx aliquot backup FILE' },
  { what: 'Check that the newest backup can be restored', command: 'npx aliquot backup verify latest' },
  {
    what: 'Import a catalog, without changing anything yet',
    command: 'npx aliquot catalog import FILE --dry-run',
  },
  {
    what: 'Print a new sign-in URL for a member',
    command: 'npx aliquot accounts sign-in-url --email ADDRESS',
  },
];

/** The commands that developers and operators use most; each prints its own help. */
export const CommandLine = () => (
  <Stack>
    <Section title="Before you begin">
      <Stack gap="sm">
        <Text size="sm">
          Commands run where the service is installed. Those for developers call the running service; they
          take its address and keys from options, or from the configuration of the service.
        </Text>
        <CodeBlock text={'npx aliquot help\nnpx aliquot help listen'} />
      </Stack>
    </Section>
    <Section title="For developers">
      <Tasks label="Commands for developers" tasks={DAILY} />
    </Section>
    <Section title="For operators">
      <Tasks label="Commands for operators" tasks={OPERATOR} />
    </Section>
  </Stack>
);

const Tasks = ({ label, tasks }: { readonly label: string; readonly tasks: readonly Task[] }) => (
  <DataTable
    label={label}
    rows={tasks}
    keyOf={({ command }) => command}
    columns={[
      { title: 'What it does', width: '40%', render: ({ what }) => what },
      { title: 'Command', render: ({ command }) => <CodeBlock text={command} /> },
    ]}
  />
);

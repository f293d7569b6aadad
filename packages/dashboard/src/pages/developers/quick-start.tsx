import { Anchor, List, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTenantPath } from '../../base/tenant.ts';
import type { ApiCall } from '../../components/code-samples.ts';
import { Section } from '../../components/page.tsx';
import { CodeBlock, CodeSamples } from '../../components/show-api-call.tsx';

interface Step {
  readonly title: string;
  readonly text: string;
  readonly call: ApiCall;
}

/** From nothing to a finished result: the requests in the order in which a program sends them. */
const STEPS: readonly Step[] = [
  {
    title: '1. Create a user',
    text: 'A user is a person whose tests you order. client_user_id is your own id of the person. Keep user_id of the answer.',
    call: { method: 'POST', path: '/v2/user', body: { client_user_id: 'patient-1815' } },
  },
  {
    title: '2. Choose a lab test',
    text: 'The catalog of your team. Keep the id of one.',
    call: { method: 'GET', path: '/v3/lab_tests' },
  },
  {
    title: '3. Place an order',
    text: 'USER_ID and LAB_TEST_ID are the ids of the steps before.',
    call: {
      method: 'POST',
      path: '/v3/order',
      body: {
        user_id: 'USER_ID',
        lab_test_id: 'LAB_TEST_ID',
        patient_details: {
          first_name: 'Ada',
          last_name: 'Lovelace',
          dob: '1985-12-10',
          gender: 'female',
          phone_number: '+15185550100',
          email: 'ada@example.com',
        },
        patient_address: {
          receiver_name: 'Ada Lovelace',
          first_line: '1 Main St',
          city: 'Troy',
          state: 'NY',
          zip: '12180',
          country: 'US',
          phone_number: '+15185550100',
        },
      },
    },
  },
  {
    title: '4. Let the sandbox do the rest',
    text: 'In sandbox no parcel travels: this moves the order to its result at once and sends every event on the way.',
    call: { method: 'POST', path: '/v3/order/ORDER_ID/test' },
  },
  {
    title: '5. Read the result',
    text: 'Values with units, ranges and flags. A webhook tells you when it is there.',
    call: { method: 'GET', path: '/v3/order/ORDER_ID/result' },
  },
];

export function QuickStart() {
  const pathOf = useTenantPath();
  return (
    <Stack>
      <Section title="Set the key">
        <Stack gap="sm">
          <Text size="sm">
            The samples read the key from the environment. This page does not know your key: copy it when you{' '}
            <Anchor component={Link} to={pathOf('developers')} underline="always" inherit>
              create one
            </Anchor>
            .
          </Text>
          <CodeBlock text="export API_KEY=sk_us_…" />
        </Stack>
      </Section>
      {STEPS.map(({ title, text, call }) => (
        <Section key={title} title={title}>
          <Stack gap="sm">
            <Text size="sm">{text}</Text>
            <CodeSamples call={call} />
          </Stack>
        </Section>
      ))}
      <Section title="Then">
        <List size="sm">
          <List.Item>
            <Anchor component={Link} to={pathOf('webhooks')} underline="always" inherit>
              Add a webhook endpoint
            </Anchor>{' '}
            and hear of every change.
          </List.Item>
          <List.Item>
            <Anchor component={Link} to={pathOf('reference')} underline="always" inherit>
              Try any operation
            </Anchor>{' '}
            from this browser.
          </List.Item>
        </List>
      </Section>
    </Stack>
  );
}

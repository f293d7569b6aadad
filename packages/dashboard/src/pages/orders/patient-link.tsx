import { Button, CopyButton, Group, Stack, Text, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { TimeText } from '../../components/values.tsx';

interface PatientLinkProps {
  readonly url: string;
  readonly expiresAt: string;
  readonly purpose: string;
}

/** Shows a link for the patient once, to be copied. It opens the page without a password, so it is not kept anywhere. */
export const showPatientLink = (title: string, link: PatientLinkProps): void =>
  void modals.open({
    title,
    children: <PatientLink {...link} />,
    closeButtonProps: { 'aria-label': 'Close' },
  });

function PatientLink({ url, expiresAt, purpose }: PatientLinkProps) {
  return (
    <Stack>
      <Text size="sm">
        {purpose} Send it to the patient only: the link opens the page without a password. It works until{' '}
        <TimeText value={expiresAt} />.
      </Text>
      <TextInput label="Link" value={url} readOnly onFocus={(event) => event.currentTarget.select()} />
      <Group justify="flex-end">
        <CopyButton value={url}>
          {({ copied, copy }) => <Button onClick={copy}>{copied ? 'Copied' : 'Copy the link'}</Button>}
        </CopyButton>
      </Group>
    </Stack>
  );
}

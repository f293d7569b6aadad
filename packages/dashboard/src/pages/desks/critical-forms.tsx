import { Button, Group, Select, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { client } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { tellDone } from '../../components/confirm.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import type { CriticalResult } from './critical-data.ts';

type Notification = CriticalResult['notifications'][number];

const CHANNELS = [
  { value: 'phone', label: 'Phone' },
  { value: 'in_person', label: 'In person' },
  { value: 'secure_message', label: 'Secure message' },
  { value: 'electronic_record', label: 'Electronic record' },
  { value: 'fax', label: 'Fax' },
  { value: 'other', label: 'Other' },
];
type Channel = Notification['channel'];

function useRecord(send: () => Promise<unknown>, done: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: () => tellDone(done),
    onSettled: () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'get' }),
  });
}

/** Records who was told. Nothing is sent: the person at this desk has called. */
export function NotifyForm({ critical }: { readonly critical: CriticalResult }) {
  const me = useSession().data?.session.member.name ?? '';
  const [name, setName] = useState('');
  const [role, setRole] = useState('');
  const [channel, setChannel] = useState<string | null>('phone');
  const [notes, setNotes] = useState('');
  const record = useRecord(
    () =>
      client.POST('/v3/critical_result/{critical_result_id}/notification', {
        params: { path: { critical_result_id: critical.id } },
        body: {
          recipient_name: name,
          channel: (channel ?? 'phone') as Channel,
          notified_by: me,
          ...(role === '' ? {} : { recipient_role: role }),
          ...(notes === '' ? {} : { notes }),
        },
      }),
    'Recorded. Now ask the person to repeat the result.',
  );
  return (
    <form onSubmit={onSubmit(record.mutate)}>
      <Stack gap="sm">
        <Text size="sm">
          Call the responsible person, then record whom you reached. This sends nothing by itself.
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          <TextInput
            label="Who was told"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            required
            autoComplete="off"
          />
          <TextInput
            label="Role"
            placeholder="ordering physician"
            value={role}
            onChange={(event) => setRole(event.currentTarget.value)}
            autoComplete="off"
          />
          <Select label="How" data={CHANNELS} value={channel} onChange={setChannel} allowDeselect={false} />
        </SimpleGrid>
        <Textarea
          label="Notes"
          value={notes}
          onChange={(event) => setNotes(event.currentTarget.value)}
          autosize
        />
        {record.error && <ErrorNotice error={record.error} />}
        <Group>
          <Button type="submit" loading={record.isPending}>
            Record the notification
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const onSubmit = (run: () => void) => (event: FormEvent) => {
  event.preventDefault();
  run();
};

interface ReadBackFormProps {
  readonly critical: CriticalResult;
  readonly notification: Notification;
}

/** Records what the notified person repeated. Only a correct read-back ends the deadline. */
export function ReadBackForm({ critical, notification }: ReadBackFormProps) {
  const me = useSession().data?.session.member.name ?? '';
  const [said, setSaid] = useState('');
  const [notes, setNotes] = useState('');
  const record = useMutationOf(critical, notification, { said, notes, me });
  return (
    <form onSubmit={onSubmit(() => record.mutate(true))}>
      <Stack gap="sm">
        <Text size="sm">
          Ask {notification.recipient_name} to repeat the name of the patient, the marker, the value and the
          unit, and compare with the values above.
        </Text>
        <Textarea
          label="What was repeated"
          value={said}
          onChange={(event) => setSaid(event.currentTarget.value)}
          autosize
          required
        />
        <Textarea
          label="Notes"
          value={notes}
          onChange={(event) => setNotes(event.currentTarget.value)}
          autosize
        />
        {record.error && <ErrorNotice error={record.error} />}
        <Group>
          <Button type="submit" loading={record.isPending && record.variables} disabled={record.isPending}>
            It was repeated correctly
          </Button>
          <Button
            variant="default"
            loading={record.isPending && !record.variables}
            disabled={record.isPending}
            onClick={() => record.mutate(false)}
          >
            It was repeated wrongly
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface Said {
  readonly said: string;
  readonly notes: string;
  readonly me: string;
}

function useMutationOf(critical: CriticalResult, notification: Notification, { said, notes, me }: Said) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (isRight: boolean) =>
      client.POST('/v3/critical_result/{critical_result_id}/read_back', {
        params: { path: { critical_result_id: critical.id } },
        body: {
          notification_id: notification.id,
          read_back: isRight,
          verified_by: me,
          ...(said === '' ? {} : { said_back: said }),
          ...(notes === '' ? {} : { notes }),
        },
      }),
    onSuccess: (_answer, isRight) =>
      tellDone(
        isRight ? 'The critical result is read back' : 'Recorded. The deadline runs on: notify again.',
      ),
    onSettled: () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'get' }),
  });
}

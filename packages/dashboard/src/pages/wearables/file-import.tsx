import { Button, FileInput, Group, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { api } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Section } from '../../components/page.tsx';
import { ErrorNotice, Loaded } from '../../components/states.tsx';
import { KeyValues, StatusBadge } from '../../components/values.tsx';
import { uploadFile } from './upload-file.ts';

type WearableFile = components['schemas']['WearableFile'];

const POLL_MS = 1500;

/** FIT, TCX, GPX and Apple Health exports of one user. */
export function FileImport() {
  const [userId, setUserId] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const upload = useMutation({
    mutationFn: async (chosen: File) => uploadFile(userId.trim(), chosen),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (file) upload.mutate(file);
  };
  return (
    <Stack>
      <Section title="Import a file">
        <form onSubmit={submit}>
          <Stack gap="sm">
            <Text size="sm">
              FIT, TCX or GPX, also gzipped, or an Apple Health export.zip, up to 1 GiB. Importing the same
              file again changes nothing.
            </Text>
            <Group align="flex-end">
              <TextInput
                label="User id"
                required
                w={340}
                autoComplete="off"
                value={userId}
                onChange={(event) => setUserId(event.currentTarget.value)}
              />
              <FileInput
                label="File"
                placeholder="Choose a file"
                required
                w={260}
                value={file}
                onChange={setFile}
              />
              <Button type="submit" loading={upload.isPending} disabled={!file}>
                Import
              </Button>
            </Group>
            {upload.isPending && <Progress value={100} animated aria-label="Sending the file" />}
            {upload.error && <ErrorNotice error={upload.error} />}
          </Stack>
        </form>
      </Section>
      {upload.data && <ImportStatus key={upload.data.id} file={upload.data} />}
    </Stack>
  );
}

function ImportStatus({ file }: { readonly file: WearableFile }) {
  const path = { user_id: file.user_id, file_id: file.id };
  const status = api.useQuery(
    'get',
    '/v2/user/{user_id}/wearable_file/{file_id}',
    { params: { path } },
    {
      // The file is read in the background, and its progress is no event.
      refetchInterval: ({ state }) =>
        state.data?.status === 'completed' || state.data?.status === 'failed' ? false : POLL_MS,
    },
  );
  return (
    <Section title="Progress">
      <Loaded query={status} lines={4}>
        {(data) => (
          <Stack gap="sm">
            <Group gap="sm" role="status">
              <StatusBadge status={data.status} />
              <Text size="sm">{data.kind.replaceAll('_', ' ')}</Text>
            </Group>
            <Progress value={data.progress * 100} aria-label="Read" />
            {data.failure_message !== null && <Text size="sm">{data.failure_message}</Text>}
            <DataTable
              label="What was imported"
              rows={Object.entries(data.counts)}
              keyOf={([resource]) => resource}
              columns={[
                { title: 'Resource', render: ([resource]) => resource.replaceAll('_', ' ') },
                { title: 'New', align: 'right', render: ([, { created }]) => created.toLocaleString() },
                { title: 'Changed', align: 'right', render: ([, { updated }]) => updated.toLocaleString() },
                {
                  title: 'Unchanged',
                  align: 'right',
                  render: ([, { unchanged }]) => unchanged.toLocaleString(),
                },
              ]}
              empty={<Text size="sm">Nothing yet.</Text>}
            />
            <KeyValues
              rows={[
                [
                  'Skipped',
                  Object.entries(data.skipped)
                    .map(([kind, count]) => `${kind}: ${count}`)
                    .join(', ') || 'None',
                ],
                ['Faults', data.fault_count.toLocaleString()],
                ...data.faults.slice(0, 20).map(({ place, reason }) => [place, reason] as const),
              ]}
            />
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

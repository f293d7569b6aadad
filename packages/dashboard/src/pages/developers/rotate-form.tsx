import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNotice } from '../../components/states.tsx';
import { expiryOf, LIFETIMES } from './lifetimes.ts';

const OVERLAPS = [
  { value: '0', label: 'Not at all' },
  { value: '1', label: 'One hour' },
  { value: '24', label: 'A day' },
  { value: '168', label: 'A week' },
  { value: '720', label: '30 days' },
];

interface RotateFormProps {
  readonly label: string;
  /** Then the new key needs an answer to that, too. */
  readonly expires: boolean;
  readonly rotate: (body: {
    overlap_hours: number;
    expires_at?: string | null;
  }) => Promise<string | undefined>;
  readonly onMade: (value: string) => void;
  readonly onClose: () => void;
}

/** A new key with the same limits; the old one works for a while longer. */
export function RotateForm({ label, expires, rotate, onMade, onClose }: RotateFormProps) {
  const [overlap, setOverlap] = useState<string | null>('24');
  const [days, setDays] = useState<string | null>(expires ? '90' : '');
  const run = useMutation({
    mutationFn: () =>
      rotate({
        overlap_hours: Number(overlap),
        ...(expires || days !== '' ? { expires_at: expiryOf(days) } : {}),
      }),
    onSuccess: (value) => value !== undefined && onMade(value),
  });
  return (
    <Modal opened onClose={onClose} title={`Rotate “${label}”`}>
      <Stack>
        <Text size="sm">
          A new key with the same label and limits replaces it. A key can be rotated once.
        </Text>
        <Select
          label="How long the old key keeps working"
          allowDeselect={false}
          data={OVERLAPS}
          value={overlap}
          onChange={setOverlap}
        />
        <Select
          label="The new key expires"
          allowDeselect={false}
          data={[...LIFETIMES]}
          value={days}
          onChange={setDays}
        />
        {run.error && <ErrorNotice error={run.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={run.isPending} onClick={() => run.mutate()}>
            Rotate key
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

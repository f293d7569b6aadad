import { Group, Progress, Text } from '@mantine/core';
import type { Counts } from './deliveries.ts';

/** The share of attempts that succeeded, as a number and as a bar. */
export function SuccessRate({ counts }: { readonly counts: Counts | undefined }) {
  const total = (counts?.success ?? 0) + (counts?.failure ?? 0);
  if (!counts || total === 0)
    return (
      <Text size="sm" c="dimmed">
        No attempts
      </Text>
    );
  const percent = (counts.success / total) * 100;
  return (
    <Group gap="xs" wrap="nowrap" title={`${counts.success} of ${total} attempts succeeded`}>
      <Progress
        value={percent}
        color={percent < 50 ? 'red' : percent < 95 ? 'yellow' : 'teal'}
        w={56}
        size="sm"
        aria-label="Share of attempts that succeeded"
      />
      <Text size="sm" className="numbers">
        {formatPercent(percent)}
      </Text>
    </Group>
  );
}

export const formatPercent = (percent: number): string =>
  `${percent.toLocaleString(undefined, { maximumFractionDigits: percent > 99 && percent < 100 ? 2 : 1 })} %`;

import { Alert, Stack, Table, Text } from '@mantine/core';
import { api } from '../../api/client.ts';
import { IconAlert, IconCheck } from '../../base/icons.ts';
import { Loaded } from '../../components/states.tsx';
import { TimeText } from '../../components/values.tsx';
import { isEmptyDraft, toCorrections, type Draft, type ReportLine } from './report-draft.ts';

interface ReviewDoneProps {
  readonly jobId: string;
  /** What the viewer had prepared when another person was faster; nothing of it was sent. */
  readonly unsent: Draft;
  readonly lines: readonly ReportLine[];
}

/** Who finished the review and what it changed; with what the viewer had prepared beside it. */
export function ReviewDone({ jobId, unsent, lines }: ReviewDoneProps) {
  const review = api.useQuery('get', '/lab_report/v1/parser/job/{job_id}/review', {
    params: { path: { job_id: jobId } },
  });
  return (
    <Loaded query={review} lines={2}>
      {({ reviewer, reviewed_at: reviewedAt, changes }) => (
        <Stack gap="sm">
          {isEmptyDraft(unsent) ? (
            <Alert color="teal" icon={<IconCheck size={18} />} title="This report is reviewed">
              By {reviewer ?? 'a program'}, <TimeText value={reviewedAt} />.
            </Alert>
          ) : (
            <Alert
              color="red"
              icon={<IconAlert size={18} />}
              title="Another person finished this report first"
              role="alert"
            >
              <Text size="sm">
                {reviewer ?? 'A program'} completed it <TimeText value={reviewedAt} />. Nothing of yours was
                sent, and nothing was overwritten. Compare the changes below with what you had prepared:
              </Text>
              <ul>
                {describeDraft(unsent, lines).map((text) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            </Alert>
          )}
          {changes.length > 0 && (
            <Table.ScrollContainer minWidth={420} type="native">
              <Table aria-label="Changes of the review" className="data-table">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Field</Table.Th>
                    <Table.Th>Before</Table.Th>
                    <Table.Th>After</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {changes.map(({ where, before, after }, index) => (
                    <Table.Tr key={`${where}-${index}`}>
                      <Table.Td>{where}</Table.Td>
                      <Table.Td>{print(before)}</Table.Td>
                      <Table.Td>{print(after)}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          )}
        </Stack>
      )}
    </Loaded>
  );
}

const TEXT_MAX = 120;

function print(value: unknown): string {
  if (value === null || value === undefined) return '–';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
}

function describeDraft(draft: Draft, lines: readonly ReportLine[]): string[] {
  const nameOf = (line: number) => lines[line]?.test_name ?? `Line ${line}`;
  const corrections = toCorrections(draft).map((correction) => {
    if ('add' in correction) return `Add ${correction.add.test_name} ${correction.add.value}`;
    if ('remove' in correction) return `Remove ${nameOf(correction.line)}`;
    const set = Object.entries(correction.set).map(([name, value]) => `${name} = ${print(value)}`);
    return `${nameOf(correction.line)}: ${set.join(', ')}`;
  });
  const head = Object.entries(draft.metadata).map(([name, value]) => `${name} = ${print(value)}`);
  return [...corrections, ...head];
}

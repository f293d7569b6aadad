import { Button, Collapse, Grid, Group, Kbd, Stack, Switch, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useReducer, useState } from 'react';
import { client } from '../../api/client.ts';
import { usePermissions } from '../../base/tenant.ts';
import { confirm } from '../../components/confirm.tsx';
import { Section } from '../../components/page.tsx';
import { ErrorNotice, Loading } from '../../components/states.tsx';
import {
  EMPTY_DRAFT,
  isInDoubt,
  nextDoubt,
  openDoubts,
  reduceDraft,
  withDraft,
  type DraftStep,
  type ParsingJob,
  type ReportData,
} from './report-draft.ts';
import { EMPTY_LINE, ReportLineForm } from './report-line-form.tsx';
import { ReportLines } from './report-lines.tsx';
import { ReportMetadata } from './report-metadata.tsx';
import { ReportPage, zoomBy, type PageBoxes } from './report-page.tsx';
import { ReviewDone } from './report-review-done.tsx';
import { useCompleteReview } from './use-complete-review.ts';
import { KEY_HELP, useReportKeys } from './use-report-keys.ts';

interface ReportReviewProps {
  readonly job: ParsingJob;
  readonly data: ReportData;
}

type Editing = { readonly line: number } | 'new' | undefined;

export function ReportReview({ job, data }: ReportReviewProps) {
  const may = usePermissions();
  // The lines as they were when the review began: a correction counts them. Another person's review changes `data`.
  const [lines] = useState(data.results);
  const [draft, step] = useReducer(reduceDraft, EMPTY_DRAFT);
  const doubts = openDoubts(lines, draft);
  const [active, setActive] = useState<number | undefined>(doubts[0] ?? (lines.length > 0 ? 0 : undefined));
  const [editing, setEditing] = useState<Editing>();
  const [hasKeys, setKeys] = useState(true);
  const complete = useCompleteReview(job.id, draft);
  const isReadOnly = job.status !== 'pending_review' || !may('results:decide');
  const go = (line: number | undefined) => line !== undefined && setActive(line);
  const decide = (made: DraftStep) => {
    step(made);
    if (made.kind === 'reset' || !('line' in made)) return;
    go(
      nextDoubt(
        doubts.filter((line) => line !== made.line),
        made.line,
        1,
      ),
    );
  };
  const finish = () => {
    if (isReadOnly || complete.isPending) return;
    if (doubts.length === 0) complete.mutate();
    else
      confirm({
        title: `Complete with ${doubts.length} lines in doubt?`,
        text: 'Lines that you did not decide are confirmed as they were read.',
        action: 'Complete the review',
        run: () => complete.mutate(),
      });
  };
  const onActive = (kind: 'confirm' | 'remove') => {
    if (active !== undefined && !isReadOnly) decide({ kind, line: active });
  };
  const [zoom, setZoom] = useState<number>(100);
  useReportKeys(
    {
      next: () => go(nextDoubt(doubts, active ?? -1, 1)),
      previous: () => go(nextDoubt(doubts, active ?? lines.length, -1)),
      confirm: () => onActive('confirm'),
      remove: () => onActive('remove'),
      edit: () => active !== undefined && !isReadOnly && setEditing({ line: active }),
      move: (direction) => go(Math.min(lines.length - 1, Math.max(0, (active ?? 0) + direction))),
      zoom: (direction) => setZoom((now) => zoomBy(now, direction)),
      complete: finish,
    },
    hasKeys && editing === undefined,
  );
  return (
    <Stack gap="md">
      {job.status === 'completed' && job.is_reviewed && (
        <ReviewDone jobId={job.id} unsent={complete.isSuccess ? EMPTY_DRAFT : draft} lines={lines} />
      )}
      {complete.error && job.status === 'pending_review' && <ErrorNotice error={complete.error} />}
      <Progress
        doubts={doubts.length}
        total={lines.filter(isInDoubt).length}
        isReadOnly={isReadOnly}
        isPending={complete.isPending}
        hasKeys={hasKeys}
        onKeys={setKeys}
        onFinish={finish}
      />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Pages
            jobId={job.id}
            active={active}
            zoom={zoom}
            onZoom={setZoom}
            doubts={new Set(doubts)}
            nameOf={(line) => lines[line]?.test_name ?? 'A line'}
            onLine={setActive}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <ReportLines
            lines={lines}
            draft={draft}
            active={active}
            isReadOnly={isReadOnly}
            onActive={setActive}
            onEdit={(line) => setEditing({ line })}
            onAdd={() => setEditing('new')}
            onStep={decide}
          />
        </Grid.Col>
      </Grid>
      <Section title="Head of the report">
        <ReportMetadata
          read={data.metadata}
          changed={draft.metadata}
          isReadOnly={isReadOnly}
          onChange={(set) => step({ kind: 'metadata', set })}
        />
      </Section>
      {editing !== undefined && (
        <Editor
          editing={editing}
          lines={lines}
          draft={draft}
          onStep={decide}
          onClose={() => setEditing(undefined)}
        />
      )}
    </Stack>
  );
}

interface EditorProps {
  readonly editing: NonNullable<Editing>;
  readonly lines: ReportData['results'];
  readonly draft: typeof EMPTY_DRAFT;
  readonly onStep: (step: DraftStep) => void;
  readonly onClose: () => void;
}

function Editor({ editing, lines, draft, onStep, onClose }: EditorProps) {
  const read = editing === 'new' ? EMPTY_LINE : (lines[editing.line] ?? EMPTY_LINE);
  return (
    <ReportLineForm
      read={read}
      line={editing === 'new' ? read : withDraft(read, draft, editing.line)}
      title={editing === 'new' ? 'Add a line' : `Correct ${read.test_name}`}
      onSave={(set) => {
        onClose();
        if (editing !== 'new') onStep({ kind: 'change', line: editing.line, set });
        else onStep({ kind: 'add', add: { ...set, test_name: set.test_name ?? '', value: set.value ?? '' } });
      }}
      onClose={onClose}
    />
  );
}

interface ProgressProps {
  readonly doubts: number;
  readonly total: number;
  readonly isReadOnly: boolean;
  readonly isPending: boolean;
  readonly hasKeys: boolean;
  readonly onKeys: (isOn: boolean) => void;
  readonly onFinish: () => void;
}

function Progress({ doubts, total, isReadOnly, isPending, hasKeys, onKeys, onFinish }: ProgressProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" aria-live="polite">
          {total === 0
            ? 'No line is in doubt.'
            : doubts === 0
              ? `All ${total} doubts are decided.`
              : `${doubts} of ${total} doubts to decide.`}
        </Text>
        <Group gap="xs">
          <Button variant="subtle" size="xs" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Keyboard
          </Button>
          {!isReadOnly && (
            <Button size="xs" loading={isPending} onClick={onFinish}>
              Complete the review
            </Button>
          )}
        </Group>
      </Group>
      <Collapse expanded={isOpen}>
        <Group gap="md">
          <Switch
            label="Single keys"
            checked={hasKeys}
            onChange={(event) => onKeys(event.currentTarget.checked)}
          />
          {KEY_HELP.map(([keys, does]) => (
            <Text key={keys} size="xs">
              <Kbd>{keys}</Kbd> {does}
            </Text>
          ))}
        </Group>
      </Collapse>
    </Stack>
  );
}

interface PagesProps {
  readonly jobId: string;
  readonly active: number | undefined;
  readonly zoom: number;
  readonly doubts: ReadonlySet<number>;
  readonly nameOf: (line: number) => string;
  readonly onZoom: (zoom: number) => void;
  readonly onLine: (line: number) => void;
}

/** The page on which the active line stands. A report has at most 30 pages; their boxes are small. */
function Pages({ jobId, active, ...rest }: PagesProps) {
  const first = useQueries({ queries: [pageQuery(jobId, 1)] })[0];
  const pages = first?.data?.pages ?? 1;
  const others = useQueries({
    queries: Array.from({ length: pages - 1 }, (_, index) => pageQuery(jobId, index + 2)),
  });
  const all = [first, ...others].flatMap((query) => query?.data ?? []);
  const home = all.find(({ lines }) => lines.some(({ line }) => line === active));
  const [turned, setTurned] = useState<{ page: number; at: number | undefined }>();
  // A page that the reviewer turned to is shown until the next line is chosen.
  const shown = turned && turned.at === active ? all.find(({ page }) => page === turned.page) : home;
  const boxes = shown ?? all[0];
  if (first?.error) return <ErrorNotice error={first.error} onRetry={() => void first.refetch()} />;
  if (!boxes) return <Loading lines={12} />;
  return (
    <ReportPage
      jobId={jobId}
      boxes={boxes}
      active={active}
      onPage={(page) => setTurned({ page, at: active })}
      {...rest}
    />
  );
}

const pageQuery = (jobId: string, page: number) => ({
  queryKey: ['report-boxes', jobId, page],
  queryFn: async (): Promise<PageBoxes | null> => {
    const { data } = await client.GET('/lab_report/v1/parser/job/{job_id}/pages/{page}', {
      params: { path: { job_id: jobId, page } },
    });
    return data ?? null;
  },
  staleTime: Infinity,
});

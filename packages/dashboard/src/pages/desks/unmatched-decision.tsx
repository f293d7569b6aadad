import { Anchor, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { shortId } from '../../base/short-id.ts';
import { confirm, tellDone } from '../../components/confirm.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import { reportTitle, type CandidateOrder, type Unmatched } from './unmatched-data.ts';

type Decision =
  | { readonly kind: 'suggested'; readonly orderId: string }
  | { readonly kind: 'other'; readonly orderId: string }
  | { readonly kind: 'new'; readonly userId: string }
  | { readonly kind: 'reject' }
  | { readonly kind: 'unsure' };

const DONE: Readonly<Record<Decision['kind'], string>> = {
  suggested: 'The result is attached to the order',
  other: 'The result is attached to the order',
  new: 'An order is created for the result',
  reject: 'The result is rejected: it is kept, and attached to nothing',
  unsure: 'The operator of the connection looks at it',
};

function send(report: Unmatched, decision: Decision, note: string): Promise<unknown> {
  const params = { path: { raw_result_id: report.id } };
  const noted = note === '' ? {} : { note };
  switch (decision.kind) {
    case 'suggested':
      return client.POST('/v3/unmatched_result/{raw_result_id}/accept', {
        params,
        body: { acceptance_type: 'suggested_outcome', order_id: decision.orderId, ...noted },
      });
    case 'other':
      return client.POST('/v3/unmatched_result/{raw_result_id}/accept', {
        params,
        body: { acceptance_type: 'not_one_of_suggested_outcomes', order_id: decision.orderId, ...noted },
      });
    case 'new':
      return client.POST('/v3/unmatched_result/{raw_result_id}/accept', {
        params,
        body: { acceptance_type: 'not_one_of_suggested_outcomes', user_id: decision.userId, ...noted },
      });
    case 'reject':
    case 'unsure':
      return client.POST('/v3/unmatched_result/{raw_result_id}/resolve', {
        params,
        body: { action: decision.kind, ...noted },
      });
  }
}

interface UnmatchedDecisionProps {
  readonly report: Unmatched;
  readonly chosen: CandidateOrder | undefined;
}

/** Attaching and rejecting cannot be undone, so both are asked again. A rejection needs its reason. */
export function UnmatchedDecision({ report, chosen }: UnmatchedDecisionProps) {
  const queries = useQueryClient();
  const [note, setNote] = useState('');
  const [isMissing, setMissing] = useState(false);
  const decide = useMutation({
    mutationFn: (decision: Decision) => send(report, decision, note.trim()),
    onSuccess: (_answer, { kind }) => tellDone(DONE[kind]),
    onSettled: () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'get' }),
  });
  const allows = (action: Unmatched['allowed_actions'][number]) => report.allowed_actions.includes(action);
  const accept = () =>
    chosen &&
    confirm({
      title: 'Attach the result to this order?',
      text: `The patient of order ${shortId(chosen.order_id)} gets the values that were reported for ${reportTitle(report)}. This cannot be undone.`,
      action: 'Attach the result',
      run: () => decide.mutate({ kind: 'suggested', orderId: chosen.order_id }),
    });
  const reject = () => {
    setMissing(note.trim() === '');
    if (note.trim() === '') return;
    confirm({
      title: 'Reject the result?',
      text: 'The report is kept and attached to nothing. Nobody is told its values. This cannot be undone.',
      action: 'Reject the result',
      isDangerous: true,
      run: () => decide.mutate({ kind: 'reject' }),
    });
  };
  const isPending = (kind: Decision['kind']) => decide.isPending && decide.variables.kind === kind;
  return (
    <Stack gap="sm">
      <Textarea
        label="Reason"
        description="Kept with the decision, encrypted. Needed for a rejection."
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        error={isMissing && note.trim() === '' ? 'Say why it is rejected' : undefined}
        autosize
        maxLength={5000}
      />
      {decide.error && <ErrorNotice error={decide.error} />}
      <Group gap="xs">
        {allows('accept') && chosen && (
          <Button onClick={accept} loading={isPending('suggested')} disabled={decide.isPending}>
            Attach to the chosen order
          </Button>
        )}
        {allows('unsure') && (
          <Button
            variant="default"
            onClick={() => decide.mutate({ kind: 'unsure' })}
            loading={isPending('unsure')}
            disabled={decide.isPending}
          >
            Ask the operator
          </Button>
        )}
        {allows('reject') && (
          <Button
            variant="default"
            color="red"
            onClick={reject}
            loading={isPending('reject')}
            disabled={decide.isPending}
          >
            Reject
          </Button>
        )}
      </Group>
      {allows('accept_but_not_one_of_suggested_outcomes') && (
        <OtherOutcome isPending={decide.isPending} onDecide={decide.mutate} />
      )}
    </Stack>
  );
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface OtherOutcomeProps {
  readonly isPending: boolean;
  readonly onDecide: (decision: Decision) => void;
}

/** Where none of the candidates is right: another order, or a new one for a user. */
function OtherOutcome({ isPending, onDecide }: OtherOutcomeProps) {
  const [isOpen, setOpen] = useState(false);
  const [id, setId] = useState('');
  if (!isOpen)
    return (
      <Anchor component="button" type="button" size="sm" onClick={() => setOpen(true)} ta="left">
        It belongs to another order, or to a user without one
      </Anchor>
    );
  const isId = UUID.test(id);
  const ask = (title: string, text: string, decision: Decision) =>
    confirm({ title, text, action: 'Attach the result', run: () => onDecide(decision) });
  return (
    <Stack gap="xs">
      <TextInput
        label="Id of the order or the user"
        value={id}
        onChange={(event) => setId(event.currentTarget.value.trim())}
        error={id !== '' && !isId ? 'This is no id' : undefined}
      />
      <Text size="xs" c="dimmed">
        For a user, an order is created from the tests that the report answers, as an import does.
      </Text>
      <Group gap="xs">
        <Button
          variant="default"
          disabled={!isId || isPending}
          onClick={() =>
            ask(
              'Attach it to this order?',
              'The patient of that order gets these values. This cannot be undone.',
              {
                kind: 'other',
                orderId: id,
              },
            )
          }
        >
          Attach to this order
        </Button>
        <Button
          variant="default"
          disabled={!isId || isPending}
          onClick={() =>
            ask('Create an order for this user?', 'The user gets these values. This cannot be undone.', {
              kind: 'new',
              userId: id,
            })
          }
        >
          Create an order for this user
        </Button>
      </Group>
    </Stack>
  );
}

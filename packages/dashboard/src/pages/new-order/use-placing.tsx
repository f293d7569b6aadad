import { Alert, Anchor, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, type ReactNode } from 'react';
import { useGoTo, useTenant, useTenantPath } from '../../base/tenant.ts';
import { confirm, tellDone, tellError } from '../../components/confirm.tsx';
import type { CollectionMethod, LabTest } from '../../components/lab-tests.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import { toOrder, type AskedQuestion, type Draft, type OrderInput } from './draft.ts';
import { bookVisit, isRefused, placeOrder, type Attempt } from './place.ts';
import type { StepName } from './wizard-frame.tsx';

interface PlacingOptions {
  readonly draft: Draft;
  readonly test: LabTest | undefined;
  readonly method: CollectionMethod;
  readonly questions: readonly AskedQuestion[];
  /** Opens the step with the field that the API refused. */
  readonly onProblem: (step: StepName) => void;
}

interface Placing {
  readonly place: () => void;
  readonly isPending: boolean;
  readonly notice: ReactNode;
}

/**
 * Places the order, then books the visit, then shows the order. One attempt has one idempotency key until the service
 * has answered: a double click, a retry or a lost answer never orders twice.
 */
export function usePlacing({ draft, test, method, questions, onProblem }: PlacingOptions): Placing {
  const goTo = useGoTo();
  const queries = useQueryClient();
  const { environment } = useTenant();
  const attempt = useRef<Attempt>(undefined);
  const placing = useMutation({
    mutationFn: async (order: OrderInput) => {
      attempt.current ??= { key: crypto.randomUUID(), body: JSON.stringify(order) };
      const placed = await placeOrder(order, attempt.current);
      attempt.current = undefined;
      const visitError = await bookChosenVisit(draft, {
        isSandbox: environment === 'sandbox',
        order: placed,
        address: order.patient_address,
      });
      return { placed, visitError };
    },
    onSuccess: async ({ placed, visitError }) => {
      if (visitError === undefined) tellDone('The order is placed');
      else
        tellError(
          new Error(`The order is placed, but its visit is not booked: ${visitError}. Book it here.`),
        );
      await queries.invalidateQueries({ queryKey: ['get'] });
      goTo(`orders/${placed.id}`);
    },
    onError: (error) => {
      if (isRefused(error)) attempt.current = undefined;
      draft.form.showProblems(error);
      const step = stepWithProblem(error);
      if (step) onProblem(step);
    },
  });
  const send = () => {
    if (!test || placing.isPending) return;
    const order = toOrder({ draft, test, method, questions });
    const earlier = attempt.current;
    if (earlier && earlier.body !== JSON.stringify(order)) {
      confirm({
        title: 'Did the first attempt place an order?',
        text: 'The service did not answer it, and you changed the order since. Look at the orders of the user first: placing now may order twice.',
        action: 'Place anyway',
        isDangerous: true,
        run: () => {
          attempt.current = undefined;
          placing.mutate(order);
        },
      });
      return;
    }
    placing.mutate(order);
  };
  const place = () => {
    if (environment === 'sandbox') return send();
    return confirm({
      title: 'Place this order in production?',
      text: `${test?.name ?? 'The lab test'} is sent to the laboratory for a real patient, and is billed. A placed order can only be cancelled.`,
      action: 'Place order',
      run: send,
    });
  };
  return {
    place,
    isPending: placing.isPending,
    notice: placing.error && (
      <Failure error={placing.error} isUnknown={!isRefused(placing.error)} userId={draft.userId} />
    ),
  };
}

async function bookChosenVisit(
  { visit }: Draft,
  booking: Omit<Parameters<typeof bookVisit>[0], 'visit'>,
): Promise<string | undefined> {
  if (!visit) return undefined;
  try {
    await bookVisit({ ...booking, visit });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** By the beginning of the name of the first field that was refused. */
const STEP_OF_FIELD: readonly (readonly [RegExp, StepName])[] = [
  [/^(?:patient_details|patient_address)/, 'patient'],
  [
    /^(?:physician|billing_type|icd_codes|activate_by|passthrough|clinical_notes|priority|lab_account_id)/,
    'physician',
  ],
  [/^aoe_answers/, 'questions'],
  [/^(?:lab_test_id|order_set)/, 'test'],
];

function stepWithProblem(error: unknown): StepName | undefined {
  const [first] =
    error instanceof Object && 'problems' in error ? (error.problems as { field: string }[]) : [];
  return first && STEP_OF_FIELD.find(([pattern]) => pattern.test(first.field))?.[1];
}

interface FailureProps {
  readonly error: Error;
  readonly isUnknown: boolean;
  readonly userId: string;
}

function Failure({ error, isUnknown, userId }: FailureProps) {
  const pathOf = useTenantPath();
  if (!isUnknown) return <ErrorNotice error={error} />;
  return (
    <Alert color="yellow" title="It is not known whether the order is placed" role="alert">
      <Text size="sm">
        The service did not answer. Place it again without changes: the same request never orders twice. Or
        look at{' '}
        <Anchor component={Link} to={`${pathOf(`users/${userId}`)}?tab=orders`} inherit>
          the orders of the user
        </Anchor>
        .
      </Text>
    </Alert>
  );
}

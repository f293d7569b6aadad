/** The state machine of critical results. Only a read-back ends it, never time alone. */
type CriticalResultMachine<Rows> = { [Name in keyof Rows]: { next: readonly (keyof Rows)[]; means: string } };
const machine = <const Rows extends CriticalResultMachine<Rows>>(rows: Rows) => rows;

// prettier-ignore
export const criticalResultMachine = machine({
  open:         { next: ['escalated', 'acknowledged'], means: 'No responsible person has read it back yet; the escalation deadline is running.' },
  escalated:    { next: ['acknowledged'],              means: 'The deadline passed without a read-back.' },
  acknowledged: { next: [],                            means: 'A notified person has read it back.' },
});

export type CriticalResultStatus = keyof typeof criticalResultMachine;

export const CRITICAL_RESULT_STATUSES = [
  'open',
  'escalated',
  'acknowledged',
] as const satisfies readonly CriticalResultStatus[];

export const canBecome = (from: CriticalResultStatus, to: CriticalResultStatus): boolean =>
  criticalResultMachine[from].next.some((next) => next === to);

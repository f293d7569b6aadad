/** What may become of a critical result. It is over when somebody has read it back, and never by time alone. */
type Machine<Rows> = { [Name in keyof Rows]: { next: readonly (keyof Rows)[]; means: string } };
const machine = <const Rows extends Machine<Rows>>(rows: Rows) => rows;

// prettier-ignore
export const criticalResultMachine = machine({
  open:         { next: ['escalated', 'acknowledged'], means: 'Nobody who is responsible has read it back yet; the deadline runs.' },
  escalated:    { next: ['acknowledged'],              means: 'The deadline passed, and nobody had read it back.' },
  acknowledged: { next: [],                            means: 'It was read back by somebody who was told.' },
});

export type CriticalResultStatus = keyof typeof criticalResultMachine;

export const CRITICAL_RESULT_STATUSES = [
  'open',
  'escalated',
  'acknowledged',
] as const satisfies readonly CriticalResultStatus[];

export const canBecome = (from: CriticalResultStatus, to: CriticalResultStatus): boolean =>
  criticalResultMachine[from].next.some((next) => next === to);

import type { AttackStage } from './stage.ts';

/** `short` runs in the suite; `full` is what `npm run attack` runs. */
export type AttackSize = 'short' | 'full';

interface AttackResult {
  /** Measured figures, printed as they are. */
  readonly figures: Readonly<Record<string, string>>;
  /** What must not happen and did. */
  readonly findings: readonly string[];
}

/** One kind of attack on a service that runs in another process, on loopback only. */
export interface AttackScene {
  readonly name: string;
  readonly title: string;
  run(stage: AttackStage, size: AttackSize): Promise<AttackResult>;
}

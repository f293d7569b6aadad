import type { ReportProgress, PlayedScene } from './scenes.ts';

/** A scene with its own clients, audit and stage. */
export interface StandaloneScene {
  readonly name: string;
  readonly title: string;
  /** Why it cannot be played on this machine; undefined where it can. */
  readonly lacks?: () => string | undefined;
  run(advance: ReportProgress): Promise<StandaloneResult>;
}

export interface StandaloneResult extends Pick<
  PlayedScene,
  'answers' | 'kills' | 'interrupted' | 'recoveriesMs'
> {
  readonly acknowledged: number;
  /** What was acknowledged, as text. */
  readonly told: string;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
}

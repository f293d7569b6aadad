import type { Advance, Played } from './scenes.ts';

/** A scene with clients and books of its own; it opens its own stage. */
export interface OwnScene {
  readonly name: string;
  readonly title: string;
  run(advance: Advance): Promise<OwnAccount>;
}

export interface OwnAccount extends Pick<Played, 'answers' | 'kills' | 'interrupted' | 'recoveriesMs'> {
  readonly acknowledged: number;
  /** What was acknowledged, in words. */
  readonly told: string;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
}

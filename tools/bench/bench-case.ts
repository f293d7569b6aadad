import { openInSteps, type CleanupTasks, type StageOpening } from '../stage/cleanup.ts';

/** `quick` shows that a case runs; only the figures of `full` are meaningful. */
export type BenchSize = 'quick' | 'full';
type BySize<T> = Readonly<Record<BenchSize, T>>;

export interface BenchFigure {
  readonly name: string;
  /** In the unit named in the group's heading. */
  readonly ours: number;
  /** Null if there is nothing to compare with. A higher `ratio` is better. */
  readonly bare: number | null;
  readonly ratio: number | null;
  readonly goal: number | null;
}

/** Figures that are printed under one heading. */
export interface BenchGroup {
  readonly heading: string;
  /** Column titles of `ours` and `bare`. */
  readonly columns: readonly [string, string];
}

export interface BenchCaseContext<P> {
  /** Rounds, counts and times of the selected size. */
  readonly parameters: P;
  readonly goal: number;
  /** Call this for each figure as soon as it is known. */
  report(figure: BenchFigure): void;
  /** Reports how much of the case is done. */
  advance(done: number, total: number): void;
  /** Ends the case without a figure, because the machine lacks something that it needs. */
  skip(reason: string): void;
}

/** The environment of cases: servers, databases and rows. The runner opens it before its first case. */
export interface BenchStage {
  readonly name: string;
  readonly expectedSeconds: BySize<number>;
  /** Sizes in which each case gets a new stage, because the rows of one case would slow the next. */
  readonly isFreshForEachCase: BySize<boolean>;
  open(size: BenchSize): Promise<void>;
  /** Can be called while the stage is still opening. */
  close(): Promise<void>;
}

export interface TypedBenchStage<S> extends BenchStage {
  opened(): S;
}

export interface BenchStageDefinition<S> {
  readonly name: string;
  readonly expectedSeconds: BySize<number>;
  readonly isFreshForEachCase?: BySize<boolean>;
  readonly open: (cleanups: CleanupTasks, size: BenchSize) => Promise<S>;
}

export function defineStage<S>({ open, ...definition }: BenchStageDefinition<S>): TypedBenchStage<S> {
  let opening: StageOpening<S> | undefined;
  let opened: { readonly stage: S } | undefined;
  return {
    isFreshForEachCase: { quick: false, full: false },
    ...definition,
    async open(size) {
      opening = openInSteps((cleanups) => open(cleanups, size));
      opened = { stage: await opening.opened };
    },
    async close() {
      const closing = opening;
      [opening, opened] = [undefined, undefined];
      await closing?.close();
    },
    opened() {
      if (!opened) throw new Error(`The stage ${definition.name} is not open`);
      return opened.stage;
    },
  };
}

/** One row of the table of cases. */
export interface BenchCase {
  readonly name: string;
  readonly group: BenchGroup;
  readonly stage: BenchStage;
  /** Without opening the stage. */
  readonly expectedSeconds: BySize<number>;
  run(size: BenchSize, report: Omit<BenchCaseContext<never>, 'parameters' | 'goal'>): Promise<void>;
}

interface BenchCaseDefinition<S, P> {
  readonly name: string;
  readonly group: BenchGroup;
  /** The ratio to the bare figure that is the goal. A lower ratio is not a failure. */
  readonly goal: number;
  readonly stage: TypedBenchStage<S>;
  readonly sizes: BySize<P>;
  readonly expectedSeconds: BySize<number>;
  readonly run: (stage: S, context: BenchCaseContext<P>) => Promise<void>;
}

export const defineCase = <S, P>(definition: BenchCaseDefinition<S, P>): BenchCase => ({
  name: definition.name,
  group: definition.group,
  stage: definition.stage,
  expectedSeconds: definition.expectedSeconds,
  run: (size, report) =>
    definition.run(definition.stage.opened(), {
      ...report,
      parameters: definition.sizes[size],
      goal: definition.goal,
    }),
});

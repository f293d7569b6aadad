import type { Reporter, TestModule } from 'vitest/node';

const LONGEST = 40;

interface TimingRow {
  readonly name: string;
  readonly ms: number;
  readonly note: string;
}

const table = (title: string, rows: readonly TimingRow[]): string =>
  [
    `\n${title}`,
    ...rows
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, LONGEST)
      .map(({ name, ms, note }) => `${(ms / 1000).toFixed(2).padStart(8)} s  ${note}  ${name}`),
  ].join('\n');

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`.padStart(8);

/** `npm run test:slowest`: prints the slowest files and tests at the end of the run. */
export default class SlowestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files: TimingRow[] = [];
    const tests: TimingRow[] = [];
    for (const module of modules) {
      const { duration, collectDuration } = module.diagnostic();
      let inTests = 0;
      for (const test of module.children.allTests()) {
        const ms = test.diagnostic()?.duration ?? 0;
        inTests += ms;
        tests.push({ name: `${module.relativeModuleId} > ${test.fullName}`, ms, note: '' });
      }
      const note = `tests ${seconds(inTests)}, hooks ${seconds(duration - inTests)}, imports ${seconds(collectDuration)}`;
      files.push({ name: module.relativeModuleId, ms: duration + collectDuration, note });
    }
    const sum = files.reduce((total, { ms }) => total + ms, 0);
    console.log(table(`The slowest of ${files.length} files, ${seconds(sum).trim()} in total`, files));
    console.log(table(`The slowest of ${tests.length} tests`, tests));
  }
}

import { readPath } from './wearable-files.ts';

// Runs as a separate process with its own TZ: prints the start times of the files' workouts as JSON.

const starts: number[] = [];
for (const path of process.argv.slice(2)) {
  const { readings } = await readPath(path);
  for (const reading of readings) if (reading.kind === 'summary') starts.push(reading.at);
}
process.stdout.write(JSON.stringify(starts));

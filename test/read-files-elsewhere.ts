import { readPath } from './wearable-files.ts';

// Run as a process of its own, whose clock hangs wherever TZ says: says in JSON when the workouts of files began.

const starts: number[] = [];
for (const path of process.argv.slice(2)) {
  const { readings } = await readPath(path);
  for (const reading of readings) if (reading.kind === 'summary') starts.push(reading.at);
}
process.stdout.write(JSON.stringify(starts));

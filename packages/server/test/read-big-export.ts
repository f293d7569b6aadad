import { bigAppleDocument, openFolder, countReadings, writeAppleZip } from './wearable-files.ts';

// Runs as a separate process with little memory: creates an export of the given size in MB, reads it, and prints the
// counts and its memory use as JSON.

const folder = await openFolder();
try {
  const path = process.argv[3] ?? folder.path('export.zip');
  const megabytes = Number(process.argv[2] ?? 60);
  if (process.argv[3] === undefined) await writeAppleZip(path, { document: bigAppleDocument(megabytes) });
  const before = process.resourceUsage().maxRSS;
  const counts = await countReadings(path);
  const { maxRSS } = process.resourceUsage();
  process.stdout.write(
    JSON.stringify({ ...counts, rssBeforeMb: Math.round(before / 1024), rssMb: Math.round(maxRSS / 1024) }),
  );
} finally {
  await folder.close();
}

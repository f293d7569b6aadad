import { bigAppleDocument, openFolder, readAway, writeAppleZip } from './wearable-files.ts';

// Run as a process of its own, with little memory: makes an export of so many megabytes, reads it, and says in JSON
// how much came out and how much memory it took.

const folder = await openFolder();
try {
  const path = process.argv[3] ?? folder.path('export.zip');
  const megabytes = Number(process.argv[2] ?? 60);
  if (process.argv[3] === undefined) await writeAppleZip(path, { document: bigAppleDocument(megabytes) });
  const before = process.resourceUsage().maxRSS;
  const counts = await readAway(path);
  const { maxRSS } = process.resourceUsage();
  process.stdout.write(
    JSON.stringify({ ...counts, rssBeforeMb: Math.round(before / 1024), rssMb: Math.round(maxRSS / 1024) }),
  );
} finally {
  await folder.close();
}

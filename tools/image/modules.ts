/**
 * Makes the `node_modules` of the image in the working folder, which holds package.json and the
 * lock file: `modules.ts ARCHITECTURE`, as Docker names it.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { prune, type Architecture } from './prune-modules.ts';

/** Docker's names, with Node's. */
const architectures: Readonly<Record<string, Architecture>> = { amd64: 'x64', arm64: 'arm64' };

const [wanted = ''] = process.argv.slice(2);
const architecture = architectures[wanted];
if (architecture === undefined) {
  const allowed = Object.keys(architectures).join(', ');
  console.error(`architecture: "${wanted}" is not one of ${allowed}`);
  process.exit(2);
}
const { status, error } = spawnSync(
  'npm',
  [
    'ci',
    '--omit=dev',
    // Theirs only fetch or check what is there already.
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--os=linux',
    '--libc=glibc',
    `--cpu=${architecture}`,
  ],
  { stdio: 'inherit' },
);
if (error) throw error;
if (status !== 0) process.exit(1);
await prune(join(process.cwd(), 'node_modules'), architecture);

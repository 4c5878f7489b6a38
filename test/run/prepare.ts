/** What every run of tests begins with: no test installs or builds anything itself. */
import { defaultOptions, type TemporalKind } from '../../deploy/local/options.ts';
import { everything } from '../../deploy/local/prepare/needs.ts';
import { prepare, type Task } from '../../deploy/local/prepare/prepare.ts';
import { checkOut, commitBefore, isCheckedOut } from '../support/other-revision.ts';
import { needsOf } from './needs.ts';

/** For the night. */
export async function prepareAll(): Promise<void> {
  await prepare(everything, await releaseBefore());
}

export async function prepareTests(
  files: readonly string[],
  temporal: TemporalKind = defaultOptions.temporal,
): Promise<void> {
  const isUpgrade = files.some((path) => path.endsWith('/upgrade.test.ts'));
  await prepare(needsOf(files, temporal), isUpgrade ? await releaseBefore() : []);
}

/** Of this repository, with its own npm packages. */
async function releaseBefore(): Promise<Task[]> {
  const commit = await commitBefore();
  if (isCheckedOut(commit)) return [];
  return [
    {
      name: 'the release before',
      run: async (report) => {
        report(`npm ci of commit ${commit.slice(0, 12)} (takes a minute)`);
        await checkOut(commit);
      },
    },
  ];
}

/** Versions of workers: what a scenario names, and what its histories say of them. */
import type { SetupResult } from '../../../cli/setup/steps.ts';
import { setup } from '../../../cli/setup/setup.ts';
import type { RecordedRun } from './histories.ts';
import { testStack } from './test-stack.ts';

export interface Naming {
  deploymentName: string;
  /** Or `unversioned`. */
  buildId: string;
  waitMinutes?: number;
  isCheck?: boolean;
}

/** Throws when it is not current in the end. */
export async function nameCurrent(naming: Naming): Promise<void> {
  const { state, text } = await askForVersion(naming);
  if (state === 'missing') throw new Error(text);
}

/** As `millwright setup --current` does. */
export async function askForVersion({
  deploymentName,
  buildId,
  waitMinutes = 2,
  isCheck = false,
}: Naming): Promise<SetupResult> {
  const { data, text } = await setup(
    {
      retentionDays: 7,
      isCheck,
      version: { deploymentName, buildId, waitMinutes },
    },
    { TEMPORAL_ADDRESS: testStack().temporalAddress },
  );
  const finding = data.findings.find(({ what }) => what === 'version');
  if (!finding) throw new Error(`nothing is said of a version: ${text}`);
  return finding;
}

/** Build ids of the workers that did the workflow tasks of a run, each once, in their order. */
export function versionsIn({ history }: Pick<RecordedRun, 'history'>): string[] {
  const ids = (history.events ?? []).flatMap(({ workflowTaskCompletedEventAttributes: task }) =>
    task ? [task.deploymentVersion?.buildId ?? 'unversioned'] : [],
  );
  return ids.filter((id, index) => id !== ids[index - 1]);
}

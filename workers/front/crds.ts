/** Looks for the CRDs of `cluster.k8s.io`, without which there is nothing to mirror. */
import { every } from '../../activities/system/system.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { kubermaticApi as api, kubermaticKinds } from '../../kube/client/paths.ts';
import { isServed } from '../../kube/client/served.ts';
import { kubermaticGroup } from '../../workflows/api/kubermatic-names.ts';
import type { Logger } from '../log/logger.ts';
import { reasonOf } from '../log/reason.ts';
import type { Shutdown } from '../process/shutdown.ts';

/** Half of the time that watches take until they see it. */
const everyMs = 30_000;

export interface CrdView {
  /** Undefined: all of them are there. */
  fault(): string | undefined;
}

/** Resolves when it is known, or cannot be asked. */
export async function watchCrds(
  control: KubeClient,
  { log, shutdown }: { log: Logger; shutdown: Pick<Shutdown, 'add'> },
): Promise<CrdView> {
  let fault: string | undefined;
  const look = async (): Promise<void> => {
    const before = fault;
    fault = await faultOf(control);
    if (fault !== undefined && fault !== before) log.warn({ fault }, 'nothing can be mirrored');
    if (fault === undefined && before !== undefined) log.info('the CRDs have come');
  };
  await look();
  const timer = every(everyMs, () => void look(), { keepsAlive: false });
  shutdown.add('check of the CRDs', () => timer.cancel());
  return { fault: () => fault };
}

async function faultOf(control: KubeClient): Promise<string | undefined> {
  try {
    const found = await Promise.all(
      kubermaticKinds.map((plural) => isServed(control, { api, plural })),
    );
    const missing = kubermaticKinds
      .filter((_kind, at) => !found[at])
      .map((kind) => `${kind}.${kubermaticGroup}`);
    if (missing.length === 0) return undefined;
    return `the CRDs ${missing.join(', ')} are missing: apply deploy/crds-kubermatic, or stop this process`;
  } catch (error) {
    return `whether the CRDs of ${kubermaticGroup} are there is not known: ${reasonOf(error)}`;
  }
}

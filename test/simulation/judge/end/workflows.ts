/** One workflow runs for each object, and none for one that is gone. */
import { openWorkflows } from '../waits/workflows.ts';
import type { EndParts } from './end-parts.ts';

export function unmetWorkflows({ evidence, install, objects }: EndParts): string[] {
  const open = openWorkflows(evidence.world.temporal.engine);
  const { namespace } = install;
  const wanted = new Set([
    ...objects.machines.map(({ metadata }) => `machine/${namespace}/${metadata.name}`),
    ...objects.sets.map(({ metadata }) => `machineSet/${namespace}/${metadata.name}`),
    ...objects.deployments.map(({ metadata }) => `machineDeployment/${namespace}/${metadata.name}`),
  ]);
  const running = Array.from(open.keys()).filter((id) =>
    ['machine', 'machineSet', 'machineDeployment'].some((kind) =>
      id.startsWith(`${kind}/${namespace}/`),
    ),
  );
  return [
    ...Array.from(wanted)
      .filter((id) => !open.has(id))
      .map((id) => `no workflow ${id} runs`),
    ...running.filter((id) => !wanted.has(id)).map((id) => `workflow ${id} runs for nothing`),
  ];
}

import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../binaries/program.ts';
import { repository } from '../layout.ts';
import type { Job } from './component.ts';
import type { StackWorld } from './world.ts';

const entrance = join(repository, 'workers/temporal/bundle-workflows.ts');

/**
 * Bundles the workflows once, so that each restart of the worker saves the seconds that it takes.
 */
export function workflowBundle({ layout, options }: StackWorld): Job | undefined {
  if (!options.operator) return undefined;
  return {
    name: 'workflow-bundle',
    needs: [],
    run: async () => {
      const partial = `${layout.workflowBundle}.partial`;
      await runProgram(process.execPath, [entrance, partial]);
      await rename(partial, layout.workflowBundle);
      return '';
    },
  };
}
